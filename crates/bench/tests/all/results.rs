//! Results: the same bytes whatever the threads and shards, refused where they do not compare, and equal to known values.

use std::path::Path;
use std::sync::Arc;

use bench::results::EntryResults;
use bench::{BenchStudy, Entry, Request, Results, Scores, Track};
use output::shards::{Parts, Shard, Share, folder_of};
use studies::{Destination, Execution, StudyOutcome, run};

use crate::common::{played, policy, request};

fn asked() -> Request {
    let entries = vec![policy("dts"), policy("random"), policy("btm"), Entry::Naive, Entry::Judges(judges::Goal::Best)];
    request(&[Track::Best, Track::Order, Track::Winner], entries, 2)
}

fn carried_out(out: &Path, share: Share) {
    let place = Destination::Folder { path: out.to_owned(), replace: false, is_named: false };
    let order = Execution { destination: place, share, quiet: true, ..Execution::default() };
    if let StudyOutcome::Finished(finished) =
        run(BenchStudy::new(asked()).expect("a request"), &order).expect("it plays")
    {
        finished.written.expect("it is written");
    }
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let all = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<(String, Vec<u8>)> = all
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn threads_and_shards_change_no_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool(1).install(|| carried_out(&one, Share::All));
    // Two machines' worth of shards, the last one first.
    for index in [2, 0, 1] {
        pool(2).install(|| carried_out(&two, Share::One(Shard { index, of: 3 })));
    }
    let parts = Parts::read(&folder_of(&two)).expect("three parts");
    carried_out(&two, Share::Merge(Arc::new(parts)));
    let (one, two) = (files(&one), files(&two));
    let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.contains(&"bench.json") && names.contains(&"bench.html") && names.contains(&"config.json"),
        "{names:?}"
    );
    for (one, two) in one.iter().zip(&two) {
        assert!(one == two, "{} differs", one.0);
    }
    assert_eq!(one.len(), two.len());
}

#[test]
fn results_are_read_as_they_were_written() {
    let results = played(asked());
    let text = results.to_json().expect("JSON");
    assert_eq!(Results::from_json(&text).expect("the same form"), results);
    assert!(text.lines().count() > 10, "a line per entry");
    let error = Results::from_json(&text.replace("bench results 1", "bench results 0")).expect_err("another form");
    assert!(error.to_string().contains("the form of these results is"), "{error}");
    let later = text.replacen("bench results 1\"", "bench results 2\",\"further\":1", 1);
    let error = Results::from_json(&later).expect_err("a later form");
    assert!(error.to_string().contains("the form of these results is `rankduel bench results 2`"), "{error}");
    for (from, to, expected) in [
        ("\"runs\":2", "\"runs\":0", "there are no runs or no problems"),
        ("\"name\":\"dts\"", "\"name\":\"d\\u0007ts\"", "a name"),
    ] {
        let error = Results::from_json(&text.replacen(from, to, 1)).expect_err(to);
        assert!(error.to_string().contains(expected), "{error}");
    }
    let short = text.replacen("\"runs\":2", "\"runs\":3", 1);
    assert!(Results::from_json(&short).expect_err("values are missing").to_string().contains("the values of"));
}

#[test]
fn results_of_several_files_are_joined_or_refused() {
    let one = played(request(&[Track::Best], vec![policy("dts"), policy("random")], 2));
    let other = played(request(&[Track::Best], vec![policy("rucb")], 3));
    let both = Scores::of(&[one.clone(), other.clone()]).expect("they compare");
    let track = both.track(Track::Best).expect("it was played");
    assert_eq!((track.ranked.len(), track.runs, track.problems.len()), (3, 2, 2));
    let own_key =
        played(Request { key: Some("secret".to_owned()), ..request(&[Track::Best], vec![policy("rucb")], 2) });
    assert_ne!(
        own_key.tracks,
        played(request(&[Track::Best], vec![policy("rucb")], 2)).tracks,
        "another key, other luck"
    );
    let error = Scores::of(&[one.clone(), own_key]).expect_err("another key");
    assert!(error.to_string().contains("definitions or keys differ"), "{error}");
    let mut changed = other.clone();
    changed.problems[0].sha256 = "0".repeat(64);
    let error = Scores::of(&[one.clone(), changed]).expect_err("another problem");
    assert!(error.to_string().contains("disagree about the problem"), "{error}");
    // The same entry in two results: its values are the same, and a rule that was broken in one counts.
    let again = Scores::of(&[one.clone(), one.clone(), other.clone()]).expect("nothing differs");
    assert_eq!(again, both);
    let mut differs = one.clone();
    let entries = |results: &mut Results| results.tracks.get_mut(&Track::Best).expect("it was played").entries.clone();
    let mut changed = entries(&mut differs);
    if let Some(EntryResults::Values(values)) = changed.get_mut("dts") {
        let first = values[0].iter_mut().flatten().next().expect("a measure applies");
        first[0] = 1.0 - first[0];
    }
    differs.tracks.get_mut(&Track::Best).expect("it was played").entries = changed;
    let error = Scores::of(&[one.clone(), differs.clone()]).expect_err("other values");
    assert!(error.to_string().contains("other values of dts"), "{error}");
    let mut broken = entries(&mut differs);
    broken.insert("dts".to_owned(), EntryResults::Disqualified("wrote two lines".to_owned()));
    differs.tracks.get_mut(&Track::Best).expect("it was played").entries = broken;
    for all in [[one.clone(), differs.clone()], [differs, one.clone()]] {
        let scores = Scores::of(&all).expect("scores");
        let track = scores.track(Track::Best).expect("it was played");
        assert!(track.entry("dts").is_none() && track.disqualified == ["dts"], "{:?}", track.unranked);
    }
    let mut namesake = other;
    namesake.entries[0].name = "dts".to_owned();
    let error = Scores::of(&[one, namesake]).expect_err("the same name");
    assert!(error.to_string().contains("two different entries are called `dts`"), "{error}");
}

#[test]
fn random_pairs_cost_what_random_pairs_cost() {
    let problems = Some(vec!["order-20".to_owned(), "changing-20".to_owned(), "cycle-20".to_owned()]);
    let results = played(Request { problems, ..request(&[Track::Regret], vec![policy("random"), policy("dts")], 2) });
    let track = &results.tracks[&Track::Regret];
    let EntryResults::Values(random) = &track.entries["random"] else { panic!("it plays") };
    let EntryResults::Values(dts) = &track.entries["dts"] else { panic!("it plays") };
    for (problem, (random, dts)) in track.problems.iter().zip(random.iter().zip(dts)) {
        let has_winner = problem != "cycle-20";
        assert_eq!([random[0].is_some(), random[1].is_some(), random[2].is_some()], [has_winner, !has_winner, true]);
        for (random, dts) in random.iter().zip(dts).filter_map(|(random, dts)| Some((random.as_ref()?, dts.as_ref()?)))
        {
            // 200,000 arms drawn at random, with gaps that deviate by no more than their mean: 0.2%.
            assert!(random.iter().all(|share| (share - 1.0).abs() < 0.015), "{problem}: {random:?}");
            assert!(dts.iter().all(|share| *share < 0.9), "{problem}: {dts:?}");
        }
    }
}

#[test]
fn a_policy_costs_what_it_costs_elsewhere() {
    use bandits::{Generators, MatrixArena, Recorder, problems};
    let strengths: Vec<f64> = (0..20).map(|arm| libm::exp(-0.2 * f64::from(arm))).collect();
    let arena = MatrixArena::new(problems::btl(&strengths).expect("twenty arms")).expect("a winner");
    let mean_gap = bandits::Arena::gaps(&arena).iter().sum::<f64>() / 20.0;
    let spec: bandits::registry::Spec = "rucb".parse().expect("a policy");
    let elsewhere: Vec<f64> = (0..6)
        .map(|seed| {
            let mut policy = spec.policy(20, Some(100_000)).expect("twenty arms");
            let mut recorder = Recorder::new(vec![100_000]);
            bandits::play(&mut policy, &mut arena.clone(), 100_000, &mut Generators::from_seed(seed), &mut recorder);
            recorder.total().average / (mean_gap * 100_000.0)
        })
        .collect();
    let problems = Some(vec!["order-20".to_owned()]);
    let results = played(Request { problems, ..request(&[Track::Regret], vec![policy("rucb")], 6) });
    let EntryResults::Values(values) = &results.tracks[&Track::Regret].entries["rucb"] else { panic!("it plays") };
    let here = values[0][0].as_ref().expect("there is a winner");
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let deviation =
        |values: &[f64]| values.iter().map(|value| (value - mean(values)).powi(2)).sum::<f64>().sqrt() / 6.0;
    let bound = 5.0 * (deviation(here).powi(2) + deviation(&elsewhere).powi(2)).sqrt();
    assert!((mean(here) - mean(&elsewhere)).abs() < bound, "{here:?} {elsewhere:?}");
}

#[test]
fn requests_that_cannot_be_are_refused() {
    let twice = BenchStudy::new(request(&[Track::Best], vec![policy("dts"), policy("dts")], 1));
    assert!(twice.err().expect("twice").to_string().contains("two entries are called `dts`"));
    let nothing =
        Request { problems: Some(vec!["changing-20".to_owned()]), ..request(&[Track::Best], vec![policy("dts")], 1) };
    assert!(BenchStudy::new(nothing).err().expect("nothing").to_string().contains("nothing to play"));
}
