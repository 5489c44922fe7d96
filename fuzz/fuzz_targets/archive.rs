//! Archives of data sets, as they are and in a sound gzip: no panic, nothing outside of the folder, no more than the limits.
#![no_main]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fetch::archive::{self, ArchiveKind, Limits};
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits { ratio: 2, bytes: 1 << 20, entries: 50 };

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().expect("a folder").keep());

fuzz_target!(|bytes: &[u8]| {
    unpack(bytes);
    let mut packed = GzEncoder::new(Vec::new(), Compression::none());
    packed.write_all(bytes).expect("memory takes it");
    unpack(&packed.finish().expect("memory takes it"));
});

fn unpack(bytes: &[u8]) {
    let (file, out) = (FOLDER.join("archive"), FOLDER.join("out"));
    fs::write(&file, bytes).expect("the file is written");
    let Ok(kind) = archive::archive_kind(&file) else { return };
    if kind == ArchiveKind::Plain {
        return;
    }
    let Ok(names) = archive::list(&file, kind, LIMITS) else { return };
    fs::create_dir(&out).expect("a folder");
    let _ = archive::unpack(&file, kind, &names, &out, LIMITS);
    let most = LIMITS.bytes.max(LIMITS.ratio * bytes.len() as u64);
    assert!(size(&out) <= most, "it unpacks to more than the limit");
    fs::remove_dir_all(&out).expect("the folder is removed");
    assert_eq!(fs::read_dir(&*FOLDER).expect("the folder").count(), 1, "a file lies outside of the folder");
}

/// The bytes of all files below `folder`; all of them must be regular files.
fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).expect("the folder") {
        let entry = entry.expect("an entry");
        let metadata = entry.metadata().expect("its metadata");
        assert!(metadata.is_dir() || metadata.is_file(), "{:?} is not a regular file", entry.path());
        bytes += if metadata.is_dir() { size(&entry.path()) } else { metadata.len() };
    }
    bytes
}
