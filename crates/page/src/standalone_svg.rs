//! The win rates of a decision as one SVG that needs no page: the charts of the page, on white paper, with its style inside. Its colours
//! are those of a printed page.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use ranktypes::text::with_unit;
use verdicts::decide::{Verdicts, VersionVerdict};

use crate::STYLES;
use crate::charts::{self, HEIGHTS};
use crate::decision::rates;
use crate::model::{Course, Rate};
use crate::text::number;

/// The most charts.
const MAX_PANELS: usize = 12;
/// The width of the figure, and of its margins, in pixels: numbers are to the left and right of a chart.
const WIDTH: f64 = 640.0;
const LEFT_MARGIN: f64 = 56.0;
const RIGHT_MARGIN: f64 = 64.0;
const EDGE: f64 = 16.0;
/// The height of a line of text, and of the dates below a chart.
const LINE: f64 = 17.0;
const DATES: f64 = 30.0;
/// The most letters on a line: those of titles are larger and bold.
const LETTERS: usize = 94;
const LETTERS_OF_TITLES: usize = 64;

/// The rules of charts, and those of the texts around them.
const RULES: &str = concat!(include_str!("plot.css"), include_str!("figure.css"));
/// The class of the figure: its rules apply only within it, also if it is placed in another document.
const SCOPE: &str = "rankduel-win-rates";
/// The sizes of letters, which pages take from their readers.
const SIZES: [(&str, &str); 2] = [("letters", "12px"), ("letters-of-values", "14px")];

/// A line of text: its class and its content.
type Line = (&'static str, String);

/// A chart with the lines above it.
struct Panel {
    lines_above: Vec<Line>,
    chart: Markup,
}

/// The width of a chart.
const INNER: f64 = WIDTH - LEFT_MARGIN - RIGHT_MARGIN;

/// The charts of all pairs, each with the share of the winner or of the ranker that is ahead, in the order of the page; of several
/// versions one after the other. At most 12 are drawn, of several versions the last; the figure says how many are missing. `None`
/// without any look. `note` is placed below, e.g. that the data are synthetic.
#[must_use]
pub fn win_rates(verdicts: &Verdicts, note: Option<&str>) -> Option<String> {
    let are_several = verdicts.versions.len() > 1;
    let of_version = |version: &VersionVerdict| {
        let title = are_several.then(|| version.title().to_owned());
        let of_rate = |rate| (panel(title.as_deref(), &rate), charts::is_cut(&rate));
        rates(&version.decision).into_iter().map(of_rate).collect::<Vec<_>>()
    };
    let mut panels: Vec<(Panel, bool)> = verdicts.versions.iter().flat_map(of_version).collect();
    let hidden_panels = panels.len().saturating_sub(MAX_PANELS);
    if are_several {
        panels.drain(..hidden_panels);
    }
    panels.truncate(MAX_PANELS);
    if panels.is_empty() {
        return None;
    }
    let is_cut = panels.iter().any(|(_, is_cut)| *is_cut);
    let panels: Vec<Panel> = panels.into_iter().map(|(panel, _)| panel).collect();
    let notes = charts::ABOUT.map(str::to_owned).into_iter().chain(is_cut.then(|| charts::CUT.to_owned()));
    let notes = notes
        .chain((hidden_panels > 0).then(|| format!("Not drawn: {}.", with_unit(hidden_panels as u64, "pair"))))
        .chain(note.map(str::to_owned))
        .flat_map(|text| lines("about", &text));
    Some(svg(&panels, &notes.collect::<Vec<_>>()))
}

/// The texts above a chart: the rankers, the days, and whether later outcomes contradict the verdict.
fn panel(version: Option<&str>, rate: &Rate) -> Panel {
    let mut lines_above = lines("title", &format!("{} against {}", rate.of, rate.against));
    let dates = match rate.points.as_slice() {
        [first, .., last] => format!("{} to {}", first.date, last.date),
        [day] => day.date.clone(),
        [] => String::new(),
    };
    let dates = version.map_or_else(|| dates.clone(), |version| format!("{version}, {dates}"));
    lines_above.extend(lines("about", &dates));
    lines_above.extend(rate.contradicted.iter().flat_map(|contradicted| lines("flag", contradicted)));
    Panel { lines_above, chart: charts::plot(rate, HEIGHTS[0], INNER) }
}

/// The charts of differences, such as in value, at most 12. `None` without any look; `notes` is placed below them, a line
/// each.
#[must_use]
pub fn differences(courses: &[Course], notes: &[String]) -> Option<String> {
    let drawable = courses.iter().filter(|course| !course.points.is_empty()).take(MAX_PANELS);
    let panels: Vec<Panel> = drawable
        .map(|course| Panel {
            lines_above: lines("title", &course.title),
            chart: charts::difference_in(course, HEIGHTS[0], INNER),
        })
        .collect();
    let notes: Vec<Line> = notes.iter().flat_map(|text| lines("about", text)).collect();
    (!panels.is_empty()).then(|| svg(&panels, &notes))
}

fn svg(panels: &[Panel], notes: &[Line]) -> String {
    let mut top = 0.0;
    let mut elements = Vec::new();
    for panel in panels {
        elements.push(texts(&panel.lines_above, &mut top));
        top += 14.0;
        elements.push(html! {
            svg x=(LEFT_MARGIN) y=(number(top)) width=(INNER) height=(HEIGHTS[0]) overflow="visible" { (panel.chart) }
        });
        top += HEIGHTS[0] + DATES;
    }
    elements.push(texts(notes, &mut top));
    let height = top + 12.0;
    let svg = html! {
        svg class=(SCOPE) xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (number(height)) } width=(WIDTH) height=(number(height))
            font-family="DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif" {
            style { (PreEscaped(resolved_styles())) }
            rect width="100%" height="100%" fill="#ffffff" {}
            @for element in elements { (element) }
        }
    };
    svg.into_string() + "\n"
}

/// Lines of text from `top` down, which moves.
fn texts(lines: &[Line], top: &mut f64) -> Markup {
    *top += 4.0;
    let placed = lines.iter().map(|line| {
        *top += LINE;
        (number(*top), line)
    });
    let placed: Vec<_> = placed.collect();
    html! { @for (y, (class, text)) in placed { text class=(class) x=(EDGE) y=(y) { (text) } } }
}

/// A text in as many lines as it needs.
fn lines(class: &'static str, text: &str) -> Vec<Line> {
    let max_letters = if class == "title" { LETTERS_OF_TITLES } else { LETTERS };
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= max_letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| (class, line)).collect()
}

/// The rules with values instead of names of values, which programs that place figures in documents do not support.
fn resolved_styles() -> String {
    let print_rules = STYLES.split_once("@media print").map_or("", |(_, print)| print);
    let block = print_rules
        .split_once(":root {")
        .and_then(|(_, declarations)| declarations.split_once('}'))
        .map_or("", |(block, _)| block);
    let colors = block.split(';').filter_map(|pair| pair.trim().strip_prefix("--")?.split_once(": "));
    let values: BTreeMap<&str, &str> = colors.chain(SIZES).collect();
    let mut text = String::new();
    for rule in RULES.lines() {
        let Some((selector, declarations)) = rule.split_once('{') else { continue };
        let mut segments = declarations.split("var(--");
        text += &format!(".{SCOPE} {selector}{{{}", segments.next().unwrap_or_default());
        for segment in segments {
            let (name, suffix) = segment.split_once(')').unwrap_or((segment, ""));
            text += values.get(name).copied().unwrap_or_default();
            text += suffix;
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use statistics::Counts;
    use verdicts::decide::{CountUnit, decide};
    use verdicts::outcomes::{Day, DayCounts, Outcomes};

    use super::*;

    /// A day of a version, and the units won, lost and tied of the first ranker of a pair.
    type Row = (usize, i32, (usize, usize), [u64; 3]);

    fn figure(rankers: &[&str], versions: &[Option<&str>], rows: &[Row], note: Option<&str>) -> Option<String> {
        let day = |&(version, day, pair, [wins, losses, ties]): &Row| Day {
            version,
            day,
            pair,
            counts: DayCounts::of(Counts::new(wins, losses, ties), Counts::new(1, 1, 1)),
        };
        let outcomes = Outcomes {
            rankers: rankers.iter().map(ToString::to_string).collect(),
            versions: versions.iter().map(|version| version.map(str::to_owned)).collect(),
            days: rows.iter().map(day).collect(),
        };
        win_rates(&decide(&outcomes, 0.05, CountUnit::Units).unwrap(), note)
    }

    /// 2026-11-01 and later.
    fn day(number: i32) -> i32 {
        20_757 + number
    }

    #[test]
    fn it_has_a_chart_per_pair_turned_towards_the_winner() {
        let rows: Vec<Row> = (1..10)
            .flat_map(|n| [(0, day(n), (0, 1), [9, 9 + 2 * n as u64, 1]), (0, day(n), (1, 2), [9, 9, 1])])
            .collect();
        let svg = figure(&["a<b", "B", "C"], &[None], &rows, Some("synthetic")).unwrap();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (2, 2));
        assert!(svg.contains(">B against a&lt;b</text>") && svg.contains(">synthetic</text>"), "{svg}");
        assert!(svg.contains(">decided ") && svg.contains(">2026-11-01 to 2026-11-09</text>"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains(" is ahead"), "{svg}");
        assert_eq!(figure(&[], &[None], &[], None), None);
    }

    #[test]
    fn contradictions_and_versions_are_said() {
        let turned = [(0, day(1), (0, 1), [80, 20, 0]), (0, day(2), (0, 1), [20, 380, 0])];
        let svg = figure(&["A", "B"], &[None], &turned, None).unwrap();
        assert!(svg.contains(">A was ahead until 2026-11-01; B is ahead now.</text>"), "{svg}");
        let changed = [(0, day(1), (0, 1), [80, 20, 0]), (1, day(2), (0, 1), [20, 80, 0])];
        let svg = figure(&["A", "B"], &[Some("e@1"), Some("e@2")], &changed, None).unwrap();
        assert!(svg.contains(">e@1, 2026-11-01</text>") && svg.contains(">e@2, 2026-11-02</text>"), "{svg}");
        assert!(svg.contains(">A against B</text>") && svg.contains(">B against A</text>"), "{svg}");
    }

    #[test]
    fn many_pairs_are_counted_and_long_texts_wrapped() {
        let rows: Vec<Row> = (0..6)
            .flat_map(|first| (first + 1..6).map(move |second| (0, day(1), (first, second), [30, 20, 1])))
            .collect();
        let names = ["a", "b", "c", "d", "e", "f"];
        let svg = figure(&names, &[None], &rows, None).unwrap();
        assert_eq!(svg.matches("class=\"plot\"").count(), MAX_PANELS);
        assert!(svg.contains(">Not drawn: 3 pairs.</text>"), "{svg}");
        let wrapped = lines("about", &"word ".repeat(40));
        assert!(wrapped.len() > 2 && wrapped.iter().all(|(_, line)| line.chars().count() <= LETTERS));
    }

    #[test]
    fn it_needs_nothing_and_changes_nothing_around_it() {
        let svg = figure(&["A", "B"], &[None], &[(0, day(1), (0, 1), [30, 20, 1])], None).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        let rules = resolved_styles();
        // Every name of a value has its value, and every rule holds for the figure alone.
        assert!(!rules.contains("var(") && !rules.contains("rem") && !rules.contains(": ;"), "{rules}");
        assert_eq!(rules.lines().count(), RULES.lines().count());
        let is_scoped =
            |rule: &str| rule.starts_with(&format!(".{SCOPE} .")) && rule.ends_with('}') && !rule.contains(',');
        assert!(rules.lines().all(is_scoped), "{rules}");
        assert!(rules.contains(".band { fill: #0072b2; fill-opacity: .17; }"), "{rules}");
        assert!(!svg.contains("http") || svg.matches("http").count() == 1, "nothing but the name of SVG");
    }
}
