//! A random walk of net wins between two boundaries, with the chances of every place that it can be at.

/// By how much of a step a random walk passes a boundary on average.
const OVERSHOOT: f64 = 0.583;

/// Where the walk is, as far as it has not passed a boundary: it starts at 0, and a step is one up or one down.
#[derive(Debug, Clone)]
pub(super) struct NetWins {
    /// The chances of net wins of `low`, `low` + 2, `low` + 4 and so on: others cannot be after this many steps.
    here: Vec<f64>,
    next: Vec<f64>,
    low: i64,
}

impl NetWins {
    pub(super) fn new() -> Self {
        Self { here: vec![1.0], next: Vec::new(), low: 0 }
    }

    /// A step, up with probability `up`. The walk ends at `limit` and above, and at -`limit` and below: returns the chances of both.
    pub(super) fn step(&mut self, up: f64, limit: i64) -> (f64, f64) {
        let Self { here, next, low } = self;
        next.clear();
        next.extend(here.first().map(|lowest| lowest * (1.0 - up)));
        next.extend(here.windows(2).map(|two| two[0] * up + two[1] * (1.0 - up)));
        next.extend(here.last().map(|highest| highest * up));
        *low -= 1;
        let count = next.len() as i64;
        let above = (limit - *low + 1).div_euclid(2).clamp(0, count);
        let below = ((-limit - *low).div_euclid(2) + 1).clamp(0, above);
        let left = (next[above as usize..].iter().sum::<f64>(), next[..below as usize].iter().sum::<f64>());
        here.clear();
        here.extend_from_slice(&next[below as usize..above as usize]);
        *low += 2 * below;
        left
    }

    /// From now on a step is twice as long: the same chances at places twice as far from each other, each divided between the two around
    /// it so that its mean stays.
    pub(super) fn halve(&mut self) {
        let first = self.low.div_euclid(2);
        let mut coarse = vec![0.0; self.here.len() / 2 + 2];
        for (index, &chance) in self.here.iter().enumerate() {
            // In the new unit, `low` + 2 `index` is half of that; places are `first`, `first` + 2 and so on.
            let place = 0.5 * (0.5 * (self.low + 2 * index as i64) as f64 - first as f64);
            let part = place - place.floor();
            coarse[place as usize] += chance * (1.0 - part);
            coarse[place as usize + 1] += chance * part;
        }
        (self.here, self.low) = (coarse, first);
    }
}

/// The first place, in steps of `width`, at or above a boundary. A walk passes a boundary by 0.583 of its steps on average
/// (Siegmund), and a step here is `width` times that of the test.
pub(super) fn place_of(boundary: f64, width: f64) -> f64 {
    ((boundary - OVERSHOOT * (width - 1.0)) / width).ceil().max(1.0)
}
