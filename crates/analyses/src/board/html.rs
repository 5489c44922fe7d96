//! The page of a board: the answer in plain words first.

use anyhow::Result;
use board::{Claim, Competitor, Conclusion, Leader, percent};
use figures::Forest;
use figures::print::Print;
use output::numbers::{with_separators, with_unit};
use page::judgements::{Drawing, Judgements, standalone};
use page::{Figure, Headline, Overview, Tone};

use super::{BoardReport, rows};

impl BoardReport {
    /// The board as one HTML file that needs no other.
    ///
    /// # Errors
    /// If the figure cannot be drawn.
    pub fn html(&self) -> Result<String> {
        let table = rows::table(&self.boards(), Vec::new());
        let text = |cell: &output::text_table::annotated::Cell| cell.text.clone();
        Ok(standalone(&Judgements {
            overview: Overview {
                name: self.name.rsplit('/').next().unwrap_or_default().to_owned(),
                headline: self.headline(),
                figures: self.key_figures(),
                warnings: self.remarks(),
                report: self.text().lines().map(str::to_owned).collect(),
                ..Overview::default()
            },
            paragraphs: self.plain_sentences(),
            columns: table.columns.clone(),
            rows: table.rows.iter().map(|row| row.iter().map(text).collect()).collect(),
            notes: table.notes.iter().cloned().chain(self.assumptions()).collect(),
            figure: Some(self.drawing()?),
            origin: format!("Made by {} board from {}.", output::program::name(), self.name),
        }))
    }

    /// The figure without its headline and notes, which the page has.
    fn drawing(&self) -> Result<Drawing> {
        let forest = Forest { title: String::new(), note: None, ..self.figure() };
        let drawn_at = |width: f64, font: f64| {
            Print { width, font, ..Print::default() }.forest(&forest).map(|sheet| sheet.adaptive().svg())
        };
        Ok(Drawing {
            wide: drawn_at(720.0, 12.0)?,
            narrow: drawn_at(350.0, 12.0)?,
            alternative: format!("The strength of each competitor with its interval. {}", self.sentence()),
        })
    }

    fn headline(&self) -> Headline {
        let (tone, label) = match &self.board.conclusion {
            Conclusion::Best(_) => (Tone::Good, "the best is known"),
            Conclusion::WithinTolerance(_) => (Tone::Good, "good enough is known"),
            Conclusion::Leading(_) => (Tone::Neutral, "not decided yet"),
            Conclusion::NoOrder(_) => (Tone::Notice, "no order fits"),
            Conclusion::NotConnected(_) | Conclusion::OrderAndNames | Conclusion::OnlyTies => {
                (Tone::Alarm, "no verdict")
            }
        };
        let leader_text = |leader: &Leader| match leader.others {
            1 => "the other".to_owned(),
            others => format!("the {others} others"),
        };
        let sentence = match &self.board.conclusion {
            Conclusion::Best(leader) => format!("{} is the best: better than {}.", leader.name, leader_text(leader)),
            Conclusion::WithinTolerance(leader) => format!("{} is as good as any, or nearly so.", leader.name),
            Conclusion::Leading(leader) => {
                format!("{} is ahead of {}, but that may be chance.", leader.name, leader_text(leader))
            }
            Conclusion::NoOrder(_) => "There is no simple ranking.".to_owned(),
            Conclusion::NotConnected(_) | Conclusion::OrderAndNames | Conclusion::OnlyTies => {
                "These judgements do not say who is best.".to_owned()
            }
        };
        Headline { tone, label: label.to_owned(), sentence, more: vec![self.sentence()], ..Headline::default() }
    }

    fn key_figures(&self) -> Vec<Figure> {
        let tally = self.board.tally;
        let figure = |name: &str, value: u64, note: String| Figure {
            name: name.to_owned(),
            value: with_separators(value),
            note,
        };
        let merged = if tally.units == tally.rows as u64 {
            String::new()
        } else {
            format!("count as {}", with_unit(tally.units, "unit"))
        };
        let mut figures = vec![
            figure("Judgements", tally.rows as u64, merged),
            figure("Competitors", self.board.competitors.len() as u64, String::new()),
        ];
        for population in self.board.groups.first().iter().flat_map(|group| &group.populations) {
            let name = match population.kind {
                board::ClusterKind::Item => "Items",
                board::ClusterKind::Judge => "Judges",
            };
            figures.push(figure(name, population.count, String::new()));
        }
        figures
    }

    /// The winner, how sure that is, and how many more judgements it takes, for readers without statistics.
    fn plain_sentences(&self) -> Vec<String> {
        let board = &self.board;
        let competitor_of =
            |leader: &Leader| board.competitors.iter().find(|competitor| competitor.name == leader.name);
        let mut sentences = Vec::new();
        let leader = match &board.conclusion {
            Conclusion::Best(leader)
            | Conclusion::WithinTolerance(leader)
            | Conclusion::Leading(leader)
            | Conclusion::NoOrder(leader)
            | Conclusion::NotConnected(leader) => leader,
            Conclusion::OrderAndNames | Conclusion::OnlyTies => return sentences,
        };
        if let Some(competitor) = competitor_of(leader) {
            sentences.push(comparison_sentence(competitor));
        }
        let name = &leader.name;
        let wrong = percent(1.0 - board.level);
        sentences.push(match &board.conclusion {
            Conclusion::Best(_) => format!(
                "That is too much for chance: a table that names the wrong one as the best comes up in at most {wrong} of cases."
            ),
            Conclusion::WithinTolerance(_) => format!(
                "Another may be a little better, but not by more than was said not to matter; that is wrong in at most {wrong} of cases."
            ),
            Conclusion::NoOrder(_) => format!(
                "Who wins depends on whom one is compared with, so that there is no simple ranking; {name} is the strongest on average."
            ),
            Conclusion::NotConnected(_) => {
                format!("{name} is ahead among those that were compared with each other; the others cannot be ranked beside it.")
            }
            _ => {
                let behind = board.competitors.iter().filter(|competitor| competitor.claim == Claim::Behind).count();
                let lead_text = if behind == 0 {
                    String::new()
                } else {
                    format!(" Of the others, {behind} {} known not to be the best.", if behind == 1 { "is" } else { "are" })
                };
                format!(
                    "The probability that {name} is the best is {}.{lead_text}",
                    percent(leader.probability)
                )
            }
        });
        sentences.extend(match board.advice.as_ref().and_then(board::Advice::milestones) {
            Some(advice) => Some(format!("How many more judgements does it take to know the best? {advice}")),
            None => self.advice(),
        });
        sentences
    }
}

/// The results of a competitor's comparisons.
fn comparison_sentence(competitor: &Competitor) -> String {
    let Competitor { name, wins, losses, ties, .. } = competitor;
    let tied = if *ties == 0 { String::new() } else { format!(", tied {}", with_separators(*ties)) };
    format!(
        "{name} was compared {}: it won {}, lost {}{tied}.",
        with_unit(wins + losses + ties, "time"),
        with_separators(*wins),
        with_separators(*losses)
    )
}
