//! The settings of a session as flags, and how a session begins with them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use judges::{AuditedModel, Config, Goal};
use letor_io::NameList;
use output::input;
use output::messages::note;
use output::numbers::{parse_positive, parse_tolerance};
use output::path_error;
use output::usage::usage;

use crate::session_file::{EmptyFile, SessionFile};
use crate::texts::Texts;

/// Names and items in files are no larger than this together.
const MAX_BYTES: u64 = 1 << 28;

/// The settings of a session. They never change: later calls may repeat them, and are refused if they differ.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Settings of a new session")]
pub struct Settings {
    /// The competitors (models, prompts, rankers; one with a comma in quotation marks)
    #[arg(long, value_name = "NAME,...")]
    competitors: Vec<NameList>,

    /// The competitors, from a file with one name per line
    #[arg(long, value_name = "FILE", conflicts_with = "competitors", value_hint = clap::ValueHint::FilePath)]
    competitors_from: Option<PathBuf>,

    /// What they are compared on (prompts, queries), from a file with one item per line; each pair goes through all of them in its own order
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    items: Option<PathBuf>,

    /// best: name the best; order: rank all; uniform: every pair equally often [default: best]
    #[arg(long, value_name = "best|order|uniform", value_parser = parse_goal)]
    goal: Option<Goal>,

    /// Who chooses pairs for goal best: top-two, or an algorithm of `rankduel algorithms` that plays two arms at a time [default: auto]
    #[arg(long, value_name = "POLICY")]
    policy: Option<String>,

    /// How many judgements there will be, for policies that must know
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    horizon: Option<u64>,

    /// From which all random choices follow [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Ask each pair in both orders on its item; a disagreement is a tie for the policy
    #[arg(long)]
    both: bool,

    /// The share of pairs that repeat an earlier question, 0 to 0.5, to see whether judges agree with themselves; the policy does not learn from
    /// them [default: 0]
    #[arg(long, value_name = "SHARE")]
    repeat: Option<f64>,

    /// By how much the best may be better than the one that is named, as a share of points: with 0.05, one that gets at least 45% against
    /// each other is good enough; without, a session between equals never ends [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = parse_tolerance)]
    tolerance: Option<f64>,

    /// A model that judges beside people: it answers every question, and lots, drawn by how far it agrees with them, decide which of these a
    /// person audits. The judge of a pair is whom to ask, and what the session says holds for people
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// The people beside the model
    #[arg(long, value_name = "NAME,...")]
    people: Option<NameList>,

    /// What an answer of the model costs, in judgements of a person, above 0 and at most 1 [default: 0.01]
    #[arg(long, value_name = "SHARE")]
    model_cost: Option<f64>,
}

/// The default cost of a model: an answer for cents beside a minute of a person.
const MODEL_COST: f64 = 0.01;

fn parse_goal(text: &str) -> Result<Goal, String> {
    let goals = [Goal::Best, Goal::Order, Goal::Uniform];
    goals.into_iter().find(|goal| goal.name() == text).ok_or_else(|| "expected best, order or uniform".to_owned())
}

/// The message of a wrong setting, with the flag that gives it.
fn flag_message(error: &judges::SessionError) -> String {
    match error {
        judges::SessionError::Config(wrong) => {
            let flag = if wrong.field == "names" { "competitors" } else { wrong.field };
            format!("--{}: {}", flag.replace('_', "-"), wrong.message)
        }
        other => other.to_string(),
    }
}

/// Why the lines of a spreadsheet's file are not one name each, with the number of the line: quoted cells, or several columns.
fn not_plain(path: &Path, lines: &[String]) -> Option<(usize, String)> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    if ending != "csv" && ending != "tsv" {
        return None;
    }
    if let Some(index) = lines.iter().position(|line| line.starts_with('"')) {
        return Some((index, "a quoted cell".to_owned()));
    }
    let columns = |separator: char| {
        let count = |line: &String| line.matches(separator).count();
        let field_count = lines.first().map(count).filter(|field_count| *field_count > 0)?;
        lines.iter().all(|line| count(line) == field_count).then(|| (0, format!("{} columns", field_count + 1)))
    };
    ['\t', ';', ','].into_iter().find_map(columns)
}

/// The lines of a file.
fn lines_of(path: &Path) -> Result<Vec<String>> {
    let text = input::read_text(path, MAX_BYTES).map_err(|error| path_error(error, "read", path))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(empty_line) = lines.iter().position(|line| line.trim().is_empty()) {
        bail!(usage(format_args!("{}, line {}: it is empty; remove it", path.display(), empty_line + 1)));
    }
    if let Some((index, fault)) = not_plain(path, &lines) {
        bail!(usage(format_args!(
            "{}, line {}: found {fault}, expected one name per line; copy the column of names into a text file",
            path.display(),
            index + 1
        )));
    }
    Ok(lines)
}

impl Settings {
    /// Reads the session at `path`, or begins it if there is none and a pair is asked, with the competitors and items of `texts` if no
    /// flag names others. Remarks go to standard error.
    ///
    /// # Errors
    /// As for [`SessionFile::open`], if a setting is wrong, or for settings that differ from those of the file.
    pub fn open(&self, path: &Path, asks: bool, writes: bool, texts: Option<&Texts>) -> Result<SessionFile> {
        let file = SessionFile::open(path, writes, |empty_file| {
            if !asks || self.competitors()?.is_none() && texts.is_none() {
                return Err(usage(format_args!(
                    "there is no session in {}: begin one with --competitors NAME,NAME,... or --competitors-from FILE",
                    path.display()
                )));
            }
            if empty_file == EmptyFile::CutOff {
                note(false, &format!("{} was cut off when it was created: it begins again", path.display()));
            }
            judges::Session::new(self.config(texts)?).map_err(|error| usage(flag_message(&error)))
        })?;
        if file.torn() > 0 {
            let remark = "its last line was cut off while it was written; it is dropped, and no answer depends on it";
            note(false, &format!("{}: {remark}", path.display()));
        }
        self.agree_with(file.session.config(), path)?;
        Ok(file)
    }

    fn competitors(&self) -> Result<Option<Vec<String>>> {
        match (self.competitors.as_slice(), &self.competitors_from) {
            ([], Some(path)) => lines_of(path).map(Some),
            ([], None) => Ok(None),
            (lists, _) => Ok(Some(NameList::concat(lists))),
        }
    }

    /// The settings of a new session.
    fn config(&self, texts: Option<&Texts>) -> Result<Config> {
        let of_texts = |all: fn(&Texts) -> &Vec<String>| texts.map(|texts| all(texts).clone()).unwrap_or_default();
        let names = self.competitors()?.unwrap_or_else(|| of_texts(|texts| &texts.competitors));
        let defaults = Config::of(names);
        if self.model.is_none() && (self.people.is_some() || self.model_cost.is_some()) {
            return Err(usage("--people and --model-cost are about a model: name it with --model, or leave them out"));
        }
        Ok(Config {
            items: self.items.as_deref().map(lines_of).transpose()?.unwrap_or_else(|| of_texts(|texts| &texts.items)),
            goal: self.goal.unwrap_or_default(),
            policy: self.policy.clone().unwrap_or_else(|| defaults.policy.clone()),
            horizon: self.horizon.unwrap_or(0),
            seed: self.seed.unwrap_or(0),
            both: self.both,
            repeat: self.repeat.unwrap_or(0.0),
            tolerance: self.tolerance.unwrap_or(0.0),
            model: self.model.clone().map(|name| AuditedModel {
                name,
                cost: self.model_cost.unwrap_or(MODEL_COST),
                people: self.people.clone().unwrap_or_default().0,
            }),
            ..defaults
        })
    }

    /// Refuses flags that differ from the settings of the file.
    fn agree_with(&self, config: &Config, path: &Path) -> Result<()> {
        let differs = |flag: &str, requested: String, in_session: String| {
            Err(usage(format_args!(
                "--{flag} {requested}, but {} was begun with {in_session}; leave the flag out, or begin another file",
                path.display()
            )))
        };
        if let Some(names) = self.competitors()?.filter(|names| *names != config.names) {
            let flag = if self.competitors.is_empty() { "competitors-from" } else { "competitors" };
            let requested = match names.iter().find(|name| !config.names.contains(name)) {
                Some(or_people) => format!("names `{or_people}`"),
                None if names.len() < config.names.len() => format!("names {} of them", names.len()),
                None => "has them in another order".to_owned(),
            };
            return differs(flag, requested, ranktypes::text::join_list(&config.names));
        }
        if let Some(items) = self.items.as_deref().map(lines_of).transpose()?.filter(|items| *items != config.items) {
            let line_index = items.iter().zip(&config.items).position(|(line, or_people)| line != or_people);
            let requested = match line_index {
                Some(line_index) => format!("differs in line {}", line_index + 1),
                None => format!("has {} lines", items.len()),
            };
            return differs("items", requested, format!("{} items", config.items.len()));
        }
        let is = |value: &dyn std::fmt::Display| format!("is {value}");
        if let Some(goal) = self.goal.filter(|goal| *goal != config.goal) {
            return differs("goal", is(&goal.name()), config.goal.name().to_owned());
        }
        if let Some(policy) = self.policy.as_deref().filter(|policy| !config.has_policy(policy)) {
            return differs("policy", is(&policy), config.policy.clone());
        }
        if let Some(horizon) = self.horizon.filter(|horizon| *horizon != config.horizon) {
            let in_session = if config.horizon == 0 { "none".to_owned() } else { config.horizon.to_string() };
            return differs("horizon", is(&horizon), in_session);
        }
        if let Some(seed) = self.seed.filter(|seed| *seed != config.seed) {
            return differs("seed", is(&seed), config.seed.to_string());
        }
        if self.both && !config.both {
            return differs("both", "is given".to_owned(), "one order for each pair".to_owned());
        }
        if let Some(repeat) = self.repeat.filter(|repeat| *repeat != config.repeat) {
            return differs("repeat", is(&repeat), config.repeat.to_string());
        }
        if let Some(tolerance) = self.tolerance.filter(|tolerance| *tolerance != config.tolerance) {
            return differs("tolerance", is(&tolerance), config.tolerance.to_string());
        }
        let in_session = config.model.as_ref();
        let or_people = |found: Option<String>| found.unwrap_or_else(|| "people alone".to_owned());
        if let Some(model) =
            self.model.as_deref().filter(|model| in_session.is_none_or(|in_session| in_session.name != **model))
        {
            return differs("model", is(&model), or_people(in_session.map(|in_session| in_session.name.clone())));
        }
        if let Some(people) =
            self.people.as_ref().filter(|people| in_session.is_none_or(|in_session| in_session.people != people.0))
        {
            let people_list = |people: &[String]| ranktypes::text::join_list(people);
            return differs(
                "people",
                format!("are {}", people_list(&people.0)),
                or_people(in_session.map(|in_session| people_list(&in_session.people))),
            );
        }
        if let Some(cost) = self.model_cost.filter(|cost| in_session.is_none_or(|in_session| in_session.cost != *cost))
        {
            return differs(
                "model-cost",
                is(&cost),
                or_people(in_session.map(|in_session| in_session.cost.to_string())),
            );
        }
        Ok(())
    }
}
