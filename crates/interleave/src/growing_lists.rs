//! Rankers' lists that grow from page to page: each page is drawn with the lists of its time.

use crate::{Doc, Generator, Interleaving, Multileaving, PageError, RankedList};

/// A list, and the receipt of its method.
pub type MixedList<R> = (Vec<Doc>, R);

/// Draws page after page of `length` documents, each from its own `stages` of lists, with `draw`; `view` gives the lists of one.
fn draw_pages<'l, L, R>(
    may_grow: bool,
    method: &str,
    stages: &'l [L],
    length: usize,
    view: impl Fn(&'l L) -> &'l [RankedList<'l>],
    mut draw: impl FnMut(&'l L, usize) -> (Vec<Doc>, R),
) -> Result<Option<MixedList<R>>, PageError> {
    if stages.len() > 1 && !may_grow {
        return Err(PageError::Growing { method: method.to_owned() });
    }
    for (page, pair) in stages.windows(2).enumerate() {
        let (drawn_before, drawn_now) = (view(&pair[0]), view(&pair[1]));
        let is_beginning = |list: &usize| match (drawn_before.get(*list), drawn_now.get(*list)) {
            (Some(drawn_before), Some(drawn_now)) => {
                drawn_before.len() <= drawn_now.len()
                    && drawn_before.docs().all(|doc| drawn_before.group(doc) == drawn_now.group(doc))
            }
            _ => false,
        };
        if let Some(list) = (0..drawn_before.len().max(drawn_now.len())).find(|list| !is_beginning(list)) {
            return Err(PageError::NotBeginning { list, page });
        }
        // Required even if this draw did not reach the end; otherwise pages that continue would be a biased sample.
        let reached = (page + 1).saturating_mul(length);
        if drawn_before
            .iter()
            .zip(drawn_now)
            .any(|(drawn_before, drawn_now)| drawn_before.len() < reached.min(drawn_now.len()))
        {
            return Err(PageError::Differs { page });
        }
    }
    // With lists that are long enough, earlier pages keep their documents.
    Ok(stages.last().map(|lists| draw(lists, stages.len().saturating_mul(length))))
}

/// Draws as many pages of `length` documents as there are `stages`, each with the lists that two rankers had by then: longer
/// ones from page to page. The generator is not changed, so that the same call with one stage more draws the next page. `None`
/// without stages.
///
/// # Errors
/// If the method's lists [may not grow](Interleaving::may_grow); if some list is not the beginning of the next one, or had ended
/// on its page.
pub fn interleave_growing<M: Interleaving>(
    method: &M,
    stages: &[[RankedList<'_>; 2]],
    length: usize,
    generator: &Generator,
) -> Result<Option<MixedList<M::Receipt>>, PageError> {
    let mut scratch = M::Scratch::default();
    draw_pages(
        method.may_grow(),
        method.name(),
        stages,
        length,
        |lists| lists.as_slice(),
        |lists, depth| method.draw(*lists, depth, &mut generator.clone(), &mut scratch),
    )
}

/// [`interleave_growing`] for any number of rankers.
///
/// # Errors
/// Those of [`interleave_growing`].
pub fn multileave_growing<M: Multileaving>(
    method: &M,
    stages: &[Vec<RankedList<'_>>],
    length: usize,
    generator: &Generator,
) -> Result<Option<MixedList<M::Receipt>>, PageError> {
    let mut scratch = M::Scratch::default();
    draw_pages(
        method.may_grow(),
        method.name(),
        stages,
        length,
        |lists| lists.as_slice(),
        |lists, depth| method.draw(lists, depth, &mut generator.clone(), &mut scratch),
    )
}
