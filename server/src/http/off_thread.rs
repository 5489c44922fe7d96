//! Work that takes a thread for a while, away from those that serve connections.

use super::Problem;

/// Has `work` done by a thread of its own.
///
/// # Errors
/// 503 if it ended by a fault of the program.
pub(super) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Problem::unavailable("a part of the server failed"))
}
