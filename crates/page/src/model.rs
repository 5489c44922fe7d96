//! The content of a page as plain values. Shares are from 0 to 1; days are counted from 1970-01-01; times and labels are texts
//! for readers.

use crate::effect::Effect;

/// The tone of a piece of news. Colours follow it, and words always express it too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing has happened yet.
    #[default]
    Neutral,
    /// Something is known.
    Good,
    /// Something to keep in mind.
    Notice,
    /// Something is wrong.
    Alarm,
}

/// The headline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Headline {
    /// Its tone.
    pub tone: Tone,
    /// One or two words, e.g. `decided`.
    pub label: String,
    /// One sentence.
    pub sentence: String,
    /// Further sentences, the most important first.
    pub more: Vec<String>,
    /// Advice; may be empty.
    pub action: String,
}

/// A key figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// The figure.
    pub value: String,
    /// A few words below it; may be empty.
    pub note: String,
}

/// The share of wins of one ranker over another after each day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rate {
    /// The ranker that the share is for: the winner, or the ranker that is ahead.
    pub of: String,
    /// The other ranker.
    pub against: String,
    /// By ascending day.
    pub points: Vec<RatePoint>,
    /// The day on which it was decided.
    pub since: Option<i32>,
    /// That later outcomes contradict the verdict, in words.
    pub contradicted: Option<String>,
}

/// A point of a [`Rate`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatePoint {
    /// The day.
    pub day: i32,
    /// The day in words, e.g. `2026-11-24`.
    pub date: String,
    /// The share; `None` if no unit has preferred a side.
    pub share: Option<f64>,
    /// The confidence sequence; `None` if no share fits all days, or nothing is claimed.
    pub interval: Option<(f64, f64)>,
    /// The number of units that preferred a side until then.
    pub decided: u64,
}

/// A measure of an experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measure {
    /// Its name, e.g. `clicks`.
    pub name: String,
    /// Its result, in a sentence.
    pub says: String,
    /// Whether it decides.
    pub decides: bool,
}

/// A difference between two rankers after each day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// The measure, and the two rankers.
    pub title: String,
    /// By ascending day.
    pub points: Vec<CoursePoint>,
    /// The day on which it was decided.
    pub since: Option<i32>,
}

/// A point of a [`Course`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CoursePoint {
    /// The day.
    pub day: i32,
    /// The day in words, e.g. `2026-11-24`.
    pub date: String,
    /// The difference.
    pub difference: f64,
    /// Its confidence sequence; `None` while there is too little for one.
    pub interval: Option<(f64, f64)>,
}

/// The result for a pair of rankers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pair {
    /// The winner, or the ranker that is ahead.
    pub ahead: String,
    /// The other.
    pub behind: String,
    /// The share of wins of the first.
    pub share: Option<f64>,
    /// Its confidence sequence; `None` if no share fits all days, or nothing is claimed.
    pub interval: Option<(f64, f64)>,
    /// The numbers of units that preferred a side, and that tied.
    pub units: [u64; 2],
    /// The confidence so far, e.g. `97.4% confidence so far`; empty if nothing is claimed.
    pub confidence: String,
    /// The verdict in words.
    pub verdict: String,
    /// Whether it is decided.
    pub is_decided: bool,
}

/// The results of segments for one ranker against another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Segments {
    /// The ranker that the shares are for.
    pub of: String,
    /// The other ranker.
    pub against: String,
    /// In the order of the settings.
    pub each: Vec<SegmentRow>,
    /// The number of units in none of them.
    pub other: u64,
    /// Rankers that harm a segment, each in a sentence.
    pub harms: Vec<String>,
}

/// A segment of the units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SegmentRow {
    /// Its name.
    pub name: String,
    /// The number of units that came.
    pub units: u64,
    /// The result for the two rankers there; `None` if they have not met.
    pub pair: Option<Pair>,
    /// Whether it is known to be harmed.
    pub is_harmed: bool,
}

/// Pairwise results among several rankers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The rankers, in the order of rows and columns.
    pub rankers: Vec<String>,
    /// Row by row; `None` on the diagonal and for pairs that never met.
    pub cells: Vec<Option<MatrixCell>>,
}

/// The result for the ranker of a row against that of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MatrixCell {
    /// The share of wins of the row's ranker.
    pub share: f64,
    /// The known winner: the row (`true`) or the column.
    pub winner: Option<bool>,
}

/// The traffic of rankers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traffic {
    /// The rankers, in the order of their colours.
    pub rankers: Vec<String>,
    /// By ascending day.
    pub days: Vec<TrafficDay>,
    /// Whether these are hours instead of days, each numbered as days are.
    pub are_hours: bool,
    /// Whether the last of them is not over.
    pub is_going_on: bool,
}

/// The traffic of a day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrafficDay {
    /// The day.
    pub day: i32,
    /// The day in words.
    pub date: String,
    /// Impressions.
    pub asked: u64,
    /// Those that were clicked.
    pub clicked: u64,
    /// By ranker: lists that were shown, mixed with others or alone.
    pub lists: Vec<u64>,
}

/// Whether something counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CountKind {
    /// It counts.
    #[default]
    Counts,
    /// It does not, for no fault, or that is not known yet.
    Open,
    /// It was set aside.
    Aside,
}

/// A fate of impressions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImpressionCount {
    /// In a word or two.
    pub name: String,
    /// Their number.
    pub count: u64,
    /// The meaning of the fate.
    pub meaning: String,
    /// Whether they count.
    pub kind: CountKind,
}

/// A rate that is watched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guardrail {
    /// The ranker.
    pub ranker: String,
    /// The bad event.
    pub what: String,
    /// The numbers of all and of bad ones.
    pub of_ranker: [u64; 2],
    /// The same for the champion.
    pub of_champion: [u64; 2],
    /// By how much the rate may be larger.
    pub margin: f64,
    /// When it broke.
    pub broken: Option<String>,
}

/// The latency of answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latency {
    /// The kind of answers, and since when they are counted.
    pub about: String,
    /// Upper ends of the buckets in words, e.g. `2 ms`, and how many answers each has.
    pub buckets: Vec<(String, u64)>,
}

/// Something that was changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// The time.
    pub time: String,
    /// The new value.
    pub what: String,
    /// The person who made it.
    pub who: String,
    /// The reason; may be empty.
    pub why: String,
}

/// Changes that an authorised reader can make. Each action is a form of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Controls {
    /// The token that the forms send, so that no other page can send them.
    pub token: String,
    /// Whether the experiment runs.
    pub is_running: bool,
    /// Whether it is killed.
    pub is_killed: bool,
    /// Whether it is over.
    pub is_over: bool,
    /// The ranker to beat.
    pub champion: String,
    /// The ranker that was shipped.
    pub shipped: Option<String>,
    /// All rankers.
    pub rankers: Vec<String>,
    /// The ranker that won, if its verdict is trusted.
    pub winner: Option<String>,
}

/// A message to the outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Delivery {
    /// The time of the event that it reports.
    pub time: String,
    /// Its subject, in a word.
    pub what: String,
    /// The state of its delivery.
    pub state: String,
    /// Whether all attempts have failed so far.
    pub is_failing: bool,
}

/// One experiment in a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListItem {
    /// Its name.
    pub name: String,
    /// Its state, in a word.
    pub state: String,
    /// Its headline.
    pub headline: Headline,
    /// Reasons why its verdict may be wrong.
    pub warnings: Vec<String>,
    /// Impressions so far.
    pub impressions: u64,
    /// When it was made; empty if that cannot be known, nor how many impressions there were.
    pub since: String,
}

/// Everything that a page shows of an experiment. What is empty is left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// The experiment.
    pub name: String,
    /// Its state in a word, e.g. `running`.
    pub state: String,
    /// The headline.
    pub headline: Headline,
    /// Reasons why the verdict may be wrong, the most important first.
    pub warnings: Vec<String>,
    /// Key figures.
    pub figures: Vec<Figure>,
    /// Win rates, the most important first.
    pub rates: Vec<Rate>,
    /// The additional clicks, for the first of these.
    pub effect: Option<Effect>,
    /// All measures, if there are several.
    pub measures: Vec<Measure>,
    /// Differences in such a measure over time, by pair.
    pub courses: Vec<Course>,
    /// All pairs, the most important first.
    pub pairs: Vec<Pair>,
    /// The number of pairs that were left out.
    pub more_pairs: u64,
    /// The results of segments of the units.
    pub segments: Option<Segments>,
    /// With a few rankers: their pairwise results.
    pub matrix: Option<Matrix>,
    /// The traffic of rankers.
    pub traffic: Option<Traffic>,
    /// Fates of impressions.
    pub fates: Vec<ImpressionCount>,
    /// Rates that are watched.
    pub guardrails: Vec<Guardrail>,
    /// Rates that are not watched though they could be, and why, in a sentence.
    pub not_watched: Option<String>,
    /// The latency of answers.
    pub latency: Option<Latency>,
    /// The last messages to the outside, the newest first.
    pub deliveries: Vec<Delivery>,
    /// The last changes, the newest first.
    pub changes: Vec<Change>,
    /// Names and values.
    pub settings: Vec<(String, String)>,
    /// The whole verdict in words, by line.
    pub report: Vec<String>,
    /// Changes, for a reader who may make them.
    pub controls: Option<Controls>,
}
