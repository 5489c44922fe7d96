//! The estimation of the ground truth: a coarse round, the rows of contenders, the winner's row.

use std::path::Path;

use anyhow::Result;
use interleave::ProbabilisticInterleave;
use output::cache::Cache;
use output::progress::{Progress, announce};
use tracing::info;

use super::GroundTruth;
use super::pair_table::PairTable;
use crate::description::{Effort, SiteDescription};
use crate::pairwise::{compare_pairs, ensure_room_for_pairs};
use crate::seed_text::{SeedSubject, seed_text};
use crate::site::Site;

/// How often pairs that are too close to call are refined, each time by four times [`Effort::fine`] comparisons.
const SHARPENINGS: u32 = 3;

/// The settings of an estimation.
#[derive(Clone, Copy)]
pub struct TruthEstimation<'a> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// The interleaving that defines which ranker is better.
    pub method: &'a ProbabilisticInterleave,
    /// How many comparisons to spend.
    pub effort: Effort,
    /// The master seed.
    pub seed: u64,
    /// Whether to hide the progress bar.
    pub quiet: bool,
}

impl TruthEstimation<'_> {
    /// The ground truth of the site, read from the folder `cache` if it is there, and otherwise estimated and stored.
    ///
    /// `description` is that of the site. `ndcg` returns the nDCG@10 of each arm and is only called if there is no
    /// Condorcet winner.
    ///
    /// # Errors
    /// Those of `ndcg`, and if the cache cannot be written.
    pub fn establish(
        &self,
        description: &SiteDescription,
        cache: &Path,
        ndcg: impl FnOnce() -> Result<Vec<f64>>,
    ) -> Result<GroundTruth> {
        let key = seed_text(SeedSubject::Truth { site: description, seed: self.seed, effort: self.effort });
        // Earlier versions stored winners without a positive margin.
        let sound = |truth: &GroundTruth| truth.gaps.len() == self.site.arms() && truth.is_sound();
        info!("truth: from {cache:?} if it is there, otherwise estimated");
        Cache::new(cache).json("truth", &key, sound, || {
            if !self.quiet {
                announce("estimating the ground truth (first run on this site; kept for the next)");
            }
            self.estimate(ndcg)
        })
    }

    /// Estimates the ground truth; the documentation of [`truth`](super) describes how.
    ///
    /// # Errors
    /// Those of `ndcg`, and if memory has no room for the counts of all pairs.
    pub fn estimate(&self, ndcg: impl FnOnce() -> Result<Vec<f64>>) -> Result<GroundTruth> {
        let Effort { coarse, fine, budget } = self.effort;
        ensure_room_for_pairs(self.site.arms(), |arms| PairTable::bytes(arms, coarse))?;
        // Every list is needed, many times.
        self.site.rankings().rank_all()?;
        let mut table = PairTable::new(self.site);
        let arms: Vec<usize> = (0..self.site.arms()).collect();
        self.refine(&mut table, &arms, coarse, "coarse");

        let mut spent = 0;
        let mut count = coarse;
        let mut contenders = table.unbeaten_arms();
        while contenders.len() > 1 && count < fine {
            count = (count * 4).min(fine);
            let cost = table.cost(&contenders, count);
            if spent + cost > budget {
                break;
            }
            spent += cost;
            self.refine(&mut table, &contenders, count, &format!("contenders {count}"));
            contenders = table.unbeaten_arms();
        }
        // Refines the row of the likeliest winner, and the close pairs in it further. If that shows it beaten, the
        // next candidate follows.
        let mut sharpened = 0;
        while let Some(winner) = table.likeliest_winner(&table.unbeaten_arms()) {
            if !table.is_row_refined(winner, fine) {
                self.refine(&mut table, &[winner], fine, &format!("row {winner}"));
                continue;
            }
            let close = table.close_pairs(winner);
            if close.is_empty() || sharpened == SHARPENINGS {
                if table.smallest_margin(winner).is_none_or(|(margin, _)| margin > 0.0) {
                    return Ok(table.truth(winner));
                }
                break;
            }
            sharpened += 1;
            self.refine_pairs(&mut table, &close, fine * 4, &format!("close {sharpened}"));
        }
        Ok(by_ndcg(&table, &ndcg()?))
    }

    /// Adds `comparisons` of each pair with at least one of `arms`.
    fn refine(&self, table: &mut PairTable, arms: &[usize], comparisons: u64, round: &str) {
        let pairs = table.pairs(arms);
        self.refine_pairs(table, &pairs, comparisons, round);
    }

    /// Adds `comparisons` of each of `pairs`.
    fn refine_pairs(&self, table: &mut PairTable, pairs: &[(u32, u32)], comparisons: u64, round: &str) {
        info!("truth, round {round:?}: {} pairs, {comparisons} impressions each", pairs.len());
        let progress =
            Progress::new("estimating the ground truth", comparisons.saturating_mul(pairs.len() as u64), self.quiet);
        let stream = format!("truth {round}");
        let counts = compare_pairs(self.site, self.method, pairs, comparisons, self.seed, &stream, &progress);
        progress.finish();
        table.add(pairs, &counts);
    }
}

/// The ground truth without a Condorcet winner: gaps in nDCG.
fn by_ndcg(table: &PairTable, ndcg: &[f64]) -> GroundTruth {
    let (comparisons, uninformed) = (table.comparisons, table.is_uninformed());
    GroundTruth { comparisons, uninformed, ..GroundTruth::of_ndcg(ndcg) }
}

#[cfg(test)]
mod tests {
    use super::super::RegretMeasure;
    use super::*;
    use crate::example::{site, site_of_users};
    use crate::pairwise::PairCount;
    use crate::spec::SiteSpec;

    const EFFORT: Effort = Effort { coarse: 500, fine: 20_000, budget: 10_000_000 };

    fn pi() -> ProbabilisticInterleave {
        ProbabilisticInterleave::new(interleave::CreditTies::Redrawn)
    }

    fn ask(site: &Site, ndcg: impl FnOnce() -> Result<Vec<f64>>) -> Result<GroundTruth> {
        TruthEstimation { site, method: &pi(), effort: EFFORT, seed: 1, quiet: true }.estimate(ndcg)
    }

    fn label(arm: usize) -> String {
        format!("arm {arm}")
    }

    #[test]
    fn the_best_ranker_and_its_duplicate_are_the_winners() {
        let rankers: [fn(f64, usize) -> f64; 4] = [
            |label, doc| label * 3.0 + ((doc * 7) % 5) as f64,
            |label, doc| label * 10.0 + doc as f64,
            |_, _| 1.0,
            |label, doc| label * 20.0 + 2.0 * doc as f64,
        ];
        let (_, site) = site(11, &rankers);
        let truth = ask(&site, || panic!("there is a Condorcet winner")).expect("an estimate");
        assert_eq!((truth.winner, truth.winners.as_slice()), (1, &[1, 3][..]));
        assert_eq!((truth.gaps[1], truth.gaps[3], truth.standard_errors[3]), (0.0, 0.0, 0.0));
        assert!(truth.is_resolved() && truth.z.is_some_and(|z| z > 10.0), "{truth:?}");
        assert!(truth.gaps[0] > 0.0 && truth.gaps[2] > 0.0);
        assert!(truth.describe(label).contains("same lists: arm 3"));
    }

    #[test]
    fn rankers_with_the_same_lists_are_all_winners() {
        let (_, site) = site(3, &[|_, _| 1.0, |_, _| 2.0]);
        let truth = ask(&site, || panic!("they are all winners")).expect("an estimate");
        assert_eq!(truth.winners, [0, 1]);
        assert_eq!(truth.gaps, [0.0, 0.0]);
        assert!(truth.is_resolved() && truth.z.is_none());
    }

    #[test]
    fn a_single_ranker_is_the_best() {
        let (_, site) = site(3, &[|label, _| label]);
        let truth = ask(&site, || panic!("it is the winner")).expect("an estimate");
        assert_eq!((truth.winner, truth.gaps.as_slice()), (0, &[0.0][..]));
    }

    #[test]
    fn without_clicks_the_winner_is_the_best_by_ndcg() {
        let rankers: [fn(f64, usize) -> f64; 3] = [|label, _| label, |_, doc| doc as f64, |label, _| -label];
        let (dataset, site) = site_of_users(5, &rankers, "0:0,1:0,2:0");
        let ndcg = || Ok(site.rankings().ndcg(dataset.labels(), 10, rankers::Gain::Exponential)?);
        let truth = ask(&site, ndcg).expect("an estimate");
        assert_eq!((truth.measure, truth.winner, truth.uninformed), (RegretMeasure::Ndcg, 0, true));
        assert!(truth.gaps[2] > 0.0 && truth.is_sound());
        assert!(truth.describe(label).starts_with("no ranker is ahead"), "{}", truth.describe(label));
        // A truth without a positive margin, as earlier versions stored it, is not sound.
        let kept = GroundTruth { measure: RegretMeasure::Condorcet, runner_up: Some(1), smallest_margin: 0.0, ..truth };
        assert!(!kept.is_sound());
    }

    /// A table of three arms with these wins in 1,000 comparisons of (0, 1), (0, 2), (1, 2).
    fn table(wins: [u64; 3]) -> PairTable {
        let counts = wins.map(|wins| PairCount { wins, ties: 0, comparisons: 1000 }).to_vec();
        PairTable { arms: 3, counts, alike: vec![0, 1, 2], comparisons: 3000 }
    }

    #[test]
    fn in_a_cycle_every_arm_is_beaten() {
        let table = table([700, 300, 700]);
        assert_eq!(table.unbeaten_arms(), [] as [usize; 0]);
        let truth = by_ndcg(&table, &[0.2, 0.5, 0.3]);
        assert_eq!((truth.measure, truth.winner, truth.runner_up), (RegretMeasure::Ndcg, 1, Some(2)));
        assert!((truth.gaps[0] - 0.3).abs() < 1e-12);
        assert!(truth.describe(label).contains("no Condorcet winner"));
    }

    #[test]
    fn a_narrow_margin_is_not_resolved() {
        let table = table([505, 700, 700]);
        assert_eq!(table.unbeaten_arms(), [0, 1]);
        assert_eq!(table.likeliest_winner(&[0, 1]), Some(0));
        let truth = table.truth(0);
        assert!(!truth.is_resolved(), "{truth:?}");
        assert!(truth.describe(label).contains("NOT RESOLVED"));
    }

    #[test]
    fn an_effort_is_a_multiple_of_the_default() {
        let usual = Effort::for_arms(136);
        assert_eq!(usual.times(1.0), usual, "kept truths of the default effort stay valid");
        let less = usual.times(0.1);
        assert_eq!((less.coarse, less.fine, less.budget), (218, 20_000, 6_000_000));
        assert!(usual.times(0.001).coarse >= 20 && usual.times(10.0).fine == 2_000_000);
    }

    #[test]
    fn a_stored_truth_is_read_back_and_a_broken_one_replaced() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let spec: SiteSpec =
            "dataset = [\"mq2008-lookalike:0.02\"]\nrankers = \"1,2,3\"".parse().expect("a sound site");
        let dataset = spec.open(None, None).expect("a look-alike");
        let site = spec.prepare(dataset.into(), 1).expect("a sound site");
        let establish = || site.truth(EFFORT, 1, folder.path(), true);
        let first = establish().expect("an estimate");
        assert_eq!(establish().expect("the stored one"), first);
        let kept =
            std::fs::read_dir(folder.path()).expect("a folder").next().expect("a file").expect("an entry").path();
        std::fs::write(&kept, b"{ broken").expect("a writable file");
        assert_eq!(establish().expect("estimated again"), first);
    }
}
