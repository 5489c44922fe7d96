//! The environment variables that the programs of this project read: the one place that has their names.
//!
//! Each has a name with the prefix `RANKDUEL_`.

use std::ffi::OsString;

/// An environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    name: &'static str,
}

/// The folder of registered data.
pub const DATA_DIR: Variable = Variable { name: "RANKDUEL_DATA_DIR" };

/// The folder of binary caches.
pub const CACHE_DIR: Variable = Variable { name: "RANKDUEL_CACHE_DIR" };

/// How much programs print about their work on standard error: `off`, `error`, `warn`, `info`, `debug` or `trace`.
pub const LOG: Variable = Variable { name: "RANKDUEL_LOG" };

/// The folder of real data, for tests.
pub const TEST_DATA: Variable = Variable { name: "RANKDUEL_TEST_DATA" };

/// A Python with packages to compare with, for tests.
pub const TEST_PYTHON: Variable = Variable { name: "RANKDUEL_TEST_PYTHON" };

impl Variable {
    /// The name, as messages show it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The value in the environment of this process; `None` if it is not set or empty.
    pub fn value(self) -> Option<OsString> {
        self.value_in(|name| std::env::var_os(name))
    }

    /// The same in another environment, where `variable` returns the value of a name.
    pub fn value_in(self, variable: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
        variable(self.name).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_is_none_and_other_names_are_not_read() {
        for variable in [DATA_DIR, CACHE_DIR, LOG, TEST_DATA, TEST_PYTHON] {
            let name = variable.name();
            assert!(name.starts_with("RANKDUEL_"));
            let value = |set: &str, text: &str| variable.value_in(|name| (name == set).then(|| text.into()));
            assert_eq!(value(name, "x"), Some("x".into()));
            assert_eq!(value(name, ""), None);
            assert_eq!(value(&name.replace("RANKDUEL_", "ORE_"), "x"), None);
        }
    }
}
