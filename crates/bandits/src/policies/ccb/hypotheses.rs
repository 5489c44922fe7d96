//! CCB's present hypotheses: which arms may be a Copeland winner, and which arms beat each.

use super::decided_pairs::{Change, DecidedPairs};
use crate::Generator;
use crate::random::draw_into;
use crate::state;

/// B, B(i) and L.
#[derive(Debug, Clone)]
pub(super) struct Hypotheses {
    words: usize,
    pub(super) potential: Vec<bool>,
    pub(super) potential_count: usize,
    /// Bit j of row i: j is in B(i).
    beaten_by: Vec<u64>,
    pub(super) size: Vec<usize>,
    /// How many pairs (i, j), j in B(i), are open, for each i, and of all.
    pub(super) open: Vec<usize>,
    pub(super) all_open: usize,
    pub(super) losses: usize,
    pub(super) disproven: bool,
}

state!(Hypotheses { potential, potential_count, beaten_by, size, open, all_open, losses, disproven } but { words });

impl Hypotheses {
    pub(super) fn new(arms: usize) -> Self {
        let words = arms.div_ceil(64);
        Self {
            words,
            potential: vec![true; arms],
            potential_count: arms,
            beaten_by: vec![0; arms * words],
            size: vec![0; arms],
            open: vec![0; arms],
            all_open: 0,
            losses: arms,
            disproven: false,
        }
    }

    #[cold]
    pub(super) fn reset(&mut self) {
        let arms = self.potential.len();
        self.potential.fill(true);
        self.potential_count = arms;
        self.beaten_by.fill(0);
        self.size.fill(0);
        self.open.fill(0);
        self.all_open = 0;
        self.losses = arms;
        self.disproven = false;
    }

    #[inline]
    pub(super) fn row(&self, arm: usize) -> &[u64] {
        &self.beaten_by[arm * self.words..(arm + 1) * self.words]
    }

    #[inline]
    fn holds(&self, arm: usize, beaten_by: usize) -> bool {
        self.beaten_by[arm * self.words + beaten_by / 64] >> (beaten_by % 64) & 1 == 1
    }

    pub(super) fn clear(&mut self, arm: usize) {
        self.beaten_by[arm * self.words..(arm + 1) * self.words].fill(0);
        self.size[arm] = 0;
        self.all_open -= self.open[arm];
        self.open[arm] = 0;
    }

    /// Notes that a pair is decided, or open again.
    pub(super) fn note(&mut self, change: Change) {
        let Change { ahead, behind, decided } = change;
        for (i, j) in [(ahead, behind), (behind, ahead)] {
            if self.holds(i, j) {
                if decided {
                    self.open[i] -= 1;
                    self.all_open -= 1;
                } else {
                    self.open[i] += 1;
                    self.all_open += 1;
                }
            }
        }
        self.disproven |= decided && self.holds(ahead, behind);
    }

    /// B(`arm`) becomes those that it is decided to lose to.
    pub(super) fn take_over(&mut self, arm: usize, decided: &DecidedPairs) {
        let row = &mut self.beaten_by[arm * self.words..(arm + 1) * self.words];
        row.copy_from_slice(decided.lost_to(arm));
        self.size[arm] = decided.lost_counts()[arm] as usize;
        self.all_open -= self.open[arm];
        self.open[arm] = 0;
    }

    /// Cuts B(`arm`) to `size` arms at random.
    pub(super) fn cut(
        &mut self,
        arm: usize,
        size: usize,
        decided: &DecidedPairs,
        room: &mut Vec<usize>,
        generator: &mut Generator,
    ) {
        room.clear();
        room.extend(set_bits(self.row(arm)));
        for place in 0..size {
            draw_into(generator, room, place);
        }
        self.clear(arm);
        for &kept in &room[..size] {
            self.beaten_by[arm * self.words + kept / 64] |= 1 << (kept % 64);
            let open = !decided.loses(arm, kept) && !decided.loses(kept, arm);
            self.open[arm] += usize::from(open);
        }
        self.all_open += self.open[arm];
        self.size[arm] = size;
    }
}

/// The bits that are set, rising.
pub(super) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(word, &bits)| {
        let mut bits = bits;
        std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                64 * word + bit
            })
        })
    })
}
