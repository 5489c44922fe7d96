//! The pages of a judge.

use maud::{DOCTYPE, Markup, html};
use page::document::head;

use super::markdown::render_markdown;
use super::room::{ReplyResult, ShownPair};

/// Styles beside the common ones.
pub(super) const STYLES: &str = include_str!("judge.css");
/// Keys, and texts that scroll together.
pub(super) const SCRIPT: &str = include_str!("judge.js");

/// The notice about the last action, by its word in the address. Unknown words give no notice.
pub(super) fn notice(word: &str) -> &'static str {
    match word {
        "undone" => "Taken back: answer this one again.",
        "nothing" => "There is nothing to undo.",
        "again" => "That was answered already, in the same way.",
        "long-note" => "The note has more than 2,000 characters: shorten it, and answer again.",
        "refused" => "That pair was answered already, or is not yours: nothing changed.",
        _ => "",
    }
}

/// The word for an outcome, as the query of an address.
pub(super) fn notice_query(outcome: ReplyResult) -> &'static str {
    match outcome {
        ReplyResult::Taken => "",
        ReplyResult::Again => "?said=again",
        ReplyResult::Undone => "?said=undone",
        ReplyResult::NothingToUndo => "?said=nothing",
        ReplyResult::LongNote => "?said=long-note",
        ReplyResult::Refused => "?said=refused",
    }
}

/// The answers that are not a side.
const OTHER_ANSWERS: [(&str, &str, &str); 3] =
    [("0", "tie", "Tie"), ("9", "both bad", "Both bad"), ("s", "skip", "Skip")];

/// The pages, all below one path.
#[derive(Debug)]
pub(super) struct Pages {
    /// The path of the page as browsers see it, with a slash at both ends.
    pub(super) base: String,
}

impl Pages {
    fn framed(&self, title: &str, body: &Markup) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                (head(title, &self.base, "judge.css", Some("judge.js")))
                body.judge { (body) }
            }
        }
        .into_string()
    }

    /// A page with one sentence.
    pub(super) fn problem(&self, sentence: &str) -> String {
        self.framed("Judging", &html! { main id="main" { h1 { "Judging" } p { (sentence) } } })
    }

    /// A pair, for the judge of this key.
    pub(super) fn question(&self, key: &str, pair: &ShownPair, notice: &str) -> String {
        let number = pair.own_answers + 1;
        let side = |at: usize| {
            let (digit, verdict) = [("1", "first"), ("2", "second")][at];
            html! {
                article.answer aria-labelledby={ "answer-" (digit) } {
                    h2 id={ "answer-" (digit) } { "Answer " (digit) }
                    // Can be scrolled with a keyboard.
                    div.text tabindex="0" role="group" aria-labelledby={ "answer-" (digit) } { (render_markdown(&pair.answers[at], 2)) }
                    button.side type="submit" form="say" name="verdict" value=(verdict) data-key=(digit) aria-keyshortcuts=(digit) {
                        "Answer " (digit) " is better " kbd { (digit) }
                    }
                }
            }
        };
        let body = html! {
            a.skip href="#answer-1" { "To the answers" }
            header.bar {
                p.count { "Question " (number) }
                p.muted {
                    @if pair.all_answers > pair.own_answers { (pair.all_answers) " answers of all judges. " }
                    (pair.outlook.sentence)
                    @if !pair.outlook.leader.is_empty() { " " (pair.outlook.leader) }
                }
            }
            main id="main" {
                h1.hidden { "Which answer is better?" }
                p.told role="status" { (notice) }
                @if pair.outlook.is_known { p.enough { "Enough is known, and you may stop here. Further answers count, too." } }
                @if pair.has_seen_all {
                    p.enough { "You were asked every pair on every question: thank you. Further questions repeat earlier ones." }
                }
                @if !pair.question.is_empty() {
                    section.question aria-label="Question" { (render_markdown(&pair.question, 1)) }
                }
                div.answers { (side(0)) (side(1)) }
                form id="say" method="post" action={ (self.base) "j/" (key) "/say" } {
                    input type="hidden" name="ticket" value=(pair.ticket);
                    div.others {
                        @for (letter, verdict, label) in OTHER_ANSWERS {
                            button type="submit" name="verdict" value=(verdict) data-key=(letter) aria-keyshortcuts=(letter) {
                                (label) " " kbd { (letter.to_uppercase()) }
                            }
                        }
                    }
                    details.note {
                        summary { "Note " kbd { "N" } }
                        label for="note" { "A note on this pair, sent with your answer" }
                        textarea id="note" name="note" rows="3" maxlength="2000" {}
                    }
                }
                form.undo method="post" action={ (self.base) "j/" (key) "/undo" } {
                    button.quiet type="submit" data-key="u" aria-keyshortcuts="u" disabled[!pair.may_undo] {
                        "Undo the last one " kbd { "U" }
                    }
                }
            }
        };
        self.framed(&format!("Question {number}"), &body)
    }
}
