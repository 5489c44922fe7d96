//! A simulated user reading a list.

use crate::{Doc, Examination};

/// Shows `user` the documents of a list that `next` draws one after the other, until the user abandons the list or it ends, and calls `clicked`
/// with what `next` returned beside each clicked one. Both may change `list`.
#[inline]
pub(crate) fn read<L: ?Sized, T>(
    list: &mut L,
    mut next: impl FnMut(&mut L) -> Option<(Doc, T)>,
    mut user: impl FnMut(Doc) -> Examination,
    mut clicked: impl FnMut(&mut L, T),
) {
    while let Some((doc, place)) = next(list) {
        let examination = user(doc);
        if examination.clicked {
            clicked(list, place);
        }
        if examination.abandons {
            break;
        }
    }
}

/// The same for a list that is drawn already.
#[inline]
pub(crate) fn read_drawn<T>(
    list: impl IntoIterator<Item = (Doc, T)>,
    user: impl FnMut(Doc) -> Examination,
    mut clicked: impl FnMut(T),
) {
    read(&mut list.into_iter(), Iterator::next, user, |_, place| clicked(place));
}
