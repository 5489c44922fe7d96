//! `rankduel cite`: the papers of algorithms as BibTeX.

use anyhow::Result;
use bandits::registry::{Entry, entries};
use clap::Args;

use crate::cli::algorithms::find;
use desk::{eprintln, println};

/// Print the papers of algorithms as BibTeX
#[derive(Debug, Args)]
pub(in crate::cli) struct Cite {
    /// The algorithms, e.g. rucb,mdb [default: all]
    #[arg(id = "names_of_algorithms", value_name = "NAME,...", value_delimiter = ',', value_parser = find)]
    names: Vec<Entry>,
}

impl Cite {
    #[expect(clippy::unnecessary_wraps, reason = "all commands return a result")]
    pub(in crate::cli) fn run(&self) -> Result<()> {
        let entries_of_all = entries();
        let chosen = if self.names.is_empty() { &entries_of_all } else { &self.names };
        let mut papers = Vec::new();
        for entry in chosen {
            match entry.paper {
                // Several algorithms may be from one paper.
                Some(paper) if !papers.contains(&paper) => papers.push(paper),
                None if !self.names.is_empty() => eprintln!("{} is a baseline without a paper", entry.name),
                _ => {}
            }
        }
        let texts: Vec<String> = papers.iter().map(bandits::Paper::bibtex).collect();
        if !texts.is_empty() {
            println!("{}", texts.join("\n").trim_end());
        }
        Ok(())
    }
}
