//! The top of the page: the headline, warnings, key figures, and the controls of an admin.

use maud::{Markup, html};

use crate::glossary;
use crate::model::{Controls, Figure, Overview, Tone};

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Good => "good",
            Self::Notice => "notice",
            Self::Alarm => "alarm",
        }
    }
}

/// A sentence of more bytes is set in smaller letters.
const MAX_CHARS: usize = 140;

pub(crate) fn headline(overview: &Overview) -> Markup {
    let headline = &overview.headline;
    html! {
        div class={ "headline " (headline.tone.class()) } {
            p.label {
                strong { (headline.label) }
                @if !overview.state.is_empty() && overview.state != headline.label { span.state { (overview.state) } }
            }
            h1 class=[(headline.sentence.len() > MAX_CHARS).then_some("long")] { (headline.sentence) }
            @if !headline.action.is_empty() { p.action { strong { "What now: " } (headline.action) } }
            @for sentence in &headline.more { p.more { (sentence) } }
        }
    }
}

pub(crate) fn warnings(overview: &Overview) -> Markup {
    html! {
        @if !overview.warnings.is_empty() {
            h2.hidden { "Warnings" }
            ul.warnings {
                @for warning in &overview.warnings { li { span.hidden { "Warning: " } (warning) } }
            }
        }
    }
}

pub(crate) fn figures(overview: &Overview) -> Markup {
    html! {
        @if !overview.figures.is_empty() {
            h2.hidden { "Key figures" }
            dl.figures {
                @for Figure { name, value, note } in &overview.figures {
                    div {
                        dt { (glossary::with_term_links(name)) }
                        dd { strong { (value) } @if !note.is_empty() { small { (note) } } }
                    }
                }
            }
        }
    }
}

/// Something that can be done.
struct Action {
    path: &'static str,
    name: String,
    meaning: String,
    button: String,
    /// The rankers to choose from.
    rankers: Vec<String>,
    /// Whether the first of them has won, and is preselected.
    has_winner: bool,
}

fn actions(experiment: &str, controls: &Controls) -> Vec<Action> {
    let champion = &controls.champion;
    let action = |path, name: &str, meaning: String, button: &str| Action {
        path,
        name: format!("{name}…"),
        meaning,
        button: format!("{button} {experiment}"),
        rankers: Vec::new(),
        has_winner: false,
    };
    let mut actions = vec![ship(controls)];
    if controls.is_over {
        return actions;
    }
    let instead = match &controls.winner {
        Some(winner) if winner != champion => format!(" {winner} has won: ship it, if everybody shall get its list."),
        _ => String::new(),
    };
    actions.push(if controls.is_running {
        let meaning = format!("Everybody gets {champion}'s list until you resume. Open impressions still count.");
        action("pause", "Pause", meaning, "Pause")
    } else {
        action("resume", "Resume", "Rankers are compared again.".to_owned(), "Resume")
    });
    let meaning = format!(
        "Everybody gets {champion}'s list for good, and nothing is compared any more. What counted stays. This cannot be undone.{instead}"
    );
    actions.push(action("end", "End", meaning, "Yes, end"));
    if !controls.is_killed {
        let meaning = format!(
            "Everybody gets {champion}'s list from this moment, whatever happens to the store. You can resume later."
        );
        actions.push(action("kill", "Kill", meaning, "Yes, kill"));
    }
    actions
}

/// Gives everybody the list of one ranker: the one that won, if there is one.
fn ship(controls: &Controls) -> Action {
    let Controls { shipped, rankers, winner, .. } = controls;
    let mut rankers: Vec<String> = rankers.iter().filter(|name| Some(*name) != shipped.as_ref()).cloned().collect();
    // The likeliest choice first.
    rankers.sort_by_key(|name| Some(name) != winner.as_ref());
    let won = winner.as_ref().filter(|winner| Some(*winner) != shipped.as_ref());
    let name = match (won, shipped) {
        (Some(winner), _) => format!("Ship {winner}…"),
        (None, Some(_)) => "Ship another…".to_owned(),
        (None, None) => "Ship…".to_owned(),
    };
    let consequence = match shipped {
        Some(shipped) => format!("Everybody gets the list of this ranker instead of {shipped}'s from now on."),
        None if controls.is_over => "Everybody gets the list of this ranker from now on.".to_owned(),
        None => {
            "Everybody gets the list of this ranker from now on, and nothing is compared any more. What counted stays. \
                 You can ship another ranker later, but not go on with the experiment."
                .to_owned()
        }
    };
    let doubt = if won.is_none() && shipped.is_none() { " No ranker has won." } else { "" };
    let (meaning, button, has_winner) = (format!("{consequence}{doubt}"), "Yes, ship it".to_owned(), won.is_some());
    Action { path: "ship", name, meaning, button, rankers, has_winner }
}

pub(super) fn controls(overview: &Overview) -> Markup {
    overview.controls.as_ref().map_or_else(|| html! {}, |controls| controls_of(&overview.name, controls))
}

pub(super) fn controls_of(experiment: &str, controls: &Controls) -> Markup {
    html! {
        h2.hidden { "Controls" }
        div.controls {
            @for &Action { path, ref name, ref meaning, ref button, ref rankers, has_winner } in &actions(experiment, controls) {
                details name="controls" class=(path) {
                    summary { (name) }
                    form method="post" action={ (experiment) "/" (path) } {
                        p { (meaning) }
                        input type="hidden" name="token" value=(controls.token);
                        @if !rankers.is_empty() {
                            label { "Ranker " select name="ranker" required[!has_winner] { @if !has_winner { option value="" { "choose…" } } @for ranker in rankers { option value=(ranker) { (ranker) } } } }
                        }
                        label { "Reason " input type="text" name="why" maxlength="1000" autocomplete="off"; }
                        button type="submit" { (button) }
                    }
                }
            }
        }
    }
}
