//! Opening and reading files that others may have placed: data of users, and everything that lies in folders which processes,
//! users and machines share.
//!
//! A file is a regular file: a pipe, a device, a socket or a folder is refused before it can block, and no more is read than a limit. Only
//! files that users name may be pipes ([`read`], [`read_text`], [`open_or_pipe`]), because shells make them: `<(zcat log.gz)`. Errors do
//! not name the file; callers do.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use crate::machine::memory;

/// No file of results is larger: neither a table, nor a configuration, nor a figure.
pub const MAX_RESULT_BYTES: u64 = 1 << 30;

/// Opens the regular file at `path` for reading.
///
/// # Errors
/// If it cannot be opened, or is something else.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens the regular file at `path` with `options`, which may create it. Never waits for or writes to anything else.
///
/// # Errors
/// If it cannot be opened, or is something else.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        // Opening a device may have effects, so it is looked at first ...
        Ok(metadata) => ensure_regular(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe would wait for its other end.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).map_err(io::Error::other)?);
    }
    let file = options.open(path)?;
    // ... and again, because another may have taken its place.
    ensure_regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens the regular file or the pipe at `path` for reading: for files that users name.
///
/// # Errors
/// If it cannot be opened, or is something else, such as a device, which may never end.
pub fn open_or_pipe(path: &Path) -> io::Result<File> {
    if !is_pipe(&fs::metadata(path)?) {
        return open(path);
    }
    // Waits for a writer.
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if is_pipe(&metadata) { Ok(file) } else { ensure_regular(&metadata).map(|()| file) }
}

/// The bytes of the file or pipe at `path`, at most `max_bytes`: for files that users name.
///
/// # Errors
/// If it cannot be read, is something else, has more bytes, or more than there is memory for.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    bytes_of(&open_or_pipe(path)?, max_bytes)
}

/// The text of the file or pipe at `path`, at most `max_bytes` bytes: for files that users name.
///
/// # Errors
/// As for [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    text_of(read(path, max_bytes)?)
}

/// The bytes of the regular file at `path`, at most `max_bytes`.
///
/// # Errors
/// As for [`read`], and if it is a pipe.
pub fn read_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    bytes_of(&open(path)?, max_bytes)
}

/// The text of the regular file at `path`, at most `max_bytes` bytes.
///
/// # Errors
/// As for [`read_file`], and if it is not UTF-8.
pub fn read_file_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    text_of(read_file(path, max_bytes)?)
}

/// The bytes of `file` from where it stands, at most `max_bytes`. Memory is taken once: growing doubles the peak.
///
/// # Errors
/// If it cannot be read, has more bytes, or more than there is memory for.
pub fn bytes_of(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it has more than {max_bytes} bytes, the most that is read"));
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    if length > max_bytes {
        return Err(too_large());
    }
    let mut bytes = buffer_for(length)?;
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// No bytes, with room for `length` and the look for an end behind them.
///
/// # Errors
/// If there is no memory for them.
pub fn buffer_for(length: u64) -> io::Result<Vec<u8>> {
    let (subject, remedy) = (|| format!("its {length} bytes"), || "free some, or give a smaller file".to_owned());
    memory::ensure_room(length, subject, remedy).map_err(|error| io::Error::other(error.to_string()))?;
    let mut bytes = Vec::new();
    let capacity = usize::try_from(length).ok().and_then(|length| length.checked_add(1));
    let reserved = capacity.is_some_and(|capacity| bytes.try_reserve_exact(capacity).is_ok());
    if reserved { Ok(bytes) } else { Err(io::Error::other(format!("there is no memory for its {length} bytes"))) }
}

/// Unpacks `compressed` into `writer`: as many bytes as are `declared`, which must not exceed `max_bytes`.
///
/// # Errors
/// If it cannot be unpacked, has another size, or cannot be written.
pub fn unpack(compressed: impl Read, writer: &mut impl Write, declared: u64, max_bytes: u64) -> io::Result<()> {
    let wrong = |what: &str| {
        let message = format!("it declares {declared} bytes unpacked, and {what}");
        Err(io::Error::new(io::ErrorKind::InvalidData, message))
    };
    if declared > max_bytes {
        return wrong(&format!("{max_bytes} is the most that is read"));
    }
    let mut compressed = compressed;
    let length = io::copy(&mut compressed.by_ref().take(declared), writer)?;
    // Also reads the checksum behind the end, where there is one.
    match compressed.read(&mut [0])? {
        0 if length < declared => wrong(&format!("has {length}")),
        0 => Ok(()),
        _ => wrong("has more"),
    }
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not text in UTF-8"))
}

/// Refuses anything but a regular file.
fn ensure_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = match () {
        () if metadata.is_dir() => "a folder",
        () if is_pipe(metadata) => "a pipe",
        () => "a device or socket",
    };
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, expected a file")))
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use flate2::read::DeflateDecoder;

    use super::*;

    #[test]
    fn files_are_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "text").unwrap();
        assert_eq!((read_text(&path, 4).unwrap(), read_file_text(&path, 4).unwrap()), ("text".into(), "text".into()));
        for read in [read, read_file] {
            assert!(read(&path, 3).unwrap_err().to_string().contains("more than 3 bytes"));
            assert_eq!(read(&folder.path().join("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
            assert!(read(folder.path(), 3).unwrap_err().to_string().contains("a folder"));
        }
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 4).is_err());
    }

    #[test]
    fn a_file_that_claims_more_than_memory_holds_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        // Not every file system has files of this size.
        if File::create(&path).unwrap().set_len(1 << 42).is_ok() {
            let error = read_file(&path, u64::MAX).unwrap_err().to_string();
            assert!(error.contains("memory"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_read_where_users_name_them_and_devices_never() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        // The pipe has no writer: a reader would wait for ever.
        let (send, receive) = std::sync::mpsc::channel();
        let there = path.clone();
        std::thread::spawn(move || {
            let mut append = OpenOptions::new();
            append.create(true).append(true);
            let errors = [open(&there), open_with(&mut append, &there)].map(|opened| opened.unwrap_err().to_string());
            send.send((errors, read_file(&there, 4).unwrap_err().to_string())).unwrap();
        });
        let (errors, read_error) = receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing waits");
        assert_eq!(errors, ["it is a pipe, expected a file"; 2]);
        assert_eq!(read_error, errors[0]);
        std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&path, "text").unwrap());
            assert_eq!(read_text(&path, 4).unwrap(), "text");
        });
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for device in [Path::new("/dev/zero"), Path::new("/dev/null"), Path::new("/dev/tty"), &link] {
            for read in [read, read_file] {
                let error = read(device, 4).unwrap_err().to_string();
                assert!(error.contains("it is a device or socket, expected a file"), "{device:?}: {error}");
            }
        }
    }

    #[test]
    fn what_unpacks_to_another_size_than_declared_is_refused() {
        let packed = {
            let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
            packed.write_all(&vec![b'0'; 1 << 20]).unwrap();
            packed.finish().unwrap()
        };
        let of = |declared, most| {
            let mut bytes = Vec::new();
            let unpacked = unpack(DeflateDecoder::new(&packed[..]), &mut bytes, declared, most);
            unpacked.map(|()| bytes.len()).map_err(|error| error.to_string())
        };
        assert_eq!(of(1 << 20, 1 << 20), Ok(1 << 20));
        assert!(of(1000, 1 << 20).unwrap_err().contains("declares 1000 bytes unpacked, and has more"));
        assert!(of((1 << 20) + 1, 1 << 30).unwrap_err().contains("and has 1048576"));
        assert!(of(1 << 20, 1000).unwrap_err().contains("1000 is the most"));
    }
}
