//! The leader of the model against its closest challenger.
//!
//! The leader l is the competitor with the largest mean strength. Its challenger is the j with the smallest
//! (m(l) - m(j) + d)^2 / (2 v(l, j)) - ln s(j) + ln(1 + n), where d is the tolerance, a difference that does not matter, v the variance of
//! the difference of the two, s(j) the standard deviation of the strength of j, and n the number of open questions about the pair. The first
//! term is the evidence that l is the stronger, or weaker by less than the tolerance, the second prefers competitors that were judged less often, and the
//! third spreads questions that are open together.
//!
//! The leader is the strongest with a challenger that the judge did not compare with it on all items.
//!
//! M. Jourdan, R. Degenne, D. Baudry, R. de Heide, E. Kaufmann, "Top Two Algorithms Revisited", NeurIPS 2022,
//! <https://doi.org/10.48550/arXiv.2206.05979>: EB-TCI, here under a Bradley-Terry model, where one judgement compares both of the two. It
//! assumes that one order explains all preferences.

use bandits::Generator;

use super::{Pairs, largest};
use crate::model::{Competitors, Posterior};

/// The next pair, the leader first.
pub(super) fn choose(
    model: &Posterior,
    competitors: usize,
    tolerance: f64,
    pairs: Pairs<'_>,
    generator: &mut Generator,
) -> Competitors {
    let competitors_range = 0..competitors as u32;
    let challengers =
        |leader: u32| competitors_range.clone().filter(move |&j| j != leader && pairs.is_new((leader, j)));
    let leaders = competitors_range.clone().filter(|&leader| challengers(leader).next().is_some());
    let leader = largest(leaders, |i| model.mean(i as usize), generator).unwrap_or(0);
    let closeness = |j: u32| {
        let separation = model.separation(leader as usize, j as usize, tolerance);
        let under_way = f64::from(1 + pairs.open((leader, j)));
        libm::log(model.deviation(j as usize) / under_way) - separation * separation / 2.0
    };
    let challenger = largest(challengers(leader), closeness, generator).unwrap_or(leader);
    (leader, challenger)
}
