//! Whole pages: an overview, a list of experiments, and the few forms and messages around them. Links are relative, so that pages
//! work below any path.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::{ListItem, Overview};
use crate::sections::{Section, body};
use crate::{ICON, STYLES};
use ranktypes::text::with_unit;

/// The frame around a page of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The way to the list of experiments: empty on the list itself, `../` one level below.
    pub base: &'static str,
    /// The name of the signed-in user, if there is one.
    pub reader: Option<String>,
    /// The token that the form to sign out sends; `None` if there is nothing to sign out of.
    pub token: Option<String>,
    /// Whether the reader may sign in.
    pub may_sign_in: bool,
    /// A notice on every page, e.g. that all users are simulated.
    pub notice: Option<String>,
}

/// Where the parts of an overview come from while it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// The address of the stream, relative to the page.
    pub stream: String,
}

/// The part of an open page that is updated.
enum Moves<'a> {
    /// Parts of it, when the server sends them.
    Parts(&'a Live),
    /// The list, which is loaded again now and then.
    List,
}

/// The head of a page of a server: its title, the way to its files, and the names of its styles and its script.
#[must_use]
pub fn head(title: &str, base: &str, styles: &str, script: Option<&str>) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            link rel="icon" href={ (base) "icon.svg" } type="image/svg+xml";
            link rel="stylesheet" href={ (base) (styles) };
            @if let Some(script) = script { script src={ (base) (script) } defer {} }
        }
    }
}

/// A whole page of a server.
fn page_in_frame(frame: &Frame, title: &str, moves: Option<&Moves<'_>>, main: &Markup) -> String {
    let base = frame.base;
    let (stream, is_list) = match moves {
        None => (None, false),
        Some(Moves::Parts(live)) => (Some(&live.stream), false),
        Some(Moves::List) => (None, true),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, base, "page.css", moves.map(|_| "page.js")))
            body data-stream=[stream] data-list=[is_list.then_some("")] {
                a.skip href="#main" { "To the content" }
                header.bar {
                    nav aria-label="Experiments" {
                        a.brand href=(if base.is_empty() { "./" } else { base }) { "rankduel" }
                        @if !base.is_empty() { span.crumb { (title) } }
                    }
                    div.reader {
                        @if stream.is_some() { span id="connection" role="status" {} }
                        @if let Some(reader) = &frame.reader { span.muted { (reader) } }
                        @if let Some(token) = &frame.token {
                            form method="post" action={ (base) "sign-out" } {
                                input type="hidden" name="token" value=(token);
                                button.quiet type="submit" { "Sign out" }
                            }
                        } @else if frame.may_sign_in {
                            a href={ (base) "sign-in" } { "Sign in" }
                        }
                    }
                }
                @if let Some(notice) = &frame.notice { aside.banner aria-label="Notice" { p { (notice) } } }
                main id="main" tabindex="-1" { (main) }
                footer { p { "Verdicts hold at all looks together, however often you look." } }
            }
        }
    }
    .into_string()
}

/// The page of an experiment from its [parts](Overview::parts), as a server shows it.
#[must_use]
pub fn overview(frame: &Frame, name: &str, parts: &[Section], live: Option<&Live>) -> String {
    page_in_frame(frame, name, live.map(Moves::Parts).as_ref(), &body(parts))
}

/// The page of an experiment as one self-contained file, from `overview` alone.
#[must_use]
pub fn standalone(overview: &Overview) -> String {
    standalone_page(
        &overview.name,
        &body(&overview.parts()),
        "Verdicts hold at all looks together, however often you look.",
    )
}

/// A page that needs no other file.
pub(crate) fn standalone_page(name: &str, main: &Markup, footer: &str) -> String {
    let icon: String = ICON.trim().replace('#', "%23").replace('"', "'").replace('<', "%3C").replace('>', "%3E");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (name) }
                link rel="icon" href={ "data:image/svg+xml," (icon) };
                style { (PreEscaped(STYLES)) }
            }
            body {
                header.bar { nav aria-label="This page" { span.brand { "rankduel" } span.crumb { (name) } } }
                main id="main" { (main) }
                footer { p { (footer) } }
            }
        }
    }
    .into_string()
}

/// The list of experiments; `next_page` is the last of these if more follow.
#[must_use]
pub fn list(frame: &Frame, experiments: &[ListItem], next_page: Option<&str>) -> String {
    let main = html! {
        h1.plain { "Experiments" }
        @if experiments.is_empty() {
            p { "There is none yet. Make one with " code { "POST /v1/experiments" } "; " a href="openapi.json" { "openapi.json" } " describes all calls." }
        }
        ul.experiments {
            @for experiment in experiments {
                li class={ "headline " (experiment.headline.tone.class()) } {
                    p.label { strong { (experiment.headline.label) } @if experiment.state != experiment.headline.label { span.state { (experiment.state) } } }
                    h2 { a href={ "e/" (experiment.name) } { (experiment.name) } }
                    p.sentence { (experiment.headline.sentence) }
                    @if !experiment.warnings.is_empty() {
                        ul.warnings { @for warning in &experiment.warnings { li { span.hidden { "Warning: " } (warning) } } }
                    }
                    @if !experiment.since.is_empty() {
                        p.muted { (with_unit(experiment.impressions, "impression")) " since " (experiment.since) }
                    }
                }
            }
        }
        @if let Some(next_page) = next_page { p { a href={ "./?after=" (next_page) } { "More experiments" } } }
    };
    page_in_frame(frame, "Experiments", Some(&Moves::List), &main)
}

/// The form to sign in; `refused` is why the last attempt failed. `next` is where to go afterwards, relative to the
/// list.
#[must_use]
pub fn sign_in(frame: &Frame, refused: Option<&str>, next: &str) -> String {
    let main = html! {
        h1.plain { "Sign in" }
        form.sign-in method="post" action="sign-in" {
            p { "With a key made by " code { "rankduel-server keys add" } ": " code { "read" } " shows experiments, " code { "admin" } " changes them too." }
            @if let Some(refused) = refused { p.refused role="alert" { (refused) } }
            input type="hidden" name="next" value=(next);
            // Browsers that keep keys want a name to keep them under.
            input type="text" name="name" value="rankduel" autocomplete="username" hidden;
            label for="key" { "Key" }
            input id="key" type="password" name="key" autocomplete="current-password" required autofocus;
            button type="submit" { "Sign in" }
        }
    };
    page_in_frame(frame, "Sign in", None, &main)
}

/// A page with one message, e.g. that there is no such experiment.
#[must_use]
pub fn message(frame: &Frame, title: &str, sentence: &str) -> String {
    let main = html! {
        h1.plain { (title) }
        p { (sentence) }
        p { a href=(if frame.base.is_empty() { "./" } else { frame.base }) { "To the experiments" } }
    };
    page_in_frame(frame, title, None, &main)
}
