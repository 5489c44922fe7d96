//! The batches of a merging policy: who is in each, and how its pairs stand. All lie in flat
//! arrays of equal rooms, one a batch, so that a million arms need no million allocations.

use crate::{Arm, Generator, draw};

/// How a pair stands, seen from the arm whose row it is in.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Standing {
    /// w(l, c) / n: how the arm of the column fares against the arm c of the row.
    mean: f64,
    /// 1 / sqrt(n); 0 where n = 0.
    width: f64,
}

/// The batches, and a ring of those in which arms still meet.
#[derive(Debug, Clone)]
pub(super) struct Batches {
    /// The most arms a batch can have.
    room: usize,
    sizes: Vec<u32>,
    members: Vec<Arm>,
    /// w(k, l) at row k, column l of each batch's room.
    wins: Vec<u32>,
    standings: Vec<Standing>,
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
    /// What is assumed of a pair never seen.
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
            batches.sizes[batch] = members.len() as u32;
            batches.members[batch * room..batch * room + members.len()].copy_from_slice(members);
        }
        batches.left = arms;
        batches.ring();
        batches
    }

    fn empty(room: usize, count: usize, prior: u32) -> Self {
        let fresh = if prior == 0 {
            Standing {
                mean: 2.0,
                width: 0.0,
            }
        } else {
            Standing {
                mean: 0.5,
                width: 0.5_f64.sqrt(),
            }
        };
        Self {
            room,
            sizes: vec![0; count],
            members: vec![Arm(0); count * room],
            wins: vec![prior; count * room * room],
            standings: vec![fresh; count * room * room],
            pending: vec![0.0; count],
            left: 0,
            after: vec![0; count],
            before: 0,
            current: 0,
            meeting: 0,
            prior,
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
        let start = self.row(champion);
        let row = &self.standings[start..start + self.size()];
        let mut top = f64::NEG_INFINITY;
        let mut chosen = 0;
        let mut ties = 1;
        for (place, standing) in row.iter().enumerate() {
            let bound = standing.mean + scale * standing.width;
            if place == champion || bound < top {
                continue;
            }
            if bound == top {
                ties += 1;
            } else {
                (top, chosen, ties) = (bound, place, 1);
            }
        }
        if ties == 1 {
            return chosen;
        }
        let nth = draw::below(generator, ties);
        row.iter()
            .enumerate()
            .filter(|&(place, s)| place != champion && s.mean + scale * s.width == top)
            .nth(nth)
            .map_or(chosen, |(place, _)| place)
    }

    /// Takes in a duel within the current batch.
    #[inline]
    pub(super) fn record(&mut self, champion: usize, challenger: usize, champion_won: bool) {
        let (forth, back) = (
            self.row(champion) + challenger,
            self.row(challenger) + champion,
        );
        self.wins[forth] += u32::from(champion_won);
        self.wins[back] += u32::from(!champion_won);
        let (won, lost) = (f64::from(self.wins[forth]), f64::from(self.wins[back]));
        let count = won + lost;
        let width = 1.0 / count.sqrt();
        self.standings[forth] = Standing {
            mean: lost / count,
            width,
        };
        self.standings[back] = Standing {
            mean: won / count,
            width,
        };
        self.pending[self.current] = evidence(won, lost);
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
        let batch = self.current;
        for (to, &from) in kept.iter().enumerate() {
            self.members[batch * self.room + to] = self.members[batch * self.room + from];
            for (column, &other) in kept.iter().enumerate() {
                let (new, old) = (self.row(to) + column, self.row(from) + other);
                self.wins[new] = self.wins[old];
                self.standings[new] = self.standings[old];
            }
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
            other.standings[new..new + size].copy_from_slice(&self.standings[old..old + size]);
        }
        other.sizes[to] += size as u32;
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
