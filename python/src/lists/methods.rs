//! Methods by name, each with its buffers, kept from call to call: reading a name costs more than most of a draw.

use std::cell::RefCell;

use ::interleave::{AnyInterleaving, AnyInterleavingScratch, AnyMultileaving, AnyMultileavingScratch, NameError};

/// The number of methods that a thread keeps.
const MAX_KEPT: usize = 16;

/// Methods and their buffers by the names that were asked for, the latest first.
type MethodCache<M, S> = RefCell<Vec<(String, M, S)>>;

thread_local! {
    static INTERLEAVING: MethodCache<AnyInterleaving, AnyInterleavingScratch> = const { RefCell::new(Vec::new()) };
    static MULTILEAVING: MethodCache<AnyMultileaving, AnyMultileavingScratch> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with the interleaving method of this name and its buffers.
pub(super) fn with_interleaving<T>(
    name: &str,
    work: impl FnOnce(&AnyInterleaving, &mut AnyInterleavingScratch) -> T,
) -> Result<T, NameError> {
    INTERLEAVING.with(|kept| with_method(kept, name, work))
}

/// Calls `work` with the multileaving method of this name and its buffers.
pub(super) fn with_multileaving<T>(
    name: &str,
    work: impl FnOnce(&AnyMultileaving, &mut AnyMultileavingScratch) -> T,
) -> Result<T, NameError> {
    MULTILEAVING.with(|kept| with_method(kept, name, work))
}

fn with_method<M: std::str::FromStr<Err = NameError>, S: Default, T>(
    kept: &MethodCache<M, S>,
    name: &str,
    work: impl FnOnce(&M, &mut S) -> T,
) -> Result<T, NameError> {
    // No method calls Python, so this cannot be entered a second time while it works.
    let mut kept = kept.borrow_mut();
    match kept.iter().position(|(known, ..)| known == name) {
        Some(at) => kept[..=at].rotate_right(1),
        None => {
            let method = name.parse()?;
            kept.truncate(MAX_KEPT - 1);
            kept.insert(0, (name.to_owned(), method, S::default()));
        }
    }
    let (_, method, scratch) = &mut kept[0];
    Ok(work(method, scratch))
}
