//! Compares estimated matrices with direct simulation, and interrupted estimations with uninterrupted ones.

use std::path::Path;
use std::time::Duration;

use bandits::Generator;
use clicks::{DependentClickModel, FractionalLabels};
use interleave::{AnyMultileaving, CreditTies, Interleaving, Preference, ProbabilisticInterleave, Sosm};
use letor_io::{FeatureId, lookalike};
use rankers::{Rankings, TieBreaking};

use super::*;
use crate::pairwise::PairCount;
use crate::seed;
use crate::site::{ImpressionRandomness, Multileaver, Site};

/// Rankers of a look-alike of MSLR-WEB30K with 63 queries and navigational clicks.
fn site(arms: u32) -> Site {
    let dataset = lookalike::generate("mslr-lookalike", 0.002, 1).unwrap();
    let features: Vec<FeatureId> = (1..=arms).map(|k| FeatureId(k * 6)).collect();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random).unwrap();
    let clicks = DependentClickModel::preset("navigational", 4.0).unwrap().into();
    Site::new(&dataset, rankings, &clicks, FractionalLabels::Round, 10).unwrap()
}

fn identity(site: &Site, sampling: Sampling) -> Identity {
    Identity {
        seed: 5,
        arms: site.arms(),
        queries: site.queries(),
        sampling,
        multileaved: false,
        site: serde_json::Value::Null,
    }
}

fn both<'a>(lists: &'a mut Generator, users: &'a mut Generator) -> ImpressionRandomness<'a> {
    ImpressionRandomness { lists, users }
}

fn request(impressions: u64) -> Request {
    Request { impressions, more: false, pairs: "all".to_owned(), until_standard_error: None }
}

fn more(impressions: u64) -> Request {
    Request { more: true, ..request(impressions) }
}

/// Fulfils `requests` one after another, and saves the state to `path` at the interval `every`.
fn build(site: &Site, path: &Path, sampling: Sampling, requests: &[Request], every: Duration) -> State {
    let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
    let comparison = InterleavedComparison { site, method: &method };
    let mut last = None;
    for request in requests {
        let mode = if request.more { StartMode::Continue } else { StartMode::Replace };
        let mut state = open_state(path, identity(site, sampling), request.clone(), mode).unwrap();
        state
            .run(&EstimationContext { site, comparison: &comparison, save: Some((path, every)), quiet: true })
            .unwrap();
        assert_eq!(State::read(path).unwrap().as_ref(), Some(&state), "the last state is kept");
        last = Some(state);
    }
    last.expect("at least one request")
}

const SELDOM: Duration = Duration::from_secs(3600);

/// Compares one pair directly: a new query, list and user for each comparison, nothing shared or sorted.
fn direct(site: &Site, low: u32, high: u32, comparisons: u64) -> PairCount {
    let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
    let pair = [low as usize, high as usize];
    let stream = |purpose: &str| seed::generator(99, &format!("plain {low} {high}"), 0, purpose);
    let (mut lists, mut users) = (stream("lists"), stream("users"));
    let mut scratch = <ProbabilisticInterleave as Interleaving>::Scratch::default();
    let mut count = PairCount { comparisons, ..PairCount::default() };
    for _ in 0..comparisons {
        let query = site.draw_query(&mut lists);
        match site.interleave(&method, query, pair, both(&mut lists, &mut users), &mut scratch) {
            Preference::First => count.wins += 1,
            Preference::Tie => count.ties += 1,
            Preference::Second => {}
        }
    }
    count
}

/// The largest |z| over 190 pairs exceeds this with probability 1e-6 (union bound, normal tails).
const LARGEST_Z: f64 = 5.83;

/// The largest difference between two estimates of the same pair, in standard errors.
fn largest_z(state: &State, reference: &[PairCount]) -> f64 {
    let z = |(place, reference): (usize, &PairCount)| {
        let difference = state.count(place).preference() - reference.preference();
        difference.abs() / state.standard_error(place).hypot(reference.standard_error()).max(1e-12)
    };
    reference.iter().enumerate().map(z).fold(0.0, f64::max)
}

#[test]
fn all_pairs_of_twenty_rankers_agree_with_direct_simulation() {
    let site = site(20);
    let folder = tempfile::tempdir().unwrap();
    let reference: Vec<PairCount> =
        all_pairs(20).into_iter().map(|(low, high)| direct(&site, low, high, 20_000)).collect();
    for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
        let state = build(&site, &folder.path().join("P.state"), sampling, &[request(20_000)], SELDOM);
        let z = largest_z(&state, &reference);
        assert!(z < LARGEST_Z, "{sampling:?}: {z}");
        // The bound is effective: a shift by four percentage points violates it.
        let shifted: Vec<PairCount> =
            reference.iter().map(|count| PairCount { wins: count.wins + 800, ..*count }).collect();
        assert!(largest_z(&state, &shifted) > LARGEST_Z);
    }
}

#[test]
fn interruptions_and_threads_do_not_change_a_byte() {
    let site = site(6);
    let folder = tempfile::tempdir().unwrap();
    for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
        let path = folder.path().join("whole.state");
        let whole = build(&site, &path, sampling, &[request(30_000)], SELDOM);
        let kept = std::fs::read(&path).unwrap();
        for threads in [1, 3] {
            // Saved after every piece.
            let path = folder.path().join(format!("cut-{threads}.state"));
            let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
            let comparison = InterleavedComparison { site: &site, method: &method };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let context = EstimationContext {
                site: &site,
                comparison: &comparison,
                save: Some((&path, Duration::ZERO)),
                quiet: true,
            };
            let mut state = open_state(&path, identity(&site, sampling), request(30_000), StartMode::Resume).unwrap();
            pool.install(|| state.run(&context)).unwrap();
            assert_eq!(state, whole);
            assert_eq!(std::fs::read(&path).unwrap(), kept);
            std::fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn multiples_of_a_round_add_up_and_other_counts_are_reproducible() {
    let site = site(3);
    let folder = tempfile::tempdir().unwrap();
    let count = |name: &str, requests: &[Request]| {
        let state = build(&site, &folder.path().join(name), Sampling::WithReplacement, requests, SELDOM);
        (0..3).map(|place| state.count(place)).collect::<Vec<_>>()
    };
    let together = count("a", &[request(2 * ROUND)]);
    assert_eq!(together[0].comparisons, 2 * ROUND);
    assert_eq!(together, count("b", &[request(ROUND), more(ROUND)]));
    let uneven = count("c", &[request(7000), more(5000)]);
    assert_eq!(uneven[0].comparisons, 12_000);
    assert_eq!(uneven, count("d", &[request(7000), more(5000)]));
    assert_ne!(uneven, count("e", &[request(12_000)]));
}

#[test]
fn some_pairs_can_be_refined() {
    let site = site(4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("P.state");
    let some = Request { pairs: "pairs:2-*".to_owned(), ..more(2000) };
    let state = build(&site, &path, Sampling::WithReplacement, &[request(1000), some], SELDOM);
    // (0,1) (0,2) (0,3) (1,2) (1,3) (2,3)
    let counts: Vec<u64> = (0..6).map(|place| state.count(place).comparisons).collect();
    assert_eq!(counts, [1000, 3000, 1000, 3000, 1000, 3000]);
    let alone = build(&site, &path, Sampling::WithReplacement, &[request(1000)], SELDOM);
    assert_eq!(alone.count(0), state.count(0), "the other pairs keep their counts");
}

#[test]
fn rounds_are_added_until_standard_errors_are_small_enough() {
    let site = site(4);
    let folder = tempfile::tempdir().unwrap();
    for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
        let wanted = Request { until_standard_error: Some(0.008), ..request(500) };
        let state = build(&site, &folder.path().join("P.state"), sampling, &[wanted], SELDOM);
        let counts: Vec<u64> = (0..6).map(|place| state.count(place).comparisons).collect();
        for place in 0..6 {
            assert!(state.cautious_error(place) <= 0.008 && state.standard_error(place) <= 0.008);
        }
        // No pair gets more than one round beyond the n at which 0.5 / sqrt(n), the worst case, is small enough.
        assert!(counts.iter().all(|&count| count <= 3907 + 500), "{counts:?}");
        let few = counts.iter().min().unwrap();
        assert!(few < counts.iter().max().unwrap(), "pairs with many ties stop earlier: {counts:?}");
    }
}

/// Compares the reported standard errors with the spread of many matrices.
#[test]
fn standard_errors_match_the_spread_of_many_matrices() {
    let site = site(4);
    let method = ProbabilisticInterleave::new(CreditTies::Redrawn);
    let comparison = InterleavedComparison { site: &site, method: &method };
    let (matrices, impressions) = (400, 300);
    let mut spreads = Vec::new();
    for sampling in [Sampling::WithReplacement, Sampling::Stratified] {
        let (mut sums, mut squares, mut claimed) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        for seed in 0..matrices {
            let identity = Identity { seed, ..identity(&site, sampling) };
            let nowhere = Path::new("/no/such/folder/P.state");
            let mut state = open_state(nowhere, identity, request(impressions), StartMode::Continue).unwrap();
            state.run(&EstimationContext { site: &site, comparison: &comparison, save: None, quiet: true }).unwrap();
            for place in 0..6 {
                let p = state.count(place).preference();
                (sums[place], squares[place]) = (sums[place] + p, squares[place] + p * p);
                claimed[place] += state.standard_error(place).powi(2);
            }
        }
        let n = matrices as f64;
        let spread: Vec<f64> = (0..6).map(|at| (squares[at] - sums[at] * sums[at] / n) / (n - 1.0)).collect();
        for place in 0..6 {
            // A sample variance of 400 has a relative standard error of sqrt(2 / 399) = 0.071; five of them.
            let ratio = claimed[place] / n / spread[place];
            assert!((ratio - 1.0).abs() < 0.36, "{sampling:?}, pair {place}: {ratio}");
        }
        spreads.push(spread.iter().sum::<f64>());
    }
    assert!(spreads[1] < spreads[0], "stratification reduces the variance: {spreads:?}");
}

#[test]
fn multileaved_pairs_agree_with_direct_simulation() {
    let site = site(5);
    let method = AnyMultileaving::Sosm(Sosm::default());
    let comparison = MultileavedComparison { site: &site, method: &method };
    let identity = Identity { multileaved: true, ..identity(&site, Sampling::WithReplacement) };
    let mut state = open_state(Path::new("none"), identity, request(20_000), StartMode::Continue).unwrap();
    state.run(&EstimationContext { site: &site, comparison: &comparison, save: None, quiet: true }).unwrap();

    let (mut lists, mut users) = (seed::generator(9, "t", 0, "lists"), seed::generator(9, "t", 0, "users"));
    let mut multileaver = Multileaver::default();
    let mut reference = vec![PairCount { comparisons: 20_000, ..PairCount::default() }; 10];
    for _ in 0..20_000 {
        let query = site.draw_query(&mut lists);
        let scores = site.multileave(&Sosm::default(), query, 0..5, both(&mut lists, &mut users), &mut multileaver);
        for (count, (low, high)) in reference.iter_mut().zip(all_pairs(5)) {
            let (low, high) = (scores[low as usize], scores[high as usize]);
            count.wins += u64::from(low > high);
            count.ties += u64::from(low == high);
        }
    }
    let z = largest_z(&state, &reference);
    assert!(z < LARGEST_Z, "{z}");
}

/// Wins and ties of the first three pairs after 10,000 impressions.
fn first_counts<C: PairComparison>(
    site: &Site,
    comparison: &C,
    sampling: Sampling,
    multileaved: bool,
) -> [[u64; 2]; 3] {
    let identity = Identity { multileaved, ..identity(site, sampling) };
    let mut state = open_state(Path::new("none"), identity, request(10_000), StartMode::Continue).unwrap();
    state.run(&EstimationContext { site, comparison, save: None, quiet: true }).unwrap();
    [0, 1, 2].map(|place| {
        let PairCount { wins, ties, comparisons } = state.count(place);
        assert_eq!(comparisons, 10_000);
        [wins, ties]
    })
}

/// If these change, the same seed gives another matrix, and the changelog must say so.
#[test]
fn value_stability() {
    use CreditTies::{Redrawn, Same};
    use Sampling::{Stratified, WithReplacement};
    // Pairs of three rankers are drawn separately; those of five share draws.
    let [three, five] = [3, 5].map(site);
    let pinned = [
        (&three, Redrawn, WithReplacement, [[1785, 1274], [5375, 1452], [7558, 1464]]),
        (&three, Redrawn, Stratified, [[1776, 1224], [5368, 1459], [7616, 1350]]),
        (&three, Same, WithReplacement, [[4168, 1279], [4543, 1447], [4743, 1468]]),
        (&three, Same, Stratified, [[4224, 1221], [4593, 1461], [4751, 1355]]),
        (&five, Redrawn, WithReplacement, [[1803, 1259], [5315, 1474], [1865, 1066]]),
        (&five, Redrawn, Stratified, [[1766, 1201], [5350, 1414], [1821, 1002]]),
        (&five, Same, WithReplacement, [[4194, 1330], [4489, 1488], [4033, 1077]]),
        (&five, Same, Stratified, [[4212, 1290], [4568, 1474], [3910, 1034]]),
    ];
    for (site, ties, sampling, counts) in pinned {
        let comparison = InterleavedComparison { site, method: &ProbabilisticInterleave::new(ties) };
        let found = first_counts(site, &comparison, sampling, false);
        assert_eq!(found, counts, "{} rankers, {ties:?}, {sampling:?}", site.arms());
    }
    let multileaved = [
        (WithReplacement, [[4336, 1377], [4666, 1465], [3761, 1465]]),
        (Stratified, [[4226, 1487], [4557, 1499], [3602, 1501]]),
    ];
    let comparison = MultileavedComparison { site: &five, method: &AnyMultileaving::Sosm(Sosm::default()) };
    for (sampling, counts) in multileaved {
        assert_eq!(first_counts(&five, &comparison, sampling, true), counts, "multileaved, {sampling:?}");
    }
}

#[test]
fn requests_that_do_not_fit_the_file_are_errors() {
    let site = site(3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("P.state");
    let take = |request: Request, mode| {
        open_state(&path, identity(&site, Sampling::WithReplacement), request, mode).map_err(|error| error.to_string())
    };
    assert!(take(more(10), StartMode::Continue).unwrap_err().contains("--more adds to an existing matrix"));
    // An unfinished matrix.
    let unfinished = take(request(500), StartMode::Resume).unwrap();
    unfinished.save(&path).unwrap();
    assert_eq!(take(request(700), StartMode::Replace).unwrap().impressions_left, 700);
    for mode in [StartMode::Continue, StartMode::Resume] {
        assert_eq!(take(request(500), mode).unwrap(), unfinished);
        for other in [request(600), more(600)] {
            let other = take(other, mode).unwrap_err();
            assert!(other.contains("another unfinished matrix (requested with --impressions-per-pair 500)"), "{other}");
        }
    }
    // A finished one.
    std::fs::remove_file(&path).unwrap();
    let finished = build(&site, &path, Sampling::WithReplacement, &[request(500)], SELDOM);
    assert_eq!(take(request(500), StartMode::Resume).unwrap(), finished);
    assert!(take(request(600), StartMode::Resume).unwrap_err().contains("finished matrix"));
    let grows = take(more(600), StartMode::Resume).unwrap();
    assert_eq!(grows.impressions_left, 600);
    assert_eq!(take(request(500), StartMode::Continue).unwrap(), finished, "nothing is left to do");
    let other = take(request(600), StartMode::Continue).unwrap_err();
    assert!(other.contains("--impressions-per-pair 500") && other.contains("--replace"), "{other}");
    assert_eq!(take(request(600), StartMode::Replace).unwrap().impressions_left, 600);
    let seed = Identity { seed: 2, ..identity(&site, Sampling::WithReplacement) };
    let other = open_state(&path, seed, request(500), StartMode::Continue).unwrap_err().to_string();
    assert!(other.contains("its seed is 5, not 2") && other.contains("--replace"), "{other}");
    let other = open_state(
        &path,
        Identity { seed: 2, ..identity(&site, Sampling::WithReplacement) },
        more(9),
        StartMode::Resume,
    );
    assert!(other.unwrap_err().to_string().contains("its seed is 5, not 2"));
    // A larger request, stopped and repeated, is added once; finished and repeated, once more, but not on resume.
    grows.save(&path).unwrap();
    for mode in [StartMode::Continue, StartMode::Resume, StartMode::Replace] {
        assert_eq!(take(more(600), mode).unwrap(), grows);
    }
    let whole = State { is_done: true, impressions_left: 0, ..grows };
    whole.save(&path).unwrap();
    assert_eq!(take(more(600), StartMode::Resume).unwrap(), whole);
    assert_eq!(take(more(600), StartMode::Continue).unwrap().impressions_left, 600);
    let few = open_state(&path, identity(&site, Sampling::Stratified), request(100), StartMode::Continue).unwrap_err();
    assert!(few.to_string().contains("at least 126"), "{few}");
}
