//! Tokens of Rust: identifiers, literals, comments and punctuation, each with its line.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tidy) enum Kind {
    /// An identifier or keyword; a raw one without its `r#`.
    Ident,
    /// One character, or `::`.
    Punct,
    /// A string literal of any kind: its content, escapes as written.
    Str,
    /// A number, character or lifetime.
    Other,
    /// A line of documentation, without its slashes.
    Doc,
    /// Any other comment.
    Comment,
}

/// A token and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tidy) struct Token<'a> {
    pub(in crate::tidy) kind: Kind,
    pub(in crate::tidy) text: &'a str,
    /// Counted from 1.
    pub(in crate::tidy) line: usize,
}

impl Token<'_> {
    /// Whether it is this punctuation or keyword.
    pub(in crate::tidy) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Ident | Kind::Punct) && self.text == text
    }
}

/// All tokens of `text`, which should compile; otherwise they are cut somehow.
pub(in crate::tidy) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, line: 1, tokens: Vec::new() };
    while lexer.at < text.len() {
        lexer.next();
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes `len` bytes as a token with its text within them.
    fn take(&mut self, kind: Kind, len: usize, content: std::ops::Range<usize>) {
        let whole = &self.rest()[..len];
        self.tokens.push(Token { kind, text: &whole[content], line: self.line });
        self.skip(len);
    }

    fn skip(&mut self, len: usize) {
        self.line += self.rest()[..len].bytes().filter(|&byte| byte == b'\n').count();
        self.at += len;
    }

    fn next(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or_default();
        if first.is_whitespace() {
            self.skip(first.len_utf8());
        } else if rest.starts_with("//") {
            let len = rest.find('\n').unwrap_or(rest.len());
            let doc = rest.starts_with("//!") || rest.starts_with("///") && !rest.starts_with("////");
            self.take(if doc { Kind::Doc } else { Kind::Comment }, len, if doc { 3..len } else { 2..len });
        } else if rest.starts_with("/*") {
            self.take(Kind::Comment, block_comment(rest), 0..2);
        } else if let Some((len, content)) = string(rest) {
            self.take(Kind::Str, len, content);
        } else if first == '\'' {
            let len = character_or_lifetime(rest);
            self.take(Kind::Other, len, 0..len);
        } else if first.is_ascii_digit() {
            let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            self.take(Kind::Other, len, 0..len);
        } else if first.is_alphabetic() || first == '_' {
            let start = if rest.starts_with("r#") { 2 } else { 0 };
            let tail = &rest[start..];
            let len = start + tail.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tail.len());
            self.take(Kind::Ident, len, start..len);
        } else {
            let len = if rest.starts_with("::") { 2 } else { first.len_utf8() };
            self.take(Kind::Punct, len, 0..len);
        }
    }
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut cursor) = (0_usize, 0);
    while cursor < text.len() {
        let rest = &text.as_bytes()[cursor..];
        if rest.starts_with(b"/*") {
            depth += 1;
            cursor += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            cursor += 2;
            if depth == 0 {
                return cursor;
            }
        } else {
            cursor += 1;
        }
    }
    text.len()
}

/// The length of the string literal that `text` begins with, and where its content lies.
fn string(text: &str) -> Option<(usize, std::ops::Range<usize>)> {
    let prefix = text.find(|c: char| !matches!(c, 'b' | 'c' | 'r'))?;
    if !matches!(&text[..prefix], "" | "b" | "c" | "r" | "br" | "cr") {
        return None;
    }
    let body = &text[prefix..];
    if text[..prefix].ends_with('r') {
        let hashes = body.find(|c| c != '#')?;
        let content = body[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", &body[..hashes]);
        let start = prefix + hashes + 1;
        let len = content.find(&end).unwrap_or(content.len());
        return Some(((start + len + end.len()).min(text.len()), start..start + len));
    }
    let content = body.strip_prefix('"')?;
    let mut escaped = false;
    let len = content.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let (start, len) = (prefix + 1, len.unwrap_or(content.len()));
    Some(((start + len + 1).min(text.len()), start..start + len))
}

/// The length of a character literal or of a lifetime.
fn character_or_lifetime(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(text.len(), |at| at + 4),
        Some((_, first)) => match characters.next() {
            Some((at, '\'')) => at + 1,
            _ if first.is_alphabetic() || first == '_' => {
                text[1..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(text.len(), |at| at + 1)
            }
            _ => 1,
        },
        None => 1,
    }
}

/// The tokens without comments, documentation and items that only tests compile.
pub(in crate::tidy) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let code: Vec<Token<'a>> =
        tokens.iter().copied().filter(|token| !matches!(token.kind, Kind::Doc | Kind::Comment)).collect();
    let mut kept_tokens = Vec::new();
    let mut cursor = 0;
    while cursor < code.len() {
        if code[cursor].is("#") {
            let end = attribute_end(&code, cursor);
            if is_test(&code[cursor..end]) {
                cursor = item_end(&code, end);
            } else {
                kept_tokens.extend_from_slice(&code[cursor..end]);
                cursor = end;
            }
        } else {
            kept_tokens.push(code[cursor]);
            cursor += 1;
        }
    }
    kept_tokens
}

/// Behind the attribute at `at`: `#[...]` or `#![...]`.
fn attribute_end(code: &[Token<'_>], at: usize) -> usize {
    let open = at + 1 + usize::from(code.get(at + 1).is_some_and(|token| token.is("!")));
    if code.get(open).is_some_and(|token| token.is("[")) { group_end(code, open) } else { at + 1 }
}

/// Behind the group that opens at `at`.
fn group_end(code: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(at) {
        if token.is("(") || token.is("[") || token.is("{") {
            depth += 1;
        } else if token.is(")") || token.is("]") || token.is("}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return index + 1;
            }
        }
    }
    code.len()
}

/// Whether an attribute is `#[test]`, `#[cfg(test)]` or `#[cfg(all(test, ...))]`.
fn is_test(attribute: &[Token<'_>]) -> bool {
    let words: Vec<&str> = attribute.iter().map(|token| token.text).collect();
    match words.as_slice() {
        ["#", "[", "test", "]"] | ["#", "[", "cfg", "(", "test", ")", "]"] => true,
        ["#", "[", "cfg", "(", "all", "(", inner @ ..] => inner.contains(&"test") && !inner.contains(&"not"),
        _ => false,
    }
}

/// Behind the item (or field, arm or statement) that begins at `at`, further attributes among it.
fn item_end(code: &[Token<'_>], mut at: usize) -> usize {
    while at < code.len() && code[at].is("#") {
        at = attribute_end(code, at);
    }
    let item = code[at..].iter().take(4).any(|token| {
        ["fn", "mod", "impl", "struct", "enum", "trait", "use", "const", "static", "type"]
            .iter()
            .any(|&word| token.is(word))
    });
    while at < code.len() {
        let token = code[at];
        if token.is(";") || token.is(",") && !item {
            return at + 1;
        }
        if token.is("}") {
            return at;
        }
        if token.is("{") {
            return group_end(code, at);
        }
        at = if token.is("(") || token.is("[") { group_end(code, at) } else { at + 1 };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(Kind, &str)> {
        tokens(text).iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn every_kind_of_token_is_cut_where_it_ends() {
        use Kind::{Comment, Doc, Ident, Other, Punct, Str};
        let found = texts("/// a\n// b\nr#use::x('\\'', 'a', 'b: \"q\\\"r\", br#\"s\"t\"#, 1.5) /* c /* d */ */ r");
        let expected = [
            (Doc, " a"),
            (Comment, " b"),
            (Ident, "use"),
            (Punct, "::"),
            (Ident, "x"),
            (Punct, "("),
            (Other, "'\\''"),
            (Punct, ","),
            (Other, "'a'"),
            (Punct, ","),
            (Other, "'b"),
            (Punct, ":"),
            (Str, "q\\\"r"),
            (Punct, ","),
            (Str, "s\"t"),
            (Punct, ","),
            (Other, "1"),
            (Punct, "."),
            (Other, "5"),
            (Punct, ")"),
            (Comment, "/*"),
            (Ident, "r"),
        ];
        assert_eq!(found, expected);
        assert_eq!(tokens("a\n\"b\nc\"\nd").iter().map(|token| token.line).collect::<Vec<_>>(), [1, 2, 4]);
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let text = "#[cfg(test)] use a::{b, c}; fn f() {} #[cfg(all(test, unix))] #[allow(x)] mod m { fn g() {} }
            struct S { #[cfg(test)] t: (u8, u8), u: u8 } #[cfg(not(test))] fn h<A, B>() {} #[test] fn i<A, B>() { j(); }";
        let kept: Vec<&str> = without_tests(&tokens(text)).iter().map(|token| token.text).collect();
        let kept = kept.join(" ");
        assert_eq!(kept, "; fn f ( ) { } struct S { u : u8 } # [ cfg ( not ( test ) ) ] fn h < A , B > ( ) { }");
    }
}
