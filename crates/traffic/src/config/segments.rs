//! Segments: labels of impressions that get verdicts of their own.

use super::{Config, ConfigError, invalid};

/// The name for units without a label of the settings.
pub const OTHER_SEGMENT: &str = "other";

/// More segments than these are refused: they share the level of their verdicts.
const MAX_SEGMENTS: usize = 8;

impl Config {
    pub(super) fn check_segments(&self) -> Result<(), ConfigError> {
        let wrong = |message: String| Err(invalid("segments", message));
        if self.segments.len() > MAX_SEGMENTS {
            return wrong(format!(
                "expected at most {MAX_SEGMENTS} segments, found {}; leave out the small ones, which then count as `{OTHER_SEGMENT}`",
                self.segments.len()
            ));
        }
        for (place, name) in self.segments.iter().enumerate() {
            if let Err(fault) = ranktypes::text::check_name(name) {
                return wrong(format!("the name of segment {} {fault}", place + 1));
            }
            if name == OTHER_SEGMENT {
                return wrong(format!("`{OTHER_SEGMENT}` is the name of units without a segment; leave it out"));
            }
            if self.segments[..place].contains(name) {
                return wrong(format!("`{}` is there twice; name each once", name.escape_debug()));
            }
        }
        Ok(())
    }

    /// The place of a segment with this label; `None` if the settings lack it.
    #[must_use]
    pub fn segment(&self, label: &str) -> Option<u8> {
        let place = self.segments.iter().position(|name| name == label)?;
        u8::try_from(place).ok()
    }
}
