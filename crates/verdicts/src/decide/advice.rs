//! The recommended action, and the time until a decision, in words: for a reader who decides and has thirty seconds.

use ranktypes::text::with_unit;
use times::date;

use super::finding::{FindingKind, finding};
use super::{CountUnit, Decision, Forecast};

/// The action that a verdict recommends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Show the list of this ranker, by its place, to all users.
    Ship(usize),
    /// Choose by the results of pairs: no ranker beats all others.
    Choose,
    /// Look at what changed before anything else.
    Check,
    /// Go on until more is known.
    Wait,
    /// Repair the pages, and begin again.
    Repair,
}

impl Action {
    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ship(_) => "ship",
            Self::Choose => "choose",
            Self::Check => "check",
            Self::Wait => "wait",
            Self::Repair => "repair",
        }
    }
}

/// The action, and its reason, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What.
    pub action: Action,
    /// One sentence.
    pub sentence: String,
}

/// The verdict for programs that act on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// The verdict in one sentence; if it is not trusted, what is wrong.
    pub headline: String,
    /// The ranker that won, by its place, if that is trusted.
    pub winner: Option<usize>,
    /// Whether there is a verdict that is trusted.
    pub is_decided: bool,
    /// What to do.
    pub advice: Advice,
}

impl Decision {
    /// The ranker that won: of two, the winner; of more, the best of all. `None` while that is open, or if later outcomes contradict it.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        match (&self.best, self.pairs.as_slice()) {
            (Some(best), _) => best.declared.filter(|_| best.contradicted.is_empty()).map(|(ranker, _)| ranker),
            (None, [pair]) => pair.last.winner().filter(|_| pair.contradicted.is_none()),
            _ => None,
        }
    }

    /// The verdict for programs that act on it. `unit` is what a unit is, e.g. `user`; `fault` is why it is not trusted.
    #[must_use]
    pub fn outlook(&self, unit: Option<&str>, fault: Option<&str>) -> Outlook {
        let finding = finding(self, unit);
        match fault {
            None => Outlook {
                winner: self.winner(),
                is_decided: finding.kind == FindingKind::Decided,
                advice: self.advice(finding.kind, unit),
                headline: finding.sentence,
            },
            Some(fault) => Outlook {
                headline: fault.to_owned(),
                winner: None,
                is_decided: false,
                advice: Advice {
                    action: Action::Repair,
                    sentence:
                        "Repair the pages first, then begin a new experiment: what is counted so far proves nothing."
                            .to_owned(),
                },
            },
        }
    }

    fn advice(&self, kind: FindingKind, unit: Option<&str>) -> Advice {
        let name = |ranker: usize| self.rankers[ranker].as_str();
        let (action, sentence) = match (kind, self.winner()) {
            (FindingKind::Contradicted, _) => (
                Action::Check,
                "Do not act on this yet: find out what changed, and begin a new experiment after it.".to_owned(),
            ),
            (FindingKind::Decided, Some(_)) if self.drift().is_some() => (
                Action::Check,
                "Do not act on this yet: the share has changed, so find out what happened on the days named."
                    .to_owned(),
            ),
            (FindingKind::Decided, Some(ranker)) => (Action::Ship(ranker), format!("Ship {}.", name(ranker))),
            (FindingKind::Decided, None) => {
                (Action::Choose, "Choose by who beats whom: more outcomes will not name one best ranker.".to_owned())
            }
            (FindingKind::Nothing, _) => (Action::Wait, "Wait: no day has closed.".to_owned()),
            (FindingKind::Undecided, _) => (Action::Wait, self.waiting_text(unit)),
        };
        Advice { action, sentence }
    }

    /// To wait, and for how long, as far as that is known.
    #[must_use]
    pub fn waiting_text(&self, unit: Option<&str>) -> String {
        let is_unlikely = self.forecast.as_ref().is_some_and(Forecast::is_unlikely);
        let wait = if is_unlikely { "Waiting alone will hardly decide it." } else { "Wait." };
        self.how_long(unit).map_or_else(|| wait.to_owned(), |how_long| format!("{wait} {how_long}"))
    }

    /// The first day by which a decision is at least as likely as not; the last `i32` if no day that was played is, `None` if that
    /// is not known.
    #[must_use]
    pub fn likely_by(&self) -> Option<i32> {
        let (forecast, (_, last)) = (self.forecast.as_ref()?, self.days?);
        let likely = forecast.chances.iter().find(|found| found.share >= 0.5);
        Some(likely.map_or(i32::MAX, |found| last.saturating_add(found.days as i32)))
    }

    /// How long it takes, in a sentence; `None` if that is not known.
    fn how_long(&self, unit: Option<&str>) -> Option<String> {
        let (forecast, (_, last)) = (self.forecast.as_ref()?, self.days?);
        let unit = match self.count_unit {
            CountUnit::Units | CountUnit::Conversions => unit.unwrap_or("unit"),
            CountUnit::Impressions => "impression",
        };
        let mut sentences = Vec::new();
        if let Some(&(first, second)) = forecast.idle.first() {
            let [first, second] = [first, second].map(|ranker| self.rankers[ranker].as_str());
            let others = match forecast.idle.len() - 1 {
                0 => String::new(),
                1 => ", and neither for one other pair".to_owned(),
                others => format!(", and neither for {others} other pairs"),
            };
            sentences.push(format!(
                "{first} and {second} met no {unit} in the last {}{others}: without any, this stays open.",
                days(forecast.of_days)
            ));
        }
        sentences.extend(forecast.sentence(unit, last));
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}

impl Forecast {
    /// Whether even the last of the days brings no decision with a chance worth waiting for.
    fn is_unlikely(&self) -> bool {
        self.chances.last().is_none_or(|furthest| furthest.share < 0.1)
    }

    /// The chances as a sentence, after the last day with outcomes.
    fn sentence(&self, unit: &str, last: i32) -> Option<String> {
        let (first, furthest) = (self.chances.first()?, self.chances.last()?);
        let rate = match self.per_day {
            rate if rate < 1.0 => format!("under 1 {unit} a day"),
            rate => format!("{} a day", with_unit(rate as u64, unit)),
        };
        let lately = match self.of_days {
            1 => "on the last day".to_owned(),
            count => format!("in the last {}", days(count)),
        };
        if self.is_unlikely() {
            return Some(format!(
                "At {rate}, as {lately}, a decision within {} is unlikely ({}).",
                days(furthest.days),
                chance(furthest.share)
            ));
        }
        // The most informative: from the first that is likely at all to the first that is nearly certain.
        let mut chances_told = Vec::new();
        for found in self.chances.iter().filter(|found| found.share >= 0.05 || found.days == first.days) {
            chances_told.push(format!("{} by {}", chance(found.share), date(last + found.days as i32)));
            if found.share >= 0.95 {
                break;
            }
        }
        Some(format!(
            "The chance of a decision is {}, at {rate} as {lately}.",
            super::report::join_with_and(&chances_told)
        ))
    }
}

fn days(count: u32) -> String {
    if count == 1 { "day".to_owned() } else { format!("{count} days") }
}

/// A chance in words; it is never rounded to certainty.
fn chance(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 1.0 => "under 1%".to_owned(),
        percent if percent >= 99.5 => "over 99%".to_owned(),
        percent => format!("{percent:.0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::running_decision::decide_without_progress;
    use super::*;
    use crate::outcomes::parse_table;

    fn outlook(rows: &str, fault: Option<&str>) -> Outlook {
        let header =
            "day,first,second,unit_wins,unit_losses,unit_ties,impression_wins,impression_losses,impression_ties";
        decide_without_progress(&parse_table(&format!("{header}\n{rows}")), 0.05, CountUnit::Units)
            .unwrap()
            .outlook(Some("user"), fault)
    }

    #[test]
    fn a_winner_is_shipped() {
        let won = outlook("2026-11-22,A,B,300,400,50,1,1,1\n", None);
        assert_eq!((won.winner, won.is_decided, won.advice.action), (Some(1), true, Action::Ship(1)));
        assert!(won.advice.sentence == "Ship B." && won.headline.starts_with("B beats A: 99."), "{won:?}");
        let broken = outlook("2026-11-22,A,B,300,400,50,1,1,1\n", Some("A came first in 300 of 300 lists."));
        assert_eq!((broken.winner, broken.is_decided, broken.advice.action), (None, false, Action::Repair));
        assert_eq!(broken.headline, "A came first in 300 of 300 lists.");
        let turned = outlook("2026-11-01,A,B,80,20,0,1,1,1\n2026-11-02,A,B,20,380,0,1,1,1\n", None);
        assert_eq!((turned.winner, turned.is_decided, turned.advice.action), (None, false, Action::Check));
        let fell = outlook("2026-11-01,A,B,640,360,0,1,1,1\n2026-11-02,A,B,530,470,0,1,1,1\n", None);
        assert_eq!((fell.winner, fell.is_decided, fell.advice.action), (Some(0), true, Action::Check));
        let cycle = "2026-11-22,A,B,300,100,5,1,1,1\n2026-11-22,A,C,100,300,5,1,1,1\n2026-11-22,B,C,300,100,5,1,1,1\n";
        assert_eq!(outlook(cycle, None).advice.action, Action::Choose);
        assert_eq!(outlook("", None).advice.sentence, "Wait: no day has closed.");
    }

    #[test]
    fn what_is_open_says_how_long() {
        let sentence = |rows: &str| outlook(rows, None).advice.sentence;
        assert_eq!(sentence("2026-11-22,A,B,55,45,10,1,1,1\n"), "Wait.");
        let likely = sentence("2026-11-22,A,B,55,45,10,1,1,1\n2026-11-23,A,B,55,45,10,1,1,1\n");
        assert!(
            likely.starts_with("Wait. The chance of a decision is ") && likely.contains("% by 2026-11-30, "),
            "{likely}"
        );
        assert!(likely.ends_with("% by 2027-02-21, at 110 users a day as on the last day."), "{likely}");
        let unlikely = sentence("2026-11-22,A,B,5000,5000,9,1,1,1\n2026-11-24,A,B,1,1,0,1,1,1\n");
        assert!(
            unlikely.starts_with(
                "Waiting alone will hardly decide it. At 1 user a day, as in the last 2 days, a decision within 90 days is unlikely (under 1%)"
            ),
            "{unlikely}"
        );
        let idle = "2026-11-01,A,B,55,50,0,1,1,1\n2026-11-02,A,C,60,50,0,1,1,1\n2026-11-21,A,C,60,50,0,1,1,1\n2026-11-22,B,C,51,50,0,1,1,1\n";
        assert!(
            sentence(idle).contains(" A and B met no user in the last 7 days: without any, this stays open. "),
            "{}",
            sentence(idle)
        );
    }
}
