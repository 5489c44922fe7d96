//! The settings of a simulation.

use interleave::page::check_depth;
use interleave::receipt::ExperimentVersion;
use interleave::{AnyInterleaving, Interleaving, Ownership};
use times::DAY;
use verdicts::Bots;

use super::orders::{CONVERSIONS, OrderSettings};
use super::{Dialect, Visits};

/// The experiment that changes.
const EXPERIMENT: &str = "simulated";

/// Numbers of impressions of one user are below this.
pub(super) const MAX_IMPRESSIONS: u64 = 1 << 12;
/// Impressions of one person, in all, or on a day where their number is drawn from a file; fewer than make a bot of one on a day.
pub(super) const MAX_IMPRESSIONS_OF_A_PERSON: u64 = 60;
/// How long after an impression its clicks count.
pub(super) const WINDOW: i64 = 30 * 60 * 1000;
/// A bot sees more lists a day, a user fewer.
const BUSY: u64 = 100;
/// The user agent of crawlers.
pub(super) const CRAWLER: &str = "ExampleCrawler/1.0 (simulated)";
/// The user agent of everyone else.
pub(super) const BROWSER: &str = "Browser/1.0 (simulated)";

/// The rules that find the simulated bots, and no user.
pub(super) fn bots() -> Bots {
    Bots { max_impressions_per_day: Some(BUSY), agents: vec!["crawler".to_owned()], ..Bots::default() }
}

/// The settings of a simulated log. Shares are in [0, 1].
#[derive(Debug, Clone)]
pub struct SimulationSettings {
    /// Impressions, at least; the last users are complete.
    pub impressions: u64,
    /// Everything follows from it.
    pub seed: u64,
    /// Days.
    pub days: u32,
    /// The first day, counted from 1970-01-01.
    pub first_day: i32,
    /// The number of rankers; each impression mixes two of them.
    pub rankers: usize,
    /// How much better each ranker is than the one before: 0 leaves only differences by chance.
    pub margin: f64,
    /// The part of the margin that comes only with time: 1 if only chance distinguishes rankers on the first day.
    pub drift: f64,
    /// How much users differ in taste.
    pub taste: f64,
    /// The method that mixes lists.
    pub method: AnyInterleaving,
    /// Documents shown.
    pub shown: usize,
    /// The click model.
    pub click: clicks::ClickSpec,
    /// A click counts if the user stays so long, in milliseconds.
    pub dwell: Option<i64>,
    /// Lines that are logged twice.
    pub doubles: f64,
    /// Clicks that come after the window.
    pub late: f64,
    /// Clicks that are not logged.
    pub lost: f64,
    /// The share of clicks that come before the impression, by a clock that is an hour slow.
    pub early: f64,
    /// Further clicks on impressions that are not logged.
    pub unknown: f64,
    /// Further clicks on documents that were not shown.
    pub not_shown: f64,
    /// Impressions that are logged a second time with other content.
    pub conflicts: f64,
    /// Users that are bots.
    pub bots: f64,
    /// Pages that users may turn to, of [`shown`](Self::shown) documents each.
    pub pages: usize,
    /// Impressions with an advertisement in a fixed place.
    pub pinned: f64,
    /// Documents that were mixed and are not displayed.
    pub left_out: f64,
    /// The part of the time after which the experiment changes, if it does: then each ranker behaves as another one
    /// did.
    pub change_version_at: Option<f64>,
    /// How often users come; if `None`, they return with a fixed chance.
    pub visits: Option<Visits>,
    /// Orders of users, if there are any.
    pub orders: Option<OrderSettings>,
    /// The dialect of lines.
    pub dialect: Dialect,
}

impl Default for SimulationSettings {
    fn default() -> Self {
        Self {
            impressions: 100_000,
            seed: 1,
            days: 14,
            first_day: 20_454,
            rankers: 2,
            margin: 0.1,
            drift: 0.0,
            taste: 1.0,
            method: "team-draft".parse().expect("a method"),
            shown: 10,
            click: "navigational".parse().expect("a click model"),
            dwell: None,
            doubles: 0.2,
            late: 0.05,
            lost: 0.02,
            early: 0.002,
            unknown: 0.01,
            not_shown: 0.005,
            conflicts: 0.001,
            bots: 0.0005,
            pages: 1,
            pinned: 0.0,
            left_out: 0.0,
            change_version_at: None,
            visits: None,
            orders: None,
            dialect: Dialect::Json,
        }
    }
}

impl SimulationSettings {
    /// The names of the rankers: `A`, `B`, ..., or `ranker-27` and so on beyond the alphabet.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |n: usize| match u8::try_from(n) {
            Ok(n) if n < 26 => char::from(b'A' + n).to_string(),
            _ => format!("ranker-{}", n + 1),
        };
        (0..self.rankers).map(name).collect()
    }

    /// Whether the lines state the team that owns a document; otherwise they have receipts.
    pub(super) fn has_teams(&self) -> bool {
        self.method.ownership() == Ownership::Drafted
    }

    /// Whether the method determines the owner of each document.
    pub(super) fn names_owners(&self) -> bool {
        self.method.ownership().has_owners()
    }

    /// Whether pages display something other than the mixed list.
    #[must_use]
    pub fn has_pages(&self) -> bool {
        self.pages > 1 || self.pinned > 0.0 || self.left_out > 0.0
    }

    /// The number of documents mixed.
    pub(super) fn depth(&self) -> usize {
        self.shown * self.pages
    }

    /// When the experiment changes, in milliseconds since 1970.
    pub(super) fn change_time(&self) -> i64 {
        let after = |share: f64| (share * f64::from(self.days) * DAY as f64) as i64;
        self.change_version_at.map_or(i64::MAX, |share| i64::from(self.first_day) * DAY + after(share))
    }

    /// The versions of the experiment, if it changes.
    pub(super) fn versions(&self) -> Option<[ExperimentVersion; 2]> {
        let version = |of_rankers: &str| {
            let rankers: Vec<(String, &str)> = self.names().into_iter().map(|name| (name, of_rankers)).collect();
            ExperimentVersion::new(EXPERIMENT, &rankers, &self.method.to_string(), self.shown)
        };
        self.change_version_at.map(|_| ["1", "2"].map(version))
    }

    /// The first lines of a file of impressions and of one of clicks.
    #[must_use]
    pub fn headers(&self) -> [String; 2] {
        let mut headers = self.dialect.headers().map(str::to_owned);
        let has_more = self.has_pages() || self.change_version_at.is_some();
        if let (Dialect::Csv, true) = (self.dialect, has_more) {
            headers[0] = headers[0].trim_end().to_owned() + ",mixed,pinned,paged,experiment,version\n";
        }
        headers
    }

    /// The first line of a file of conversions.
    #[must_use]
    pub fn conversions_header(&self) -> String {
        if self.dialect == Dialect::Csv { format!("{CONVERSIONS}\n") } else { String::new() }
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// If a number is out of range, or two settings contradict each other.
    pub fn check(&self) -> Result<(), String> {
        let shares = [
            ("doubles", self.doubles),
            ("late", self.late),
            ("lost", self.lost),
            ("early", self.early),
            ("unknown", self.unknown),
            ("not-shown", self.not_shown),
            ("conflicts", self.conflicts),
            ("bots", self.bots),
            ("drift", self.drift),
            ("pinned", self.pinned),
            ("left-out", self.left_out),
            ("change-version-at", self.change_version_at.unwrap_or_default()),
        ];
        if let Some((name, share)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err(format!("--{name} {share} is not a share; expected 0 to 1"));
        }
        if self.late + self.lost + self.early > 1.0 {
            return Err("--late, --lost and --early are more than all clicks; expected at most 1 together".to_owned());
        }
        for (name, value, min, max) in [
            ("rankers", self.rankers as u64, 2, 64),
            ("shown", self.shown as u64, 1, super::query_pool::DOCUMENTS_PER_QUERY as u64),
            ("days", u64::from(self.days), 1, 3650),
            (
                "pages",
                self.pages as u64,
                1,
                (super::query_pool::DOCUMENTS_PER_QUERY / self.shown.clamp(1, super::query_pool::DOCUMENTS_PER_QUERY))
                    as u64,
            ),
        ] {
            if !(min..=max).contains(&value) {
                return Err(format!("--{name} {value} is out of range; expected {min} to {max}"));
            }
        }
        if let Some(visits) = &self.visits {
            let max = (MAX_IMPRESSIONS_OF_A_PERSON * u64::from(self.days)).min(MAX_IMPRESSIONS - 1);
            if visits.max_impressions() > max {
                return Err(format!(
                    "--visits has a user with {} lists; expected at most {max} in {} days, as more would make a bot: name more --days",
                    visits.max_impressions(),
                    self.days
                ));
            }
        }
        if !self.has_teams() && !self.dialect.has_receipts() {
            return Err(format!(
                "--format {} has teams alone; expected --method team-draft with it",
                self.dialect.name()
            ));
        }
        if self.has_pages() {
            // The method must support documents beyond one page, and a page with gaps needs some.
            let depth = self.depth().max(self.shown + 1);
            check_depth(self.method.is_prefix_stable(), &self.method.to_string(), self.shown, depth)
                .map_err(|error| format!("--pages, --pinned and --left-out: {error}"))?;
        }
        if let Some(orders) = &self.orders {
            orders.check()?;
            if !self.names_owners() {
                return Err(format!(
                    "--orders needs to know who owns each document, which {} does not say; expected --method team-draft, \
                     team-draft:pairs or probabilistic:assignment",
                    self.method
                ));
            }
        }
        for (name, value) in [("margin", self.margin), ("taste", self.taste)] {
            if !(0.0..=10.0).contains(&value) {
                return Err(format!("--{name} {value} is out of range; expected 0 to 10"));
            }
        }
        Ok(())
    }
}
