//! Tar archives, plain or in gzip.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, ensure};
use flate2::read::MultiGzDecoder;
use tar::{Archive, EntryType};

use super::{Budget, Guard, RefusedArchive, refuse_kind, unreadable_archive};

const BLOCK_BYTES: usize = 512;

/// The most bytes between two files: headers with long names and attributes, which `tar` keeps in memory.
const HEADERS: u64 = 1 << 20;

/// The content of the archive at `path`, and whether it is in gzip.
fn open(path: &Path) -> io::Result<(Box<dyn Read>, bool)> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    (&mut file).take(2).read_to_end(&mut start)?;
    file.seek(SeekFrom::Start(0))?;
    let file = BufReader::with_capacity(1 << 18, file);
    let packed = start == [0x1f, 0x8b];
    Ok((if packed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) }, packed))
}

/// Whether the file at `path`, unpacked if it is gzip, starts with a block that has the checksum of a tar archive's header.
pub(super) fn is_tar(path: &Path) -> io::Result<bool> {
    let mut block = Vec::new();
    // Damaged gzip is reported when the file is read.
    let _ = open(path)?.0.take(BLOCK_BYTES as u64).read_to_end(&mut block);
    let field = 148..156;
    let Some(digits) = block.get(field.clone()).filter(|_| block.len() == BLOCK_BYTES) else {
        return Ok(false);
    };
    let digits = String::from_utf8_lossy(digits);
    let stored = u32::from_str_radix(digits.trim_matches([' ', '\0']), 8);
    let sum = block.iter().enumerate().map(|(at, &byte)| if field.contains(&at) { 32 } else { u32::from(byte) }).sum();
    Ok(stored == Ok(sum))
}

/// Calls `take` with each plain file of the archive; reads all of it, to the end of its gzip.
pub(super) fn each_file(
    path: &Path,
    guard: &mut Guard,
    mut take: impl FnMut(&Path, &mut dyn Read) -> Result<()>,
) -> Result<()> {
    let (stream, packed) = open(path)?;
    let meter = Meter::new(Rc::clone(&guard.budget));
    let mut archive = Archive::new(MeteredReader { inner: stream, meter: &meter });
    for entry in archive.entries().map_err(unreadable_archive)? {
        guard.count()?;
        let mut entry = entry.map_err(unreadable_archive)?;
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
        meter.headers_left.set(u64::MAX);
        take(&name, &mut entry)?;
        // Skips the rest.
        io::copy(&mut entry, &mut io::sink()).map_err(unreadable_archive)?;
        meter.headers_left.set(HEADERS);
    }
    // The checksum and the length of gzip come after the end of tar: without them, damage would go unnoticed.
    meter.headers_left.set(u64::MAX);
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(unreadable_archive)?;
    // Without gzip, the blocks of zeros at the end show at least that it was not cut off.
    ensure!(packed || meter.zeros.get() >= BLOCK_BYTES, "it is damaged: it ends before the end mark of tar");
    Ok(())
}

/// The amount read of an archive's content.
struct Meter {
    budget: Rc<Budget>,
    /// Bytes that may be read before the next file begins.
    headers_left: Cell<u64>,
    /// The number of zeros since the last byte that is none.
    zeros: Cell<usize>,
}

impl Meter {
    fn new(budget: Rc<Budget>) -> Self {
        Self { budget, headers_left: Cell::new(HEADERS), zeros: Cell::new(0) }
    }
}

/// Counts the bytes read: below `tar`, so that headers and skipped files count too.
struct MeteredReader<'a, R> {
    inner: R,
    meter: &'a Meter,
}

impl<R: Read> Read for MeteredReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let Meter { budget, headers_left, zeros } = self.meter;
        budget.spend(read as u64)?;
        let left = headers_left.get().checked_sub(read as u64);
        headers_left.set(left.ok_or_else(|| {
            let message = format!("a header in it has more than {} MiB, which no archive of data has", HEADERS >> 20);
            io::Error::other(RefusedArchive(message))
        })?);
        let ending = buffer[..read].iter().rev().take_while(|&&byte| byte == 0).count();
        zeros.set(if ending == read { zeros.get() + read } else { ending });
        Ok(read)
    }
}
