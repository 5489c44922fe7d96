//! Measures as text, spelt as `ir_measures` does: `nDCG@10`, `AP(rel=2)`, `RBP(p=0.8)`.

use std::fmt;
use std::str::FromStr;

use ranktypes::spec::did_you_mean;

use super::{Measure, MeasureKind};
use crate::Gain;

/// Names with their aliases; case does not matter.
const MEASURE_NAMES: [(&str, &[&str]); 6] = [
    ("nDCG", &["ndcg"]),
    ("AP", &["ap", "map"]),
    ("RR", &["rr", "mrr"]),
    ("P", &["p", "precision"]),
    ("R", &["r", "recall"]),
    ("RBP", &["rbp"]),
];

/// Measures of other programs (`ir_measures`, `trec_eval`, `gdeval`), in small letters: none of them is a slip for one of ours.
const UNSUPPORTED_MEASURES: [&str; 39] = [
    "accuracy",
    "alpha_dcg",
    "alpha_ndcg",
    "ap_ia",
    "auc",
    "bpm",
    "bpref",
    "compat",
    "dcg",
    "err",
    "err_ia",
    "f1",
    "hit",
    "hitrate",
    "hr",
    "infap",
    "insq",
    "inst",
    "iprec",
    "judged",
    "nerr10",
    "nerr11",
    "nerr8",
    "nerr9",
    "nerr_ia",
    "nnrbp",
    "nrbp",
    "numq",
    "numrel",
    "numret",
    "p_ia",
    "rprec",
    "sdcg",
    "setap",
    "setf",
    "setp",
    "setr",
    "strec",
    "success",
];

/// Text that is not a measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("measure `{measure}`: {message}")]
pub struct MeasureError {
    kind: MeasureErrorKind,
    measure: String,
    message: String,
}

/// The kinds of [`MeasureError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeasureErrorKind {
    /// No measure has the name.
    UnknownMeasure,
    /// A bracket is open, or a parameter is unknown, given twice, or has a value that it cannot have.
    Parameter,
    /// The cutoff is missing, or not a whole number from 1.
    Cutoff,
    /// The measure is in the list twice.
    Duplicate,
}

impl MeasureError {
    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> MeasureErrorKind {
        self.kind
    }
}

/// The parameters in the brackets of a measure, and its cutoff.
#[derive(Default)]
struct MeasureParameters {
    rel: Option<u32>,
    p: Option<f64>,
    gain: Option<Gain>,
    cutoff: Option<u32>,
}

impl Measure {
    /// Reads measures separated by commas.
    ///
    /// # Errors
    /// If one of them is not a measure, or is given twice.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, MeasureError> {
        let (mut measures, mut start, mut depth) = (Vec::<Self>::new(), 0, 0_u32);
        let ends = text.char_indices().chain([(text.len(), ',')]);
        for (at, character) in ends {
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 || at == text.len() => {
                    let measure: Self = text[start..at].parse()?;
                    if measures.contains(&measure) {
                        let message = "is given twice; give it once".to_owned();
                        let kind = MeasureErrorKind::Duplicate;
                        return Err(MeasureError { kind, measure: measure.to_string(), message });
                    }
                    measures.push(measure);
                    start = at + 1;
                }
                _ => {}
            }
        }
        Ok(measures)
    }
}

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        parse_measure(text).map_err(|(kind, message)| MeasureError {
            kind,
            measure: text.escape_debug().to_string(),
            message,
        })
    }
}

fn parse_measure(text: &str) -> Result<Measure, (MeasureErrorKind, String)> {
    let wrong_cutoff = |message: &str| (MeasureErrorKind::Cutoff, message.to_owned());
    let wrong_parameter = |message: &str| (MeasureErrorKind::Parameter, message.to_owned());
    let (rest, cutoff) = match text.rsplit_once('@') {
        Some((rest, cutoff)) => {
            let cutoff =
                parse_positive(cutoff).ok_or_else(|| wrong_cutoff("expected a cutoff of 1 or more after @"))?;
            (rest.trim(), Some(cutoff))
        }
        None => (text, None),
    };
    let (name, parameters) = match rest.split_once('(') {
        Some((name, parameters)) => {
            let closed = parameters.trim().strip_suffix(')');
            (name, closed.ok_or_else(|| wrong_parameter("expected `)` after `(`"))?)
        }
        None => (rest, ""),
    };
    let folded = name.trim().to_lowercase();
    let measure = MEASURE_NAMES.iter().find(|(_, aliases)| aliases.contains(&folded.as_str()));
    let Some((name, _)) = measure else {
        let expected = "expected nDCG, AP, RR, P, R or RBP, e.g. nDCG@10, AP(rel=2), P@5 or RBP(p=0.8)";
        if UNSUPPORTED_MEASURES.contains(&folded.as_str()) {
            let message = format!("it is another measure, which is not computed here; {expected}");
            return Err((MeasureErrorKind::UnknownMeasure, message));
        }
        let names: Vec<&str> = MEASURE_NAMES.iter().flat_map(|(_, aliases)| aliases.iter().copied()).collect();
        let hint = did_you_mean(&folded, &names).map_or_else(String::new, |hint| format!(" {hint}"));
        return Err((MeasureErrorKind::UnknownMeasure, format!("it is not known;{hint} {expected}")));
    };
    let mut measure_parameters = MeasureParameters { cutoff, ..MeasureParameters::default() };
    for parameter in parameters.split(',').filter(|parameter| !parameter.trim().is_empty()) {
        measure_parameters.set(name, parameter).map_err(|message| wrong_parameter(&message))?;
    }
    let rel = measure_parameters.rel.unwrap_or(1);
    let needs_cutoff = |kind| match measure_parameters.cutoff {
        Some(_) => Ok(kind),
        None => Err(wrong_cutoff(&format!("it needs a cutoff, e.g. {name}@10"))),
    };
    let kind = match *name {
        "nDCG" => MeasureKind::Ndcg(measure_parameters.gain.unwrap_or(Gain::Linear)),
        "AP" => MeasureKind::AveragePrecision { rel },
        "RR" => MeasureKind::ReciprocalRank { rel },
        "P" => needs_cutoff(MeasureKind::Precision { rel })?,
        "R" => needs_cutoff(MeasureKind::Recall { rel })?,
        _ => MeasureKind::RankBiasedPrecision { rel: measure_parameters.rel, p: measure_parameters.p.unwrap_or(0.8) },
    };
    Ok(Measure { kind, cutoff: measure_parameters.cutoff })
}

fn parse_positive(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

impl MeasureParameters {
    /// Sets a parameter of the measure `name`, e.g. `rel=2`.
    fn set(&mut self, name: &str, parameter: &str) -> Result<(), String> {
        let supported = match name {
            "nDCG" => "dcg or cutoff",
            "RBP" => "rel, p or cutoff",
            _ => "rel or cutoff",
        };
        let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let (key, value) = (key.trim(), value.trim().trim_matches(['\'', '"']));
        let expected = |what: &str| format!("{key}: expected {what}, found `{}`", value.escape_debug());
        let twice = match (key, name) {
            ("rel", _) if name != "nDCG" => {
                let rel = parse_positive(value).ok_or_else(|| expected("the lowest relevant label, 1 or more"))?;
                self.rel.replace(rel).is_some()
            }
            ("p", "RBP") => {
                let p = value.parse().ok().filter(|p: &f64| *p > 0.0 && *p < 1.0);
                self.p.replace(p.ok_or_else(|| expected("a probability between 0 and 1"))?).is_some()
            }
            ("dcg", "nDCG") => {
                let gain = match value {
                    "log2" => Gain::Linear,
                    "exp-log2" => Gain::Exponential,
                    _ => return Err(expected("'log2' (gain: the label) or 'exp-log2' (2^label - 1)")),
                };
                self.gain.replace(gain).is_some()
            }
            ("cutoff", _) => {
                let cutoff = parse_positive(value).ok_or_else(|| expected("1 or more"))?;
                self.cutoff.replace(cutoff).is_some()
            }
            _ => return Err(format!("`{}` is not a parameter of {name}, expected {supported}", key.escape_debug())),
        };
        if twice { Err(format!("{key} is given twice; give it once")) } else { Ok(()) }
    }
}

impl fmt::Display for Measure {
    /// The text that [`from_str`](Self::from_str) and `ir_measures` read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |f: &mut fmt::Formatter<'_>, name: &str, rel: u32| match rel {
            1 => f.write_str(name),
            rel => write!(f, "{name}(rel={rel})"),
        };
        match self.kind {
            MeasureKind::Ndcg(Gain::Linear) => f.write_str("nDCG")?,
            MeasureKind::Ndcg(Gain::Exponential) => f.write_str("nDCG(dcg='exp-log2')")?,
            MeasureKind::AveragePrecision { rel } => named(f, "AP", rel)?,
            MeasureKind::ReciprocalRank { rel } => named(f, "RR", rel)?,
            MeasureKind::Precision { rel } => named(f, "P", rel)?,
            MeasureKind::Recall { rel } => named(f, "R", rel)?,
            MeasureKind::RankBiasedPrecision { rel: None, p } => write!(f, "RBP(p={p})")?,
            MeasureKind::RankBiasedPrecision { rel: Some(rel), p } => write!(f, "RBP(rel={rel},p={p})")?,
        }
        self.cutoff.map_or(Ok(()), |cutoff| write!(f, "@{cutoff}"))
    }
}
