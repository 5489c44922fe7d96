//! How a judge sees a pair: which competitor is first, and on which item. Also the random streams of a session.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bandits::Generator;
use bandits::random::{coin, shuffle};
use rand::SeedableRng as _;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::model::Competitors;

/// The seed of a stream, by its purpose and its pair, ticket or round. No stream depends on another, so that a choice taken
/// from a log shifts no later one.
pub(crate) fn stream(seed: u64, what: &str, of: [u64; 3]) -> u64 {
    let words = of.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = what.bytes().chain([0]).chain(words).collect();
    xxh3_64_with_seed(&bytes, seed)
}

/// The numbers below `count` in a drawn order.
pub(crate) fn order(seed: u64, what: &str, of: u64, count: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..count).collect();
    shuffle(&mut Generator::seed_from_u64(stream(seed, what, [of, 0, 0])), &mut all);
    all
}

/// The questions about a pair so far. Its competitors are in the order of their places.
#[derive(Debug, Clone, Default)]
struct PairHistory {
    /// How often the lower, and the higher place was shown first.
    orders: [u32; 2],
    /// How many questions were new.
    new: u64,
    /// Items of questions that were never answered, asked again when all others were.
    owed: VecDeque<u32>,
    /// Items that were asked before their turn, because the judge had seen those before them.
    ahead: BTreeSet<u32>,
}

/// The questions that one judge got.
#[derive(Debug, Clone, Default)]
struct JudgeHistory {
    /// By pair, how often the lower, and the higher place was shown first.
    orders: BTreeMap<Competitors, [u32; 2]>,
    /// By competitor, how much more often it was shown first than second.
    lead: BTreeMap<u32, i64>,
}

impl JudgeHistory {
    /// The pair was shown in this order `by` times more.
    fn count(&mut self, (first, second): Competitors, by: i32) {
        let orders = self.orders.entry(key((first, second))).or_default();
        let order = &mut orders[usize::from(first > second)];
        *order = order.saturating_add_signed(by);
        *self.lead.entry(first).or_default() += i64::from(by);
        *self.lead.entry(second).or_default() -= i64::from(by);
    }
}

/// The questions so far, by pair and by judge.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    seed: u64,
    items: u32,
    pairs: BTreeMap<Competitors, PairHistory>,
    judges: BTreeMap<String, JudgeHistory>,
}

fn key((first, second): Competitors) -> Competitors {
    (first.min(second), first.max(second))
}

impl Screen {
    pub(crate) fn new(seed: u64, items: u32) -> Self {
        Self { seed, items, pairs: BTreeMap::new(), judges: BTreeMap::new() }
    }

    /// The order in which a pair is shown next: the one that this judge saw less often; then with the competitor first that this judge saw
    /// first less often, whatever it met; then the order that all judges saw less often. A judge who prefers what is shown first, or
    /// second, so helps and harms each competitor alike.
    pub(crate) fn order(&self, pair: Competitors, judge: Option<&str>, generator: &mut Generator) -> Competitors {
        let (lower, higher) = key(pair);
        let heads = coin(generator);
        let own = judge.and_then(|judge| self.judges.get(judge));
        let own_orders = own.and_then(|own| own.orders.get(&(lower, higher))).copied().unwrap_or_default();
        let lead = |competitor| own.and_then(|own| own.lead.get(&competitor)).copied().unwrap_or_default();
        let all_orders = self.pairs.get(&(lower, higher)).map_or([0; 2], |asked| asked.orders);
        let lower_first = match own_orders[0]
            .cmp(&own_orders[1])
            .then(lead(lower).cmp(&lead(higher)))
            .then(all_orders[0].cmp(&all_orders[1]))
        {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => heads,
        };
        if lower_first { (lower, higher) } else { (higher, lower) }
    }

    /// Whether showing the pair in this order once more keeps both orders balanced: those of this judge, or of all where none is named.
    pub(crate) fn is_balanced_with(&self, shown: Competitors, judge: Option<&str>) -> bool {
        let pair = key(shown);
        let orders = match judge {
            Some(judge) => self.judges.get(judge).and_then(|own| own.orders.get(&pair)).copied(),
            None => self.pairs.get(&pair).map(|asked| asked.orders),
        };
        let orders = orders.unwrap_or_default();
        let [this, other] = if shown.0 < shown.1 { orders } else { [orders[1], orders[0]] };
        this <= other
    }

    /// The item of the next new question of a pair: one that the judge has not `seen` with it; if all were seen, the next in turn.
    pub(crate) fn item(&self, pair: Competitors, seen: Option<&BTreeSet<u32>>) -> Option<u32> {
        if self.items == 0 {
            return None;
        }
        let none = PairHistory::default();
        let asked = self.pairs.get(&key(pair)).unwrap_or(&none);
        let round = self.round(pair, asked.new).filter(|item| !asked.ahead.contains(item));
        let is_between = asked.new.is_multiple_of(u64::from(self.items));
        let [first, later] = if is_between { [&asked.owed, &none.owed] } else { [&none.owed, &asked.owed] };
        let next_round = || self.round(pair, (asked.new / u64::from(self.items) + 1) * u64::from(self.items));
        let mut turns = first.iter().copied().chain(round).chain(later.iter().copied()).chain(next_round());
        let turn = turns.next();
        match seen {
            Some(seen) if turn.is_some_and(|turn| seen.contains(&turn)) => {
                turns.find(|item| !seen.contains(item)).or(turn)
            }
            _ => turn,
        }
    }

    /// The items of a pair after `new` questions, until each had its turn in this round.
    fn round(&self, pair: Competitors, new: u64) -> impl Iterator<Item = u32> {
        let ((lower, higher), items, count) = (key(pair), self.items, u64::from(self.items));
        let seed = stream(self.seed, "items", [u64::from(lower), u64::from(higher), new / count]);
        ((new % count) as u32..items).map(move |place| shuffled(seed, items, place))
    }

    /// A question is asked. A new one takes its item.
    pub(crate) fn asked(&mut self, shown: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(shown, judge, 1);
        let mut asked = self.pairs.remove(&key(shown)).unwrap_or_default();
        asked.orders[usize::from(shown.0 > shown.1)] += 1;
        if let Some(item) = item.filter(|_| is_new && self.items > 0) {
            let is_between = asked.new.is_multiple_of(u64::from(self.items));
            let turn = self.round(shown, asked.new).find(|item| !asked.ahead.contains(item));
            let owed = asked.owed.iter().position(|owed| *owed == item);
            match owed {
                Some(place) if is_between || turn != Some(item) => drop(asked.owed.remove(place)),
                _ if turn == Some(item) => {
                    asked.new += 1;
                    for passed in self.round(shown, asked.new) {
                        if asked.new.is_multiple_of(u64::from(self.items)) || !asked.ahead.remove(&passed) {
                            break;
                        }
                        asked.new += 1;
                    }
                }
                // Otherwise it had its turn in this round, or another revision asked.
                _ if self.round(shown, asked.new).any(|later| later == item) => drop(asked.ahead.insert(item)),
                _ => {}
            }
        }
        self.pairs.insert(key(shown), asked);
    }

    /// The judge, if known, was shown the pair in this order `by` times more.
    fn count(&mut self, shown: Competitors, judge: Option<&str>, by: i32) {
        let Some(judge) = judge else { return };
        match self.judges.get_mut(judge) {
            Some(own) => own.count(shown, by),
            None => self.judges.entry(judge.to_owned()).or_default().count(shown, by),
        }
    }

    /// A question will not be answered. A new one gives its item back.
    pub(crate) fn forgotten(&mut self, shown: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(shown, judge, -1);
        if let Some(asked) = self.pairs.get_mut(&key(shown)) {
            let order = &mut asked.orders[usize::from(shown.0 > shown.1)];
            *order = order.saturating_sub(1);
            asked.owed.extend(item.filter(|_| is_new));
        }
    }

    /// A question that would not be answered is open again.
    pub(crate) fn taken_back(&mut self, shown: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(shown, judge, 1);
        if let Some(asked) = self.pairs.get_mut(&key(shown)) {
            asked.orders[usize::from(shown.0 > shown.1)] += 1;
            if let Some(place) = asked.owed.iter().rposition(|owed| is_new && Some(*owed) == item) {
                asked.owed.remove(place);
            }
        }
    }

    /// How many different pairs have been asked.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs.len()
    }
}

/// The number at `place` of the numbers below `count` in an order that `seed` draws: a Feistel network over the next power of
/// four, walked until it is below `count`. It takes no memory, however many pairs and items there are.
fn shuffled(seed: u64, count: u32, place: u32) -> u32 {
    let bits = (32 - (count.max(2) - 1).leading_zeros()).div_ceil(2);
    let mask = (1_u64 << bits) - 1;
    let mut at = u64::from(place);
    loop {
        let (mut left, mut right) = (at >> bits, at & mask);
        for round in 0..6_u64 {
            let mixed = xxh3_64_with_seed(&[right.to_le_bytes(), round.to_le_bytes()].concat(), seed);
            (left, right) = (right, left ^ mixed & mask);
        }
        at = left << bits | right;
        if at < u64::from(count) {
            return at as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_own_number() {
        for count in [1, 2, 3, 4, 5, 16, 17, 100, 1000] {
            let mut all: Vec<u32> = (0..count).map(|place| shuffled(7, count, place)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        // Orders differ, and each number comes first about equally often.
        let mut first = [0_u32; 5];
        (0..10_000).for_each(|seed| first[shuffled(seed, 5, 0) as usize] += 1);
        assert!(first.iter().all(|&count| count.abs_diff(2_000) < 200), "{first:?}");
    }

    #[test]
    fn a_pair_meets_every_item_before_one_recurs_and_lost_ones_again() {
        let mut screen = Screen::new(3, 4);
        let pair = (5, 2);
        let mut seen = Vec::new();
        for question in 0..9 {
            let item = screen.item(pair, None);
            screen.asked(pair, None, item, true);
            if question == 1 {
                screen.forgotten(pair, None, item, true);
            } else {
                seen.extend(item);
            }
        }
        for round in seen.chunks(4) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2, 3], "{seen:?}");
        }
    }
}
