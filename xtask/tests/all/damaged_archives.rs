//! Archives whose damage only their checksums show, and archives that are large only when unpacked.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::archives::{register, rows, tar_gz, zip_of};
use fetch::archive::{self, ArchiveKind, Limits};
use flate2::Compression;
use flate2::write::GzEncoder;

const NAME: &str = "ltrc/set1.train.txt";

/// Changes the byte at `at` from the end.
fn damage(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() - at;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn cut(path: &Path, bytes: usize) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() - bytes as u64).unwrap();
}

/// The place in a zip where the content of its only file starts: after the local header.
fn zip_content(path: &Path) -> usize {
    let bytes = fs::read(path).unwrap();
    let field = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    30 + field(26) + field(28)
}

/// `--accept` accepts other content than expected, not damage.
#[test]
fn damage_that_only_a_checksum_shows_is_refused() {
    type Make = Box<dyn Fn(&Path)>;
    let text = || rows(5, 50, 1, 1..=5);
    let tgz = move |path: &Path| tar_gz(path, &[(NAME, text())]);
    let zip = move |path: &Path| zip_of(path, &[(NAME, text())]);
    let gz = move |path: &Path| {
        let mut file = GzEncoder::new(File::create(path).unwrap(), Compression::fast());
        file.write_all(text().as_bytes()).unwrap();
        file.finish().unwrap();
    };
    let tar = move |path: &Path| {
        let mut archive = tar::Builder::new(File::create(path).unwrap());
        let mut header = tar::Header::new_ustar();
        header.set_size(text().len() as u64);
        archive.append_data(&mut header, NAME, text().as_bytes()).unwrap();
        archive.finish().unwrap();
    };
    let cases: Vec<(&str, Make, Make, &str)> = vec![
        // gzip ends in a checksum of four bytes and a length of four.
        ("checksum.tgz", Box::new(tgz), Box::new(|path| damage(path, 8)), "it is damaged"),
        ("length.tgz", Box::new(tgz), Box::new(|path| damage(path, 4)), "it is damaged"),
        ("cut.tgz", Box::new(tgz), Box::new(|path| cut(path, 5)), "it is damaged"),
        ("no-end-mark.tar", Box::new(tar), Box::new(|path| cut(path, 1024)), "before the end mark of tar"),
        ("set1.train.txt.gz", Box::new(gz), Box::new(|path| damage(path, 8)), "damaged"),
        ("cut/set1.train.txt.gz", Box::new(gz), Box::new(|path| cut(path, 5)), "damaged"),
        (
            "checksum.zip",
            Box::new(zip),
            Box::new(|path| {
                // Both copies of the checksum, so that they agree with each other but not with the content.
                let mut bytes = fs::read(path).unwrap();
                let sum = bytes[14..18].to_vec();
                let places: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..at + 4] == sum).collect();
                assert_eq!(places.len(), 2);
                places.into_iter().for_each(|at| bytes[at] ^= 1);
                fs::write(path, bytes).unwrap();
            }),
            "it is damaged",
        ),
        (
            "content.zip",
            Box::new(zip),
            Box::new(|path| {
                let len = fs::metadata(path).unwrap().len() as usize;
                damage(path, len - zip_content(path) - 40);
            }),
            "it is damaged",
        ),
    ];
    for (name, make, harm, part) in cases {
        let (root, from) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = from.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        let (code, out, err) = register("ylr1", &path, root.path(), &["--accept"]);
        assert_eq!(code, 0, "{name} is sound: {out}{err}");
        fs::remove_dir_all(root.path().join("ylr1")).unwrap();
        harm(&path);
        let (code, out, err) = register("ylr1", &path, root.path(), &["--accept"]);
        assert_eq!(code, 1, "{name}: {out}");
        assert!(err.contains(part), "{name}: {err}");
        assert_eq!(err.trim_end().lines().count(), 1, "{name}: {err}");
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0, "{name}");
    }
}

/// Headers of tar that its readers keep in memory: long names and attributes.
#[test]
fn long_headers_do_not_fill_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, what) in [
        (tar::EntryType::GNULongName, "a long name"),
        (tar::EntryType::GNULongLink, "a long link"),
        (tar::EntryType::XHeader, "attributes"),
        (tar::EntryType::XGlobalHeader, "attributes of all"),
        (tar::EntryType::Directory, "a folder with content"),
    ] {
        let path = folder.path().join("long.tgz");
        let mut archive = tar::Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(48 << 20);
        header.set_path("x").unwrap();
        header.set_cksum();
        archive.append(&header, std::io::Read::take(std::io::repeat(b'x'), 48 << 20)).unwrap();
        let mut file = tar::Header::new_gnu();
        file.set_size(0);
        archive.append_data(&mut file, NAME, &b""[..]).unwrap();
        archive.into_inner().unwrap().finish().unwrap();
        assert_eq!(archive::archive_kind(&path).unwrap(), ArchiveKind::Tar);
        let error = format!("{:#}", archive::list(&path, ArchiveKind::Tar, Limits::default()).unwrap_err());
        assert!(
            error.contains("a header in it has more than 1 MiB") && error.ends_with(": refused"),
            "{what}: {error}"
        );
    }
}

/// What comes after tar's end mark counts too.
#[test]
fn an_endless_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("end.tgz");
    tar_gz(&path, &[(NAME, rows(5, 50, 1, 1..=5))]);
    let mut more = GzEncoder::new(File::options().append(true).open(&path).unwrap(), Compression::fast());
    more.write_all(&vec![0; 4 << 20]).unwrap();
    more.finish().unwrap();
    archive::list(&path, ArchiveKind::Tar, Limits::default()).unwrap();
    let limits = Limits { ratio: 1, bytes: 1 << 20, entries: 50 };
    let error = format!("{:#}", archive::list(&path, ArchiveKind::Tar, limits).unwrap_err());
    assert!(error.contains("unpacks to more than 1 MB"), "{error}");
}

/// Where no checksum is published, that of the first archive is recorded, and the next one is compared with it.
#[test]
fn the_first_checksum_is_recorded_and_compared() {
    let (root, from) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let archive = from.path().join("ltrc_yahoo.tgz");
    let record = root.path().join("ylr1/source.sha256");
    tar_gz(&archive, &[(NAME, rows(5, 50, 1, 1..=5))]);
    let (code, out, err) = register("ylr1", &archive, root.path(), &["--accept"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("recorded, because none is published"), "{out}");
    let first = fs::read_to_string(&record).unwrap();
    assert!(first.ends_with("  ltrc_yahoo.tgz\n") && first.len() == 64 + 2 + 15, "{first}");
    assert!(register("ylr1", &archive, root.path(), &["--accept"]).1.contains("is the one registered before"));

    tar_gz(&archive, &[(NAME, rows(5, 51, 1, 1..=5))]);
    let (code, _, err) = register("ylr1", &archive, root.path(), &[]);
    assert_eq!(code, 1);
    assert!(err.contains("that of the one registered before"), "{err}");
    assert_eq!(fs::read_to_string(&record).unwrap(), first);
    assert_eq!(register("ylr1", &archive, root.path(), &["--accept"]).0, 0);
    let second = fs::read_to_string(&record).unwrap();
    assert_ne!(second, first);

    // Registered again from a folder, it keeps the record.
    fs::write(from.path().join("set1.train.txt"), rows(5, 50, 1, 1..=5)).unwrap();
    assert_eq!(register("ylr1", from.path(), root.path(), &["--accept"]).0, 0);
    assert_eq!(fs::read_to_string(&record).unwrap(), second);
}

/// The property of the fuzz target `archive` for its seeds and damaged copies of them.
#[test]
fn damaged_copies_are_read_or_refused() {
    use rand::{RngExt, SeedableRng};
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/archive");
    let place = tempfile::tempdir().unwrap();
    let (file, out) = (place.path().join("archive"), place.path().join("out"));
    let limits = Limits { ratio: 2, bytes: 1 << 20, entries: 50 };
    let unpack = |bytes: &[u8]| -> Option<usize> {
        fs::write(&file, bytes).unwrap();
        let kind = archive::archive_kind(&file).ok().filter(|kind| *kind != ArchiveKind::Plain)?;
        let names = archive::list(&file, kind, limits).ok()?;
        fs::create_dir(&out).unwrap();
        let unpacked = archive::unpack(&file, kind, &names, &out, limits);
        fs::remove_dir_all(&out).unwrap();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing lies outside of the folder");
        unpacked.ok().map(|()| names.len())
    };
    let mut generator = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    for seed in fs::read_dir(folder).unwrap() {
        let seed = fs::read(seed.unwrap().path()).unwrap();
        assert!(unpack(&seed).is_some_and(|files| files > 0));
        for _ in 0..300 {
            let mut damaged = seed.clone();
            for _ in 0..generator.random_range(1..4) {
                let at = generator.random_range(0..damaged.len());
                match generator.random_range(0..3) {
                    0 => damaged[at] = generator.random(),
                    1 => damaged.truncate(at + 1),
                    _ => damaged.insert(at, generator.random()),
                }
            }
            unpack(&damaged);
        }
    }
}
