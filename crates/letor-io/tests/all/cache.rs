//! The binary cache: mapped if valid, and never trusted.
#![expect(clippy::disallowed_types, reason = "sets the times of files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use letor_io::{
    Cache, Dataset, OpenOptions, ReadOptions, Statistics, WriteOptions, lookalike, open, read_files, write,
};

/// A folder with a data file old enough for its time to be reliable.
struct Place {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("train.txt");
        let place = Self { folder, file };
        place.fill(1);
        place.age();
        place
    }

    fn fill(&self, seed: u64) {
        let dataset = lookalike::generate("mq2008-lookalike", 0.05, seed).unwrap();
        let mut text = Vec::new();
        write(&dataset, &WriteOptions::default(), &mut text).unwrap();
        assert!(text.len() > 1 << 16, "large enough for a cache");
        fs::write(&self.file, text).unwrap();
    }

    fn age(&self) {
        self.modified(SystemTime::now() - Duration::from_secs(60));
    }

    fn modified(&self, time: SystemTime) {
        fs::File::options().write(true).open(&self.file).unwrap().set_modified(time).unwrap();
    }

    fn open(&self) -> Dataset {
        self.open_with(&OpenOptions::default())
    }

    fn open_with(&self, options: &OpenOptions) -> Dataset {
        open(&[self.file.to_str().unwrap()], options).unwrap()
    }

    fn read(&self) -> Dataset {
        read_files("train.txt", &[&self.file], &ReadOptions::default()).unwrap()
    }

    fn caches(&self) -> Vec<PathBuf> {
        caches(self.folder.path())
    }

    /// The only cache.
    fn cache(&self) -> PathBuf {
        let caches = self.caches();
        assert_eq!(caches.len(), 1, "{caches:?}");
        caches.into_iter().next().unwrap()
    }
}

fn caches(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_str().unwrap().ends_with("cache")).collect()
}

fn same(one: &Dataset, other: &Dataset) {
    assert_eq!(one, other);
    assert_eq!(one.checksum(), other.checksum());
    assert_eq!((one.name(), one.provenance()), (other.name(), other.provenance()));
    assert_eq!(one.max_label(), other.max_label());
    assert_eq!(Statistics::of(one), Statistics::of(other));
}

#[test]
fn the_second_opening_maps_what_the_first_wrote() {
    let place = Place::new();
    let first = place.open();
    assert_eq!(first.mapped_from(), None);
    let second = place.open();
    assert_eq!(second.mapped_from(), Some(&*place.cache()));
    same(&first, &second);
    same(&place.read(), &second);

    let off = OpenOptions { cache: Cache::Off, ..OpenOptions::default() };
    assert_eq!(place.open_with(&off).mapped_from(), None);
    // Each folder and each set of options has its own cache.
    let other = tempfile::tempdir().unwrap();
    let there = OpenOptions { cache: Cache::Folder(other.path().join("new")), ..OpenOptions::default() };
    assert_eq!(place.open_with(&there).mapped_from(), None);
    assert_eq!(place.open_with(&there).mapped_from(), Some(&*caches(&other.path().join("new"))[0]));
    let read = ReadOptions { features: 60, ..ReadOptions::default() };
    let wide = OpenOptions { read, ..OpenOptions::default() };
    assert_eq!(place.open_with(&wide).features(), 60);
    assert_eq!(place.open_with(&wide).mapped_from().map(|_| ()), Some(()));
    assert_eq!((place.open().features(), place.caches().len()), (46, 2));
}

#[test]
fn a_folder_of_data_may_contain_its_cache() {
    let place = Place::new();
    let folder = place.folder.path().to_str().unwrap();
    let first = open(&[folder], &OpenOptions::default()).unwrap();
    let second = open(&[folder], &OpenOptions::default()).unwrap();
    assert!(second.mapped_from().is_some());
    same(&first, &second);
}

#[test]
fn a_changed_source_is_read_again() {
    let place = Place::new();
    place.open();
    place.fill(2);
    let changed = place.open();
    assert_eq!(changed.mapped_from(), None);
    same(&place.read(), &changed);
    place.age();
    assert_eq!(place.open().mapped_from(), None, "another time");
    assert!(place.open().mapped_from().is_some());
}

#[test]
fn a_change_within_the_clock_resolution_is_detected() {
    let place = Place::new();
    let now = SystemTime::now();
    place.modified(now);
    place.open();
    assert!(place.open().mapped_from().is_some());
    // The same size and time: only the bytes differ.
    let text = fs::read_to_string(&place.file).unwrap();
    let (line, rest) = text.split_once('\n').unwrap();
    let changed = format!("{}{}\n{rest}", if line.starts_with('0') { '1' } else { '0' }, &line[1..]);
    fs::write(&place.file, changed).unwrap();
    place.modified(now);
    let opened = place.open();
    assert_eq!(opened.mapped_from(), None);
    same(&place.read(), &opened);
}

#[test]
fn damage_in_header_or_index_is_detected_at_opening() {
    let place = Place::new();
    let expected = place.open();
    let path = place.cache();
    let sound = fs::read(&path).unwrap();
    let index = u64::from_le_bytes(sound[24..32].try_into().unwrap()) as usize;
    let mut wrongs: Vec<(String, Vec<u8>)> = vec![("nothing".into(), vec![])];
    for len in [1, 7, 47, 48, 49, 48 + index / 2, 48 + index, sound.len() / 2, sound.len() - 1] {
        wrongs.push((format!("truncated to {len}"), sound[..len].to_vec()));
    }
    wrongs.push(("extended".into(), [&sound[..], b"x"].concat()));
    let mut foreign = sound.clone();
    foreign[8..12].reverse();
    wrongs.push(("the other byte order".into(), foreign));
    let mut older = sound.clone();
    older[12] -= 1;
    wrongs.push(("an older version".into(), older));
    wrongs.push(("another format".into(), b"PK\x03\x04".repeat(1000)));
    for at in (0..48).chain((48..48 + index).step_by(index / 300)) {
        let mut flipped = sound.clone();
        flipped[at] ^= 1 << (at % 8);
        wrongs.push((format!("byte {at} changed"), flipped));
    }
    for (what, bytes) in wrongs {
        fs::write(&path, bytes).unwrap();
        let opened = place.open();
        assert_eq!(opened.mapped_from(), None, "{what}");
        assert!(opened == expected, "{what}");
        assert_eq!(fs::read(&path).unwrap(), sound, "{what}: written again");
    }
    assert!(place.open().mapped_from().is_some());
}

#[test]
fn a_damaged_block_is_detected_at_its_first_use() {
    let place = Place::new();
    let expected = place.open();
    let path = place.cache();
    let sound = fs::read(&path).unwrap();
    let index = u64::from_le_bytes(sound[24..32].try_into().unwrap()) as usize;
    let blocks = 48 + index..sound.len();
    for at in blocks.clone().step_by(blocks.len() / 20) {
        let mut damaged = sound.clone();
        damaged[at] ^= 4;
        fs::write(&path, &damaged).unwrap();
        let opened = place.open();
        assert!(opened.mapped_from().is_some(), "its index is valid");
        assert!(path.exists());
        same(&expected, &opened);
        assert!(!path.exists(), "the damaged file is gone");
        assert_eq!(place.open().mapped_from(), None);
        assert_eq!(fs::read(&path).unwrap(), sound, "the cache is written again");
    }
}

#[test]
fn a_damaged_block_is_replaced_for_all_threads() {
    use rayon::prelude::*;
    let place = Place::new();
    let expected = place.open();
    let path = place.cache();
    let mut damaged = fs::read(&path).unwrap();
    let at = damaged.len() - 100;
    damaged[at] ^= 4;
    fs::write(&path, &damaged).unwrap();
    let opened = place.open();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let queries = opened.queries();
    let sums = |dataset: &Dataset| -> Vec<f64> {
        let sum = |query: usize| {
            let mut values = Vec::new();
            dataset.query(query % queries).column(letor_io::FeatureId(3), &mut values);
            values.iter().sum()
        };
        pool.install(|| (0..50 * queries).into_par_iter().map(sum).collect())
    };
    assert_eq!(sums(&opened), sums(&expected));
}

#[test]
fn an_unwritable_folder_gets_no_cache() {
    let place = Place::new();
    let occupied = OpenOptions { cache: Cache::Folder(place.file.clone()), ..OpenOptions::default() };
    same(&place.open_with(&occupied), &place.read());
    assert_eq!(place.open_with(&occupied).mapped_from(), None);
    assert_eq!(place.caches().len(), 0);
}

#[test]
fn concurrent_openings_do_not_interfere() {
    let place = Place::new();
    let expected = place.read();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let (place, expected) = (&place, &expected);
            scope.spawn(move || {
                for _ in 0..10 {
                    assert!(place.open() == *expected);
                    if worker == 0
                        && let Some(path) = place.caches().first()
                    {
                        let _ = fs::remove_file(path);
                    }
                }
            });
        }
    });
    place.open();
    let left: Vec<_> = fs::read_dir(place.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "no incomplete file is left: {left:?}");
}

/// The properties of the fuzz targets for damaged copies of valid files: no panic, and text that can be read survives
/// writing and reading.
#[test]
fn damaged_copies_are_read_or_refused() {
    use rand::{RngExt, SeedableRng};
    let place = Place::new();
    place.open();
    let small = lookalike::generate("np2004-lookalike", 0.001, 1).unwrap();
    let mut text = Vec::new();
    write(&small, &WriteOptions::default(), &mut text).unwrap();
    text.truncate(6000);
    let cache = fs::read(place.cache()).unwrap();
    assert!(letor_io::fuzz::cache(&cache));
    letor_io::fuzz::text(&text);
    let mut generator = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(1);
    for _ in 0..300 {
        let mut damaged = (cache.clone(), text.clone());
        for bytes in [&mut damaged.0, &mut damaged.1] {
            for _ in 0..generator.random_range(1..20) {
                let at = generator.random_range(0..bytes.len());
                bytes[at] = if generator.random_bool(0.5) { generator.random() } else { b" :#\n-0.e"[at % 8] };
            }
        }
        assert!(!letor_io::fuzz::cache(&damaged.0) || damaged.0 == cache);
        letor_io::fuzz::text(&damaged.1);
    }
}

#[test]
fn look_alikes_are_cached_with_registered_data() {
    let data = tempfile::tempdir().unwrap();
    let root = data.path().join("cache");
    let options = OpenOptions { root: Some(root.clone()), ..OpenOptions::default() };
    let name = "np2004-lookalike:0.2";
    let first = open(&[name], &options).unwrap();
    assert_eq!(first.mapped_from(), None);
    let second = open(&[name], &options).unwrap();
    let path = root.join("look-alikes/np2004-lookalike-0.2.letor-cache");
    assert_eq!(second.mapped_from(), Some(&*path));
    same(&first, &second);
    assert_eq!(caches(path.parent().unwrap()).len(), 1);

    // Missing folders are not created, and small data are not cached.
    let nowhere = OpenOptions { root: Some(data.path().join("no/such/folder")), ..OpenOptions::default() };
    assert_eq!(open(&[name], &nowhere).unwrap().mapped_from(), None);
    assert!(!data.path().join("no").exists());
    open(&["mq2008-lookalike:0.01"], &options).unwrap();
    assert_eq!(caches(path.parent().unwrap()).len(), 1);
}
