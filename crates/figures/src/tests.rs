//! Tests of whole figures: reproducible bytes, required content, and unusual inputs.
#![expect(clippy::disallowed_methods, reason = "shapes of sample curves")]

use crate::*;

/// `count` curves of a few points with bands.
fn curves(count: usize) -> Lines {
    Lines {
        title: "Cumulative regret <of> \"A & B\" in $ and $".into(),
        subtitle: Some("mean of 10 runs".into()),
        x_label: "comparisons".into(),
        y_label: "regret".into(),
        x_log: true,
        note: Some("synthetic".into()),
        curves: (0..count)
            .map(|i| Curve {
                name: format!("algorithm-{i}"),
                points: (0..=12)
                    .map(|k| 10_f64.powf(f64::from(k) / 2.0))
                    .map(|x| {
                        let mean = (i + 1) as f64 * x.sqrt();
                        CurvePoint { x, mean, low: 0.8 * mean, high: 1.3 * mean }
                    })
                    .collect(),
            })
            .collect(),
        ..Lines::default()
    }
}

fn matrix(n: usize) -> Heatmap {
    Heatmap {
        title: "Preferences".into(),
        x_label: "loser".into(),
        y_label: "winner".into(),
        value_label: "P(row beats column)".into(),
        values: (0..n * n).map(|k| 0.5 + 0.4 * ((k % n) as f64 - (k / n) as f64) / n as f64).collect(),
        ..Heatmap::default()
    }
}

/// Width and height of a PNG, after checking its signature.
fn png_size(png: &[u8]) -> (u32, u32) {
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    assert_eq!(png[12..16], *b"IHDR");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

/// Checks that every tag of `svg` is closed in order and that text is escaped, with a small parser for the elements that
/// the library writes. Returns all texts, unescaped.
fn texts(svg: &str) -> Vec<String> {
    let (mut open, mut texts, mut rest) = (Vec::new(), Vec::new(), svg);
    while let Some(start) = rest.find('<') {
        let text = rest[..start].trim();
        for (i, _) in text.match_indices('&') {
            let entity = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];
            assert!(entity.iter().any(|e| text[i..].starts_with(e)), "{text}");
        }
        if !text.is_empty() {
            let text = text.replace("&lt;", "<").replace("&gt;", ">");
            let text = text.replace("&quot;", "\"").replace("&apos;", "'");
            texts.push(text.replace("&amp;", "&"));
        }
        let end = start + rest[start..].find('>').expect("every tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in order");
        } else if !tag.starts_with(['!', '?']) && !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    texts
}

fn has(texts: &[String], wanted: &str) -> bool {
    texts.iter().any(|text| text == wanted)
}

#[test]
fn the_same_values_give_the_same_bytes() {
    let lines = curves(5);
    let first = lines.render().unwrap();
    assert_eq!(first, lines.render().unwrap());
    assert_ne!(first.png, curves(4).render().unwrap().png);
    let map = matrix(20);
    assert_eq!(map.render().unwrap(), map.render().unwrap());
}

#[test]
fn names_titles_and_ticks_are_on_the_figure() {
    let lines = curves(10);
    let figure = lines.render().unwrap();
    assert_eq!(png_size(&figure.png), (2560, 1440));
    assert!(figure.svg.starts_with("<svg "));
    let texts = texts(&figure.svg);
    for name in lines.curves.iter().map(|curve| curve.name.as_str()) {
        assert!(has(&texts, name), "{name}");
    }
    for text in [&lines.title, &lines.x_label, &lines.y_label] {
        assert!(has(&texts, text), "{text}");
    }
    for text in ["mean of 10 runs", "synthetic", "10⁰", "10⁶", "10,000"] {
        assert!(has(&texts, text), "{text}");
    }
    // The highest curve is named first.
    let place = |name: &str| texts.iter().position(|text| text == name);
    assert!(place("algorithm-9") < place("algorithm-0"));
}

#[test]
fn long_titles_and_names_are_shortened_within_the_page() {
    let mut lines = curves(2);
    lines.title = "word ".repeat(60);
    lines.curves[0].name = "a name that goes on and on ".repeat(4);
    let figure = lines.render().unwrap();
    let texts = texts(&figure.svg);
    let title: Vec<_> = texts.iter().filter(|text| text.starts_with("word")).collect();
    assert_eq!(title.len(), 2);
    assert!(title[1].ends_with('…'));
    assert!(texts.iter().any(|text| text.starts_with("a name") && !text.ends_with('…')));
    assert!(texts.iter().any(|text| text.ends_with('…') && text.contains("on and")));
}

#[test]
fn curves_without_visible_points_are_explained() {
    let zero = |xs: &[f64]| xs.iter().map(|&x| CurvePoint::exact(x, 0.0)).collect::<Vec<_>>();
    let named = |name: &str, points| Curve { name: name.into(), points };
    for (x_log, y_log) in [(false, false), (true, false), (false, true), (true, true)] {
        let draw = |curves: Vec<Curve>| {
            let figure = Lines { x_log, y_log, curves, ..Lines::default() }.render().unwrap();
            assert_eq!(png_size(&figure.png), (2560, 1440));
            assert!(!figure.svg.contains("NaN") && !figure.svg.contains("inf"));
            texts(&figure.svg)
        };
        assert!(has(&draw(vec![]), "no data"));
        let empty = draw(vec![named("none", vec![])]);
        assert!(has(&empty, "no data") && has(&empty, "none (no data)"));
        let one = draw(vec![named("one", vec![CurvePoint { x: 3.0, mean: 2.0, low: 1.0, high: 4.0 }])]);
        assert!(has(&one, "one") && !has(&one, "no data"));
        let flat = draw(vec![named("flat", zero(&[1.0, 10.0, 100.0]))]);
        let nothing = "nothing above zero to show on a logarithmic axis";
        assert_eq!(has(&flat, nothing), y_log);
        draw(vec![named("tiny", vec![CurvePoint::exact(1e-300, 5e-324)])]);
        let at_zero = draw(vec![named("start", zero(&[0.0]))]);
        assert_eq!(has(&at_zero, nothing), x_log || y_log);
        draw(vec![named(
            "below",
            vec![
                CurvePoint { x: -1.0, mean: -5.0, low: -6.0, high: -4.0 },
                CurvePoint { x: 2.0, mean: 1e-3, low: -1.0, high: 7e90 },
                CurvePoint { x: 2.0, mean: 1e99, low: 0.0, high: 1e99 },
            ],
        )]);
    }
}

#[test]
fn values_that_cannot_be_drawn_are_errors_with_their_position() {
    let good = CurvePoint { x: 5.0, mean: 1.0, low: 0.0, high: 2.0 };
    for (bad, expected) in [
        (CurvePoint { mean: f64::NAN, ..good }, "mean = NaN"),
        (CurvePoint { x: f64::INFINITY, ..good }, "x = inf"),
        (CurvePoint { low: f64::NEG_INFINITY, ..good }, "low = -inf"),
        (CurvePoint { high: 1e200, ..good }, "finite numbers up to 1e100"),
        (CurvePoint { high: -1.0, ..good }, "from 0 down to -1"),
        (CurvePoint { x: 4.0, ..good }, "back from x = 5 to 4"),
    ] {
        let curve = Curve { name: "RUCB".into(), points: vec![good, bad] };
        let error = Lines { curves: vec![curve], ..Lines::default() }.render().unwrap_err();
        let error = format!("{error:#}");
        assert!(error.contains("\"RUCB\": point 2") && error.contains(expected), "{error}");
        assert!(!error.contains('\n'));
    }
    let refused = |map: Heatmap| format!("{:#}", map.render().unwrap_err());
    assert!(refused(matrix(0)).contains("0 values do not fill a square"));
    let mut map = matrix(3);
    map.values.pop();
    assert!(refused(map).contains("8 values do not fill a square"));
    for bad in [f64::NAN, 1.5, -0.1] {
        let mut map = matrix(3);
        map.values[5] = bad;
        assert!(refused(map).contains("row 2 column 3"));
    }
    let map = Heatmap { labels: vec!["a".into()], ..matrix(3) };
    assert!(refused(map).contains("1 names for 3 rows"));
}

#[test]
fn panels_share_axes_and_legend() {
    let one = curves(3);
    let low: Vec<Curve> =
        one.curves.iter().map(|curve| Curve { points: curve.points[..2].to_vec(), ..curve.clone() }).collect();
    let panel = |name: &str, curves| Panel {
        name: name.into(),
        x_label: "impressions".into(),
        y_label: "regret".into(),
        x_log: true,
        curves,
        ..Panel::default()
    };
    let panels = Panels {
        title: "Both".into(),
        panels: vec![panel("live", one.curves.clone()), panel("proxy", low)],
        one_scale: true,
        note: Some("synthetic".into()),
        ..Panels::default()
    };
    let figure = panels.render().unwrap();
    assert_eq!(figure, panels.render().unwrap());
    let texts = texts(&figure.svg);
    for word in ["Both", "live", "proxy", "regret", "synthetic"] {
        assert!(has(&texts, word), "{word}");
    }
    let count = |wanted: &str| texts.iter().filter(|text| *text == wanted).count();
    assert_eq!(count("impressions"), 2);
    for curve in &one.curves {
        assert_eq!(count(&curve.name), 1, "{} is in the legend once", curve.name);
    }
    // Without a common scale, the lower panel has axes of its own.
    let own = Panels { one_scale: false, ..panels.clone() }.render().unwrap();
    assert_ne!(own.svg, figure.svg);
    assert!(Panels { panels: Vec::new(), ..panels }.render().is_err());
}

/// The centred texts of an SVG, each with its x, y and letter size.
fn middles(svg: &str) -> Vec<(f64, f64, u32, String)> {
    let value = |tag: &str, key: &str| -> Option<String> {
        let start = tag.find(&format!(" {key}=\""))? + key.len() + 3;
        Some(tag[start..].split('"').next()?.to_owned())
    };
    let found = svg.split("<text").skip(1).filter_map(|rest| {
        let (tag, text) = rest.split_once('>')?;
        let number = |key: &str| value(tag, key)?.parse::<f64>().ok();
        let text = text.split('<').next()?.to_owned();
        let middle = value(tag, "text-anchor")? == "middle";
        middle.then_some((number("x")?, number("y")?, number("font-size")? as u32, text))
    });
    found.collect()
}

#[test]
fn tick_labels_of_adjacent_panels_do_not_overlap() {
    for (count, span) in [(2, 1e5), (3, 1e5), (6, 1e7), (3, 9.9e6), (9, 1e3)] {
        for x_log in [false, true] {
            let points = [100.0, 0.3 * span, span].map(|x| CurvePoint::exact(x, 0.5)).to_vec();
            let panel = |number: usize| Panel {
                name: number.to_string(),
                x_label: "x".into(),
                x_log,
                curves: vec![Curve { name: "a".into(), points: points.clone() }],
                ..Panel::default()
            };
            let panels = Panels { title: "t".into(), panels: (0..count).map(panel).collect(), ..Panels::default() };
            let svg = panels.render().unwrap().svg;
            let mut labels = middles(&svg);
            labels.retain(|(.., text)| text.starts_with(|letter: char| letter.is_ascii_digit()));
            assert!(labels.len() >= 2 * count, "{count} {span}: {labels:?}");
            for (at, (x, y, size, text)) in labels.iter().enumerate() {
                for (other, _, _, longer) in labels[at + 1..].iter().filter(|(_, line, ..)| line == y) {
                    let room = (page::text_width(text, *size) + page::text_width(longer, *size)) / 2.0;
                    assert!((x - other).abs() >= room + 3.0, "{count} {span}: {text} at {x}, {longer} at {other}");
                }
            }
        }
    }
}

#[test]
fn the_scale_of_differences_follows_the_largest() {
    let values = |size: f64| (0..16).map(|k| size * (f64::from(k) - 7.5) / 7.5).collect::<Vec<f64>>();
    for (size, labels) in [(0.0083, ["+0.01", "-0.005", "0"]), (0.8, ["+0.8", "-0.4", "0"]), (1.0, ["+1", "-0.5", "0"])]
    {
        let map = Heatmap { values: values(size), scale: Scale::Difference, ..matrix(4) };
        let texts = texts(&map.render().unwrap().svg);
        for label in labels {
            assert!(has(&texts, label), "{label} for {size} in {texts:?}");
        }
    }
    let none = Heatmap { values: vec![0.0; 16], scale: Scale::Difference, ..matrix(4) };
    assert!(has(&texts(&none.render().unwrap().svg), "0"));
    let beyond = Heatmap { values: vec![1.5; 16], scale: Scale::Difference, ..matrix(4) };
    assert!(format!("{:#}", beyond.render().unwrap_err()).contains("differences run from -1 to 1"));
}

#[test]
fn rows_without_names_are_numbered_from_one() {
    for (n, first, last) in [(12, "2", "12"), (136, "1", "130")] {
        let texts = texts(&matrix(n).render().unwrap().svg);
        assert!(has(&texts, first) && has(&texts, last), "{n}: {texts:?}");
        assert!(!has(&texts, "0"), "{n}");
    }
}

#[test]
fn heat_maps_of_every_size() {
    for n in [1, 2, 12, 136, 281] {
        let figure = matrix(n).render().unwrap();
        assert_eq!(png_size(&figure.png), (2560, 1440));
        let texts = texts(&figure.svg);
        assert!(has(&texts, "P(row beats column)") && has(&texts, "0.5"), "{n}");
        let blocks = texts.iter().any(|text| text.contains("mean of 2 × 2 values"));
        assert_eq!(blocks, n > 280);
    }
    let labels: Vec<String> = (0..4).map(|i| format!("ranker-{i}")).collect();
    let texts = texts(&Heatmap { labels, ..matrix(4) }.render().unwrap().svg);
    assert_eq!(texts.iter().filter(|text| *text == "ranker-3").count(), 2, "row and column");
}

/// Each square has the colour of its value: row 0 is on top, and values above one half are blue.
#[test]
fn heat_map_squares_have_the_colours_of_their_values() {
    let map = Heatmap { values: vec![0.5, 1.0, 0.0, 0.5], ..matrix(2) };
    let svg = map.render().unwrap().svg;
    let squares: Vec<_> = svg
        .split("<rect ")
        .filter(|rect| rect.starts_with("x="))
        .take(4)
        .map(|rect| {
            let value = |key: &str| {
                let start = rect.find(&format!("{key}=\"")).unwrap() + key.len() + 2;
                rect[start..].split('"').next().unwrap().to_owned()
            };
            let number = |key: &str| value(key).parse::<f64>().unwrap();
            (number("x"), number("y"), value("fill"))
        })
        .collect();
    let blue = u32::from_str_radix(&squares[1].2[5..7], 16).unwrap();
    let red = u32::from_str_radix(&squares[1].2[1..3], 16).unwrap();
    assert!(blue > red, "{squares:?}");
    assert!(squares[1].0 > squares[0].0 && squares[1].1 == squares[0].1, "{squares:?}");
    assert!(squares[2].1 > squares[0].1 && squares[2].2 != squares[1].2, "{squares:?}");
    assert_eq!(squares[0].2, squares[3].2);
}

#[test]
fn saving_writes_both_files_or_returns_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let stem = folder.path().join("regret.k5");
    curves(1).save(&stem).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["regret.k5.png", "regret.k5.svg"]);
    let png = std::fs::read(folder.path().join("regret.k5.png")).unwrap();
    assert_eq!(png, curves(1).render().unwrap().png);
    let error = matrix(2).save(&folder.path().join("absent/map")).unwrap_err();
    assert!(format!("{error:#}").contains("absent/map.svg"));
}

#[test]
fn the_first_49_curves_differ_in_style() {
    let looks: Vec<_> =
        (0..49).map(drawing::curves::CurveStyle::of).map(|looks| (looks.color, looks.pattern)).collect();
    for (at, one) in looks.iter().enumerate() {
        assert!(!looks[..at].contains(one), "{at}");
    }
}

/// An unknown square is grey, has a diagonal line, and no number.
#[test]
fn unknown_squares_are_hatched() {
    let plain = matrix(2).render().unwrap().svg;
    let svg = Heatmap { unknown: vec![1, 2], ..matrix(2) }.render().unwrap().svg;
    let count = |svg: &str, part: &str| svg.matches(part).count();
    let grey = |svg: &str| count(svg, "#d6d6d6") + count(svg, "rgb(214,214,214)");
    assert_eq!((grey(&plain), grey(&svg)), (0, 2), "{svg}");
    let numbers = |svg: &str| texts(svg).iter().filter(|text| text.len() == 4 && text.starts_with("0.")).count();
    assert_eq!(numbers(&plain) - numbers(&svg), 2);
    let lines = |svg: &str| count(svg, "<polyline") + count(svg, "<path");
    assert!(lines(&svg) >= lines(&plain) + 2);
    // Many squares are drawn as means of blocks: grey if most of a block is unknown.
    let large = Heatmap { unknown: (0..300 * 300).collect(), ..matrix(300) }.render().unwrap().svg;
    assert!(grey(&large) > 1_000);
}

#[test]
fn a_forest_has_a_row_per_estimate_and_refuses_what_it_cannot_draw() {
    let row = |place: usize| ForestRow {
        name: format!("model <{place}>"),
        value: -(place as f64),
        inner: (-(place as f64) - 0.5, 0.5 - place as f64),
        outer: Some((f64::NEG_INFINITY, f64::INFINITY)),
        text: format!("rank {place}"),
    };
    let forest = Forest {
        title: "Strengths".into(),
        x_label: "strength".into(),
        rows: (0..60).map(row).collect(),
        ..Forest::default()
    };
    let figure = forest.render().unwrap();
    for place in 0..60 {
        assert!(
            figure.svg.contains(&format!("model &lt;{place}&gt;")) && figure.svg.contains(&format!("rank {place}<"))
        );
    }
    assert_eq!(figure.svg.matches("<circle").count(), 60);
    // Ends that are not finite have arrows: two of each row.
    let finite = |place: usize| ForestRow { outer: Some((-100.0, 100.0)), ..row(place) };
    let other = Forest { rows: (0..60).map(finite).collect(), ..forest.clone() }.render().unwrap();
    let strokes = |figure: &Figure| figure.svg.matches("#8cb4d2").count();
    assert_eq!(strokes(&figure), strokes(&other) + 120);
    assert!(Forest { rows: vec![], ..forest.clone() }.render().is_err());
    let swapped = ForestRow { inner: (1.0, 0.0), ..row(0) };
    assert!(Forest { rows: vec![swapped], ..forest.clone() }.render().is_err());
    let unknown = ForestRow { value: f64::NAN, ..row(0) };
    assert!(Forest { rows: vec![unknown], ..forest }.render().is_err());
}

#[test]
fn a_band_that_is_cut_off_has_a_dashed_edge() {
    let of = |low: f64| {
        let point =
            |k: i32| CurvePoint { x: f64::from(k), mean: 50.0, low: if k == 2 { low } else { 20.0 }, high: 90.0 };
        let curves = vec![Curve { name: "a".into(), points: (0..=10).map(point).collect() }];
        Lines { y_log: true, curves, ..Lines::default() }
    };
    let edges = |low| of(low).render().unwrap().svg.matches("stroke-dasharray").count();
    assert_eq!((edges(0.0), edges(15.0)), (1, 0));
}
