//! How late answers come, from flags, files and experiments.
//!
//! # Inside
//!
//! `bandits::open` lets any number of choices be open at a time; `--delay`, `--batch` and `--lost` of `rankduel` and `rankduel bandit`, and the
//! keys of the same names in an experiment's settings, play with it. `simulation::runs::LateArenas` wraps any `ArenaFactory`: it holds
//! how late answers come (`LateAnswers`) and adds that to the text that seeds and kept runs depend on, unless answers are in time.
//! If they are, the usual run loop plays, which is compiled for each policy. The loop with tickets is compiled once per arena, and gives
//! the same results when nothing is late (a test). Outcomes are drawn when an impression is shown, and regret counts then; observers
//! see them, and evidence counts them, when they arrive (`Observer::caught_up`).

use std::path::Path;

use anyhow::{Context, Result};
use bandits::open::{AnswerTiming, Delay};
use output::checksum::sha256_hex;
use output::input;
use output::numbers::{number, with_separators, with_unit};
use output::usage::usage;
use serde::{Serialize, Serializer};

/// A longer file is not read as delays.
const MOST_BYTES: u64 = 64 << 20;

/// How late answers come, and where their delays were read from. Written into `config.json` as those of the keys `delay`,
/// `batch` and `lost` that are not the default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LateAnswers {
    /// How late they come.
    pub timing: AnswerTiming,
    /// The file of the delays.
    pub file: Option<DelayFile>,
}

/// A file of delays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelayFile {
    /// Its name, without folders.
    pub name: String,
    /// SHA-256 of the delays, one per line.
    pub checksum: String,
}

impl LateAnswers {
    /// Answers that come as late as `delay` says (impressions, `geometric:MEAN`, or a file with a delay on each line), in
    /// batches of `batch`, except for a share of `lost`, which never come.
    ///
    /// # Errors
    /// One line, if `delay` is none of these or the file cannot be read.
    pub fn new(delay: Option<&str>, batch: Option<u64>, lost: Option<f64>) -> Result<Self> {
        let (delay, file) = match delay.map(|text| (text, text.parse::<Delay>())) {
            None => (Delay::Fixed(0), None),
            Some((_, Ok(delay))) => (delay, None),
            Some((text, Err(_))) if Path::new(text).is_file() => {
                let (delays, file) = read_delays(Path::new(text))?;
                (delays, Some(file))
            }
            Some((text, Err(_))) => {
                let expected = "expected impressions (1000), geometric:MEAN, or a file with one delay per line";
                return Err(usage(format!("delay {text}: {expected}; there is no such file")));
            }
        };
        let timing =
            AnswerTiming { delay, batch: batch.unwrap_or(1), lost: lost.unwrap_or(0.0), ..AnswerTiming::default() };
        Ok(Self { timing, file })
    }

    /// Whether every answer comes before the next choice.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.timing == AnswerTiming::default()
    }

    /// The impression after which the first answer can come.
    #[must_use]
    pub fn first_arrival(&self) -> u64 {
        let shortest = match &self.timing.delay {
            Delay::Fixed(delay) => *delay,
            Delay::Geometric(_) => 0,
            Delay::Listed(delays) => delays.iter().copied().min().unwrap_or(0),
        };
        let batch = self.timing.batch.max(1);
        shortest.saturating_add(1).div_ceil(batch).saturating_mul(batch)
    }

    /// The most answers under way at a time, but for the tail of geometric delays beyond twenty times their mean.
    pub(crate) fn most_under_way(&self) -> u64 {
        let longest = match &self.timing.delay {
            Delay::Fixed(delay) => *delay,
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2e16")]
            Delay::Geometric(mean) => (20.0 * mean) as u64,
            Delay::Listed(delays) => delays.iter().copied().max().unwrap_or(0),
        };
        longest.saturating_add(self.timing.batch)
    }

    /// The delay in one word, with the beginning of its checksum if it was read from a file.
    #[must_use]
    pub fn delay(&self) -> String {
        match &self.file {
            Some(DelayFile { name, checksum }) => format!("{name}-{}", &checksum[..8]),
            None => self.timing.delay.to_string(),
        }
    }

    /// The part of a folder name; empty if answers are not late.
    #[must_use]
    pub fn folder_suffix(&self) -> String {
        let Config { delay, batch, lost } = self.config();
        let suffixes = [
            delay.map(|delay| format!("-delay-{delay}")),
            batch.map(|batch| format!("-batch-{batch}")),
            lost.map(|lost| format!("-lost-{lost}")),
        ];
        suffixes.into_iter().flatten().collect()
    }

    /// In words, e.g. `answers 1,000 impressions late, in batches of 50; 10% never come`; `None` if they are not late.
    #[must_use]
    pub fn describe(&self) -> Option<String> {
        let AnswerTiming { delay, batch, lost, .. } = &self.timing;
        let delay_text = match (delay, &self.file) {
            (Delay::Fixed(0), _) => String::new(),
            (Delay::Fixed(delay), _) => format!(" {} late", with_unit(*delay, "impression")),
            // All digits, as the user gave them.
            (Delay::Geometric(mean), _) if mean.fract() != 0.0 => {
                format!(" {mean} impressions late on average (geometric)")
            }
            (Delay::Geometric(mean), _) => format!(" {} impressions late on average (geometric)", number(*mean)),
            (Delay::Listed(_), Some(file)) => format!(" as late as in {}", file.name),
            (Delay::Listed(delays), None) => format!(" as late as one of {}", with_separators(delays.len() as u64)),
        };
        let batches = match (*batch, delay_text.is_empty()) {
            (0 | 1, _) => String::new(),
            (batch, true) => format!(" in batches of {}", with_separators(batch)),
            (batch, false) => format!(", in batches of {}", with_separators(batch)),
        };
        let when = delay_text + &batches;
        let percent = number(100.0 * lost);
        match (when.is_empty(), *lost > 0.0) {
            (true, false) => None,
            (true, true) => Some(format!("{percent}% of the answers never come")),
            (false, false) => Some(format!("answers{when}")),
            (false, true) => Some(format!("answers{when}; {percent}% never come")),
        }
    }

    fn config(&self) -> Config {
        let defaults = AnswerTiming::default();
        let AnswerTiming { delay, batch, lost, .. } = &self.timing;
        Config {
            delay: (*delay != defaults.delay).then(|| self.delay()),
            batch: (*batch != defaults.batch).then_some(*batch),
            lost: (*lost != defaults.lost).then_some(*lost),
        }
    }
}

/// The form in `config.json`.
#[derive(Serialize)]
struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<f64>,
}

impl Serialize for LateAnswers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.config().serialize(serializer)
    }
}

/// The delays in a file, one per line; lines that begin with `#` are remarks.
fn read_delays(path: &Path) -> Result<(Delay, DelayFile)> {
    let file_name = path.display();
    let text =
        input::read_text(path, MOST_BYTES).with_context(|| format!("failed to read the delays in {file_name}"))?;
    let mut delays = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line: &str = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.parse::<Delay>() {
            Ok(Delay::Fixed(delay)) => delays.push(delay),
            _ => {
                let beginning: String = line.chars().take(40).collect();
                return Err(usage(format!(
                    "{file_name}, line {number}: expected a delay in impressions, e.g. 1000, found `{beginning}`; give one per line"
                )));
            }
        }
    }
    if delays.is_empty() {
        return Err(usage(format!("{file_name} has no delay; give one per line, in impressions, e.g. 1000")));
    }
    let rewritten: String = delays.iter().map(|delay| format!("{delay}\n")).collect();
    let name = path.file_name().map_or_else(|| file_name.to_string(), |name| name.to_string_lossy().into_owned());
    Ok((Delay::Listed(delays.into()), DelayFile { name, checksum: sha256_hex(&rewritten) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed_text::{SeedSubject, seed_text};

    fn late(delay: &str, batch: u64, lost: f64) -> LateAnswers {
        LateAnswers::new(Some(delay), Some(batch), Some(lost)).unwrap()
    }

    #[test]
    fn what_outputs_say() {
        for (late, words, part) in [
            (late("0", 1, 0.0), None, ""),
            (late("1000", 1, 0.0), Some("answers 1,000 impressions late"), "-delay-1000"),
            (
                late("geometric:250.5", 50, 0.1),
                Some("answers 250.5 impressions late on average (geometric), in batches of 50; 10% never come"),
                "-delay-geometric:250.5-batch-50-lost-0.1",
            ),
            (late("0", 50, 0.0), Some("answers in batches of 50"), "-batch-50"),
            (late("0", 1, 0.25), Some("25% of the answers never come"), "-lost-0.25"),
        ] {
            assert_eq!((late.describe().as_deref(), late.folder_suffix().as_str()), (words, part));
            assert_eq!(late.is_none(), words.is_none());
            let text = seed_text(SeedSubject::Late { arenas: "m", late: &late });
            assert_eq!(text == "m", late.is_none(), "{text}");
        }
        let firsts = [late("0", 1, 0.0), late("999", 1, 0.0), late("999", 600, 0.0), late("geometric:9", 5, 0.0)];
        assert_eq!(firsts.map(|late| late.first_arrival()), [1, 1000, 1200, 5]);
    }

    #[test]
    fn files_of_delays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("delays.txt");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            LateAnswers::new(path.to_str(), None, None).map_err(|error| format!("{error:#}"))
        };
        let one = read("# impressions until the click\n5\n\n 1e3\n").unwrap();
        assert_eq!(one.timing.delay, Delay::Listed([5, 1_000].into()));
        assert_eq!((one.describe().unwrap().as_str(), one.first_arrival()), ("answers as late as in delays.txt", 6));
        assert!(one.folder_suffix().starts_with("-delay-delays.txt-"), "{}", one.folder_suffix());
        let other = read("5\n1001\n").unwrap();
        assert_ne!(
            seed_text(SeedSubject::Late { arenas: "m", late: &one }),
            seed_text(SeedSubject::Late { arenas: "m", late: &other })
        );
        assert_eq!(read("1000\n5\n").unwrap().timing.delay, Delay::Listed([1_000, 5].into()));
        for (text, expected) in [
            ("5\nlater\n", "line 2: expected a delay in impressions, e.g. 1000, found `later`"),
            ("geometric:5\n", "line 1: expected a delay"),
            ("# nothing\n", "has no delay"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let error = format!("{:#}", LateAnswers::new(Some("nowhere"), None, None).unwrap_err());
        assert!(error.contains("delay nowhere: expected impressions (1000), geometric:MEAN, or a file"), "{error}");
    }
}
