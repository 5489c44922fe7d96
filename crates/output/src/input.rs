//! Files that users name.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of the file or pipe at `path`, at most `most`.
///
/// # Errors
/// If it cannot be read, is something else, such as a device, which may never end, or has more bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() && !is_pipe(&metadata) {
        let what = if metadata.is_dir() { "a folder" } else { "a device or socket" };
        return Err(io::Error::other(format!("it is {what}, expected a file")));
    }
    let too_large = || io::Error::other(format!("it has more than {most} bytes, the most that is read"));
    if metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// The text of the file or pipe at `path`, at most `most` bytes.
///
/// # Errors
/// As for [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| io::Error::other("it is not text in UTF-8"))
}

#[cfg(unix)]
fn is_pipe(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "text");
        assert!(read(&path, 3).unwrap_err().to_string().contains("more than 3 bytes"));
        assert_eq!(read(&folder.path().join("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(read(folder.path(), 3).unwrap_err().to_string().contains("a folder"));
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 4).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_read_and_devices_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&path, "text").unwrap());
            assert_eq!(read_text(&path, 4).unwrap(), "text");
        });
        for device in ["/dev/zero", "/dev/null", "/dev/tty"] {
            let error = read(Path::new(device), 4).unwrap_err().to_string();
            assert!(error.contains("it is a device or socket, expected a file"), "{device}: {error}");
        }
    }
}
