//! `click-logs decide --against`: how well interleaving agreed with past A/B tests, and what that says of a new result.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use desk::print;
use output::numbers::{complement, parse_number};
use output::results_folder::{Existing, ResultsFolder};
use output::usage::usage;
use ranktypes::text::{excerpt, with_unit};
use serde::Serialize;
use serde_json::{Value, json};
use statistics::fixed::{Correlation, Line, Prediction, correlation, exact_interval, sign_agreement, weighted_line};
use statistics::{Counts, StatisticsError, normal_quantile};
use verdicts::decide::{Action, By, decide, percent_of_confidence, range};

use super::decide::Format;
use crate::error::{LogError, Malformed};
use crate::model::Primary;
use crate::outcomes::{need_impressions, primary};
use crate::read::Fields;
use crate::verdict::{SYNTHETIC, before_all, is_synthetic, outlook, read_outcomes};

/// The columns of the table; the first two must be there.
const COLUMNS: [&str; 5] = ["interleaving", "ab", "interleaving_error", "ab_error", "name"];
/// How few experiments have a line.
const FEWEST: usize = 3;
/// The largest table, in bytes.
const MOST: u64 = 1 << 26;
/// The level at which an A/B result counts as significant.
const SIGNIFICANT: f64 = 0.05;

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Say instead how well interleaving agreed with past A/B tests, and how likely an A/B test is to contradict the verdict
    ///
    /// A CSV table with a row per experiment in which both ran: interleaving (the share of wins minus 1/2, or net wins per unit,
    /// positive if the new ranker is better), ab (the A/B result, in any unit, with the same sign), and perhaps interleaving_error
    /// and ab_error (standard errors) and name. With --out, writes against.txt, against.json and against.csv. FOLDER may be left out.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["html", "exit_code"])]
    against: Option<PathBuf>,
    /// With --against: the new interleaving result and its standard error, in the unit of the table, instead of FOLDER's
    #[arg(
        long,
        value_name = "X[,ERROR]",
        requires = "against",
        conflicts_with = "outcomes",
        allow_hyphen_values = true
    )]
    result: Option<NewResult>,
    /// With --against and FOLDER: which of its two rankers is the new one; by default the one that is ahead
    #[arg(long, value_name = "RANKER", requires = "against", conflicts_with = "result")]
    new: Option<String>,
}

/// What else was asked of `decide`.
pub(super) struct Asked<'a> {
    pub(super) outcomes: Option<&'a Path>,
    pub(super) confidence: f64,
    pub(super) by: By,
    pub(super) format: Format,
    pub(super) out: Option<&'a Path>,
    pub(super) replace: bool,
}

/// An interleaving result, with its standard error, 0 if it is not known.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NewResult {
    value: f64,
    error: f64,
}

impl FromStr for NewResult {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (value, error) = text.split_once(',').map_or((text, None), |(value, error)| (value, Some(error)));
        let value = parse_number(value)?;
        let error = error.map_or(Ok(0.0), parse_number)?;
        if !(-1.0..=1.0).contains(&value) {
            return Err("expected a result from -1 to 1".to_owned());
        }
        if error < 0.0 {
            return Err("expected a standard error of 0 or more".to_owned());
        }
        Ok(Self { value, error })
    }
}

/// A past experiment.
#[derive(Debug, Clone, PartialEq)]
struct Experiment {
    name: String,
    interleaving: f64,
    interleaving_error: Option<f64>,
    ab: f64,
    ab_error: Option<f64>,
}

/// A row of against.csv.
#[derive(Debug, Serialize)]
struct FittedRow<'a> {
    name: &'a str,
    interleaving: f64,
    interleaving_error: Option<f64>,
    ab: f64,
    ab_error: Option<f64>,
    fitted: f64,
    residual: f64,
    agrees: Option<bool>,
}

/// What past experiments say.
struct Past {
    agreement: Counts,
    /// Of the experiments with a significant A/B result; `None` without any errors.
    significant: Option<Counts>,
    /// `None` if all A/B results are equal.
    correlation: Option<Correlation>,
    line: Line,
    /// Whether A/B results are weighted by their accuracy.
    is_weighted: bool,
    /// The mean square of the errors of all interleaving results, if they are known.
    interleaving_variance: Option<f64>,
    /// The least and the largest interleaving result.
    reach: (f64, f64),
}

/// A new interleaving result, and what the past says of its A/B test.
struct New {
    result: NewResult,
    /// What it is, in words.
    of: String,
    /// The ranker that is taken for the new one.
    ranker: Option<String>,
    /// What must be said before anything.
    warnings: Vec<String>,
    /// What to do first, if the verdict is not trusted.
    repair: Option<String>,
    is_synthetic: bool,
    prediction: Prediction,
    /// The probability that an A/B test has the other sign; `None` for a result of 0.
    sign_differs: Option<f64>,
}

impl Options {
    /// Whether agreement was asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.against.is_some()
    }

    pub(super) fn run(&self, asked: &Asked<'_>) -> Result<()> {
        let Some(path) = &self.against else { bail!(usage("--against: name a table of past experiments")) };
        let text =
            output::input::read_text(path, MOST).map_err(|error| LogError::io(path, "failed to read", &error))?;
        let experiments = read(&text).map_err(|error| error.in_file(path))?;
        let past = Past::of(&experiments).map_err(|error| LogError::new(error.to_string()).in_file(path))?;
        let alpha = complement(asked.confidence);
        let new = match (self.result, asked.outcomes) {
            (Some(result), _) => Some(New::of_result(result, &past)?),
            (None, Some(folder)) => Some(New::of_outcomes(folder, self.new.as_deref(), asked.by, alpha, &past)?),
            (None, None) if self.new.is_some() => bail!(usage("--new: name FOLDER, too, of which this is a ranker")),
            (None, None) => None,
        };
        let text = words(&past, new.as_ref(), alpha)?;
        let json = record(&past, new.as_ref(), alpha)?;
        let table = past.table(&experiments)?;
        if let Some(out) = asked.out {
            let config = json!({
                "command": "click-logs decide --against",
                "against": path.display().to_string(),
                "outcomes": asked.outcomes.map(|path| path.display().to_string()),
                "result": self.result.map(|result| [result.value, result.error]),
                "new": self.new,
                "confidence": asked.confidence,
                "by": asked.by.name(),
            });
            let folder = ResultsFolder::claim(out, &config, Existing::replaced(asked.replace))?;
            folder.write(&config, || {
                output::write_json_pretty(&folder.join("against.json"), &json)?;
                super::write(folder.path(), "against.txt", &text)?;
                super::write(folder.path(), "against.csv", &table)
            })?;
        }
        print::text(&match asked.format {
            Format::Text => text,
            Format::Json => serde_json::to_string_pretty(&json)?,
            Format::Csv => table,
        });
        Ok(())
    }
}

/// The experiments of a table in CSV.
fn read(text: &str) -> Result<Vec<Experiment>, LogError> {
    // Spreadsheets put a mark of the byte order in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (header_line, header) = lines.next().unwrap_or((1, ""));
    let at = |line: u64| move |message: String| LogError::of_line(Malformed::new(message), line);
    let names = Fields::split(header.trim(), b',').map_err(|error| LogError::of_line(error, header_line))?;
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    let mut places = [None; COLUMNS.len()];
    for (place, column) in places.iter_mut().zip(COLUMNS) {
        let mut found = names.iter().zip(0..).filter(|(name, _)| **name == column).map(|(_, place)| place);
        *place = found.next();
        if found.next().is_some() {
            return Err(at(header_line)(format!("the column `{column}` is there twice; leave one of them out")));
        }
    }
    let [Some(interleaving), Some(ab), interleaving_error, ab_error, name] = places else {
        let lacking: Vec<&str> =
            COLUMNS[..2].iter().zip(places).filter(|(_, place)| place.is_none()).map(|(name, _)| *name).collect();
        return Err(at(header_line)(format!(
            "found the columns {} and no {}; expected interleaving and ab, and perhaps interleaving_error, ab_error and name, \
             separated by commas",
            excerpt(&names.join(",")),
            lacking.join(", ")
        )));
    };
    let mut experiments = Vec::new();
    for (line, text) in lines {
        let fields = Fields::split(text.trim(), b',').map_err(|error| LogError::of_line(error, line))?;
        if fields.len() != names.len() {
            let (found, expected) = (with_unit(fields.len() as u64, "field"), names.len());
            return Err(at(line)(format!("found {found}; expected {expected}, as the header has")));
        }
        let number = |place: usize, expected: &str, is_allowed: fn(f64) -> bool| {
            let field = fields[place].trim();
            field
                .parse()
                .ok()
                .filter(|number| is_allowed(*number))
                .ok_or_else(|| at(line)(format!("`{}` is {}; expected {expected}", names[place], excerpt(field))))
        };
        let error = |place: Option<usize>| {
            let given = place.filter(|place| !fields[*place].trim().is_empty());
            let expected = "a standard error above 0, or nothing if it is not known";
            given.map(|place| number(place, expected, |error| error > 0.0 && error.is_finite())).transpose()
        };
        experiments.push(Experiment {
            name: name.map_or_else(String::new, |place| fields[place].trim().to_owned()),
            interleaving: number(interleaving, "a number from -1 to 1", |value| (-1.0..=1.0).contains(&value))?,
            interleaving_error: error(interleaving_error)?,
            ab: number(ab, "a finite number", f64::is_finite)?,
            ab_error: error(ab_error)?,
        });
    }
    if experiments.len() < FEWEST {
        let found = with_unit(experiments.len() as u64, "experiment");
        return Err(LogError::new(format!(
            "found {found}; expected at least {FEWEST}, one on each line below the header"
        )));
    }
    let first = experiments[0].interleaving;
    if experiments.iter().all(|experiment| experiment.interleaving == first) {
        return Err(LogError::new(format!(
            "all results in `interleaving` are {first}, so that there is no line; expected at least two different ones"
        )));
    }
    Ok(experiments)
}

impl Past {
    fn of(experiments: &[Experiment]) -> Result<Self, StatisticsError> {
        // Sums depend on the order of their terms in the last digits: the order of rows shall make no difference.
        let mut experiments: Vec<&Experiment> = experiments.iter().collect();
        let numbers = |of: &Experiment| {
            [of.interleaving, of.ab, of.interleaving_error.unwrap_or(0.0), of.ab_error.unwrap_or(0.0)]
        };
        experiments.sort_by(|a, b| {
            let pairs = numbers(a).into_iter().zip(numbers(b));
            pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        let column = |of: fn(&Experiment) -> f64| experiments.iter().map(|row| of(row)).collect::<Vec<f64>>();
        let (x, y) = (column(|row| row.interleaving), column(|row| row.ab));
        let errors =
            |of: fn(&Experiment) -> Option<f64>| experiments.iter().map(|row| of(row)).collect::<Option<Vec<_>>>();
        let ab_errors = errors(|row| row.ab_error);
        let weights = ab_errors.as_ref().map_or_else(
            || vec![1.0; x.len()],
            |errors| {
                let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
                errors.iter().map(|error| (least / error) * (least / error)).collect()
            },
        );
        let far = -normal_quantile(SIGNIFICANT / 2.0);
        let is_significant = |row: &&Experiment| row.ab_error.is_some_and(|error| row.ab.abs() > far * error);
        let (first, second): (Vec<f64>, Vec<f64>) =
            experiments.iter().copied().filter(is_significant).map(|row| (row.interleaving, row.ab)).unzip();
        let has_errors = experiments.iter().any(|row| row.ab_error.is_some());
        let squares = errors(|row| row.interleaving_error).map(|errors| errors.iter().map(|error| error * error).sum());
        Ok(Self {
            agreement: sign_agreement(&x, &y)?,
            significant: has_errors.then(|| sign_agreement(&first, &second)).transpose()?,
            correlation: match correlation(&x, &y) {
                Err(StatisticsError::AllEqual { .. }) => None,
                found => Some(found?),
            },
            line: weighted_line(&x, &y, &weights)?,
            is_weighted: ab_errors.is_some(),
            interleaving_variance: squares.map(|squares: f64| squares / x.len() as f64),
            reach: (x[0], x[x.len() - 1]),
        })
    }

    /// against.csv: the rows in their order, with what the line says of them.
    fn table(&self, experiments: &[Experiment]) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for Experiment { name, interleaving, interleaving_error, ab, ab_error } in experiments {
            let fitted = self.line.at(*interleaving);
            let has_signs = *interleaving != 0.0 && *ab != 0.0;
            writer.serialize(FittedRow {
                name,
                interleaving: *interleaving,
                interleaving_error: *interleaving_error,
                ab: *ab,
                ab_error: *ab_error,
                fitted,
                residual: ab - fitted,
                agrees: has_signs.then_some((*interleaving > 0.0) == (*ab > 0.0)),
            })?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    fn predict(&self, NewResult { value, error }: NewResult) -> Result<Prediction, StatisticsError> {
        // The residuals hold the errors of past interleaving results, so that only what exceeds these is added.
        let beyond = error * error - self.interleaving_variance.unwrap_or(0.0);
        self.line.predict(value, libm::sqrt(beyond.max(0.0)))
    }
}

impl New {
    fn of_result(result: NewResult, past: &Past) -> Result<Self> {
        let prediction = past.predict(result)?;
        let of = match result.error {
            0.0 => format!("The new result is {}", digits(result.value)),
            error => format!("The new result is {} (standard error {})", digits(result.value), digits(error)),
        };
        Ok(Self {
            result,
            of,
            ranker: None,
            warnings: Vec::new(),
            repair: None,
            is_synthetic: false,
            prediction,
            sign_differs: prediction.sign_differs(result.value),
        })
    }

    /// The share of wins minus 1/2 by the latest verdict in `folder`.
    fn of_outcomes(folder: &Path, new: Option<&str>, by: By, alpha: f64, past: &Past) -> Result<Self> {
        let (outcomes, summary) = read_outcomes(folder)?;
        let primary = primary(&summary);
        if primary != Primary::Clicks {
            bail!(usage(format!(
                "{} is decided by {}, as was said beforehand, and FOLDER gives the result by clicks; give the one of your table with \
                 --result X,ERROR",
                folder.display(),
                primary.name()
            )));
        }
        if by == By::Impressions {
            need_impressions(&outcomes).map_err(|error| usage(error.in_file(folder)))?;
        }
        let verdicts = decide(&outcomes, alpha, by)?;
        let decision = verdicts.latest();
        let name = folder.display();
        if decision.rankers.len() > 2 {
            let count = decision.rankers.len();
            bail!(usage(format!(
                "{name} compares {count} rankers; expected two with --against, or a result in --result X,ERROR"
            )));
        }
        let pair = decision.pairs.first();
        let Some((pair, share)) = pair.and_then(|pair| Some((pair, pair.last.counts.share()?))) else {
            bail!(
                LogError::new("no ranker has won yet, so that there is no new result; leave FOLDER out")
                    .in_file(folder)
            );
        };
        let names = [pair.last.pair.0, pair.last.pair.1].map(|ranker| decision.rankers[ranker].as_str());
        let is_first = match new {
            None => share >= 0.5,
            Some(new) if new == names[0] => true,
            Some(new) if new == names[1] => false,
            Some(new) => {
                let [first, second] = names;
                bail!(usage(format!("--new: {name} has no ranker {}; expected {first} or {second}", excerpt(new))));
            }
        };
        let share = if is_first { share } else { 1.0 - share };
        let ranker = names[usize::from(!is_first)];
        let decided = pair.last.counts.decided();
        // No larger for any share, and about the same for shares near one half.
        let result = NewResult { value: share - 0.5, error: 0.5 / libm::sqrt(decided as f64) };
        let unit = if by == By::Impressions { "impression" } else { summary["unit"].as_str().unwrap_or("unit") };
        let taken = if new.is_none() { ", taken for the new ranker (--new says which is)," } else { "" };
        let mut of = Self::of_result(result, past)?;
        of.of = format!(
            "{ranker}{taken} won {:.1}% of {} that preferred a side, a result of {} (standard error {})",
            100.0 * share,
            with_unit(decided, unit),
            digits(result.value),
            digits(result.error)
        );
        let outlook = outlook(&verdicts, &summary);
        of.ranker = Some(ranker.to_owned());
        of.warnings = verdicts.change().into_iter().chain(before_all(&verdicts, &summary)).collect();
        of.repair = (outlook.advice.action == Action::Repair)
            .then(|| format!("{} {}", outlook.headline, outlook.advice.sentence));
        of.is_synthetic = is_synthetic(&summary);
        Ok(of)
    }
}

/// A number with three digits that count.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounding may add a digit in front: 9.999 is 10.0.
    let rounded = format!("{value:.2e}");
    match rounded.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()) {
        Some(exponent @ -4..=5) => format!("{value:.*}", usize::try_from(2 - exponent).unwrap_or(0)),
        _ => rounded,
    }
}

/// An interval of such numbers.
fn between((low, high): (f64, f64)) -> String {
    format!("{} to {}", digits(low), digits(high))
}

/// A probability, never rounded to certainty.
fn chance(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent < 0.1 => "under 0.1%".to_owned(),
        percent if percent > 99.9 => "over 99.9%".to_owned(),
        percent => format!("{percent:.1}%"),
    }
}

/// `8 of 10 past experiments agree in sign (95% interval 44.3% to 97.5%).`
fn agree(counts: Counts, what: &str, alpha: f64) -> Result<String> {
    let decided = counts.decided();
    let verb = if counts.wins == 1 { "agrees" } else { "agree" };
    if decided == 0 {
        return Ok(format!("No {what} has two signs that could agree."));
    }
    let interval = range(exact_interval(counts, alpha)?);
    let level = percent_of_confidence(1.0 - alpha);
    Ok(format!("{} of {} {verb} in sign ({level} interval {interval}).", counts.wins, with_unit(decided, what)))
}

/// All of it in words: what it means, the numbers, and what to do.
fn words(past: &Past, new: Option<&New>, alpha: f64) -> Result<String> {
    let level = percent_of_confidence(1.0 - alpha);
    let mut text = String::new();
    let mut say = |sentence: &str| {
        text.push_str(sentence);
        text.push('\n');
    };
    for warning in new.iter().flat_map(|new| &new.warnings) {
        say(&format!("{warning}\n"));
    }
    let counts = past.agreement;
    say(&agree(counts, "past experiment", alpha)?);
    say(&meaning(counts, alpha)?);
    if counts.ties > 0 {
        let have = if counts.ties == 1 { "has" } else { "have" };
        say(&format!("{} more {have} a result of 0 and {have} no sign to agree with.", counts.ties));
    }
    match past.significant {
        Some(Counts { wins: 0, losses: 0, ties: 0 }) => say("No A/B result is significant at 5%."),
        Some(counts) => {
            say(&format!("Where the A/B result is significant at 5%: {}", agree(counts, "experiment", alpha)?))
        }
        None => {}
    }
    say("");
    match past.correlation {
        None => say("All A/B results are equal: they have no correlation with those of interleaving."),
        Some(correlation) => match correlation.interval(alpha)? {
            Some(interval) => {
                say(&format!("Correlation {} ({level} interval {}).", digits(correlation.pearson), between(interval)));
            }
            None => {
                say(&format!("Correlation {}; three experiments have no interval for it.", digits(correlation.pearson)))
            }
        },
    }
    let line = past.line;
    let sign = if line.slope < 0.0 { '-' } else { '+' };
    let weighted = if past.is_weighted { "weighted by the accuracy of the A/B tests" } else { "all weighted alike" };
    say(&format!(
        "Line: ab = {} {sign} {} * interleaving, {weighted}.",
        digits(line.intercept),
        digits(line.slope.abs())
    ));
    say(&format!(
        "Standard errors {} and {}; A/B results are around the line with a standard deviation of {}.",
        digits(line.intercept_error),
        digits(line.slope_error),
        digits(line.residual_deviation)
    ));
    let [_, slope] = line.intervals(alpha)?;
    let tendency = match Tendency::of_slope(&line, alpha)? {
        Tendency::Agrees => "Where interleaving shows more, so do A/B tests, beyond chance",
        Tendency::Contradicts => "Where interleaving shows more, A/B tests show less, beyond chance",
        Tendency::Open => "By the line alone, results may have nothing to do with each other",
    };
    say(&format!("{tendency} ({level} interval of the slope {}).", between(slope)));
    if let Some(new) = new {
        say("");
        say(&format!("{}.", new.of));
        say(&format!(
            "By the line, an A/B test as accurate as past ones would show {} ({level} interval {}).",
            digits(new.prediction.mean),
            between(new.prediction.interval(alpha)?)
        ));
        if let Some(probability) = new.sign_differs {
            say(&format!("The probability that it would have the other sign is {}.", chance(probability)));
        }
        let (least, most) = past.reach;
        if new.result.value < least || new.result.value > most {
            say(&format!("No past result was that far out ({}): the line is a guess there.", between(past.reach)));
        }
    }
    say("");
    say(&format!("What now: {}", advice(Tendency::of_past(past, alpha)?, new, alpha)));
    if new.is_some_and(|new| new.is_synthetic) {
        say(SYNTHETIC);
    }
    Ok(text)
}

/// What numbers say of a tendency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tendency {
    /// Interleaving and A/B tests agree more than by chance.
    Agrees,
    /// They contradict each other more than by chance.
    Contradicts,
    /// Either may be chance.
    Open,
}

impl Tendency {
    /// Of an interval, which excludes what chance would give or does not.
    fn of((low, high): (f64, f64), by_chance: f64) -> Self {
        match () {
            () if low >= by_chance && high > by_chance => Self::Agrees,
            () if high <= by_chance && low < by_chance => Self::Contradicts,
            () => Self::Open,
        }
    }

    /// Of signs.
    fn of_signs(counts: Counts, alpha: f64) -> Result<Self> {
        if counts.decided() == 0 {
            return Ok(Self::Open);
        }
        Ok(Self::of(exact_interval(counts, alpha)?, 0.5))
    }

    /// Of the slope of a line.
    fn of_slope(line: &Line, alpha: f64) -> Result<Self> {
        let [_, slope] = line.intervals(alpha)?;
        Ok(Self::of(slope, 0.0))
    }

    /// Of both.
    fn of_past(past: &Past, alpha: f64) -> Result<Self> {
        Ok(match [Self::of_signs(past.agreement, alpha)?, Self::of_slope(&past.line, alpha)?] {
            [Self::Contradicts, _] | [_, Self::Contradicts] => Self::Contradicts,
            [Self::Agrees, _] | [_, Self::Agrees] => Self::Agrees,
            [Self::Open, Self::Open] => Self::Open,
        })
    }
}

/// What the share of signs that agree means.
fn meaning(counts: Counts, alpha: f64) -> Result<String> {
    Ok(match Tendency::of_signs(counts, alpha)? {
        Tendency::Agrees => "Interleaving agrees with A/B tests more often than a coin would.".to_owned(),
        Tendency::Contradicts => "Interleaving contradicts A/B tests more often than a coin would.".to_owned(),
        Tendency::Open => {
            // With fewer, the interval contains one half even if all agree.
            let all_agree = |n: &u64| {
                Tendency::of_signs(Counts::new(*n, 0, 0), alpha).is_ok_and(|tendency| tendency == Tendency::Agrees)
            };
            match (counts.decided()..counts.decided() + 1000).find(all_agree) {
                Some(enough) if enough > counts.decided() => format!(
                    "That is too few to say much: with fewer than {enough}, signs that all agree may be the toss of a coin."
                ),
                _ => "By signs alone, that may still be the toss of a coin.".to_owned(),
            }
        }
    })
}

/// What to do.
fn advice(tendency: Tendency, new: Option<&New>, alpha: f64) -> String {
    if let Some(repair) = new.and_then(|new| new.repair.clone()) {
        return repair;
    }
    if tendency == Tendency::Contradicts {
        return "Check the signs in the table: in both columns, positive means that the new ranker is better. If they are right, do \
                not decide by interleaving alone."
            .to_owned();
    }
    let Some(new) = new else {
        return match tendency {
            Tendency::Agrees => {
                "Name FOLDER, or a result with --result, to see how likely its A/B test is to have the other sign."
            }
            _ => "Run A/B tests beside interleaving for now, and add each of them to the table.",
        }
        .to_owned();
    };
    match new.sign_differs {
        None => "Run the A/B test: a result of 0 says nothing about its sign.",
        Some(probability) if probability >= 0.5 => {
            "Run the A/B test: by past experiments, the other sign is at least as likely as the same."
        }
        Some(probability) if probability > alpha => {
            "Run the A/B test before you decide: by past experiments, it may well have the other sign."
        }
        Some(_) => "Rely on interleaving for which ranker is better; an A/B test is needed only for how much.",
    }
    .to_owned()
}

/// What against.json holds.
fn record(past: &Past, new: Option<&New>, alpha: f64) -> Result<Value> {
    let agreement = |counts: Counts| -> Result<Value> {
        let interval = if counts.decided() > 0 { Some(exact_interval(counts, alpha)?) } else { None };
        let Counts { wins, losses, ties } = counts;
        Ok(json!({"agree": wins, "disagree": losses, "zero": ties, "share": counts.share(), "interval": interval}))
    };
    let correlation = past
        .correlation
        .map(|found| -> Result<Value> { Ok(json!({"pearson": found.pearson, "interval": found.interval(alpha)?})) });
    let line = past.line;
    let [intercept, slope] = line.intervals(alpha)?;
    let of_new = new.map(|new| -> Result<Value> {
        let (least, most) = past.reach;
        Ok(json!({
            "interleaving": new.result.value,
            "interleaving_error": new.result.error,
            "new_ranker": new.ranker,
            "expected_ab": new.prediction.mean,
            "expected_ab_error": new.prediction.standard_error,
            "interval": new.prediction.interval(alpha)?,
            "sign_differs": new.sign_differs,
            "beyond_past_results": !(least..=most).contains(&new.result.value),
            "warnings": new.warnings,
            "trusted": new.repair.is_none(),
            "synthetic": new.is_synthetic,
        }))
    });
    Ok(json!({
        "experiments": past.agreement.total(),
        "confidence": complement(alpha),
        "agreement": agreement(past.agreement)?,
        "agreement_where_ab_is_significant": past.significant.map(agreement).transpose()?,
        "correlation": correlation.transpose()?,
        "line": {
            "intercept": line.intercept,
            "intercept_error": line.intercept_error,
            "intercept_interval": intercept,
            "slope": line.slope,
            "slope_error": line.slope_error,
            "slope_interval": slope,
            "residual_deviation": line.residual_deviation,
            "freedom": line.freedom,
            "weighted": past.is_weighted,
        },
        "new": of_new.transpose()?,
        "advice": advice(Tendency::of_past(past, alpha)?, new, alpha),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        for (value, text) in [
            (0.0, "0"),
            (9.999, "10.0"),
            (0.99999, "1.00"),
            (-0.01234, "-0.0123"),
            (1234.5, "1234"),
            (1e-7, "1.00e-7"),
            (2.5e9, "2.50e9"),
        ] {
            assert_eq!(digits(value), text);
        }
        assert_eq!([0.0, 0.5, 1.0].map(chance), ["under 0.1%", "50.0%", "over 99.9%"]);
    }

    #[test]
    fn results_are_numbers_with_errors() {
        assert_eq!("-0.02, 1e-3".parse(), Ok(NewResult { value: -0.02, error: 1e-3 }));
        assert_eq!("0.5".parse(), Ok(NewResult { value: 0.5, error: 0.0 }));
        for text in ["", "1.1", "0.1,", "0.1,-1", "0.1,0.1,0.1", "nan"] {
            assert!(text.parse::<NewResult>().is_err(), "{text}");
        }
    }
}
