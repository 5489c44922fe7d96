//! The source of a site's ranked lists: ranked now, ranked when they are used, or kept by an earlier process in a
//! [`file`](mod@file).
//!
//! Ranking a data set of the size of MSLR-WEB30K takes some ten seconds of CPU. That is little for one process, but much for
//! each of a thousand shards.

pub mod file;

use std::path::{Path, PathBuf};

use anyhow::Result;
use letor_io::{Dataset, FeatureId};
use output::memory::{arms_that_fit, ensure_room};
use rankers::{Rankings, TieBreaking};
use tracing::info;

use file::CachedLists;

/// Where the lists of all rankers for all queries come from. The lists are the same in any case.
#[derive(Debug, Clone, Default)]
pub enum ListSource {
    /// They are ranked now.
    #[default]
    InMemory,
    /// Each is ranked when it is used first, for work that uses few.
    Lazy,
    /// They are mapped from the files of this folder if they are there, and otherwise ranked now.
    FromCache(PathBuf),
    /// The same; and if they are not there, they are then kept in this folder.
    BuildAndCache(PathBuf),
}

impl ListSource {
    /// The lists of the queries of `dataset` by each of `features`.
    ///
    /// # Errors
    /// Those of [`Rankings::new`], and if memory has no room for them. Files that are damaged or cannot be written are
    /// warnings.
    pub(crate) fn rank(&self, dataset: &Dataset, features: &[FeatureId], ties: TieBreaking) -> Result<Rankings> {
        let rankings = Rankings::new(dataset, features, ties)?;
        let (Self::FromCache(folder) | Self::BuildAndCache(folder)) = self else {
            if matches!(self, Self::InMemory) {
                rank_all(&rankings, dataset)?;
            }
            return Ok(rankings);
        };
        let cached = CachedLists::at(folder, dataset, features, ties);
        if cached.map_into(&rankings) {
            info!("lists of {} rankers: mapped from a file in {folder:?}", rankings.arms());
            return Ok(rankings);
        }
        rank_all(&rankings, dataset)?;
        if let (Self::BuildAndCache(_), Some(bytes)) = (self, rankings.list_bytes())
            && let Err(error) = cached.write(bytes)
        {
            output::messages::warn(
                false,
                &format!("the lists are not kept, and every shard ranks them itself: {error:#}"),
            );
        }
        Ok(rankings)
    }

    /// The folder of files.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::FromCache(folder) | Self::BuildAndCache(folder) => Some(folder),
            _ => None,
        }
    }
}

fn rank_all(rankings: &Rankings, dataset: &Dataset) -> Result<()> {
    let (rankers, documents) = (rankings.arms(), dataset.documents());
    info!("ranking {documents} documents by {rankers} rankers");
    let bytes_of = |rankers| Rankings::bytes(dataset, rankers);
    ensure_room(
        bytes_of(rankers),
        || format!("the lists of {rankers} rankers of {documents} documents"),
        || format!("choose fewer with --rankers, e.g. --rankers 100{}", arms_that_fit(bytes_of)),
    )?;
    Ok(rankings.rank_all()?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use letor_io::lookalike;

    use super::*;

    /// Six rankers, small.
    fn data() -> (Dataset, Vec<FeatureId>) {
        (lookalike::generate("mq2008-lookalike", 0.05, 1).expect("a look-alike"), (1..=6).map(FeatureId).collect())
    }

    fn bytes(rankings: &Rankings) -> Vec<u8> {
        rankings.rank_all().expect("memory");
        rankings.list_bytes().expect("all lists").to_vec()
    }

    fn only_file(folder: &Path) -> PathBuf {
        let files: Vec<PathBuf> =
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("").path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    #[test]
    fn lists_are_the_same_wherever_they_come_from() {
        let (dataset, features) = data();
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join("caches");
        let rank = |lists: &ListSource| lists.rank(&dataset, &features, TieBreaking::Random).expect("lists");
        let expected = bytes(&rank(&ListSource::InMemory));
        assert!(rank(&ListSource::Lazy).list_bytes().is_none());
        assert!(bytes(&rank(&ListSource::Lazy)) == expected);
        // Nothing is written unless requested.
        assert!(bytes(&rank(&ListSource::FromCache(folder.clone()))) == expected);
        assert!(!folder.exists());
        let keep = ListSource::BuildAndCache(folder.clone());
        assert!(bytes(&rank(&keep)) == expected);
        let file = only_file(&folder);
        let written = fs::read(&file).expect("a file");
        let time = fs::metadata(&file).and_then(|data| data.modified()).expect("a time");
        assert!(bytes(&rank(&ListSource::FromCache(folder.clone()))) == expected);
        assert!(bytes(&rank(&keep)) == expected);
        // It was not written again.
        assert_eq!(fs::metadata(only_file(&folder)).and_then(|data| data.modified()).expect("a time"), time);
        assert!(fs::read(&file).expect("a file") == written);
    }

    #[test]
    fn files_of_other_lists_are_not_used() {
        let (dataset, features) = data();
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path();
        let write = |features: &[FeatureId], ties| {
            let rankings =
                ListSource::BuildAndCache(folder.to_path_buf()).rank(&dataset, features, ties).expect("lists");
            bytes(&rankings)
        };
        let first = write(&features, TieBreaking::Random);
        let file = only_file(folder);
        // Other features, another order of them, and other ties have files of their own.
        let reversed: Vec<FeatureId> = features.iter().rev().copied().collect();
        for (number, (features, ties)) in [
            (&features[1..], TieBreaking::Random),
            (&reversed[..], TieBreaking::Random),
            (&features[..], TieBreaking::Fixed(1)),
            (&features[..], TieBreaking::Fixed(2)),
        ]
        .into_iter()
        .enumerate()
        {
            let fresh = ListSource::InMemory.rank(&dataset, features, ties).expect("lists");
            assert!(write(features, ties) == bytes(&fresh));
            assert_eq!(fs::read_dir(folder).expect("a folder").count(), number + 2);
        }
        // Even under the name of these.
        let other = CachedLists::at(folder, &dataset, &reversed, TieBreaking::Random);
        fs::copy(other.path(), &file).expect("a copy");
        let kept = CachedLists::at(folder, &dataset, &features, TieBreaking::Random);
        let rankings = Rankings::new(&dataset, &features, TieBreaking::Random).expect("rankings");
        assert!(!kept.map_into(&rankings));
        assert!(write(&features, TieBreaking::Random) == first);
        assert!(kept.map_into(&rankings), "it was replaced");
    }

    #[test]
    fn every_changed_byte_and_every_truncation_is_noticed() {
        let (dataset, features) = (lookalike::generate("np2004-lookalike", 0.01, 1).expect("data"), vec![FeatureId(1)]);
        let place = tempfile::tempdir().expect("a folder");
        let kept = CachedLists::at(place.path(), &dataset, &features, TieBreaking::Random);
        let rankings = || Rankings::new(&dataset, &features, TieBreaking::Random).expect("rankings");
        ListSource::BuildAndCache(place.path().to_path_buf())
            .rank(&dataset, &features, TieBreaking::Random)
            .expect("lists");
        let sound = fs::read(kept.path()).expect("a file");
        let is_used = |bytes: &[u8]| {
            // A new file: one that is mapped must not change.
            fs::remove_file(kept.path()).expect("a file");
            fs::write(kept.path(), bytes).expect("a file");
            kept.map_into(&rankings())
        };
        assert!(is_used(&sound));
        // Each is a warning in the output of the tests.
        let step = (sound.len() / 40).max(1);
        let places = (0..sound.len()).step_by(step).chain((sound.len().saturating_sub(120)..sound.len()).step_by(3));
        for at in places {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            assert!(!is_used(&damaged), "byte {at}");
            assert!(!is_used(&sound[..at]), "cut at {at}");
        }
        assert!(!is_used(&[&sound[..], &[0; 2]].concat()));
    }
}
