//! A file as a stream of text: plain or gzip, detected by content.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, ErrorKind};
use crate::regular::{self, PIPE, not_a_file};

/// The text of a file.
pub(crate) type Source = Box<dyn Read + Send>;

/// The most bytes that [`read_text`] reads.
const MOST_BYTES: u64 = 1 << 36;

const GZIP: &[u8] = &[0x1f, 0x8b];

/// What to do with an archive, and with a table of columns.
const UNPACK: &str = "unpack it first";
const WRITE_AS_TEXT: &str = "read it in Python (pandas or pyarrow) and write it as text";

/// The first bytes of other kinds of files, their names, and what to do.
const OTHERS: [(&[u8], &str, &str); 12] = [
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"Rar!", "a rar archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"BZh", "bzip2", UNPACK),
    (b"\xfd7zXZ\x00", "xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd", UNPACK),
    (b"\xff\xfe", "UTF-16 text", "convert it to UTF-8 first"),
    (b"\xfe\xff", "UTF-16 text", "convert it to UTF-8 first"),
    (b"PAR1", "Parquet", WRITE_AS_TEXT),
    (b"ARROW1", "an Arrow (Feather) file", WRITE_AS_TEXT),
    (b"FEA1", "a Feather file", WRITE_AS_TEXT),
    (b"\x89HDF", "an HDF5 file", WRITE_AS_TEXT),
];

/// The most bytes of a file from which its kind is known: the head of a zip archive and the name of its first file.
const HEAD: usize = 128;

/// What a file of another kind is, and what to do with it.
fn other_kind(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let (_, what, remedy) = *OTHERS.iter().find(|(magic, ..)| start.starts_with(magic)).or_else(|| {
        // A length in eight bytes, its checksum in four, and a message whose first field holds others.
        const RECORDS: (&[u8], &str, &str) =
            (b"", "a TFRecord file", "read it in Python (tf.data.TFRecordDataset) and write it as text");
        (start.len() > 12 && start[..4] != [0; 4] && start[4..8] == [0; 4] && start[12] == b'\n').then_some(&RECORDS)
    })?;
    let first_name = start.get(30..).unwrap_or_default();
    let is_npz = remedy == UNPACK && what == "a zip archive" && first_name.windows(4).any(|part| part == b".npy");
    Some(if is_npz { ("a NumPy .npz archive", "save one array as .npy, with numpy.save") } else { (what, remedy) })
}

/// Opens `path`, a regular file or a pipe; decompresses it if it starts like gzip.
pub(crate) fn open(path: &Path) -> Result<Source, Error> {
    let failed = |error: &io::Error| Error::io(path, "failed to open", error);
    // Opening a device can wait for ever, and so can reading it.
    let metadata = std::fs::metadata(path).map_err(|error| failed(&error))?;
    if let Some(what) = not_a_file(&metadata).filter(|&what| what != PIPE) {
        let message = format!("is {what}, expected a file: give a file");
        return Err(Error::new(ErrorKind::Io, message).in_file(path));
    }
    let mut file = regular::open_or_pipe(path).map_err(|error| failed(&error))?;
    let mut start = [0; HEAD];
    let (read, error) = read_up_to(&mut file, &mut start);
    if let Some(error) = error {
        return Err(failed(&error));
    }
    if let Some((what, remedy)) = other_kind(&start[..read]) {
        let message = format!("is {what}, expected text or gzip: {remedy}");
        return Err(Error::new(ErrorKind::Format, message).in_file(path).at(1, 1));
    }
    let gzip = start[..read].starts_with(GZIP);
    // A pipe cannot seek, so the bytes read from it are put in front again.
    let file: Source = match file.seek(SeekFrom::Start(0)) {
        Ok(_) => Box::new(file),
        Err(_) => Box::new(io::Cursor::new(start[..read].to_vec()).chain(file)),
    };
    if gzip {
        return Ok(Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file))));
    }
    Ok(file)
}

/// The text of the file at `path`, unpacked, without a byte order mark.
pub(crate) fn read_text(path: &Path) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let failed = |error| {
        let message = format!("failed to read: {error}: the file is damaged or truncated, get it again");
        Error::new(ErrorKind::Format, message).in_file(path)
    };
    open(path)?.take(MOST_BYTES).read_to_end(&mut text).map_err(failed)?;
    if text.starts_with(b"\xef\xbb\xbf") {
        text.drain(..3);
    }
    Ok(text)
}

/// Fills `buffer` until the end of the text or an error; returns the number of bytes read, and the error.
pub(crate) fn read_up_to(source: &mut impl Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}
