//! The words of a page that not every reader knows, each with its definition: the page lists them at its end and links to them, and the
//! glossary of the documentation has the same text.

use maud::{Markup, html};

use crate::model::CountKind;

/// A word and its definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The word.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// Its forms in texts, in lower case.
    forms: &'static [&'static str],
}

/// All of them, in the order of the page.
pub const TERMS: [Term; 7] = [
    Term { name: "unit", meaning: "what counts once in a verdict: a user or a session", forms: &["units", "unit"] },
    Term {
        name: "champion",
        meaning: "the ranker that everybody gets where nothing is mixed, and with which guardrails compare the others",
        forms: &["champion"],
    },
    Term {
        name: "day closed",
        meaning: "a day that is over, with no impression left that takes clicks: verdicts look at it once, and it does not change any more",
        forms: &["days closed", "day closed"],
    },
    Term {
        name: "confidence sequence",
        meaning: "an interval for a share after each day: at the level of the experiment, all of them are right together, however often \
                  one looks",
        forms: &["confidence sequences", "confidence sequence"],
    },
    Term {
        name: "fate",
        meaning: "what became of an impression: it counts, does not count yet, or was set aside for a reason",
        forms: &["fates", "fate"],
    },
    Term {
        name: "guardrail",
        meaning: "a test that watches for harm during a live experiment",
        forms: &["guardrails", "guardrail"],
    },
    Term {
        name: "shipped",
        meaning: "ended in favour of a ranker, which everybody gets from then on",
        forms: &["shipped"],
    },
];

/// The fates of an impression of a live experiment: name, meaning and kind, in the order of the page.
pub const FATES: [(&str, &str, CountKind); 6] = [
    ("credited", "it compared rankers, and counts", CountKind::Counts),
    ("open", "it still takes clicks", CountKind::Open),
    ("alone", "it showed the list of one ranker alone", CountKind::Open),
    ("missing", "a list that it needed was not there", CountKind::Aside),
    ("unanswered", "no list, or no judgement, ever came", CountKind::Aside),
    ("answered late", "the answer came too late for the page", CountKind::Aside),
];

/// Explains why the confidence of a verdict and a confidence sequence are two numbers; shown where both are.
pub const CERTAINTIES: &str = "The confidence of a verdict says how sure it is that one ranker is better; a confidence sequence says how large \
                               its share of wins may be, at a level that was set before. Both hold at all looks together.";

impl Term {
    /// The id of its definition on a page.
    pub(crate) fn anchor(&self) -> String {
        format!("word-{}", self.name.replace(' ', "-"))
    }

    /// Its first use in a text in lower case: from where to where.
    fn first_use(&self, text: &str) -> Option<(usize, usize)> {
        let is_whole = |start: usize, end: usize| {
            let ends = [text[..start].chars().next_back(), text[end..].chars().next()];
            ends.into_iter().flatten().all(|beside| !beside.is_alphanumeric())
        };
        let of_form = |form: &&str| {
            let uses = text.match_indices(*form).map(|(start, form)| (start, start + form.len()));
            uses.into_iter().find(|&(start, end)| is_whole(start, end))
        };
        self.forms.iter().filter_map(of_form).min()
    }
}

/// A text in which the first use of each word is a link to its definition.
pub(crate) fn with_term_links(text: &str) -> Markup {
    let lower = text.to_ascii_lowercase();
    let mut uses: Vec<_> =
        TERMS.iter().filter_map(|term| term.first_use(&lower).map(|(start, end)| (start, end, term))).collect();
    uses.sort_by_key(|(start, ..)| *start);
    let mut markup_parts = Vec::new();
    let mut end_of_last = 0;
    for (start, end, term) in uses {
        markup_parts
            .push(html! { (text[end_of_last..start]) a.word href={ "#" (term.anchor()) } { (text[start..end]) } });
        end_of_last = end;
    }
    html! { @for part in markup_parts { (part) } (text[end_of_last..]) }
}

/// The words that parts of a page use.
pub(crate) fn terms_used<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'static Term> {
    let texts: Vec<String> = texts.map(str::to_ascii_lowercase).collect();
    TERMS.iter().filter(|word| texts.iter().any(|text| word.first_use(text).is_some())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_use_of_each_word_is_a_link() {
        let text = "Units <b> of a unit, united; days closed by the champion's fate.";
        assert_eq!(
            with_term_links(text).into_string(),
            "<a class=\"word\" href=\"#word-unit\">Units</a> &lt;b&gt; of a unit, united; \
             <a class=\"word\" href=\"#word-day-closed\">days closed</a> by the \
             <a class=\"word\" href=\"#word-champion\">champion</a>'s <a class=\"word\" href=\"#word-fate\">fate</a>."
        );
        assert_eq!(with_term_links("united").into_string(), "united");
        let names = |parts: &[&str]| terms_used(parts.iter().copied()).iter().map(|word| word.name).collect::<Vec<_>>();
        assert_eq!(names(&["united", "Guardrails", "<b>shipped</b>"]), ["guardrail", "shipped"]);
        assert!(names(&[]).is_empty());
    }
}
