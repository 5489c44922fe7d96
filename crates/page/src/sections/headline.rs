//! What is read first: the headline, warnings, key figures, and what an admin can change.

use maud::{Markup, html};

use crate::model::{Controls, Figure, Overview, Tone};
use crate::words;

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

pub(super) fn headline(overview: &Overview) -> Markup {
    let headline = &overview.headline;
    html! {
        div class={ "headline " (headline.tone.class()) } {
            p.label {
                strong { (headline.label) }
                @if !overview.state.is_empty() && overview.state != headline.label { span.state { (overview.state) } }
            }
            h1 { (headline.sentence) }
            @for sentence in &headline.more { p.more { (sentence) } }
        }
    }
}

pub(super) fn warnings(overview: &Overview) -> Markup {
    html! {
        @if !overview.warnings.is_empty() {
            h2.hidden { "Warnings" }
            ul.warnings {
                @for warning in &overview.warnings { li { span.hidden { "Warning: " } (warning) } }
            }
        }
    }
}

pub(super) fn figures(overview: &Overview) -> Markup {
    html! {
        @if !overview.figures.is_empty() {
            h2.hidden { "Key figures" }
            dl.figures {
                @for Figure { name, value, note } in &overview.figures {
                    div {
                        dt { (words::linked(name)) }
                        dd { strong { (value) } @if !note.is_empty() { small { (note) } } }
                    }
                }
            }
        }
    }
}

/// What can be done, what it is called, and what it means.
fn actions(controls: &Controls) -> Vec<(&'static str, &'static str, String)> {
    let champion = &controls.champion;
    let mut actions = Vec::new();
    if controls.is_ended {
        return actions;
    }
    if controls.is_running {
        actions.push((
            "pause",
            "Pause",
            format!("Everybody gets {champion}'s list until you resume. Open impressions still count."),
        ));
    } else {
        actions.push(("resume", "Resume", "Rankers are compared again.".to_owned()));
    }
    actions.push((
        "end",
        "End",
        format!("Everybody gets {champion}'s list for ever. What counted stays. This cannot be undone."),
    ));
    if !controls.is_killed {
        actions.push((
            "kill",
            "Kill",
            format!("Everybody gets {champion}'s list from this moment, whatever happens to the store."),
        ));
    }
    actions
}

pub(super) fn controls(overview: &Overview) -> Markup {
    overview.controls.as_ref().map_or_else(|| html! {}, |controls| controls_of(&overview.name, controls))
}

pub(super) fn controls_of(experiment: &str, controls: &Controls) -> Markup {
    let actions = actions(controls);
    html! {
        @if !actions.is_empty() {
            h2.hidden { "Controls" }
            div.controls {
                @for (path, name, meaning) in &actions {
                    details name="controls" class=(path) {
                        summary { (name) "…" }
                        form method="post" action={ (experiment) "/" (path) } {
                            p { (meaning) }
                            input type="hidden" name="token" value=(controls.token);
                            label { "Reason " input type="text" name="why" maxlength="1000" autocomplete="off"; }
                            button type="submit" { @if *path == "resume" || *path == "pause" { (name) " " (experiment) } @else { "Yes, " (name.to_lowercase()) " " (experiment) } }
                        }
                    }
                }
            }
        }
    }
}
