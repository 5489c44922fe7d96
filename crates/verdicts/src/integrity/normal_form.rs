//! Ids that are the same but for how they are written.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization as _;

/// The id as all that differ from it in letter case, percent-encoding, Unicode form, blanks around it or slashes at its end are
/// written. Two ids with one normal form are probably one document that two programs write in two ways.
#[must_use]
pub fn normal_form(id: &str) -> Cow<'_, str> {
    if is_normal(id) {
        return Cow::Borrowed(id);
    }
    let decoded = percent_decode_str(id.trim()).decode_utf8_lossy();
    // Lower case may change the composition of a letter: compose again.
    let lower: String = decoded.nfc().collect::<String>().to_lowercase().nfc().collect();
    Cow::Owned(lower.trim_end_matches(|c: char| c == '/' || c.is_whitespace()).trim_start().to_owned())
}

/// Whether nothing of it changes: true of most ids.
#[must_use]
pub fn is_normal(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && byte != b'%') && !id.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_otherwise_is_the_same() {
        for (one, other) in [
            ("sku-7", "SKU-7"),
            ("a/b", "a%2Fb"),
            ("a/b", "A%2fB/"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("caf\u{e9}", "CAF%C3%89"),
            ("x", " x\t"),
        ] {
            assert_eq!(normal_form(one), normal_form(other), "{one} {other}");
        }
        for (one, other) in [("sku-7", "sku-8"), ("a/b", "a-b"), ("x?id=1", "x?id=2"), ("1", "01"), ("a b", "ab")] {
            assert_ne!(normal_form(one), normal_form(other), "{one} {other}");
        }
    }

    #[test]
    fn a_normal_form_is_its_own() {
        for id in ["SKU-7", "%2525", "%", "\u{130}", "\u{1e9b}\u{323}", "a/ /", "", " ", "%20x", "A%2fB//"] {
            let normal = normal_form(id).into_owned();
            if !normal.contains('%') {
                assert_eq!(normal_form(&normal), normal, "{id}");
            }
            assert!(!is_normal(id) || normal == id);
        }
    }
}
