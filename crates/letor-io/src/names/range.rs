//! Ranges of numbers in lists of rankers and arms: `1-5,9`.

use std::ops::RangeInclusive;

use super::Names;

/// More numbers than any data set has features.
const MAX_RANGE: u32 = 1 << 20;

impl Names {
    /// The numbers that `item` of a list stands for if it is a range such as `3-5`, both ends included; `None` if it is a
    /// number or a name. What `names` contain is a name, whatever it looks like.
    ///
    /// ```
    /// use letor_io::Names;
    ///
    /// assert_eq!(Names::range("3-5", None), Ok(Some(3..=5)));
    /// assert_eq!(Names::range("bm25-title", None), Ok(None));
    /// assert_eq!(Names::range("3-5", Some(&Names::new(["3-5"]).unwrap())), Ok(None));
    /// ```
    ///
    /// # Errors
    /// One line, if the range ends before it begins or is longer than any list of rankers.
    pub fn range(item: &str, names: Option<&Self>) -> Result<Option<RangeInclusive<u32>>, String> {
        if names.is_some_and(|names| names.find(item).is_some()) {
            return Ok(None);
        }
        let ends = item.split_once('-').map(|(first, last)| [first, last].map(str::trim));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let Some(ends) = ends.filter(|ends| ends.iter().copied().all(is_number)) else { return Ok(None) };
        let [Ok(first), Ok(last)] = ends.map(str::parse::<u32>) else {
            return Err(format!("`{}` is not a range of numbers that rankers can have", item.trim()));
        };
        match last.checked_sub(first) {
            None => Err(format!("the range `{}` ends before it begins; write {last}-{first}", item.trim())),
            Some(more) if more >= MAX_RANGE => {
                Err(format!("the range `{}` has more than {MAX_RANGE} numbers; give a shorter one", item.trim()))
            }
            Some(_) => Ok(Some(first..=last)),
        }
    }

    /// A list with each range written out, `1-3,9` as `1,2,3,9`, so that two ways to write a list look the same. A list
    /// without ranges, or one that cannot be read, stays as it is.
    #[must_use]
    pub fn ranges_written_out(list: &str) -> String {
        let Ok(items) = ranktypes::text::split_list(list) else { return list.to_owned() };
        let mut numbers = Vec::new();
        let mut has_range = false;
        for item in items {
            match Self::range(&item, None) {
                Ok(Some(range)) => {
                    has_range = true;
                    numbers.extend(range.map(|number| number.to_string()));
                }
                _ => numbers.push(item),
            }
        }
        if has_range { ranktypes::text::join_list(&numbers) } else { list.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_of_numbers_and_ascend() {
        for (item, range) in [(" 1-5 ", 1..=5), ("0 - 3", 0..=3), ("7-7", 7..=7), ("007-9", 7..=9)] {
            assert_eq!(Names::range(item, None), Ok(Some(range)), "{item}");
        }
        for item in ["5", "-5", "5-", "a-b", "1-b", "1-2-3", "1–5", "1.5-2", "-", ""] {
            assert_eq!(Names::range(item, None), Ok(None), "{item}");
        }
        for (item, expected) in [
            ("5-1", "the range `5-1` ends before it begins; write 1-5"),
            ("1-4294967295", "has more than 1048576 numbers"),
            ("1-99999999999", "is not a range of numbers"),
        ] {
            let error = Names::range(item, None).unwrap_err();
            assert!(error.contains(expected), "{item}: {error}");
        }
        let names = Names::new(["1-5", "ltr"]).unwrap();
        assert_eq!(Names::range(" 1-5", Some(&names)), Ok(None));
        assert_eq!(Names::range("1-4", Some(&names)), Ok(Some(1..=4)));
    }

    #[test]
    fn only_ranges_are_written_out() {
        for (list, expected) in [
            ("1-3,9", "1,2,3,9"),
            ("2-2", "2"),
            ("\"a,b\",1-2", "\"a,b\",1,2"),
            ("5,", "5,"),
            ("1, 2", "1, 2"),
            ("5-1", "5-1"),
            ("all", "all"),
        ] {
            assert_eq!(Names::ranges_written_out(list), expected);
        }
    }
}
