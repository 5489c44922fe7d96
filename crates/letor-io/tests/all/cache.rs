//! The binary cache: read if valid, and never trusted.
#![expect(clippy::disallowed_types, reason = "sets the times of files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use letor_io::cache::{State, list};
use letor_io::{Dataset, OpenOptions, ReadOptions, Statistics, WriteOptions, lookalike, open, read_files, write};

/// A data file, and a folder for its caches.
struct Place {
    folder: tempfile::TempDir,
    cache: tempfile::TempDir,
    file: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("train.txt");
        let place = Self { folder, cache: tempfile::tempdir().unwrap(), file };
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

    fn options(&self) -> OpenOptions {
        OpenOptions { cache: Some(self.cache.path().into()), ..OpenOptions::default() }
    }

    fn open(&self) -> Dataset {
        self.open_with(&self.options())
    }

    fn open_with(&self, options: &OpenOptions) -> Dataset {
        open(&[self.file.to_str().unwrap()], options).unwrap()
    }

    fn read(&self) -> Dataset {
        read_files("train.txt", &[&self.file], &ReadOptions::default()).unwrap()
    }

    fn caches(&self) -> Vec<PathBuf> {
        caches(self.cache.path())
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
fn the_second_opening_reads_what_the_first_wrote() {
    let place = Place::new();
    let first = place.open();
    assert_eq!(first.cache_file(), None);
    let second = place.open();
    assert_eq!(second.cache_file(), Some(&*place.cache()));
    same(&first, &second);
    same(&place.read(), &second);

    assert_eq!(place.open_with(&OpenOptions::default()).cache_file(), None);
    let beside = fs::read_dir(place.folder.path()).unwrap().count();
    assert_eq!(beside, 1, "nothing is written beside the data");
    // Each folder and each set of options has its own cache.
    let other = tempfile::tempdir().unwrap();
    let there = OpenOptions { cache: Some(other.path().join("a/new")), ..OpenOptions::default() };
    assert_eq!(place.open_with(&there).cache_file(), None);
    assert_eq!(place.open_with(&there).cache_file(), Some(&*caches(&other.path().join("a/new"))[0]));
    let read = ReadOptions { features: 60, ..ReadOptions::default() };
    let wide = OpenOptions { read, ..place.options() };
    assert_eq!(place.open_with(&wide).features(), 60);
    assert_eq!(place.open_with(&wide).cache_file().map(|_| ()), Some(()));
    assert_eq!((place.open().features(), place.caches().len()), (46, 2));
}

#[test]
fn a_folder_of_data_may_contain_its_cache() {
    let place = Place::new();
    let folder = place.folder.path().to_str().unwrap();
    let beside = OpenOptions { cache: Some(folder.into()), ..OpenOptions::default() };
    let first = open(&[folder], &beside).unwrap();
    let second = open(&[folder], &beside).unwrap();
    assert!(second.cache_file().is_some());
    same(&first, &second);
}

#[test]
fn a_changed_source_is_read_again() {
    let place = Place::new();
    place.open();
    place.fill(2);
    let changed = place.open();
    assert_eq!(changed.cache_file(), None);
    same(&place.read(), &changed);
    place.age();
    assert_eq!(place.open().cache_file(), None, "another time");
    assert!(place.open().cache_file().is_some());
}

#[test]
fn a_change_within_the_clock_resolution_is_detected() {
    let place = Place::new();
    let now = SystemTime::now();
    place.modified(now);
    place.open();
    assert!(place.open().cache_file().is_some());
    // The same size and time: only the bytes differ.
    let text = fs::read_to_string(&place.file).unwrap();
    let (line, rest) = text.split_once('\n').unwrap();
    let changed = format!("{}{}\n{rest}", if line.starts_with('0') { '1' } else { '0' }, &line[1..]);
    fs::write(&place.file, changed).unwrap();
    place.modified(now);
    let opened = place.open();
    assert_eq!(opened.cache_file(), None);
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
        assert_eq!(opened.cache_file(), None, "{what}");
        assert!(opened == expected, "{what}");
        assert!(place.open().cache_file().is_some(), "{what}: written again");
    }
    assert!(place.open().cache_file().is_some());
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
        assert!(opened.cache_file().is_some(), "its index is valid");
        assert!(path.exists());
        same(&expected, &opened);
        assert!(!path.exists(), "the damaged file is gone");
        assert_eq!(place.open().cache_file(), None);
        assert!(place.open().cache_file().is_some(), "the cache is written again");
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
    for folder in [place.file.clone(), place.file.join("below"), "/dev/null/none".into(), "/proc/none".into()] {
        let occupied = OpenOptions { cache: Some(folder), ..OpenOptions::default() };
        same(&place.open_with(&occupied), &place.read());
        assert_eq!(place.open_with(&occupied).cache_file(), None);
    }
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
    let left: Vec<_> = fs::read_dir(place.cache.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "no incomplete file is left: {left:?}");
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
fn look_alikes_are_cached() {
    let folder = tempfile::tempdir().unwrap();
    let options = OpenOptions { cache: Some(folder.path().into()), ..OpenOptions::default() };
    let name = "np2004-lookalike:0.2";
    let first = open(&[name], &options).unwrap();
    assert_eq!(first.cache_file(), None);
    let second = open(&[name], &options).unwrap();
    assert_eq!(second.cache_file(), Some(&*folder.path().join("np2004-lookalike-0.2.letor-cache")));
    same(&first, &second);
    assert_eq!(caches(folder.path()).len(), 1);

    // Small data are not cached.
    open(&["mq2008-lookalike:0.01"], &options).unwrap();
    assert_eq!(caches(folder.path()).len(), 1);
    let listed = list(folder.path()).unwrap();
    assert_eq!((listed[0].look_alike.as_deref(), listed[0].state), (Some(name), State::Current));
}

/// `touch -d` restores the time of the last change of a content, but not that of the last change of anything.
#[cfg(unix)]
#[test]
fn a_changed_source_with_its_old_time_is_read_again() {
    let place = Place::new();
    let time = fs::metadata(&place.file).unwrap().modified().unwrap();
    place.open();
    assert!(place.open().cache_file().is_some());
    let text = fs::read_to_string(&place.file).unwrap();
    let (line, rest) = text.split_once('\n').unwrap();
    let changed = format!("{}{}\n{rest}", if line.starts_with('0') { '1' } else { '0' }, &line[1..]);
    fs::write(&place.file, &changed).unwrap();
    place.modified(time);
    let opened = place.open();
    assert_eq!(opened.cache_file(), None, "written in place");
    same(&place.read(), &opened);
    // Another file under the same name.
    let other = place.folder.path().join("other");
    fs::write(&other, &text).unwrap();
    fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    assert!(place.open().cache_file().is_some());
    fs::rename(&other, &place.file).unwrap();
    let opened = place.open();
    assert_eq!(opened.cache_file(), None, "replaced");
    same(&place.read(), &opened);
}

#[test]
fn a_source_that_has_been_quiet_needs_no_proof() {
    let place = Place::new();
    place.open();
    let proved = || fs::read(place.cache()).map(|bytes| bytes[48 + 4 + key_len(&bytes)] == 1).unwrap();
    assert!(proved(), "the source is a moment old");
    std::thread::sleep(Duration::from_millis(3100));
    assert!(place.open().cache_file().is_some());
    assert!(!proved());
    assert!(place.open().cache_file().is_some());
}

/// The length of the description of the sources, which begins the index.
fn key_len(cache: &[u8]) -> usize {
    u32::from_le_bytes(cache[48..52].try_into().unwrap()) as usize
}

#[test]
fn a_cache_that_shrinks_while_it_is_open_is_noticed() {
    let place = Place::new();
    let expected = place.open();
    for len in [0, 48, 1000] {
        let opened = place.open();
        assert!(opened.cache_file().is_some());
        fs::File::options().write(true).open(place.cache()).unwrap().set_len(len).unwrap();
        same(&expected, &opened);
        assert_eq!(place.caches().len(), 0, "the damaged file is gone");
        assert_eq!(place.open().cache_file(), None);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_instead_of_a_cache_is_not_waited_for() {
    let place = Place::new();
    place.open();
    let path = place.cache();
    fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(place.open().cache_file(), None);
    assert!(place.open().cache_file().is_some(), "it is replaced");
}

#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_killed_writers_are_removed() {
    let place = Place::new();
    let mine = format!(".train.txt.{}.0.aside.letor-cache", std::process::id());
    // Beyond the largest process id of Linux, 2^22.
    for name in [&mine, ".train.txt.99999999.0.aside.letor-cache", ".x.99999999.aside.letor-cache", "notes.txt"] {
        fs::write(place.cache.path().join(name), "x").unwrap();
    }
    place.open();
    let mut left: Vec<_> = fs::read_dir(place.cache.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.retain(|name| !name.starts_with("train.txt."));
    left.sort();
    assert_eq!(left, [&mine, ".x.99999999.aside.letor-cache", "notes.txt"]);
    assert_eq!(list(place.cache.path()).unwrap().len(), 1, "one is complete");
}

#[test]
fn caches_are_listed_with_their_state() {
    let place = Place::new();
    assert_eq!(list(&place.cache.path().join("none")).unwrap(), []);
    place.open();
    let state = || {
        let [one] = &list(place.cache.path()).unwrap()[..] else { panic!("one cache") };
        assert_eq!((&one.path, one.bytes), (&place.cache(), fs::metadata(place.cache()).unwrap().len()));
        (one.state, one.sources.clone())
    };
    assert_eq!(state(), (State::Current, vec![place.file.clone()]));
    place.fill(2);
    assert_eq!(state(), (State::Outdated, vec![place.file.clone()]));
    fs::remove_file(&place.file).unwrap();
    assert_eq!(state(), (State::Orphaned, vec![place.file.clone()]));
    fs::write(place.cache(), "damaged").unwrap();
    assert_eq!(state(), (State::Unreadable, Vec::new()));
}
