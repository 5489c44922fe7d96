//! Names that readers confuse.

use std::collections::BTreeMap;

/// The groups of different names that differ in case, white space, hyphens or underscores alone, in the order of the first name of
/// each. Programs count such names as different things, which people seldom mean.
///
/// ```
/// let groups = letor_io::nearly_equal(["ltr", "bm25", "LTR ", "BM-25", "ltr"]);
/// assert_eq!(groups, [vec!["ltr", "LTR "], vec!["bm25", "BM-25"]]);
/// ```
#[must_use]
pub fn nearly_equal<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        let plain = |c: &char| !c.is_whitespace() && !matches!(c, '-' | '_');
        let key: String = name.to_lowercase().chars().filter(plain).collect();
        // Names of nothing else, such as `-` and `_`, stay as they are.
        let key = if key.is_empty() { name.to_owned() } else { key };
        let place = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) if group.contains(&name) => {}
            Some(group) => group.push(name),
            None => groups.push(vec![name]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}
