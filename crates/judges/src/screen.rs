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
pub(crate) fn stream(seed: u64, purpose: &str, key: [u64; 3]) -> u64 {
    let bytes = key.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = purpose.bytes().chain([0]).chain(bytes).collect();
    xxh3_64_with_seed(&bytes, seed)
}

/// The numbers below `count` in a drawn order.
pub(crate) fn order(seed: u64, purpose: &str, key: u64, count: u32) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..count).collect();
    shuffle(&mut Generator::seed_from_u64(stream(seed, purpose, [key, 0, 0])), &mut numbers);
    numbers
}

/// The questions about a pair so far. Its competitors are in the order of their places.
#[derive(Debug, Clone, Default)]
struct PairHistory {
    /// How often the lower, and the higher place was shown first.
    orders: [u32; 2],
    /// How many questions were new.
    new_count: u64,
    /// Items of questions that were never answered, asked again when all others were.
    owed_items: VecDeque<u32>,
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
    /// The pair was shown in this order `change` times more.
    fn count(&mut self, (first, second): Competitors, change: i32) {
        let orders = self.orders.entry(key((first, second))).or_default();
        let order = &mut orders[usize::from(first > second)];
        *order = order.saturating_add_signed(change);
        *self.lead.entry(first).or_default() += i64::from(change);
        *self.lead.entry(second).or_default() -= i64::from(change);
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
        let own_counts = judge.and_then(|judge| self.judges.get(judge));
        let own_orders =
            own_counts.and_then(|own_counts| own_counts.orders.get(&(lower, higher))).copied().unwrap_or_default();
        let lead = |competitor| {
            own_counts.and_then(|own_counts| own_counts.lead.get(&competitor)).copied().unwrap_or_default()
        };
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
        let [in_order, in_reverse] = if shown.0 < shown.1 { orders } else { [orders[1], orders[0]] };
        in_order <= in_reverse
    }

    /// The item of the next new question of a pair: one that is not in `seen_items`, those that the judge saw with it; if all
    /// were seen, the next in turn.
    pub(crate) fn item(&self, pair: Competitors, seen_items: Option<&BTreeSet<u32>>) -> Option<u32> {
        if self.items == 0 {
            return None;
        }
        let none = PairHistory::default();
        let history = self.pairs.get(&key(pair)).unwrap_or(&none);
        let round = self.round(pair, history.new_count).filter(|item| !history.ahead.contains(item));
        let is_between = history.new_count.is_multiple_of(u64::from(self.items));
        let [first_choice, second_choice] =
            if is_between { [&history.owed_items, &none.owed_items] } else { [&none.owed_items, &history.owed_items] };
        let next_round = || self.round(pair, (history.new_count / u64::from(self.items) + 1) * u64::from(self.items));
        let mut turns =
            first_choice.iter().copied().chain(round).chain(second_choice.iter().copied()).chain(next_round());
        let turn = turns.next();
        match seen_items {
            Some(seen_items) if turn.is_some_and(|turn| seen_items.contains(&turn)) => {
                turns.find(|item| !seen_items.contains(item)).or(turn)
            }
            _ => turn,
        }
    }

    /// The items of a pair after `round_number` questions, until each had its turn in this round.
    fn round(&self, pair: Competitors, round_number: u64) -> impl Iterator<Item = u32> {
        let ((lower, higher), items, count) = (key(pair), self.items, u64::from(self.items));
        let seed = stream(self.seed, "items", [u64::from(lower), u64::from(higher), round_number / count]);
        ((round_number % count) as u32..items).map(move |place| shuffled(seed, items, place))
    }

    /// A question is asked. A new one takes its item.
    pub(crate) fn record_question(&mut self, pair: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(pair, judge, 1);
        let mut history = self.pairs.remove(&key(pair)).unwrap_or_default();
        history.orders[usize::from(pair.0 > pair.1)] += 1;
        if let Some(item) = item.filter(|_| is_new && self.items > 0) {
            let is_between = history.new_count.is_multiple_of(u64::from(self.items));
            let turn = self.round(pair, history.new_count).find(|item| !history.ahead.contains(item));
            let index = history.owed_items.iter().position(|owed| *owed == item);
            match index {
                Some(index) if is_between || turn != Some(item) => drop(history.owed_items.remove(index)),
                _ if turn == Some(item) => {
                    history.new_count += 1;
                    for passed in self.round(pair, history.new_count) {
                        if history.new_count.is_multiple_of(u64::from(self.items)) || !history.ahead.remove(&passed) {
                            break;
                        }
                        history.new_count += 1;
                    }
                }
                // Otherwise it had its turn in this round, or another revision asked.
                _ if self.round(pair, history.new_count).any(|later| later == item) => drop(history.ahead.insert(item)),
                _ => {}
            }
        }
        self.pairs.insert(key(pair), history);
    }

    /// The judge, if known, was shown the pair in this order `change` times more.
    fn count(&mut self, pair: Competitors, judge: Option<&str>, change: i32) {
        let Some(judge) = judge else { return };
        match self.judges.get_mut(judge) {
            Some(counts) => counts.count(pair, change),
            None => self.judges.entry(judge.to_owned()).or_default().count(pair, change),
        }
    }

    /// A question will not be answered. A new one gives its item back.
    pub(crate) fn forget_question(&mut self, pair: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(pair, judge, -1);
        if let Some(history) = self.pairs.get_mut(&key(pair)) {
            let order = &mut history.orders[usize::from(pair.0 > pair.1)];
            *order = order.saturating_sub(1);
            history.owed_items.extend(item.filter(|_| is_new));
        }
    }

    /// A question that would not be answered is open again.
    pub(crate) fn take_back_answer(&mut self, pair: Competitors, judge: Option<&str>, item: Option<u32>, is_new: bool) {
        self.count(pair, judge, 1);
        if let Some(history) = self.pairs.get_mut(&key(pair)) {
            history.orders[usize::from(pair.0 > pair.1)] += 1;
            if let Some(index) = history.owed_items.iter().rposition(|owed| is_new && Some(*owed) == item) {
                history.owed_items.remove(index);
            }
        }
    }

    /// How many different pairs have been asked.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs.len()
    }
}

/// The number at `index` of the numbers below `count` in an order that `seed` draws: a Feistel network over the next power of
/// four, walked until it is below `count`. It takes no memory, however many pairs and items there are.
fn shuffled(seed: u64, count: u32, index: u32) -> u32 {
    let bits = (32 - (count.max(2) - 1).leading_zeros()).div_ceil(2);
    let mask = (1_u64 << bits) - 1;
    let mut value = u64::from(index);
    loop {
        let (mut high, mut low) = (value >> bits, value & mask);
        for round in 0..6_u64 {
            let mixed = xxh3_64_with_seed(&[low.to_le_bytes(), round.to_le_bytes()].concat(), seed);
            (high, low) = (low, high ^ mixed & mask);
        }
        value = high << bits | low;
        if value < u64::from(count) {
            return value as u32;
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
            screen.record_question(pair, None, item, true);
            if question == 1 {
                screen.forget_question(pair, None, item, true);
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
