//! The batches of a merging policy: who is in each, and how its pairs stand. All lie in flat
//! arrays of equal rooms, one a batch, so that a million arms need no million allocations.

use crate::{Arm, Generator, draw};

/// The batches, and a ring of those in which arms still meet.
#[derive(Debug, Clone)]
pub(super) struct Batches {
    /// The most arms a batch can have.
    room: usize,
    sizes: Vec<u32>,
    members: Vec<Arm>,
    /// w(k, l) at row k, column l of each batch's room.
    wins: Vec<u32>,
    /// For each place c of a batch, its opponents l: w(l, c) / n for each place of the room, and
    /// then 1 / sqrt(n) for each, so that u(l, c) = mean + sqrt(alpha ln(t + C)) width. Where there
    /// is no arm, and for c itself, a mean that never wins.
    standings: Vec<f64>,
    /// The evidence of the pair that met last in each batch, against its loser: alpha ln(t + C)
    /// below it rules an arm out. Infinite where every pair must be looked at.
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
}

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
            batches.never_met(batch, |_, _| true);
        }
        batches.left = arms;
        batches.ring();
        batches
    }

    fn empty(room: usize, count: usize, prior: u32) -> Self {
        let nobody = [vec![f64::NEG_INFINITY; room], vec![0.0; room]].concat();
        Self {
            room,
            sizes: vec![0; count],
            members: vec![Arm(0); count * room],
            wins: vec![prior; count * room * room],
            standings: (0..count * room)
                .flat_map(|_| nobody.iter().copied())
                .collect(),
            pending: vec![0.0; count],
            left: 0,
            after: vec![0; count],
            before: 0,
            current: 0,
            meeting: 0,
            prior,
        }
    }

    /// The pairs of places of a batch that `which` picks have never met.
    fn never_met(&mut self, batch: usize, which: impl Fn(usize, usize) -> bool) {
        let (mean, width) = if self.prior == 0 {
            (2.0, 0.0)
        } else {
            (0.5, 0.5_f64.sqrt())
        };
        let size = self.sizes[batch] as usize;
        for k in 0..size {
            let row = (batch * self.room + k) * 2 * self.room;
            for l in (0..size).filter(|&l| l != k && which(k, l)) {
                self.standings[row + l] = mean;
                self.standings[row + self.room + l] = width;
            }
        }
    }

    /// All batches in a ring, in order.
    fn ring(&mut self) {
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
    pub(super) fn nobody_meets(&self) -> bool {
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
    pub(super) fn challenger(
        &self,
        champion: usize,
        scale: f64,
        generator: &mut Generator,
    ) -> usize {
        let room = self.room;
        let start = 2 * self.row(champion);
        let (means, widths) = self.standings[start..start + 2 * room].split_at(room);
        // Without a branch on what is drawn: which arm leads changes from step to step.
        let bounds = means
            .iter()
            .zip(widths)
            .map(|(mean, width)| mean + scale * width);
        let top = bounds
            .clone()
            .fold(f64::NEG_INFINITY, |top, b| if b > top { b } else { top });
        let (mut chosen, mut ties) = (champion, 0);
        for (place, bound) in bounds.clone().enumerate() {
            ties += usize::from(bound == top);
            chosen = if bound == top { place } else { chosen };
        }
        if ties > 1 {
            let nth = draw::below(generator, ties);
            let tied = bounds
                .enumerate()
                .filter(|&(_, bound)| bound == top)
                .nth(nth);
            return tied.map_or(chosen, |(place, _)| place);
        }
        chosen
    }

    /// Takes in a duel within the current batch.
    #[inline]
    pub(super) fn record(&mut self, champion: usize, challenger: usize, champion_won: bool) {
        let (forth, back) = (self.row(champion), self.row(challenger));
        self.wins[forth + challenger] += u32::from(champion_won);
        self.wins[back + champion] += u32::from(!champion_won);
        let won = f64::from(self.wins[forth + challenger]);
        let lost = f64::from(self.wins[back + champion]);
        let share = 1.0 / (won + lost);
        let width = share.sqrt();
        self.standings[2 * forth + challenger] = lost * share;
        self.standings[2 * back + champion] = won * share;
        self.standings[2 * forth + self.room + challenger] = width;
        self.standings[2 * back + self.room + champion] = width;
        self.pending[self.current] = (won - lost) * (won - lost) * share / 4.0;
    }

    /// Whether an arm of the current batch may have an upper bound below 1/2.
    #[inline]
    pub(super) fn may_drop(&self, time: f64) -> bool {
        self.pending[self.current] > time
    }

    /// Drops every arm of the current batch whose upper bound against another is below 1/2, unless
    /// that would be all of them; says whether there was one. `beaten` takes note of who had
    /// beaten whom.
    #[cold]
    pub(super) fn drop_losers(&mut self, time: f64, beaten: &mut [u32]) -> bool {
        self.pending[self.current] = 0.0;
        let size = self.size();
        let ruled_out = |k: usize| {
            (0..size).filter(|&l| l != k).any(|l| {
                let (won, lost) = self.score(k, l);
                won < lost && time < evidence(f64::from(won), f64::from(lost))
            })
        };
        let kept: Vec<usize> = (0..size).filter(|&k| !ruled_out(k)).collect();
        if kept.len() == size || kept.is_empty() {
            return false;
        }
        for &k in &kept {
            let count = (0..size)
                .filter(|l| !kept.contains(l))
                .filter(|&l| {
                    let (won, lost) = self.score(k, l);
                    won > lost
                })
                .count();
            beaten[self.arm(k).index()] += count as u32;
        }
        let (batch, room) = (self.current, self.room);
        for (to, &from) in kept.iter().enumerate() {
            self.members[batch * room + to] = self.members[batch * room + from];
            let (new, old) = (self.row(to), self.row(from));
            for (column, &other) in kept.iter().enumerate() {
                self.wins[new + column] = self.wins[old + other];
                self.standings[2 * new + column] = self.standings[2 * old + other];
                self.standings[2 * new + room + column] = self.standings[2 * old + room + other];
            }
            self.standings[2 * new + kept.len()..2 * new + room].fill(f64::NEG_INFINITY);
            self.standings[2 * new + room + kept.len()..2 * (new + room)].fill(0.0);
        }
        self.left -= size - kept.len();
        self.sizes[batch] = kept.len() as u32;
        true
    }

    /// Merges the batches in pairs, the smallest with the largest, once or, where one of at most
    /// p/2 arms is left, twice.
    pub(super) fn merge(&mut self, p: usize, generator: &mut Generator) {
        self.merge_once(p, generator);
        if self.len() > 1 && self.sizes.iter().any(|&size| 2 * size as usize <= p) {
            self.merge_once(p, generator);
        }
    }

    fn merge_once(&mut self, p: usize, generator: &mut Generator) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        draw::shuffle(generator, &mut order);
        order.sort_by_key(|&batch| self.sizes[batch]);

        let mut pairs = Vec::with_capacity(order.len());
        let mut rest = order.as_slice();
        while let [smallest, between @ .., largest] = rest {
            if 2 * (self.sizes[*smallest] + self.sizes[*largest]) as usize <= 3 * p {
                pairs.push((*largest, Some(*smallest)));
                rest = between;
            } else {
                pairs.push((*largest, None));
                rest = &rest[..rest.len() - 1];
            }
        }
        pairs.extend(rest.iter().map(|&alone| (alone, None)));

        let mut merged = Self::empty(self.room, pairs.len(), self.prior);
        for (batch, (first, second)) in pairs.into_iter().enumerate() {
            self.copy_into(&mut merged, batch, first);
            merged.pending[batch] = self.pending[first];
            if let Some(second) = second {
                self.copy_into(&mut merged, batch, second);
                merged.pending[batch] = f64::INFINITY;
            }
        }
        merged.left = self.left;
        merged.ring();
        *self = merged;
    }

    /// Appends batch `from` to batch `to` of `other`.
    fn copy_into(&self, other: &mut Self, to: usize, from: usize) {
        let (room, size) = (self.room, self.sizes[from] as usize);
        let offset = other.sizes[to] as usize;
        for k in 0..size {
            other.members[to * room + offset + k] = self.members[from * room + k];
            let old = (from * room + k) * room;
            let new = (to * room + offset + k) * room + offset;
            other.wins[new..new + size].copy_from_slice(&self.wins[old..old + size]);
            let (old, new) = (old * 2, (to * room + offset + k) * 2 * room + offset);
            for shift in [0, room] {
                other.standings[new + shift..new + shift + size]
                    .copy_from_slice(&self.standings[old + shift..old + shift + size]);
            }
        }
        other.sizes[to] += size as u32;
        other.never_met(to, |k, l| (k < offset) != (l < offset));
    }

    /// Every arm left with how many arms it beat: those noted in `dropped`, and those of its batch.
    pub(super) fn beaten(&self, dropped: &[u32]) -> Vec<(Arm, u32)> {
        let room = self.room;
        let mut counts = Vec::with_capacity(self.left);
        for (batch, &size) in self.sizes.iter().enumerate() {
            let wins = |k: usize, l: usize| self.wins[(batch * room + k) * room + l];
            for k in 0..size as usize {
                let here = (0..size as usize)
                    .filter(|&l| l != k && wins(k, l) > wins(l, k))
                    .count();
                let arm = self.members[batch * room + k];
                counts.push((arm, dropped[arm.index()] + here as u32));
            }
        }
        counts
    }

    /// Where a place's row begins in the current batch's room.
    #[inline]
    fn row(&self, place: usize) -> usize {
        (self.current * self.room + place) * self.room
    }

    /// How often place k beat place l, and l beat k.
    fn score(&self, k: usize, l: usize) -> (u32, u32) {
        (self.wins[self.row(k) + l], self.wins[self.row(l) + k])
    }
}

/// n (1/2 - mu)^2 of a pair: what alpha ln t must reach for the upper bound of the arm that is
/// behind to reach 1/2.
#[inline]
fn evidence(won: f64, lost: f64) -> f64 {
    let lead = won - lost;
    lead * lead / (4.0 * (won + lost))
}
