//! Tests of printed figures: sizes, fonts, names, and what does not fit.
#![expect(clippy::disallowed_methods, reason = "shapes of sample curves")]

use super::legend::spread_apart;
use super::*;
use crate::{Curve, CurvePoint, Panel};

fn figure(count: usize) -> Panels {
    let curve = |at: usize| Curve {
        name: format!("algorithm-{at}"),
        points: (0..=12)
            .map(|k| 10_f64.powf(f64::from(k) / 2.0))
            .map(|x| {
                let mean = (at + 1) as f64 * x.sqrt();
                CurvePoint { x, mean, low: 0.8 * mean, high: 1.3 * mean }
            })
            .collect(),
    };
    Panels {
        title: "Regret <of> A & B ½".into(),
        panels: vec![Panel {
            x_label: "steps".into(),
            y_label: "cumulative regret".into(),
            x_log: true,
            curves: (0..count).map(curve).collect(),
            ..Panel::default()
        }],
        note: Some("synthetic data".into()),
        ..Panels::default()
    }
}

fn grid() -> Grid {
    Grid {
        title: "Regret".into(),
        x_label: "alpha".into(),
        y_label: "p".into(),
        value_label: "regret".into(),
        columns: ["0.7", "0.8", "0.9"].map(str::to_owned).to_vec(),
        rows: ["4", "8"].map(str::to_owned).to_vec(),
        maps: vec![(String::new(), vec![Some(1.0), Some(1.25), None, Some(1.5), Some(1.75), Some(2.0)])],
        ..Grid::default()
    }
}

/// The texts of an SVG with the sizes of their letters.
fn texts(svg: &str) -> Vec<(f64, String)> {
    let found = svg.split("<text ").skip(1).map(|rest| {
        let (tag, text) = rest.split_once('>').unwrap();
        let size = tag.split("font-size=\"").nth(1).unwrap().split('"').next().unwrap();
        (size.parse().unwrap(), text.split('<').next().unwrap().to_owned())
    });
    found.collect()
}

/// The contents of all streams.
fn streams(pdf: &[u8]) -> Vec<Vec<u8>> {
    let find =
        |from: usize, wanted: &[u8]| pdf[from..].windows(wanted.len()).position(|at| at == wanted).map(|at| from + at);
    let (mut streams, mut from) = (vec![], 0);
    while let Some(start) = find(from, b"\nstream\n") {
        let end = find(start, b"\nendstream").unwrap();
        streams.push(miniz_oxide::inflate::decompress_to_vec_zlib(&pdf[start + 8..end]).unwrap());
        from = end + 10;
    }
    streams
}

#[test]
fn a_sheet_has_the_size_and_letters_that_were_asked_for() {
    for (width, font) in [(3.33 * 72.0, 8.0), (7.0 * 72.0, 9.0)] {
        let print = Print { width, font, ..Print::default() };
        let sheet = print.panels(&figure(3)).unwrap();
        let [wide, high] = sheet.size();
        assert_eq!(wide, width);
        let svg = sheet.svg();
        assert!(
            svg.contains(&format!("width=\"{}pt\"", crate::drawing::canvas::format_number(width))),
            "{}",
            &svg[..200]
        );
        let texts = texts(&svg);
        assert!(texts.iter().all(|(size, _)| (font * 7.0 / 8.0..=font).contains(size)), "{texts:?}");
        for wanted in
            ["algorithm-2", "cumulative regret", "steps", "synthetic data", "10⁶", "Regret &lt;of&gt; A &amp; B ½"]
        {
            assert!(texts.iter().any(|(_, text)| text == wanted), "{wanted} in {texts:?}");
        }
        let png = sheet.png(300.0).unwrap();
        let number = |at: usize| f64::from(u32::from_be_bytes(png[at..at + 4].try_into().unwrap()));
        for (pixels, points) in [(number(16), wide), (number(20), high)] {
            assert!((pixels - points / 72.0 * 300.0).abs() <= 2.0, "{pixels} for {points} pt");
        }
    }
    let tall = Print { height: Some(200.0), ..Print::default() }.panels(&figure(3)).unwrap();
    assert_eq!(tall.size()[1], 200.0);
}

#[test]
fn an_adaptive_sheet_has_a_dark_form_of_every_grey() {
    let plain = Print::default().panels(&figure(8)).unwrap();
    let svg = plain.svg();
    let mut greys: Vec<&str> = svg.split('"').filter(|text| text.len() == 7 && text.starts_with('#')).collect();
    greys.retain(|color| color[1..3] == color[3..5] && color[3..5] == color[5..7] && *color != "#ffffff");
    let adaptive = plain.adaptive().svg();
    let (style, rest) = adaptive.split_once("</style>\n").expect("a style");
    assert!(!svg.contains("<style>") && rest.starts_with("<rect width="), "{}", &rest[..80]);
    for grey in greys {
        assert!(style.contains(&format!("=\"{grey}\"]")), "{grey} in {style}");
    }
    // So has the box behind a legend, but not a number on a dark square.
    let inside = Print { legend: LegendPlace::Inside, width: 400.0, ..Print::default() };
    let boxed = inside.panels(&figure(2)).unwrap().svg();
    assert!(boxed.contains("fill=\"#ffffff\" fill-opacity=\"0.85\"") && style.contains(":not(text)[fill=\"#ffffff\"]"));
}

#[test]
fn a_pdf_embeds_its_fonts_and_its_letters_can_be_read() {
    let sheet = Print::default().panels(&figure(2)).unwrap();
    let pdf = sheet.pdf().unwrap();
    assert_eq!(pdf, Print::default().panels(&figure(2)).unwrap().pdf().unwrap(), "the same bytes");
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.starts_with("%PDF-1.5\n") && text.ends_with("%%EOF"));
    assert!(
        text.contains(&format!("/MediaBox [0 0 239.76 {}]", crate::drawing::canvas::format_number(sheet.size()[1])))
    );
    assert_eq!(text.matches("/FontFile2 ").count(), 2, "regular and bold");
    assert!(text.contains("+DejaVuSans\n") && text.contains("+DejaVuSans-Bold\n"));
    let streams = streams(&pdf);
    let fonts: Vec<_> = streams.iter().filter(|bytes| ttf_parser::Face::parse(bytes, 0).is_ok()).collect();
    assert!(fonts.len() == 2 && fonts.iter().all(|font| font.len() < 40_000));
    let letters = streams.iter().filter_map(|bytes| std::str::from_utf8(bytes).ok());
    let letters: Vec<_> = letters.filter(|text| text.contains("begincmap")).collect();
    assert!(letters.len() == 2 && letters.iter().all(|text| text.contains("> <0065>")), "{letters:?}");
    // Every object is where the table says.
    let table: usize = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
    let rows = String::from_utf8(pdf[table..].to_vec()).unwrap();
    for (number, row) in rows.lines().skip(3).take_while(|row| row.ends_with("n ")).enumerate() {
        let start: usize = row[..10].parse().unwrap();
        assert!(pdf[start..].starts_with(format!("{} 0 obj\n", number + 1).as_bytes()), "{row}");
    }
}

#[test]
fn names_are_where_they_were_asked_for() {
    let names = |legend: LegendPlace, count: usize| {
        let svg = Print { legend, ..Print::default() }.panels(&figure(count)).unwrap().svg();
        texts(&svg).iter().filter(|(_, text)| text.starts_with("algorithm-")).count()
    };
    for legend in [LegendPlace::Auto, LegendPlace::Inside, LegendPlace::Outside, LegendPlace::Direct] {
        assert_eq!(names(legend, 3), 3, "{legend:?}");
    }
    assert_eq!(names(LegendPlace::None, 3), 0);
    assert_eq!((names(LegendPlace::Auto, 24), names(LegendPlace::Outside, 24)), (24, 24));
    let relabel = vec![("algorithm-1".to_owned(), "RUCB".to_owned())];
    let sheet = Print { relabel, ..Print::default() }.panels(&figure(2)).unwrap();
    let texts = texts(&sheet.svg());
    assert!(texts.iter().any(|(_, text)| text == "RUCB") && !texts.iter().any(|(_, text)| text == "algorithm-1"));
}

#[test]
fn another_name_keeps_the_colour() {
    let palette: Vec<String> = (0..9).map(|at| format!("algorithm-{at}")).collect();
    let mut one = figure(9);
    one.palette = palette;
    let mut other = one.clone();
    other.panels[0].curves.remove(0);
    let relabel = vec![("algorithm-8".to_owned(), "best".to_owned())];
    let print = Print { legend: LegendPlace::Outside, relabel, ..Print::default() };
    // The sample of a line is drawn before its name.
    let color = |figure: &Panels| {
        let svg = print.panels(figure).unwrap().svg();
        let before = svg[..svg.find(">best<").unwrap()].rfind("stroke=\"").unwrap();
        svg[before + 8..before + 15].to_owned()
    };
    assert_eq!(color(&one), color(&other));
}

#[test]
fn bars_end_within_the_plot() {
    let mut dotted = figure(2);
    let panel = &mut dotted.panels[0];
    (panel.dots, panel.x_log, panel.y_log) = (true, false, true);
    for point in panel.curves.iter_mut().flat_map(|curve| &mut curve.points) {
        point.low = point.mean / 40.0;
    }
    let svg = Print::default().panels(&dotted).unwrap().svg();
    let [wide, high] = Print::default().panels(&dotted).unwrap().size();
    let mut ends = 0;
    for path in svg.split("<path d=\"M").skip(1) {
        let points = path.split('"').next().unwrap().trim_end_matches('Z');
        for point in points.split('L') {
            let (x, y) = point.split_once(' ').unwrap();
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            assert!((0.0..=wide).contains(&x) && (0.0..=high).contains(&y), "{point}");
            ends += 1;
        }
    }
    // A bar and two ends for each point of both curves, two points each.
    assert!(ends >= 2 * 13 * 6, "{ends}");
    // With the lowest end on the axis: 1/40 is above 10⁻².
    assert!(texts(&svg).iter().any(|(_, text)| text == "10⁻²"), "{:?}", texts(&svg));
}

#[test]
fn heat_maps_show_their_values() {
    let sheet = Print::default().grid(&grid()).unwrap();
    let texts = texts(&sheet.svg());
    for wanted in ["1.00", "1.25", "2.00", "alpha", "p", "0.8", "8", "regret"] {
        assert!(texts.iter().any(|(_, text)| text == wanted), "{wanted} in {texts:?}");
    }
    assert!(sheet.pdf().unwrap().starts_with(b"%PDF"));
    let broken = Grid { rows: vec!["4".into()], ..grid() };
    let error = Print::default().grid(&broken).err().unwrap().to_string();
    assert!(error.contains("6 values for 1 rows of 3"), "{error}");
}

#[test]
fn what_does_not_fit_is_refused_in_one_line() {
    let refused = |print: Print| print.panels(&figure(3)).err().map(|error| error.to_string()).unwrap_or_default();
    for (print, expected) in [
        (Print { width: 30.0, ..Print::default() }, "from 1 to 100 in"),
        (Print { font: 2.0, ..Print::default() }, "from 4 to 72 pt"),
        (Print { font: 40.0, ..Print::default() }, "too large for a figure of 3.330 in"),
        (Print { height: Some(80.0), ..Print::default() }, "leaves no room for the plots"),
    ] {
        let error = refused(print);
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let crowded = Print { legend: LegendPlace::Inside, ..Print::default() }.panels(&figure(40));
    assert!(crowded.err().unwrap().to_string().contains("choose outside, direct or none"));
}

#[test]
fn names_at_ends_keep_their_distance_and_order() {
    let places = spread_apart(&[10.0, 10.5, 11.0, 50.0, 99.0, 99.5], 8.0, (0.0, 100.0));
    assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 8.0 - 1e-9), "{places:?}");
    assert!(places[0] >= 0.0 && places[5] <= 100.0 + 1e-9, "{places:?}");
    assert_eq!(places[3], 50.0, "what is alone stays");
    let crowded = spread_apart(&[1.0; 30], 8.0, (0.0, 100.0));
    assert!(crowded.windows(2).all(|pair| pair[1] > pair[0]) && crowded[29] <= 100.0 + 1e-9);
    assert!(spread_apart(&[], 8.0, (0.0, 1.0)).is_empty());
}
