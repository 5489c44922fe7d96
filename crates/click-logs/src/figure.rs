//! The win rate over time, with its confidence sequence, as SVG: in the colours and letters of the other figures.

use std::fmt::Write as _;

use times::date;
use verdicts::decide::{Decision, OfVersion, PairDecision, Verdicts};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 30.0;

/// The most panels.
const MOST: usize = 12;

/// One panel per pair and version, at most 12, of several versions the latest: the share of wins of the first ranker until each
/// day, and the interval around it. `None` without any look. `note` stands below, e.g. that the data are synthetic.
#[must_use]
pub fn svg(verdicts: &Verdicts, note: Option<&str>) -> Option<String> {
    let is_one = verdicts.versions.len() == 1;
    fn of_version(version: &OfVersion) -> Vec<(&OfVersion, &PairDecision)> {
        let pairs = version.decision.pairs.iter().filter(|pair| !pair.looks.is_empty());
        pairs.map(|pair| (version, pair)).collect()
    }
    let all: Vec<(&OfVersion, &PairDecision)> = verdicts.versions.iter().flat_map(of_version).collect();
    let skipped = if is_one { 0 } else { all.len().saturating_sub(MOST) };
    let panels: Vec<_> = all.into_iter().skip(skipped).take(MOST).collect();
    if panels.is_empty() {
        return None;
    }
    let height = HEIGHT * panels.len() as f64 + if note.is_some() { 24.0 } else { 0.0 };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"DejaVu Sans, Verdana, Liberation Sans, Arial, sans-serif\" font-size=\"12\" fill=\"#262626\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (number, (version, pair)) in panels.iter().enumerate() {
        let title = (!is_one).then(|| version.title());
        panel(&mut text, title, &version.decision, pair, HEIGHT * number as f64);
    }
    if let Some(note) = note {
        let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{}\" fill=\"#606060\">{}</text>", height - 8.0, escaped(note));
    }
    text.push_str("</svg>\n");
    Some(text)
}

fn panel(text: &mut String, version: Option<&str>, decision: &Decision, pair: &PairDecision, top: f64) {
    let (looks, last) = (&pair.looks, &pair.last);
    let name = |ranker: usize| escaped(&decision.rankers[ranker]);
    let (first_day, last_day) = (looks[0].day, last.day.max(looks[0].day + 1));
    // The last interval in the middle, and half of every look's height at least.
    let intervals = || looks.iter().filter_map(|look| Some((look.day, look.interval?)));
    let reach = intervals().map(|(_, (low, high))| (high - 0.5).max(0.5 - low)).fold(0.5, f64::min);
    let reach = (1.6 * reach).clamp(0.01, 0.5);
    let x = |day: i32| LEFT + (WIDTH - LEFT - RIGHT) * f64::from(day - first_day) / f64::from(last_day - first_day);
    let y = |share: f64| {
        let part = ((share - 0.5) / reach).clamp(-1.0, 1.0);
        top + TOP + (HEIGHT - TOP - BOTTOM) * 0.5 * (1.0 - part)
    };
    let of = version.map_or_else(String::new, |version| format!("{}: ", escaped(version)));
    let title = format!("{of}Share of wins of {} over {}", name(last.pair.0), name(last.pair.1));
    let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{title}</text>", top + 18.0);
    // The band ends where no share fits all days, or nothing is claimed any more.
    let lower: Vec<String> = intervals().map(|(day, (low, _))| format!("{:.1},{:.1}", x(day), y(low))).collect();
    let upper: Vec<String> = intervals().map(|(day, (_, high))| format!("{:.1},{:.1}", x(day), y(high))).collect();
    let outline: Vec<String> = lower.into_iter().chain(upper.into_iter().rev()).collect();
    let _ = writeln!(text, "<polygon points=\"{}\" fill=\"#0072b2\" fill-opacity=\"0.2\"/>", outline.join(" "));
    for tick in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let share = 0.5 + tick * reach;
        let at = y(share);
        let stroke = if tick == 0.0 { "#666666" } else { "#e8e8e8" };
        let _ = writeln!(
            text,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{stroke}\"/>",
            WIDTH - RIGHT
        );
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{:.1}%</text>",
            LEFT - 6.0,
            at + 4.0,
            100.0 * share
        );
    }
    let points: Vec<String> =
        looks.iter().filter_map(|look| Some(format!("{:.1},{:.1}", x(look.day), y(look.counts.share()?)))).collect();
    let _ = writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    // Of a single day, the interval and the dot are all there is.
    if let Some(share) = last.counts.share() {
        let at = x(last.day);
        if let Some((low, high)) = last.interval {
            let _ = writeln!(
                text,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#0072b2\" stroke-width=\"2\"/>",
                y(low),
                y(high)
            );
        }
        let _ = writeln!(text, "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#0072b2\"/>", y(share));
    }
    if let Some(day) = pair.since {
        let (at, low, high) = (x(day), y(0.5 - reach), y(0.5 + reach));
        let _ = writeln!(
            text,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\" stroke=\"#d55e00\" stroke-dasharray=\"4 3\"/>"
        );
        let anchor = if at > WIDTH / 2.0 { "end" } else { "start" };
        let _ = writeln!(
            text,
            "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#d55e00\">decided {}</text>",
            high - 3.0,
            date(day)
        );
    }
    if let Some(found) = pair.contradicted {
        let [winner, other] = [found.winner, found.other].map(name);
        let said = if found.other_is_ahead() {
            format!("{winner} was ahead until {}; {other} is ahead now", date(found.until))
        } else {
            format!("{winner} and {other} were ahead in turn; {winner} is ahead now")
        };
        let (at, y) = (WIDTH - RIGHT, top + 18.0);
        let _ = writeln!(
            text,
            "<text x=\"{at}\" y=\"{y}\" text-anchor=\"end\" font-weight=\"bold\" fill=\"#d55e00\">{said}</text>"
        );
    }
    let foot = top + HEIGHT - 10.0;
    let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{foot}\">{}</text>", date(first_day));
    let _ = writeln!(text, "<text x=\"{}\" y=\"{foot}\" text-anchor=\"end\">{}</text>", WIDTH - RIGHT, date(last.day));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use verdicts::decide::{By, decide};
    use verdicts::outcomes::Outcomes;

    use super::*;

    #[test]
    fn every_pair_has_a_panel() {
        let header =
            "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
        let rows: String = (1..10)
            .map(|day| format!("2026-11-{day:02},a<b,B,{},9,1,1,1,1\n2026-11-{day:02},B,C,9,9,1,1,1,1\n", 9 + 2 * day))
            .collect();
        let outcomes = crate::outcomes::read(&format!("{header}\n{rows}"), &[]).unwrap();
        let decision = decide(&outcomes, 0.05, By::Units).unwrap();
        let figure = svg(&decision, Some("synthetic")).unwrap();
        assert_eq!(figure.matches("<polyline").count(), 2);
        assert!(figure.contains("a&lt;b") && figure.contains("synthetic") && figure.contains("decided 2026-11-"));
        assert!(!figure.contains("NaN") && !figure.contains("inf"));
        assert!(!figure.contains("ahead"));
        // The last day of each panel has its dot, so that one day alone is seen.
        assert_eq!(figure.matches("<circle").count(), 2);
        let turned = format!("{header}\n2026-11-01,A,B,80,20,0,1,1,1\n2026-11-02,A,B,20,380,0,1,1,1\n");
        let decision = decide(&crate::outcomes::read(&turned, &[]).unwrap(), 0.05, By::Units).unwrap();
        assert!(svg(&decision, None).unwrap().contains(">A was ahead until 2026-11-01; B is ahead now</text>"));
        let versions =
            format!("version,{header}\ne@1,2026-11-01,A,B,80,20,0,1,1,1\ne@2,2026-11-02,A,B,20,80,0,1,1,1\n");
        let figure =
            svg(&decide(&crate::outcomes::read(&versions, &[]).unwrap(), 0.05, By::Units).unwrap(), None).unwrap();
        assert!(figure.contains(">e@1: Share of wins of A over B</text>") && figure.contains(">e@2: Share of wins"));
        let nothing = decide(&Outcomes::default(), 0.05, By::Units).unwrap();
        assert_eq!(svg(&nothing, None), None);
    }
}
