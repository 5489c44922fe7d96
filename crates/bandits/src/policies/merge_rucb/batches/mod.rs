//! The batches of mergeRUCB: their arms and the wins of their pairs. All lie in flat
//! arrays, with room of equal size for each batch, so that a million arms need no million allocations.

use crate::confidence::lanes::{HALF_LANES, LANES, Lanes};
use crate::confidence::{PairEstimate, Reciprocals};
use crate::policies::merging::ArmBatches;
use crate::random::below;
use crate::{Arm, Generator, state};

mod merging;

/// The batches, and a ring of those in which arms still meet.
#[derive(Debug, Clone)]
pub(super) struct Batches {
    /// The most arms a batch can have.
    room: usize,
    sizes: Vec<u32>,
    members: Vec<Arm>,
    /// w(k, l) at row k, column l of each batch's room.
    wins: Vec<u32>,
    /// For each place c of a batch the groups of its opponents, without c.
    standings: Vec<Lanes>,
    /// How many groups a row has.
    groups: usize,
    /// The evidence of the pair that met last in each batch, against its loser: alpha ln(t + C)
    /// below it rules an arm out. Infinite if every pair must be checked.
    pending: Vec<f64>,
    left: usize,
    /// The ring: the batch after each, and the one before the current.
    after: Vec<u32>,
    before: usize,
    current: usize,
    /// How many batches are in the ring.
    meeting: usize,
    /// How many wins either way a pair never seen starts with.
    prior: u32,
    /// How many there were in all at first.
    arms: usize,
    /// How many duels of each pair are open, like `wins`; empty until one is.
    open: Vec<u32>,
    homes: ArmBatches,
    shares: Reciprocals,
}

state!(Batches { room, sizes, members, wins, standings, groups, pending, left, after, before, current, meeting, arms, open, homes } but { prior, shares });

impl Batches {
    /// ceil(K / p) batches of p arms in order, the last perhaps smaller. With `pseudo_counts` each
    /// pair starts with one win either way.
    pub(super) fn new(arms: usize, p: usize, pseudo_counts: bool) -> Self {
        // A batch may reach 3p/2 arms by merging, but never more than there are.
        let room = (p + p / 2).min(arms);
        let count = arms.div_ceil(p);
        let mut batches = Self::empty(room, count, u32::from(pseudo_counts));
        let all: Vec<Arm> = (0..arms).map(Arm::at).collect();
        for (batch, members) in all.chunks(p).enumerate() {
            batches.members[batch * room..batch * room + members.len()].copy_from_slice(members);
            batches.sizes[batch] = members.len() as u32;
            batches.reset_estimates(batch, |_, _| true);
        }
        batches.left = arms;
        batches.arms = arms;
        batches.link_ring();
        batches
    }

    fn empty(room: usize, count: usize, prior: u32) -> Self {
        let groups = room.div_ceil(LANES);
        Self {
            room,
            sizes: vec![0; count],
            members: vec![Arm(0); count * room],
            wins: vec![prior; count * room * room],
            standings: vec![Lanes::EMPTY; count * room * groups],
            groups,
            pending: vec![0.0; count],
            left: 0,
            after: vec![0; count],
            before: 0,
            current: 0,
            meeting: 0,
            prior,
            arms: 0,
            open: Vec::new(),
            homes: ArmBatches::default(),
            shares: Reciprocals::new(),
        }
    }

    /// The pairs of places of a batch that `which` picks have never met.
    fn reset_estimates(&mut self, batch: usize, which: impl Fn(usize, usize) -> bool) {
        let (mean, width) = if self.prior == 0 { (2.0, 0.0) } else { (0.5, 0.5_f64.sqrt()) };
        let size = self.sizes[batch] as usize;
        for k in 0..size {
            for l in (0..size).filter(|&l| l != k && which(k, l)) {
                self.set_estimate(batch * self.room + k, l, (mean, width));
            }
        }
    }

    /// How place l fares against the place of `row`: mean and width.
    #[inline]
    fn estimate(&self, row: usize, l: usize) -> (f64, f64) {
        let group = &self.standings[row * self.groups + l / LANES];
        (group.means[l % LANES], group.widths[l % LANES])
    }

    #[inline]
    fn set_estimate(&mut self, row: usize, l: usize, (mean, width): (f64, f64)) {
        let group = &mut self.standings[row * self.groups + l / LANES];
        group.means[l % LANES] = mean;
        group.widths[l % LANES] = width;
    }

    /// All batches in a ring, in order.
    fn link_ring(&mut self) {
        let count = self.sizes.len();
        for batch in 0..count {
            self.after[batch] = ((batch + 1) % count) as u32;
        }
        self.before = count - 1;
        self.current = 0;
        self.meeting = count;
    }

    /// Puts `order[k]` where arm k is.
    pub(super) fn rename(&mut self, order: &[Arm]) {
        for member in &mut self.members {
            *member = order[member.index()];
        }
    }

    /// How many batches there are.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// How many arms there are in all.
    pub(super) fn arms_left(&self) -> usize {
        self.left
    }

    /// The size of the current batch.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.sizes[self.current] as usize
    }

    /// The arm at a place of the current batch.
    #[inline]
    pub(super) fn arm(&self, place: usize) -> Arm {
        self.members[self.current * self.room + place]
    }

    /// Whether every batch has retired.
    #[inline]
    pub(super) fn no_pair_meets(&self) -> bool {
        self.meeting == 0
    }

    /// Goes on to the next batch.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.before = self.current;
        self.current = self.after[self.current] as usize;
    }

    /// Takes the current batch out of the ring and goes on to the next.
    pub(super) fn retire(&mut self) {
        self.meeting -= 1;
        if self.meeting > 0 {
            self.after[self.before] = self.after[self.current];
            self.current = self.after[self.current] as usize;
        }
    }

    /// The other arm of the current batch with the highest upper bound against `champion`, ties at
    /// random; `scale` is sqrt(alpha ln(t + C)).
    #[inline]
    pub(super) fn challenger(&self, champion: usize, scale: f64, generator: &mut Generator) -> usize {
        let row = self.row(champion) * self.groups;
        let row = &self.standings[row..row + self.groups];
        if let [group] = row {
            // The usual case: batches of four, which have no more than six arms after merging.
            let tied =
                if self.size() <= HALF_LANES { group.tied_in_half(scale) } else { group.at(group.top(scale), scale) };
            return draw_set_bit(tied, generator);
        }
        let top = row.iter().map(|group| group.top(scale)).fold(f64::NEG_INFINITY, f64::max);
        let tied = row.iter().map(|group| group.at(top, scale));
        let ties = tied.clone().map(u32::count_ones).sum::<u32>() as usize;
        let mut nth = below(generator, ties);
        for (group, mut bits) in tied.enumerate() {
            let tied_in_group = bits.count_ones() as usize;
            if nth < tied_in_group {
                for _ in 0..nth {
                    bits &= bits - 1;
                }
                return group * LANES + bits.trailing_zeros() as usize;
            }
            nth -= tied_in_group;
        }
        champion
    }

    /// Takes in a duel within the current batch.
    #[inline]
    pub(super) fn record(&mut self, champion: usize, challenger: usize, champion_won: bool) {
        let [at, across] = self.cells(self.current, [champion, challenger]);
        self.wins[at] += u32::from(champion_won);
        self.wins[across] += u32::from(!champion_won);
        let (won, lost) = (self.wins[at], self.wins[across]);
        let [reciprocal, mut width] = self.shares.of(won + lost);
        let (won, lost) = (f64::from(won), f64::from(lost));
        let evidence = (won - lost) * (won - lost) * reciprocal / 4.0;
        let open = self.open.get(at).copied().unwrap_or(0);
        if open > 0 {
            width = PairEstimate::width(won + lost, open);
        }
        let (row, column) = (self.row(champion), self.row(challenger));
        self.set_estimate(row, challenger, (lost * reciprocal, width));
        self.set_estimate(column, champion, (won * reciprocal, width));
        self.pending[self.current] = evidence;
    }

    /// The cells with the wins of one place of a batch over another, and of the other over it.
    #[inline]
    fn cells(&self, batch: usize, [first, second]: [usize; 2]) -> [usize; 2] {
        let base = batch * self.room;
        [(base + first) * self.room + second, (base + second) * self.room + first]
    }

    /// Rewrites the bounds of two places of a batch: seldom, for a pair that has never met and for duels that are
    /// forgotten.
    #[cold]
    fn update_estimates(&mut self, batch: usize, [first, second]: [usize; 2]) {
        let [at, across] = self.cells(batch, [first, second]);
        let open = if self.open.is_empty() { 0 } else { self.open[at] };
        let estimate = PairEstimate::of(self.wins[at].into(), self.wins[across].into(), open);
        let estimate = estimate.unwrap_or(PairEstimate { mean: 2.0, other_mean: 2.0, width: 0.0 });
        self.set_estimate(batch * self.room + first, second, (estimate.other_mean, estimate.width));
        self.set_estimate(batch * self.room + second, first, (estimate.mean, estimate.width));
    }

    /// The batch that two arms are in, and their places there; `None` if one was dropped.
    #[inline]
    fn find(&mut self, pair: &[Arm]) -> Option<(usize, [usize; 2])> {
        let (room, sizes, members) = (self.room, &self.sizes, &self.members);
        let members_of = |batch: usize| &members[batch * room..batch * room + sizes[batch] as usize];
        self.homes.find(pair, self.arms, sizes.len(), members_of)
    }

    /// A duel of these arms, which have just been chosen, is open from now on.
    pub(super) fn depart(&mut self, pair: &[Arm]) {
        if let Some((batch, places)) = self.find(pair) {
            self.depart_from(batch, places);
        }
    }

    /// A duel of two places of the current batch is open from now on.
    #[inline]
    pub(super) fn depart_here(&mut self, places: [usize; 2]) {
        self.depart_from(self.current, places);
    }

    // Inlined like its callers.
    #[inline(always)]
    fn depart_from(&mut self, batch: usize, places: [usize; 2]) {
        if self.open.is_empty() {
            self.open = vec![0; self.wins.len()];
        }
        let [at, across] = self.cells(batch, places);
        let open = self.open[at] + 1;
        (self.open[at], self.open[across]) = (open, open);
        let known = self.wins[at] + self.wins[across];
        if known == 0 {
            self.update_estimates(batch, places);
            return;
        }
        // Their means stay: only the width is new.
        let width = PairEstimate::width(known.into(), open);
        let (row, column) = (batch * self.room + places[0], batch * self.room + places[1]);
        self.standings[row * self.groups + places[1] / LANES].widths[places[1] % LANES] = width;
        self.standings[column * self.groups + places[0] / LANES].widths[places[0] % LANES] = width;
    }

    /// A duel of these arms is open no longer. If both are still there, whether the first won is taken in.
    #[inline]
    pub(super) fn arrive(&mut self, pair: &[Arm], first_won: Option<bool>) {
        let Some((batch, places)) = self.find(pair) else {
            return;
        };
        let [at, across] = self.cells(batch, places);
        let open = self.open[at] - 1;
        (self.open[at], self.open[across]) = (open, open);
        let Some(first_won) = first_won else {
            self.update_estimates(batch, places);
            return;
        };
        let (won, lost) = (self.wins[at] + u32::from(first_won), self.wins[across] + u32::from(!first_won));
        (self.wins[at], self.wins[across]) = (won, lost);
        // One more is known and one less is open: only the means are new.
        debug_assert!(
            self.estimate(batch * self.room + places[0], places[1]).1
                == PairEstimate::width(f64::from(won + lost), open)
        );
        let (reciprocal, evidence) = reciprocal_and_evidence(won, lost);
        let (row, column) = (batch * self.room + places[0], batch * self.room + places[1]);
        self.standings[row * self.groups + places[1] / LANES].means[places[1] % LANES] = f64::from(lost) * reciprocal;
        self.standings[column * self.groups + places[0] / LANES].means[places[0] % LANES] = f64::from(won) * reciprocal;
        // Of several outcomes before the next turn of the batch, the strongest evidence is kept: it decides whether
        // to look at the batch.
        self.pending[batch] = evidence.max(self.pending[batch]);
    }

    /// Whether an arm of the current batch may have an upper bound below 1/2.
    #[inline]
    pub(super) fn may_drop(&self, time: f64) -> bool {
        self.pending[self.current] > time
    }

    /// Drops every arm of the current batch that has an upper bound below 1/2 against another, unless
    /// that would drop all of them; returns whether there was one. `beaten` counts the arms that each arm had
    /// beaten.
    #[cold]
    pub(super) fn drop_losers(&mut self, time: f64, beaten: &mut [u32]) -> bool {
        self.pending[self.current] = 0.0;
        let size = self.size();
        let ruled_out = |k: usize| {
            (0..size).filter(|&l| l != k).any(|l| {
                let (won, lost) = self.score(k, l);
                won < lost && time < evidence_behind(f64::from(won), f64::from(lost))
            })
        };
        let survivors: Vec<usize> = (0..size).filter(|&k| !ruled_out(k)).collect();
        if survivors.len() == size || survivors.is_empty() {
            return false;
        }
        for &k in &survivors {
            let count = (0..size)
                .filter(|l| !survivors.contains(l))
                .filter(|&l| {
                    let (won, lost) = self.score(k, l);
                    won > lost
                })
                .count();
            beaten[self.arm(k).index()] += count as u32;
        }
        let (batch, room) = (self.current, self.room);
        for (to, &from) in survivors.iter().enumerate() {
            self.members[batch * room + to] = self.members[batch * room + from];
            let (new, old) = (self.row(to), self.row(from));
            for (column, &other) in survivors.iter().enumerate() {
                self.wins[new * room + column] = self.wins[old * room + other];
                if !self.open.is_empty() {
                    self.open[new * room + column] = self.open[old * room + other];
                }
                self.set_estimate(new, column, self.estimate(old, other));
            }
            for column in survivors.len()..size {
                self.set_estimate(new, column, (f64::NEG_INFINITY, 0.0));
            }
        }
        self.left -= size - survivors.len();
        self.sizes[batch] = survivors.len() as u32;
        self.homes.forget_places();
        true
    }

    /// The row of a place of the current batch.
    #[inline]
    fn row(&self, place: usize) -> usize {
        self.current * self.room + place
    }

    /// How often place k beat place l, and l beat k.
    fn score(&self, k: usize, l: usize) -> (u32, u32) {
        let room = self.room;
        (self.wins[self.row(k) * room + l], self.wins[self.row(l) * room + k])
    }
}

/// One of the bits that are set (at least one), at random.
#[inline]
fn draw_set_bit(mut bits: u32, generator: &mut Generator) -> usize {
    let ties = bits.count_ones() as usize;
    if ties > 1 {
        for _ in 0..below(generator, ties) {
            bits &= bits - 1;
        }
    }
    bits.trailing_zeros() as usize
}

/// 1 / n of a pair that has met, and the evidence against the arm behind, with one division.
#[inline]
fn reciprocal_and_evidence(won: u32, lost: u32) -> (f64, f64) {
    let (won, lost) = (f64::from(won), f64::from(lost));
    let reciprocal = 1.0 / (won + lost);
    (reciprocal, (won - lost) * (won - lost) * reciprocal / 4.0)
}

/// n (1/2 - mu)^2 of a pair: what alpha ln t must reach for the upper bound of the arm that is
/// behind to reach 1/2.
#[inline]
fn evidence_behind(won: f64, lost: f64) -> f64 {
    let lead = won - lost;
    lead * lead / (4.0 * (won + lost))
}
