//! A random walk of net wins between two boundaries, with the chances of every place that it can be at.

/// By how much of a step a random walk passes a boundary on average.
const OVERSHOOT: f64 = 0.583;

/// Where the walk is, as far as it has not passed a boundary: it starts at 0, and a step is one up or one down.
#[derive(Debug, Clone)]
pub(super) struct NetWins {
    /// The chances of net wins of `low`, `low` + 2, `low` + 4 and so on: others cannot be after this many steps.
    chances: Vec<f64>,
    next_chances: Vec<f64>,
    low: i64,
}

impl NetWins {
    pub(super) fn new() -> Self {
        Self { chances: vec![1.0], next_chances: Vec::new(), low: 0 }
    }

    /// A step, up with probability `win_probability`. The walk ends at `limit` and above, and at -`limit` and below: returns the chances of both.
    pub(super) fn step(&mut self, win_probability: f64, limit: i64) -> (f64, f64) {
        let Self { chances, next_chances, low } = self;
        next_chances.clear();
        next_chances.extend(chances.first().map(|lowest| lowest * (1.0 - win_probability)));
        next_chances.extend(chances.windows(2).map(|two| two[0] * win_probability + two[1] * (1.0 - win_probability)));
        next_chances.extend(chances.last().map(|highest| highest * win_probability));
        *low -= 1;
        let count = next_chances.len() as i64;
        let first_above = (limit - *low + 1).div_euclid(2).clamp(0, count);
        let first_below = ((-limit - *low).div_euclid(2) + 1).clamp(0, first_above);
        let crossed = (
            next_chances[first_above as usize..].iter().sum::<f64>(),
            next_chances[..first_below as usize].iter().sum::<f64>(),
        );
        chances.clear();
        chances.extend_from_slice(&next_chances[first_below as usize..first_above as usize]);
        *low += 2 * first_below;
        crossed
    }

    /// From now on a step is twice as long: the same chances at places twice as far from each other, each divided between the two around
    /// it so that its mean stays.
    pub(super) fn double_step(&mut self) {
        let new_low = self.low.div_euclid(2);
        let mut coarse = vec![0.0; self.chances.len() / 2 + 2];
        for (index, &chance) in self.chances.iter().enumerate() {
            // In the new unit, `low` + 2 `index` is half of that; places are `new_low`, `new_low` + 2 and so on.
            let position = 0.5 * (0.5 * (self.low + 2 * index as i64) as f64 - new_low as f64);
            let fraction = position - position.floor();
            coarse[position as usize] += chance * (1.0 - fraction);
            coarse[position as usize + 1] += chance * fraction;
        }
        (self.chances, self.low) = (coarse, new_low);
    }
}

/// The first place, in steps of `width`, at or above a boundary. A walk passes a boundary by 0.583 of its steps on average
/// (Siegmund), and a step here is `width` times that of the test.
pub(super) fn place_of(boundary: f64, width: f64) -> f64 {
    ((boundary - OVERSHOOT * (width - 1.0)) / width).ceil().max(1.0)
}
