//! The file of an experiment: what its keys are, and what is said of a wrong one. `experiments/README.md`
//! tells people of them.
//!
//! Keys that the command line has too are its flags, with the same words as values.

pub(crate) mod expand;

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use crate::simulation::spec::{Reading, SiteSpec, Ties};
use crate::simulation::text_form;
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies};
use letor_io::Split;
use rankers::Selection;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;

use crate::experiment::claim::{Claim, RawClaim};
use crate::output::numbers::parse_positive;

/// An experiment as its file says it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// What is shown, in a line.
    pub title: String,
    /// Whose figure or table it is: a key of [`PAPERS`], or `own` (default).
    #[serde(default = "own")]
    pub paper: String,
    /// Which figure or table, as `Figure 3`.
    #[serde(default)]
    pub figure: String,
    /// What the paper did, what it leaves open, and what was chosen here.
    #[serde(default)]
    pub about: String,
    /// What is measured and how it is shown.
    pub kind: Kind,
    /// The algorithms, with braces for grids: `mergerucb:p={4,6,8}`.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Steps of a run.
    #[serde(default)]
    pub steps: Option<Count>,
    /// Runs of each algorithm.
    #[serde(default)]
    pub runs: Option<Count>,
    /// Points of a regret curve for each tenfold of time.
    #[serde(default)]
    pub checkpoints: Option<u32>,
    /// Of `accuracy`: after how many steps the policy must name an arm.
    #[serde(default)]
    pub horizons: Vec<Count>,
    /// Of `structure`: random subsets in which orders are counted.
    #[serde(default)]
    pub samples: Option<Count>,
    /// Of `structure`: the sizes, alphabetical, whose gamma is told.
    #[serde(default)]
    pub gamma: Vec<usize>,
    /// Of `distortion`: how many rankers are multileaved at once.
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Of `distortion`: multileavings of each set.
    #[serde(default)]
    pub multileavings: Option<Count>,
    /// The master seed.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Random sets of rankers in place of all.
    #[serde(default)]
    pub subsets: Option<Subsets>,
    /// How it is drawn.
    #[serde(default)]
    pub draw: Draw,
    /// What it is played on.
    #[serde(rename = "setting")]
    pub settings: Vec<SettingEntry>,
    /// What the paper says of it.
    #[serde(default, rename = "claim")]
    raw_claims: Vec<Spanned<RawClaim>>,
    /// The same, understood.
    #[serde(skip)]
    pub claims: Vec<Claim>,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Cumulative regret over time.
    Regret,
    /// Regret at the end against the number of rankers.
    RegretAgainstRankers,
    /// Whether the best ranker would be named, and what it cost, at some horizons.
    Accuracy,
    /// How often random sets of rankers have a winner or an order, gaps and gamma.
    Structure,
    /// How often a multileaving misjudges who is better than the best.
    Distortion,
    /// What the data sets are like.
    Datasets,
}

impl Kind {
    /// How files write it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Regret => "regret",
            Self::RegretAgainstRankers => "regret-against-rankers",
            Self::Accuracy => "accuracy",
            Self::Structure => "structure",
            Self::Distortion => "distortion",
            Self::Datasets => "datasets",
        }
    }
}

/// Random sets of rankers.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Subsets {
    /// How many rankers.
    pub sizes: Vec<usize>,
    /// Sets of each size; each serves `runs` runs.
    pub count: u64,
    /// Draw again until the set has a Condorcet winner.
    #[serde(default = "yes")]
    pub with_condorcet_winner: bool,
}

fn yes() -> bool {
    true
}

fn own() -> String {
    "own".to_owned()
}

/// How it is drawn.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Draw {
    /// `linear` or `log` [default: log for time, linear for numbers of rankers].
    #[serde(default)]
    pub x: Option<Scale>,
    /// `linear` (default) or `log`.
    #[serde(default)]
    pub y: Option<Scale>,
    /// What bands and bars are: `standard-deviation` (default) or `standard-error`.
    #[serde(default)]
    pub bands: Bands,
    /// Whether settings are `apart`, a panel each (default), or `together` in one.
    #[serde(default)]
    pub panels: Arrangement,
    /// Upper or lower bounds on regret to draw: `mergerucb` (its theorem 1), `lower`.
    #[serde(default)]
    pub bounds: Vec<Bound>,
    /// Of `regret`: also the share of steps that compared rankers other than the best.
    #[serde(default)]
    pub suboptimal: bool,
}

/// An axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// From zero.
    Linear,
    /// Logarithmic.
    Log,
}

/// What bands and bars are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bands {
    /// Of a run.
    #[default]
    StandardDeviation,
    /// Of the mean.
    StandardError,
}

/// Where settings are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrangement {
    /// A panel each.
    #[default]
    Apart,
    /// All in one.
    Together,
}

/// A bound on regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Theorem 1 of the mergeRUCB paper, with the parameters of the first mergerucb played.
    Mergerucb,
    /// Komiyama's lower bound.
    Lower,
}

impl Bound {
    /// What its curve is called.
    #[must_use]
    pub fn curve(self) -> &'static str {
        match self {
            Self::Mergerucb => "Theorem 1's bound",
            Self::Lower => "lower bound",
        }
    }
}

/// What is played on, before lists in it are spread out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SettingEntry {
    /// Above its panel.
    pub name: String,
    /// `live`, `proxy` or `problem`.
    pub play: Play,
    /// A registered data set, or a file or folder, used where it is present.
    #[serde(default)]
    pub dataset: Option<String>,
    /// What takes its place where it is not.
    #[serde(default)]
    pub lookalike: Option<String>,
    /// Of `proxy`: the file of a matrix, or the names that a published one goes by, used where it is
    /// present.
    #[serde(default)]
    pub matrix: OneOrMany<String>,
    /// Of `proxy`: impressions a pair where a matrix is estimated from the real data set.
    #[serde(default)]
    pub interleavings: Option<Count>,
    /// The same for its look-alike.
    #[serde(default)]
    pub lookalike_interleavings: Option<Count>,
    /// Of `problem`: one name or several.
    #[serde(default)]
    pub problem: OneOrMany<String>,
    /// Of `problem`: the preference matrix itself, row by row.
    #[serde(default)]
    pub preferences: Vec<Vec<f64>>,
    /// One click model or several.
    #[serde(default)]
    pub click: OneOrMany<ClickSpec>,
    /// As `--split`.
    #[serde(default)]
    pub split: Option<Split>,
    /// As `--shown`.
    #[serde(default)]
    pub shown: Option<u16>,
    /// As `--rankers`.
    #[serde(default = "all_rankers", with = "text_form")]
    pub rankers: Selection,
    /// As `--without`.
    #[serde(default)]
    pub without: Vec<u32>,
    /// As `--interleave`.
    #[serde(default, with = "text_form::optional")]
    pub interleave: Option<AnyInterleaving>,
    /// As `--multileave`.
    #[serde(default, with = "text_form::optional")]
    pub multileave: Option<AnyMultileaving>,
    /// As `--credit-ties`.
    #[serde(default)]
    pub credit_ties: Option<CreditTies>,
    /// As `--ties`.
    #[serde(default)]
    pub ties: Ties,
    /// As `--fractional-labels`.
    #[serde(default)]
    pub fractional_labels: FractionalLabels,
    /// What regret is: `condorcet` (where there is such a winner, the default) or `ndcg`.
    #[serde(default)]
    pub regret: RegretBy,
}

impl SettingEntry {
    /// The site of this entry with users of one of its click models.
    #[must_use]
    pub(crate) fn spec(&self, click: &ClickSpec) -> SiteSpec {
        let usual = SiteSpec::default();
        SiteSpec {
            dataset: self.dataset.iter().cloned().collect(),
            reading: Reading { split: self.split, ..Reading::default() },
            click: click.clone(),
            fractional_labels: self.fractional_labels,
            rankers: self.rankers.clone(),
            without: self.without.clone(),
            shown: self.shown.unwrap_or(usual.shown),
            interleave: self.interleave.clone(),
            multileave: self.multileave.clone(),
            credit_ties: self.credit_ties,
            ties: self.ties,
        }
    }
}

fn all_rankers() -> Selection {
    Selection::All
}

/// What comparisons are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    /// Impressions of a data set.
    Live,
    /// Coins of a preference matrix, published or estimated from a data set.
    Proxy,
    /// A problem by name.
    Problem,
}

/// What regret is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegretBy {
    /// P(best beats those shown) - 1/2.
    #[default]
    Condorcet,
    /// nDCG@10 lost.
    Ndcg,
}

/// A count as people write it: `10` or `"1e7"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Count;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a count such as 1000 or \"1e7\"")
            }
            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Count, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Count, E> {
                parse_positive(text).map(Count).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// One value or a list of them, each as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: FromStr<Err: Display>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = OneOrMany<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a name or a list of names")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                Ok(OneOrMany(vec![text.parse().map_err(E::custom)?]))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<OneOrMany<T>, A::Error> {
                let mut all = Vec::new();
                while let Some(one) = list.next_element::<String>()? {
                    all.push(one.parse().map_err(serde::de::Error::custom)?);
                }
                Ok(OneOrMany(all))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

/// The papers: key, how it is called, its reference.
pub const PAPERS: [(&str, &str, &str); 6] = [
    (
        "mergerucb",
        "mergeRUCB",
        "M. Zoghi, S. Whiteson, M. de Rijke, MergeRUCB: A Method for Large-Scale Online Ranker Evaluation, \
         WSDM 2015, https://doi.org/10.1145/2684822.2685290",
    ),
    (
        "rucb",
        "RUCB",
        "M. Zoghi, S. Whiteson, R. Munos, M. de Rijke, Relative Upper Confidence Bound for the K-Armed Dueling \
         Bandit Problem, ICML 2014, https://proceedings.mlr.press/v32/zoghi14.html",
    ),
    (
        "rcs",
        "RCS",
        "M. Zoghi, S. Whiteson, M. de Rijke, R. Munos, Relative Confidence Sampling for Efficient On-Line Ranker \
         Evaluation, WSDM 2014, https://doi.org/10.1145/2556195.2556256",
    ),
    (
        "mdb",
        "Multi-dueling bandits",
        "B. Brost, Y. Seldin, I. J. Cox, C. Lioma, Multi-Dueling Bandits and Their Application to Online Ranker \
         Evaluation, CIKM 2016, https://doi.org/10.1145/2983323.2983659",
    ),
    ("beyond", "Beyond the papers", "Every algorithm of this project"),
    ("own", "Experiments of one's own", "From files that belong to no paper"),
];

impl Experiment {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// One line with the file, the line and the key.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("failed to read the experiment {}", path.display()))?;
        Self::parse(&text).map_err(|error| match error.line {
            Some(line) => anyhow!("{}, line {line}: {}", path.display(), error.message),
            None => anyhow!("{}: {}", path.display(), error.message),
        })
    }

    /// Reads and checks the text of a file.
    ///
    /// # Errors
    /// With the line, where there is one.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let mut experiment: Self = toml::from_str(text).map_err(|error| FileError {
            line: error.span().map(|span| line_of(text, span.start)),
            message: explained(error.message()),
        })?;
        let claims = std::mem::take(&mut experiment.raw_claims);
        for claim in claims {
            let line = line_of(text, claim.span().start);
            experiment.claims.push(
                Claim::understood(claim.into_inner(), line)
                    .map_err(|error| FileError { line: Some(line), message: format!("[[claim]]: {error:#}") })?,
            );
        }
        experiment.check().map_err(|error| FileError { line: None, message: format!("{error:#}") })?;
        Ok(experiment)
    }

    fn check(&self) -> Result<()> {
        if !PAPERS.iter().any(|(key, ..)| *key == self.paper) {
            let keys: Vec<&str> = PAPERS.iter().map(|(key, ..)| *key).collect();
            bail!("paper = {:?}: expected one of {}", self.paper, keys.join(", "));
        }
        let needs = |missing: bool, key: &str| {
            if missing { Err(anyhow!("kind = {:?} needs `{key}`", self.kind.key())) } else { Ok(()) }
        };
        let played = matches!(self.kind, Kind::Regret | Kind::RegretAgainstRankers | Kind::Accuracy);
        needs(played && self.algorithms.is_empty(), "algorithms")?;
        needs(played && self.runs.is_none(), "runs")?;
        needs(matches!(self.kind, Kind::Regret | Kind::RegretAgainstRankers) && self.steps.is_none(), "steps")?;
        needs(self.kind == Kind::RegretAgainstRankers && self.subsets.is_none(), "[subsets]")?;
        needs(self.kind == Kind::Accuracy && self.horizons.is_empty(), "horizons")?;
        needs(self.kind == Kind::Distortion && self.sizes.is_empty(), "sizes")?;
        needs(self.settings.is_empty(), "[[setting]]")?;
        for setting in &self.settings {
            let of = |error: &str| anyhow!("setting {:?}: {error}", setting.name);
            match setting.play {
                Play::Problem if setting.problem.0.is_empty() && setting.preferences.is_empty() => {
                    return Err(of("play = \"problem\" needs `problem` or `preferences`"));
                }
                Play::Live if setting.dataset.is_none() && setting.lookalike.is_none() => {
                    return Err(of("needs `dataset`, `lookalike` or both"));
                }
                Play::Proxy
                    if setting.dataset.is_none() && setting.lookalike.is_none() && setting.matrix.0.is_empty() =>
                {
                    return Err(of("needs `matrix`, `dataset` or `lookalike`, or several of them"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Where, counted from 1.
    pub line: Option<usize>,
    /// What.
    pub message: String,
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The parser's message, with the key that may have been meant.
fn explained(message: &str) -> String {
    let message = message.lines().next().unwrap_or(message);
    let Some(rest) = message.strip_prefix("unknown field `") else { return message.to_owned() };
    let mut names = rest.split('`');
    let unknown = names.next().unwrap_or_default();
    // Names stand between backticks, what joins them does not.
    let known: Vec<&str> = names.skip(1).step_by(2).collect();
    match nearest(unknown, known.iter().copied()) {
        Some(near) => format!("unknown key `{unknown}`; did you mean `{near}`?"),
        None => format!("unknown key `{unknown}`; expected one of {}", known.join(", ")),
    }
}

/// The one of `known` that may have been meant by `unknown`.
pub(crate) fn nearest<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Exchanged neighbours count once: they are the usual slip.
    let distance = |name: &&str| strsim::damerau_levenshtein(unknown, name);
    known.min_by_key(distance).filter(|name| distance(name) * 3 <= name.len().max(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "\
title = \"t\"
paper = \"rcs\"
figure = \"Figure 1\"
kind = \"regret\"
algorithms = [\"rcs\"]
steps = \"1e3\"
runs = 2

[[setting]]
name = \"P\"
play = \"problem\"
problem = \"arithmetic\"
";

    #[test]
    fn a_file_is_read() {
        let experiment = Experiment::parse(SMALL).unwrap();
        assert_eq!(experiment.steps, Some(Count(1000)));
        assert_eq!(experiment.settings[0].problem.0, ["arithmetic"]);
    }

    /// The page for people names every key, as serde lists them when it meets one that is none.
    #[test]
    fn the_readme_has_all_keys() {
        let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/README.md");
        let readme = std::fs::read_to_string(readme).unwrap();
        let lists = [
            toml::from_str::<Experiment>("no-key = 1").unwrap_err(),
            toml::from_str::<Subsets>("no-key = 1").unwrap_err(),
            toml::from_str::<Draw>("no-key = 1").unwrap_err(),
            toml::from_str::<SettingEntry>("no-key = 1").unwrap_err(),
            toml::from_str::<RawClaim>("no-key = 1").unwrap_err(),
        ];
        for list in lists {
            let keys: Vec<&str> = list.message().split('`').skip(3).step_by(2).collect();
            assert!(keys.len() >= 3, "{list}");
            for key in keys {
                // In a table: alone, or with the value that it has there.
                let told = ["`", " ="].iter().any(|end| readme.contains(&format!("`{key}{end}")));
                let section = readme.contains(&format!("[{key}]"));
                assert!(told || section, "experiments/README.md does not say what `{key}` is");
            }
        }
    }

    #[test]
    fn an_unknown_key_is_an_error_with_line_and_suggestion() {
        for (wrong, line, says) in [
            ("steps = \"1e3\"", 6, "unknown key `stesp`; did you mean `steps`?"),
            ("play = \"problem\"", 11, "unknown key `paly`; did you mean `play`?"),
        ] {
            let (key, value) = wrong.split_once(' ').unwrap();
            let misspelt = if key == "steps" { "stesp" } else { "paly" };
            let error = Experiment::parse(&SMALL.replace(wrong, &format!("{misspelt} {value}"))).unwrap_err();
            assert_eq!((error.line, error.message.as_str()), (Some(line), says));
        }
        let error = Experiment::parse(&format!("{SMALL}\n[[claim]]\nsays = \"x\"\nwhree = \"y\"\n")).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (Some(16), "unknown key `whree`; did you mean `where`?"));
    }

    #[test]
    fn each_rule_has_its_error() {
        for (from, to, says) in [
            ("\"rcs\"\nfigure", "\"rxs\"\nfigure", "paper = \"rxs\": expected one of"),
            ("runs = 2\n", "", "kind = \"regret\" needs `runs`"),
            ("\"1e3\"", "\"1.5\"", "expected a whole number"),
            ("\"regret\"", "\"regrets\"", "unknown variant `regrets`"),
            ("problem = \"arithmetic\"\n", "", "play = \"problem\" needs `problem`"),
            ("play = \"problem\"", "play = \"live\"", "needs `dataset`, `lookalike` or both"),
        ] {
            let error = Experiment::parse(&SMALL.replace(from, to)).unwrap_err();
            assert!(error.message.contains(says), "{says}: {error:?}");
        }
    }
}
