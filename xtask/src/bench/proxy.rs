//! P3, P4: preference matrices of data the size of MSLR-WEB30K and of Yahoo's set 1, on all threads, extrapolated from
//! a fraction of the impressions.

use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use clicks::{DependentClickModel, FractionalLabels};
use interleave::{CreditTies, ProbabilisticInterleave};
use letor_io::{FeatureId, lookalike};
use rankers::{Rankings, TieBreaking};
use simulation::proxy::{
    EstimationContext, Identity, InterleavedComparison, PairSelection, Request, Sampling, StartMode, open_state,
    pair_count,
};
use simulation::site::Site;

use super::measure::Row;

/// Impressions per pair of a whole matrix.
const WHOLE_RUN_IMPRESSIONS: u64 = 400_000;

pub(super) fn rows() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    // A few seconds of work each.
    for (goal, name, impressions, minutes) in
        [("P3", "mslr-lookalike", 2000, 110.0 / 60.0), ("P4", "ylr1-lookalike", 200, 42.0)]
    {
        let site = site(name)?;
        let pairs = pair_count(site.arms()) as f64;
        let mut seconds: Vec<f64> =
            (0..3).map(|seed| Ok(time(&site, seed, impressions)? / impressions as f64)).collect::<Result<_>>()?;
        seconds.sort_by(f64::total_cmp);
        let what = format!("{name}, {} rankers, {} queries", site.arms(), site.queries());
        rows.push(Row {
            goal: "",
            what: format!("comparisons of {what}"),
            unit: "M/s",
            value: pairs / seconds[1] / 1e6,
            target: None,
        });
        rows.push(Row {
            goal,
            what: format!("matrix of {what}, from 1/{}", WHOLE_RUN_IMPRESSIONS / impressions),
            unit: "min",
            value: seconds[1] * WHOLE_RUN_IMPRESSIONS as f64 / 60.0,
            target: Some(minutes),
        });
    }
    Ok(rows)
}

/// All features of a look-alike at full size, navigational clicks.
fn site(name: &str) -> Result<Site> {
    let dataset = lookalike::generate(name, 1.0, 1)?;
    let features: Vec<FeatureId> = (1..=dataset.features()).map(FeatureId).collect();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random)?;
    let clicks = DependentClickModel::preset("navigational", 4.0)?.into();
    rankings.rank_all()?;
    Site::new(&dataset, rankings, &clicks, FractionalLabels::Round, 10)
}

/// Seconds that `impressions` impressions of all pairs take.
fn time(site: &Site, seed: u64, impressions: u64) -> Result<f64> {
    let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
    let identity = Identity {
        seed,
        arms: site.arms(),
        queries: site.queries(),
        sampling: Sampling::WithReplacement,
        multileaved: false,
        site: "bench".into(),
    };
    let request =
        Request { impressions, more: false, pairs: PairSelection::All.to_string(), until_standard_error: None };
    // Nothing is read or written: the file does not exist, and nothing is saved.
    let mut state = open_state(Path::new("no state"), identity, request, StartMode::Continue)?;
    let start = Instant::now();
    let comparison = &InterleavedComparison { site, method: &method };
    state.run(&EstimationContext { site, comparison, save: None, quiet: true })?;
    Ok(start.elapsed().as_secs_f64())
}
