//! Names for "did you mean" hints.

/// The name in `names` nearest to `word`, ignoring case and punctuation: the one that the fewest insertions,
/// deletions, changes and swaps of letters turn it into, if these are at most two fifths of the letters.
#[must_use]
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = fold_word(word);
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&word, &fold_word(name)), name))
        .filter(|(distance, name)| *distance * 5 <= 2 * name.len().max(word.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// In lower case, letters and digits alone.
fn fold_word(word: &str) -> String {
    word.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// `did you mean ...?` for `word`: the [nearest] name, otherwise up to five names that begin as `word` does; `None` if
/// there is neither.
#[must_use]
pub fn did_you_mean(word: &str, names: &[&str]) -> Option<String> {
    if let Some(near) = nearest(word, names.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let begun = word.to_lowercase();
    let mut alike: Vec<&str> =
        names.iter().copied().filter(|name| begun.len() >= 2 && name.starts_with(&begun)).collect();
    let more = if alike.len() > 5 { ", ..." } else { "" };
    alike.truncate(5);
    let alike: Vec<String> = alike.iter().map(|name| format!("`{name}`")).collect();
    match alike.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        several => Some(format!("did you mean one of {}{more}?", several.join(", "))),
    }
}

/// [`did_you_mean`] as the end of a sentence, `; did you mean ...?`; empty if no name is near.
#[must_use]
pub fn hint(word: &str, names: &[&str]) -> String {
    did_you_mean(word, names).map_or_else(String::new, |hint| format!("; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far() {
        let names = ["mslr-web30k", "mslr-web10k", "ylr1", "ylr2"];
        let near = |word| nearest(word, names);
        assert_eq!(near("mslr-web30"), Some("mslr-web30k"));
        assert_eq!(near("MSLR-WEB10K"), Some("mslr-web10k"));
        assert_eq!(near("yrl1"), Some("ylr1"), "two letters swapped");
        assert_eq!(near("yxx1"), None, "two letters of four");
        assert_eq!(near("ylr"), Some("ylr1"));
        assert_eq!(near("mslrweb30k"), Some("mslr-web30k"), "without its hyphen");
        assert_eq!(near("istella"), None);
        assert_eq!(nearest("alfa", ["alpha", "beta"]), Some("alpha"), "two of five letters");
    }

    #[test]
    fn beginnings_are_completed() {
        let names = ["mslr-web30k", "mslr-web10k", "ylr1", "np2003"];
        let hint = |word| did_you_mean(word, &names);
        assert_eq!(hint("MSLR").as_deref(), Some("did you mean one of `mslr-web30k`, `mslr-web10k`?"));
        assert_eq!(hint("np").as_deref(), Some("did you mean `np2003`?"));
        assert_eq!(hint("yrl1").as_deref(), Some("did you mean `ylr1`?"));
        assert_eq!(hint("m"), None, "a single letter says too little");
        assert_eq!(hint("web"), None);
    }
}
