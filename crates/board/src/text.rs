//! A board in sentences.

/// A probability, 0 to 1, in percent: `>99.9%` and `<0.1%` instead of certainty.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if p > 99.9 => ">99.9%".to_owned(),
        p if p < 0.1 => "<0.1%".to_owned(),
        p if (1.0..=99.0).contains(&p) => format!("{p:.0}%"),
        p => format!("{p:.1}%"),
    }
}

/// The names, at most `max_names` of them.
pub(crate) fn names(names: &[String], max_names: usize) -> String {
    let shown_names = names.iter().take(max_names).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > max_names { format!("{shown_names} and {} more", names.len() - max_names) } else { shown_names }
}

/// The same with `and` before the last one.
pub(crate) fn enumeration(all: &[String], max_names: usize) -> String {
    match all {
        [first @ .., last] if !first.is_empty() && all.len() <= max_names => format!("{} and {last}", first.join(", ")),
        _ => names(all, max_names),
    }
}

/// A number with its noun.
pub(crate) fn count(number: impl Into<u64>, singular: &str, plural: &str) -> String {
    let number: u64 = number.into();
    format!("{number} {}", if number == 1 { singular } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let all: Vec<String> = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
        assert_eq!((names(&all, 3), names(&all, 5)), ("a, b, c and 2 more".to_owned(), "a, b, c, d, e".to_owned()));
        assert_eq!(
            (count(1_u64, "row", "rows"), count(2_u64, "row", "rows")),
            ("1 row".to_owned(), "2 rows".to_owned())
        );
    }
}
