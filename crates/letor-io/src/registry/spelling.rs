//! What somebody may have meant.

/// The name nearest to `word`, unless none is near: at most a third of its letters differ.
pub fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    names
        .map(|name| (distance(&folded, name), name))
        .filter(|(distance, name)| *distance * 3 <= name.len().max(word.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to insert, leave out or change to get from one word to the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &against) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != against);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
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
        assert_eq!(near("yrl1"), None, "two letters of four");
        assert_eq!(near("ylr"), Some("ylr1"));
        assert_eq!(near("istella"), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
