//! The findings as text for the terminal.

use std::fmt::Write as _;

use bandits::Arm;
use output::numbers::{complement, significant, with_separators};
use output::text_table::{Align, TextTable};
use simulation::arm_names::ArmNames;

use super::Config;
use super::findings::{Findings, OrderFindings, SignificantFindings, UpperBound};

/// Steps at which upper bounds are shown.
const SHOWN_STEPS: f64 = 1e7;

pub(super) fn render(findings: &Findings, config: &Config) -> String {
    let mut text = format!("{}: {}\n\n", findings.name, with_unit(findings.arms, "arm"));
    let names = config.names.shortened();
    for (label, finding) in facts(findings, config, &names) {
        let _ = writeln!(text, "{label:<24}{finding}");
    }
    let _ = writeln!(text, "\n{}", subsets(findings));
    text += "P(total order): exact up to 3 arms";
    if config.samples > 0 {
        let _ = write!(
            text,
            ", then estimated from {} samples (standard error in brackets)",
            with_separators(config.samples)
        );
    }
    if let (Some(agreement), Some(against)) = (&findings.agreement, &config.against) {
        let _ = write!(text, "\n\nagainst {}: {agreement}", against.name);
    }
    if let Some(difference) = &findings.difference {
        let _ = write!(text, "\n{}", difference.describe(&names));
    }
    if let Some(note) = &config.note {
        let _ = write!(text, "\n\n{note}");
    }
    if let Some(arms) = &config.arms {
        let _ = write!(text, "\n\nchosen, in this order: {}", ArmNames::NUMBERS.list(arms));
    }
    text
}

/// Pairs of a label and a finding; an empty label continues the line before.
fn facts(findings: &Findings, config: &Config, names: &ArmNames) -> Vec<(&'static str, String)> {
    let Findings { winners, order, .. } = findings;
    let verb = if winners.copeland.len() == 1 { "beats" } else { "each beating" };
    let never = findings.never_compared.as_ref().map(|never| ("never compared", never.text.clone()));
    let mut facts: Vec<(&'static str, String)> = never.into_iter().collect();
    facts.extend([
        ("Condorcet winner", condorcet_text(findings, names)),
        ("Borda winner", names.list(&winners.borda)),
        ("Copeland winner", format!("{}, {verb} {}", names.list(&winners.copeland), findings.ranking[0].copeland)),
        ("von Neumann winner", lottery_text(&winners.von_neumann, names)),
    ]);
    if let Some(gaps) = &findings.gaps {
        let (closest, mean, largest) = (names.name(gaps.closest.index()), gaps.mean, gaps.largest);
        let gaps = format!("smallest {:.5} over {closest}, mean {mean:.4}, largest {largest:.4}", gaps.smallest);
        facts.push(("gaps of the winner", gaps));
    }
    facts.push(("order", order_text(order, names)));
    facts.push(("cyclic triples", cycles(order)));
    match &findings.significant {
        Some(significant) => facts.extend(significant_text(significant, order, config.comparisons_from.as_deref())),
        None => facts.push(("  significant", "unknown; give the number of --comparisons per pair".to_owned())),
    }
    if let Some(transitivity) = &findings.transitivity {
        let because = transitivity.triple.map_or_else(String::new, |triple| format!(" by {}", names.list(&triple)));
        facts.push(("gamma", format!("{:.3}{because}", transitivity.gamma)));
    }
    let lowest = &findings.subsets.lowest_condorcet;
    facts.push((
        "P(Condorcet winner)",
        format!("lowest {:.4}, of {}", lowest.probability, with_unit(lowest.size, "random arm")),
    ));
    if let Some(bound) = &findings.lower_bound {
        let (regret, winner_only) = (bound.regret, bound.winner_only);
        facts.push((
            "regret, lower bound",
            format!("{regret:.1} ln T; {winner_only:.1} ln T if every duel includes the winner (asymptotic)"),
        ));
    }
    facts.extend(upper_bounds(&findings.upper_bounds));
    facts
}

/// One line per bound, or a single line if none applies for the same reason.
fn upper_bounds(bounds: &[UpperBound]) -> Vec<(&'static str, String)> {
    const LABEL: &str = "regret, upper bounds";
    let reason = |upper: &UpperBound| upper.no_claim_because.clone();
    if let Some(first) = bounds.first().and_then(reason)
        && bounds.iter().all(|upper| reason(upper).as_ref() == Some(&first))
    {
        return vec![(LABEL, format!("none: {first}"))];
    }
    let claim = |upper: &UpperBound| match (&upper.bound, reason(upper)) {
        (Some(bound), _) => {
            let regret = significant(bound.at(SHOWN_STEPS));
            format!("{}: {regret} at T = {SHOWN_STEPS:e}{}", upper.name, vacuous(upper.vacuous_until))
        }
        (None, reason) => format!("{}: none: {}", upper.name, reason.unwrap_or_default()),
    };
    std::iter::once(LABEL).chain(std::iter::repeat("")).zip(bounds.iter().map(claim)).collect()
}

/// The text for a bound that exceeds the largest possible loss by [`SHOWN_STEPS`].
fn vacuous(until: Option<f64>) -> String {
    match until {
        Some(until) if until <= SHOWN_STEPS => String::new(),
        Some(until) => format!(", vacuous until T = {until:.0e}"),
        None => ", vacuous at every T".to_owned(),
    }
}

fn with_unit(count: usize, noun: &str) -> String {
    output::numbers::with_unit(count as u64, noun)
}

/// Equal arms that beat all others share the first place. None of them beats all others, so P(Condorcet winner) of
/// random subsets counts no winner.
fn condorcet_text(findings: &Findings, names: &ArmNames) -> String {
    // Arms that never met may differ.
    let (all_are_equal, are_equal) = match findings.never_compared {
        Some(_) => ("no two arms are known to differ", "are not known to differ"),
        None => ("all arms are equal", "are equal"),
    };
    match findings.winners.condorcet.as_slice() {
        [] => "none".to_owned(),
        [winner] => names.name(winner.index()),
        all if all.len() == findings.arms => format!("none: {all_are_equal}"),
        several => format!("none alone: {} {are_equal} and beat all others", names.list(several)),
    }
}

fn lottery_text(support: &[(Arm, f64)], names: &ArmNames) -> String {
    if let [(arm, _)] = support {
        return format!("{} with weight 1", names.name(arm.index()));
    }
    let entries = support.iter().take(8).map(|(arm, weight)| format!("{} {weight:.4}", names.name(arm.index())));
    let entries: Vec<String> = entries.collect();
    let remainder = if support.len() > 8 { format!(" and {} more", support.len() - 8) } else { String::new() };
    format!("{}{remainder}", entries.join(", "))
}

fn order_text(order: &OrderFindings, names: &ArmNames) -> String {
    let kind = match order.kind {
        "total" => "total: each arm beats all that follow it".to_owned(),
        "partial" => format!("acyclic, but {} at exactly 1/2", with_unit(order.open_pairs, "pair")),
        _ => "cyclic: not a total order".to_owned(),
    };
    match order.top_cycle.len() {
        1 => kind,
        _ => format!("{kind}; top cycle: {}", names.list(&order.top_cycle)),
    }
}

fn cycles(order: &OrderFindings) -> String {
    let share = if order.triples == 0 { 0.0 } else { order.cyclic_triples as f64 / order.triples as f64 };
    format!("{} of {} ({:.2}%)", with_separators(order.cyclic_triples), with_separators(order.triples), 100.0 * share)
}

fn significant_text(
    significant: &SignificantFindings,
    order: &OrderFindings,
    source: Option<&str>,
) -> [(&'static str, String); 2] {
    let source = source.map_or_else(String::new, |file| format!(" (known from {file})"));
    let cycles = format!(
        "{}, from {} comparisons per pair{source}",
        with_separators(significant.cyclic_triples),
        with_separators(significant.comparisons)
    );
    let winner = significant
        .winner_beats
        .map_or_else(String::new, |beats| format!(", the winner's over {}", with_unit(beats, "arm")));
    let pairs = format!(
        "{} of {}{winner}; all correct with probability {}",
        with_separators(order.pairs - significant.open_pairs as u64),
        with_separators(order.pairs),
        complement(significant.error_rate)
    );
    [("  significant", cycles), ("significant pairs", pairs)]
}

fn subsets(findings: &Findings) -> TextTable {
    let columns = ["random arms", "P(Condorcet winner)", "P(total order)"];
    let mut table = TextTable::new(columns.map(|column| (column, Align::Right)));
    let mut sizes = vec![3, 5, 10, 20, 30, 50, 100, 200, 500, findings.subsets.lowest_condorcet.size, findings.arms];
    sizes.retain(|&size| (1..=findings.arms).contains(&size));
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes {
        let total_order = match findings.subsets.total_order.get(size - 1) {
            Some(order) if order.standard_error > 0.0 => {
                format!("{:.4} ({:.4})", order.probability, order.standard_error)
            }
            Some(order) => format!("{:.4}", order.probability),
            None => "-".to_owned(),
        };
        table.row([with_separators(size as u64), format!("{:.4}", findings.subsets.condorcet[size - 1]), total_order]);
    }
    table
}
