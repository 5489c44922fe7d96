//! Default results folders, named after the data and the settings.

use std::path::{Path, PathBuf};

use clicks::{ClickSpec, DependentSpec};
use letor_io::{Names, lookalike, registry};
use output::cache::sha256_hex;
use rankers::Selection;
use simulation::description::SiteDescription;

use super::common::CommonArgs;
use super::site::{FractionalArg, SiteArgs, Ties};

impl SiteArgs {
    /// The part of a folder name for the rankers; empty for all of them.
    pub(in crate::cli) fn rankers_suffix(&self) -> String {
        let mut suffix = match self.chosen_rankers() {
            None => "-16-rankers".to_owned(),
            Some(Selection::All) => String::new(),
            Some(chosen) => format!("-rankers-{}", shortened_list(&Names::ranges_written_out(&chosen.to_string()))),
        };
        if !self.without.is_empty() {
            let features: Vec<String> = self.without.iter().flat_map(|list| &list.0).map(ToString::to_string).collect();
            suffix += &format!("-without-{}", shortened_list(&Names::ranges_written_out(&features.join(","))));
        }
        suffix
    }

    /// The part of a folder name for settings that differ from their defaults.
    fn settings_suffix(&self, played: &SiteDescription) -> String {
        let suffixes = [
            matches!(self.click, ClickSpec::Dependent(DependentSpec::Custom { .. }))
                .then(|| shortened_list(&format!("{}{}", self.click, self.stop.as_deref().unwrap_or("")))),
            (self.shown != 10).then(|| format!("shown-{}", self.shown)),
            self.interleave.as_ref().map(ToString::to_string),
            self.multileave.as_ref().map(ToString::to_string),
            self.credit_ties.map(|_| format!("ties-{}", played.credit_ties.name())),
            matches!(self.ties, Ties::Fixed).then(|| "fixed".to_owned()),
            match self.fractional_labels {
                FractionalArg::Round => None,
                FractionalArg::Floor => Some("floor".to_owned()),
                FractionalArg::Interpolate => Some("interpolate".to_owned()),
            },
            self.reading.folder_suffix(),
        ];
        suffixes.iter().flatten().map(|word| format!("-{word}")).collect()
    }

    /// The default results folder of `command`, e.g. `results/live-mq2008-navigational`. Every setting that differs from
    /// its default is part of the name, so no two sites share a folder; `suffix` are the parts of flags that do not describe
    /// the site: the kind of regret, the effort of the truth.
    pub(in crate::cli) fn default_folder(
        &self,
        command: &str,
        played: &SiteDescription,
        suffix: &str,
        common: &CommonArgs,
    ) -> PathBuf {
        let (clicks, settings) = (&played.click.model, self.settings_suffix(played));
        let name = dataset_name(&self.files(), &played.dataset.name, &played.dataset.checksum);
        default_folder(&format!(
            "{command}-{name}-{clicks}{}{settings}{suffix}{}",
            self.rankers_suffix(),
            common.seeded()
        ))
    }
}

/// The part of a folder name for the data set. The names of files are not unique, so a hash of their content is
/// added.
pub(in crate::cli) fn dataset_name(dataset_args: &[String], name: &str, checksum: &str) -> String {
    let short_name = |dataset_args: &String| {
        let generated = lookalike::names().any(|name| dataset_args.split(':').next() == Some(name));
        generated || registry::find(dataset_args).is_some()
    };
    if dataset_args.iter().all(short_name) { name.to_owned() } else { of_content(name, checksum) }
}

/// `name` with a hash of the content.
pub(in crate::cli) fn of_content(name: &str, checksum: &str) -> String {
    format!("{name}-{}", &sha256_hex(checksum)[..8])
}

/// A list for a folder name: unchanged if short, otherwise its beginning and a hash.
pub(in crate::cli) fn shortened_list(list: &str) -> String {
    let max_length = 24;
    let head: String = list.chars().take(max_length).collect();
    if head == list { head } else { format!("{head}-{}", &sha256_hex(list)[..8]) }
}

/// `results/<name>` with everything but letters, digits, dots and dashes replaced.
pub(in crate::cli) fn default_folder(name: &str) -> PathBuf {
    let file_safe: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' }).collect();
    Path::new("results").join(file_safe.trim_matches('-'))
}
