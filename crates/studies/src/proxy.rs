//! The preference matrix of a site's rankers, estimated from simulated impressions.
//!
//! It is not a [`Study`](crate::Study): it keeps one growing state instead of a record per unit. The state can be saved at any time, and
//! the same command and `--more` continue it; `simulation::proxy` owns it. [`runner`](crate::runner) has what is shared with studies:
//! the folder and the part of a shard, and their messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bandits::PreferenceMatrix;
use bandits::agreement::Agreement;
use output::interrupt::say_when_stopped;
use output::machine;
use output::messages::info;
use output::numbers::{significant, with_separators, with_unit};
use output::shards::{Invocation, Shard, Share};
use output::usage::usage;
use serde::Serialize;
use simulation::prepared_site::PreparedSite;
use simulation::proxy::{
    Files, Provenance, ReferenceAgreement, Request as Impressions, Sampling, ShardFiles, StartMode, State, identity,
    open_state, play, play_shard, provenance, winner, write,
};

use crate::matrix_file::name;
use crate::report::Report;
use crate::runner::announce_missing;
use crate::runner::share::{COUNTS_FILE, claim_shard, leave_part, no_replace};

/// The settings of a proxy matrix.
#[derive(Debug)]
pub struct Request {
    /// Which pairs are compared how often.
    pub impressions: Impressions,
    /// The master seed.
    pub seed: u64,
    /// How queries are drawn.
    pub sampling: Sampling,
    /// Whether all rankers share one list.
    pub multileaved: bool,
    /// What happens to a matrix that is there.
    pub mode: StartMode,
    /// The time between saves.
    pub save_every: Duration,
    /// The matrix to write, `.npy` or `.txt`.
    pub matrix_path: PathBuf,
    /// Another matrix of the same rankers.
    pub reference: Option<Reference>,
}

/// A matrix to compare with.
#[derive(Debug)]
pub struct Reference {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// The name of its file.
    pub name: String,
    /// Whether it is of generated data; `None` if unknown.
    pub synthetic: Option<bool>,
}

/// The cost of the last command: the content of P.timings.json.
#[derive(Serialize)]
struct Timings {
    processor: Option<String>,
    threads: usize,
    seconds: f64,
    comparisons: u64,
    comparisons_per_second: f64,
    peak_memory_mib: Option<u64>,
}

/// Estimates the matrix, or the share of it, and writes it. Returns the report and where the files are, for people; `None` if
/// this was only a share.
///
/// # Errors
/// If the matrix of that name is another one, nothing can be written, or parts are missing.
pub fn estimate(
    prepared: &PreparedSite,
    request: Request,
    share: &Share,
    invocation: &Invocation,
    quiet: bool,
) -> Result<Option<(Report, String)>> {
    let Request { impressions, seed, sampling, multileaved, mode, save_every, matrix_path: out, reference } = request;
    let (files, arms) = (Files::for_matrix(&out)?, prepared.site.arms());
    if let Some(reference) = &reference {
        ensure!(
            reference.matrix.arms() == arms,
            usage(format!(
                "--against has {} arms, but {arms} rankers are compared; choose them with --rankers",
                reference.matrix.arms()
            ))
        );
    }
    if matches!(share, Share::Prepare) {
        info(quiet, &format!("prepared for all shards: the lists of {}", with_unit(arms as u64, "ranker")));
        return Ok(None);
    }
    let identity = identity(prepared, seed, sampling, multileaved);
    if let Some(shard) = share.shard() {
        ensure!(mode != StartMode::Replace, no_replace());
        let state = open_state(&files.state, identity, impressions, mode)?;
        return play_part(shard, &state, prepared, &ShardOutput { matrix_path: &out, save_every, invocation, quiet })
            .map(|()| None);
    }
    if let Some(parent) = out.parent() {
        announce_missing(parent, quiet);
    }
    output::create_folder_of(&out)?;
    let _lock = files.lock()?;
    if mode != StartMode::Replace && !impressions.more && !files.state.exists() {
        // Made by another program or downloaded.
        let existing = [&files.npy, &files.text].into_iter().find(|path| path.exists());
        if let Some(existing) = existing {
            bail!(usage(format!(
                "{} exists but has no .state file; add --replace to replace it, or choose another --out",
                existing.display()
            )));
        }
    }
    files.all().for_each(output::remove_leftovers);
    let replace_hint = if mode == StartMode::Replace { " without --replace" } else { "" };
    say_when_stopped(move || {
        format!("stopped; the same command{replace_hint} goes on from the last saved state, if there is one")
    });
    let mut state = open_state(&files.state, identity, impressions, mode)?;
    // Until the new matrix is complete, the old one is whole: with its state it can be continued.
    let old_state = files.state.with_extension("state.old");
    if mode == StartMode::Replace && files.state.exists() && !old_state.exists() {
        let linked = fs::hard_link(&files.state, &old_state).or_else(|_| fs::copy(&files.state, &old_state).map(drop));
        linked.with_context(|| format!("failed to keep {} until it is replaced", files.state.display()))?;
    }
    let save = Some((files.state.as_path(), save_every));
    let start = Instant::now();
    let (compared, seconds) = match share.parts() {
        Some(parts) if !state.is_done => {
            (state.absorb_parts(parts, prepared.site.queries(), &files.state)?, parts.seconds())
        }
        _ => (play(&mut state, prepared, save, quiet)?, start.elapsed().as_secs_f64()),
    };

    write(&files, &state)?;
    output::remove_stale(&old_state)?;
    let matrix = state.matrix()?;
    let reference = reference.map(|reference| agreement(&matrix, reference)).transpose()?;
    let provenance = provenance(&state, &prepared.description, &matrix, reference);
    let sealed = provenance.sealed()?;
    output::write_json_pretty(&files.provenance, &sealed)?;
    let timings = Timings {
        processor: machine::processor(),
        threads: rayon::current_num_threads(),
        seconds,
        comparisons: compared,
        comparisons_per_second: compared as f64 / seconds.max(1e-9),
        peak_memory_mib: machine::peak_memory().map(|bytes| bytes >> 20),
    };
    if compared > 0 {
        output::write_json_pretty(&files.timings, &timings)?;
    }
    let winner = winner(&state, &prepared.description, &matrix);
    let report = Report::new(text(prepared, &provenance, &timings, &winner, &files), &sealed)?;
    let names: Vec<String> = files.all().map(name).collect();
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let results_note = format!("results in {}: {}", folder.unwrap_or(Path::new(".")).display(), names.join(", "));
    Ok(Some((report, results_note)))
}

/// The output of a shard.
struct ShardOutput<'a> {
    matrix_path: &'a Path,
    save_every: Duration,
    invocation: &'a Invocation,
    quiet: bool,
}

/// Plays the pieces of `shard`, and leaves its part.
fn play_part(shard: Shard, state: &State, prepared: &PreparedSite, played_part: &ShardOutput<'_>) -> Result<()> {
    let ShardOutput { matrix_path: out, save_every, invocation: made, quiet } = *played_part;
    if state.is_done {
        info(quiet, &format!("nothing left to do: {} holds this matrix", out.display()));
        return Ok(());
    }
    let Some(folder) = claim_shard(shard, out, &state.work()?, quiet)? else { return Ok(()) };
    folder.marker()()?;
    let path = folder.path().display().to_string();
    say_when_stopped(move || format!("stopped; what was counted is kept in {path}, and the same command goes on"));
    let progress = folder.join(COUNTS_FILE);
    let files = ShardFiles { progress: (&progress, save_every), invocation: made.clone(), quiet };
    let played_part = play_shard(state, shard, prepared, &files)?;
    leave_part(&played_part, folder, quiet)
}

fn agreement(matrix: &PreferenceMatrix, reference: Reference) -> Result<ReferenceAgreement> {
    let Reference { matrix: other, name, synthetic } = reference;
    Ok(ReferenceAgreement { matrix: name, synthetic, agreement: Agreement::between(matrix, &other)? })
}

fn text(
    prepared: &PreparedSite,
    provenance: &Provenance<'_>,
    timings: &Timings,
    winner: &str,
    files: &Files,
) -> String {
    let comparisons_per_pair = if provenance.min_comparisons == provenance.max_comparisons {
        with_separators(provenance.max_comparisons)
    } else {
        format!("{} to {}", with_separators(provenance.min_comparisons), with_separators(provenance.max_comparisons))
    };
    let (pairs, arms) = (with_unit(provenance.pairs as u64, "pair"), with_unit(prepared.site.arms() as u64, "ranker"));
    let mut lines = vec![format!("{pairs} of {arms}, {comparisons_per_pair} comparisons each")];
    lines.push(if timings.comparisons > 0 {
        let speed = significant(timings.comparisons_per_second);
        format!("{} comparisons in {:.1} s, {speed} per second", with_separators(timings.comparisons), timings.seconds)
    } else {
        "nothing left to do".to_owned()
    });
    lines.push(format!(
        "ties {:.1}%, largest standard error {:.5}",
        100.0 * provenance.share_of_ties,
        provenance.largest_standard_error
    ));
    lines.push(winner.to_owned());
    if provenance.min_comparisons == 0 && provenance.pairs > 0 {
        let counts = name(&files.counts);
        lines.push(format!(
            "some pairs were never compared: their preference is 1/2, and {counts} has 0 comparisons for them"
        ));
    }
    if let Some(agreement) = &provenance.against {
        let synthetic = if agreement.synthetic == Some(true) { " (synthetic data)" } else { "" };
        lines.push(format!("against {}{synthetic}: {}", agreement.matrix, agreement.agreement));
    }
    lines.extend(prepared.description.note());
    lines.join("\n")
}
