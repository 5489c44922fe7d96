//! Rankers' lists that grow from page to page: each page is drawn with the lists of its time.

use crate::{Doc, Generator, Interleaving, Multileaving, PageError, RankedList};

/// A list, and the receipt of its method.
pub type MixedList<R> = (Vec<Doc>, R);

/// The pages drawn so far: how many documents, and the lists of the last one.
struct Drawn<'l, L> {
    lists: Option<&'l L>,
    shown: Vec<Doc>,
}

/// Draws page after page of `length` documents, each from its own `stages` of lists, with `draw`; `view` gives the lists of one.
fn growing<'l, L, R>(
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
    let mut before = Drawn { lists: None, shown: Vec::new() };
    let mut last = None;
    for (page, lists) in stages.iter().enumerate() {
        if let Some(earlier) = before.lists {
            let is_beginning = |(old, new): (&RankedList<'_>, &RankedList<'_>)| {
                old.docs().all(|doc| old.group(doc) == new.group(doc)) && old.len() <= new.len()
            };
            let differs = view(earlier).iter().zip(view(lists)).position(|pair| !is_beginning(pair));
            if let Some(list) = differs {
                return Err(PageError::NotBeginning { list, page: page - 1 });
            }
        }
        let (shown, receipt) = draw(lists, (page + 1).saturating_mul(length));
        if !shown.starts_with(&before.shown) {
            return Err(PageError::Differs { page: page - 1 });
        }
        before = Drawn { lists: Some(lists), shown: shown.clone() };
        last = Some((shown, receipt));
    }
    Ok(last)
}

/// Draws as many pages of `length` documents as there are `stages`, each with the lists that two rankers had by then: longer
/// ones from page to page. The generator is not changed, so that the same call with one stage more draws the next page. `None`
/// without stages.
///
/// # Errors
/// If the method's lists [may not grow](Interleaving::may_grow), or some list is not the beginning of the next one.
pub fn interleave_growing<M: Interleaving>(
    method: &M,
    stages: &[[RankedList<'_>; 2]],
    length: usize,
    generator: &Generator,
) -> Result<Option<MixedList<M::Receipt>>, PageError> {
    let mut scratch = M::Scratch::default();
    growing(
        method.may_grow(),
        method.name(),
        stages,
        length,
        |lists| lists.as_slice(),
        |lists, depth| method.draw(*lists, depth, &mut generator.clone(), &mut scratch),
    )
}

/// The same for any number of rankers.
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
    growing(
        method.may_grow(),
        method.name(),
        stages,
        length,
        |lists| lists.as_slice(),
        |lists, depth| method.draw(lists, depth, &mut generator.clone(), &mut scratch),
    )
}
