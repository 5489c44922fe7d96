//! A file as a stream of text: plain or gzip, detected by content.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, ErrorKind};
use crate::other_format::OtherFormat;
use crate::regular_file::{self, PIPE, not_a_file};

/// The text of a file.
pub(crate) type Source = Box<dyn Read + Send>;

/// The most bytes that [`read_text`] reads.
const MAX_BYTES: u64 = 1 << 36;

const GZIP: &[u8] = &[0x1f, 0x8b];

/// What to do with a file of another format where text is expected.
fn remedy(format: OtherFormat) -> &'static str {
    match format {
        OtherFormat::Zip | OtherFormat::Packed(_) => "unpack it first",
        OtherFormat::Npz => "save one array as .npy, with numpy.save",
        OtherFormat::Utf16 => "convert it to UTF-8 first",
        OtherFormat::TfRecord => "read it in Python (tf.data.TFRecordDataset) and write it as text",
        OtherFormat::JsonSequence => OtherFormat::SEPARATOR_ADVICE,
        OtherFormat::Table(_) => "read it in Python (pandas or pyarrow) and write it as text",
    }
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
    let mut file = regular_file::open_or_pipe(path).map_err(|error| failed(&error))?;
    let mut start = [0; OtherFormat::HEAD];
    let (read, error) = read_up_to(&mut file, &mut start);
    if let Some(error) = error {
        return Err(failed(&error));
    }
    if let Some(format) = OtherFormat::of(&start[..read]) {
        let message = format!("is {format}, expected text or gzip: {}", remedy(format));
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
    open(path)?.take(MAX_BYTES).read_to_end(&mut text).map_err(failed)?;
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
