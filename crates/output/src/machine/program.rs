//! The name of this program, for messages that name another call of it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

/// The default name of the program, e.g. in a library call.
pub const NAME: &str = "rankduel";

static CALLED_NAME: OnceLock<String> = OnceLock::new();

/// Takes the name of the program from the first of its arguments: the file name, without `.exe`. The first call counts;
/// where the argument names no file, the name stays [`NAME`].
pub fn set_name(path: &OsStr) {
    if let Some(name) = name_of_path(path) {
        let _ = CALLED_NAME.set(name);
    }
}

/// The name of the program, e.g. `rankduel`.
#[must_use]
pub fn name() -> &'static str {
    CALLED_NAME.get().map_or(NAME, String::as_str)
}

fn name_of_path(path: &OsStr) -> Option<String> {
    let name = Path::new(path).file_name()?.to_str()?;
    // Windows finds programs in any case.
    let name = match name.len().checked_sub(4).and_then(|at| name.split_at_checked(at)) {
        Some((stem, ending)) if ending.eq_ignore_ascii_case(".exe") => stem,
        _ => name,
    };
    // A message is one line, whatever the file is called.
    (!name.is_empty() && !name.contains(char::is_control)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_file() {
        for (called, name) in [
            ("rankduel", Some("rankduel")),
            ("target/debug/rankduel", Some("rankduel")),
            ("./ranker-search.EXE", Some("ranker-search")),
            ("/usr/bin/rankduel-1.2", Some("rankduel-1.2")),
            ("é.exe", Some("é")),
            (".exe", None),
            ("", None),
            ("..", None),
            ("a\nb", None),
        ] {
            assert_eq!(name_of_path(OsStr::new(called)).as_deref(), name, "{called:?}");
        }
    }
}
