//! Opening files that others may have placed. `output::input` of this workspace does the same for its commands; this crate
//! does not depend on what commands write, and needs these lines alone.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens the regular file at `path` for reading. Anything else is refused before opening it could block.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Opening a device may have effects, so it is looked at first ...
    ensure_regular(&std::fs::metadata(path)?)?;
    let mut options = OpenOptions::new();
    options.read(true);
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

/// Opens the regular file or the pipe at `path` for reading; a pipe waits for its writer.
pub(crate) fn open_or_pipe(path: &Path) -> io::Result<File> {
    if not_a_file(&std::fs::metadata(path)?) != Some(PIPE) {
        return open(path);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if not_a_file(&metadata) == Some(PIPE) { Ok(file) } else { ensure_regular(&metadata).map(|()| file) }
}

fn ensure_regular(metadata: &Metadata) -> io::Result<()> {
    match not_a_file(metadata) {
        None => Ok(()),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, expected a file"))),
    }
}

/// The word for a pipe.
pub(crate) const PIPE: &str = "a pipe";

/// The kind of a thing that is not a regular file.
pub(crate) fn not_a_file(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    if metadata.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type()) {
        return Some(PIPE);
    }
    Some("a device or socket")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_devices_keep_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, zero] = ["pipe", "zero"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        let writer = pipe.clone();
        std::thread::spawn(move || {
            let errors = [open(&pipe), open(&zero), open_or_pipe(&zero)].map(|opened| opened.unwrap_err().to_string());
            send.send(errors).unwrap();
        });
        let errors = receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing waits");
        assert_eq!(errors[0], "it is a pipe, expected a file");
        assert_eq!([&errors[1], &errors[2]], ["it is a device or socket, expected a file"; 2]);
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&writer, "text").unwrap());
            assert_eq!(io::read_to_string(open_or_pipe(&writer).unwrap()).unwrap(), "text");
        });
    }
}
