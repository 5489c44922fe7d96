//! Where a store is: a file, or a database.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use serde::{Deserialize, Deserializer};
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::{StoreError, postgres, sqlite};

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A SQLite file.
    File(PathBuf),
    /// A database of PostgreSQL.
    Postgres(Database),
}

/// A database of PostgreSQL. It is shown without its password.
#[derive(Clone, PartialEq, Eq)]
pub struct Database {
    url: String,
}

impl Location {
    /// The URL schemes of databases.
    const URL_SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

    /// The file, if it is one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// The database, if it is one.
    #[must_use]
    pub fn database(&self) -> Option<&Database> {
        match self {
            Self::File(_) => None,
            Self::Postgres(database) => Some(database),
        }
    }

    /// The file.
    ///
    /// # Errors
    /// If it is a database: `what` needs a file, and `instead` is what to do.
    pub fn need_file(&self, what: &str, instead: &str) -> Result<&Path, StoreError> {
        self.file().ok_or_else(|| StoreError::NeedsFile { what: what.to_owned(), instead: instead.to_owned() })
    }

    /// Whether there is a store, or another file that must not be overwritten.
    ///
    /// # Errors
    /// If a database cannot be asked.
    pub fn is_made(&self) -> Result<bool, StoreError> {
        match self {
            Self::File(path) => Ok(sqlite::is_made(path)),
            Self::Postgres(database) => postgres::is_made(database),
        }
    }

    /// Whether the name is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.file().is_some_and(|path| path.as_os_str().is_empty())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Postgres(database) => database.fmt(f),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Location {
    fn from(path: P) -> Self {
        let path = path.into();
        match path.to_str() {
            Some(url) if Self::URL_SCHEMES.iter().any(|scheme| url.starts_with(scheme)) => {
                Self::Postgres(Database { url: url.to_owned() })
            }
            _ => Self::File(path),
        }
    }
}

impl From<&Self> for Location {
    fn from(location: &Self) -> Self {
        location.clone()
    }
}

impl<'de> Deserialize<'de> for Location {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PathBuf::deserialize(deserializer).map(Self::from)
    }
}

impl Database {
    /// The connection's settings, and the certificates trusted then (`sslrootcert`, as other clients call it), if it is encrypted. A
    /// password missing from the name is taken from the environment (`PGPASSWORD`).
    pub(super) fn config(&self) -> Result<(Config, Option<PathBuf>), StoreError> {
        let wrong = |error: tokio_postgres::Error| {
            let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            StoreError::Io(format!("{self}: {cause}; expected postgres://USER@HOST:PORT/DATABASE"))
        };
        let (url, roots) = self.parts();
        let mut config = Config::from_str(&url).map_err(wrong)?;
        if config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            config.password(password.as_encoded_bytes());
        }
        Ok((config, roots))
    }

    /// The name without `sslrootcert`, and that.
    fn parts(&self) -> (String, Option<PathBuf>) {
        let Some((place, query)) = self.url.split_once('?') else { return (self.url.clone(), None) };
        let root = |pair: &str| pair.strip_prefix("sslrootcert=").map(PathBuf::from);
        let rest: Vec<&str> = query.split('&').filter(|pair| root(pair).is_none()).collect();
        (format!("{place}?{}", rest.join("&")), query.split('&').find_map(root))
    }
}

/// The default port of PostgreSQL; the parser of names may fill it in.
const DEFAULT_PORT: u16 = 5432;

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_placed = |config: &Config| config.get_hosts().iter().any(|host| *host != Host::Tcp(String::new()));
        let parsed = Config::from_str(&self.parts().0).ok().filter(is_placed);
        // A name that cannot be parsed may have its password anywhere.
        let Some(config) = parsed else { return f.write_str("postgres://...") };
        f.write_str("postgres://")?;
        if let Some(user) = config.get_user() {
            write!(f, "{user}@")?;
        }
        for (at, host) in config.get_hosts().iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            match host {
                Host::Tcp(name) => write!(f, "{comma}{name}")?,
                #[cfg(unix)]
                Host::Unix(folder) => write!(f, "{comma}{}", folder.display())?,
            }
            let port = config.get_ports().get(at).or(config.get_ports().first());
            if let Some(port) = port.filter(|port| **port != DEFAULT_PORT) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", config.get_dbname().unwrap_or_default())
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_are_shown_without_their_password() {
        let shown = |text: &str| Location::from(text).to_string();
        assert_eq!(shown("postgres://me:secret@db.example:5433/duels"), "postgres://me@db.example:5433/duels");
        assert_eq!(shown("postgresql://db.example/duels?user=me&password=secret"), "postgres://me@db.example/duels");
        assert_eq!(shown("postgres://:bad:secret@"), "postgres://...");
        assert_eq!(shown("postgres://me@h/d?sslmode=require&sslrootcert=/etc/ca.pem"), "postgres://me@h/d");
        assert!(!format!("{:?}", Location::from("postgres://me:secret@h/d")).contains("secret"));
        assert_eq!(Location::from("store.db"), Location::File("store.db".into()));
        assert_eq!(Location::from("./postgres://x").file(), Some(Path::new("./postgres://x")));
    }
}
