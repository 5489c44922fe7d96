//! The result of `rankduel power` as table, JSON, CSV and figure.

use anyhow::Result;
use figures::{Curve, CurvePoint, Figure, Lines};
use output::numbers::{significant, with_separators, with_unit};
use output::text_table::{Align, TextTable};
use serde::Serialize;
use serde_json::{Value, json};
use simulation::description::SiteDescription;
use statistics::power::horizon::BoundedTest;

use super::pair::MeasuredPair;
use analyses::power::simulate::SimulatedTests;
use analyses::power::{Goal, Impressions, Shares};

/// How it is decided which ranker is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Test {
    /// Looked at after every impression.
    Anytime,
    /// The same, played.
    Simulated,
    /// MaxSPRT, looked at after every impression until a horizon.
    MaxSprt,
    /// YEAST, likewise.
    Yeast,
    /// The sign test with a single look.
    FixedSample,
    /// Click-through of both rankers, each alone, with a single look.
    #[serde(rename = "ab-test")]
    ClickThrough,
}

impl Test {
    fn label(self) -> &'static str {
        match self {
            Self::Anytime => "look at any time",
            Self::Simulated => "  simulated",
            Self::MaxSprt => "MaxSPRT, to the horizon",
            Self::Yeast => "YEAST, to the horizon",
            Self::FixedSample => "look once",
            Self::ClickThrough => "A/B test, look once",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Anytime => "anytime",
            Self::Simulated => "simulated",
            Self::MaxSprt => "max-sprt",
            Self::Yeast => "yeast",
            Self::FixedSample => "fixed-sample",
            Self::ClickThrough => "ab-test",
        }
    }
}

/// A test and its impressions.
pub(super) struct Row {
    pub(super) test: Test,
    pub(super) impressions: Impressions,
}

/// One difference between two rankers.
pub(super) struct PowerCase {
    shares: Shares,
    pub(super) rows: Vec<Row>,
    observed: Option<SimulatedTests>,
    /// The tests among them that need the horizon.
    bounded: Vec<(Test, BoundedTest)>,
}

impl PowerCase {
    pub(super) fn new(
        shares: Shares,
        rows: Vec<Row>,
        observed: Option<SimulatedTests>,
        bounded: Vec<(Test, BoundedTest)>,
    ) -> Self {
        Self { shares, rows, observed, bounded }
    }
}

/// Impressions per day.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImpressionsPerDay(pub(super) u64);

impl ImpressionsPerDay {
    fn of(self, impressions: f64) -> f64 {
        impressions / self.0 as f64
    }
}

/// All that was found.
pub(super) struct Report<'a> {
    goal: Goal,
    power: f64,
    days: Option<ImpressionsPerDay>,
    cases: Vec<PowerCase>,
    pair: Option<(MeasuredPair, &'a SiteDescription)>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        goal: Goal,
        power: f64,
        days: Option<ImpressionsPerDay>,
        cases: Vec<PowerCase>,
        pair: Option<(MeasuredPair, &'a SiteDescription)>,
    ) -> Self {
        Self { goal, power, days, cases, pair }
    }

    /// For the terminal.
    pub(super) fn text(&self) -> String {
        let mut lines = Vec::new();
        if let Some((pair, site)) = &self.pair {
            lines.extend(self.pair_lines(pair, site));
        }
        lines.push(format!(
            "impressions until it is decided which ranker is better, at {} confidence",
            percent(self.goal.confidence)
        ));
        lines.push(self.table().to_string());
        lines.extend(self.cases.iter().filter_map(|case| about_simulated(case, self.cases.len() > 1)));
        lines.push(
            "look at any time: stops when it decides; look once: after a number of impressions fixed before. The \
             columns are P(decided for the better ranker); each impression is a user of its own"
                .to_owned(),
        );
        if self.cases.iter().any(|case| !case.bounded.is_empty()) {
            lines.push(
                "to the horizon: may be looked at after every impression until the experiment ends, and says nothing \
                 after that; - where it decides less often than that by then"
                    .to_owned(),
            );
        }
        if let Some(note) = self.pair.as_ref().and_then(|(_, site)| site.note()) {
            lines.push(note);
        }
        lines.join("\n")
    }

    fn table(&self) -> TextTable {
        let powers: Vec<String> = self.goal.powers.iter().map(|&power| percent(power)).collect();
        let days = self.days.map(|_| format!("days, {}", percent(self.power)));
        let mut columns = vec![("margin", Align::Right), ("ties", Align::Right), ("test", Align::Left)];
        columns.extend(powers.iter().map(|power| (power.as_str(), Align::Right)));
        columns.push(("mean", Align::Right));
        columns.extend(days.iter().map(|days| (days.as_str(), Align::Right)));
        let mut table = TextTable::new(columns);
        let or_dash = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), rounded_up);
        let power_column = self.goal.powers.iter().position(|&power| power == self.power).unwrap_or(0);
        for case in &self.cases {
            for (number, row) in case.rows.iter().enumerate() {
                let first_row_only = |text: String| if number == 0 { text } else { String::new() };
                let mut cells = vec![
                    first_row_only(significant(case.shares.margin())),
                    first_row_only(percent(case.shares.ties)),
                    row.test.label().to_owned(),
                ];
                cells.extend(row.impressions.by_power.iter().map(|&value| or_dash(value)));
                cells.push(or_dash(row.impressions.mean));
                if let Some(days) = self.days {
                    let value = row.impressions.by_power[power_column];
                    cells.push(value.map_or_else(|| "-".to_owned(), |value| significant(days.of(value))));
                }
                table.row(cells);
            }
        }
        table
    }

    fn pair_lines(&self, pair: &MeasuredPair, site: &SiteDescription) -> Vec<String> {
        let [first, second] = pair.arms.map(|arm| site.label(arm));
        let Shares { wins, losses, ties } = pair.shares;
        let mut lines = vec![
            format!("{first} against {second}: {} interleaving, {} clicks", site.interleave, site.click.model),
            format!(
                "{first} wins {} of the impressions, loses {}, ties {}; margin {} ± {} (s.e.), from {}",
                percent(wins),
                percent(losses),
                percent(ties),
                significant(pair.shares.margin()),
                significant(pair.standard_error),
                with_unit(pair.impressions, "impression")
            ),
        ];
        if pair.z() < 3.0 {
            lines.push(format!(
                "THE DIFFERENCE IS NOT RESOLVED (z = {:.1}, below 3): the prediction may be far off; use more --impressions",
                pair.z()
            ));
        } else if let Some((low, high)) = self.range(pair) {
            lines.push(format!(
                "with the margin two standard errors larger or smaller, half of all tests decide within {} or {} impressions",
                rounded_up(low),
                rounded_up(high)
            ));
        }
        let clicks = &pair.clicks;
        let difference = clicks.difference();
        let mut click_through = format!(
            "impressions with a click: {} of {first}, {} of {second}, each alone (difference {} ± {})",
            percent(clicks.rates[0]),
            percent(clicks.rates[1]),
            significant(difference),
            significant(clicks.standard_error)
        );
        if difference.abs() < 3.0 * clicks.standard_error {
            click_through += "; NOT RESOLVED: the A/B test below may be far off";
        } else if difference < 0.0 {
            click_through += &format!("; an A/B test decides for {second}");
        }
        lines.push(click_through);
        lines
    }

    /// The medians of the sequential test at margins two standard errors above and below the estimate.
    fn range(&self, pair: &MeasuredPair) -> Option<(f64, f64)> {
        let median = |margin: f64| {
            let goal = Goal { powers: vec![0.5], ..self.goal.clone() };
            Impressions::of_anytime_test(&pair.shares.with_margin(margin)?, &goal).ok()?.by_power[0]
        };
        let (margin, error) = (pair.shares.margin(), pair.standard_error);
        Some((median(margin + 2.0 * error)?, median(margin - 2.0 * error)?))
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        let number = |value: Option<f64>| json!(value);
        let cases = self.cases.iter().map(|case| {
            let tests = case.rows.iter().map(|row| {
                let by_power = self.goal.powers.iter().zip(&row.impressions.by_power).map(|(&power, &impressions)| {
                    let mut entry = json!({"power": power, "impressions": number(impressions)});
                    if let Some(days) = self.days {
                        entry["days"] = number(impressions.map(|impressions| days.of(impressions)));
                    }
                    entry
                });
                let mut entry = json!({"test": row.test, "by_power": by_power.collect::<Vec<_>>()});
                if let Some(mean) = row.impressions.mean {
                    entry["mean_impressions"] = json!(mean);
                }
                entry
            });
            let mut entry = json!({
                "margin": case.shares.margin(),
                "shares": case.shares,
                "share_of_decided": case.shares.share(),
                "tests": tests.collect::<Vec<_>>(),
            });
            if let Some(observed) = &case.observed {
                entry["simulated"] = json!({
                    "tests": observed.tests,
                    "wrong": observed.wrong,
                    "undecided": observed.undecided,
                    "given_up_after": observed.limit,
                });
            }
            entry
        });
        let mut report_json = json!({
            "confidence": self.goal.confidence,
            "power": self.power,
            "cases": cases.collect::<Vec<_>>(),
        });
        if let Some(ImpressionsPerDay(per_day)) = self.days {
            report_json["per_day"] = json!(per_day);
        }
        if let Some((pair, site)) = &self.pair {
            let ranker = |arm: usize| json!({"arm": arm, "feature": site.rankers[arm], "label": site.label(arm)});
            report_json["pair"] = json!({
                "better": ranker(pair.arms[0]),
                "other": ranker(pair.arms[1]),
                "interleave": site.interleave,
                "click": site.click.model,
                "impressions": pair.impressions,
                "margin_standard_error": pair.standard_error,
                "resolved": pair.z() >= 3.0,
                "click_through": pair.clicks,
            });
            report_json["synthetic"] = json!(site.dataset.synthetic);
        }
        report_json
    }

    /// The header and the rows of power.csv: one per case, test and power.
    pub(super) fn csv(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let mut header = vec!["margin", "ties", "share_of_decided", "test", "statistic", "impressions"];
        header.extend(self.days.map(|_| "days"));
        let mut rows = Vec::new();
        for case in &self.cases {
            for row in &case.rows {
                let quantiles = self.goal.powers.iter().zip(&row.impressions.by_power);
                let values = quantiles.map(|(power, value)| (format!("power {power}"), *value));
                let mean = row.impressions.mean.map(|mean| ("mean".to_owned(), Some(mean)));
                for (statistic, value) in values.chain(mean) {
                    let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
                    let shares = &case.shares;
                    let mut cells = [shares.margin(), shares.ties, shares.share()].map(|x| x.to_string()).to_vec();
                    cells.extend([row.test.name().to_owned(), statistic, text(value)]);
                    cells.extend(self.days.map(|days| text(value.map(|value| days.of(value)))));
                    rows.push(cells);
                }
            }
        }
        (header, rows)
    }

    /// The probability of having decided against impressions.
    pub(super) fn figure(&self) -> Result<Figure> {
        // With less than the level, a test with a single look needs no impressions at all.
        let powers = (1..=99).map(|percent| f64::from(percent) / 100.0);
        let powers: Vec<f64> = powers.filter(|power| *power > 1.0 - self.goal.confidence).collect();
        let goal = Goal { powers, ..self.goal.clone() };
        let curve = |name: String, impressions: &Impressions| {
            let points = goal.powers.iter().zip(&impressions.by_power);
            let points = points.filter_map(|(&power, x)| x.map(|x| CurvePoint::exact(x, power)));
            Curve { name, points: points.collect() }
        };
        // A colour is a margin, dashes are a test.
        let (mut curves, mut styles) = (Vec::new(), Vec::new());
        for (color, case) in self.cases.iter().enumerate() {
            let margin = if self.cases.len() > 1 {
                format!(", margin {}", significant(case.shares.margin()))
            } else {
                String::new()
            };
            curves
                .push(curve(format!("look at any time{margin}"), &Impressions::of_anytime_test(&case.shares, &goal)?));
            curves.push(curve(format!("look once{margin}"), &Impressions::of_sign_test(&case.shares, &goal)?));
            styles.extend([[color, 0], [color, 1]]);
            for (dashes, (test, bounded)) in [2, 4].into_iter().zip(&case.bounded) {
                let impressions = Impressions::of_bounded_test(&case.shares, &goal, bounded)?;
                curves.push(curve(format!("{}{margin}", test.label()), &impressions));
                styles.push([color, dashes]);
            }
        }
        if let Some((pair, _)) = &self.pair {
            curves.push(curve("A/B test, look once".to_owned(), &Impressions::ab_test(&pair.clicks, &goal)?));
            styles.push([0, 3]);
        }
        let title = match &self.pair {
            Some((pair, site)) => {
                let [first, second] = pair.arms.map(|arm| site.label(arm));
                format!("Impressions until {first} is known to beat {second}")
            }
            None => "Impressions until it is decided which ranker is better".to_owned(),
        };
        Lines {
            title,
            subtitle: Some(format!("at {} confidence", percent(self.goal.confidence))),
            x_label: "impressions".to_owned(),
            y_label: "P(decided for the better ranker)".to_owned(),
            x_log: true,
            y_log: false,
            curves,
            styles,
            note: self.pair.as_ref().and_then(|(_, site)| site.note()),
            ..Lines::default()
        }
        .render()
    }
}

/// A remark on simulated tests.
fn about_simulated(case: &PowerCase, several: bool) -> Option<String> {
    let observed = case.observed.as_ref()?;
    let margin_text = if several { format!(" (margin {})", significant(case.shares.margin())) } else { String::new() };
    let undecided = match observed.undecided {
        0 => String::new(),
        count => format!(", {} undecided after {}", with_separators(count), with_separators(observed.limit)),
    };
    Some(format!(
        "simulated{margin_text}: {}, {} decided for the wrong ranker{undecided}",
        with_unit(observed.tests, "test"),
        with_separators(observed.wrong)
    ))
}

fn percent(share: f64) -> String {
    let text = format!("{:.2}", 100.0 * share);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of impressions: three digits, and no part of one.
fn rounded_up(value: f64) -> String {
    let value = value.ceil();
    if value < 1_000.0 { format!("{value}") } else { significant(value) }
}
