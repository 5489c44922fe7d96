//! `rankduel-server export`.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use desk::println;
use traffic::Ask;

use super::StoreFlag;
use crate::export::{ExportKind, Rules, export};
use crate::store::{Access, Store};

/// Write the log of an experiment as `click-logs credit` reads it
///
/// The folder gets impressions.jsonl, clicks.jsonl, outcomes.jsonl if outcomes count, bots.toml and credit.sh, the command that credits them as the server does; until a day
/// is over, it gets log.jsonl, every event so far, instead of credit.sh. Of an experiment that asks judges, it gets judgements.jsonl, which
/// `rankduel board` reads.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The experiment
    #[arg(value_name = "EXPERIMENT")]
    experiment: String,
    /// The folder to write; it must not exist
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    store: StoreFlag,
}

impl Export {
    pub(super) fn run(self) -> Result<()> {
        let store = self.store.open(Access::Read)?;
        let experiments = store.experiments()?;
        let Some((id, name)) = experiments.iter().find(|(_, name)| *name == self.experiment) else {
            let names: Vec<&str> = experiments.iter().take(10).map(|(_, name)| name.as_str()).collect();
            bail!("there is no experiment {:?}; the store has {}", self.experiment, names.join(", "));
        };
        if self.folder.exists() {
            bail!("{} exists; choose another folder", self.folder.display());
        }
        // Written aside and renamed: a folder of that name is complete.
        let mut aside = self.folder.as_os_str().to_owned();
        aside.push(".part");
        let aside = PathBuf::from(aside);
        let failed = || format!("cannot write {}", aside.display());
        if aside.exists() {
            std::fs::remove_dir_all(&aside).with_context(failed)?;
        }
        std::fs::create_dir_all(&aside).with_context(failed)?;
        // One moment for all files: a server may be writing meanwhile.
        let next = store.at_one_moment(|store| write(store, *id, name, &aside))?;
        std::fs::rename(&aside, &self.folder).with_context(|| format!("cannot write {}", self.folder.display()))?;
        println!("wrote {}; {next}", self.folder.display());
        Ok(())
    }
}

/// Writes all files, and returns what to do with them.
fn write(store: &Store, id: u32, name: &str, folder: &Path) -> Result<String> {
    let part = |what: ExportKind| {
        let path = folder.join(format!("{}.jsonl", what.name()));
        let failed = || format!("cannot write {}", path.display());
        let mut out = BufWriter::new(File::create(&path).with_context(failed)?);
        export(store, id, name, what, &mut out)?;
        out.flush().with_context(failed)
    };
    let rules = Rules::of(store, id, name)?;
    let said = |next: String| match rules.kept_from() {
        Some(day) => {
            format!(
                "days before {day} are forgotten: these files say who won since then, the server what all days said; {next}"
            )
        }
        None => next,
    };
    if rules.ask() == Ask::Duels {
        part(ExportKind::Judgements)?;
        return Ok(said("judge it there: rankduel board judgements.jsonl".to_owned()));
    }
    part(ExportKind::Impressions)?;
    part(ExportKind::Clicks)?;
    if rules.has_outcomes() {
        part(ExportKind::Outcomes)?;
    }
    let bots = folder.join("bots.toml");
    std::fs::write(&bots, rules.bots_toml()).with_context(|| format!("cannot write {}", bots.display()))?;
    if let Some(why) = rules.why_nothing_is_final() {
        part(ExportKind::Log)?;
        return Ok(format!(
            "{why}. So impressions.jsonl and clicks.jsonl are empty, and log.jsonl has every event so far; export again then"
        ));
    }
    let script = format!(
        "#!/bin/sh\n# Credits these files as the server does.\nset -e\ncd \"$(dirname \"$0\")\"\n{}\n",
        rules.command()
    );
    let path = folder.join("credit.sh");
    std::fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(said(format!("credit it there: {}", rules.command())))
}
