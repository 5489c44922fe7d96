//! The files of an analysis: tables as CSV and figures.

use std::path::Path;

use anyhow::Result;
use bandits::structure::clearest_cycles;
use bandits::structure::theory::RegretBound;
use bandits::winners::borda_scores;
use bandits::{Arm, PreferenceMatrix, log_spaced};
use figures::{Curve, CurvePoint, Heatmap, Lines, Scale};
use letor_io::FeatureId;
use output::numbers::{number, with_separators, with_unit};
use output::{remove_stale, write_csv};
use serde::Serialize;
use simulation::arm_names::{ArmNames, Numbering};

use super::Config;
use super::difference::Difference;
use super::findings::Findings;
use studies::results::notes;

/// The number of cycles written; hundreds of arms can have millions.
const MAX_CYCLES: usize = 100_000;
/// With more arms than this, axes show ranks: names would overlap.
const MAX_NAMED_ARMS: usize = 30;
/// Half the width of bands, in standard errors.
const BAND: f64 = 2.0;

/// Writes everything except the JSON files; returns a list of the files for the user.
pub(super) fn write(
    folder: &Path,
    matrix: &PreferenceMatrix,
    reference: Option<&PreferenceMatrix>,
    findings: &Findings,
    config: &Config,
) -> Result<String> {
    write_ranking(&folder.join("ranking.csv"), findings, &config.names)?;
    write_cycles(&folder.join("cycles.csv"), matrix, findings, &config.names)?;
    write_subsets(&folder.join("subsets.csv"), findings)?;
    write_bounds(&folder.join("bounds.csv"), findings)?;
    heatmap(matrix, findings, config).save(&folder.join("matrix"))?;
    subsets(findings, config).save(&folder.join("subsets"))?;
    bounds(findings, config).save(&folder.join("bounds"))?;
    let mut files =
        "matrix, subsets and bounds (.png, .svg), ranking.csv, cycles.csv, subsets.csv, bounds.csv".to_owned();
    if let (Some(reference), Some(difference), Some(reference_source)) =
        (reference, &findings.difference, &config.against)
    {
        let order = arms_by_borda_score(reference);
        write_difference(&folder.join("difference.csv"), [matrix, reference], &order, difference, &config.names)?;
        let title = format!("{} minus {}", findings.name, reference_source.name);
        difference_heatmap(title, [matrix, reference], &order, config).save(&folder.join("difference"))?;
        files += ", difference.png, .svg and .csv";
    } else {
        for ending in ["csv", "png", "svg"] {
            remove_stale(&folder.join("difference").with_extension(ending))?;
        }
    }
    Ok(files)
}

fn write_ranking(path: &Path, findings: &Findings, names: &ArmNames) -> Result<()> {
    let mut header = vec!["rank", "arm"];
    header.extend(names.columns());
    header.extend(["copeland", "borda", "von_neumann"]);
    write_csv(path, &header, &findings.ranking)
}

/// A row of `cycles.csv`.
#[derive(Serialize)]
struct CycleRow {
    arms: [Arm; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    elsewhere: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<[Option<String>; 3]>,
    margins: [f64; 3],
    significant: Option<bool>,
}

/// Writes the cycles with the widest margins first: each arm beats the next, and the third beats the first.
fn write_cycles(path: &Path, matrix: &PreferenceMatrix, findings: &Findings, names: &ArmNames) -> Result<()> {
    let significant = |[i, j, k]: [Arm; 3]| {
        let tournament = &findings.significant.as_ref()?.tournament;
        Some(tournament.beats(i, j) && tournament.beats(j, k) && tournament.beats(k, i))
    };
    let mut header = vec!["first", "second", "third"];
    match names.numbering() {
        Numbering::Numbers => {}
        Numbering::Chosen(_) => header.extend(["first_in_matrix", "second_in_matrix", "third_in_matrix"]),
        Numbering::Features(_) => header.extend(["first_feature", "second_feature", "third_feature"]),
    }
    if names.user_names().is_some() {
        header.extend(["first_name", "second_name", "third_name"]);
    }
    header.extend(["margin_first_over_second", "margin_second_over_third", "margin_third_over_first", "significant"]);
    let rows = clearest_cycles(matrix, MAX_CYCLES).into_iter().map(|cycle| {
        let [i, j, k] = cycle.arms.map(|arm| names.origin_number(arm.index()));
        let elsewhere = i.zip(j).zip(k).map(|((i, j), k)| [i, j, k]);
        let user_names =
            names.user_names().map(|user_names| cycle.arms.map(|arm| user_names.get(arm.index()).map(str::to_owned)));
        let (arms, margins) = (cycle.arms, cycle.margins);
        CycleRow { arms, elsewhere, names: user_names, margins, significant: significant(arms) }
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

/// The curves of all bounds that apply, at ten points per decade.
fn curves(findings: &Findings) -> Vec<(String, Vec<(f64, f64)>)> {
    let times: Vec<f64> = log_spaced(1_000_000_000, 10).into_iter().map(|steps| steps as f64).collect();
    let curve = |name: &str, bound: RegretBound| {
        (name.to_owned(), times.iter().map(|&steps| (steps, bound.at(steps))).collect())
    };
    let mut curves = Vec::new();
    if let Some(lower) = findings.lower_bound {
        curves.push(curve("lower bound", RegretBound::logarithmic(0.0, lower.regret)));
        curves.push(curve("every duel includes the winner", RegretBound::logarithmic(0.0, lower.winner_only)));
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

/// The label of an axis with the entries `order`, and the names of the entries if they fit.
fn axis(order: &[Arm], names: &ArmNames) -> (&'static str, Vec<String>) {
    if order.len() > MAX_NAMED_ARMS {
        // Unnamed rows are numbered from 1, like ranks in the tables.
        return ("rank", Vec::new());
    }
    let heading = match names.numbering() {
        Numbering::Features(_) if names.user_names().is_some() => "ranker",
        Numbering::Features(_) => "feature",
        _ => "arm",
    };
    let short_names = names.shortened();
    let label =
        |arm: &Arm| short_names.given_name(arm.index()).map_or_else(|| short_names.number(arm.index()), str::to_owned);
    (heading, order.iter().map(label).collect())
}

/// The note of a figure: where to look up ranks, or which numbers the arms have, and that the data are synthetic.
fn note(ranks: Option<&str>, config: &Config) -> Option<String> {
    let arms = match (ranks, config.names.numbering()) {
        (Some(file), _) => Some(format!("arms by rank: see {file}")),
        (None, Numbering::Numbers | Numbering::Features(_)) => None,
        (None, Numbering::Chosen(_)) if config.given.is_some() => None,
        (None, Numbering::Chosen(_)) => Some("arms by their numbers in the whole matrix".to_owned()),
    };
    notes([arms, config.note.clone()])
}

fn heatmap(matrix: &PreferenceMatrix, findings: &Findings, config: &Config) -> Heatmap {
    let order: Vec<_> = findings.ranking.iter().map(|ranked| ranked.arm).collect();
    let (axis, labels) = axis(&order, &config.names);
    let is_by_rank = axis == "rank";
    Heatmap {
        title: format!("{}: preferences", findings.name),
        subtitle: Some(format!(
            "{}, best first by Copeland and then Borda score; {} of {} triples are cyclic",
            with_unit(findings.arms as u64, "arm"),
            with_separators(findings.order.cyclic_triples),
            with_separators(findings.order.triples)
        )),
        x_label: format!("{axis} (column)"),
        y_label: format!("{axis} (row)"),
        value_label: "P(row beats column)".to_owned(),
        labels,
        values: order.iter().flat_map(|&i| order.iter().map(move |&j| matrix.get(i, j))).collect(),
        unknown: uncompared_pairs(&order, config),
        details: comparison_labels(&order, config),
        note: notes([
            note(is_by_rank.then_some("ranking.csv"), config),
            findings.never_compared.as_ref().map(|never| format!("hatched: {}", never.text)),
            config.wins.as_ref().map(|_| "n: comparisons of the pair, where there is room".to_owned()),
        ]),
        ..Heatmap::default()
    }
}

/// The positions of the pairs that never met among the values of a map with the rows `order`.
fn uncompared_pairs(order: &[Arm], config: &Config) -> Vec<usize> {
    let Some(wins) = &config.wins else { return Vec::new() };
    let cells = order.iter().flat_map(|&i| order.iter().map(move |&j| (i, j))).enumerate();
    cells.filter(|(_, (i, j))| wins.never_met(*i, *j)).map(|(at, _)| at).collect()
}

/// The number of comparisons of each pair, of win counts with the rows `order`; nothing on the diagonal.
fn comparison_labels(order: &[Arm], config: &Config) -> Vec<String> {
    let Some(wins) = &config.wins else { return Vec::new() };
    let comparisons_of = |i: Arm, j: Arm| wins.wins()[i.index() * wins.arms() + j.index()];
    let text = |i: Arm, j: Arm| {
        if i == j { String::new() } else { format!("n {}", number(comparisons_of(i, j) + comparisons_of(j, i))) }
    };
    order.iter().flat_map(|&i| order.iter().map(move |&j| text(i, j))).collect()
}

/// The arms by their Borda scores, best first.
fn arms_by_borda_score(matrix: &PreferenceMatrix) -> Vec<Arm> {
    let scores = borda_scores(matrix);
    let mut order: Vec<Arm> = matrix.all_arms().collect();
    order.sort_by(|a, b| scores[b.index()].total_cmp(&scores[a.index()]));
    order
}

/// A row of `difference.csv`.
#[derive(Serialize)]
struct DifferenceRow {
    /// The rank by Borda score in the other matrix, as in the figure.
    rank: usize,
    arm: Arm,
    #[serde(skip_serializing_if = "Option::is_none")]
    arm_in_matrix: Option<Arm>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feature: Option<FeatureId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "the column is absent, or a cell of it is empty")]
    name: Option<Option<String>>,
    borda: f64,
    borda_against: f64,
    winner_over_arm: Option<f64>,
    winner_over_arm_against: Option<f64>,
}

/// Writes the Borda scores of each arm in both matrices, and the preference of the other matrix's Condorcet winner over
/// it in both. `order` lists the arms by rank, from 1.
fn write_difference(
    path: &Path,
    [matrix, reference]: [&PreferenceMatrix; 2],
    order: &[Arm],
    difference: &Difference,
    names: &ArmNames,
) -> Result<()> {
    let (borda, borda_against) = (borda_scores(matrix), borda_scores(reference));
    let winner_over = |matrix: &PreferenceMatrix, arm| difference.winner.map(|winner| matrix.get(winner, arm));
    let rows = order.iter().zip(1..).map(|(&arm, rank)| DifferenceRow {
        rank,
        arm,
        arm_in_matrix: names.arm_in_matrix(arm.index()),
        feature: names.feature(arm.index()),
        name: names.cell(arm.index()),
        borda: borda[arm.index()],
        borda_against: borda_against[arm.index()],
        winner_over_arm: winner_over(matrix, arm),
        winner_over_arm_against: winner_over(reference, arm),
    });
    let mut header = vec!["rank", "arm"];
    header.extend(names.columns());
    header.extend(["borda", "borda_against", "winner_over_arm", "winner_over_arm_against"]);
    write_csv(path, &header, rows)
}

fn difference_heatmap(
    title: String,
    [matrix, reference]: [&PreferenceMatrix; 2],
    order: &[Arm],
    config: &Config,
) -> Heatmap {
    let (axis, labels) = axis(order, &config.names);
    let value = |i, j| matrix.get(i, j) - reference.get(i, j);
    Heatmap {
        title,
        subtitle: Some("best first by the Borda score of the second matrix; white: both agree".to_owned()),
        x_label: format!("{axis} (column)"),
        y_label: format!("{axis} (row)"),
        value_label: "difference of P(row beats column)".to_owned(),
        labels,
        values: order.iter().flat_map(|&i| order.iter().map(move |&j| value(i, j))).collect(),
        scale: Scale::Difference,
        note: note((axis == "rank").then_some("difference.csv"), config),
        ..Heatmap::default()
    }
}

fn subsets(findings: &Findings, config: &Config) -> Lines {
    let sizes = || (1..=findings.arms).map(|size| size as f64);
    let condorcet = sizes().zip(&findings.subsets.condorcet).map(|(size, &p)| CurvePoint::exact(size, p));
    let order = sizes().zip(&findings.subsets.total_order).map(|(x, estimate)| {
        let (mean, error) = (estimate.probability, BAND * estimate.standard_error);
        CurvePoint { x, mean, low: (mean - error).max(0.0), high: (mean + error).min(1.0) }
    });
    let samples_note = match config.samples {
        0 => String::new(),
        samples => {
            format!("; orders: {} samples beyond three arms, band two standard errors", with_separators(samples))
        }
    };
    Lines {
        title: format!("{}: random subsets of the {}", findings.name, with_unit(findings.arms as u64, "arm")),
        subtitle: Some(format!(
            "Condorcet winner: lowest {:.4}, at {}{samples_note}",
            findings.subsets.lowest_condorcet.probability,
            with_unit(findings.subsets.lowest_condorcet.size as u64, "arm")
        )),
        x_label: "arms in the subset".to_owned(),
        y_label: "probability".to_owned(),
        curves: vec![
            Curve { name: "has a Condorcet winner".to_owned(), points: condorcet.collect() },
            Curve { name: "has a total order".to_owned(), points: order.collect() },
        ],
        note: config.note.clone(),
        ..Lines::default()
    }
}

fn bounds(findings: &Findings, config: &Config) -> Lines {
    let curves = curves(findings).into_iter().map(|(name, points)| {
        let last_step = points.last().map_or(0.0, |(steps, _)| *steps);
        let kind = match findings.upper_bounds.iter().find(|upper| upper.name == name) {
            None => " (asymptotic)",
            Some(upper) if upper.vacuous_until.is_none_or(|until| until > last_step) => " (vacuous)",
            Some(_) => "",
        };
        let name = format!("{name}{kind}");
        let points = points.into_iter().filter(|(_, regret)| *regret < 1e99);
        Curve { name, points: points.map(|(steps, regret)| CurvePoint::exact(steps, regret)).collect() }
    });
    let curves: Vec<Curve> = curves.collect();
    Lines {
        title: format!("{}: regret bounds", findings.name),
        subtitle: Some(format!("upper bounds for alpha {}, delta {}, p {}", config.alpha, config.delta, config.batch)),
        x_label: "steps".to_owned(),
        y_label: "cumulative regret".to_owned(),
        x_log: true,
        y_log: true,
        note: notes([
            curves.iter().any(|curve| curve.name.ends_with("(vacuous)")).then(|| {
                "asymptotic: holds for T towards infinity; vacuous: above what any policy can lose at most, at all T shown"
                    .to_owned()
            }),
            curves.is_empty().then(|| "no bound applies without a Condorcet winner".to_owned()),
            config.note.clone(),
        ]),
        curves,
        ..Lines::default()
    }
}
