//! The truth that regret is measured against: which ranker is best, and what every other one costs.
//!
//! Regret needs the winner's row of the preference matrix only. It is always that of pairwise
//! probabilistic interleaving under the same clicks and the same treatment of ties, for
//! multi-dueling policies too, so that curves can be laid over each other. All pairs are compared a
//! little, then the rows of those that nobody has beaten yet ever more, until one is left or the
//! effort is spent, and at last the winner's row. A winner is ahead of everyone it does not rank alike
//! with; where nobody is, regret is counted in nDCG.

use std::path::Path;

use anyhow::{Context, Result};
use interleave::ProbabilisticInterleave;
use serde::{Deserialize, Serialize};

use crate::output;
use crate::output::numbers::grouped;
use crate::output::progress::Progress;
use crate::simulation::pairwise::{PairCount, compare_pairs};
use crate::simulation::seed;
use crate::simulation::site::Site;

/// Raised whenever the estimate for the same key would come out differently.
const VERSION: u32 = 2;

/// How sure an arm must be beaten to leave the contest, and a winner's margin to be called resolved,
/// in standard errors.
pub(crate) const RESOLVED: f64 = 3.0;

/// How often rivals that are too close to call are measured again, each time four times as finely.
const SHARPENINGS: u32 = 3;

/// How much to spend on the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Comparisons of every pair in the first, coarse round.
    pub coarse: u64,
    /// Most comparisons a pair of a contender's row gets; also what the winner's row gets.
    pub fine: u64,
    /// Most comparisons spent on contenders' rows, over all rounds.
    pub budget: u64,
}

impl Effort {
    /// What suits `arms` rankers: some ten seconds on two cores.
    #[must_use]
    pub fn for_arms(arms: usize) -> Self {
        let pairs = (arms * arms.saturating_sub(1) / 2).max(1) as u64;
        Self { coarse: (20_000_000 / pairs).clamp(100, 20_000), fine: 200_000, budget: 60_000_000 }
    }
}

/// What regret is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// p(*, j) - 1/2 for the Condorcet winner *.
    Condorcet,
    /// nDCG@10 of the best ranker less that of j: no Condorcet winner was found.
    Ndcg,
}

impl Measure {
    /// What regret is made of, for captions.
    #[must_use]
    pub fn regret(self) -> &'static str {
        match self {
            Self::Condorcet => "P(best ranker beats those shown) - 1/2",
            Self::Ndcg => "nDCG@10 lost",
        }
    }
}

/// The best ranker, the gap of every ranker to it, and how sure we are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// What the gaps are.
    pub measure: Measure,
    /// The best arm, counted from 0.
    pub winner: usize,
    /// All arms that count as the winner: it, and those with the same lists for every query.
    pub winners: Vec<usize>,
    /// What one step with each arm alone costs.
    pub gaps: Vec<f64>,
    /// Standard error of each gap; 0 for the winners and for nDCG.
    pub standard_errors: Vec<f64>,
    /// The winner's smallest margin.
    pub smallest_margin: f64,
    /// The arm that it is over, if there is another arm at all.
    pub runner_up: Option<usize>,
    /// The smallest margin in its standard errors; without a Condorcet winner, null.
    pub z: Option<f64>,
    /// Comparisons made in all.
    pub comparisons: u64,
    /// Whether nothing at all told the rankers apart, as where nobody clicks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uninformed: bool,
}

impl Truth {
    /// Whether the winner's smallest margin is at least three standard errors.
    #[must_use]
    pub fn resolved(&self) -> bool {
        match self.measure {
            Measure::Condorcet => self.z.is_none_or(|z| z >= RESOLVED),
            Measure::Ndcg => true,
        }
    }

    /// Whether a winner has a margin over everyone else, if there is anyone else.
    fn is_sound(&self) -> bool {
        self.measure == Measure::Ndcg || self.runner_up.is_none() || self.smallest_margin > 0.0
    }

    /// One or two sentences for a person; `label` names an arm.
    #[must_use]
    pub fn describe(&self, label: impl Fn(usize) -> String) -> String {
        let mut text = match self.measure {
            Measure::Condorcet => format!("Condorcet winner: {}", label(self.winner)),
            Measure::Ndcg if self.uninformed => format!(
                "no ranker is ahead: {} comparisons told none from another; regret is nDCG@10 below {}, the best by \
                 nDCG@10",
                grouped(self.comparisons),
                label(self.winner)
            ),
            Measure::Ndcg => format!(
                "no Condorcet winner among these rankers; regret is nDCG@10 below {}, the best by nDCG@10",
                label(self.winner)
            ),
        };
        if self.winners.len() > 1 {
            let same: Vec<String> =
                self.winners.iter().filter(|arm| **arm != self.winner).map(|arm| label(*arm)).collect();
            text += &format!(" (same lists: {})", same.join(", "));
        }
        if let (Measure::Condorcet, Some(runner_up), Some(z)) = (self.measure, self.runner_up, self.z) {
            text += &format!(
                "; smallest margin {:.4} over {}, z = {z:.1}, {} comparisons",
                self.smallest_margin,
                label(runner_up),
                grouped(self.comparisons)
            );
            if !self.resolved() {
                text += "; WINNER NOT RESOLVED (z below 3): the runner-up may be as good";
            }
        }
        text
    }
}

/// What the truth is asked of, and how.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The rankers and their users.
    pub site: &'a Site,
    /// The interleaving that defines who is better.
    pub method: &'a ProbabilisticInterleave,
    /// How much to spend.
    pub effort: Effort,
    /// The master seed.
    pub seed: u64,
    /// Whether to show no progress.
    pub quiet: bool,
}

impl Question<'_> {
    /// The truth, from `cache` if it is there, estimated and kept there otherwise.
    ///
    /// `content` describes everything the truth depends on besides seed and effort (data, rankers,
    /// clicks, ties); `ndcg` gives each arm's nDCG@10 and is asked only without a Condorcet winner.
    ///
    /// # Errors
    /// When the cache cannot be written. A cache file that cannot be read or does not fit is
    /// replaced.
    pub fn establish(&self, content: &str, cache: &Path, ndcg: impl FnOnce() -> Result<Vec<f64>>) -> Result<Truth> {
        let described = format!("truth {VERSION}\n{content}\nseed {}\n{:?}", self.seed, self.effort);
        let path = cache.join(format!("truth-{}.json", &seed::key(&described)[..24]));
        if let Ok(bytes) = std::fs::read(&path)
            && let Ok(kept) = serde_json::from_slice::<Kept>(&bytes)
            && kept.key == described
            && kept.truth.gaps.len() == self.site.arms()
            // Earlier versions kept winners that were not ahead.
            && kept.truth.is_sound()
        {
            tracing::debug!(path = %path.display(), "truth read from the cache");
            return Ok(kept.truth);
        }
        output::create_folder(cache)?;
        output::check_writable(&path)?;
        let truth = self.estimate(ndcg)?;
        output::write_json_pretty(&path, &Kept { key: described, truth: truth.clone() })
            .context("the estimated truth could not be kept for the next run")?;
        Ok(truth)
    }

    /// Estimates the truth; see the module's front page for how.
    fn estimate(&self, ndcg: impl FnOnce() -> Result<Vec<f64>>) -> Result<Truth> {
        let Effort { coarse, fine, budget } = self.effort;
        let mut table = Table::new(self.site);
        let all: Vec<usize> = (0..self.site.arms()).collect();
        self.refine(&mut table, &all, coarse, "coarse");

        let mut spent = 0;
        let mut count = coarse;
        let mut contenders = table.unbeaten();
        while contenders.len() > 1 && count < fine {
            count = (count * 4).min(fine);
            let cost = table.cost(&contenders, count);
            if spent + cost > budget {
                break;
            }
            spent += cost;
            self.refine(&mut table, &contenders, count, &format!("contenders {count}"));
            contenders = table.unbeaten();
        }
        // The likeliest winner's row is measured finely, what is close in it more finely still; should
        // that show it beaten, the next is tried.
        let mut sharpened = 0;
        while let Some(winner) = table.likeliest(&table.unbeaten()) {
            if !table.row_is_fine(winner, fine) {
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
        Ok(by_ndcg(&table, ndcg()?))
    }

    /// Adds `comparisons` of each pair that one of `arms` takes part in.
    fn refine(&self, table: &mut Table, arms: &[usize], comparisons: u64, round: &str) {
        let pairs = table.pairs(arms);
        self.refine_pairs(table, &pairs, comparisons, round);
    }

    /// Adds `comparisons` of each of `pairs`.
    fn refine_pairs(&self, table: &mut Table, pairs: &[(u32, u32)], comparisons: u64, round: &str) {
        let progress = Progress::new("estimating the truth", pairs.len() as u64 * comparisons, self.quiet);
        let stream = format!("truth {round}");
        let counts = compare_pairs(self.site, self.method, pairs, comparisons, self.seed, &stream, &progress);
        progress.finish();
        table.add(pairs, &counts);
    }
}

/// A truth as it is kept: beside the whole key, not its hash alone.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    truth: Truth,
}

/// Without a Condorcet winner: gaps in nDCG.
fn by_ndcg(table: &Table, ndcg: Vec<f64>) -> Truth {
    let winner = (0..ndcg.len()).fold(0, |best, arm| if ndcg[arm] > ndcg[best] { arm } else { best });
    let gaps: Vec<f64> = ndcg.iter().map(|value| ndcg[winner] - value).collect();
    let winners: Vec<usize> = (0..gaps.len()).filter(|&arm| gaps[arm] == 0.0).collect();
    let runner_up = (0..gaps.len()).filter(|arm| !winners.contains(arm)).min_by(|a, b| gaps[*a].total_cmp(&gaps[*b]));
    Truth {
        measure: Measure::Ndcg,
        winner,
        smallest_margin: runner_up.map_or(0.0, |arm| gaps[arm]),
        runner_up,
        winners,
        standard_errors: vec![0.0; gaps.len()],
        gaps,
        z: None,
        comparisons: table.comparisons,
        uninformed: table.is_uninformed(),
    }
}

/// All pairs' counts, and which arms rank alike.
struct Table {
    arms: usize,
    /// Counts of (i, j), i < j, row after row; (j, i) is the same seen from the other side.
    counts: Vec<PairCount>,
    /// The lowest arm with the same lists.
    alike: Vec<usize>,
    comparisons: u64,
}

impl Table {
    fn new(site: &Site) -> Self {
        let arms = site.arms();
        Self {
            arms,
            counts: vec![PairCount::default(); arms * arms.saturating_sub(1) / 2],
            alike: site.rankings().duplicates(),
            comparisons: 0,
        }
    }

    fn index(&self, low: usize, high: usize) -> usize {
        low * (2 * self.arms - low - 1) / 2 + (high - low - 1)
    }

    fn count(&self, arm: usize, other: usize) -> PairCount {
        if arm < other { self.counts[self.index(arm, other)] } else { self.counts[self.index(other, arm)].reversed() }
    }

    /// Pairs with at least one of `arms`, without those that rank alike: they are even by nature.
    fn pairs(&self, arms: &[usize]) -> Vec<(u32, u32)> {
        let mut chosen = vec![false; self.arms];
        for &arm in arms {
            chosen[arm] = true;
        }
        let mut pairs = Vec::new();
        for low in 0..self.arms {
            for high in low + 1..self.arms {
                if (chosen[low] || chosen[high]) && self.alike[low] != self.alike[high] {
                    pairs.push((low as u32, high as u32));
                }
            }
        }
        pairs
    }

    fn cost(&self, arms: &[usize], comparisons: u64) -> u64 {
        self.pairs(arms).len() as u64 * comparisons
    }

    fn add(&mut self, pairs: &[(u32, u32)], counts: &[PairCount]) {
        for (&(low, high), count) in pairs.iter().zip(counts) {
            let index = self.index(low as usize, high as usize);
            self.counts[index] = self.counts[index].merged(*count);
            self.comparisons += count.comparisons;
        }
    }

    /// The arms that `arm` does not rank alike with.
    fn rivals(&self, arm: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.arms).filter(move |&other| self.alike[other] != self.alike[arm])
    }

    /// Arms that no other is sure to beat; of those that rank alike, the first.
    fn unbeaten(&self) -> Vec<usize> {
        (0..self.arms)
            .filter(|&arm| self.alike[arm] == arm)
            .filter(|&arm| {
                self.rivals(arm).all(|other| {
                    let count = self.count(arm, other);
                    count.preference() + RESOLVED * count.standard_error() >= 0.5
                })
            })
            .collect()
    }

    /// The arm's smallest margin and over whom; none where it has no rival.
    fn smallest_margin(&self, arm: usize) -> Option<(f64, usize)> {
        self.rivals(arm)
            .map(|other| (self.count(arm, other).preference() - 0.5, other))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The one of `contenders` with the largest smallest margin.
    fn likeliest(&self, contenders: &[usize]) -> Option<usize> {
        let margin = |arm: usize| self.smallest_margin(arm).map_or(0.5, |(margin, _)| margin);
        contenders.iter().copied().max_by(|a, b| margin(*a).total_cmp(&margin(*b)))
    }

    /// Whether every comparison was a tie.
    fn is_uninformed(&self) -> bool {
        self.counts.iter().all(|count| count.ties == count.comparisons)
    }

    /// The pairs of `arm` with rivals that it is not surely ahead of.
    fn close_pairs(&self, arm: usize) -> Vec<(u32, u32)> {
        self.rivals(arm)
            .filter(|&other| {
                let count = self.count(arm, other);
                count.preference() - 0.5 < RESOLVED * count.standard_error()
            })
            .map(|other| (arm.min(other) as u32, arm.max(other) as u32))
            .collect()
    }

    /// Whether every rival of `arm` has met it at least `comparisons` times.
    fn row_is_fine(&self, arm: usize, comparisons: u64) -> bool {
        self.rivals(arm).all(|other| self.count(arm, other).comparisons >= comparisons)
    }

    fn truth(&self, winner: usize) -> Truth {
        let is_winner = |arm: usize| self.alike[arm] == self.alike[winner];
        let of_rivals = |value: &dyn Fn(PairCount) -> f64| -> Vec<f64> {
            (0..self.arms).map(|arm| if is_winner(arm) { 0.0 } else { value(self.count(winner, arm)) }).collect()
        };
        // A margin below zero can only be one that is not resolved: no ranker is better than the best.
        let gaps = of_rivals(&|count| (count.preference() - 0.5).max(0.0));
        let standard_errors = of_rivals(&PairCount::standard_error);
        let margin = self.smallest_margin(winner);
        // The margin that is least certain is the smallest one: errors hardly differ along a row.
        let z = margin.map(|(margin, other)| margin / standard_errors[other]);
        Truth {
            measure: Measure::Condorcet,
            winner,
            winners: (0..self.arms).filter(|&arm| is_winner(arm)).collect(),
            gaps,
            standard_errors,
            smallest_margin: margin.map_or(0.0, |(margin, _)| margin),
            runner_up: margin.map(|(_, other)| other),
            z: z.filter(|z| z.is_finite()),
            comparisons: self.comparisons,
            uninformed: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::site::tests::{site, site_of_users};

    const EFFORT: Effort = Effort { coarse: 500, fine: 20_000, budget: 10_000_000 };

    fn pi() -> ProbabilisticInterleave {
        ProbabilisticInterleave::new(interleave::CreditTies::Redrawn)
    }

    fn ask(site: &Site, ndcg: impl FnOnce() -> Result<Vec<f64>>) -> Result<Truth> {
        Question { site, method: &pi(), effort: EFFORT, seed: 1, quiet: true }.estimate(ndcg)
    }

    fn label(arm: usize) -> String {
        format!("arm {arm}")
    }

    #[test]
    fn the_best_ranker_and_its_double_are_the_winners() {
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
        assert!(truth.resolved() && truth.z.is_some_and(|z| z > 10.0), "{truth:?}");
        assert!(truth.gaps[0] > 0.0 && truth.gaps[2] > 0.0);
        assert!(truth.describe(label).contains("same lists: arm 3"));
    }

    #[test]
    fn rankers_all_alike_cost_nothing() {
        let (_, site) = site(3, &[|_, _| 1.0, |_, _| 2.0]);
        let truth = ask(&site, || panic!("they are all winners")).expect("an estimate");
        assert_eq!(truth.winners, [0, 1]);
        assert_eq!(truth.gaps, [0.0, 0.0]);
        assert!(truth.resolved() && truth.z.is_none());
    }

    #[test]
    fn a_single_ranker_is_the_best() {
        let (_, site) = site(3, &[|label, _| label]);
        let truth = ask(&site, || panic!("it is the winner")).expect("an estimate");
        assert_eq!((truth.winner, truth.gaps.as_slice()), (0, &[0.0][..]));
    }

    #[test]
    fn where_nobody_clicks_nobody_wins() {
        let rankers: [fn(f64, usize) -> f64; 3] = [|label, _| label, |_, doc| doc as f64, |label, _| -label];
        let (dataset, site) = site_of_users(5, &rankers, "0:0,1:0,2:0");
        let ndcg = || Ok(site.rankings().ndcg(dataset.labels(), 10, rankers::Gain::Exponential)?);
        let truth = ask(&site, ndcg).expect("an estimate");
        assert_eq!((truth.measure, truth.winner, truth.uninformed), (Measure::Ndcg, 0, true));
        assert!(truth.gaps[2] > 0.0 && truth.is_sound());
        assert!(truth.describe(label).starts_with("no ranker is ahead"), "{}", truth.describe(label));
        // One that an earlier version kept is measured again.
        let kept = Truth { measure: Measure::Condorcet, runner_up: Some(1), smallest_margin: 0.0, ..truth };
        assert!(!kept.is_sound());
    }

    /// A table of three arms with these wins in 1,000 comparisons of (0, 1), (0, 2), (1, 2).
    fn table(wins: [u64; 3]) -> Table {
        let counts = wins.map(|wins| PairCount { wins, ties: 0, comparisons: 1000 }).to_vec();
        Table { arms: 3, counts, alike: vec![0, 1, 2], comparisons: 3000 }
    }

    #[test]
    fn in_a_cycle_everyone_is_beaten() {
        let table = table([700, 300, 700]);
        assert_eq!(table.unbeaten(), [] as [usize; 0]);
        let truth = by_ndcg(&table, vec![0.2, 0.5, 0.3]);
        assert_eq!((truth.measure, truth.winner, truth.runner_up), (Measure::Ndcg, 1, Some(2)));
        assert!((truth.gaps[0] - 0.3).abs() < 1e-12);
        assert!(truth.describe(label).contains("no Condorcet winner"));
    }

    #[test]
    fn a_narrow_margin_is_not_resolved() {
        let table = table([505, 700, 700]);
        assert_eq!(table.unbeaten(), [0, 1]);
        assert_eq!(table.likeliest(&[0, 1]), Some(0));
        let truth = table.truth(0);
        assert!(!truth.resolved(), "{truth:?}");
        assert!(truth.describe(label).contains("NOT RESOLVED"));
    }

    #[test]
    fn a_kept_truth_is_the_same_truth() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (_, site) = site(5, &[|label, _| label, |_, doc| doc as f64]);
        let method = pi();
        let question = Question { site: &site, method: &method, effort: EFFORT, seed: 1, quiet: true };
        let establish = || question.establish("content", folder.path(), || Ok(vec![0.0; 2]));
        let first = establish().expect("an estimate");
        assert_eq!(establish().expect("the one kept"), first);
        let kept =
            std::fs::read_dir(folder.path()).expect("a folder").next().expect("a file").expect("an entry").path();
        std::fs::write(&kept, b"{ broken").expect("a writable file");
        assert_eq!(establish().expect("estimated again"), first);
    }
}
