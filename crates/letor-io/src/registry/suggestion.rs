//! Names for "did you mean" hints.

/// The name in `names` nearest to `word`, ignoring the case of `word`: the one that the fewest insertions,
/// deletions, changes and swaps of letters turn it into, if these are at most a third of the letters.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    names
        .map(|name| (strsim::damerau_levenshtein(&folded, name), name))
        .filter(|(distance, name)| *distance * 3 <= name.len().max(word.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far() {
        let names = ["mslr-web30k", "mslr-web10k", "ylr1", "ylr2"];
        let near = |word| nearest(word, names.into_iter());
        assert_eq!(near("mslr-web30"), Some("mslr-web30k"));
        assert_eq!(near("MSLR-WEB10K"), Some("mslr-web10k"));
        assert_eq!(near("yrl1"), Some("ylr1"), "two letters swapped");
        assert_eq!(near("yxx1"), None, "two letters of four");
        assert_eq!(near("ylr"), Some("ylr1"));
        assert_eq!(near("istella"), None);
    }
}
