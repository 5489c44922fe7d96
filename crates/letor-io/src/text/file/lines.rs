//! Text cut into lines.

/// The position after the last line feed, or 0.
pub(super) fn end_of_lines(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

/// The lines of `text` without their line feeds, each with the position after it.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let len = memchr::memchr(b'\n', &text[start..]).unwrap_or(text.len() - start);
        let line = &text[start..start + len];
        start = (start + len + 1).min(text.len());
        Some((start, line))
    })
}
