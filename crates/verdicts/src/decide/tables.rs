//! A decision as CSV and JSON.

use statistics::Counts;
use times::date;

use super::{Contradiction, Decision, verdict_name};
use crate::outcomes::quoted;

impl Decision {
    /// Every look as CSV: by pair and day, all counts until then.
    #[must_use]
    pub fn looks_csv(&self) -> String {
        use std::fmt::Write as _;
        let mut text =
            "day,first,second,wins,losses,ties,share,low,high,ln_evidence_first,ln_evidence_second,p_value,verdict,contradicted\n"
                .to_owned();
        for look in &self.looks {
            let [first, second] = [look.pair.0, look.pair.1].map(|place| quoted(&self.rankers[place]));
            let Counts { wins, losses, ties } = look.counts;
            let share = look.counts.share().map_or_else(String::new, |share| format!("{share:.6}"));
            let (low, high) = look.interval;
            let [of_first, of_second] = look.ln_evidence;
            let _ = writeln!(
                text,
                "{},{first},{second},{wins},{losses},{ties},{share},{low:.6},{high:.6},{of_first:.4},{of_second:.4},{:.3e},{},{}",
                date(look.day),
                look.p_value,
                verdict_name(look.verdict),
                look.is_contradicted
            );
        }
        text
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        use serde_json::json;
        let name = |place: usize| self.rankers[place].clone();
        let counts = |counts: Counts| json!({"wins": counts.wins, "losses": counts.losses, "ties": counts.ties});
        let contradiction = |found: Contradiction| {
            let (from, until, against) = found.against;
            json!({
                "was_ahead": name(found.winner),
                "until": date(found.until),
                "ahead_now": name(if found.other_is_ahead() { found.other } else { found.winner }),
                "other": name(found.other),
                "since_then": counts(found.since),
                "worst": {"after": date(from), "until": date(until), "counts": counts(against)},
            })
        };
        let pairs = self.pairs.iter().map(|pair| {
            let last = &pair.last;
            json!({
                "first": name(last.pair.0),
                "second": name(last.pair.1),
                "verdict": verdict_name(last.verdict),
                // Whoever reads no further than this must not act on a verdict about the past.
                "winner": last.winner().filter(|_| pair.contradicted.is_none()).map(name),
                "contradicted": pair.contradicted.map(contradiction),
                "since": pair.since.map(date),
                "confidence": last.confidence(),
                "p_value": last.p_value,
                "ln_evidence": last.ln_evidence,
                self.by.name(): counts(last.counts),
                "share": last.counts.share(),
                "confidence_sequence": [last.interval.0, last.interval.1],
                "impressions": counts(pair.impressions),
                "single_look": {"p_value": pair.fixed_p_value, "interval": pair.fixed_interval.map(|(low, high)| [low, high])},
                "more_until_decided": pair.more,
            })
        });
        let best = self.best.as_ref().map(|best| {
            json!({
                "declared": best.declared.filter(|_| best.contradicted.is_empty()).map(|(ranker, _)| name(ranker)),
                "contradicted": best.contradicted.iter().map(|found| contradiction(*found)).collect::<Vec<_>>(),
                "since": best.declared.map(|(_, day)| date(day)),
                "leader": name(best.leader.0),
                "leader_beats": best.leader.1,
                "candidates": best.candidates.iter().map(|&ranker| name(ranker)).collect::<Vec<_>>(),
            })
        });
        json!({
            "level": 1.0 - self.alpha,
            "counted_by": self.by.name(),
            "first_day": self.days.map(|(first, _)| date(first)),
            "last_day": self.days.map(|(_, last)| date(last)),
            "rankers": self.rankers,
            "pairs": pairs.collect::<Vec<_>>(),
            "best": best,
        })
    }
}
