//! Broken pages, seen before the verdict.
//!
//! The commonest reason of a wrong verdict is a page and not a test: one ranker's documents are logged in other letters, one seed
//! serves everybody, an export ends too early. What each page shows ([`PageRecord`]) is added up by day and pair
//! ([`PageCounts`]) and checked ([`check`]); what is found is a [`Fault`], in one sentence that comes before the verdict.
//!
//! | kind | what is checked | trusted then? |
//! |---|---|---|
//! | a test, at one level for all of them together | coins that a method tosses with a probability that it fixes | no |
//! | a certain fault | impressions long after the log's end | no |
//! | a finding above a threshold that matters | clicks lost, lists of one ranker alone, identical lists | only if most clicks are lost, or ids match but for how they are written |
//!
//! # Which coins
//!
//! A fair coin is fair whatever rankers and users are like, so it is the only thing about a log that can be tested without assuming
//! what the experiment is to find out. But few quantities are fair coins:
//!
//! | method | quantity | tested |
//! |---|---|---|
//! | team draft, two rankers or more; logs with `teams` | which of two rankers comes first, of pages on which both own documents | yes |
//! | the same | of the places that both could still fill, how many more one owns | yes |
//! | balanced | which ranker's first document is on top, where these differ | yes |
//! | team draft with an unowned prefix | the same, below the prefix | with a receipt |
//! | pages with pinned, left out or moved documents | the same, as mixed and not as displayed | with a receipt |
//! | probabilistic (all), `optimized`, document constraints, pairwise preference, SOSM | no owner, or probabilities that depend on the lists | no |
//! | any | how many clicks, users or pages each ranker has; which pairs met | no: what an experiment finds out, or probabilities that no log names |
//!
//! Pages on which one ranker alone owns documents are given the benefit of the doubt: the other's list may have been empty.
//!
//! # Which pages
//!
//! A coin counts when it is tossed, not when it is shown again: of each unit the first page ([`CoinScope::FirstOfUnit`]), unless the log
//! is said to draw each page again. A reload, one coin for each user, the second page of a list repeat a draw. And if only
//! pages with clicks were logged, the better ranker comes first more often among them, with the fairest coin: nothing is tested then
//! ([`Form::logged`]).
//!
//! On logs without faults each log is suspected with a probability of at most [`LEVEL`], at all looks together.

mod check;
mod draw;
mod normal_form;
mod page;

pub use check::{
    Clicks, CoinScope, Fault, FaultKind, Form, IntegrityReport, LEVEL, PageDay, PageSelection, Pages, check, far_times,
};
pub use draw::{Draw, Lead, Side};
pub use normal_form::{is_normal, normal_form};
pub use page::{PageClicks, PageCounts, PageRecord};
