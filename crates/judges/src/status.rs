//! The status of a session, in words.

use crate::{AuditCounts, Goal, Session};

impl Session {
    /// How far the session is: a few sentences, one per line.
    #[must_use]
    pub fn status(&self) -> String {
        let (config, counts) = (self.config(), self.counts());
        let name = |place: u32| config.names.get(place as usize).map_or("", String::as_str);
        let goal_text = match config.goal {
            Goal::Best => format!("goal best, policy {}", config.policy),
            goal => format!("goal {}", goal.name()),
        };
        let items = if config.items.is_empty() {
            String::new()
        } else {
            format!(", {}", count_text(config.items.len(), "item"))
        };
        let mut lines =
            vec![format!("{}{items}; {goal_text}; seed {}", count_text(config.names.len(), "competitor"), config.seed)];
        lines.push(format!(
            "{} asked: {} answered, {} open, {} forgotten",
            count_text(counts.asked as usize, "pair"),
            counts.answered,
            counts.open,
            counts.forgotten
        ));
        if counts.answered > 0 {
            let pair_count = config.names.len() * (config.names.len() - 1) / 2;
            lines.push(format!(
                "{} of the answers are ties ({} of them both bad); {} of {pair_count} pairs have been asked",
                counts.ties, counts.both_bad, counts.pairs
            ));
        }
        if config.both {
            lines.push(format!(
                "{} answered in both orders, {} of them differently in the two (a tie for the policy)",
                count_text(counts.both as usize, "question"),
                counts.both_disagreed
            ));
        }
        if config.repeat > 0.0 {
            lines.push(format!(
                "{} repeated, {} of them answered as before",
                count_text(counts.repeats as usize, "question"),
                counts.repeats_agreed
            ));
        }
        lines.extend(self.audit_sentence());
        lines.push(match self.recommend() {
            None => "nobody leads yet: there is no complete answer".to_owned(),
            Some(leader) => {
                let standings = self.ranking();
                let standing_of = |competitor: u32| standings.iter().find(|standing| standing.competitor == competitor);
                let second = standings.iter().find(|standing| standing.competitor != leader);
                let lead_text = standing_of(leader).zip(second).map(|(leader, second)| {
                    let chance = 1.0 / (1.0 + libm::exp(second.strength - leader.strength));
                    format!(
                        "; estimated to be preferred to {} {:.0}% of the time",
                        name(second.competitor),
                        100.0 * chance
                    )
                });
                format!("{} leads{}", name(leader), lead_text.unwrap_or_default())
            }
        });
        lines.join("\n")
    }
}

impl Session {
    /// How much of what the model said people audited, as a sentence without its full stop; `None` without a model.
    #[must_use]
    pub fn audit_sentence(&self) -> Option<String> {
        let model = self.config().model.as_ref()?;
        let AuditCounts { answers, audits, agreed, due, alone } = self.audit_counts()?;
        let mut text = format!("{} answered {}", model.name, count_text(answers as usize, "question"));
        if audits > 0 {
            let share = 100.0 * agreed as f64 / audits as f64;
            text += &format!("; people audited {audits} of them, and said the same in {share:.0}%");
        }
        if due > 0 {
            text += &format!("; {} for a person, and what was asked since does not count before", waiting_text(due));
        }
        if alone > 0 {
            text += &format!("; people answered {} without it", count_text(alone as usize, "question"));
        }
        Some(text)
    }
}

fn waiting_text(due: u64) -> String {
    if due == 1 { "1 audit waits".to_owned() } else { format!("{due} audits wait") }
}

fn count_text(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
