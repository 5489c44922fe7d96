//! The folder of binary caches.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::environment::CACHE_DIR;

/// The name of the folder in the user's cache folder.
const FOLDER_NAME: &str = "online-ranker-evaluation";

/// The folder given by `RANKDUEL_CACHE_DIR`, otherwise `online-ranker-evaluation` in the user's cache folder: that of
/// `XDG_CACHE_HOME`, otherwise `~/.cache`, on macOS `~/Library/Caches`, on Windows `%LOCALAPPDATA%`. `None` for a user
/// without a home.
pub fn folder() -> Option<PathBuf> {
    folder_of(|name| std::env::var_os(name))
}

fn folder_of(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(given) = CACHE_DIR.value_in(&variable) {
        return Some(given.into());
    }
    // A relative path must be ignored, says the XDG Base Directory Specification.
    let absolute = |name: &str| path(name).filter(|path| path.is_absolute());
    // The homes of services may not exist, and are not created.
    let home = || absolute("HOME").filter(|home| home.is_dir());
    let caches = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| {
            home().map(|home| home.join(if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" }))
        })
    };
    Some(caches?.join(FOLDER_NAME))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_the_users() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().to_str().unwrap();
        let of = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            folder_of(value).map(|path| path.to_str().unwrap().replace(home, "~"))
        };
        let usual = if cfg!(target_os = "macos") { "~/Library/Caches" } else { "~/.cache" }.to_owned()
            + "/online-ranker-evaluation";
        assert_eq!(of(&[("RANKDUEL_CACHE_DIR", "here"), ("XDG_CACHE_HOME", "/x")]).as_deref(), Some("here"));
        assert_eq!(of(&[("XDG_CACHE_HOME", "/x"), ("HOME", home)]).as_deref(), Some("/x/online-ranker-evaluation"));
        assert_eq!(of(&[("XDG_CACHE_HOME", "x"), ("HOME", home)]), Some(usual.clone()));
        assert_eq!(of(&[("RANKDUEL_CACHE_DIR", ""), ("HOME", home)]), Some(usual));
        for none in [&[][..], &[("HOME", "")], &[("HOME", "/no/such/home")]] {
            assert_eq!(of(none), None);
        }
    }
}
