//! Events that do not count, in words: what is wrong with them, and what to send instead.

use super::experiment::Notices;

/// Fewer impressions with such events are not reported.
const MIN_REPORTED: u64 = 10;
/// The number of pages with actions other than clicks at which some would have a click.
const MIN_ACTION_PAGES: u64 = 50;

/// Why events do not count and of how many impressions, the commonest reason first; `None` if there were none. Clicks on documents that
/// were clicked before are left out.
pub(crate) fn refusals(notices: &Notices, window: &str) -> Option<String> {
    let late_sentence = format!(
        "(`late`): they came when it was closed; `window` is {window}, and a page that is closed by a call takes no more"
    );
    let other_documents = notices.not_shown - notices.near_id.min(notices.not_shown);
    let mut reasons = [
        (
            notices.near_id,
            "(`not-shown`): a document of the list has the id of the click in other letters, percent-encoding, blanks or with a \
             slash at its end; send the ids of `shown` as they are",
        ),
        (
            other_documents,
            "(`not-shown`): no document of the list has the id of the click; send the ids of `shown` as they are",
        ),
        (
            notices.malformed,
            "(`malformed`): a click needs its document in event_attributes.object.object_id, as a text or a whole number; the \
             answers of POST /v1/events say what is wrong",
        ),
        (notices.ignored, "(`ignored`): their action_name is neither `click` nor `click_through`"),
        (notices.late, &late_sentence),
    ];
    reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let told: Vec<String> =
        reasons.iter().filter(|(count, _)| *count > 0).map(|(count, why)| format!("on {count} {why}")).collect();
    (!told.is_empty()).then(|| format!("{}.", told.join("; ")))
}

/// On how many impressions events came that do not count, at least.
fn refused_impressions(notices: &Notices) -> u64 {
    notices.refused.max(notices.late)
}

/// Whether clicks came, but none counts: this can be reported before pages close.
pub(crate) fn is_lost(clicked: u64, notices: &Notices) -> bool {
    clicked == 0 && notices.not_shown.max(notices.malformed).max(notices.late) >= MIN_REPORTED
}

/// The same for all kinds of events; many pages report more than clicks.
pub(crate) fn seems_lost(clicked: u64, notices: &Notices) -> bool {
    is_lost(clicked, notices) || clicked == 0 && notices.ignored >= MIN_ACTION_PAGES
}

/// A sentence that no impression was clicked, and which events came instead.
pub(crate) fn no_clicks_warning(asked: u64, notices: &Notices, window: &str) -> String {
    match refusals(notices, window) {
        None => format!(
            "None of {asked} impressions was clicked; do clicks reach `POST /v1/events` with the impression's id as `query_id`?"
        ),
        Some(why) => format!(
            "None of {asked} impressions was clicked: on {} of them events came that do not count, {why}",
            refused_impressions(notices)
        ),
    }
}

/// Events that are lost although others count, where they are many beside `clicked` impressions; one sentence for each kind.
pub(crate) fn lost_event_warnings(clicked: u64, notices: &Notices, window: &str) -> Vec<String> {
    let is_much = |count: u64| count >= MIN_REPORTED && 10 * count >= clicked;
    let warning = |count: u64, only: Notices| {
        let why = refusals(&only, window).filter(|_| is_much(count))?;
        Some(format!("Events are lost {why}"))
    };
    let malformed = Notices { malformed: notices.malformed, ..Notices::default() };
    let late = Notices { late: notices.late, ..Notices::default() };
    let mut warnings: Vec<String> =
        [warning(malformed.malformed, malformed), warning(late.late, late)].into_iter().flatten().collect();
    if notices.noisy >= MIN_REPORTED {
        warnings.push(format!(
            "On {} impressions more events came that do not count than a page sends; what is said of lost clicks leaves them out.",
            notices.noisy
        ));
    }
    warnings
}
