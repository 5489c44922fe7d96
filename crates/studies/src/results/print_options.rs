//! How figures are printed: the values of `rankduel draw`'s flags, which are those of `[draw]` in experiments.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use figures::print::{FONTS, LegendPlace, Print, WIDTHS};
use output::numbers::parse_above_zero;
use ranktypes::text::escaped;
use serde::{Deserialize, Serialize};

use super::print_format::Format;

/// A length on paper: a number with `in`, `cm`, `mm` or `pt`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Length {
    text: String,
    /// In points, 1/72 in.
    pub points: f64,
}

/// The units of lengths, in points.
const UNITS: [(&str, f64); 4] = [("in", 72.0), ("cm", 72.0 / 2.54), ("mm", 72.0 / 25.4), ("pt", 1.0)];

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a length such as 3.33in, 85mm, 8.5cm or 240pt, found `{}`", escaped(text));
        let unit = UNITS.iter().find_map(|(unit, points)| Some((text.trim().strip_suffix(unit)?, points)));
        let (number, unit) = unit.ok_or_else(wrong)?;
        let points = parse_above_zero(number).map_err(|_| wrong())? * unit;
        let [min, max] = WIDTHS;
        if !(min..=max).contains(&points) {
            return Err(format!(
                "expected a length from {} to {} in, found `{}`",
                min / 72.0,
                max / 72.0,
                escaped(text)
            ));
        }
        Ok(Self { text: text.trim().to_owned(), points })
    }
}

/// The size of letters in points: a number, with or without `pt`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct LetterSize {
    text: String,
    /// In points.
    pub points: f64,
}

impl FromStr for LetterSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [min, max] = FONTS;
        let number = parse_above_zero(text.trim().trim_end_matches("pt")).ok();
        let points = number.filter(|points| (min..=max).contains(points));
        let wrong =
            || format!("expected a size of letters from {min}pt to {max}pt, such as 8pt, found `{}`", escaped(text));
        Ok(Self { text: text.trim().to_owned(), points: points.ok_or_else(wrong)? })
    }
}

macro_rules! as_text {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.text
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.text)
            }
        }
    };
}
as_text!(Length);
as_text!(LetterSize);

/// Where the names of curves are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LegendChoice {
    /// In the plot, where it covers least.
    Inside,
    /// Below the plots.
    Outside,
    /// At the ends of curves.
    Direct,
    /// No names.
    None,
}

impl From<LegendChoice> for LegendPlace {
    fn from(at: LegendChoice) -> Self {
        match at {
            LegendChoice::Inside => Self::Inside,
            LegendChoice::Outside => Self::Outside,
            LegendChoice::Direct => Self::Direct,
            LegendChoice::None => Self::None,
        }
    }
}

/// Default pixels per inch of a PNG.
pub const DENSITY: f64 = 300.0;

/// Choices for print; those not made are as in [`Print::default`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PrintChoices {
    /// The width.
    pub width: Option<Length>,
    /// The height.
    pub height: Option<Length>,
    /// The size of letters.
    pub font: Option<LetterSize>,
    /// Where the names of curves are.
    pub legend: Option<LegendChoice>,
    /// Other names for curves.
    pub relabel: BTreeMap<String, String>,
    /// Whether there is a headline.
    pub title: Option<bool>,
    /// The formats of the files.
    pub formats: Vec<Format>,
}

impl PrintChoices {
    /// These choices, and those of `other` where there are none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let relabel = other.relabel.into_iter().chain(self.relabel).collect();
        Self {
            width: self.width.or(other.width),
            height: self.height.or(other.height),
            font: self.font.or(other.font),
            legend: self.legend.or(other.legend),
            relabel,
            title: self.title.or(other.title),
            formats: if self.formats.is_empty() { other.formats } else { self.formats },
        }
    }

    /// Whether anything was chosen that only concerns print.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.width.is_some() || self.height.is_some() || self.font.is_some() || !self.formats.is_empty()
    }

    /// How figures are printed.
    #[must_use]
    pub fn print(&self) -> Print {
        let defaults = Print::default();
        Print {
            width: self.width.as_ref().map_or(defaults.width, |width| width.points),
            height: self.height.as_ref().map(|height| height.points),
            font: self.font.as_ref().map_or(defaults.font, |font| font.points),
            legend: self.legend.map_or(defaults.legend, LegendPlace::from),
            relabel: self.relabel.clone().into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for (text, points) in [("3.33in", 239.76), ("240pt", 240.0), (" 2.54cm", 72.0), ("25.4 mm", 72.0)] {
            assert!((text.parse::<Length>().unwrap().points - points).abs() < 1e-9, "{text}");
        }
        for (text, expected) in [
            ("3.33", "found `3.33`"),
            ("wide", "expected a length such as 3.33in"),
            ("-1in", "found `-1in`"),
            ("NaNcm", "found `NaNcm`"),
            ("1000in", "from 1 to 100 in"),
        ] {
            assert!(text.parse::<Length>().unwrap_err().contains(expected), "{text}");
        }
        assert_eq!(
            ("8pt".parse::<LetterSize>().unwrap().points, "7.5".parse::<LetterSize>().unwrap().points),
            (8.0, 7.5)
        );
        assert!("1pt".parse::<LetterSize>().unwrap_err().contains("from 4pt to 72pt"));
        assert!("8in".parse::<LetterSize>().is_err());
    }

    #[test]
    fn flags_win_over_files() {
        let relabel = |name: &str| BTreeMap::from([("rucb".to_owned(), name.to_owned())]);
        let file = PrintChoices {
            width: "7in".parse().ok(),
            font: "9pt".parse().ok(),
            relabel: relabel("A"),
            title: Some(false),
            formats: vec![Format::Svg],
            ..PrintChoices::default()
        };
        let flags = PrintChoices { width: "85mm".parse().ok(), relabel: relabel("B"), ..PrintChoices::default() };
        let both = flags.or(file);
        assert_eq!(
            (both.width.as_ref().unwrap().to_string(), both.font.as_ref().unwrap().points),
            ("85mm".into(), 9.0)
        );
        assert_eq!((both.relabel, both.title, both.formats), (relabel("B"), Some(false), vec![Format::Svg]));
    }
}
