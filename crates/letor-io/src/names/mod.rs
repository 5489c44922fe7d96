//! Names of features and rankers: checked, looked up, and read from files (`file`); lists of them, with ranges of numbers
//! (`range`, `list`); those that are nearly equal (`alike`).

mod alike;
mod file;
mod list;
mod range;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ranktypes::spec::did_you_mean;
use ranktypes::text::{TextFault, check_name};
use serde::{Serialize, Serializer};

pub use self::alike::nearly_equal;
pub use self::file::NumberedItem;
pub use self::list::NameList;

/// The number of names in a hint.
const MAX_LISTED: usize = 10;

/// Names of things that are numbered from 0, such as the features of a data set (number 0 is feature 1) or the arms of a
/// matrix.
///
/// Names are trimmed, not empty, distinct, and free of characters that control a terminal. Any of the things may lack
/// one. Clones share their content. Serialised as a list of strings, with null for what has no name.
///
/// ```
/// use letor_io::Names;
///
/// let names = Names::new([" bm25", "ltr"])?;
/// assert_eq!((names.len(), names.get(0), names.find("ltr")), (2, Some("bm25"), Some(1)));
/// let error = Names::new(["bm25", "ltr", "bm25"]).unwrap_err();
/// assert_eq!(error.to_string(), "name 3, `bm25`, is also name 1; expected distinct names");
/// # Ok::<(), letor_io::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Names(Arc<Content>);

#[derive(PartialEq, Eq)]
struct Content {
    names: Vec<Option<Box<str>>>,
    numbers: BTreeMap<Box<str>, usize>,
}

/// Why something cannot be a name, or several things cannot be the names of something.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NameError {
    /// The number of the name, from 0. Of names that are too many or too few, the number of the first such.
    pub number: usize,
    /// What is wrong.
    pub fault: NameFault,
}

/// What is wrong with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFault {
    /// It cannot be a name anywhere.
    Text(TextFault),
    /// It is also the name of an earlier number.
    Repeated {
        /// The name.
        name: String,
        /// The number, from 0, that had it first.
        first: usize,
    },
    /// There are this many names for another number of things.
    Count {
        /// The number of names.
        names: usize,
        /// The number of things.
        expected: usize,
    },
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(fault) => fault.fmt(f),
            Self::Repeated { name, first } => {
                write!(f, "`{name}`, is also name {}; expected distinct names", first + 1)
            }
            Self::Count { names, expected } => write!(f, "found {names} names, expected {expected}"),
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comma = if matches!(self.fault, NameFault::Repeated { .. }) { "," } else { "" };
        match self.fault {
            NameFault::Count { .. } => self.fault.fmt(f),
            _ => write!(f, "name {}{comma} {}", self.number + 1, self.fault),
        }
    }
}

impl std::error::Error for NameError {}

impl Names {
    /// The names of numbers 0, 1, and so on.
    ///
    /// # Errors
    /// The first name that is empty, contains a control character, or occurs twice.
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, NameError> {
        Self::checked(names.into_iter().map(|name| Some(name.as_ref().trim().into())).collect())
    }

    /// The names of some of `count` numbers, each with its number, from 0. A number that is given two names has the
    /// later one.
    ///
    /// # Errors
    /// Those of [`new`](Self::new), and [`NameFault::Count`] for a number that is not below `count`.
    pub fn from_numbered<S: AsRef<str>>(
        count: usize,
        names: impl IntoIterator<Item = (usize, S)>,
    ) -> Result<Self, NameError> {
        let mut all = vec![None; count];
        for (number, name) in names {
            let place = all.get_mut(number);
            let fault = NameFault::Count { names: number + 1, expected: count };
            *place.ok_or(NameError { number, fault })? = Some(name.as_ref().trim().into());
        }
        Self::checked(all)
    }

    fn checked(names: Vec<Option<Box<str>>>) -> Result<Self, NameError> {
        let mut numbers = BTreeMap::new();
        for (number, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            let fail = |fault| Err(NameError { number, fault });
            if let Err(fault) = check_name(name) {
                return fail(NameFault::Text(fault));
            }
            if let Some(first) = numbers.insert(name.clone(), number) {
                return fail(NameFault::Repeated { name: name.to_string(), first });
            }
        }
        Ok(Self(Arc::new(Content { names, numbers })))
    }

    /// How many numbers there are, with and without a name.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.names.len()
    }

    /// Whether there is nothing to name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.names.is_empty()
    }

    /// The name of `number` (from 0), if it has one.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&str> {
        self.0.names.get(number)?.as_deref()
    }

    /// The number (from 0) of the name `name`, as written.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.numbers.get(name.trim()).copied()
    }

    /// The number (from 0) of the thing that a user calls `text`.
    ///
    /// # Errors
    /// One line with the name and the nearest ones.
    pub fn look_up(&self, text: &str) -> Result<usize, String> {
        self.find(text).ok_or_else(|| {
            let known: Vec<&str> = self.iter().flatten().collect();
            let hint = did_you_mean(text, &known).unwrap_or_else(|| {
                let more = if known.len() > MAX_LISTED { ", ..." } else { "" };
                format!("the names are {}{more}", known[..known.len().min(MAX_LISTED)].join(", "))
            });
            format!("nothing is called `{}`; {hint}", text.escape_debug())
        })
    }

    /// All names in the order of their numbers; `None` for a number without one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.0.names.iter().map(Option::as_deref)
    }

    /// The names of `numbers`, which are numbered again from 0 in this order; `None` if none of them has a name.
    ///
    /// # Panics
    /// If a number with a name occurs twice.
    #[must_use]
    pub fn subset(&self, numbers: impl IntoIterator<Item = usize>) -> Option<Self> {
        let names: Vec<Option<Box<str>>> = numbers.into_iter().map(|number| self.get(number).map(Box::from)).collect();
        names.iter().any(Option::is_some).then(|| Self::checked(names).expect("names of distinct numbers are distinct"))
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Names {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_of_one_line_is_a_name() {
        let given = ["a,b", "\"quoted\"", "naïve 検索", "17", "it's"];
        let names = Names::new(given).unwrap();
        assert_eq!(names.iter().collect::<Vec<_>>(), given.map(Some));
        assert!((0..given.len()).all(|number| names.find(given[number]) == Some(number)));
        assert_eq!(names.find("a"), None);
    }

    #[test]
    fn faults_are_one_line_with_the_number() {
        for (names, expected) in [
            (vec!["a", "  "], "name 2 is empty; expected a name"),
            (vec!["a\tb"], "name 1 contains the control character \\t; expected printable text"),
            (vec!["a", "b\u{1b}[2J"], "name 2 contains the control character \\u{1b}; expected printable text"),
            (vec!["a\u{202e}b"], "name 1 contains the control character \\u{202e}; expected printable text"),
            (vec!["b", "a", " b "], "name 3, `b`, is also name 1; expected distinct names"),
        ] {
            assert_eq!(Names::new(&names).unwrap_err().to_string(), expected, "{names:?}");
        }
    }

    #[test]
    fn names_are_looked_up_and_listed() {
        let names = Names::new(["bm25", "ltr", "a,b", "say \"x\""]).unwrap();
        assert_eq!(names.look_up(" ltr "), Ok(1));
        assert_eq!(names.look_up("bm52").unwrap_err(), "nothing is called `bm52`; did you mean `bm25`?");
        let error = names.look_up("tfidf").unwrap_err();
        assert_eq!(error, "nothing is called `tfidf`; the names are bm25, ltr, a,b, say \"x\"");
    }

    #[test]
    fn some_may_lack_a_name() {
        let names = Names::from_numbered(4, [(2, "c"), (0, "a")]).unwrap();
        assert_eq!(names.iter().collect::<Vec<_>>(), [Some("a"), None, Some("c"), None]);
        assert_eq!(names.subset([3, 2]).unwrap().iter().collect::<Vec<_>>(), [None, Some("c")]);
        assert_eq!(names.subset([1, 3]), None);
        let error = Names::from_numbered(4, [(4, "e")]).unwrap_err();
        assert_eq!(error.fault, NameFault::Count { names: 5, expected: 4 });
    }
}
