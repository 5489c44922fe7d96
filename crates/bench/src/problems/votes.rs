//! Problems made of people's votes. The votes are part of the program: per pair, how many preferred each side and how
//! many called it a tie, and nothing else.
//!
//! **The rule.** Two more people vote for each pair, one for each side (Laplace's rule): of n votes with w for an arm and t
//! ties, it wins with probability (w + 1) / (n + 2) and ties with t / (n + 2). A pair without votes is even. Five votes do
//! not show what people think; they make a *problem* like people's opinions in shape.
//!
//! **The form.** A line per set of votes, `# name: title`, and below it a line per arm i with a cell per arm j > i: three
//! digits of base 36, the votes for i, for j, and ties. Arms are in the order of their names in the source, as bytes.

use anyhow::{Context, Result, ensure};

use super::{Family, Preferences, Problem};

/// Votes of one pair: for the first, for the second, ties.
pub type VoteCounts = [u32; 3];

/// A set of votes, with its title, licence and address.
#[derive(Debug, Clone, Copy)]
pub struct VoteSet {
    /// Its name, with which those of its problems begin.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Its terms.
    pub licence: &'static str,
    /// Where to read them.
    pub address: &'static str,
    /// Whom to name.
    pub attribution: &'static str,
    /// The votes.
    text: &'static str,
}

/// The sets of votes that the program has.
#[must_use]
pub fn vote_sets() -> &'static [VoteSet] {
    const SETS: [VoteSet; 2] = [
        VoteSet {
            name: "ukp",
            title: "32 complete tournaments of arguments, of which people said which is more convincing (UKPConvArg1)",
            licence: "CC BY 4.0",
            address: "https://creativecommons.org/licenses/by/4.0/",
            attribution: "I. Habernal, I. Gurevych, \"Which argument is more convincing?\", ACL 2016, \
                https://aclanthology.org/P16-1150; votes counted by pair",
            text: include_str!("../../votes/ukp.txt"),
        },
        VoteSet {
            name: "llmfao",
            title: "answers of 59 language models, of which people said which is better (LLMFAO)",
            licence: "CC BY 4.0",
            address: "https://creativecommons.org/licenses/by/4.0/",
            attribution: "D. Ustalov, LLMFAO, https://github.com/dustalov/llmfao; votes counted by pair",
            text: include_str!("../../votes/llmfao.txt"),
        },
    ];
    &SETS
}

impl VoteSet {
    /// How many problems it makes.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.text.lines().filter(|line| line.starts_with('#')).count()
    }

    /// How many votes it has.
    #[must_use]
    pub fn votes(&self) -> u64 {
        let digits = self.text.lines().filter(|line| !line.starts_with('#')).flat_map(str::chars);
        digits.filter_map(|digit| digit.to_digit(36)).map(u64::from).sum()
    }

    /// Its bytes as they are in the program.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.text
    }
}

/// The problem of votes of this name, if there is one.
pub(super) fn problem(name: &str) -> Option<Result<Problem>> {
    let set = vote_sets().iter().find(|set| name.starts_with(set.name))?;
    let mut lines = set.text.lines();
    lines.by_ref().find(|line| line.strip_prefix("# ").and_then(|line| line.split(':').next()) == Some(name))?;
    let rows: Vec<&str> = lines.take_while(|line| !line.starts_with('#')).collect();
    Some(of_rows(name, &rows))
}

fn of_rows(name: &str, rows: &[&str]) -> Result<Problem> {
    // The last arm has no cells of its own.
    let arms = rows.len() + 1;
    let mut cells: Vec<Vec<VoteCounts>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let row: Vec<VoteCounts> =
            row.split(' ').map(counts).collect::<Option<_>>().context("cells are three digits")?;
        ensure!(row.len() == arms - 1 - i, "{name}: arm {i} has {} cells of {}", row.len(), arms - 1 - i);
        cells.push(row);
    }
    let preferences = Preferences::new(arms, |i, j| {
        let [first, second, ties] = cells[i][j - i - 1].map(f64::from);
        let votes = first + second + ties + 2.0;
        ((first + 1.0) / votes, (second + 1.0) / votes)
    })?;
    Ok(Problem::new(name, Family::People, vec![(0.0, preferences)]))
}

fn counts(cell: &str) -> Option<VoteCounts> {
    let digits: Vec<u32> = cell.chars().map(|digit| digit.to_digit(36)).collect::<Option<_>>()?;
    digits.try_into().ok()
}

#[cfg(test)]
mod tests {
    use bandits::Arm;

    use super::*;

    #[test]
    fn two_more_people_vote() {
        let problem = of_rows("x", &["410 000", "113"]).expect("three arms");
        let p = |i, j| problem.phases[0].preferences.matrix().get(Arm(i), Arm(j));
        assert!((p(0, 1) - 5.0 / 7.0).abs() < 1e-9, "no ties");
        assert_eq!(p(0, 2), 0.5);
        assert_eq!(p(1, 2), 0.5);
        let ties = 3.0 / 7.0 * f64::from(u32::MAX);
        let wins = problem.phases[0].preferences.wins.clone();
        assert!(((1_u64 << 32) as f64 - (wins[5] + wins[7]) as f64 - ties).abs() < 10.0);
        assert!(of_rows("x", &["410 000", "11"]).is_err() && of_rows("x", &["410", "113"]).is_err());
    }

    #[test]
    fn there_are_the_votes_of_the_sources() {
        let [ukp, llmfao] = vote_sets() else { panic!("two sets") };
        assert_eq!((ukp.problems(), ukp.votes()), (32, 84_445));
        assert_eq!((llmfao.problems(), llmfao.votes()), (1, 8_931));
        let tournaments: Vec<Problem> =
            (1..=32).map(|number| Problem::named(&format!("ukp-{number:02}")).expect("a tournament")).collect();
        assert_eq!(tournaments.iter().map(Problem::arms).sum::<usize>(), 1_052);
        assert_eq!(Problem::named("llmfao").expect("59 models").arms(), 59);
        assert!(Problem::named("ukp-33").is_err() && Problem::named("ukp").is_err());
    }
}
