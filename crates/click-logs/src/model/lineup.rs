//! The rankers of an impression and their method. Few of these occur in millions of impressions, so each has a number.
//! Numbers depend on the order of reading, and reach no result: results have names.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use interleave::receipt::MixedReceipt;
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving, Multileaving, Outcome, Page, Preference};
use ranktypes::text::excerpt;
use verdicts::{PairChoice, VersionDeclarations, wrong_version};

use super::displayed_page::read_credit;

/// The scheme by which credit is given.
#[derive(Debug, Clone)]
pub enum Scheme {
    /// A click counts for the team that owns the document; more clicks win.
    Teams,
    /// By a method for two rankers.
    Interleaving(AnyInterleaving),
    /// By a method for any number of rankers.
    Multileaving(AnyMultileaving),
}

/// The rankers of an impression, and how their list was mixed.
#[derive(Debug, Clone)]
pub struct Lineup {
    /// Names, in the order of the method's lists.
    pub rankers: Vec<String>,
    /// How credit is given.
    pub scheme: Scheme,
    /// The full name of the method, as its receipts have it.
    pub method: String,
    /// The version of the experiment, if the impression names one.
    pub version: Option<String>,
    /// How the rankers were chosen, if the impression declares it.
    pub declared: Option<PairChoice>,
    /// Whether the list may be from one ranker alone.
    pub alone: SingleRanker,
}

/// Whether a list may be from one ranker alone, as a bandit shows it once it has found the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SingleRanker {
    /// Several rankers are known to have taken part, or it is too short to say.
    #[default]
    No,
    /// One ranker owns several documents, and no other is named.
    Maybe,
    /// The impression names one ranker.
    Yes,
}

/// The team of a document without an owner.
pub(crate) const NO_TEAM: u8 = u8::MAX;

impl Lineup {
    /// Whether lists were mixed by `optimized`. It draws lists so that random clicks give rankers the same mean credit; which ranker has
    /// more credit after an impression, as counted here, is not balanced.
    pub(crate) fn is_optimized(&self) -> bool {
        match &self.scheme {
            Scheme::Teams => false,
            Scheme::Interleaving(method) => matches!(method, AnyInterleaving::Optimized(_)),
            Scheme::Multileaving(method) => matches!(method, AnyMultileaving::Optimized(_)),
        }
    }

    /// Whether its method mixes two rankers, or there are two.
    pub(crate) fn is_of_two(&self) -> bool {
        match &self.scheme {
            Scheme::Teams => self.rankers.len() == 2,
            Scheme::Interleaving(_) => true,
            Scheme::Multileaving(_) => false,
        }
    }

    /// Calls `verdict` for each pair of rankers (their places in [`rankers`](Self::rankers)) with the winner of an impression,
    /// given its stored `credit` (a team per place, or a stored receipt) and the places clicked among the `shown_count`, ascending. A
    /// click proves that the user saw the page as far as that.
    ///
    /// # Errors
    /// If the receipt is not valid for the method.
    pub fn outcomes(
        &self,
        credit: &[u8],
        shown_count: usize,
        clicked_positions: &[usize],
        mut verdict: impl FnMut(usize, usize, Preference),
    ) -> Result<(), String> {
        let pairs = |count: usize| (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)));
        if clicked_positions.is_empty() {
            // By every method, an impression without clicks is a tie.
            pairs(self.rankers.len()).for_each(|(i, j)| verdict(i, j, Preference::Tie));
            return Ok(());
        }
        if let Scheme::Teams = self.scheme {
            const MAX_RANKERS_ON_STACK: usize = 16;
            let (mut few, mut many) = ([0_u32; MAX_RANKERS_ON_STACK], Vec::new());
            let clicks = if self.rankers.len() <= MAX_RANKERS_ON_STACK {
                few.as_mut_slice()
            } else {
                many.resize(self.rankers.len(), 0);
                many.as_mut_slice()
            };
            for &position in clicked_positions {
                if let Some(clicks) = clicks.get_mut(usize::from(credit[position])) {
                    *clicks += 1;
                }
            }
            for (i, j) in pairs(self.rankers.len()) {
                verdict(i, j, Preference::of(clicks[i].cmp(&clicks[j])));
            }
            return Ok(());
        }
        let (page, paged, body) = read_credit(credit).ok_or("what is kept of a receipt is damaged")?;
        let seen = paged.map_or(shown_count, |paged| {
            paged.max(clicked_positions.last().map_or(0, |last| last + 1)).min(shown_count)
        });
        let page = match page {
            Some(page) => Some(page.truncated(seen)),
            None => (seen < shown_count).then(|| Page::first(seen)),
        };
        let is_many = matches!(self.scheme, Scheme::Multileaving(_));
        let mixed_list = MixedReceipt::from_body(body, is_many, &self.method).map_err(|error| error.to_string())?;
        match (&self.scheme, &mixed_list) {
            (Scheme::Interleaving(method), MixedReceipt::Interleaving(mixed_list)) => {
                let winner = match &page {
                    Some(page) => method.credit_page(mixed_list, page, clicked_positions),
                    None => method.credit(mixed_list, clicked_positions),
                };
                verdict(0, 1, winner.map_err(|error| error.to_string())?);
            }
            (Scheme::Multileaving(method), MixedReceipt::Multileaving(mixed_list)) => {
                let outcome = match &page {
                    Some(page) => method.credit_page(mixed_list, page, clicked_positions),
                    None => method.credit(mixed_list, clicked_positions),
                };
                let outcome = outcome.map_err(|error| error.to_string())?;
                for (i, j) in pairs(self.rankers.len()) {
                    verdict(i, j, outcome.preference(i, j));
                }
            }
            _ => return Err("a receipt of another kind than its method".to_owned()),
        }
        Ok(())
    }
}

/// The fault of a ranker's name, if it has one: names are written to tables and terminals.
pub(crate) fn wrong_name(name: &str) -> Option<String> {
    ranktypes::text::check_name(name).err().map(|fault| format!("the name of the ranker {} {fault}", excerpt(name)))
}

/// All lineups met so far, each once. Threads share it.
#[derive(Debug, Default)]
pub struct Lineups {
    inner: Mutex<LineupTable>,
}

/// The key of a lineup: names, method, version, how rankers were chosen, whether one may be alone.
type Key = (Vec<String>, String, Option<String>, Option<PairChoice>, SingleRanker);

#[derive(Debug, Default)]
struct LineupTable {
    lineups: Vec<Lineup>,
    numbers: BTreeMap<Key, u32>,
}

/// More are a sign of names that are not those of rankers.
const MAX_LINEUPS: usize = 10_000;

impl Lineups {
    /// The number of the lineup of `rankers` and `method`: `teams`, or the full name of an interleaving (if `is_of_two`) or multileaving
    /// method; `version` is that of the experiment, `declared` is how the rankers were chosen, if the impression declares it, and `alone`
    /// whether one ranker may have shown its list alone.
    ///
    /// # Errors
    /// If a name or version is invalid, the method is unknown, or there are more than 10,000 lineups.
    pub fn number(
        &self,
        rankers: &[&str],
        method: &str,
        is_of_two: bool,
        version: Option<&str>,
        declared: Option<PairChoice>,
        single_ranker: SingleRanker,
    ) -> Result<u32, String> {
        let names = rankers.iter().map(ToString::to_string).collect::<Vec<_>>();
        let key = (names, format!("{is_of_two} {method}"), version.map(str::to_owned), declared, single_ranker);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = inner.numbers.get(&key) {
            return Ok(*number);
        }
        let wrong = rankers.iter().find_map(|name| wrong_name(name)).or_else(|| version.and_then(wrong_version));
        if let Some(message) = wrong {
            return Err(message);
        }
        if inner.lineups.len() == MAX_LINEUPS {
            return Err(format!(
                "more than {MAX_LINEUPS} different sets of rankers and versions; expected the names of rankers as teams, not of documents or \
                 users, and as `version` what stays the same for many impressions"
            ));
        }
        let scheme = match (method, is_of_two) {
            ("teams", _) => Scheme::Teams,
            (_, true) => {
                Scheme::Interleaving(method.parse().map_err(|error: interleave::NameError| error.to_string())?)
            }
            (_, false) => {
                Scheme::Multileaving(method.parse().map_err(|error: interleave::NameError| error.to_string())?)
            }
        };
        let number = inner.lineups.len() as u32;
        let (rankers, version) = (key.0.clone(), key.2.clone());
        inner.lineups.push(Lineup {
            rankers,
            scheme,
            method: method.to_owned(),
            version,
            declared,
            alone: single_ranker,
        });
        inner.numbers.insert(key, number);
        Ok(number)
    }

    /// All of them, by number.
    #[must_use]
    pub fn all(&self) -> Vec<Lineup> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).lineups.clone()
    }

    /// A summary of all of them by version.
    #[must_use]
    pub fn versions(&self) -> BTreeMap<Option<String>, VersionDeclarations> {
        let mut versions = BTreeMap::<_, VersionDeclarations>::new();
        for lineup in self.all() {
            let of = versions.entry(lineup.version).or_default();
            of.choices.add(&lineup.rankers, lineup.declared, lineup.alone != SingleRanker::No);
            of.rankers.extend(lineup.rankers);
        }
        versions
    }
}

#[cfg(test)]
mod tests {
    use interleave::{Generator, ListBuf};
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn without_clicks_every_method_calls_it_a_tie() {
        let lists: Vec<ListBuf> = [[3, 1, 2, 0], [0, 2, 1, 3], [1, 0, 3, 2]]
            .map(|order| ListBuf::strict(order.map(interleave::Doc)).unwrap())
            .into();
        let mut generator = Generator::seed_from_u64(1);
        for name in AnyInterleaving::NAMES {
            let method: AnyInterleaving = name.parse().unwrap();
            for _ in 0..20 {
                let two = [lists[0].as_list(), lists[1].as_list()];
                let (_, kept) = method.draw(two, 3, &mut generator, &mut Default::default());
                assert_eq!(method.credit(&kept, &[]), Ok(Preference::Tie), "{name}");
            }
        }
        for name in AnyMultileaving::NAMES {
            let method: AnyMultileaving = name.parse().unwrap();
            let all: Vec<_> = lists.iter().map(ListBuf::as_list).collect();
            for _ in 0..20 {
                let (_, kept) = method.draw(&all, 3, &mut generator, &mut Default::default());
                let outcome = method.credit(&kept, &[]).unwrap();
                assert!((0..3).all(|i| (0..3).all(|j| outcome.preference(i, j) == Preference::Tie)), "{name}");
            }
        }
    }

    #[test]
    fn teams_of_few_and_of_many_rankers() {
        for count in [2, 16, 17, 254] {
            let rankers = (0..count).map(|number| number.to_string()).collect();
            let (method, version, declared) = (String::new(), None, None);
            let lineup = Lineup { rankers, scheme: Scheme::Teams, method, version, declared, alone: SingleRanker::No };
            let last = count as u8 - 1;
            let mut wins = Vec::new();
            let note = |i, j, preference| match preference {
                Preference::First => wins.push((i, j)),
                Preference::Second => wins.push((j, i)),
                Preference::Tie => {}
            };
            lineup.outcomes(&[0, last, NO_TEAM, last], 4, &[0, 1, 2, 3], note).unwrap();
            assert!(wins.contains(&(count - 1, 0)));
            assert_eq!(wins.len(), 1 + 2 * (count - 2), "{count}");
        }
    }
}
