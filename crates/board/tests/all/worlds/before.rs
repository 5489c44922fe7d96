//! Boards as they were before clusters were counted by their weights: for the columns *before* of the table of worlds.

use board::{Board, Clusters, Settings, Table, Units};
use statistics::anytime::EProcess;
use statistics::bradley_terry::{
    Comparison, Fit, MaxT, Options, Point, SequentialEvidence, Ties, cells, inflated_covariances, two_way_covariances,
};

/// Pairs (i, j) with i claimed to be stronger than j: at one look, at every look, without a model; and the claimed best.
pub(super) struct Before {
    pub(super) once: Vec<(usize, usize)>,
    pub(super) every: Vec<(usize, usize)>,
    pub(super) beats: Vec<(usize, usize)>,
    pub(super) best: Option<usize>,
}

const ALPHA: f64 = 0.05;

/// The claims about a table of one group with a known order. Statements at every look are slow.
pub(super) fn before(table: &Table, at_every_look: bool) -> Before {
    let units = Units::of(table).unwrap().units;
    let comparisons: Vec<Comparison> = units.iter().map(|unit| unit.comparison).collect();
    let arms = table.names.len();
    let fit = Fit::new(arms, &cells(&comparisons), Options { position: true, ..Options::default() });
    let pairs: Vec<(usize, usize)> =
        (0..arms).flat_map(|i| (0..arms).map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
    let Ok(fit) = fit else {
        return Before { once: Vec::new(), every: Vec::new(), beats: Vec::new(), best: None };
    };
    let size = fit.size();
    let strengths =
        |full: &[f64]| -> Vec<f64> { (0..arms * arms).map(|at| full[at / arms * size + at % arms]).collect() };
    let by_item: Vec<u32> = units.iter().map(|unit| unit.item.unwrap_or(0)).collect();
    let by_judge: Vec<u32> = units.iter().map(|unit| unit.judge.unwrap_or(0)).collect();
    let both: Vec<u32> = by_item.iter().zip(&by_judge).map(|(item, judge)| item * 10_000 + judge).collect();
    let by = |clusters: &[u32]| fit.sandwich(&comparisons, Some(clusters), true);
    let (items, judges) = (table.items.len(), table.judges.len());
    let (clusters, found, count) = match (items >= 20, judges >= 20) {
        (true, true) => {
            (Clusters::Both, two_way_covariances(&by(&by_item), &by(&by_judge), &by(&both)), Some(items.min(judges)))
        }
        (true, false) => (Clusters::Item, by(&by_item), Some(items)),
        (false, true) => (Clusters::Judge, by(&by_judge), Some(judges)),
        (false, false) => (Clusters::Units, fit.sandwich(&comparisons, None, true), None),
    };
    let found = strengths(&found);
    let covariance = inflated_covariances(&strengths(fit.model_covariance()), &found, arms);
    let max_t = MaxT::new(fit.strengths(), &covariance, count.map(|count| count as u64 - 1), ALPHA).unwrap();
    let once = |&(i, j): &(usize, usize)| {
        let (difference, error) = max_t.difference(i, j);
        let variance = found[i * arms + i] + found[j * arms + j] - 2.0 * found[i * arms + j];
        difference > max_t.quantile() * error.max(variance.max(0.0).sqrt())
    };
    let every = if at_every_look {
        let mut sequential = SequentialEvidence::new(arms, Ties::Davidson);
        comparisons.iter().for_each(|comparison| sequential.record(comparison));
        let statements = sequential.statements(ALPHA, 20_000);
        pairs.iter().copied().filter(|(i, j)| statements.is_stronger(*i, *j)).collect()
    } else {
        Vec::new()
    };
    let mut points = vec![0.0; arms * arms];
    for comparison in &comparisons {
        if let Point::Share(share) = comparison.point {
            points[comparison.first * arms + comparison.second] += share;
            points[comparison.second * arms + comparison.first] += 1.0 - share;
        }
    }
    let evidence = EProcess::against(0.5).unwrap();
    let needed = libm::log((arms * (arms - 1)) as f64 / ALPHA);
    let beats = |&(i, j): &(usize, usize)| {
        let (wins, losses) = (points[i * arms + j], points[j * arms + i]);
        wins > losses && evidence.ln_shares(wins, losses) >= needed
    };
    let settings = Settings { clusters, checks: false, advice: false, ..Settings::default() };
    let board = Board::new(table, &settings).unwrap();
    let best = board.competitors.iter().find(|one| one.best >= 1.0 - ALPHA).map(|one| one.number);
    Before {
        once: pairs.iter().copied().filter(once).collect(),
        every,
        beats: pairs.iter().copied().filter(beats).collect(),
        best,
    }
}
