//! The data of a figure as JSON, to draw it with another library: titles, axes, and every curve or row with its style.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::drawing::canvas::{hex, metadata};
use crate::drawing::curves::LINE_WIDTH;
use crate::{Forest, ForestRow, Lines, forest, lines};

/// `None` is `null`.
#[derive(Serialize)]
struct LinesValues<'a> {
    title: &'a str,
    subtitle: Option<&'a str>,
    x_label: &'a str,
    y_label: &'a str,
    x_log: bool,
    y_log: bool,
    note: Option<&'a str>,
    /// In their order; the first is drawn on top.
    curves: Vec<CurveValues<'a>>,
    /// The positions of the curves in the order of the legend.
    legend: Vec<usize>,
}

#[derive(Serialize)]
struct CurveValues<'a> {
    name: &'a str,
    /// `#rrggbb`.
    color: String,
    /// Lengths of dashes and gaps in widths of the line; empty if the line is whole.
    dashes: Vec<f64>,
    x: Vec<f64>,
    mean: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct ForestValues {
    title: String,
    subtitle: Option<String>,
    x_label: String,
    close: bool,
    note: Option<String>,
    /// The colors of estimates and inner intervals, and of outer ones.
    colors: [String; 2],
    rows: Vec<RowValues>,
}

/// Ends of intervals that are not finite are `null`.
#[derive(Serialize, Deserialize)]
struct RowValues {
    name: String,
    value: f64,
    inner: (Option<f64>, Option<f64>),
    outer: Option<(Option<f64>, Option<f64>)>,
    text: String,
}

pub(super) fn lines_json(figure: &Lines) -> Result<String> {
    let styles = lines::styles(figure)?;
    let curves = figure.curves.iter().zip(&styles).map(|(curve, style)| {
        let values = |of: fn(&crate::CurvePoint) -> f64| curve.points.iter().map(of).collect();
        CurveValues {
            name: &curve.name,
            color: hex(style.color),
            dashes: style.pattern.iter().map(|length| length / LINE_WIDTH).collect(),
            x: values(|point| point.x),
            mean: values(|point| point.mean),
            low: values(|point| point.low),
            high: values(|point| point.high),
        }
    });
    let values = LinesValues {
        title: &figure.title,
        subtitle: figure.subtitle.as_deref(),
        x_label: &figure.x_label,
        y_label: &figure.y_label,
        x_log: figure.x_log,
        y_log: figure.y_log,
        note: figure.note.as_deref(),
        curves: curves.collect(),
        legend: lines::legend_order(figure.curves.iter().map(|curve| curve.points.as_slice())),
    };
    Ok(serde_json::to_string(&values)?)
}

pub(super) fn forest_json(figure: &Forest) -> Result<String> {
    forest::check(figure)?;
    let end = |value: f64| Some(value).filter(|value| value.is_finite());
    let ends = |(low, high): (f64, f64)| (end(low), end(high));
    let rows = figure.rows.iter().map(|row| RowValues {
        name: row.name.clone(),
        value: row.value,
        inner: ends(row.inner),
        outer: row.outer.map(ends),
        text: row.text.clone(),
    });
    let values = ForestValues {
        title: figure.title.clone(),
        subtitle: figure.subtitle.clone(),
        x_label: figure.x_label.clone(),
        close: figure.close,
        note: figure.note.clone(),
        colors: [forest::COLOR, forest::THIN_LINE_COLOR].map(hex),
        rows: rows.collect(),
    };
    Ok(serde_json::to_string(&values)?)
}

/// The forest that an SVG of this crate shows, from its metadata; `None` if it shows another figure.
pub(super) fn forest_from_svg(svg: &str) -> Option<Forest> {
    let values: ForestValues = serde_json::from_str(&metadata(svg)?).ok()?;
    let ends =
        |(low, high): (Option<f64>, Option<f64>)| (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY));
    let rows = values.rows.into_iter().map(|row| ForestRow {
        name: row.name,
        value: row.value,
        inner: ends(row.inner),
        outer: row.outer.map(ends),
        text: row.text,
    });
    let ForestValues { title, subtitle, x_label, close, note, .. } = values;
    Some(Forest { title, subtitle, x_label, close, note, rows: rows.collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{Curve, CurvePoint, Forest, ForestRow, Lines};

    #[test]
    fn curves_have_the_styles_and_the_order_of_the_figure() -> anyhow::Result<()> {
        let point = |x: f64, mean: f64| CurvePoint { x, mean, low: mean - 1.0, high: mean + 1.0 };
        let curve = |name: &str, end: f64| Curve { name: name.into(), points: vec![point(1.0, 2.0), point(5.0, end)] };
        let palette = vec!["rucb".to_owned(), "dts".to_owned()];
        let lines =
            Lines { curves: vec![curve("dts", 3.0), curve("own", 7.0)], palette, x_log: true, ..Lines::default() };
        let values: Value = serde_json::from_str(&lines.values()?)?;
        assert_eq!(values["legend"], json!([1, 0]));
        assert_eq!(values["curves"][0]["color"], "#d55e00", "the second of the palette");
        assert_eq!(values["curves"][0]["dashes"], json!([14.0 / 3.0, 8.0 / 3.0]));
        assert_eq!((&values["curves"][1]["high"], &values["x_log"]), (&json!([3.0, 8.0]), &json!(true)));
        let svg = lines.render()?.svg;
        for curve in values["curves"].as_array().into_iter().flatten() {
            assert!(svg.contains(curve["color"].as_str().unwrap_or("none")), "{curve}");
        }
        Ok(())
    }

    #[test]
    fn ends_that_are_not_finite_are_null() -> anyhow::Result<()> {
        let row = ForestRow { name: "one".into(), value: 1.0, inner: (f64::NEG_INFINITY, 2.0), ..ForestRow::default() };
        let values: Value = serde_json::from_str(&Forest { rows: vec![row], ..Forest::default() }.values()?)?;
        assert_eq!(values["rows"][0]["inner"], json!([null, 2.0]));
        assert_eq!(values["rows"][0]["outer"], Value::Null);
        assert!(Forest::default().values().is_err(), "no rows");
        Ok(())
    }

    #[test]
    fn a_forest_is_read_back_from_its_figure() -> anyhow::Result<()> {
        let row = ForestRow {
            name: "<a> & \"b\"".into(),
            value: 1.0,
            inner: (0.5, 2.0),
            outer: Some((0.25, f64::INFINITY)),
            text: "1".into(),
        };
        let forest = Forest { title: "t".into(), rows: vec![row; 5], close: true, ..Forest::default() };
        assert_eq!(Forest::from_svg(&forest.render()?.svg), Some(forest.clone()));
        assert_eq!(Forest::from_svg(&Lines::default().render()?.svg), None);
        let print = crate::print::Print { width: 120.0, ..Default::default() };
        let sheet = print.forest(&forest)?;
        assert!(sheet.svg().contains("&lt;a&gt; &amp;") && sheet.pdf()?.starts_with(b"%PDF"), "{}", sheet.svg());
        assert!(crate::print::Print { height: Some(73.0), ..print }.forest(&forest).is_err(), "no room");
        Ok(())
    }
}
