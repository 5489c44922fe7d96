//! The description of an algorithm, and the table of all of them.

use super::{Memory, Spec, entries, memory, prefer};
use crate::{ActionKind, Paper, Parameter, PolicyConfig};

/// An algorithm's entry in the registry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line: what it is and where it comes from.
    pub summary: &'static str,
    /// When to prefer it to the others, by what was measured; empty for algorithms from outside.
    pub prefer: &'static str,
    /// Its paper; `None` for baselines.
    pub paper: Option<Paper>,
    /// The path of its module in this crate, e.g. `policies::rucb`.
    pub module: &'static str,
    /// Settings worth trying beside the defaults, each with a phrase: [`PolicyConfig::VARIANTS`].
    pub variants: &'static [(&'static str, &'static str)],
    /// The revision of its choices: [`PolicyConfig::REVISION`].
    pub revision: u32,
    /// How many arms it chooses at a time, unless parameters change that ([`Spec::action_kind`]).
    pub action_kind: ActionKind,
    /// Whether it must know the horizon, unless parameters replace it ([`Spec::uses_horizon`]).
    pub needs_horizon: bool,
    /// How much memory its policy takes.
    pub memory: Memory,
    /// Its parameters with their defaults.
    pub parameters: Vec<Parameter>,
}

impl Entry {
    pub(super) fn of<C: PolicyConfig>(path: &'static str) -> Self {
        Self {
            name: C::NAME,
            summary: C::SUMMARY,
            prefer: prefer::phrase_of(C::NAME),
            paper: C::PAPER,
            module: path.trim_start_matches(':').rsplit_once("::").map_or("", |(module, _)| module),
            variants: C::VARIANTS,
            revision: C::REVISION,
            action_kind: C::ACTION,
            needs_horizon: C::NEEDS_HORIZON,
            memory: memory::memory_of(C::NAME),
            parameters: C::default().parameters(),
        }
    }

    /// The names of its variants, `name:key=value` each.
    pub fn variant_names(&self) -> impl Iterator<Item = String> + '_ {
        self.variants.iter().map(|(setting, _)| format!("{}:{setting}", self.name))
    }
}

/// The table of algorithms in Markdown, a row each: what it chooses, whether it needs the horizon, variants and
/// paper. `first` makes the first cell, e.g. the name as a link.
#[must_use]
pub fn table(first: impl Fn(&Entry) -> String) -> String {
    let mut table = "| name | chooses | horizon | variants | paper |\n|---|---|---|---|---|\n".to_owned();
    for entry in entries() {
        let kinds = |kind| if kind == ActionKind::Duels { "duels" } else { "sets" };
        let (mut chooses, mut horizon) = (kinds(entry.action_kind).to_owned(), "not needed".to_owned());
        if entry.needs_horizon {
            horizon = "needed".to_owned();
        }
        let mut variants = Vec::new();
        for ((setting, phrase), name) in entry.variants.iter().zip(entry.variant_names()) {
            variants.push(format!("`{setting}` ({phrase})"));
            let Ok(spec) = name.parse::<Spec>() else { continue };
            if spec.action_kind() != entry.action_kind {
                chooses += &format!(", {} with `{setting}`", kinds(spec.action_kind()));
            }
            if entry.needs_horizon && !spec.uses_horizon() {
                horizon += &format!(", not with `{setting}`");
            }
        }
        let paper =
            entry.paper.map_or_else(|| "baseline".to_owned(), |paper| format!("[{}]({})", paper.citation, paper.url));
        let cells = [first(&entry), chooses, horizon, variants.join(", "), paper];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    table
}
