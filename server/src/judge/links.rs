//! A link for each judge: part of it is a key for this judge only. Keys are derived from a secret beside the session, so that links survive
//! a restart.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::ids;

/// The keys of judges.
#[derive(Debug)]
pub struct Links {
    /// The judge of each key.
    judges: BTreeMap<String, String>,
    /// The judges with their keys, in the order of the flag.
    keys: Vec<(String, String)>,
}

impl Links {
    /// The links of these judges of the session at `path`.
    ///
    /// # Errors
    /// If the secret beside the session cannot be read or made.
    pub fn new(path: &Path, judges: &[String]) -> Result<Self> {
        let secret = secret(path)?;
        let key = |name: &String| {
            let mut mac = Hmac::<Sha256>::new_from_slice(&secret).context("a key of any length is one")?;
            mac.update(name.as_bytes());
            Ok::<_, anyhow::Error>(ids::encode(&mac.finalize().into_bytes()[..16]))
        };
        let keys = judges.iter().map(|name| Ok((name.clone(), key(name)?))).collect::<Result<Vec<_>>>()?;
        Ok(Self { judges: keys.iter().map(|(name, key)| (key.clone(), name.clone())).collect(), keys })
    }

    /// The judge of a key; `None` if there is no such key.
    #[must_use]
    pub fn judge(&self, key: &str) -> Option<&str> {
        self.judges.get(key).map(String::as_str)
    }

    /// The judges with their keys.
    #[must_use]
    pub fn keys(&self) -> &[(String, String)] {
        &self.keys
    }
}

/// The secret of a session, which is made where there is none. Its owner alone can read it.
fn secret(session: &Path) -> Result<[u8; 32]> {
    let mut name = session.file_name().unwrap_or_default().to_owned();
    name.push(".key");
    let path: PathBuf = session.with_file_name(name);
    let expected = || format!("the key of links, {}", path.display());
    match output::input::read_file(&path, 1 << 10) {
        Ok(bytes) => {
            bytes.try_into().map_err(|_| anyhow::anyhow!("{} is damaged; remove it for new links", expected()))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let mut secret = [0_u8; 32];
            getrandom::fill(&mut secret).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&path).with_context(expected)?;
            file.write_all(&secret).and_then(|()| file.sync_all()).with_context(expected)?;
            Ok(secret)
        }
        Err(error) => Err(error).with_context(expected),
    }
}
