//! The tree of modules of a crate, and where each import is defined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{Kind, Token, read, tokens, without_tests};

/// A path of module names from the crate's root, which itself is empty.
type ModulePath = Vec<String>;

/// All modules of a library, tests apart.
#[derive(Debug)]
pub(in crate::tidy) struct Crate {
    modules: BTreeMap<ModulePath, Module>,
}

#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    /// Names of child modules.
    children: BTreeSet<String>,
    /// Names of items defined here.
    items: BTreeSet<String>,
    /// The names that `use` declares, public or not.
    uses: Vec<UseDeclaration>,
    /// Paths of at least two segments in code.
    paths: Vec<(Vec<String>, usize)>,
}

#[derive(Debug)]
struct UseDeclaration {
    path: Vec<String>,
    /// The name it gets here; `*` for everything.
    name: String,
    line: usize,
}

/// One module's use of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tidy) struct Import {
    /// Where the path is written.
    pub(in crate::tidy) file: PathBuf,
    pub(in crate::tidy) line: usize,
    /// The path as it is written.
    pub(in crate::tidy) path: String,
    /// The module that writes it.
    pub(in crate::tidy) from: Vec<String>,
    /// The module that defines the imported name, re-exports followed.
    pub(in crate::tidy) to: Vec<String>,
}

impl Crate {
    /// Reads the library with this `src` folder.
    pub(in crate::tidy) fn read(src: &Path) -> Result<Self> {
        let mut this = Self { modules: BTreeMap::new() };
        this.read_file(&src.join("lib.rs"), src, Vec::new())?;
        Ok(this)
    }

    /// Reads the module in `file`; its child modules lie in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, path: ModulePath) -> Result<()> {
        let text = read(file)?;
        let code = without_tests(&tokens(&text));
        self.read_module(&code, file, folder, path)
    }

    fn read_module(&mut self, code: &[Token<'_>], file: &Path, folder: &Path, path: ModulePath) -> Result<()> {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let (mut depth, mut at) = (0_usize, 0);
        let word = |at: usize| code.get(at).filter(|token| token.kind == Kind::Ident).map(|token| token.text);
        let is = |at: usize, text: &str| code.get(at).is_some_and(|token| token.is(text));
        while at < code.len() {
            let token = code[at];
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                depth = depth.saturating_sub(1);
            } else if token.is("mod")
                && let Some(name) = word(at + 1)
            {
                let child: ModulePath = path.iter().cloned().chain([name.to_owned()]).collect();
                if is(at + 2, "{") {
                    let end = block_end(code, at + 2);
                    self.read_module(&code[at + 3..end - 1], file, &folder.join(name), child)?;
                    at = end;
                } else {
                    let inside = folder.join(name);
                    let candidates = [folder.join(format!("{name}.rs")), inside.join("mod.rs")];
                    let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) else {
                        bail!("{}:{}: there is no file of module {name}", file.display(), token.line);
                    };
                    self.read_file(found, &inside, child)?;
                    at += 3;
                }
                module.children.insert(name.to_owned());
                continue;
            } else if token.is("use") && !is(at + 1, "<") {
                let end = (at..code.len()).find(|&at| code[at].is(";")).unwrap_or(code.len());
                use_tree(&code[at + 1..end], &[], &mut module.uses);
                at = end + 1;
                continue;
            } else if token.kind == Kind::Ident && is(at + 1, "::") && (at == 0 || !is(at - 1, "::")) {
                let mut segments = vec![token.text.to_owned()];
                while is(at + 1, "::")
                    && let Some(name) = word(at + 2)
                {
                    segments.push(name.to_owned());
                    at += 2;
                }
                if segments.len() > 1 {
                    module.paths.push((segments, token.line));
                }
            } else if depth == 0
                && let Some(name) = defined(code, at)
            {
                module.items.insert(name.to_owned());
            }
            at += 1;
        }
        self.modules.insert(path, module);
        Ok(())
    }

    /// Every use of one module's items in another, through `use` or by a path in the code.
    pub(in crate::tidy) fn imports(&self) -> Vec<Import> {
        let mut imports = Vec::new();
        for (from, module) in &self.modules {
            let uses = module.uses.iter().map(|declared| (&declared.path, declared.line, declared.name == "*"));
            let paths = module.paths.iter().map(|(path, line)| (path, *line, false));
            for (path, line, all) in uses.chain(paths) {
                let Some(to) = self.resolve(from, path, &mut BTreeSet::new()) else {
                    continue;
                };
                imports.push(Import {
                    file: module.file.clone(),
                    line,
                    path: format!("{}{}", path.join("::"), if all { "::*" } else { "" }),
                    from: from.clone(),
                    to,
                });
            }
        }
        imports
    }

    /// The module that defines what `path` names in module `from`; nothing if that is another crate.
    fn resolve(&self, from: &[String], path: &[String], seen: &mut VisitedNames) -> Option<ModulePath> {
        let (head, rest) = path.split_first()?;
        match head.as_str() {
            "crate" => self.walk(&[], rest, seen),
            "self" => self.walk(from, rest, seen),
            "super" => self.walk(from.split_last()?.1, rest, seen),
            _ => self.named(from, path, seen),
        }
    }

    /// As [`resolve`](Self::resolve), from a module on; a name that it does not define comes from a macro.
    fn walk(&self, module: &[String], path: &[String], seen: &mut VisitedNames) -> Option<ModulePath> {
        match path.first().map(String::as_str) {
            None | Some("self") => Some(module.to_vec()),
            Some("super") => self.walk(module.split_last()?.1, &path[1..], seen),
            Some(_) => self.named(module, path, seen).or_else(|| Some(module.to_vec())),
        }
    }

    /// As [`resolve`](Self::resolve), for a path that begins with a name in `module`.
    fn named(&self, module: &[String], path: &[String], seen: &mut VisitedNames) -> Option<ModulePath> {
        let (name, rest) = path.split_first()?;
        let this = self.modules.get(module)?;
        if this.children.contains(name) {
            let child: ModulePath = module.iter().cloned().chain([name.clone()]).collect();
            return self.walk(&child, rest, seen);
        }
        if this.items.contains(name) {
            return Some(module.to_vec());
        }
        if !seen.insert((module.to_vec(), name.clone())) {
            return None;
        }
        if let Some(declared) = this.uses.iter().find(|declared| declared.name == *name) {
            let whole: Vec<String> = declared.path.iter().chain(rest).cloned().collect();
            return self.resolve(module, &whole, seen);
        }
        this.uses.iter().filter(|declared| declared.name == "*").find_map(|declared| {
            let all = self.resolve(module, &declared.path, seen)?;
            // An enum's variants: the path names an item, not a module.
            let last = declared.path.last()?;
            if all.last() != Some(last) && !matches!(last.as_str(), "crate" | "self" | "super") {
                return None;
            }
            self.named(&all, path, seen)
        })
    }
}

/// Names looked up already: a `use` may name itself, through globs.
type VisitedNames = BTreeSet<(ModulePath, String)>;

/// Behind the block that opens at `at`.
fn block_end(code: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(at) {
        depth += usize::from(token.is("{"));
        if token.is("}") {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    code.len()
}

/// The name of the item with its keyword at `at`.
fn defined<'a>(code: &[Token<'a>], at: usize) -> Option<&'a str> {
    const KEYWORDS: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "union", "macro_rules"];
    if !KEYWORDS.iter().any(|keyword| code[at].is(keyword)) {
        return None;
    }
    let mut behind = code[at + 1..].iter().filter(|token| !token.is("mut") && !token.is("!"));
    behind.next().filter(|token| token.kind == Kind::Ident && !token.is("fn")).map(|token| token.text)
}

/// Adds the names that the tree of one `use` declares.
fn use_tree(code: &[Token<'_>], prefix: &[String], uses: &mut Vec<UseDeclaration>) {
    let mut path = prefix.to_vec();
    for (at, token) in code.iter().enumerate() {
        if token.is("{") {
            for part in split_by_commas(&code[at + 1..block_end(code, at) - 1]) {
                use_tree(part, &path, uses);
            }
            return;
        }
        if token.is("*") {
            uses.push(UseDeclaration { path, name: "*".to_owned(), line: token.line });
            return;
        }
        if token.is("as") {
            let name = code.get(at + 1).map_or("_", |token| token.text);
            uses.push(UseDeclaration { path, name: name.to_owned(), line: token.line });
            return;
        }
        if token.kind == Kind::Ident && (path.is_empty() || !token.is("self")) {
            path.push(token.text.to_owned());
        }
    }
    if let (Some(name), Some(token)) = (path.last().cloned(), code.first()) {
        uses.push(UseDeclaration { path, name, line: token.line });
    }
}

fn split_by_commas<'a, 'b>(code: &'a [Token<'b>]) -> Vec<&'a [Token<'b>]> {
    let mut depth = 0_usize;
    let parts = code.split(|token| {
        depth += usize::from(token.is("{"));
        depth -= usize::from(token.is("}"));
        depth == 0 && token.is(",")
    });
    parts.filter(|part| !part.is_empty()).collect()
}
