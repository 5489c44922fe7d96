//! Calls into the crate `parquet`, which panics on some damaged files: the panic becomes an error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is in a guarded call: then panics print nothing.
    static CATCHES_PANICS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `f`; a panic becomes an error. Values that `f` changed must not be used after an error.
pub(super) fn catch_panic<T>(f: impl FnOnce() -> parquet::errors::Result<T>) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CATCHES_PANICS.get() {
                others(panic);
            }
        }));
    });
    CATCHES_PANICS.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(f));
    CATCHES_PANICS.set(false);
    let error = match done {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (None, Some(text)) => (*text).to_owned(),
            (None, None) => "its content is impossible".to_owned(),
        },
    };
    Err(error.split_whitespace().collect::<Vec<_>>().join(" "))
}
