//! Tables for terminals, Markdown and LaTeX, with notes below them.

use super::{Align, TextTable};

/// A cell below a heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// The text, or a number.
    pub text: String,
    /// Whether it is the best of its column.
    pub is_best: bool,
    /// Its mark, explained by a note: a star, or the letters of other rows, raised.
    pub mark: String,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Cell {
    /// For the terminal, which raises nothing.
    fn terminal_text(&self) -> String {
        match self.mark.as_str() {
            "" | "*" => format!("{}{}", self.text, self.mark),
            letters => format!("{} {letters}", self.text),
        }
    }

    fn markdown(&self) -> String {
        let bold = if self.is_best { "**" } else { "" };
        let mark = match self.mark.as_str() {
            "" | "*" => markdown(&self.mark),
            letters => format!("<sup>{letters}</sup>"),
        };
        format!("{bold}{}{bold}{mark}", markdown(&self.text))
    }

    fn latex(&self, is_number: bool) -> String {
        let text = if is_number { latex_numbers(&self.text) } else { latex(&self.text) };
        let text = if self.is_best { format!("\\textbf{{{text}}}") } else { text };
        match self.mark.as_str() {
            "" => text,
            // It takes no place, so that digits stay below digits.
            "*" => format!("{text}\\rlap{{*}}"),
            letters => format!("{text}\\textsuperscript{{{}}}", letters.replace('-', "--")),
        }
    }
}

/// The letter of a row that others point to, of `rows`: numbers if there are more rows than letters.
#[must_use]
pub fn letter(index: usize, rows: usize) -> String {
    match u8::try_from(index) {
        Ok(index) if rows <= 26 => char::from(b'a' + index).to_string(),
        _ => (index + 1).to_string(),
    }
}

/// Ascending places among `rows` by their letters, three neighbours or more as a range: `a,c-f`.
#[must_use]
pub fn letters(indices: &[usize], rows: usize) -> String {
    let letter = |place: &usize| letter(*place, rows);
    let ranges = indices.chunk_by(|one, other| one + 1 == *other).flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{}-{}", letter(first), letter(last))],
        single => single.iter().map(letter).collect(),
    });
    ranges.collect::<Vec<_>>().join(",")
}

/// A table with notes, to be written in any of several formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedTable {
    /// The headings, and whether each column holds numbers.
    pub columns: Vec<(String, bool)>,
    /// The rows, with as many cells.
    pub rows: Vec<Vec<Cell>>,
    /// Sentences without their full stops.
    pub notes: Vec<String>,
}

impl AnnotatedTable {
    /// A table of cells without marks.
    pub fn terminal_text<'a>(
        columns: impl IntoIterator<Item = (&'a str, bool)>,
        rows: impl IntoIterator<Item = Vec<String>>,
        notes: Vec<String>,
    ) -> Self {
        let columns = columns.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
        let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::from).collect()).collect();
        Self { columns, rows, notes }
    }

    /// For the terminal.
    #[must_use]
    pub fn text(&self) -> String {
        let align = |number: bool| if number { Align::Right } else { Align::Left };
        let mut table = TextTable::new(self.columns.iter().map(|(name, number)| (name.as_str(), align(*number))));
        for row in &self.rows {
            table.row(row.iter().map(Cell::terminal_text));
        }
        let notes = self.notes.join("\n");
        format!("{table}\n{notes}")
    }

    /// The notes of a table with bold best cells.
    fn all_notes(&self) -> Vec<String> {
        let is_bold = self.rows.iter().flatten().any(|cell| cell.is_best);
        self.notes.iter().cloned().chain(is_bold.then(|| "Bold: the best".to_owned())).collect()
    }

    /// A Markdown table and a paragraph.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|(name, _)| name.clone()).collect());
        text += &line(self.columns.iter().map(|(_, number)| if *number { "---:" } else { "---" }.to_owned()).collect());
        for row in &self.rows {
            text += &line(row.iter().map(Cell::markdown).collect());
        }
        format!("{text}\n{}.", self.all_notes().join(". ").replace('*', "\\*"))
    }

    /// A `tabular` with the rules of booktabs; `standalone`: a document with nothing else.
    #[must_use]
    pub fn latex(&self, standalone: bool) -> String {
        // Raised letters are of all lengths: with them, numbers of as many digits are aligned at their left.
        let is_raised = |column: usize| self.rows.iter().any(|row| !matches!(row[column].mark.as_str(), "" | "*"));
        let align =
            |(column, (_, number)): (usize, &(String, bool))| if *number && !is_raised(column) { 'r' } else { 'l' };
        let align: String = self.columns.iter().enumerate().map(align).collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut table = format!("\\begin{{tabular}}{{{align}}}\n\\toprule\n");
        table += &line(self.columns.iter().map(|(name, _)| latex(name)).collect());
        table += "\\midrule\n";
        for row in &self.rows {
            let cells = row.iter().zip(&self.columns).map(|(cell, (_, number))| cell.latex(*number));
            table += &line(cells.collect());
        }
        table += "\\bottomrule\n\\end{tabular}";
        let notes: Vec<String> = self.all_notes().iter().map(|note| latex(note)).collect();
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
        '±' => "$\\pm$".to_owned(),
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
fn latex_numbers(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn neighbours_are_a_range() {
        for (places, of_few, of_many) in [
            (&[][..], "", ""),
            (&[2], "c", "3"),
            (&[0, 2, 3], "a,c,d", "1,3,4"),
            (&[0, 2, 3, 4, 6], "a,c-e,g", "1,3-5,7"),
        ] {
            assert_eq!((letters(places, 26).as_str(), letters(places, 27).as_str()), (of_few, of_many));
        }
    }
}
