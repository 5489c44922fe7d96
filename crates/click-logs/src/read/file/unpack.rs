//! Packed files: gzip and zstd, recognised by their first bytes.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use letor_io::OtherFormat;
use output::input;

use crate::error::LogError;

/// The format that the first bytes of a file are of, if it is not a text, and its content, unpacked from gzip or zstd.
///
/// # Errors
/// If it cannot be read, or this build does not unpack it.
pub(super) fn open_unpacked(
    path: &Path,
    mut packed: impl Read + Send + 'static,
) -> Result<(Option<OtherFormat>, Box<dyn Read + Send>), LogError> {
    let mut head = vec![0; OtherFormat::HEAD];
    let length = read_fully(&mut packed, &mut head).map_err(|error| LogError::io(path, "cannot be read", &error))?;
    head.truncate(length);
    let format = OtherFormat::of(&head);
    let is_gzip = head.starts_with(&[0x1f, 0x8b]);
    let content = io::Cursor::new(head).chain(packed);
    let reader: Box<dyn Read + Send> = match format {
        Some(OtherFormat::ZSTD) => unpacked_zstd(path, content)?,
        None if is_gzip => Box::new(MultiGzDecoder::new(content)),
        _ => Box::new(content),
    };
    Ok((format, reader))
}

/// The text of the file at `path`, which may be packed, of at most `max_bytes` unpacked.
///
/// # Errors
/// If it cannot be read, is too long, or not text.
pub(crate) fn unpacked_text(path: &Path, max_bytes: u64) -> Result<String, LogError> {
    let file = input::open_or_pipe(path).map_err(|error| LogError::io(path, "cannot be opened", &error))?;
    let (_, reader) = open_unpacked(path, file)?;
    let mut bytes = Vec::new();
    let read = reader.take(max_bytes + 1).read_to_end(&mut bytes);
    read.map_err(|error| LogError::io(path, "cannot be read", &error))?;
    if bytes.len() as u64 > max_bytes {
        return Err(LogError::new(format!("it has more than {max_bytes} bytes")).in_file(path));
    }
    String::from_utf8(bytes).map_err(|_| LogError::new("it is not text in UTF-8").in_file(path))
}

/// The content of a file compressed by zstd.
#[cfg(feature = "zstd")]
fn unpacked_zstd(path: &Path, packed: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>, LogError> {
    let decoder = zstd::stream::read::Decoder::new(packed);
    Ok(Box::new(decoder.map_err(|error| LogError::io(path, "cannot be read", &error))?))
}

#[cfg(not(feature = "zstd"))]
fn unpacked_zstd(path: &Path, _: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>, LogError> {
    let message = "zstd; this build does not unpack it (those of releases do): build it with `--features zstd`, or pass it through a \
                   pipe: zstd -dc FILE | ... -";
    Err(LogError::new(message).in_file(path))
}

/// Fills `buffer` as far as there is something to read.
fn read_fully(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled_bytes = 0;
    while filled_bytes < buffer.len() {
        match reader.read(&mut buffer[filled_bytes..]) {
            Ok(0) => break,
            Ok(count) => filled_bytes += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled_bytes)
}

/// Counts the bytes read.
pub(super) struct CountingReader {
    pub(super) reader: Box<dyn Read + Send>,
    pub(super) bytes_read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bytes_read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
