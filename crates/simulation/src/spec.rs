//! The specification of a site before any data are opened: the type behind both flags and experiment files.
//!
//! Every field has the name of its flag, and a missing field has the default of the flag, so that a file and a command
//! line with the same values make the same site. (Only a command line without any data set also selects rankers.)

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result};
use clicks::{ClickSpec, FractionalLabels};
use interleave::{AnyInterleaving, AnyMultileaving, CreditTies, ProbabilisticInterleave, Sosm};
use letor_io::trec::{self, TrecOptions, TrecTies, UnjudgedRule};
use letor_io::{Dataset, FeatureId, Names, Null, NumberedItem, OpenOptions, ReadOptions, SameQid, Split, scores};
use rankers::{RankerRef, Selection, TieBreaking};
use serde::{Deserialize, Serialize};

use crate::description::SiteDescription;
use crate::lists::ListSource;
use crate::prepared_site::PreparedSite;
use crate::seed;
use crate::site::{MixingMethods, Site};
use crate::text_form;

/// A data set, its rankers, its users, and how lists are mixed for them.
///
/// [`FromStr`] reads TOML:
///
/// ```
/// use simulation::spec::SiteSpec;
///
/// let spec: SiteSpec = "dataset = [\"mq2008-lookalike:0.1\"]\nclick = \"perfect\"\nshown = 5".parse()?;
/// assert_eq!((spec.click.to_string().as_str(), spec.shown), ("perfect", 5));
/// let site = spec.open(None, None).and_then(|dataset| spec.prepare(dataset.into(), 1))?;
/// assert_eq!(site.description.rankers.len(), 46);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SiteSpec {
    /// A registered name, a look-alike (`NAME:SCALE:SEED`), or files and folders.
    pub dataset: Vec<String>,
    /// How its files are read.
    pub reading: Reading,
    /// TREC runs as the rankers, instead of a data set: files, folders of runs, or `NAME=FILE`.
    #[serde(alias = "rankings", skip_serializing_if = "Vec::is_empty")]
    pub trec_runs: Vec<String>,
    /// The judgments of the runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub qrels: Vec<String>,
    /// Judgments of people, where `qrels` are a model's. Only `inspect` uses both.
    #[serde(skip)]
    pub gold: Vec<String>,
    /// How a run orders documents of equal score.
    #[serde(skip_serializing_if = "is_default")]
    pub trec_ties: TrecTies,
    /// What becomes of retrieved documents without a judgment.
    #[serde(skip_serializing_if = "is_default")]
    pub unjudged: UnjudgedRule,
    /// Scores as further rankers beside the data set: files, or `NAME=FILE`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<String>,
    /// Whether the scores are the only rankers.
    #[serde(skip_serializing_if = "is_default")]
    pub scores_only: bool,
    /// How users click.
    pub click: ClickSpec,
    /// How fractional labels become grades.
    pub fractional_labels: FractionalLabels,
    /// Which features are the rankers.
    #[serde(with = "text_form")]
    pub rankers: Selection,
    /// Features to exclude from the rankers.
    pub without: Vec<RankerRef>,
    /// A file with the names of the features, which outputs call the rankers by: one per line, or lines of a number, a
    /// tab and a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<PathBuf>,
    /// The largest number of documents that a user is shown.
    pub shown: u16,
    /// How two lists are mixed; `probabilistic` by default.
    #[serde(with = "text_form::optional", skip_serializing_if = "Option::is_none")]
    pub interleave: Option<AnyInterleaving>,
    /// How several lists are mixed; `sosm` by default.
    #[serde(with = "text_form::optional", skip_serializing_if = "Option::is_none")]
    pub multileave: Option<AnyMultileaving>,
    /// How tied documents are ordered when probabilistic interleaving credits clicks; `redrawn` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_ties: Option<CreditTies>,
    /// How rankers order documents with equal scores.
    pub ties: Ties,
}

/// How files are read; `None` is the default of [`letor_io`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Reading {
    /// The split of a registered data set; by default all splits that the papers count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// The highest accepted label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_label: Option<f64>,
    /// How the value `NULL` is treated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<Null>,
    /// How a query id that occurs again after other queries is treated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_qid: Option<SameQid>,
    /// Whether to parse the text files without the binary cache.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_cache: bool,
}

/// How rankers order documents with equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// At random, drawn again for each impression.
    #[default]
    Random,
    /// At random once, derived from the master seed.
    Fixed,
}

/// A field of a [`SiteSpec`] that contradicts the data set or another field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecError {
    /// The field, by the name of its flag.
    pub field: &'static str,
    /// What is wrong, with the value.
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.field, self.message)
    }
}

impl std::error::Error for SpecError {}

fn is_default<T: PartialEq + Default>(value: &T) -> bool {
    *value == T::default()
}

impl Default for SiteSpec {
    fn default() -> Self {
        Self {
            dataset: vec!["mslr-lookalike:0.03".to_owned()],
            reading: Reading::default(),
            trec_runs: Vec::new(),
            qrels: Vec::new(),
            gold: Vec::new(),
            trec_ties: TrecTies::default(),
            unjudged: UnjudgedRule::default(),
            scores: Vec::new(),
            scores_only: false,
            click: "navigational".parse().expect("a preset"),
            fractional_labels: FractionalLabels::default(),
            rankers: Selection::All,
            without: Vec::new(),
            names: None,
            shown: 10,
            interleave: None,
            multileave: None,
            credit_ties: None,
            ties: Ties::default(),
        }
    }
}

impl FromStr for SiteSpec {
    type Err = toml::de::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        toml::from_str(text)
    }
}

/// A feature that is not a ranker, and how that was written.
type ExcludedFeature<'a> = (FeatureId, &'a RankerRef);

impl SiteSpec {
    /// Whether features may have names: from a file, or those of runs and scores.
    #[must_use]
    pub fn may_have_names(&self) -> bool {
        self.names.is_some() || !self.trec_runs.is_empty() || !self.scores.is_empty()
    }

    /// Opens the data set. Registered data sets are searched for in `root`, or in the default folder if it is `None`.
    /// Its binary cache is kept in the folder `cache`; `None`: there is none.
    ///
    /// # Errors
    /// Those of [`letor_io::open`], [`trec::open`], [`scores::add`] and [`Names::read`], fields that contradict each other,
    /// and rankers selected by names that no feature can have.
    pub fn open(&self, root: Option<&Path>, cache: Option<&Path>) -> Result<Dataset> {
        self.check_sources()?;
        if !self.may_have_names() {
            self.resolved_rankers(None)?;
        }
        let dataset = self.open_unnamed(root, cache)?;
        let Some(path) = &self.names else { return Ok(dataset) };
        let count = dataset.features() as usize;
        let names_in_file = Names::read(path, NumberedItem { noun: "feature", count, first: 1 })?;
        // Runs and scores have names, unless the file gives them another.
        let dataset_names = dataset.feature_names().cloned();
        let all_names = dataset_names.iter().chain([&names_in_file]).flat_map(|names| names.iter().enumerate());
        let names = Names::from_numbered(count, all_names.filter_map(|(number, name)| Some((number, name?))))
            .with_context(|| format!("{}: with the names of the runs and scores", path.display()))?;
        Ok(dataset.with_feature_names(names)?)
    }

    /// The data set with the names that runs and scores have by themselves.
    fn open_unnamed(&self, root: Option<&Path>, cache: Option<&Path>) -> Result<Dataset> {
        let Reading { split, max_label, null, same_qid, no_cache } = self.reading;
        let defaults = ReadOptions::default();
        let options = ReadOptions {
            same_qid: same_qid.unwrap_or_default(),
            null: null.unwrap_or_default(),
            max_label: max_label.map_or(defaults.max_label, |label| label as f32),
            ..defaults
        };
        if !self.trec_runs.is_empty() {
            let (ties, unjudged) = (self.trec_ties, self.unjudged);
            let options = TrecOptions { ties, unjudged, max_label: options.max_label };
            return Ok(trec::open_with_gold(&self.trec_runs, &self.qrels, &self.gold, &options)?);
        }
        let cache = cache.filter(|_| !no_cache).map(Path::to_path_buf);
        let options = OpenOptions { read: options, split, root: root.map(Path::to_path_buf), cache };
        let dataset = letor_io::open(&self.dataset, &options)?;
        if self.scores.is_empty() {
            return Ok(dataset);
        }
        let features = if self.scores_only { scores::Features::LeftOut } else { scores::Features::Kept };
        Ok(scores::add(&dataset, &self.scores, features)?)
    }

    /// Checks what the rankers are made of.
    fn check_sources(&self) -> Result<(), SpecError> {
        let fail = |field, message: &str| Err(SpecError { field, message: message.to_owned() });
        let has_runs = !self.trec_runs.is_empty();
        if has_runs && !self.dataset.is_empty() && self.dataset != Self::default().dataset {
            return fail("rankings", "excludes dataset: runs are the rankers, and their qrels the data");
        }
        if has_runs == self.qrels.is_empty() {
            return fail("qrels", "belongs to rankings, and runs need qrels: give both");
        }
        if has_runs && !self.scores.is_empty() {
            return fail("scores", "belongs to the rows of a dataset, which runs do not have: give the model's run");
        }
        if self.scores_only && self.scores.is_empty() {
            return fail("scores-only", "needs scores: name their files");
        }
        if !self.scores.is_empty() && self.reading.same_qid == Some(SameQid::Merge) {
            return fail("scores", "is in the order of rows, which same-qid merge changes: leave one of them out");
        }
        Ok(())
    }

    /// The selection and the features that are excluded from it, by numbers, each with how it was written; `names` are those
    /// of the features.
    ///
    /// # Errors
    /// If nothing has one of the names.
    fn resolved_rankers(&self, names: Option<&Names>) -> Result<(Selection, Vec<ExcludedFeature<'_>>), SpecError> {
        let selection = self.rankers.resolve(names).map_err(|error| {
            let text = error.to_string();
            // The field already names the subject.
            SpecError { field: "rankers", message: text.strip_prefix("rankers ").unwrap_or(&text).to_owned() }
        })?;
        let mut excluded = Vec::new();
        for ranker in &self.without {
            let fail = |error| SpecError { field: "without", message: format!("{ranker}: {error}") };
            let features = ranker.resolve_all(names).map_err(fail)?;
            excluded.extend(features.into_iter().map(|feature| (feature, ranker)));
        }
        Ok((selection, excluded))
    }

    /// The features that become arms, in the order of the arms. `seed` is the master seed, for random selections.
    ///
    /// # Errors
    /// If a selected feature does not exist in the data set, by number or name, an excluded one was not selected, or fewer than two
    /// rankers remain.
    pub fn features(&self, dataset: &Dataset, seed: u64) -> Result<Vec<FeatureId>, SpecError> {
        let fail = |field, message: String| Err(SpecError { field, message });
        let (selection, excluded) = self.resolved_rankers(dataset.feature_names())?;
        let chosen = match selection.choose(dataset.features(), seed::seed(seed, "rankers", 0, "selection")) {
            Ok(chosen) => chosen,
            Err(error) => return fail("rankers", format!("{}: {error}", self.rankers)),
        };
        if let Some((feature, spelling)) = excluded.iter().find(|(feature, _)| !chosen.contains(feature)) {
            let which = match spelling {
                RankerRef::Name(text) if *text != feature.0.to_string() => format!("feature {}", feature.0),
                _ => "that feature".to_owned(),
            };
            return fail("without", format!("{spelling}: {which} is not one of the rankers"));
        }
        let is_kept = |feature: &FeatureId| excluded.iter().all(|(excluded, _)| excluded != feature);
        let remaining: Vec<FeatureId> = chosen.into_iter().filter(is_kept).collect();
        match remaining[..] {
            [] => fail("without", "leaves no ranker".to_owned()),
            [only] => fail(
                "rankers",
                format!(
                    "{}: only feature {} is left, and a comparison needs two rankers; select at least two, \
                     e.g. 1,5,110 (a single number N draws N at random)",
                    self.rankers, only.0
                ),
            ),
            _ => Ok(remaining),
        }
    }

    /// How lists are mixed, with `credit_ties` applied.
    ///
    /// # Errors
    /// Only if the interleaving method has an invalid parameter.
    pub fn methods(&self) -> Result<MixingMethods> {
        let mut interleaving = match &self.interleave {
            Some(method) => method.clone(),
            None => AnyInterleaving::Probabilistic(ProbabilisticInterleave::default()),
        };
        if let (AnyInterleaving::Probabilistic(method), Some(credit_ties)) = (&interleaving, self.credit_ties) {
            let method = ProbabilisticInterleave::with_tau(method.tau(), credit_ties)?;
            interleaving = AnyInterleaving::Probabilistic(method);
        }
        let multileaving = self.multileave.clone().unwrap_or_else(|| AnyMultileaving::Sosm(Sosm::default()));
        Ok(MixingMethods { interleaving, multileaving })
    }

    /// Prepares the site with the selected [`features`](Self::features) of `dataset` as rankers, and ranks all lists.
    /// `seed` is the master seed.
    ///
    /// # Errors
    /// Those of [`features`](Self::features) and [`prepare_rankers`](Self::prepare_rankers).
    pub fn prepare(&self, dataset: Arc<Dataset>, seed: u64) -> Result<PreparedSite> {
        let features = self.features(&dataset, seed)?;
        self.prepare_rankers(dataset, features, seed, &ListSource::InMemory)
    }

    /// Prepares the site with `features` of `dataset` as rankers; `lists` is the source of their lists. `seed` is the
    /// master seed.
    ///
    /// # Errors
    /// If a feature does not exist, a label has no grade in the click model, the data set has no query, or memory has no
    /// room for the lists.
    pub fn prepare_rankers(
        &self,
        dataset: Arc<Dataset>,
        features: Vec<FeatureId>,
        seed: u64,
        lists: &ListSource,
    ) -> Result<PreparedSite> {
        let tie_breaking = match self.ties {
            Ties::Random => TieBreaking::Random,
            Ties::Fixed => TieBreaking::Fixed(seed::seed(seed, "rankers", 0, "ties")),
        };
        let rankings = lists.rank(&dataset, &features, tie_breaking)?;
        let click = self.click.resolve(dataset.max_label())?;
        let methods = self.methods()?;
        let pairwise = match &methods.interleaving {
            AnyInterleaving::Probabilistic(method) => method.clone(),
            _ => ProbabilisticInterleave::new(self.credit_ties.unwrap_or(CreditTies::Redrawn)),
        };
        let mut description = SiteDescription::new(
            &dataset,
            features,
            tie_breaking,
            (&click, self.fractional_labels),
            self.shown,
            &methods,
            pairwise.credit_ties(),
        );
        description.dataset.null = self.reading.null;
        let site = Site::new(&dataset, rankings, &click, self.fractional_labels, usize::from(self.shown))?;
        Ok(PreparedSite { dataset, site, methods, pairwise, description })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let text = "dataset = [\"a.txt\", \"b.txt\"]\nclick = \"0:0.1,1:0.9\"\nrankers = \"alphabetical:4\"\nwithout = [3]\n\
                    interleave = \"team-draft:prefix\"\ncredit-ties = \"same\"\nties = \"fixed\"\n\
                    fractional-labels = \"floor\"\n[reading]\nnull = \"zero\"\nsame-qid = \"merge\"\nsplit = \"test\"";
        let spec: SiteSpec = text.parse().unwrap();
        assert_eq!((spec.shown, spec.ties, spec.reading.null), (10, Ties::Fixed, Some(Null::Zero)));
        let written = |spec: &SiteSpec| toml::to_string(spec).unwrap();
        let again: SiteSpec = written(&spec).parse().unwrap();
        assert_eq!(written(&again), written(&spec));
        for line in text.lines() {
            assert!(written(&spec).contains(line), "{line}");
        }
        assert_eq!(written(&"".parse().unwrap()), written(&SiteSpec::default()));
    }

    #[test]
    fn refusals_name_the_key_and_the_remedy() {
        for (text, expected) in [
            ("clicks = \"perfect\"", "unknown field `clicks`"),
            ("click = \"prefect\"", "did you mean"),
            ("interleave = \"ballanced\"", "did you mean"),
            ("ties = \"never\"", "expected `random` or `fixed`"),
            ("reading = { null = \"none\" }", "expected one of `error`, `zero`, `min`"),
            ("shown = 70000", "u16"),
        ] {
            let error = text.parse::<SiteSpec>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn selections_must_leave_two_rankers() {
        let features = |text: &str| {
            let spec: SiteSpec = format!("dataset = [\"mq2008-lookalike:0.05\"]\n{text}").parse().unwrap();
            let dataset = spec.open(None, None).map_err(|error| error.to_string())?;
            spec.features(&dataset, 1).map_err(|error| error.to_string())
        };
        assert_eq!(features("rankers = \"1,5,7\"\nwithout = [5]").unwrap(), [FeatureId(1), FeatureId(7)]);
        for (text, expected) in [
            ("rankers = \"1,500\"", "rankers 1,500: "),
            ("rankers = \"some\"", "feature numbers, e.g. `1-5,110`"),
            ("without = [\"bm25\"]", "without bm25: expected whole numbers such as 1,5,110, found `bm25`"),
            ("rankers = \"1,5\"\nwithout = [7]", "without 7: that feature is not one of the rankers"),
            ("rankers = \"1,5\"\nwithout = [1, 5]", "without leaves no ranker"),
            ("rankers = \"1,5\"\nwithout = [5]", "only feature 1 is left"),
        ] {
            let error = features(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
    #[test]
    fn rankers_are_selected_by_the_names_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.txt");
        let features = |text: &str| {
            let names = toml::Value::from(path.to_str().unwrap());
            let spec: SiteSpec =
                format!("dataset = [\"mq2008-lookalike:0.05\"]\nnames = {names}\n{text}").parse().unwrap();
            let dataset = spec.open(None, None).map_err(|error| error.to_string())?;
            let features = spec.features(&dataset, 1).map_err(|error| error.to_string())?;
            let names = features.iter().map(|&feature| dataset.feature_name(feature).unwrap_or("-").to_owned());
            Ok::<_, String>(names.collect::<Vec<_>>())
        };
        std::fs::write(&path, "7\tbm25\n3\tltr, tuned\n1\t9\n").unwrap();
        assert_eq!(features("rankers = '\"ltr, tuned\",bm25,4'").unwrap(), ["ltr, tuned", "bm25", "-"]);
        assert_eq!(features("rankers = \"9,7,8\"\nwithout = [\"bm25\"]").unwrap(), ["9", "-"]);
        for (text, expected) in [
            ("rankers = \"bm52,ltr\"", "rankers bm52,ltr: nothing is called `bm52`; did you mean `bm25`?"),
            ("without = [\"bm\"]", "without bm: nothing is called `bm`; did you mean `bm25`?"),
        ] {
            let error = features(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        std::fs::write(&path, "a\nb\n").unwrap();
        let error = features("").unwrap_err();
        assert!(error.contains("names.txt: found 2 lines, expected 46, the name of one feature on each"), "{error}");
    }
}
