//! Finds faults from the counts of pages.

use std::collections::BTreeMap;

use ranktypes::text::{with_separators, with_unit};
use serde::{Deserialize, Serialize};
use statistics::anytime::ln_evidence_against_fair;
use times::date;

use super::page::PageCounts;

/// The probability, at all looks together, that a log without faults is not trusted because of its coins.
pub const LEVEL: f64 = 0.01;

/// From this share of pages, or this difference between two rankers' shares, lost clicks are reported.
const MIN_LOST_SHARE: f64 = 0.10;
/// The difference must certainly exceed this.
const CERTAIN: f64 = 0.05;
/// The share of pages with clicks from which on ids that match but for how they are written make a log untrusted.
const MIN_NEAR_SHARE: f64 = 0.02;
/// Fewer cases of anything are not reported.
const MIN_CASES: u64 = 10;
/// Standard errors of "for certain".
const ERRORS: f64 = 2.6;
/// From this share of pages with a click on, a log may have been kept of these alone.
const ALL_CLICKED: f64 = 0.95;

/// Which pages a log keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageSelection {
    /// Every page that was shown.
    Every,
    /// Only those with a click.
    Clicked,
}

impl PageSelection {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Clicked => "clicked",
        }
    }
}

/// Which pages have coins of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoinScope {
    /// Of each unit the first: true if lists are drawn again for every user, search or page.
    FirstOfUnit,
    /// Each.
    Every,
    /// It is not known: units are smaller than what a coin may have been tossed for.
    Unknown,
}

/// How a log was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// Which pages it keeps; `None` if that was not said.
    pub logged: Option<PageSelection>,
    /// Which pages have coins of their own.
    pub coin_scope: CoinScope,
}

/// The pages of a version, a day and a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageDay {
    /// The version, by its place among all.
    pub version: usize,
    /// Days since 1970-01-01.
    pub day: i32,
    /// The rankers, by their places in the names.
    pub pair: (usize, usize),
    /// The counts, of the first and the second of the pair.
    pub counts: PageCounts,
}

/// The clicks of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clicks {
    /// All with the id of an impression.
    pub all: u64,
    /// Those on impressions that are not in the log.
    pub unknown: u64,
    /// Clicks of pages outside the experiment are among them, so that unknown ones are expected.
    pub of_other_pages: bool,
}

/// All that is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages<'a> {
    /// The rankers.
    pub rankers: &'a [String],
    /// The versions.
    pub versions: &'a [Option<String>],
    /// By version, day and pair, in this order.
    pub days: &'a [PageDay],
    /// How the log was kept.
    pub form: Form,
    /// Its clicks.
    pub clicks: Clicks,
}

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// One ranker comes first too often.
    Lead,
    /// One ranker owns too many places.
    Places,
    /// Clicks are on shown documents with ids written in another way.
    NearIds,
    /// Clicks are on documents that were not shown.
    NotShown,
    /// Clicks are on impressions that are not in the log.
    UnknownImpressions,
    /// Impressions long after the log's end.
    FarTimes,
    /// Pages have documents of one ranker alone.
    ListsOfOne,
    /// Both rankers send the same lists.
    IdenticalLists,
    /// Coins cannot be tested until the form states which pages are logged.
    FormUnsaid,
}

/// Something that is wrong with pages, or seems to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// The version of the experiment, if only one of several has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The finding, and its probable cause.
    pub sentence: String,
    /// Whether a verdict can be trusted all the same.
    pub trusted: bool,
}

/// The checks of a log, and their findings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IntegrityReport {
    /// The faults; those that make verdicts untrusted come first.
    pub faults: Vec<Fault>,
    /// Which coins were tested, or why none were.
    pub tested: String,
}

impl IntegrityReport {
    /// Whether verdicts on all versions can be trusted as far as pages show.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.faults.iter().all(|fault| fault.trusted)
    }

    /// Why a verdict on the version with this name is not trusted; `None` if it is, whatever is wrong with other versions.
    #[must_use]
    pub fn distrust_reason(&self, version: Option<&str>) -> Option<&Fault> {
        let name = version.unwrap_or(crate::UNNAMED_VERSION);
        let concerns = |fault: &Fault| fault.version.as_deref().is_none_or(|version| version == name);
        self.faults.iter().find(|fault| !fault.trusted && concerns(fault))
    }

    /// Adds a fault from another check.
    pub fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
        self.faults.sort_by_key(|fault| fault.trusted);
    }
}

/// Checks the pages of a log, or of an experiment as far as it is.
#[must_use]
pub fn check(pages: &Pages<'_>) -> IntegrityReport {
    let mut faults = Vec::new();
    faults.extend(unknown(pages.clicks));
    let mut draws = 0;
    for (number, name) in pages.versions.iter().enumerate() {
        let days: Vec<&PageDay> = pages.days.iter().filter(|day| day.version == number).collect();
        let mut by_pair = BTreeMap::<(usize, usize), Vec<&PageDay>>::new();
        days.iter().for_each(|day| by_pair.entry(day.pair).or_default().push(day));
        let tests = 2 * by_pair.values().filter(|days| days.iter().any(|day| day.counts.draws() > 0)).count();
        let mut found = Vec::new();
        for (&(first, second), days) in &by_pair {
            let total = days.iter().fold(PageCounts::default(), |mut total, day| {
                total += day.counts;
                total
            });
            draws += total.draws();
            let pair = PairChecks { names: [&pages.rankers[first], &pages.rankers[second]], days, all: total };
            found.extend(pair.coins(pages.form, tests));
            found.extend(pair.clicks());
            found.extend(pair.lists());
        }
        let version =
            (pages.versions.len() > 1).then(|| name.clone().unwrap_or_else(|| crate::UNNAMED_VERSION.to_owned()));
        faults.extend(worst_of_each(found).map(|fault| Fault { version: version.clone(), ..fault }));
    }
    faults.sort_by_key(|fault| fault.trusted);
    IntegrityReport { faults, tested: tested_coins(pages.form, draws) }
}

/// Of several pairs with the same fault, the first one; how many others have it is said.
fn worst_of_each(found: Vec<Fault>) -> impl Iterator<Item = Fault> {
    let mut kinds = BTreeMap::<(bool, FaultKind), (Fault, usize)>::new();
    for fault in found {
        kinds.entry((fault.trusted, fault.kind)).and_modify(|(_, others)| *others += 1).or_insert((fault, 0));
    }
    kinds.into_values().map(|(mut fault, others)| {
        match others {
            0 => {}
            1 => fault.sentence += " One more pair has this fault.",
            _ => fault.sentence += &format!(" {others} more pairs have this fault."),
        }
        fault
    })
}

/// Which coins were tested.
fn tested_coins(form: Form, draws: u64) -> String {
    const NOT_TESTED: &str = "Coins of lists were not tested: ";
    match (form, draws) {
        (Form { logged: Some(PageSelection::Clicked), .. }, _) => {
            format!("{NOT_TESTED}only pages with clicks were logged.")
        }
        (Form { coin_scope: CoinScope::Unknown, .. }, _) => {
            format!("{NOT_TESTED}it is not known whether a user's list is drawn once or for every page (`coin`).")
        }
        (_, 0) => format!(
            "{NOT_TESTED}team draft and balanced interleaving show them, as they were mixed, and no page has such a list."
        ),
        (Form { coin_scope, .. }, draws) => {
            let which = if coin_scope == CoinScope::Every { "page" } else { "first page" };
            let of = if coin_scope == CoinScope::Every { "" } else { " of units" };
            format!("Coins of lists were tested on {}{of}.", with_unit(draws, which))
        }
    }
}

/// Clicks on impressions that are not in the log.
fn unknown(clicks: Clicks) -> Option<Fault> {
    let share = share(clicks.unknown, clicks.all);
    if clicks.of_other_pages || clicks.unknown < MIN_CASES || share <= MIN_LOST_SHARE {
        return None;
    }
    let sentence = format!(
        "{} of {} clicks ({}) are on impressions that are not in the log: is the export of impressions cut off, or do pages of one \
         ranker log another id? If clicks of other pages are among them, say so (`other-pages`).",
        with_separators(clicks.unknown),
        with_separators(clicks.all),
        percent(share)
    );
    Some(Fault { kind: FaultKind::UnknownImpressions, version: None, sentence, trusted: share <= 0.5 })
}

/// The pages of one pair.
struct PairChecks<'a> {
    names: [&'a str; 2],
    days: &'a [&'a PageDay],
    all: PageCounts,
}

impl PairChecks<'_> {
    /// Coins that are not fair.
    fn coins(&self, form: Form, tests: usize) -> Vec<Fault> {
        if form.logged == Some(PageSelection::Clicked) || form.coin_scope == CoinScope::Unknown {
            return vec![];
        }
        let Self { names: [first, second], all: counts, .. } = self;
        let threshold = libm::log(tests.max(1) as f64 / LEVEL);
        let [lead, place_evidence] = self.evidence();
        let mut faults = Vec::new();
        let is_clicked_alone = form.logged.is_none() && share(counts.clicked, counts.pages) >= ALL_CLICKED;
        let odds = |ln: f64| {
            let tens = libm::floor((ln - libm::log(tests as f64)) / std::f64::consts::LN_10).clamp(2.0, 99.0);
            format!("fair coins do so in one of 10^{tens} logs at most")
        };
        let mut suspect = |kind, what: String, advice: &str| {
            faults.push(if is_clicked_alone {
                let sentence = format!(
                    "Every page of the log has a click. If only such pages were logged, say `clicked`; if all were, say `every` \
                     (`logged`), and then this is a fault: {what}."
                );
                Fault { kind: FaultKind::FormUnsaid, version: None, sentence, trusted: true }
            } else {
                let sentence = format!("{what}. {advice}: do not trust a verdict before this is found.");
                Fault { kind, version: None, sentence, trusted: false }
            });
        };
        if lead >= threshold {
            let [a, b] = counts.coins;
            let (ahead, most) = if a >= b { (first, a) } else { (second, b) };
            let what = format!(
                "{ahead} comes first in {} of {} lists that {first} and {second} share, where a coin decides who begins; {}",
                with_separators(most),
                with_separators(a + b),
                odds(lead)
            );
            let advice = "Does one seed serve everybody, or does the page begin with the same ranker each time? The upper ranker gets \
                          more clicks";
            suspect(FaultKind::Lead, what, advice);
        }
        if place_evidence >= threshold {
            let (more, fewer) = if counts.surplus > 0 { (first, second) } else { (second, first) };
            let what = format!(
                "{more} owns {} places more than {fewer} in {} lists, of those that both could fill, where a team draft gives both as \
                 many; {}",
                with_separators(counts.surplus.unsigned_abs()),
                with_separators(counts.draws()),
                odds(place_evidence)
            );
            let advice = "Are teams logged as they were drafted? The ranker with more places gets more clicks";
            suspect(FaultKind::Places, what, advice);
        }
        if is_clicked_alone {
            // One question is enough.
            faults.truncate(1);
        }
        faults
    }

    /// ln of the most evidence, at the end of any day, against fair coins for the first ranker and for the owners of places.
    fn evidence(&self) -> [f64; 2] {
        let (mut max_evidence, mut sum) = ([0.0_f64; 2], PageCounts::default());
        for day in self.days {
            sum += day.counts;
            let [a, b] = sum.coins.map(|count| count as f64);
            // Pages with one ranker alone may not be draws: as many are left out as make the rest look fairest.
            let against = if a >= b { sum.alone[1] } else { sum.alone[0] } as f64;
            let doubt = against.min((a - b).abs());
            max_evidence[0] = max_evidence[0].max(ln_evidence_against_fair((a - b).abs() - doubt, a + b + doubt));
            max_evidence[1] =
                max_evidence[1].max(ln_evidence_against_fair(sum.surplus as f64, sum.surplus_squares as f64));
        }
        max_evidence
    }

    /// Clicks that are lost.
    fn clicks(&self) -> Option<Fault> {
        let Self { names, all: counts, .. } = self;
        let of_clicked = |count: u64| {
            let (count_text, clicked) = (with_separators(count), with_separators(counts.clicked));
            format!("{count_text} of {clicked} pages with clicks ({})", percent(share(count, counts.clicked)))
        };
        let near_matches: u64 = counts.near.iter().sum();
        if near_matches >= MIN_CASES && share(near_matches, counts.clicked) > MIN_NEAR_SHARE {
            let side = if share(counts.near[0].max(counts.near[1]), near_matches) >= 0.9 {
                let loser = names[usize::from(counts.near[1] > counts.near[0])];
                format!(", nearly all on those of {loser}, which loses them")
            } else {
                String::new()
            };
            let sentence = format!(
                "{} have clicks on documents that differ from those shown in letter case, percent-encoding, Unicode form, blanks or a \
                 slash at the end{side}. Write ids in one way; until then do not trust a verdict.",
                of_clicked(near_matches)
            );
            return Some(Fault { kind: FaultKind::NearIds, version: None, sentence, trusted: false });
        }
        let lost_and_clicked = [0, 1].map(|side| (counts.lost_under[side], counts.clicked_under[side]));
        let difference = differ(lost_and_clicked[0], lost_and_clicked[1]);
        let lost_share = share(counts.lost, counts.clicked);
        if counts.lost < MIN_CASES || (lost_share <= MIN_LOST_SHARE && difference.is_none()) {
            return None;
        }
        let by_side = difference.map_or_else(String::new, |side| {
            let [more, fewer] =
                [side, 1 - side].map(|side| percent(share(lost_and_clicked[side].0, lost_and_clicked[side].1)));
            format!(", {more} where {} owns the first place and {fewer} where {} does", names[side], names[1 - side])
        });
        let sentence = format!(
            "{} have a click on a document that was not in their list{by_side}: compare how pages and lists write documents (prefixes, \
             suffixes such as `?ref=1`), or leave out clicks on other parts of the page.{}",
            of_clicked(counts.lost),
            if lost_share > 0.5 { " Most clicks are lost: do not trust a verdict." } else { "" }
        );
        Some(Fault { kind: FaultKind::NotShown, version: None, sentence, trusted: lost_share <= 0.5 })
    }

    /// Lists that compare nothing.
    fn lists(&self) -> Vec<Fault> {
        let Self { names, all: counts, .. } = self;
        let mut faults = Vec::new();
        let single_lists = [0, 1].map(|side| (counts.of_one[side], counts.pages));
        if let Some(side) = differ(single_lists[0], single_lists[1]) {
            let sentence = format!(
                "{} of {} pages ({}) have documents of {} alone, {} of {} alone: are lists of {} empty, short or late there? A ranker \
                 that shows less gets fewer clicks, however good it is where it does.",
                with_separators(single_lists[side].0),
                with_separators(counts.pages),
                percent(share(single_lists[side].0, counts.pages)),
                names[side],
                percent(share(single_lists[1 - side].0, counts.pages)),
                names[1 - side],
                names[1 - side],
            );
            faults.push(Fault { kind: FaultKind::ListsOfOne, version: None, sentence, trusted: true });
        }
        if counts.identical >= MIN_CASES && share(counts.identical, counts.pages) > 0.5 {
            let sentence = format!(
                "{} and {} sent the same list for {} of {} pages ({}): these compare nothing. Do both ask the same index?",
                names[0],
                names[1],
                with_separators(counts.identical),
                with_separators(counts.pages),
                percent(share(counts.identical, counts.pages))
            );
            faults.push(Fault { kind: FaultKind::IdenticalLists, version: None, sentence, trusted: true });
        }
        faults
    }
}

/// Which of two shares, each a count of a total, is larger by more than 10 points and certainly by more than 5.
fn differ(first: (u64, u64), second: (u64, u64)) -> Option<usize> {
    let [first_share, second_share] = [first, second].map(|(count, of)| share(count, of));
    if first.1 == 0 || second.1 == 0 || first.0 + second.0 < MIN_CASES {
        return None;
    }
    let error = [(first_share, first.1), (second_share, second.1)]
        .map(|(first_share, of)| first_share * (1.0 - first_share) / of as f64)
        .iter()
        .sum::<f64>();
    let apart = (first_share - second_share).abs();
    (apart > MIN_LOST_SHARE && apart - ERRORS * libm::sqrt(error) > CERTAIN)
        .then_some(usize::from(second_share > first_share))
}

fn share(count: u64, of: u64) -> f64 {
    count as f64 / (of as f64).max(1.0)
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Impressions that are long after the others: with them, the log would seem to be complete until then.
#[must_use]
pub fn far_times(count: u64, last_day: i32, end_day: i32) -> Fault {
    let sentence = format!(
        "{} came long after the others, until {}: the log is taken to end on {}. Correct these times, or say until \
         when the log is complete (`until`).",
        with_unit(count, "impression"),
        date(last_day),
        date(end_day)
    );
    Fault { kind: FaultKind::FarTimes, version: None, sentence, trusted: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_that_clicked_pages_may_explain_is_asked_about_once() {
        let counts = PageCounts {
            pages: 300,
            clicked: 300,
            coins: [300, 0],
            surplus: 600,
            surplus_squares: 1200,
            ..PageCounts::default()
        };
        let found = |coins: [u64; 2], logged: Option<PageSelection>| {
            let rankers = ["A", "B"].map(str::to_owned);
            let days = [PageDay { version: 0, day: 20_780, pair: (0, 1), counts: PageCounts { coins, ..counts } }];
            let form = Form { logged, coin_scope: CoinScope::FirstOfUnit };
            let clicks = Clicks::default();
            check(&Pages { rankers: &rankers, versions: &[None], days: &days, form, clicks }).faults
        };
        for (coins, what) in [([300, 0], "comes first in 300 of 300"), ([150, 150], "owns 600 places more than B")] {
            let asked = found(coins, None);
            assert!(asked.len() == 1 && asked[0].kind == FaultKind::FormUnsaid && asked[0].trusted, "{asked:?}");
            assert!(asked[0].sentence.contains(what) && !asked[0].sentence.contains("more pair"), "{asked:?}");
            assert_eq!(found(coins, Some(PageSelection::Clicked)), []);
        }
        let kinds = |faults: Vec<Fault>| faults.iter().map(|fault| (fault.kind, fault.trusted)).collect::<Vec<_>>();
        let every = kinds(found([300, 0], Some(PageSelection::Every)));
        assert_eq!(every, [(FaultKind::Lead, false), (FaultKind::Places, false)]);
    }

    #[test]
    fn a_fault_of_one_version_leaves_verdicts_on_others_trusted() {
        let rankers = ["A", "B"].map(str::to_owned);
        let fair = PageCounts { pages: 300, clicked: 90, coins: [150, 150], ..PageCounts::default() };
        let day = |version, coins| PageDay { version, day: 20_780, pair: (0, 1), counts: PageCounts { coins, ..fair } };
        let form = Form { logged: Some(PageSelection::Every), coin_scope: CoinScope::FirstOfUnit };
        let (versions, days) = ([None, Some("2".to_owned())], [day(0, [300, 0]), day(1, [150, 150])]);
        let pages = Pages { rankers: &rankers, versions: &versions, days: &days, form, clicks: Clicks::default() };
        let checked = check(&pages);
        assert_eq!(checked.distrust_reason(None).map(|fault| fault.kind), Some(FaultKind::Lead));
        assert_eq!((checked.distrust_reason(Some("2")), checked.is_trusted()), (None, false));
        // Clicks on impressions that are not in the log are of no version: no verdict is trusted.
        let clicks = Clicks { all: 100, unknown: 60, of_other_pages: false };
        let checked = check(&Pages { clicks, ..pages });
        assert_eq!(checked.distrust_reason(Some("2")).map(|fault| fault.kind), Some(FaultKind::UnknownImpressions));
    }
}
