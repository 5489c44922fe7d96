//! What the commands that play a study share: the size of a study that extends an earlier one, and its output.

pub(super) mod extension;
pub(super) mod output;
