//! Which arms beat which, without margins: one bit per pair and direction, so that cycles, orders and
//! the top cycle of hundreds of arms cost microseconds.

use std::cmp::Ordering;

use crate::{Arm, PreferenceMatrix};

/// Which arms beat which; pairs may be left open (ties, or too few data to decide).
///
/// ```
/// # use bandits::{Arm, problems, structure::Tournament};
/// let tournament = Tournament::of(&problems::cyclic()?);
/// assert_eq!(tournament.cycles().collect::<Vec<_>>(), [[Arm(1), Arm(2), Arm(3)]]);
/// assert_eq!(tournament.top_cycle(), [Arm(0)]);
/// # Ok::<(), bandits::MatrixError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    arms: usize,
    /// Words of bits per row.
    words: usize,
    /// Row i: the arms that i beats.
    beats: Vec<u64>,
    /// Row i: the arms that beat i.
    beaten_by: Vec<u64>,
}

/// The order of the arms of a tournament, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TournamentOrder {
    /// Every arm beats all that follow it.
    Total(Vec<Arm>),
    /// No arm beats one before it, but some pairs are open; of the possible orders, the one with
    /// the lowest arms first.
    Partial(Vec<Arm>),
    /// Some arms form a cycle.
    Cyclic,
}

impl Tournament {
    /// The tournament of a matrix: i beats j where p(i, j) > 1/2; a pair at exactly 1/2 is open.
    #[must_use]
    pub fn of(matrix: &PreferenceMatrix) -> Self {
        let exceeds = |i, j| match matrix.get(i, j) {
            p if p > 0.5 => Ordering::Greater,
            p if p < 0.5 => Ordering::Less,
            _ => Ordering::Equal,
        };
        Self::from_pairs(matrix.arms(), exceeds)
    }

    /// A tournament of `arms` arms from its pairs i < j: `Greater` where i beats j, `Less` where j
    /// beats i, `Equal` where the pair is open.
    pub fn from_pairs(arms: usize, mut compare: impl FnMut(Arm, Arm) -> Ordering) -> Self {
        let words = arms.div_ceil(64);
        let mut tournament = Self { arms, words, beats: vec![0; arms * words], beaten_by: vec![0; arms * words] };
        for i in 0..arms {
            for j in i + 1..arms {
                match compare(Arm::at(i), Arm::at(j)) {
                    Ordering::Greater => tournament.set(i, j),
                    Ordering::Less => tournament.set(j, i),
                    Ordering::Equal => {}
                }
            }
        }
        tournament
    }

    fn set(&mut self, winner: usize, loser: usize) {
        self.beats[winner * self.words + loser / 64] |= 1 << (loser % 64);
        self.beaten_by[loser * self.words + winner / 64] |= 1 << (winner % 64);
    }

    /// The number of arms.
    #[must_use]
    pub fn arms(&self) -> usize {
        self.arms
    }

    /// Whether `i` beats `j`.
    ///
    /// # Panics
    /// When an arm is out of range.
    #[must_use]
    pub fn beats(&self, i: Arm, j: Arm) -> bool {
        assert!(j.index() < self.arms, "arm {} of {}", j.0, self.arms);
        self.row(i.index())[j.index() / 64] >> (j.index() % 64) & 1 == 1
    }

    /// The number of arms that `i` beats.
    ///
    /// # Panics
    /// When the arm is out of range.
    #[must_use]
    pub fn wins(&self, i: Arm) -> usize {
        self.row(i.index()).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The number of open pairs.
    #[must_use]
    pub fn open_pairs(&self) -> usize {
        let decided: usize = (0..self.arms).map(|i| self.wins(Arm::at(i))).sum();
        self.arms * self.arms.saturating_sub(1) / 2 - decided
    }

    /// The number of cyclic triples of arms. O(K^3 / 64).
    #[must_use]
    pub fn cyclic_triples(&self) -> u64 {
        let mut corners = 0;
        for i in 0..self.arms {
            for j in set_bits(self.row(i).iter().copied()) {
                let closing = self.row(j).iter().zip(self.losses(i));
                corners += closing.map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
            }
        }
        // Each cycle was found once from each of its three edges.
        corners / 3
    }

    /// The cyclic triples: each arm beats the next and the last the first; the lowest arm comes first,
    /// and cycles are in the order of their arms. There may be K^3 / 24 of them.
    pub fn cycles(&self) -> impl Iterator<Item = [Arm; 3]> + '_ {
        (0..self.arms).flat_map(move |i| {
            set_bits(self.row(i).iter().copied()).filter(move |&j| j > i).flat_map(move |j| {
                let closing = self.row(j).iter().zip(self.losses(i)).map(|(a, b)| a & b);
                set_bits(closing).filter(move |&k| k > i).map(move |k| [Arm::at(i), Arm::at(j), Arm::at(k)])
            })
        })
    }

    /// The order of the arms, if there is one.
    #[must_use]
    pub fn order(&self) -> TournamentOrder {
        // Repeatedly take the lowest arm that none of the rest beats.
        let mut losses: Vec<usize> =
            (0..self.arms).map(|i| self.losses(i).iter().map(|word| word.count_ones() as usize).sum()).collect();
        let mut free: std::collections::BTreeSet<usize> = (0..self.arms).filter(|&i| losses[i] == 0).collect();
        let mut order = Vec::with_capacity(self.arms);
        while let Some(i) = free.pop_first() {
            order.push(Arm::at(i));
            for j in set_bits(self.row(i).iter().copied()) {
                losses[j] -= 1;
                if losses[j] == 0 {
                    free.insert(j);
                }
            }
        }
        match (order.len() == self.arms, self.open_pairs()) {
            (false, _) => TournamentOrder::Cyclic,
            (true, 0) => TournamentOrder::Total(order),
            (true, _) => TournamentOrder::Partial(order),
        }
    }

    /// The top cycle (Smith set), lowest arm first: the smallest set of arms each of which beats
    /// every arm outside. The Condorcet winner alone if there is one; empty if there are no arms.
    ///
    /// J. H. Smith, "Aggregation of Preferences with Variable Electorate", Econometrica 41(6),
    /// 1973, <https://doi.org/10.2307/1914033>.
    #[must_use]
    pub fn top_cycle(&self) -> Vec<Arm> {
        // No arm outside has as high a Copeland score (open pairs counting half) as the best
        // within, so the search starts inside; an arm that is not beaten by a member is a member.
        let losses = |i: usize| self.losses(i).iter().map(|word| i64::from(word.count_ones())).sum::<i64>();
        let Some(best) = (0..self.arms).max_by_key(|&i| self.wins(Arm::at(i)) as i64 - losses(i)) else {
            return Vec::new();
        };
        let mut member = vec![false; self.arms];
        member[best] = true;
        let mut waiting = vec![best];
        while let Some(i) = waiting.pop() {
            for (j, member) in member.iter_mut().enumerate() {
                if !*member && !self.beats(Arm::at(i), Arm::at(j)) {
                    *member = true;
                    waiting.push(j);
                }
            }
        }
        (0..self.arms).filter(|&i| member[i]).map(Arm::at).collect()
    }

    /// The arms that `i` beats.
    pub(super) fn row(&self, i: usize) -> &[u64] {
        &self.beats[i * self.words..(i + 1) * self.words]
    }

    /// The arms that beat `i`.
    pub(super) fn losses(&self, i: usize) -> &[u64] {
        &self.beaten_by[i * self.words..(i + 1) * self.words]
    }
}

/// The positions of the bits that are set.
pub(super) fn set_bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(index, word)| {
        std::iter::successors(Some(word), |left| Some(left & left.wrapping_sub(1)))
            .take_while(|&left| left != 0)
            .map(move |left| index * 64 + left.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{random_matrix, sizes};
    use super::*;
    use crate::problems;

    /// All cycles, by plain enumeration.
    fn enumerated(matrix: &PreferenceMatrix) -> Vec<[Arm; 3]> {
        let arms = || matrix.all_arms();
        let beats = |i, j| matrix.get(i, j) > 0.5;
        arms()
            .flat_map(|i| arms().flat_map(move |j| arms().map(move |k| [i, j, k])))
            .filter(|&[i, j, k]| i < j && i < k && beats(i, j) && beats(j, k) && beats(k, i))
            .collect()
    }

    #[test]
    fn cycles_agree_with_plain_enumeration() {
        let mut seen = 0;
        for (arms, seed) in sizes(&[1, 2, 3, 5, 9, 64, 70], 4) {
            let matrix = random_matrix(arms, seed);
            let tournament = Tournament::of(&matrix);
            let cycles: Vec<_> = tournament.cycles().collect();
            assert_eq!(cycles, enumerated(&matrix));
            assert_eq!(tournament.cyclic_triples(), cycles.len() as u64);
            seen += cycles.len();
        }
        assert!(seen > 1000);
    }

    #[test]
    fn orders() {
        let order = |matrix: &PreferenceMatrix| Tournament::of(matrix).order();
        let eight: Vec<Arm> = (0..8).map(Arm).collect();
        assert_eq!(order(&problems::arithmetic(8).expect("eight arms")), TournamentOrder::Total(eight));
        assert_eq!(order(&problems::cyclic().expect("four arms")), TournamentOrder::Cyclic);
        let reversed = PreferenceMatrix::from_upper(3, |_, _| 0.2).expect("a matrix");
        assert_eq!(order(&reversed), TournamentOrder::Total(vec![Arm(2), Arm(1), Arm(0)]));
        let even = PreferenceMatrix::from_upper(3, |_, _| 0.5).expect("a matrix");
        assert_eq!(order(&even), TournamentOrder::Partial(vec![Arm(0), Arm(1), Arm(2)]));
        // A cycle of four with open diagonals has no cyclic triple and no order either.
        let square = Tournament::from_pairs(4, |i, j| match (i.0, j.0) {
            (0, 3) => Ordering::Less,
            (i, j) if j == i + 1 => Ordering::Greater,
            _ => Ordering::Equal,
        });
        assert_eq!((square.cyclic_triples(), square.open_pairs()), (0, 2));
        assert_eq!(square.order(), TournamentOrder::Cyclic);
    }

    #[test]
    fn the_top_cycle_is_the_smallest_dominating_set() {
        for (arms, seed) in sizes(&[1, 2, 3, 5, 8], 30) {
            let tournament = Tournament::of(&random_matrix(arms, seed));
            let dominates = |set: u32| {
                let inside = |arm: u32| set >> arm & 1 == 1;
                let all = || 0..arms as u32;
                all()
                    .filter(|&i| inside(i))
                    .all(|i| all().filter(|&j| !inside(j)).all(|j| tournament.beats(Arm(i), Arm(j))))
            };
            let smallest = (1_u32..1 << arms).filter(|&set| dominates(set)).min_by_key(|set| set.count_ones());
            let found = tournament.top_cycle().iter().fold(0, |set, arm| set | 1_u32 << arm.0);
            assert_eq!(Some(found), smallest, "{arms} arms, seed {seed}");
        }
    }
}
