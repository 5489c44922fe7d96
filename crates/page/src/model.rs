//! What a page shows, as plain values. Shares are from 0 to 1; days are counted from 1970-01-01; times and labels are texts for
//! readers.

use crate::effect::Effect;

/// How good or bad a piece of news is. Colours follow it, and words always say it too.
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
    /// How good or bad it is.
    pub tone: Tone,
    /// One or two words, e.g. `decided`.
    pub label: String,
    /// One sentence.
    pub sentence: String,
    /// Further sentences, the most important first.
    pub more: Vec<String>,
    /// What to do now; may be empty.
    pub action: String,
}

/// A key figure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// What it counts.
    pub name: String,
    /// The figure.
    pub value: String,
    /// A few words below it; may be empty.
    pub note: String,
}

/// The share of wins of one ranker over another after each day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rate {
    /// Whose wins: the winner's, or those of the ranker that is ahead.
    pub of: String,
    /// Over whom.
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
    /// The share; `None` if nobody has preferred a side.
    pub share: Option<f64>,
    /// The confidence sequence; `None` if no share fits all days, or nothing is claimed.
    pub interval: Option<(f64, f64)>,
    /// How many units preferred a side until then.
    pub decided: u64,
}

/// Something that an experiment is measured by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measure {
    /// Its name, e.g. `clicks`.
    pub name: String,
    /// What it says, in a sentence.
    pub says: String,
    /// Whether it decides.
    pub decides: bool,
}

/// A difference between two rankers after each day.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Course {
    /// What differs, and between whom.
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

/// What is known of a pair of rankers.
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
    /// How many units preferred a side, and how many tied.
    pub units: [u64; 2],
    /// The confidence so far, e.g. `97.4% confidence so far`; empty if nothing is claimed.
    pub confidence: String,
    /// The verdict in words.
    pub verdict: String,
    /// Whether it is decided.
    pub is_decided: bool,
}

/// What segments of the units say of one ranker against another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Segments {
    /// Whose wins.
    pub of: String,
    /// Over whom.
    pub against: String,
    /// In the order of the settings.
    pub each: Vec<SegmentRow>,
    /// How many units are in none of them.
    pub other: u64,
    /// Rankers that harm a segment, each in a sentence.
    pub harms: Vec<String>,
}

/// A segment of the units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SegmentRow {
    /// Its name.
    pub name: String,
    /// How many units came.
    pub units: u64,
    /// What is known of the two rankers there; `None` if they have not met.
    pub pair: Option<Pair>,
    /// Whether it is known to be harmed.
    pub is_harmed: bool,
}

/// Who beats whom, among several rankers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Matrix {
    /// The rankers, in the order of rows and columns.
    pub rankers: Vec<String>,
    /// Row by row; `None` on the diagonal and for pairs that never met.
    pub cells: Vec<Option<MatrixCell>>,
}

/// What is known of the ranker of a row against that of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MatrixCell {
    /// The share of wins of the row's ranker.
    pub share: f64,
    /// Who is known to win: the row (`true`) or the column.
    pub winner: Option<bool>,
}

/// Who got how much traffic.
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

/// What becomes of something.
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

/// What became of impressions, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImpressionCount {
    /// In a word or two.
    pub name: String,
    /// How many.
    pub count: u64,
    /// What it means.
    pub meaning: String,
    /// Whether they count.
    pub kind: CountKind,
}

/// A rate that is watched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Guardrail {
    /// Whose.
    pub ranker: String,
    /// What is bad.
    pub what: String,
    /// How many there were, and how many bad.
    pub of_ranker: [u64; 2],
    /// The same of the champion.
    pub of_champion: [u64; 2],
    /// By how much the rate may be larger.
    pub margin: f64,
    /// When it broke.
    pub broken: Option<String>,
}

/// How long answers took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latency {
    /// Whose answers, and since when.
    pub about: String,
    /// Upper ends of the buckets in words, e.g. `2 ms`, and how many answers each has.
    pub buckets: Vec<(String, u64)>,
}

/// Something that was changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// When.
    pub time: String,
    /// To what.
    pub what: String,
    /// By whom.
    pub who: String,
    /// Why; may be empty.
    pub why: String,
}

/// What a reader who may do so can change. Each action is a form of its own.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Controls {
    /// What the forms send along, so that no other page can send them.
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
    /// When what it says happened.
    pub time: String,
    /// What it is about, in a word.
    pub what: String,
    /// What became of it.
    pub state: String,
    /// Whether it was sent in vain until now.
    pub is_failing: bool,
}

/// What a list of experiments shows of one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListItem {
    /// Its name.
    pub name: String,
    /// Its state, in a word.
    pub state: String,
    /// Its headline.
    pub headline: Headline,
    /// What would make its verdict wrong.
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
    /// What would make the verdict wrong, the most important first.
    pub warnings: Vec<String>,
    /// Key figures.
    pub figures: Vec<Figure>,
    /// Win rates, the most important first.
    pub rates: Vec<Rate>,
    /// How many more clicks, for the first of these.
    pub effect: Option<Effect>,
    /// What else it is measured by, if there is more than one measure.
    pub measures: Vec<Measure>,
    /// How the difference in such a measure went, by pair.
    pub courses: Vec<Course>,
    /// All pairs, the most important first.
    pub pairs: Vec<Pair>,
    /// How many pairs were left out.
    pub more_pairs: u64,
    /// What segments of the units say.
    pub segments: Option<Segments>,
    /// With a few rankers: who beats whom.
    pub matrix: Option<Matrix>,
    /// Who got how much traffic.
    pub traffic: Option<Traffic>,
    /// What became of impressions.
    pub fates: Vec<ImpressionCount>,
    /// What is watched.
    pub guardrails: Vec<Guardrail>,
    /// What is not watched though it could be, and why, in a sentence.
    pub not_watched: Option<String>,
    /// How long answers took.
    pub latency: Option<Latency>,
    /// The last messages to the outside, the newest first.
    pub deliveries: Vec<Delivery>,
    /// The last changes, the newest first.
    pub changes: Vec<Change>,
    /// Names and values.
    pub settings: Vec<(String, String)>,
    /// The whole verdict in words, by line.
    pub report: Vec<String>,
    /// For whoever may change the experiment.
    pub controls: Option<Controls>,
}
