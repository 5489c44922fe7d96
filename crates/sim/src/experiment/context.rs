//! The folders of results and caches, the data that are present, and the scale of experiments relative to the papers.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use bandits::PreferenceMatrix;
use letor_io::{Dataset, lookalike, registry, trec};
use output::cache::Cache;
use output::input;
use serde::{Deserialize, Serialize};
use simulation::description::Effort;
use simulation::lists::ListSource;
use simulation::prepared_site::PreparedSite;
use simulation::proxy::{Doubt, matrix_origin};
use simulation::spec::SiteSpec;
use simulation::truth::GroundTruth;

use crate::experiment::config::Experiment;
use crate::experiment::config::expand::Setting;
use crate::experiment::experiment_share::ExperimentShare;

/// The context that all experiments of one call share.
#[derive(Debug)]
pub struct ExperimentContext {
    /// The folder of results, with one folder per experiment.
    pub out: PathBuf,
    /// The folder of finished runs, truths and matrices.
    pub cache: PathBuf,
    /// A folder of data sets and matrices, searched in addition to the registry.
    pub data_dir: Option<PathBuf>,
    /// The folder of binary caches of data sets, if there are any.
    pub data_cache: Option<PathBuf>,
    /// Where the lists of all rankers of a setting come from.
    pub lists: ListSource,
    /// 1 for the size of the papers.
    pub scale: f64,
    /// Whether progress bars are hidden.
    pub quiet: bool,
    /// Which share of the runs is played.
    pub sharing: ExperimentShare,
    /// The last data set opened: consecutive settings often share it.
    opened: RefCell<Option<(String, Arc<Dataset>)>>,
}

/// The data behind a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its name.
    pub name: String,
    /// Whether it is a look-alike, usually one that replaces missing data, or a matrix estimated on one.
    pub lookalike: bool,
    /// Names and sizes of the files of real data.
    pub files: Vec<(String, u64)>,
}

impl ExperimentContext {
    /// A context that writes to `out`.
    #[must_use]
    pub fn new(out: PathBuf, cache: PathBuf, data_dir: Option<PathBuf>, scale: f64, quiet: bool) -> Self {
        let sharing = ExperimentShare::default();
        Self {
            out,
            cache,
            data_dir,
            data_cache: None,
            lists: ListSource::InMemory,
            scale,
            quiet,
            sharing,
            opened: RefCell::new(None),
        }
    }

    /// `count` times the scale, but at least `minimum` (or `count`, if that is smaller).
    #[must_use]
    pub fn scaled(&self, count: u64, minimum: u64) -> u64 {
        if self.scale >= 1.0 {
            return count;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "no more than the count")]
        let fewer = (count as f64 * self.scale).round() as u64;
        fewer.max(minimum.min(count))
    }

    /// The effort for the truth of `arms` rankers; `subset` if they are a random set.
    #[must_use]
    pub fn effort(&self, arms: usize, subset: bool) -> Effort {
        let full_effort =
            if subset { Effort { coarse: 500, fine: 20_000, budget: 2_000_000 } } else { Effort::for_arms(arms) };
        Effort {
            coarse: self.scaled(full_effort.coarse, 20),
            fine: self.scaled(full_effort.fine, 1_000),
            budget: self.scaled(full_effort.budget, 100_000),
        }
    }

    /// The data of a setting.
    ///
    /// # Errors
    /// When neither the data nor a look-alike are present.
    pub fn source(&self, setting: &Setting) -> Result<Source> {
        let entry = &setting.entry;
        if let Some(problem) = &setting.problem {
            return Ok(Source { name: problem.clone(), lookalike: false, files: Vec::new() });
        }
        if let Some(path) = entry.matrix.0.iter().find_map(|name| self.find_matrix(name)) {
            let (name, bytes) = file_size(&path);
            // A matrix estimated on a look-alike is as synthetic as the look-alike.
            return Ok(Source { files: vec![(name.clone(), bytes)], name, lookalike: is_synthetic(&path)? });
        }
        if !entry.rankings.is_empty() {
            let paths = || entry.rankings.iter().map(|run| trec::path_of(run)).chain(entry.qrels.iter().map(Path::new));
            let files: Vec<(String, u64)> = paths().flat_map(file_sizes).collect();
            let name = format!("the runs {}", entry.rankings.join(", "));
            return Ok(Source { name, lookalike: trec::any_synthetic(&entry.rankings), files });
        }
        // As for `--dataset`, the name of a look-alike is the look-alike.
        if let Some(name) = entry.dataset.as_deref().filter(|name| lookalike::is_named_by(name)) {
            return Ok(Source { name: self.smaller_lookalike(name), lookalike: true, files: Vec::new() });
        }
        if let Some(files) = entry.dataset.as_deref().and_then(|name| self.find_dataset(name)) {
            let name = entry.dataset.clone().unwrap_or_default();
            return Ok(Source { name, lookalike: false, files });
        }
        let name = entry.lookalike.as_deref().with_context(|| self.missing_data_message(setting))?;
        Ok(Source { name: self.smaller_lookalike(name), lookalike: true, files: Vec::new() })
    }

    /// The error for a setting without data.
    fn missing_data_message(&self, setting: &Setting) -> String {
        let entry = &setting.entry;
        let mut reasons: Vec<String> = entry.matrix.0.iter().map(|name| format!("no matrix {name}")).collect();
        if let Some(name) = &entry.dataset {
            let folder = self.data_root(name).join(name);
            reasons.push(match registry::find(name) {
                Some(entry) => registry::missing_error(entry, None, &folder).to_string(),
                None => format!(
                    "no file or folder {name}, and no data set of that name (`{} datasets` lists them)",
                    output::program::name()
                ),
            });
        }
        format!("setting {:?} has no data: {}, and no `lookalike` is given", setting.name, reasons.join("; "))
    }

    /// The paths of a data set that is not registered: a file or folder in the data folder or anywhere else, or several
    /// of them separated by commas, as for `--dataset`.
    fn find_own_files(&self, name: &str) -> Option<Vec<PathBuf>> {
        if registry::find(name).is_some() {
            return None;
        }
        let find = |name: &str| {
            let candidates = self.data_dir.iter().map(|folder| folder.join(name)).chain([PathBuf::from(name)]);
            candidates.into_iter().find(|path| path.exists())
        };
        find(name).map(|path| vec![path]).or_else(|| name.split(',').map(find).collect())
    }

    /// The file of the matrix with this name, if present: a path, or a published matrix.
    pub(crate) fn find_matrix(&self, name: &str) -> Option<PathBuf> {
        if Path::new(name).is_file() {
            return Some(PathBuf::from(name));
        }
        let roots = self.data_dir.iter().cloned().chain([registry::data_root()]);
        roots.filter_map(|root| find_below(&root, name, 3)).next()
    }

    /// The files of the data set `name`, if present; of a registered one, those of the counted splits.
    fn find_dataset(&self, name: &str) -> Option<Vec<(String, u64)>> {
        let Some(entry) = registry::find(name) else {
            return Some(self.find_own_files(name)?.iter().flat_map(|path| file_sizes(path)).collect());
        };
        let located = registry::locate(entry, &self.data_root(name).join(name))?;
        let mut files = Vec::new();
        for split in entry.splits.iter().filter(|split| split.counted) {
            files.extend(located.files(split.name)?.iter().map(|path| file_size(path)));
        }
        Some(files)
    }

    /// The folder that contains the folder of data set `name`.
    fn data_root(&self, name: &str) -> PathBuf {
        let data_dir = self.data_dir.iter().find(|folder| folder.join(name).is_dir());
        data_dir.cloned().unwrap_or_else(registry::data_root)
    }

    /// The name of a look-alike, made smaller at smaller scales.
    fn smaller_lookalike(&self, name: &str) -> String {
        if self.scale >= 1.0 {
            return name.to_owned();
        }
        let mut name_parts = name.splitn(3, ':');
        let base = name_parts.next().unwrap_or_default();
        let scale: f64 = name_parts.next().and_then(|scale| scale.parse().ok()).unwrap_or(1.0);
        let scale = scale * self.scale.sqrt().max(0.1);
        match name_parts.next() {
            Some(seed) => format!("{base}:{scale:.4}:{seed}"),
            None => format!("{base}:{scale:.4}"),
        }
    }

    /// Opens the data set of a setting.
    ///
    /// # Errors
    /// As [`letor_io::open`].
    pub(crate) fn open(&self, source: &Source, spec: &SiteSpec) -> Result<Arc<Dataset>> {
        let mut key = format!("{source:?} {:?}", spec.reading);
        if !(spec.trec_runs.is_empty() && spec.scores.is_empty()) {
            key += &format!(
                "{:?} {:?} {:?} {:?} {:?} {:?}",
                spec.trec_runs, spec.qrels, spec.trec_ties, spec.unjudged, spec.scores, spec.scores_only
            );
        }
        if let Some((opened_key, dataset)) = &*self.opened.borrow()
            && *opened_key == key
        {
            return Ok(Arc::clone(dataset));
        }
        // Drop the previous one first: two large data sets may not fit in memory.
        self.opened.replace(None);
        let root = self.data_root(&source.name);
        let own_files = self.find_own_files(&source.name).filter(|_| !source.lookalike);
        let dataset = match own_files {
            _ if !spec.trec_runs.is_empty() => Vec::new(),
            Some(paths) => paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            None => vec![source.name.clone()],
        };
        let spec = SiteSpec { dataset, ..spec.clone() };
        let dataset = Arc::new(spec.open(Some(&root), self.data_cache.as_deref())?);
        self.opened.replace(Some((key, Arc::clone(&dataset))));
        Ok(dataset)
    }

    /// The cache of values that later calls need again.
    pub(crate) fn cache(&self) -> Cache<'_> {
        Cache::new(&self.cache)
    }

    /// The truth of a site, or of a random set of its rankers.
    ///
    /// # Errors
    /// When the cache cannot be written.
    pub(crate) fn truth(&self, prepared: &PreparedSite, seed: u64, subset: bool) -> Result<GroundTruth> {
        prepared.truth(self.effort(prepared.site.arms(), subset), seed, &self.cache, self.quiet || subset)
    }

    /// The folder of one experiment's results.
    #[must_use]
    pub fn folder(&self, experiment: &str) -> PathBuf {
        self.out.join(experiment)
    }
}

/// A larger file is not a matrix.
pub(crate) const MOST_BYTES: u64 = 1 << 31;

/// Whether the description beside a matrix marks it as estimated from synthetic data.
///
/// # Errors
/// If the files there leave it open: claims of papers depend on it.
fn is_synthetic(path: &Path) -> Result<bool> {
    let matrix = input::read_file(path, MOST_BYTES).ok().and_then(|bytes| PreferenceMatrix::from_bytes(&bytes).ok());
    // An error in the matrix is reported when it is opened.
    let Some(matrix) = matrix else { return Ok(false) };
    let origin = matrix_origin(path, &matrix);
    if let Some(remark) = origin.remark(path) {
        match origin.doubt() {
            Some(Doubt::Unsealed | Doubt::NamesAlone) => output::messages::warn(false, &remark),
            _ => bail!(remark),
        }
    }
    Ok(origin.account().is_some_and(|account| account.synthetic))
}

/// A file's name and size.
fn file_size(path: &Path) -> (String, u64) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (name, path.metadata().map_or(0, |data| data.len()))
}

/// Names and sizes of a file, or of all files in a folder.
fn file_sizes(path: &Path) -> Vec<(String, u64)> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![file_size(path)] };
    let files = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file());
    let mut sizes: Vec<(String, u64)> = files.map(|path| file_size(&path)).collect();
    sizes.sort();
    sizes
}

fn find_below(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    if depth == 0 {
        return None;
    }
    let entries = std::fs::read_dir(folder).ok()?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.into_iter().find_map(|folder| find_below(&folder, name, depth - 1))
}

/// The settings of `experiment` for which a look-alike replaces missing data, with its name. Settings
/// with neither, which will fail, are left out.
#[must_use]
pub fn stand_ins(context: &ExperimentContext, experiment: &Experiment) -> Vec<(String, String)> {
    let settings = &experiment.settings;
    let sources = settings.iter().filter_map(|setting| Some((setting.name.clone(), context.source(setting).ok()?)));
    sources.filter(|(_, source)| source.lookalike).map(|(setting, source)| (setting, source.name)).collect()
}

/// The data of each setting, by the setting's name.
pub(crate) fn sources(context: &ExperimentContext, experiment: &Experiment) -> Result<Vec<(String, Source)>> {
    let settings = &experiment.settings;
    settings.iter().map(|setting| Ok((setting.name.clone(), context.source(setting)?))).collect()
}
