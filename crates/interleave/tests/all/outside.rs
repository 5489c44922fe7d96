//! Methods implemented outside the crate, with its public API only.

use crate::enumeration::{random_list, scores, strict};
use interleave::by_id::{self, Impression};
use interleave::{
    CreditError, Doc, Examination, Generator, Interleaving, ListBuf, Multileaving, Outcome, PairwisePreferences,
    Preference, RankedList, check_clicks, receipt,
};
use rand::{RngExt, SeedableRng};

/// Draws a list: at each place one of the rankers that have something left, each equally likely, adds its
/// best document that is not shown yet.
#[derive(Default)]
struct Turns {
    /// By ranker: the documents that it may still add, worst first.
    left: Vec<Vec<Doc>>,
    able: Vec<usize>,
    shown: Vec<Doc>,
}

impl Turns {
    fn start(&mut self, lists: &[RankedList<'_>], generator: &mut Generator) {
        self.left.resize(lists.len(), Vec::new());
        for (list, left) in lists.iter().zip(&mut self.left) {
            list.break_ties(generator, left);
            left.reverse();
        }
        self.shown.clear();
    }

    /// The next document and its owner.
    fn next(&mut self, length: usize, generator: &mut Generator) -> Option<(Doc, usize)> {
        self.able.clear();
        for (ranker, left) in self.left.iter_mut().enumerate() {
            while left.last().is_some_and(|doc| self.shown.contains(doc)) {
                left.pop();
            }
            if !left.is_empty() {
                self.able.push(ranker);
            }
        }
        if self.shown.len() == length || self.able.is_empty() {
            return None;
        }
        let owner = self.able[generator.random_range(0..self.able.len())];
        let doc = self.left[owner].pop()?;
        self.shown.push(doc);
        Some((doc, owner))
    }
}

/// Interleaving by coins: the ranker that added more of the clicked documents wins.
struct Coins;

/// The owner of each document shown.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct CoinsReceipt {
    owners: Vec<u8>,
}

impl Interleaving for Coins {
    type Scratch = Turns;
    type Receipt = CoinsReceipt;

    fn name(&self) -> &'static str {
        "coins"
    }

    fn compare(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        turns: &mut Turns,
        mut user: impl FnMut(Doc) -> Examination,
    ) -> Preference {
        turns.start(&lists, generator);
        let mut clicks = [0; 2];
        while let Some((doc, owner)) = turns.next(length, generator) {
            let examination = user(doc);
            clicks[owner] += usize::from(examination.clicked);
            if examination.abandons {
                break;
            }
        }
        Preference::of(clicks[0].cmp(&clicks[1]))
    }

    fn draw(
        &self,
        lists: [RankedList<'_>; 2],
        length: usize,
        generator: &mut Generator,
        turns: &mut Turns,
    ) -> (Vec<Doc>, CoinsReceipt) {
        turns.start(&lists, generator);
        let mut owners = Vec::new();
        while let Some((_, owner)) = turns.next(length, generator) {
            owners.push(owner as u8);
        }
        (turns.shown.clone(), CoinsReceipt { owners })
    }

    fn credit(&self, receipt: &CoinsReceipt, clicked: &[usize]) -> Result<Preference, CreditError> {
        let clicked = check_clicks(clicked, receipt.owners.len())?;
        let clicks = |owner| clicked.iter().filter(|&&position| receipt.owners[position] == owner).count();
        Ok(Preference::of(clicks(0).cmp(&clicks(1))))
    }
}

/// Multileaving by votes: of two rankers the one wins that ranks more of the clicked documents higher than the
/// other does. Preferences between three rankers can form a cycle.
struct Votes;

/// By ranker: the ranks of the documents shown; below all ranks where it does not list one.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct VotesReceipt {
    length: usize,
    votes: Vec<Vec<u16>>,
}

impl VotesReceipt {
    fn of(lists: &[RankedList<'_>], shown: &[Doc]) -> Self {
        let rank = |list: &RankedList<'_>, doc: Doc| match list.group(doc) {
            group if group.size() == 0 => u16::MAX,
            // Tied documents share the best rank of their group.
            group => group.start,
        };
        let votes = lists.iter().map(|list| shown.iter().map(|&doc| rank(list, doc)).collect());
        Self { length: shown.len(), votes: votes.collect() }
    }

    fn verdict(&self, clicked: &[usize], i: usize, j: usize) -> Preference {
        let higher = |i: usize, j: usize| {
            clicked.iter().filter(|&&position| self.votes[i][position] < self.votes[j][position]).count()
        };
        Preference::of(higher(i, j).cmp(&higher(j, i)))
    }
}

impl Multileaving for Votes {
    type Scratch = Turns;
    type Receipt = VotesReceipt;
    type Outcome = PairwisePreferences;

    fn name(&self) -> &'static str {
        "votes"
    }

    fn compare(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        turns: &mut Turns,
        mut user: impl FnMut(Doc) -> Examination,
        signs: &mut PairwisePreferences,
    ) -> bool {
        turns.start(lists, generator);
        let mut clicked = Vec::new();
        while let Some((doc, _)) = turns.next(length, generator) {
            let examination = user(doc);
            if examination.clicked {
                clicked.push(turns.shown.len() - 1);
            }
            if examination.abandons {
                break;
            }
        }
        let receipt = VotesReceipt::of(lists, &turns.shown);
        signs.reset(lists.len());
        for (i, j) in (0..lists.len()).flat_map(|i| (i + 1..lists.len()).map(move |j| (i, j))) {
            signs.set(i, j, receipt.verdict(&clicked, i, j));
        }
        !clicked.is_empty()
    }

    fn draw(
        &self,
        lists: &[RankedList<'_>],
        length: usize,
        generator: &mut Generator,
        turns: &mut Turns,
    ) -> (Vec<Doc>, VotesReceipt) {
        turns.start(lists, generator);
        while turns.next(length, generator).is_some() {}
        (turns.shown.clone(), VotesReceipt::of(lists, &turns.shown))
    }

    fn credit(&self, receipt: &VotesReceipt, clicked: &[usize]) -> Result<PairwisePreferences, CreditError> {
        let clicked = check_clicks(clicked, receipt.length)?;
        Ok(PairwisePreferences::from_fn(receipt.votes.len(), |i, j| receipt.verdict(&clicked, i, j)))
    }
}

fn view(lists: &[ListBuf]) -> Vec<RankedList<'_>> {
    lists.iter().map(ListBuf::as_list).collect()
}

/// The documents that a user saw and clicked before leaving.
#[derive(Default)]
struct Seen {
    shown: Vec<Doc>,
    clicked: Vec<usize>,
}

impl Seen {
    fn examine(&mut self, doc: Doc, luck: &mut Generator) -> Examination {
        let examination = Examination { clicked: luck.random_bool(0.4), abandons: luck.random_bool(0.15) };
        if examination.clicked {
            self.clicked.push(self.shown.len());
        }
        self.shown.push(doc);
        examination
    }
}

#[test]
fn now_is_later() {
    let mut generator = Generator::seed_from_u64(1);
    let mut luck = Generator::seed_from_u64(2);
    let (mut turns, mut signs) = (Turns::default(), PairwisePreferences::default());
    for case in 0..200 {
        let (documents, levels, length) = (case % 12, 1 + case as u32 % 7, case % 9);
        let lists: Vec<ListBuf> = (0..2 + case % 3).map(|_| random_list(documents, levels, &mut generator)).collect();
        let all = view(&lists);
        let shown_at_most = length.min(documents);

        let (mut seen, mut own) = (Seen::default(), generator.clone());
        let winner = Coins.compare([all[0], all[1]], length, &mut own, &mut turns, |doc| seen.examine(doc, &mut luck));
        let (shown, kept) = Coins.draw([all[0], all[1]], length, &mut generator, &mut Turns::default());
        assert_eq!((shown.len(), &shown[..seen.shown.len()]), (shown_at_most, &seen.shown[..]));
        let kept: CoinsReceipt = receipt::from_bytes(&receipt::to_bytes(&kept).unwrap()).unwrap();
        assert_eq!(Coins.credit(&kept, &seen.clicked), Ok(winner));
        let error = CreditError::Position { position: shown_at_most, length: shown_at_most };
        assert_eq!(Coins.credit(&kept, &[shown_at_most]), Err(error.clone()));

        let (mut seen, mut own) = (Seen::default(), generator.clone());
        let user = |doc| seen.examine(doc, &mut luck);
        let any = Votes.compare(&all, length, &mut own, &mut turns, user, &mut signs);
        let (shown, kept) = Votes.draw(&all, length, &mut generator, &mut Turns::default());
        assert_eq!((shown.len(), &shown[..seen.shown.len()]), (shown_at_most, &seen.shown[..]));
        assert_eq!(any, !seen.clicked.is_empty());
        let twice = [seen.clicked.clone(), seen.clicked].concat();
        assert_eq!(Votes.credit(&kept, &twice), Ok(signs.clone()));
        assert_eq!(Votes.credit(&kept, &[shown_at_most]), Err(error));
    }
}

/// Three voters in a cycle.
#[test]
fn preferences_in_a_cycle() {
    let lists = [strict(&[0, 1, 2]), strict(&[1, 2, 0]), strict(&[2, 0, 1])];
    let (_, kept) = Votes.draw(&view(&lists), 3, &mut Generator::seed_from_u64(3), &mut Turns::default());
    let signs = Votes.credit(&kept, &[0, 1, 2]).unwrap();
    assert_eq!([(0, 1), (1, 2), (2, 0)].map(|(i, j)| signs.preference(i, j)), [Preference::Second; 3]);
}

/// The better list wins when pairs are compared together.
#[test]
fn comparing_pairs() {
    let lists = [scores(&[3.0, 2.0, 2.0, 1.0]), scores(&[1.0, 2.0, 2.0, 3.0]), scores(&[2.0, 1.0, 1.0, 1.0])];
    let pairs = [(0, 1), (1, 2), (2, 0)];
    let mut generator = Generator::seed_from_u64(4);
    let (mut turns, mut balance) = (Turns::default(), [0; 3]);
    for _ in 0..400 {
        let user = |doc| Examination { clicked: doc == Doc(0), abandons: doc == Doc(0) };
        Coins.compare_pairs(&view(&lists), &pairs, 2, &mut generator, &mut turns, user, |pair, winner| {
            balance[pair] += i32::from(winner == Preference::First) - i32::from(winner == Preference::Second);
        });
    }
    // Both have the document at the top, so 0 and 2 own it equally often.
    assert!(balance[0] > 100 && balance[1] < -100 && balance[2].abs() < 100, "{balance:?}");
}

#[test]
fn with_external_ids() {
    let mut generator = Generator::seed_from_u64(5);
    let impression = by_id::interleave(&Coins, [&["a", "b"], &["x", "y"]], 4, &mut generator).unwrap();
    let json = serde_json::to_string(&impression).unwrap();
    let later: Impression<String, CoinsReceipt> = serde_json::from_str(&json).unwrap();
    assert_eq!(later.winner(&Coins, &["y".to_owned()]), Ok(Preference::Second));
    let impression = by_id::multileave(&Votes, &[["a", "b"], ["b", "a"], ["c", "a"]], 3, &mut generator).unwrap();
    let signs = impression.outcome(&Votes, &["b"]).unwrap();
    assert_eq!([(0, 1), (0, 2), (1, 2)].map(|(i, j)| signs.preference(i, j)), {
        use Preference::{First, Second};
        [Second, First, First]
    });
}
