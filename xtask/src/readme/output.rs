//! Outputs that a README shows, compared with those that there were.

/// The most lines that a long line may be broken into.
const MAX_BROKEN_LINES: usize = 8;

/// The difference between the `shown` output and the `found` one; `None` if there is none. A shown line `...` stands for any lines, and a
/// long line may be shown broken at blanks.
pub(super) fn difference(shown: &str, found: &str) -> Option<String> {
    let found: Vec<&str> = found.trim_end().lines().map(str::trim_end).collect();
    let shown = rejoin_lines(shown.trim_end().lines().map(str::trim_end).collect(), &found);
    let mut cursor = 0;
    for (number, part) in shown.split(|line| line.trim() == "...").enumerate() {
        // The first part begins where the output does; each later one where it is found first.
        let starts = cursor..=found.len().saturating_sub(part.len());
        let place = match number {
            0 => found.starts_with(part).then_some(0),
            _ => starts.into_iter().find(|&start| found[start..].starts_with(part)),
        };
        let Some(place) = place else {
            let rest = &found[cursor.min(found.len())..];
            // After lines that were left out, the place that was meant is where the first line of the part is found.
            let meant =
                if number == 0 { 0 } else { rest.iter().position(|line| Some(line) == part.first()).unwrap_or(0) };
            return Some(first_difference(part, &rest[meant..]));
        };
        cursor = place + part.len();
    }
    let open = shown.last().is_some_and(|line| line.trim() == "...");
    (!open && cursor < found.len()).then(|| format!("the output goes on: {:?}", found[cursor]))
}

/// `shown` with broken lines as they were printed.
fn rejoin_lines<'a>(shown: Vec<&'a str>, found: &[&'a str]) -> Vec<&'a str> {
    let mut lines = Vec::new();
    let mut unmatched = shown.as_slice();
    while let Some((first, after)) = unmatched.split_first() {
        let joined = |count: usize| (count, unmatched[..count].join(" "));
        let mut broken = (2..=MAX_BROKEN_LINES.min(unmatched.len())).map(joined);
        match broken.find_map(|(count, line)| Some((count, *found.iter().find(|other| **other == line)?))) {
            Some((count, line)) => {
                lines.push(line);
                unmatched = &unmatched[count..];
            }
            None => {
                lines.push(first);
                unmatched = after;
            }
        }
    }
    lines
}

/// The first line of `part` that the output lacks, and what stands there.
fn first_difference(part: &[&str], found: &[&str]) -> String {
    let same = part.iter().zip(found).take_while(|(one, other)| one == other).count();
    let line = |lines: &[&str]| lines.get(same).map_or_else(|| "nothing more".to_owned(), |line| format!("{line:?}"));
    format!("expected {}, found {}", line(part), line(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_may_be_anything() {
        let found = "a\nb  \nc\nd\n";
        for right in ["a\nb\nc\nd", "a\n...\nd", "...\nc\nd\n", "a\n...", "...\nb\n...\nd", "a\n  ...\nb\nc\nd"] {
            assert_eq!(difference(right, found), None, "{right}");
        }
    }

    #[test]
    fn a_long_line_may_be_broken() {
        assert_eq!(difference("a b\nc d\n...", "a b c d\ne\n"), None);
        assert_eq!(difference("x\na\nb\nc", "x\na b c\n"), None);
        let found = difference("a b\nd c\n...", "a b c d\ne\n");
        assert_eq!(found.as_deref(), Some("expected \"a b\", found \"a b c d\""));
    }

    #[test]
    fn what_differs_is_named() {
        for (shown, expected) in [
            ("a\nx\nc\nd", "expected \"x\", found \"b\""),
            ("a\nb", "the output goes on: \"c\""),
            ("b\n...", "expected \"b\", found \"a\""),
            ("a\n...\nb\nx", "expected \"x\", found \"c\""),
            ("a\nb\nc\nd\ne", "expected \"e\", found nothing more"),
            ("a\n...\nc", "the output goes on: \"d\""),
        ] {
            assert_eq!(difference(shown, "a\nb\nc\nd\n").as_deref(), Some(expected), "{shown}");
        }
    }
}
