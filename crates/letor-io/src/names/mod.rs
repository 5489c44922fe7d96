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
use serde::{Serialize, Serializer};

pub use self::alike::nearly_equal;
pub use self::file::Numbered;
pub use self::list::NameList;

/// The number of names in a hint.
const LISTED: usize = 10;

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
    /// It is empty or consists of spaces.
    Empty,
    /// It contains this character, which controls a terminal or hides text.
    Control(char),
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
            Self::Empty => f.write_str("is empty; expected a name"),
            Self::Control(found) => {
                write!(f, "contains the control character {}; expected printable text", found.escape_default())
            }
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
    pub fn of_some<S: AsRef<str>>(
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
                return fail(fault);
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
                let more = if known.len() > LISTED { ", ..." } else { "" };
                format!("the names are {}{more}", known[..known.len().min(LISTED)].join(", "))
            });
            format!("nothing is called `{}`; {hint}", text.escape_debug())
        })
    }

    /// The names and numbers in `text`, which are separated by commas. A name that contains a comma, begins with a quotation mark,
    /// or has blanks around it stands in quotation marks, and those within it are doubled, as in CSV.
    ///
    /// # Errors
    /// One line, if an item is empty, or begins with a quotation mark that is single or not closed: shells that keep such marks would
    /// make names of them.
    pub fn split(text: &str) -> Result<Vec<String>, String> {
        let (mut items, mut rest) = (Vec::new(), text);
        loop {
            rest = rest.trim_start();
            let (item, end) = match (quoted(rest), rest.split_once(',')) {
                (Some(found), _) => found,
                (None, _) if rest.starts_with(MARKS) => {
                    return Err(format!(
                        "`{}` begins with a quotation mark; a name with one, or with a comma, stands in marks such as \"a, b\", \
                         in which \" is doubled",
                        rest.escape_debug()
                    ));
                }
                (None, Some((item, end))) => (item.trim().to_owned(), Some(end)),
                (None, None) => (rest.trim().to_owned(), None),
            };
            if item.is_empty() {
                return Err(format!("expected names or numbers separated by commas, found `{}`", text.escape_debug()));
            }
            items.push(item);
            match end {
                // A comma at the end marks a list of one.
                Some(end) if !end.trim().is_empty() => rest = end,
                _ => return Ok(items),
            }
        }
    }

    /// Text that [`split`](Self::split) reads back to `items`.
    #[must_use]
    pub fn join<S: AsRef<str>>(items: &[S]) -> String {
        let written = |item: &S| {
            let item = item.as_ref();
            let plain = !item.contains(',') && !item.starts_with(MARKS) && item.trim() == item;
            if plain { item.to_owned() } else { format!("\"{}\"", item.replace('"', "\"\"")) }
        };
        items.iter().map(written).collect::<Vec<_>>().join(",")
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

/// Quotation marks with which no name of a list begins unless it stands in some.
const MARKS: [char; 2] = ['"', '\''];

/// The text in the quotation marks that `rest` begins with, and what follows the comma after it; `None` if there are none.
fn quoted(rest: &str) -> Option<(String, Option<&str>)> {
    let mut text = String::new();
    let mut characters = rest.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        if character != '"' {
            text.push(character);
            continue;
        }
        let after = &rest[at + 2..];
        if after.starts_with('"') {
            text.push('"');
            characters.next();
        } else if after.trim().is_empty() {
            return Some((text, None));
        } else {
            return Some((text, Some(after.trim_start().strip_prefix(',')?)));
        }
    }
    None
}

/// Checks what may be the name of a ranker or feature anywhere: in lists, tables, logs and on terminals.
///
/// # Errors
/// If it is empty or consists of spaces, or contains a character that controls a terminal, breaks a line or hides text.
pub fn check_name(name: &str) -> Result<(), NameFault> {
    if name.trim().is_empty() {
        return Err(NameFault::Empty);
    }
    match name.chars().find(|found| is_control(*found)) {
        Some(found) => Err(NameFault::Control(found)),
        None => Ok(()),
    }
}

/// Whether a character breaks a line, moves the cursor, or changes the direction of what follows.
fn is_control(found: char) -> bool {
    found.is_control() || matches!(found, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

        let split = |text| Names::split(text).map_err(|_| ());
        let items = |items: &[&str]| Ok(items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>());
        assert_eq!(split("bm25, ltr ,7"), items(&["bm25", "ltr", "7"]));
        assert_eq!(split("bm25,"), items(&["bm25"]));
        assert_eq!(split("\"a,b\" , \"say \"\"x\"\"\",ltr"), items(&["a,b", "say \"x\"", "ltr"]));
        assert_eq!(
            split("6\" nails,rock'n'roll"),
            items(&["6\" nails", "rock'n'roll"]),
            "marks within a name are text"
        );
        for text in ["\"open,a", "a,\"b\"c", "a,'b,c'", "'a'"] {
            assert!(Names::split(text).unwrap_err().contains("begins with a quotation mark"), "{text}");
        }
        for items in [vec!["a,b", "7"], vec!["\"", "x\"y", "ltr"], vec!["one"], vec![" a", "'b", "-c"]] {
            assert_eq!(Names::split(&Names::join(&items)).unwrap(), items);
        }
        assert_eq!([split(""), split("a,,b"), split("\"\",a")], [Err(()), Err(()), Err(())]);
    }

    #[test]
    fn some_may_lack_a_name() {
        let names = Names::of_some(4, [(2, "c"), (0, "a")]).unwrap();
        assert_eq!(names.iter().collect::<Vec<_>>(), [Some("a"), None, Some("c"), None]);
        assert_eq!(names.subset([3, 2]).unwrap().iter().collect::<Vec<_>>(), [None, Some("c")]);
        assert_eq!(names.subset([1, 3]), None);
        let error = Names::of_some(4, [(4, "e")]).unwrap_err();
        assert_eq!(error.fault, NameFault::Count { names: 5, expected: 4 });
    }
}
