//! The environment variables that the programs of this project read: the one place that knows their names.
//!
//! Each has a name with the prefix `RANKDUEL_`. The older names with the prefix `ORE_` still work; where both are set, the
//! new one wins.

use std::ffi::OsString;

/// An environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    name: &'static str,
    /// The name that it had before.
    older: Option<&'static str>,
}

/// The folder of registered data.
pub const DATA_DIR: Variable = Variable { name: "RANKDUEL_DATA_DIR", older: Some("ORE_DATA_DIR") };

/// The folder of binary caches.
pub const CACHE_DIR: Variable = Variable { name: "RANKDUEL_CACHE_DIR", older: Some("ORE_CACHE_DIR") };

/// How much programs print about their work on standard error: `off`, `error`, `warn`, `info`, `debug` or `trace`.
pub const LOG: Variable = Variable { name: "RANKDUEL_LOG", older: None };

/// The folder of real data, for tests.
pub const TEST_DATA: Variable = Variable { name: "RANKDUEL_TEST_DATA", older: Some("ORE_TEST_DATA") };

/// A Python with packages to compare with, for tests.
pub const TEST_PYTHON: Variable = Variable { name: "RANKDUEL_TEST_PYTHON", older: Some("ORE_TEST_PYTHON") };

impl Variable {
    /// The name, as messages show it.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The value in the environment of this process; `None` if it is not set or empty.
    pub fn value(self) -> Option<OsString> {
        Some(self.set()?.1)
    }

    /// The value, and the name under which it is set.
    pub fn set(self) -> Option<(&'static str, OsString)> {
        self.set_in(|name| std::env::var_os(name))
    }

    /// The same in another environment, where `variable` returns the value of a name.
    pub fn set_in(self, variable: impl Fn(&str) -> Option<OsString>) -> Option<(&'static str, OsString)> {
        let names = [Some(self.name), self.older].into_iter().flatten();
        names.filter_map(|name| Some((name, variable(name)?))).find(|(_, value)| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_names_work_and_newer_ones_win() {
        for (variable, new, old) in [
            (DATA_DIR, "RANKDUEL_DATA_DIR", "ORE_DATA_DIR"),
            (CACHE_DIR, "RANKDUEL_CACHE_DIR", "ORE_CACHE_DIR"),
            (TEST_DATA, "RANKDUEL_TEST_DATA", "ORE_TEST_DATA"),
            (TEST_PYTHON, "RANKDUEL_TEST_PYTHON", "ORE_TEST_PYTHON"),
        ] {
            assert_eq!(variable.name(), new);
            let value = |set: &[(&str, &str)]| {
                let of = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into());
                variable.set_in(of).map(|(name, value)| (name, value.into_string().unwrap()))
            };
            let found = |name, value: &str| Some((name, value.to_owned()));
            assert_eq!(value(&[]), None);
            assert_eq!(value(&[(new, "x")]), found(new, "x"));
            assert_eq!(value(&[(old, "x")]), found(old, "x"));
            assert_eq!(value(&[(old, "x"), (new, "y")]), found(new, "y"));
            // An empty value is none, as ever.
            assert_eq!(value(&[(old, "x"), (new, "")]), found(old, "x"));
            assert_eq!(value(&[(old, ""), (new, "")]), None);
        }
        assert_eq!(LOG.set_in(|name| (name == "ORE_LOG").then(|| "info".into())), None, "there was none before");
    }
}
