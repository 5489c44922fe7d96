//! Tar archives, plain or in gzip.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::{Guard, refuse_kind};

const BLOCK: usize = 512;

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    (&mut file).take(2).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let file = BufReader::with_capacity(1 << 18, file);
    Ok(if start == [0x1f, 0x8b] { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// Whether the file at `path`, unpacked if it is gzip, starts with a block whose checksum is that of a
/// tar archive's header.
pub(super) fn is_tar(path: &Path) -> io::Result<bool> {
    let mut block = Vec::new();
    // Whoever reads the file reports damaged gzip.
    let _ = open(path)?.take(BLOCK as u64).read_to_end(&mut block);
    let field = 148..156;
    let Some(digits) = block.get(field.clone()).filter(|_| block.len() == BLOCK) else {
        return Ok(false);
    };
    let digits = String::from_utf8_lossy(digits);
    let stored = u32::from_str_radix(digits.trim_matches([' ', '\0']), 8);
    let sum = block.iter().enumerate().map(|(at, &byte)| if field.contains(&at) { 32 } else { u32::from(byte) }).sum();
    Ok(stored == Ok(sum))
}

/// Calls `take` with each plain file of the archive, all of which is read.
pub(super) fn each(
    path: &Path,
    guard: &mut Guard,
    mut take: impl FnMut(&Path, &mut dyn Read, &mut Guard) -> Result<()>,
) -> Result<()> {
    let mut archive = Archive::new(open(path)?);
    for entry in archive.entries().context("it is damaged")? {
        guard.count()?;
        let mut entry = entry.context("it is damaged")?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::Directory => {
                guard.folder_name(&name)?;
                continue;
            }
            EntryType::XGlobalHeader => continue,
            EntryType::Symlink => return Err(refuse_kind(&name, "a symbolic link")),
            EntryType::Link => return Err(refuse_kind(&name, "a link")),
            _ => return Err(refuse_kind(&name, "which is not a regular file")),
        }
        let name = guard.name(&name)?;
        take(&name, &mut entry, guard)?;
        // What was not taken is skipped here, so that it counts too.
        let mut rest = Counted { inner: &mut entry, guard };
        io::copy(&mut rest, &mut io::sink()).context("it is damaged or refused")?;
    }
    Ok(())
}

struct Counted<'a, R> {
    inner: R,
    guard: &'a mut Guard,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.guard.spend(read as u64).map_err(io::Error::other)?;
        Ok(read)
    }
}
