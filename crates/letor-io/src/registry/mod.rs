//! The data sets and preference matrices known by name, and where their files are on this machine; not how to read
//! them ([`open`](crate::open())).
//!
//! `sets/*.toml` describes them, one file per data set. The data are licensed and not distributed with this
//! software: the commands that [`Advice`] names explain where to get them and register them.

mod advice;
mod entry;
mod locate;
mod split;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::error::Error;
pub use advice::{Advice, set_data_command};
pub use entry::{Entry, Licence, MatrixEntry, Paper, Source, SplitEntry};
pub use locate::{Located, data_root, locate, locate_among, missing_error};
pub use split::{ParseSplitError, Split};

/// The files of `sets/`, embedded so that names are known in any working directory.
const FILES: [&str; 18] = [
    include_str!("../../sets/mslr-web30k.toml"),
    include_str!("../../sets/mslr-web10k.toml"),
    include_str!("../../sets/ylr1.toml"),
    include_str!("../../sets/ylr2.toml"),
    include_str!("../../sets/yandex.toml"),
    include_str!("../../sets/mq2007.toml"),
    include_str!("../../sets/mq2008.toml"),
    include_str!("../../sets/np2003.toml"),
    include_str!("../../sets/np2004.toml"),
    include_str!("../../sets/hp2003.toml"),
    include_str!("../../sets/hp2004.toml"),
    include_str!("../../sets/td2003.toml"),
    include_str!("../../sets/td2004.toml"),
    include_str!("../../sets/ohsumed.toml"),
    include_str!("../../sets/istella-s.toml"),
    include_str!("../../sets/prefmat-mslr-perfect.toml"),
    include_str!("../../sets/prefmat-mslr-navigational.toml"),
    include_str!("../../sets/prefmat-mslr-informational.toml"),
];

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    // In two steps, because `toml::from_str` compiles several deserialisers for every type.
    let parse = |text: &&str| text.parse::<toml::Table>()?.try_into();
    FILES.iter().map(parse).collect::<Result<_, toml::de::Error>>().expect("a test reads every file of sets/")
});

/// All data sets and preference matrices known by name.
pub fn all() -> &'static [Entry] {
    &ENTRIES
}

/// The file of the preference matrix `name` below `root`; `None` if no matrix has that name.
///
/// # Errors
///
/// [`ErrorKind::Missing`](crate::ErrorKind::Missing) if it is not on this machine.
pub fn matrix_file(name: &str, root: &Path) -> Option<Result<PathBuf, Error>> {
    let entry = find(name)?;
    let folder = root.join(&entry.name);
    let path = folder.join(&entry.matrix.as_ref()?.file);
    Some(if path.is_file() { Ok(path) } else { Err(missing_error(entry, None, &folder)) })
}

/// The data set or preference matrix called `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_valid() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/sets");
        let files = std::fs::read_dir(folder).unwrap();
        let tomls = files.filter(|f| f.as_ref().unwrap().path().extension() == Some("toml".as_ref()));
        assert_eq!(tomls.count(), FILES.len(), "every file of sets/ is listed");
        for entry in all() {
            assert_eq!(find(&entry.name), Some(entry));
            assert!(entry.splits.iter().any(|split| split.counted) != entry.matrix.is_some(), "{}", entry.name);
            assert!(entry.splits.iter().all(|split| !split.files.is_empty()), "{}", entry.name);
            assert!(entry.always_zero.is_none_or(|zero| zero < entry.features));
            assert!((entry.features == 0) == entry.matrix.is_some(), "{}", entry.name);
            for source in &entry.sources {
                assert!(source.address.starts_with("https://"));
                assert!(source.sha256.as_ref().is_none_or(|sum| sum.len() == 64));
                assert!(!source.direct || source.sha256.is_some() && source.bytes.is_some(), "{}", entry.name);
            }
        }
    }

    /// The counts of Table 1 of the MergeRUCB paper (WSDM 2015, doi:10.1145/2684822.2685290).
    #[test]
    fn counts_are_those_of_the_papers() {
        for (name, queries, documents) in [
            ("mslr-web30k", 31_531, 3_771_125),
            ("ylr1", 19_944, 473_134),
            ("ylr2", 1_266, 34_815),
            ("yandex", 9_124, 97_290),
            ("mslr-web10k", 10_000, 1_200_192),
            ("mq2007", 1_692, 69_623),
            ("mq2008", 784, 15_211),
            ("istella-s", 33_018, 3_408_630),
        ] {
            assert_eq!(find(name).unwrap().counted_sizes(), (Some(queries), Some(documents)), "{name}");
        }
    }
}
