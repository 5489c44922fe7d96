//! What an analysis leaves behind: tables as CSV and figures.

use std::path::Path;

use anyhow::Result;
use bandits::structure::clearest_circles;
use bandits::structure::theory::RegretBound;
use bandits::winners::borda_scores;
use bandits::{PreferenceMatrix, log_spaced};

use super::Config;
use super::difference::Difference;
use super::findings::Findings;
use crate::count::grouped;
use crate::figure::{Curve, CurvePoint, Heatmap, Lines};
use crate::output::{remove_stale, write_csv};

/// Circles that are written down; hundreds of arms may have millions.
const MOST_CIRCLES: usize = 100_000;
/// More arms than this are numbered by their rank in the picture: their names would collide.
const MOST_NAMES: usize = 30;
/// Two standard errors either side are the bands.
const BAND: f64 = 2.0;

/// Writes everything but the JSON files, and says what.
pub(super) fn write(
    folder: &Path,
    matrix: &PreferenceMatrix,
    against: Option<&PreferenceMatrix>,
    findings: &Findings,
    config: &Config,
) -> Result<String> {
    write_ranking(&folder.join("ranking.csv"), findings)?;
    write_circles(&folder.join("circles.csv"), matrix, findings)?;
    write_subsets(&folder.join("subsets.csv"), findings)?;
    write_bounds(&folder.join("bounds.csv"), findings)?;
    heatmap(matrix, findings).save(&folder.join("matrix"))?;
    subsets(findings, config).save(&folder.join("subsets"))?;
    bounds(findings, config).save(&folder.join("bounds"))?;
    let mut written =
        "matrix, subsets and bounds (.png, .svg), ranking.csv, circles.csv, subsets.csv, bounds.csv".to_owned();
    if let (Some(against), Some(found), Some(other)) = (against, &findings.difference, &config.against) {
        write_difference(&folder.join("difference.csv"), matrix, against, found)?;
        difference(matrix, against, findings, &other.name).save(&folder.join("difference"))?;
        written += ", difference.png, .svg and .csv";
    } else {
        for ending in ["csv", "png", "svg"] {
            remove_stale(&folder.join("difference").with_extension(ending))?;
        }
    }
    Ok(written)
}

/// Ranks count from 0, as arms do.
fn write_ranking(path: &Path, findings: &Findings) -> Result<()> {
    let rows = findings
        .ranking
        .iter()
        .enumerate()
        .map(|(index, ranked)| (index, ranked.arm.0, ranked.copeland, ranked.borda, ranked.von_neumann));
    write_csv(path, &["rank", "arm", "copeland", "borda", "von_neumann"], rows)
}

/// The clearest circles first: each arm beats the next, the third the first.
fn write_circles(path: &Path, matrix: &PreferenceMatrix, findings: &Findings) -> Result<()> {
    let genuine = |arms: [bandits::Arm; 3]| {
        let [i, j, k] = arms;
        let tournament = &findings.established.as_ref()?.tournament;
        Some(tournament.beats(i, j) && tournament.beats(j, k) && tournament.beats(k, i))
    };
    let header = ["first", "second", "third", "first_over_second", "second_over_third", "third_over_first", "genuine"];
    let rows = clearest_circles(matrix, MOST_CIRCLES).into_iter().map(|circle| {
        let ([i, j, k], [a, b, c]) = (circle.arms, circle.margins);
        (i.0, j.0, k.0, a, b, c, genuine(circle.arms))
    });
    write_csv(path, &header, rows)
}

fn write_subsets(path: &Path, findings: &Findings) -> Result<()> {
    let rows = findings.subsets.condorcet.iter().enumerate().map(|(index, condorcet)| {
        let order = findings.subsets.total_order.get(index);
        (index + 1, condorcet, order.map(|order| order.probability), order.map(|order| order.standard_error))
    });
    write_csv(path, &["arms", "condorcet_winner", "total_order", "total_order_standard_error"], rows)
}

/// The bounds' curves at ten points a decade, without those that make no claim.
fn curves(findings: &Findings) -> Vec<(String, Vec<(f64, f64)>)> {
    let times: Vec<f64> = log_spaced(1_000_000_000, 10).into_iter().map(|steps| steps as f64).collect();
    let curve = |name: &str, bound: RegretBound| {
        (name.to_owned(), times.iter().map(|&steps| (steps, bound.at(steps))).collect())
    };
    let mut curves = Vec::new();
    if let Some(lower) = findings.lower_bound {
        curves.push(curve("lower bound", RegretBound::logarithmic(0.0, lower.regret)));
        curves.push(curve("duels with the winner alone", RegretBound::logarithmic(0.0, lower.winner_only)));
    }
    for upper in &findings.upper_bounds {
        curves.extend(upper.bound.map(|bound| curve(&upper.name, bound)));
    }
    curves
}

fn write_bounds(path: &Path, findings: &Findings) -> Result<()> {
    let rows = curves(findings)
        .into_iter()
        .flat_map(|(name, points)| points.into_iter().map(move |(steps, regret)| (name.clone(), steps, regret)));
    write_csv(path, &["bound", "steps", "regret"], rows)
}

fn heatmap(matrix: &PreferenceMatrix, findings: &Findings) -> Heatmap {
    let order: Vec<_> = findings.ranking.iter().map(|ranked| ranked.arm).collect();
    let named = order.len() <= MOST_NAMES;
    let axis = if named { "arm" } else { "rank" };
    Heatmap {
        title: format!("{}: who beats whom", findings.name),
        subtitle: Some(format!(
            "{} arms, best first by Copeland and then Borda score; {} of {} triples are circles",
            findings.arms,
            grouped(findings.order.cyclic_triples),
            grouped(findings.order.triples)
        )),
        x_label: format!("{axis} of the beaten"),
        y_label: axis.to_owned(),
        value_label: "P(row beats column)".to_owned(),
        labels: order.iter().filter(|_| named).map(|arm| arm.0.to_string()).collect(),
        values: order.iter().flat_map(|&i| order.iter().map(move |&j| matrix.get(i, j))).collect(),
        note: (!named).then(|| "which arm has which rank: ranking.csv".to_owned()),
    }
}

/// Each arm's Borda score here and there, and how the other matrix's Condorcet winner fares with it.
fn write_difference(
    path: &Path,
    matrix: &PreferenceMatrix,
    against: &PreferenceMatrix,
    found: &Difference,
) -> Result<()> {
    let (here, there) = (borda_scores(matrix), borda_scores(against));
    let over = |matrix: &PreferenceMatrix, arm| found.winner.map(|winner| matrix.get(winner, arm));
    let rows = matrix.all_arms().map(|arm| {
        let at = arm.index();
        (arm.0, here[at], there[at], over(matrix, arm), over(against, arm))
    });
    write_csv(path, &["arm", "borda", "borda_against", "winner_over_arm", "winner_over_arm_against"], rows)
}

fn difference(matrix: &PreferenceMatrix, against: &PreferenceMatrix, findings: &Findings, other: &str) -> Heatmap {
    // The order of the other matrix: its better arms come first.
    let scores = borda_scores(against);
    let mut order: Vec<_> = against.all_arms().collect();
    order.sort_by(|a, b| scores[b.index()].total_cmp(&scores[a.index()]));
    let named = order.len() <= MOST_NAMES;
    let value = |i, j| (0.5 + matrix.get(i, j) - against.get(i, j)).clamp(0.0, 1.0);
    Heatmap {
        title: format!("{} less {other}", findings.name),
        subtitle: Some("best arm first by the Borda score of the second; white where both agree".to_owned()),
        x_label: format!("{} of the beaten", if named { "arm" } else { "rank" }),
        y_label: if named { "arm" } else { "rank" }.to_owned(),
        value_label: "1/2 + difference of P(row beats column)".to_owned(),
        labels: order.iter().filter(|_| named).map(|arm| arm.0.to_string()).collect(),
        values: order.iter().flat_map(|&i| order.iter().map(move |&j| value(i, j))).collect(),
        note: (!named).then(|| "Borda scores of both, arm by arm: difference.csv".to_owned()),
    }
}

fn subsets(findings: &Findings, config: &Config) -> Lines {
    let sizes = || (1..=findings.arms).map(|size| size as f64);
    let condorcet = sizes().zip(&findings.subsets.condorcet).map(|(size, &p)| CurvePoint::exact(size, p));
    let order = sizes().zip(&findings.subsets.total_order).map(|(x, estimate)| {
        let (mean, error) = (estimate.probability, BAND * estimate.standard_error);
        CurvePoint { x, mean, low: (mean - error).max(0.0), high: (mean + error).min(1.0) }
    });
    let sampled = match config.samples {
        0 => String::new(),
        samples => format!("; orders: {} samples beyond three arms, band two standard errors", grouped(samples)),
    };
    Lines {
        title: format!("{}: random subsets of the {} arms", findings.name, findings.arms),
        subtitle: Some(format!(
            "Condorcet winner: lowest {:.4}, at {} arms{sampled}",
            findings.subsets.lowest_condorcet.probability, findings.subsets.lowest_condorcet.size
        )),
        x_label: "arms in the subset".to_owned(),
        y_label: "probability".to_owned(),
        curves: vec![
            Curve { name: "has a Condorcet winner".to_owned(), points: condorcet.collect() },
            Curve { name: "has a total order".to_owned(), points: order.collect() },
        ],
        ..Lines::default()
    }
}

fn bounds(findings: &Findings, config: &Config) -> Lines {
    let curves = curves(findings).into_iter().map(|(name, points)| {
        let points = points.into_iter().filter(|(_, regret)| *regret < 1e99);
        Curve { name, points: points.map(|(steps, regret)| CurvePoint::exact(steps, regret)).collect() }
    });
    let curves: Vec<Curve> = curves.collect();
    Lines {
        title: format!("{}: what theory says of regret", findings.name),
        subtitle: Some(format!("upper bounds for alpha {}, delta {}, p {}", config.alpha, config.delta, config.batch)),
        x_label: "steps".to_owned(),
        y_label: "cumulative regret".to_owned(),
        x_log: true,
        y_log: true,
        note: curves.is_empty().then(|| "there is no Condorcet winner, so nothing is claimed".to_owned()),
        curves,
    }
}
