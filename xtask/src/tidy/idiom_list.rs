//! The wording that `cargo xtask tidy idioms` refuses. To extend: add a line.
//!
//! An exception stands beside the text, with its reason: `// tidy: allow odds: the paper's word`, in Markdown
//! `<!-- tidy: allow odds: the paper's word -->`, on the same line or the one before.

/// Wording to avoid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Idiom {
    /// A regular expression, without regard to case.
    pub(super) pattern: &'static str,
    /// The replacement.
    pub(super) instead: &'static str,
    /// A regular expression of exceptions, although `pattern` matches a part of them; empty for none.
    pub(super) except: &'static str,
}

const fn idiom(pattern: &'static str, instead: &'static str) -> Idiom {
    Idiom { pattern, instead, except: "" }
}

impl Idiom {
    const fn but(self, except: &'static str) -> Self {
        Self { except, ..self }
    }
}

/// The unit that counts are per.
macro_rules! unit {
    () => {
        "(?:arm|pair|step|run|query|list|line|round|set|size|draw|duel|impression|comparison|algorithm|method|setting|\
         curve|command|file|folder|part|second|minute|data set|ranker|document|user|experiment|kind)s?"
    };
}

pub(super) const IDIOMS: &[Idiom] = &[
    // `ask` and `tell` are names of methods.
    idiom(r"\b(?:tells?|told|telling)\b", "report, print, show; tell apart: distinguish")
        .but(r#"(?:::|[`".\[])(?:tell|told)\b|\btold, forgotten\b"#),
    idiom(r"\b(?:anew|afresh)\b", "again, from scratch"),
    idiom(r"\bparted\b", "separated"),
    idiom(r"\bin place of\b", "instead of"),
    idiom(r"\bso many\b", "N, a given number of, that many").but(r"so many\b[^.;]{0,60}\bthat\b"),
    idiom(r"\b(?:is|are|was|were) no [a-z-]+\b", "is not a ...")
        .but(r"\b(?:there|here) (?:is|are|was|were) no\b|\bno (?:longer|more|less|fewer|better|worse|other|good|matter|larger|smaller|greater|higher|lower|[a-z]+er than)\b"),
    idiom(
        concat!(
            r"\b(?:[01] |(?:[2-9]|[0-9][0-9.,^]*[0-9]|one|two|three|four|five|six|ten|many|few) (?:[a-z]+ )?)an? ",
            unit!(),
            r"\b"
        ),
        "per arm, per pair, per run",
    )
    .but(
        r"\b(?:for|of|to|in|at|from|by|with|as|on|is|are|has|and|or|than|over|into|per|that|if|when|once|was|were|gives?|makes?|takes?|needs?|after|before|against|through|within|least|where) an? ",
    ),
    idiom(
        concat!(
            r"\b(?:an? (?:line|row|gap|file|number|column|draw|list|folder)|times|seconds|bytes|impressions|comparisons|interleavings) an? ",
            unit!(),
            r"\b"
        ),
        "per arm, per pair, per run",
    ),
    idiom(concat!(r"\b(?:line|row|column|gap|file|folder) each (?:", unit!(), r"|[a-z]+ and|$)"), "one line per ..."),
    idiom(r"\bodds\b", "probability, probabilities"),
    idiom(r"\blaws?\b", "distribution").but(r"\b(?:power|zipf's|large numbers).{0,3}\blaws?|\blaws? of (?:large|the iterated|succession)"),
    idiom(r"\blest\b", "so that ... not"),
    idiom(r"\bhad best\b", "should"),
    idiom(r"\bhangs? on\b", "depends on"),
    idiom(r"\bas of\b", "like those of, as in").but(r"\bas of (?:[0-9]|v[0-9]|version|today|now)"),
    idiom(r"\bnone but\b", "only"),
    idiom(r"\bof which none\b", "and none of them"),
    idiom(r"\bfor whole\b", "for the whole"),
    idiom(r"\bbesides\b", "in addition to, beside"),
    idiom(r"\b(?:and|or) the like\b", "and so on, such as"),
    idiom(r"\bat once\b", "immediately; several: at a time, together").but(
        r"\b(?:all|several|both|many|more|two|three|four|[0-9]+|everything|pairs|arms|runs|batches|lists|words|bits|threads|them|processes) at once\b",
    ),
    idiom(r"\b(?:is|are|was|were) to be\b", "must be, should be"),
    idiom(r"\bnames? (?:the|no|an?) (?:best )?(?:arm|winner|ranker)\b", "recommends, identifies"),
    idiom(r"\b(?:circles|(?:a|the) circle)\b", "cycles").but(r"</?circle"),
    idiom(r"\bthrice\b", "three times"),
    idiom(r"\b(?:whereof|thereof|wherein|therein|hitherto|whither|nought)\b", "plain words"),
    idiom(r"\b(?:cautions?|cautioned)\b", "warning, warned"),
    idiom(r"\b(?:of|for) one's own\b", "your own"),
    idiom(r"\bafter all\b", "(leave out)"),
    idiom(r"\bby hand and\b|\bof themselves\b", "on their own"),
    idiom(r"\bnot told apart\b", "not distinguished"),
];
