//! `cargo xtask fetch-datasets NAME --from ARCHIVE`, for archives in the layouts of the published ones and for
//! malicious ones.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use fetch::archive::{self, ArchiveKind, Limits};
use flate2::Compression;
use flate2::write::GzEncoder;
use letor_io::{OpenOptions, Split, open};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Registers `from` as `name`; returns exit code, standard output and standard error.
pub(crate) fn register(name: &str, from: &Path, root: &Path, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("xtask").unwrap();
    command.args(["fetch-datasets", name, "--from"]).arg(from).args(more).env("RANKDUEL_DATA_DIR", root);
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn is_registered(name: &str, from: &Path, root: &Path) -> String {
    let (code, out, err) = register(name, from, root, &[]);
    assert_eq!((code, &err[..]), (0, ""), "{out}");
    let left: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [name], "nothing else is left behind");
    out
}

/// Text of `documents` rows in `queries` queries, whose first rows have a feature of `features` each.
pub(crate) fn rows(
    queries: usize,
    documents: usize,
    first_query: usize,
    features: impl Iterator<Item = usize>,
) -> String {
    let mut features = features.peekable();
    let mut text = String::new();
    for document in 0..documents {
        let query = first_query + document * queries / documents;
        let feature = features.next().unwrap_or(1);
        text += &format!("{} qid:{query} {feature}:0.5\n", document % 3);
    }
    text
}

pub(crate) fn tar_gz(path: &Path, files: &[(&str, String)]) {
    let mut archive = tar::Builder::new(GzEncoder::new(File::create(path).unwrap(), Compression::fast()));
    for (name, text) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
}

pub(crate) fn zip_of(path: &Path, files: &[(&str, String)]) {
    let mut archive = ZipWriter::new(File::create(path).unwrap());
    for (name, text) in files {
        if name.ends_with('/') {
            archive.add_directory(*name, SimpleFileOptions::default()).unwrap();
            continue;
        }
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

struct Places {
    root: tempfile::TempDir,
    from: tempfile::TempDir,
}

impl Places {
    fn new() -> Self {
        Self { root: tempfile::tempdir().unwrap(), from: tempfile::tempdir().unwrap() }
    }

    fn from(&self, name: &str) -> PathBuf {
        self.from.path().join(name)
    }

    fn open(&self, name: &str, split: Option<Split>) -> letor_io::Dataset {
        let options = OpenOptions { root: Some(self.root.path().into()), split, ..OpenOptions::default() };
        open(&[name], &options).unwrap()
    }
}

#[test]
fn yahoo_in_its_layout() {
    let places = Places::new();
    let archive = places.from("ltrc_yahoo.tgz");
    // Features 1 to 519 occur in the training file, the rest never.
    let files = |last: usize| {
        [
            ("ltrc_yahoo/README.txt", "Learning to Rank Challenge".to_string()),
            ("ltrc_yahoo/set1.train.txt", rows(19_944, 473_134, 1, 1..=last)),
            ("ltrc_yahoo/set1.valid.txt", rows(2_994, 71_083, 20_001, 1..=2)),
            ("ltrc_yahoo/set1.test.txt", rows(6_983, 165_660, 30_001, 1..=2)),
            ("ltrc_yahoo/set2.train.txt", rows(3, 10, 1, 1..=2)),
        ]
    };
    tar_gz(&archive, &files(519));
    let out = is_registered("ylr1", &archive, places.root.path());
    assert!(out.contains("train: 19944 queries, 473134 documents"), "{out}");
    assert!(out.contains("519 features are not always 0"), "{out}");
    assert!(!places.root.path().join("ylr1/set2.train.txt").exists());
    let dataset = places.open("ylr1", None);
    assert_eq!((dataset.queries(), dataset.documents(), dataset.features()), (19_944, 473_134, 700));
    assert_eq!(places.open("ylr1", Some(Split::Test)).queries(), 6_983);

    // Other features, and one document fewer in the validation part.
    let mut other = files(517);
    other[2].1.truncate(other[2].1.len() - 1);
    other[2].1.truncate(other[2].1.rfind('\n').unwrap() + 1);
    tar_gz(&archive, &other);
    let (code, _, err) = register("ylr1", &archive, places.root.path(), &[]);
    assert_eq!(code, 1);
    assert!(err.contains("vali: 71082 documents, expected 71083 (-1)"), "{err}");
    assert!(err.contains("517 features are not always 0, expected 519 (-2)"), "{err}");
    assert!(err.contains("nothing was registered"), "{err}");
    assert_eq!(places.open("ylr1", Some(Split::Vali)).documents(), 71_083, "what was there still is");
    assert_eq!(register("ylr1", &archive, places.root.path(), &["--accept"]).0, 0);
    assert_eq!(places.open("ylr1", Some(Split::Vali)).documents(), 71_082);
}

#[test]
fn mslr_as_a_zip_of_five_folds() {
    let places = Places::new();
    let archive = places.from("web10k.zip");
    let parts = [("train", 6_000, 723_412, 1), ("vali", 2_000, 235_259, 6_001), ("test", 2_000, 241_521, 8_001)];
    let mut files = vec![("MSLR-WEB10K/Fold1/", String::new())];
    let names: Vec<(String, String)> = (1..=5)
        .flat_map(|fold| {
            parts.map(|(part, queries, documents, first)| {
                // The other folds repeat the queries; a few rows stand for them.
                let text = if fold == 1 { rows(queries, documents, first, 1..=136) } else { rows(2, 5, 1, 1..=2) };
                (format!("MSLR-WEB10K/Fold{fold}/{part}.txt"), text)
            })
        })
        .collect();
    files.extend(names.iter().map(|(name, text)| (&name[..], text.clone())));
    zip_of(&archive, &files);
    let out = is_registered("mslr-web10k", &archive, places.root.path());
    assert!(out.contains("unpacking 3 of 15 files"), "{out}");
    assert!(!places.root.path().join("mslr-web10k/Fold2").exists());
    let dataset = places.open("mslr-web10k", None);
    assert_eq!((dataset.queries(), dataset.documents(), dataset.features()), (10_000, 1_200_192, 136));

    // An archive with the name of the published one must be the published one.
    let published = places.from("MSLR-WEB10K.zip");
    fs::rename(&archive, &published).unwrap();
    let (code, _, err) = register("mslr-web10k", &published, places.root.path(), &[]);
    assert_eq!(code, 1);
    assert!(err.contains("bytes, expected 1234144912"), "{err}");
}

#[test]
fn yandex_as_a_file_plain_and_packed() {
    let mut text = String::new();
    for document in 0..97_290_usize {
        let query = document * 9_124 / 97_290;
        text += &format!("{} {}:0.5 245:1 # {query}\n", ["0", "1.5", "4"][document % 3], document % 244 + 1);
    }
    let places = Places::new();
    let plain = places.from("imat2009_learning.txt");
    fs::write(&plain, &text).unwrap();
    let out = is_registered("yandex", &plain, places.root.path());
    assert!(out.contains("train: 9124 queries, 97290 documents, 245 features"), "{out}");
    let first = places.open("yandex", None);

    let packed = places.from("imat2009_learning.txt.gz");
    let mut gzip = GzEncoder::new(File::create(&packed).unwrap(), Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap();
    is_registered("yandex", &packed, places.root.path());
    assert!(places.open("yandex", None) == first);

    let archive = places.from("imat2009-datasets.tar.gz");
    tar_gz(&archive, &[("imat2009/imat2009_learning.txt", text), ("imat2009/readme.txt", "x".into())]);
    is_registered("yandex", &archive, places.root.path());
    assert!(places.open("yandex", None) == first);
}

#[test]
fn letor_as_a_zip() {
    let places = Places::new();
    let archive = places.from("LETOR.zip");
    let mut files = Vec::new();
    for (part, queries, first) in [("train", 90, 1), ("vali", 30, 91), ("test", 30, 121)] {
        let text = rows(queries, queries * 10, first, 1..=64).replace("\n", " #docid = G1\r\n").replace("\n2 ", "\n1 ");
        let text = text.replacen("2 qid", "1 qid", 1);
        files.push((format!("Gov/QueryLevelNorm/2003_np_dataset/Fold1/{part}.txt"), text));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (&name[..], text.clone())).collect();
    zip_of(&archive, &files);
    let out = is_registered("np2003", &archive, places.root.path());
    assert!(out.contains("train: 90 queries, 900 documents, 64 features, labels up to 1"), "{out}");
}

#[test]
fn a_published_matrix() {
    let places = Places::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let data = letor_io::environment::TEST_DATA.value().unwrap_or_else(|| data.into());
    let published = Path::new(&data).join("prefmat-mslr/MSLR-Perfect.txt");
    if published.exists() {
        let out = is_registered("prefmat-mslr-perfect", &published, places.root.path());
        assert!(out.contains("MSLR-Perfect.txt is the one published"), "{out}");
    } else {
        eprintln!("skipped: {} is not here", published.display());
    }
    let other = places.from("MSLR-Perfect.txt");
    fs::write(&other, "0.5 0.75\n0.25 0.5\n").unwrap();
    let (code, _, err) = register("prefmat-mslr-perfect", &other, places.root.path(), &[]);
    assert_eq!(code, 1);
    assert!(err.contains("it has 18 bytes, expected 462400") && err.contains("2 arms, expected 136"), "{err}");
    fs::write(&other, "no matrix").unwrap();
    assert!(register("prefmat-mslr-perfect", &other, places.root.path(), &["--accept"]).2.contains("not a preference"));
}

/// A malicious archive is refused entirely: nothing is written, neither inside the folder nor outside.
#[test]
fn bad_archives_are_refused() {
    let row = "0 qid:1 1:1\n".to_string();
    let good = ("ltrc/set1.train.txt", row.clone());
    let zip_with = |path: &Path, extra: &dyn Fn(&mut ZipWriter<File>)| {
        let mut archive = ZipWriter::new(File::create(path).unwrap());
        archive.start_file(good.0, SimpleFileOptions::default()).unwrap();
        archive.write_all(row.as_bytes()).unwrap();
        extra(&mut archive);
        archive.finish().unwrap();
    };
    let file_called = |name: &'static str| {
        move |archive: &mut ZipWriter<File>| {
            archive.start_file(name, SimpleFileOptions::default()).unwrap();
            archive.write_all(b"0 qid:1 1:1\n").unwrap();
        }
    };
    let tar_with = |path: &Path, name: &[u8], kind: tar::EntryType| {
        let mut archive = tar::Builder::new(GzEncoder::new(File::create(path).unwrap(), Compression::fast()));
        for (name, kind) in [(good.0.as_bytes(), tar::EntryType::Regular), (name, kind)] {
            let mut header = tar::Header::new_ustar();
            // Written directly, without the checks of the builder.
            header.as_old_mut().name[..name.len()].copy_from_slice(name);
            header.set_entry_type(kind);
            header.set_mode(0o644);
            let data = if kind == tar::EntryType::Regular { row.as_bytes() } else { b"" };
            header.as_old_mut().linkname[..11].copy_from_slice(b"/etc/passwd");
            header.set_size(data.len() as u64);
            header.set_cksum();
            archive.append(&header, data).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();
    };
    let link = |archive: &mut ZipWriter<File>| {
        archive.add_symlink("ltrc/set1.test.txt", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    };
    type Make<'a> = Box<dyn Fn(&Path) + 'a>;
    let cases: Vec<(&str, &str, Make<'_>)> = vec![
        ("up.zip", "leads out of the folder", Box::new(|path| zip_with(path, &file_called("../evil.txt")))),
        ("deep.zip", "leads out of the folder", Box::new(|path| zip_with(path, &file_called("a/../../evil.txt")))),
        ("root.zip", "leads out of the folder", Box::new(|path| zip_with(path, &file_called("/tmp/evil.txt")))),
        ("drive.zip", "leads out of the folder", Box::new(|path| zip_with(path, &file_called("C:evil.txt")))),
        ("slash.zip", "leads out of the folder", Box::new(|path| zip_with(path, &file_called("..\\evil.txt")))),
        ("link.zip", "a symbolic link", Box::new(|path| zip_with(path, &link))),
        ("up.tgz", "leads out of the folder", Box::new(|path| tar_with(path, b"../evil.txt", tar::EntryType::Regular))),
        ("root.tgz", "leads out of the folder", Box::new(|path| tar_with(path, b"/evil.txt", tar::EntryType::Regular))),
        ("link.tgz", "a symbolic link", Box::new(|path| tar_with(path, b"x.txt", tar::EntryType::Symlink))),
        ("hard.tgz", "a link", Box::new(|path| tar_with(path, b"x.txt", tar::EntryType::Link))),
        ("device.tgz", "not a regular file", Box::new(|path| tar_with(path, b"x.txt", tar::EntryType::Char))),
        ("twice.tgz", "twice", Box::new(|path| tar_with(path, good.0.as_bytes(), tar::EntryType::Regular))),
        (
            "cut.zip",
            "damaged",
            Box::new(|path| {
                zip_with(path, &|_| {});
                let bytes = fs::read(path).unwrap();
                fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            }),
        ),
        (
            "cut.tgz",
            "damaged",
            Box::new(|path| {
                tar_gz(path, &[("ltrc/set1.train.txt", rows(100, 20_000, 1, 1..=700))]);
                let bytes = fs::read(path).unwrap();
                fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
            }),
        ),
        ("data.rar", "unrar x FILE", Box::new(|path| fs::write(path, b"Rar!\x1a\x07\x00 and so on").unwrap())),
        ("data.7z", "7z x FILE", Box::new(|path| fs::write(path, b"7z\xbc\xaf\x27\x1c and so on").unwrap())),
        ("data.tar.bz2", "tar -xjf FILE", Box::new(|path| fs::write(path, b"BZh91AY&SY").unwrap())),
        ("other.zip", "none of the files of ylr1", Box::new(|path| zip_of(path, &[("a/b.txt", row.clone())]))),
    ];
    for (name, part, make) in cases {
        let places = Places::new();
        let root = places.root.path().join("data");
        fs::create_dir(&root).unwrap();
        make(&places.from(name));
        let (code, out, err) = register("ylr1", &places.from(name), &root, &["--accept"]);
        assert_eq!(code, 1, "{name}: {out}");
        assert!(err.contains(part), "{name}: {err}");
        assert_eq!(err.trim_end().lines().count(), 1, "{name}: {err}");
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "{name}");
        assert_eq!(fs::read_dir(places.root.path()).unwrap().count(), 1, "{name}");
    }
}

#[test]
fn bombs_are_refused() {
    let places = Places::new();
    let limits = Limits { ratio: 20, bytes: 1 << 20, entries: 50 };
    let zeros = "0".repeat(30 << 20);
    let (zip, tgz, many) = (places.from("bomb.zip"), places.from("bomb.tgz"), places.from("many.zip"));
    zip_of(&zip, &[("set1.train.txt", zeros.clone())]);
    tar_gz(&tgz, &[("set1.train.txt", zeros)]);
    let names: Vec<String> = (0..60).map(|number| format!("{number}.txt")).collect();
    zip_of(&many, &names.iter().map(|name| (&name[..], "0".to_string())).collect::<Vec<_>>());
    for (path, part) in [(&zip, "unpacks to more than"), (&tgz, "unpacks to more than"), (&many, "too many files")] {
        let kind = archive::archive_kind(path).unwrap();
        assert_ne!(kind, ArchiveKind::Plain);
        let error = format!("{:#}", archive::list(path, kind, limits).unwrap_err());
        assert!(error.contains(part), "{error}");
        let wanted = ["set1.train.txt".into()].into();
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", archive::unpack(path, kind, &wanted, folder.path(), limits).unwrap_err());
        assert!(error.contains(part), "{error}");
    }

    // A zip that lies about its size is stopped by the bytes unpacked.
    let mut bytes = fs::read(&zip).unwrap();
    let size = (30_u32 << 20).to_le_bytes();
    for at in 0..bytes.len() - 4 {
        if bytes[at..at + 4] == size {
            bytes[at..at + 4].copy_from_slice(&100_u32.to_le_bytes());
        }
    }
    fs::write(&zip, bytes).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wanted = ["set1.train.txt".into()].into();
    archive::unpack(&zip, ArchiveKind::Zip, &wanted, folder.path(), limits).unwrap_err();
    let written = fs::metadata(folder.path().join("set1.train.txt")).map_or(0, |metadata| metadata.len());
    assert!(written <= 1 << 20, "{written} bytes were written");
}
