//! The time of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

/// Milliseconds since 1970: the wall clock, read once at the start, and the monotonic clock since. A wall clock that jumps while
/// the server runs changes nothing.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The clock of the machine.
    Real {
        /// The wall clock at the start.
        wall: i64,
        /// The monotonic clock at the start.
        start: Instant,
    },
    /// A clock set by a test.
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// Reads the wall clock.
    #[must_use]
    #[expect(clippy::disallowed_types, reason = "the one place where the server reads the wall clock")]
    pub fn start() -> Self {
        let now = std::time::SystemTime::now();
        let wall = match now.duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => since.as_millis() as i64,
            Err(before) => -(before.duration().as_millis() as i64),
        };
        Self::Real { wall, start: Instant::now() }
    }

    /// The time, in milliseconds since 1970.
    #[must_use]
    pub fn now(&self) -> i64 {
        match self {
            Self::Real { wall, start } => wall + start.elapsed().as_millis() as i64,
            Self::Set(time) => time.load(Ordering::SeqCst),
        }
    }
}
