//! Pages as browsers get them: everything is escaped, every chart is a table too, and colours can be distinguished.

use std::collections::BTreeMap;

use page::document::{Frame, Live, list, message, overview, sign_in, standalone};
use page::glossary::{CERTAINTIES, FATES, TERMS};
use page::{
    Change, Controls, CountKind, Course, CoursePoint, Delivery, Effect, EffectRow, Figure, Guardrail, Headline,
    ImpressionCount, Latency, ListItem, Matrix, MatrixCell, Measure, Overview, Pair, Rate, RatePoint, STYLES, Section,
    SegmentRow, Segments, Tone, Traffic, TrafficDay,
};

const GLOSSARY: &str = include_str!("../../../docs/pages/reference/glossary.md");
const TRUST: &str = include_str!("../../../docs/pages/trust.md");

const HOSTILE: &str = "</title><script>alert('x')</script>\"&";

fn hostile() -> String {
    HOSTILE.to_owned()
}

fn pair() -> Pair {
    Pair {
        ahead: hostile(),
        behind: hostile(),
        share: Some(0.5625),
        interval: Some((0.4375, 0.6875)),
        units: [1_234, 56],
        confidence: hostile(),
        verdict: hostile(),
        is_decided: true,
    }
}

/// Something in every field, all of it hostile.
fn full(tone: Tone) -> Overview {
    let point = |day| RatePoint {
        day,
        date: format!("2026-11-{day:02}"),
        share: Some(0.5625),
        interval: Some((0.4375, 0.6875)),
        decided: 1_234,
    };
    let headline = Headline { tone, label: hostile(), sentence: hostile(), more: vec![hostile()], action: hostile() };
    Overview {
        name: hostile(),
        state: hostile(),
        headline,
        warnings: vec![hostile()],
        figures: vec![Figure { name: hostile(), value: hostile(), note: hostile() }],
        rates: vec![Rate {
            of: hostile(),
            against: hostile(),
            points: (1..9).map(point).collect(),
            since: Some(4),
            contradicted: Some(hostile()),
        }],
        effect: Some(Effect {
            ahead: hostile(),
            behind: hostile(),
            rows: vec![EffectRow {
                what: hostile(),
                ahead: hostile(),
                behind: hostile(),
                more: hostile(),
                interval: hostile(),
            }],
        }),
        deliveries: vec![Delivery { time: hostile(), what: hostile(), state: hostile(), is_failing: true }],
        measures: vec![Measure { name: hostile(), says: hostile(), decides: true }],
        courses: vec![Course {
            title: hostile(),
            points: (1..4)
                .map(|day| CoursePoint {
                    day,
                    date: format!("2026-11-{day:02}"),
                    difference: 12.5,
                    interval: Some((2.5, 22.5)),
                })
                .collect(),
            since: Some(2),
        }],
        pairs: vec![pair()],
        segments: Some(Segments {
            of: hostile(),
            against: hostile(),
            each: vec![
                SegmentRow { name: hostile(), units: 2_345, pair: Some(pair()), is_harmed: true },
                SegmentRow { name: hostile(), units: 3, pair: None, is_harmed: false },
            ],
            other: 17,
            harms: vec![hostile()],
        }),
        more_pairs: 4_321,
        matrix: Some(Matrix {
            rankers: vec![hostile(), "b".into()],
            cells: vec![None, Some(MatrixCell { share: 0.75, winner: Some(true) }), None, None],
        }),
        traffic: Some(Traffic {
            rankers: vec![hostile(), "b".into()],
            days: vec![TrafficDay { day: 1, date: hostile(), asked: 7_654, clicked: 3_827, lists: vec![7_654, 3_210] }],
            is_going_on: true,
            are_hours: false,
        }),
        fates: vec![ImpressionCount { name: hostile(), count: 9_876, meaning: hostile(), kind: CountKind::Aside }],
        guardrails: vec![Guardrail {
            ranker: hostile(),
            what: hostile(),
            of_ranker: [1_000, 125],
            of_champion: [2_000, 50],
            margin: 0.05,
            broken: Some(hostile()),
        }],
        not_watched: Some(hostile()),
        latency: Some(Latency { about: hostile(), buckets: vec![(hostile(), 8_765), ("more".into(), 4)] }),
        changes: vec![Change { time: hostile(), what: hostile(), who: hostile(), why: hostile() }],
        settings: vec![(hostile(), hostile())],
        report: vec![hostile(), format!("  {HOSTILE}")],
        controls: Some(Controls {
            token: hostile(),
            is_running: true,
            champion: hostile(),
            rankers: vec![hostile()],
            winner: Some(hostile()),
            ..Controls::default()
        }),
    }
}

/// All kinds of pages, with hostile texts wherever a text goes.
fn pages() -> Vec<String> {
    let frame = Frame {
        base: "../",
        reader: Some(hostile()),
        token: Some(hostile()),
        may_sign_in: true,
        notice: Some(hostile()),
    };
    let full = full(Tone::Alarm);
    let line = ListItem {
        name: hostile(),
        state: hostile(),
        headline: full.headline.clone(),
        warnings: vec![hostile()],
        impressions: 12_345,
        since: hostile(),
    };
    vec![
        standalone(&full),
        overview(&frame, HOSTILE, &full.parts(), Some(&Live { stream: hostile() })),
        list(&frame, &[line], Some(HOSTILE)),
        list(&Frame::default(), &[], None),
        sign_in(&frame, Some(HOSTILE), HOSTILE),
        message(&frame, HOSTILE, HOSTILE),
    ]
}

#[test]
fn hostile_texts_stay_texts() {
    for page in pages() {
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
        assert!(!page.contains("<script>") && !page.contains("</title><script"));
        assert!(!page.contains("\"&\"") && !page.contains("'x')</"));
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(!page.contains("NaN") && !page.contains("inf%"));
    }
    // A quoted attribute value cannot end the attribute.
    let part = Section::controls(HOSTILE, &Controls { token: hostile(), is_running: true, ..Controls::default() });
    assert!(part.html.contains("value=\"&lt;/title&gt;"), "{}", part.html);
}

#[test]
fn the_same_part_has_one_id_and_the_page_one_heading() {
    for page in pages() {
        let mut ids: Vec<&str> = page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");
        assert_eq!(page.matches("<h1").count(), 1);
        assert_eq!((page.matches("<main").count(), page.matches("<header").count()), (1, 1));
    }
}

#[test]
fn every_number_of_a_chart_is_in_a_table() {
    let page = standalone(&full(Tone::Good));
    let tables: String = page.split("<table").skip(1).map(|rest| rest.split("</table>").next().unwrap()).collect();
    for number in [
        "56.2%",
        "43.7% to 68.8%",
        "1,234",
        "7,654",
        "3,210",
        "50.0%",
        "9,876",
        "12.5%",
        "8,765",
        "75.0%",
        "2.5 to 22.5",
    ] {
        assert!(tables.contains(number), "{number}");
    }
    // Difference, win rate, traffic, latency.
    assert_eq!(page.matches("role=\"img\"").count(), 4);
}

#[test]
fn what_is_empty_is_left_out_and_words_say_what_colours_say() {
    let empty = Overview::default();
    for part in empty.parts().iter().filter(|part| part.id != "headline") {
        assert_eq!(part.html, "", "{}", part.id);
    }
    for (tone, class) in
        [(Tone::Neutral, "neutral"), (Tone::Good, "good"), (Tone::Notice, "notice"), (Tone::Alarm, "alarm")]
    {
        let headline = Headline { tone, label: "decided".into(), ..Headline::default() };
        let parts = Overview { headline, ..Overview::default() }.parts();
        let html = &parts.iter().find(|part| part.id == "headline").unwrap().html;
        assert!(html.contains(&format!("headline {class}")) && html.contains("<strong>decided</strong>"), "{html}");
    }
    // A reader without rights has no buttons; after the end, a ranker can still be shipped.
    let of = |change: fn(&mut Controls)| {
        let rankers = vec!["old".to_owned(), "new".to_owned()];
        let mut controls = Controls { is_running: true, champion: "old".into(), rankers, ..Controls::default() };
        change(&mut controls);
        Section::controls("e", &controls).html
    };
    let running = of(|_| ());
    assert!(["e/pause", "e/end", "e/kill", "Yes, kill e"].iter().all(|what| running.contains(what)), "{running}");
    let paused = of(|controls| controls.is_running = false);
    assert!(paused.contains("e/resume") && !paused.contains("e/pause"), "{paused}");
    // The rankers that can be shipped are listed by name, the likeliest first.
    assert!(
        running.contains("Ship…")
            && running.contains("No ranker has won.")
            && running.contains("required><option value=\"\">choose…")
            && !running.contains("new has won"),
        "{running}"
    );
    let won = of(|controls| controls.winner = Some("new".to_owned()));
    let options = "<option value=\"new\">new</option><option value=\"old\">old</option>";
    assert!(won.contains("Ship new…") && won.contains(options) && won.contains("new has won: ship it, if"), "{won}");
    let ended = of(|controls| controls.is_over = true);
    assert!(
        ended.contains("e/ship") && ["e/pause", "e/resume", "e/end", "e/kill"].iter().all(|what| !ended.contains(what)),
        "{ended}"
    );
    let shipped = of(|controls| (controls.is_over, controls.shipped) = (true, Some("new".to_owned())));
    assert!(shipped.contains("Ship another…") && shipped.contains("instead of new's"), "{shipped}");
    assert!(!shipped.contains("value=\"new\""), "{shipped}");
}

#[test]
fn a_file_is_complete_and_a_served_page_has_nothing_of_its_own() {
    let file = standalone(&full(Tone::Good));
    assert!(file.contains("<style>") && !file.contains("<script") && !file.contains("href=\"page.css\""));
    let frame = Frame { base: "../", ..Frame::default() };
    let served = overview(&frame, "e", &full(Tone::Good).parts(), Some(&Live { stream: "../v1/e".into() }));
    assert!(served.contains("href=\"../page.css\"") && served.contains("src=\"../page.js\""));
    assert!(!served.contains("<style") && !served.contains(" style="));
    let is_handler = |rest: &str| rest.trim_start_matches(|c: char| c.is_ascii_lowercase()).starts_with('=');
    assert!(!served.split(" on").skip(1).any(is_handler), "scripts come from the script file alone");
    assert!(!served.contains("http"), "nothing is absolute");
}

/// The custom properties of a block of the style sheet.
fn colors(block: &str) -> BTreeMap<&str, [f64; 3]> {
    let block = block.split('}').next().unwrap();
    let pairs = block.split(';').filter_map(|pair| pair.trim().split_once(": #"));
    pairs
        .filter_map(|(name, hex)| {
            let wide: String =
                if hex.len() == 3 { hex.chars().flat_map(|digit| [digit, digit]).collect() } else { hex.into() };
            let part = |at: usize| u8::from_str_radix(wide.get(at..at + 2)?, 16).ok().map(f64::from);
            Some((name.rsplit(' ').next()?.trim_start_matches("--"), [part(0)?, part(2)?, part(4)?]))
        })
        .collect()
}

/// The contrast of two colours, by WCAG 2.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let light = |color: [f64; 3]| {
        let [r, g, b] = color.map(|part| {
            let part = part / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { libm::pow((part + 0.055) / 1.055, 2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn letters_are_legible_in_both_schemes() {
    let [light, dark]: [&str; 2] = STYLES.split(":root {").skip(1).take(2).collect::<Vec<_>>().try_into().unwrap();
    for (scheme, block) in [("light", light), ("dark", dark)] {
        let of = colors(block);
        for name in ["ink", "muted", "link", "good", "notice", "alarm"] {
            let found = contrast(of[name], of["paper"]);
            assert!(found >= 4.5, "{scheme}: {name} has a contrast of {found:.1}");
        }
        for (letters, back) in [("notice", "notice-back"), ("ink", "notice-back"), ("ink", "faint")] {
            assert!(contrast(of[letters], of[back]) >= 4.5, "{scheme}: {letters} on {back}");
        }
        for step in 1..=4 {
            for side in ["up", "down"] {
                let found = contrast(of["on-shade"], of[format!("{side}{step}").as_str()]);
                assert!(found >= 4.5, "{scheme}: {side}{step} has a contrast of {found:.1}");
            }
        }
        for name in ["good-line", "alarm-line", "c0", "c1", "c2"] {
            assert!(contrast(of[name], of["paper"]) >= 3.0, "{scheme}: {name}");
        }
    }
}

#[test]
fn colours_of_rankers_are_those_of_figures() {
    let light = colors(STYLES.split(":root {").nth(1).unwrap());
    let print = colors(STYLES.rsplit(":root {").next().unwrap());
    for (place, (r, g, b)) in figures::COLORS.into_iter().enumerate() {
        let name = format!("c{place}");
        assert_eq!(light[name.as_str()], [r, g, b].map(f64::from), "{name}");
        assert_eq!(print[name.as_str()], light[name.as_str()], "{name}");
    }
}

/// The rows of a table in the glossary: a word and its meaning.
fn rows(table: &str) -> Vec<(&str, &str)> {
    table.lines().filter_map(|line| line.strip_prefix("| *")?.strip_suffix(" |")?.split_once("* | ")).collect()
}

#[test]
fn definitions_are_those_of_the_glossary() {
    let (words, fates) = GLOSSARY.split_once("## Fates").unwrap();
    let glossary = rows(words);
    for word in TERMS {
        assert!(glossary.contains(&(word.name, word.meaning)), "{word:?} is not in the glossary as it is on the page");
    }
    let live = fates.split("Each line").next().unwrap();
    assert_eq!(rows(live), FATES.map(|(name, meaning, _)| (name, meaning)));
}

#[test]
fn words_lead_to_their_definitions() {
    let page = standalone(&Overview {
        figures: vec![Figure { name: "Units counted".into(), value: "7".into(), note: String::new() }],
        ..full(Tone::Good)
    });
    let links: Vec<&str> = page.split("href=\"#word-").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(
        ["unit", "champion", "confidence-sequence", "fate", "guardrail"].iter().all(|word| links.contains(word)),
        "{links:?}"
    );
    for word in links {
        assert!(page.contains(&format!("<dt id=\"word-{word}\">")), "{word}");
    }
    // A page does not explain words that it does not use.
    assert!(!page.contains("word-shipped") && !standalone(&Overview::default()).contains("word-"));
}

#[test]
fn two_kinds_of_certainty_are_told_apart_where_both_stand() {
    let mut of = full(Tone::Good);
    assert!(!standalone(&of).contains(CERTAINTIES));
    of.pairs[0].confidence = "99.7% confidence".into();
    assert_eq!(standalone(&of).matches(CERTAINTIES).count(), 1);
    of.pairs[0].interval = None;
    assert!(!standalone(&of).contains(CERTAINTIES));
    let prose = TRUST.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(prose.contains(CERTAINTIES), "docs/pages/trust.md says it in the same words");
}

#[test]
fn a_cut_band_is_explained_and_another_is_not() {
    let of = |interval| {
        let mut of = full(Tone::Good);
        of.rates[0].points[0].interval = Some(interval);
        standalone(&of)
    };
    let said = "goes on beyond the axis";
    assert!(of((0.0, 1.0)).contains(said) && !of((0.4375, 0.6875)).contains(said));
}
