//! The two rankers of a site, and their measurement.

use anyhow::{Context, Result, ensure};
use interleave::AnyInterleaving;
use output::numbers::with_separators;
use output::progress::Progress;
use output::usage::usage;
use ranktypes::spec::nearest;
use ranktypes::text::escaped;
use simulation::arm_names::ArmNames;
use simulation::pairwise::compare_pairs;
use simulation::prepared_site::PreparedSite;
use simulation::truth::{GroundTruth, RegretMeasure};

use analyses::power::Shares;
use analyses::power::click_through::{self, ClickThrough};

/// The most rankers in an error.
const MAX_LISTED: usize = 5;

/// Two rankers on a site.
pub(super) struct MeasuredPair {
    /// The one that wins more first.
    pub(super) arms: [usize; 2],
    /// The shares of its impressions.
    pub(super) shares: Shares,
    /// The standard error of its margin.
    pub(super) standard_error: f64,
    /// Impressions compared.
    pub(super) impressions: u64,
    /// In the order of `pair`.
    pub(super) clicks: ClickThrough,
}

impl MeasuredPair {
    /// The margin in standard errors.
    pub(super) fn z(&self) -> f64 {
        self.shares.margin() / self.standard_error
    }
}

/// The arms with these names.
///
/// # Errors
/// If there is no such ranker, or both are the same.
pub(super) fn by_name(names: &ArmNames, arms: usize, [first, second]: [&str; 2]) -> Result<[usize; 2]> {
    let find = |flag: &str, text: &str| {
        let trimmed = text.trim();
        let is = |arm: &usize| {
            let name = names.name(*arm);
            name == trimmed || names.number(*arm) == trimmed || name.split(" (").next() == Some(trimmed)
        };
        (0..arms).find(is).ok_or_else(|| {
            let arm_name = |arm: usize| names.given_name(arm).map_or_else(|| names.number(arm), str::to_owned);
            let arm_names: Vec<String> = (0..arms).map(arm_name).collect();
            let hint = match nearest(trimmed, arm_names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{}`?", escaped(near)),
                None => {
                    let ellipsis = if arms > MAX_LISTED { ", ..." } else { "" };
                    format!("there are {}{ellipsis}", escaped(&arm_names[..arms.min(MAX_LISTED)].join(", ")))
                }
            };
            usage(format!("{flag} {}: no ranker has that name; {hint}", escaped(trimmed)))
        })
    };
    let pair = [find("--first", first)?, find("--second", second)?];
    ensure!(pair[0] != pair[1], usage(format!("--first {first} and --second {second} are the same ranker; name two",)));
    Ok(pair)
}

/// The best ranker and the one that it has the smallest margin over.
///
/// # Errors
/// If no ranker beats all others.
pub(super) fn best_and_runner_up(truth: &GroundTruth) -> Result<[usize; 2]> {
    let runner_up = truth.runner_up.filter(|_| truth.measure == RegretMeasure::Condorcet);
    let runner_up = runner_up.ok_or_else(|| {
        usage(
            "no ranker beats all others here, so there is no best and no runner-up; name two with --first and --second",
        )
    })?;
    Ok([truth.winner, runner_up])
}

/// Compares two rankers in `impressions` impressions of mixed lists, and shows each alone as often.
///
/// # Errors
/// If no impression prefers either, or both win equally often.
pub(super) fn measure(
    prepared: &PreparedSite,
    arms: [usize; 2],
    impressions: u64,
    seed: u64,
    quiet: bool,
) -> Result<MeasuredPair> {
    let (site, description) = (&prepared.site, &prepared.description);
    let label = |arm: usize| description.label(arm);
    let progress = Progress::new("comparing both rankers", 3 * impressions, quiet);
    let pairs = [(arms[0] as u32, arms[1] as u32)];
    let counts = match &prepared.methods.interleaving {
        AnyInterleaving::Probabilistic(method) => {
            compare_pairs(site, method, &pairs, impressions, seed, "power", &progress)
        }
        method => compare_pairs(site, method, &pairs, impressions, seed, "power", &progress),
    };
    let swap = counts[0].preference() < 0.5;
    let (pair, counts) = if swap { ([arms[1], arms[0]], counts[0].swapped()) } else { (arms, counts[0]) };
    let impressions_text = with_separators(impressions);
    ensure!(
        counts.ties < counts.comparisons,
        "all {impressions_text} impressions of {} and {} are ties: no number of impressions decides between them",
        label(pair[0]),
        label(pair[1])
    );
    ensure!(
        counts.preference() > 0.5,
        "{} and {} won equally many of {impressions_text} impressions; --impressions {} may distinguish them",
        label(pair[0]),
        label(pair[1]),
        impressions.saturating_mul(10)
    );
    let shares = Shares::of_counts(counts).context("there is at least one impression")?;
    ensure!(
        shares.losses > 0.0,
        "{} won every decided one of {impressions_text} impressions; use more --impressions",
        label(pair[0])
    );
    let clicks = click_through::measure(site, pair, impressions, seed, &progress);
    progress.finish();
    Ok(MeasuredPair { arms: pair, shares, standard_error: counts.standard_error(), impressions, clicks })
}

#[cfg(test)]
mod tests {
    use letor_io::FeatureId;

    use super::*;

    #[test]
    fn rankers_are_found_by_name_and_by_feature() {
        let names = ArmNames::features([7, 8, 110].map(FeatureId).to_vec());
        for text in ["110", "feature 110", "feature 110 (arm 2)", " 110"] {
            assert_eq!(by_name(&names, 3, [text, "7"]).unwrap(), [2, 0], "{text}");
        }
        let error = by_name(&names, 3, ["1", "7"]).unwrap_err();
        assert_eq!(error.to_string(), "--first 1: no ranker has that name; there are 7, 8, 110");
        let named = names.clone().with_user_names(letor_io::Names::new(["bm25", "ltr", "dense"]).ok());
        assert_eq!(by_name(&named, 3, ["bm25", "ltr"]).unwrap(), [0, 1]);
        let error = by_name(&named, 3, ["bm25", "bm52"]).unwrap_err();
        assert_eq!(error.to_string(), "--second bm52: no ranker has that name; did you mean `bm25`?");
        let error = by_name(&named, 3, ["colbert", "bm25"]).unwrap_err();
        assert_eq!(error.to_string(), "--first colbert: no ranker has that name; there are bm25, ltr, dense");
        let error = by_name(&names, 3, ["7", "feature 7"]).unwrap_err();
        assert!(error.to_string().contains("are the same ranker"), "{error}");
    }
}
