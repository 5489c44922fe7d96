//! Downloads that end in a verified file or one clear error.
//!
//! A file is downloaded under a temporary name and renamed once its size and checksum are right. If the connection
//! breaks, the part received is kept, and the next attempt, in this run or a later one, resumes there unless the server
//! reports that the file has changed.

mod http;
mod partial_file;

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fetch::{Download, MirroredFile, Watch, verify};

use self::http::Fault;
use self::partial_file::PartialFile;

/// Retries and timeouts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Failed attempts in a row, each with less progress than a server must make in a `window`, before an address is given up.
    pub attempts: u32,
    /// The pause after the first failed attempt; it doubles with each further one.
    pub pause: Duration,
    /// The time that a server may stay silent.
    pub patience: Duration,
    /// The least bytes per second, on average over `window`.
    pub floor: u64,
    /// The time over which speed is measured.
    pub window: Duration,
    /// The most bytes of a file of unknown size.
    pub most_bytes: u64,
    /// Returns the free bytes in the file system of a folder.
    pub room: fn(&Path) -> std::io::Result<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            attempts: 5,
            pause: Duration::from_secs(1),
            patience: Duration::from_secs(60),
            floor: 4 << 10,
            window: Duration::from_secs(60),
            most_bytes: 64 << 30,
            room: |folder| fs4::available_space(folder),
        }
    }
}

impl Settings {
    /// The bytes that a server has to send in a window of time.
    fn least_gain(&self) -> u64 {
        (self.floor as f64 * self.window.as_secs_f64()) as u64
    }
}

/// The longest pause between two attempts, even if the server asks for a longer one.
const MAX_PAUSE: Duration = Duration::from_secs(60);

impl Download for Settings {
    /// The error is one line with the fault of each address; `folder` then holds no file of that name.
    fn download(&self, wanted: &MirroredFile<'_>, folder: &Path, watch: &mut dyn Watch) -> Result<PathBuf> {
        download(wanted, folder, self, watch)
    }
}

fn download(wanted: &MirroredFile<'_>, folder: &Path, settings: &Settings, watch: &mut dyn Watch) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    let path = folder.join(wanted.file);
    let mut aside = PartialFile::open(folder, wanted.file)?;
    if path.exists() {
        if verify::check(&path, wanted.expected)?.is_none() {
            aside.remove()?;
            return Ok(path);
        }
        std::fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;
    }
    let agent = http::agent(settings.patience);
    let mut faults = Vec::new();
    for address in &wanted.mirrors {
        match from_mirror(&agent, address, wanted, &mut aside, settings, watch) {
            Ok(()) => {
                aside.rename(&path)?;
                return Ok(path);
            }
            Err(Fault::Elsewhere(reason) | Fault::Again { reason, .. }) => faults.push(format!("{address}: {reason}")),
            Err(Fault::Nowhere(error)) => {
                aside.leave()?;
                return Err(error);
            }
        }
    }
    aside.leave()?;
    bail!("failed to download {}: {}", wanted.file, faults.join("; "))
}

/// Requests the file from one address until it arrives as expected or the address is given up.
fn from_mirror(
    agent: &ureq::Agent,
    address: &str,
    wanted: &MirroredFile<'_>,
    aside: &mut PartialFile,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut in_vain = 0;
    loop {
        let resumed = aside.resumable(address) > 0;
        let before = aside.len();
        match http::fetch(agent, address, wanted, aside, settings, watch) {
            Ok(()) => match verify::check(aside.path(), wanted.expected)? {
                None => return Ok(()),
                Some(difference) => {
                    aside.restart()?;
                    if !resumed {
                        return Err(Fault::Elsewhere(difference));
                    }
                    // The first part may come from an older file: download all of it again.
                    watch.note(&format!("{difference}: starting over"));
                }
            },
            Err(Fault::Again { reason, wait }) => {
                let gained = aside.len().saturating_sub(before);
                in_vain = if gained >= settings.least_gain() { 1 } else { in_vain + 1 };
                if in_vain >= settings.attempts {
                    let times = if in_vain == 1 { "once".into() } else { format!("{in_vain} times") };
                    return Err(Fault::Elsewhere(format!("{reason} (tried {times})")));
                }
                watch.note(&format!("{reason}: trying again"));
                let pause = settings.pause.saturating_mul(1 << (in_vain - 1).min(16));
                sleep(wait.unwrap_or(pause).min(MAX_PAUSE));
            }
            Err(fault) => return Err(fault),
        }
    }
}
