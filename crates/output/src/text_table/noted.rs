//! Tables for terminals, Markdown and LaTeX, with notes below them.

use super::{Align, TextTable};

/// A table with notes, to be written in any of several formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedTable {
    /// The headings, and whether each column holds numbers.
    pub columns: Vec<(String, bool)>,
    /// The rows, with as many cells. A cell of numbers may end with a star.
    pub rows: Vec<Vec<String>>,
    /// Sentences without their full stops.
    pub notes: Vec<String>,
}

impl NotedTable {
    /// For the terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let align = |number: bool| if number { Align::Right } else { Align::Left };
        let mut table = TextTable::new(self.columns.iter().map(|(name, number)| (name.as_str(), align(*number))));
        for row in &self.rows {
            table.row(row.iter().cloned());
        }
        let notes = self.notes.join("\n");
        format!("{table}\n{notes}")
    }

    /// A Markdown table and a paragraph.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(name, _)| name.clone()).collect());
        text += &line(self.columns.iter().map(|(_, number)| if *number { "---:" } else { "---" }.to_owned()).collect());
        for row in &self.rows {
            text += &line(row.iter().map(|cell| markdown(cell)).collect());
        }
        format!("{text}\n{}.", self.notes.join(". ").replace('*', "\\*"))
    }

    /// A `tabular` with the rules of booktabs; `standalone`: a document with nothing else.
    #[must_use]
    pub fn latex(&self, standalone: bool) -> String {
        let align: String = self.columns.iter().map(|(_, number)| if *number { 'r' } else { 'l' }).collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut table = format!("\\begin{{tabular}}{{{align}}}\n\\toprule\n");
        table += &line(self.columns.iter().map(|(name, _)| latex(name)).collect());
        table += "\\midrule\n";
        for row in &self.rows {
            let cells =
                row.iter().zip(&self.columns).map(|(cell, (_, number))| match (number, cell.strip_suffix('*')) {
                    (true, Some(value)) => format!("{}\\rlap{{*}}", numbers(value)),
                    (true, None) => numbers(cell),
                    (false, _) => latex(cell),
                });
            table += &line(cells.collect());
        }
        table += "\\bottomrule\n\\end{tabular}";
        let notes: Vec<String> = self.notes.iter().map(|note| latex(note)).collect();
        if standalone {
            return format!(
                "\\documentclass{{article}}\n\\usepackage[margin=1cm,landscape]{{geometry}}\n\\usepackage{{booktabs}}\n\
                 \\begin{{document}}\n\\noindent\n{table}\n\n\\bigskip\\noindent\n{}.\n\\end{{document}}",
                notes.join(". ")
            );
        }
        format!("% needs \\usepackage{{booktabs}}\n{table}\n% {}", notes.join("\n% "))
    }
}

/// Text for a cell of Markdown: a star may be read as emphasis.
#[must_use]
pub fn markdown(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('*', "\\*").replace('_', "\\_").replace('<', "&lt;")
}

/// Text for LaTeX, every special character escaped.
fn latex(text: &str) -> String {
    let escaped = |c: char| match c {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '<' | '>' | '|' => format!(
            "${}$",
            if c == '|' {
                "\\vert"
            } else if c == '<' {
                "<"
            } else {
                ">"
            }
        ),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Numbers for LaTeX: minus signs as such, powers of ten as such.
fn numbers(text: &str) -> String {
    let number = |word: &str| -> String {
        let numeric = word.starts_with(|c: char| c.is_ascii_digit() || c == '-' && word.len() > 1);
        match word.split_once('e').filter(|_| numeric) {
            Some((digits, power)) => format!("${digits} \\cdot 10^{{{power}}}$"),
            None if numeric && word.starts_with('-') => format!("${}$", word.replace(',', "{,}")),
            None => latex(word),
        }
    };
    text.split(' ').map(number).collect::<Vec<_>>().join(" ")
}
