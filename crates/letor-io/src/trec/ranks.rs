//! Checks that the rank column of a run agrees with its scores. Lists are by score, as `trec_eval` has them, whatever the ranks are; but
//! a run of distances, say, has every list upside down then.

use rayon::prelude::*;

use super::order::single_precision;
use super::run::{Run, RunLine};
use crate::dataset::RankColumn;

/// The agreement of the rank column of a run with its scores, over all its lists.
pub(super) fn rank_column(run: &Run<'_>) -> RankColumn {
    let of_lists = run.queries.par_iter().map(|query| count_steps(&query.documents));
    let column = |[rising, falling]: [u32; 2]| RankColumn {
        queries: usize::from(rising + falling > 0),
        contradicted: usize::from(rising > 0),
        reversed: usize::from(rising > falling),
    };
    of_lists.map(column).reduce(RankColumn::default, |one, other| RankColumn {
        queries: one.queries + other.queries,
        contradicted: one.contradicted + other.contradicted,
        reversed: one.reversed + other.reversed,
    })
}

/// How often the score rises from one rank to the next, and how often it falls. Equal ranks and equal scores do not count, nor does
/// a list with something else than a rank.
fn count_steps(list: &[RunLine<'_>]) -> [u32; 2] {
    let Some(mut ranked) =
        list.iter().map(|line| Some((line.rank?, single_precision(line.score)))).collect::<Option<Vec<(u32, u32)>>>()
    else {
        return [0; 2];
    };
    // Of one rank, the highest score first: then some step rises if any two documents contradict each other.
    let order = |&(rank, score): &(u32, u32)| (rank, u32::MAX - score);
    if !ranked.is_sorted_by_key(order) {
        ranked.sort_unstable_by_key(order);
    }
    let mut steps = [0; 2];
    for pair in ranked.windows(2).filter(|pair| pair[0].0 != pair[1].0 && pair[0].1 != pair[1].1) {
        steps[usize::from(pair[0].1 > pair[1].1)] += 1;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Queries, contradicted and reversed, of lists of `rank score`.
    fn of(lists: &[&str]) -> [usize; 3] {
        let line = |query: usize, (at, fields): (usize, &str)| {
            let (rank, score) = fields.split_once(' ').expect("a rank and a score");
            format!("{query} Q0 d{at} {rank} {score} x\n")
        };
        let list = |(query, list): (usize, &&str)| -> String {
            list.split(", ").enumerate().map(|fields| line(query, fields)).collect()
        };
        let text: String = lists.iter().enumerate().map(list).collect();
        let RankColumn { queries, contradicted, reversed } = rank_column(&Run::parse(text.as_bytes()).expect("a run"));
        [queries, contradicted, reversed]
    }

    #[test]
    fn ranks_that_agree_or_say_nothing_contradict_nothing() {
        for agree in
            ["1 3, 2 2, 3 1", "0 3, 1 2, 2 1", "3 1, 1 3, 2 2", "1 -0.1, 2 -0.2", "1.0 3, 2.0 2", "1 3, 2 3, 3 1"]
        {
            assert_eq!(of(&[agree]), [1, 0, 0], "{agree}");
        }
        // A step between equal ranks is none, in whatever order they are.
        assert_eq!(of(&["1 3, 1 4, 2 2"]), [1, 0, 0]);
        for silent in [
            "1 3",
            "0 1, 0 2, 0 3",
            "1 1, 1 2",
            "1 5, 2 5, 3 5",
            "x 1, y 2",
            "1 1, - 2",
            "-1 1, -2 2",
            "1 16777216, 2 16777217",
        ] {
            assert_eq!(of(&[silent]), [0, 0, 0], "{silent}");
        }
    }

    #[test]
    fn contradictions_and_reversals_are_counted_by_query() {
        assert_eq!(of(&["1 0.1, 2 0.2, 3 0.3", "1 7"]), [1, 1, 1]);
        assert_eq!(of(&["3 0.3, 2 0.2, 1 0.1", "1 5, 2 4", "1 5, 2 3, 3 4, 4 1"]), [3, 2, 1]);
        assert_eq!(of(&["1 5, 1 3, 2 4"]), [1, 1, 1], "the 3 of rank 1 is below the 4 of rank 2");
    }
}
