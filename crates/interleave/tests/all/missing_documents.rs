//! Rankers that retrieve less: listing fewer documents gains nothing.
//!
//! All pairs of lists of up to four documents, up to renaming: everything that one list can share with the other, in every
//! order. Every list that a method draws for them in a number of impressions, under every set of clicks.

use std::collections::BTreeSet;

use crate::enumeration::strict;
use crate::oracle::subsets;
use interleave::{
    AnyInterleaving, AnyMultileaving, Generator, Interleaving, ListBuf, Multileaving, Outcome, Preference, receipt,
};
use rand::SeedableRng;

/// Methods that compare ranks, so that a document counts for the ranker that ranks it higher.
const BY_RANK: [&str; 8] = [
    "balanced",
    "balanced:lerot",
    "document-constraints",
    "document-constraints:next",
    "document-constraints:above",
    "optimized",
    "optimized:binary",
    "optimized:inverse",
];
const BY_RANK_MANY: [&str; 2] = ["optimized", "optimized:negative"];

const MOST: u16 = 4;

/// All pairs of lists of up to [`MOST`] documents; the first lists 0, 1, 2, ...
fn pairs() -> Vec<[Vec<u16>; 2]> {
    fn longer(first: u16, list: &[u16], all: &mut Vec<[Vec<u16>; 2]>) {
        all.push([(0..first).collect(), list.to_vec()]);
        if list.len() == usize::from(MOST) {
            return;
        }
        // One new document is like another: the next without a name.
        let new = list.iter().copied().filter(|doc| *doc >= first).max().map_or(first, |last| last + 1);
        for doc in (0..first).chain([new]).filter(|doc| !list.contains(doc)) {
            longer(first, &[list, &[doc]].concat(), all);
        }
    }
    let mut all = Vec::new();
    (0..=MOST).for_each(|first| longer(first, &[], &mut all));
    all
}

/// A draw for two lists: the documents shown, and the winner by each set of clicks.
type Drawn = BTreeSet<(Vec<u16>, Vec<i8>)>;

fn sign(preference: Preference) -> i8 {
    match preference {
        Preference::First => 1,
        Preference::Second => -1,
        Preference::Tie => 0,
    }
}

fn drawn(name: &str, many: bool, lists: &[Vec<u16>; 2], length: usize, times: u64) -> Drawn {
    let bufs: Vec<ListBuf> = lists.iter().map(|list| strict(list)).collect();
    let both = [bufs[0].as_list(), bufs[1].as_list()];
    let draw = |seed: u64| {
        let mut generator = Generator::seed_from_u64(seed);
        if many {
            let method: AnyMultileaving = name.parse().unwrap();
            let (shown, kept) = method.draw(&both, length, &mut generator, &mut Default::default());
            // As it is read back.
            let kept = receipt::from_bytes(&receipt::to_bytes(&kept).unwrap()).unwrap();
            let credit = |clicks: Vec<usize>| sign(method.credit(&kept, &clicks).unwrap().preference(0, 1));
            (shown.iter().map(|doc| doc.0).collect(), subsets(shown.len()).map(credit).collect())
        } else {
            let method: AnyInterleaving = name.parse().unwrap();
            let (shown, kept) = method.draw(both, length, &mut generator, &mut Default::default());
            let kept = receipt::from_bytes(&receipt::to_bytes(&kept).unwrap()).unwrap();
            let credit = |clicks: Vec<usize>| sign(method.credit(&kept, &clicks).unwrap());
            (shown.iter().map(|doc| doc.0).collect(), subsets(shown.len()).map(credit).collect())
        }
    };
    (0..times).map(draw).collect()
}

/// By every method, a list without documents wins nothing.
#[test]
fn an_empty_list_never_wins() {
    for n in 0..=MOST {
        let lists = [(0..n).collect(), vec![]];
        for length in 0..=usize::from(MOST) {
            let every = AnyInterleaving::NAMES.iter().map(|name| (*name, false));
            for (name, many) in every.chain(AnyMultileaving::NAMES.iter().map(|name| (*name, true))) {
                for (shown, wins) in drawn(name, many, &lists, length, 12) {
                    assert!(wins.iter().all(|sign| *sign >= 0), "{name}, {lists:?} shown {shown:?}: {wins:?}");
                }
            }
        }
    }
}

/// A list that is the beginning of the other wins no impression by ranks.
#[test]
fn a_prefix_never_wins_by_ranks() {
    for n in 0..=MOST {
        for m in 0..=n {
            let lists = [(0..n).collect(), (0..m).collect()];
            for length in 0..=usize::from(MOST) {
                let every = BY_RANK.iter().map(|name| (*name, false));
                for (name, many) in every.chain(BY_RANK_MANY.iter().map(|name| (*name, true))) {
                    for (shown, wins) in drawn(name, many, &lists, length, 12) {
                        assert!(wins.iter().all(|sign| *sign >= 0), "{name}, {lists:?} shown {shown:?}: {wins:?}");
                    }
                }
            }
        }
    }
}

/// For all pairs of lists: a click on a document that one ranker alone lists does not make the other win by ranks.
#[test]
fn a_click_on_what_one_ranker_lists_is_not_the_others() {
    let pairs = pairs();
    // k documents of m are among n, in any places and any order.
    let choose = |n: u64, k: u64| (0..k).map(|i| n - i).product::<u64>() / (1..=k).product::<u64>();
    let shared =
        |n: u64, m: u64| (0..=n.min(m)).map(|k| choose(n, k) * choose(m, k) * (1..=k).product::<u64>()).sum::<u64>();
    let most = u64::from(MOST);
    let expected: u64 = (0..=most).flat_map(|n| (0..=most).map(move |m| (n, m))).map(|(n, m)| shared(n, m)).sum();
    assert_eq!(pairs.len() as u64, expected);
    for lists in &pairs {
        let every = BY_RANK.iter().map(|name| (*name, false));
        for (name, many) in every.chain(BY_RANK_MANY.iter().map(|name| (*name, true))) {
            for length in [2, 4, 8] {
                for (shown, wins) in drawn(name, many, lists, length, 4) {
                    for (n, doc) in shown.iter().enumerate() {
                        let won = wins[1 << n];
                        let listed = [0, 1].map(|x| lists[x].contains(doc));
                        let is_fair = match listed {
                            [true, false] => won >= 0,
                            [false, true] => won <= 0,
                            _ => true,
                        };
                        assert!(is_fair, "{name}, {lists:?} shown {shown:?}, click {n}: {won}");
                    }
                }
            }
        }
    }
}

/// Methods with credit by owners or by the chances of drawing a document, for which all lists are known.
const BY_OWNER: [(&str, bool); 14] = [
    ("team-draft", false),
    ("team-draft:prefix", false),
    ("team-draft:pairs", false),
    ("probabilistic:same", false),
    ("probabilistic:assignment", false),
    ("probabilistic:expected", false),
    ("team-draft", true),
    ("team-draft:prefix", true),
    ("probabilistic", true),
    ("probabilistic:independent", true),
    ("probabilistic:signs", true),
    ("sosm", true),
    ("pairwise-preference", true),
    ("pairwise-preference:skip-above", true),
];

/// The gain of the longer list over its own prefix where clicks depend on position alone: by the position of the one click,
/// the expected credit of the longer list minus that of the prefix, over all lists that can be drawn, and the probability
/// that the prefix wins the impression.
fn gains() -> String {
    use std::fmt::Write as _;
    let mut text = "method,kind,prefix,position,expected_credit,prefix_wins\n".to_owned();
    for (name, many) in BY_OWNER {
        for m in 0..MOST {
            let lists: [Vec<u16>; 2] = [(0..MOST).collect(), (0..m).collect()];
            let orders = [lists[0].as_slice(), lists[1].as_slice()];
            let length = usize::from(MOST);
            let drawn = match many {
                true => crate::oracle::multileaving(name, &orders, length),
                false => crate::oracle::interleaving(name, orders, length),
            };
            let drawn = drawn.unwrap();
            for position in 0..length {
                let (mut credit, mut wins) = (0.0, 0.0);
                for one in &drawn {
                    let difference = one.verdict(&[position])[0];
                    credit += one.p * difference;
                    wins += one.p * f64::from(u8::from(crate::oracle::sign_of(difference) < 0));
                }
                // No negative zero.
                let credit = (credit * 1e4).round() / 1e4 + 0.0;
                let kind = if many { "multileaving" } else { "interleaving" };
                let _ = writeln!(text, "{name},{kind},{m},{},{credit:.4},{wins:.4}", position + 1);
            }
        }
    }
    text
}

/// The table is published: what methods that draw owners do to a ranker that retrieves less. `UPDATE=1` rewrites it.
#[test]
fn what_owners_make_of_a_prefix_is_published() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/prefix.csv");
    let found = gains();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), found, "UPDATE=1 rewrites it");
    // An empty list gains nothing anywhere.
    let of_empty = found.lines().filter(|line| line.split(',').nth(2) == Some("0"));
    assert!(
        of_empty.clone().count() > 40 && of_empty.clone().all(|line| line.ends_with(",0.0000") && !line.contains(",-"))
    );
}

/// The front page of the documentation has the largest share of impressions that a prefix wins.
#[test]
fn the_front_page_has_the_worst_case() {
    for (name, kind) in [("probabilistic:same", "interleaving"), ("probabilistic", "multileaving")] {
        let rows = gains();
        let of_method = rows.lines().filter(|line| line.starts_with(&format!("{name},{kind},")));
        let wins = of_method.map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap());
        let worst = format!("up to {:.1}% of single impressions", 100.0 * wins.fold(0.0, f64::max));
        assert_eq!(include_str!("../../src/lib.rs").matches(&worst).count(), 2, "{worst}");
    }
}
