//! Names, parameters and refusals.

use super::*;

fn message(text: &str) -> String {
    text.parse::<Spec>().expect_err(text).to_string()
}

#[test]
fn specs_are_read_and_written_in_full() {
    let full = |text: &str| text.parse::<Spec>().expect(text).canonical();
    assert_eq!(full("rucb"), "rucb:variant=arxiv:alpha=0.51:unseen=2");
    assert_eq!(full("mergerucb:alpha=1.01:p=4:delta=0.01"), "mergerucb:variant=lerot:alpha=1.01:p=4:delta=0.01:c=auto");
    assert_eq!(
        full(" MergeRUCB : c=4e5 : alpha=0.262144 : variant=paper"),
        "mergerucb:variant=paper:alpha=0.262144:p=4:delta=0.01:c=400000"
    );
    for entry in entries() {
        let canonical = full(entry.name);
        assert_eq!(full(&canonical), canonical);
    }
}

/// Documentation and registry cite the same papers.
#[test]
fn papers_are_those_of_the_documentation() {
    fn read(folder: &std::path::Path, all: &mut String) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                read(&path, all);
            } else {
                all.push_str(&std::fs::read_to_string(&path).expect("a source file").replace("//!", " "));
            }
        }
    }
    let mut documentation = String::new();
    read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/policies"), &mut documentation);
    let documentation = documentation.split_whitespace().collect::<Vec<_>>().join(" ");
    let papers: Vec<_> = entries().iter().filter_map(|entry| entry.paper).collect();
    for paper in &papers {
        let said = format!("{}, \"{}\",", paper.authors.join(", "), paper.title);
        assert!(documentation.contains(&said), "{said}");
        assert!(documentation.contains(&format!("<{}>", paper.url)), "{}", paper.url);
        assert!(paper.citation.ends_with(&paper.year.to_string()), "{}", paper.citation);
        assert!(papers.iter().all(|other| other.key != paper.key || other == paper), "{}", paper.key);
    }
    assert!(papers.len() > 20);
}

#[test]
fn a_paper_is_a_bibtex_entry() {
    let entry = |name: &str| name.parse::<Spec>().expect(name).entry().paper.expect(name).bibtex();
    assert_eq!(
        entry("mdb"),
        "@inproceedings{brost2016multi,\n  author = {B. Brost and Y. Seldin and I. J. Cox and C. Lioma},\n  \
         title = {{Multi-Dueling Bandits and Their Application to Online Ranker Evaluation}},\n  booktitle = {CIKM},\n  \
         year = {2016},\n  url = {https://doi.org/10.1145/2983323.2983659},\n  doi = {10.1145/2983323.2983659},\n}\n"
    );
    assert!(entry("mergedts").starts_with("@article{li2020mergedts,\n") && !entry("rucb").contains("doi"));
}

#[test]
fn names_and_keys_are_unique() {
    let entries = entries();
    for (i, entry) in entries.iter().enumerate() {
        assert!(entries[..i].iter().all(|other| other.name != entry.name));
        for (k, parameter) in entry.parameters.iter().enumerate() {
            assert!(entry.parameters[..k].iter().all(|other| other.key != parameter.key));
        }
    }
}

/// `prefer.rs` and `memory.rs` have a row for every algorithm, and no other.
#[test]
fn each_algorithm_has_its_rows() {
    let names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
    let add = "add a row to src/registry";
    let rows: Vec<_> = prefer::PREFER.iter().map(|row| row.0).collect();
    assert_eq!(rows, names, "{add}/prefer.rs");
    let rows: Vec<_> = memory::MEMORY.iter().map(|row| row.0).collect();
    assert_eq!(rows, names, "{add}/memory.rs");
}

/// Algorithms that take memory per pair refuse too many arms.
#[test]
fn memory_per_pair_limits_the_arms() {
    fn keeps_all_pairs<C: PolicyConfig>(_: &C) -> bool {
        C::ALL_PAIRS
    }
    for entry in entries() {
        let any = AnyAlgorithm::named(entry.name).expect(entry.name);
        let declared = each!(&any, algorithm => keeps_all_pairs(algorithm));
        assert_eq!(declared, entry.memory.per_pair > 0, "{}", entry.name);
    }
}

#[test]
fn slips_are_named() {
    assert_eq!(message("rucp"), "no algorithm is called `rucp`; did you mean `rucb`?");
    assert_eq!(message("merge-rucb"), "no algorithm is called `merge-rucb`; did you mean `mergerucb`?");
    assert_eq!(message("thompson"), "no algorithm is called `thompson`");
    assert_eq!(
        message("rucb:alfa=1"),
        "rucb has no parameter `alfa` (parameters: variant, alpha, unseen); did you mean `alpha`?"
    );
    assert_eq!(message("random:k=1"), "random has no parameter `k` (parameters: none)");
    assert_eq!(
        message("rucb:0.5"),
        "expected `key=value`, found `0.5`; write an algorithm as name:key=value:key=value"
    );
    assert_eq!(message("rucb:alpha=1:alpha=2"), "the parameter `alpha` is given twice");
    assert_eq!(message("rucb:alpha=x"), "alpha: expected a number, found `x`");
    assert_eq!(message("rucb:variant=b"), "variant: expected one of icml arxiv lerot, found `b`");
    assert_eq!(message("mergerucb:p=4.5"), "p: expected a whole number, found `4.5`");
}

#[test]
fn each_rule_has_its_error() {
    use ParameterError::{BatchTooSmall, BelowMinimum, NotAProbability, NotAShare, NotPositive, TooSmall};
    let error = |text: &str| text.parse::<Spec>().expect_err(text);
    for text in ["rucb:alpha=0", "rucb:alpha=nan", "mdb:alpha=-1", "mdb:beta=inf"] {
        assert!(matches!(error(text), NotPositive { .. }), "{text}");
    }
    for text in [
        "rmed1:factor=0",
        "rmed1:power=-1",
        "rmed2:alpha=0",
        "rmed2fh:factor=nan",
        "rmed2fh:power=0",
        "sparring:scale=0",
        "doubler:scale=-1",
        "multisbm:scale=inf",
        "self-sparring:eta=0",
        "ccb:alpha=0",
        "scb:alpha=-1",
        "mergerucb:alpha=0",
        "mergerucb:c=0",
    ] {
        assert!(matches!(error(text), NotPositive { .. }), "{text}");
    }
    assert!(matches!(error("mergerucb:alpha=0.5"), TooSmall { key: "alpha", .. }));
    assert!(matches!(error("mdb:beta=0.9"), BelowMinimum { key: "beta", .. }));
    assert!(matches!(error("rucb:unseen=0.4"), BelowMinimum { key: "unseen", .. }));
    for text in ["mergerucb:p=1", "mergerucb-parallel:p=1", "mergerucb-squared:p=1"] {
        assert!(matches!(error(text), BatchTooSmall { key: "p", value: 1 }), "{text}");
    }
    assert!(matches!(error("self-sparring:m=1"), BatchTooSmall { key: "m", value: 1 }));
    assert!(matches!(error("winner-stays-strong:beta=1"), TooSmall { key: "beta", .. }));
    assert!(matches!(error("mergerucb-squared:first=1"), BelowMinimum { key: "first", .. }));
    assert!(matches!(error("mergerucb-squared:alpha=0.5"), TooSmall { key: "alpha", .. }));
    for text in ["rex3:gamma=0", "rex3:gamma=1.5", "sparring-exp3:gamma=nan"] {
        assert!(matches!(error(text), NotAShare { key: "gamma", .. }), "{text}");
    }
    for text in ["mergerucb:delta=0", "mergerucb:delta=1", "mergerucb:delta=nan"] {
        assert!(matches!(error(text), NotAProbability { key: "delta", .. }), "{text}");
    }
    assert_eq!(
        message("mergerucb:alpha=0.4"),
        "alpha must be above 0.5, found 0.4; C(delta) is undefined there; give c itself to go below"
    );
}

#[test]
fn cautions_name_what_theory_does_not_cover() {
    let warning = |text: &str| text.parse::<Spec>().expect(text).warning();
    assert_eq!(warning("rucb"), None);
    assert!(warning("rucb:alpha=0.1").is_some());
    assert_eq!(warning("mdb"), None);
    assert!(warning("mdb:alpha=0.4").is_some());
    assert!(warning("mergerucb:p=2").is_some());
    assert!(warning("mergerucb:alpha=0.3:c=10").is_some());
    assert_eq!(
        warning("mergerucb-parallel:p=2").as_deref(),
        Some("mergerucb-parallel: p = 2 is below 4, as its theory needs")
    );
    assert!(warning("mergerucb-squared:p=2").is_some());
    for text in ["sparring:scale=0.5", "doubler:scale=1", "multisbm:scale=0.9", "rex3:gamma=0.6", "ccb:alpha=0.5"] {
        assert!(warning(text).is_some(), "{text}");
    }
    for entry in entries() {
        assert_eq!(warning(entry.name), None, "{}", entry.name);
    }
}

#[test]
fn cautions_name_what_has_no_effect() {
    let warning = |text: &str| text.parse::<Spec>().expect(text).warning();
    for (text, key) in [
        ("rucb:variant=lerot:unseen=1", "unseen"),
        ("scb:alpha=0.6", "alpha"),
        ("mergerucb:c=4e5:delta=0.1", "delta"),
        ("mergerucb-parallel:c=4e5:delta=0.1", "delta"),
        ("mergedts:c=4e5:delta=0.1", "delta"),
        ("btm:epsilon=0.1", "epsilon"),
        ("sparring-exp3:variant=mergedts:gamma=0.1", "variant"),
    ] {
        let said = warning(text).expect(text);
        assert!(said.contains(&format!("{key} has no effect beside ")), "{said}");
    }
    for text in [
        "rucb:unseen=1",
        "rucb:variant=lerot",
        "scb:variant=wu:alpha=0.6",
        "mergerucb:delta=0.1",
        "mergedts:c=4e5",
        "mergerucb-squared:first=9",
        "btm:setting=pac:epsilon=0.1",
        "rex3:variant=mergedts:gamma=0.1",
    ] {
        assert_eq!(warning(text), None, "{text}");
    }
    assert_eq!(
        warning("rucb:variant=lerot:alpha=0.1:unseen=1").as_deref(),
        Some("rucb: alpha = 0.1 is not above 1/2, as its theory needs; unseen has no effect beside variant=lerot")
    );
}

#[test]
fn horizons_are_used_where_nothing_stands_in_for_them() {
    let uses = |text: &str| text.parse::<Spec>().expect(text).uses_horizon();
    for text in ["rmed2fh", "rex3", "sparring-exp3", "btm", "btm:epsilon=0.1", "savage:delta=0.1"] {
        assert!(uses(text), "{text}");
    }
    let given = ["rex3:gamma=0.1", "rex3:variant=mergedts", "sparring-exp3:gamma=1", "btm:delta=0.01"];
    for text in ["rucb", "btm:setting=pac", "btm:setting=pac:delta=0.1"].into_iter().chain(given) {
        assert!(!uses(text), "{text}");
    }
    for entry in entries() {
        assert_eq!(entry.needs_horizon, uses(entry.name), "{}", entry.name);
    }
}

#[test]
fn what_is_played_depends_on_parameters() {
    let plays = |text: &str| text.parse::<Spec>().expect(text).action_kind();
    assert_eq!(plays("self-sparring:m=2"), ActionKind::Duels);
    assert_eq!(plays("self-sparring:m=5"), ActionKind::Sets);
    for entry in entries() {
        assert_eq!(entry.action_kind, plays(entry.name), "{}", entry.name);
    }
}

/// The number of arms of a policy.
struct Count;

impl PolicyVisitor for Count {
    type Output = usize;

    fn visit<P: Policy + Send>(self, policy: P) -> usize {
        policy.arms()
    }
}

#[test]
fn a_horizon_that_is_used_must_be_known() {
    let all = entries().into_iter().map(|entry| entry.name);
    for text in all.chain(["btm:setting=pac", "btm:delta=0.1", "rex3:gamma=0.1", "sparring-exp3:variant=mergedts"]) {
        let spec: Spec = text.parse().expect(text);
        let expected = match spec.uses_horizon() {
            true => Err(ParameterError::NoHorizon { algorithm: spec.entry().name }),
            false => Ok(3),
        };
        // The policy itself refuses: the registry only hands on.
        for unknown in [None, Some(0)] {
            assert_eq!(spec.visit(3, unknown, Count), expected, "{text}");
        }
        assert_eq!(spec.visit(3, Some(1), Count), Ok(3), "{text}");
    }
}

#[test]
fn policies_need_arms_and_room_for_them() {
    let mut ends = 0;
    for entry in entries() {
        let spec: Spec = entry.name.parse().expect(entry.name);
        assert_eq!(spec.visit(3, Some(10), Count), Ok(3));
        assert_eq!(spec.visit(0, Some(10), Count), Err(ParameterError::Arms { arms: 0 }));
        // Algorithms that keep all pairs refuse too many arms before they allocate memory.
        if let Err(error) = spec.visit(40_000, Some(10), Count) {
            assert_eq!(error, ParameterError::TooManyPairs { algorithm: entry.name, arms: 40_000 });
            ends += 1;
        }
    }
    assert!(ends > 10, "{ends}");
}

/// Always the first arm against the last.
#[derive(Debug)]
struct Stubborn;

impl ExternalAlgorithm for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn action_kind(&self) -> crate::ActionKind {
        crate::ActionKind::Duels
    }

    fn policy(&self, arms: usize, _horizon: Option<u64>) -> Box<dyn crate::OwnedPolicy> {
        /// Its arms, and the steps that it learnt from.
        #[derive(Clone)]
        struct FirstAndLast(usize, u64);
        impl Policy for FirstAndLast {
            fn arms(&self) -> usize {
                self.0
            }
            fn choose(&mut self, _: u64, _: &mut crate::Generator) -> crate::Choice<'_> {
                crate::Choice::Duel(crate::Arm(0), crate::Arm::at(self.0 - 1))
            }
            fn learn(&mut self, _: u64, _: crate::Feedback<'_>) {
                self.1 += 1;
            }
            fn recommend(&self, _: &mut crate::Generator) -> Option<crate::Arm> {
                Some(crate::Arm(u32::from(self.1 == 0)))
            }
        }
        Box::new(FirstAndLast(arms, 0))
    }
}

#[test]
fn algorithms_from_outside_are_played_like_those_of_the_list() {
    struct Play;
    impl PolicyVisitor for Play {
        type Output = (f64, Option<crate::Arm>);
        fn visit<P: Policy + Clone + Send>(self, policy: P) -> Self::Output {
            let mut arena = crate::MatrixArena::new(crate::problems::arithmetic(5).unwrap()).unwrap();
            let mut generators = crate::Generators::from_seed(1);
            let mut recorder = crate::Recorder::new(vec![100]);
            let mut policy = policy.clone();
            crate::play(&mut policy, &mut arena, 100, &mut generators, &mut recorder);
            // A clone has learnt what the policy had.
            (recorder.total().average, policy.clone().recommend(&mut generators.policy))
        }
    }
    let outside: std::sync::Arc<dyn ExternalAlgorithm> = std::sync::Arc::new(Stubborn);
    let spec = Spec::from(outside.clone());
    assert_eq!((spec.canonical().as_str(), spec.entry().name, spec.uses_horizon()), ("stubborn", "stubborn", false));
    assert_eq!((spec.memory(1_000_000), spec.warning()), (0, None));
    assert!(
        spec == Spec::from(outside)
            && spec != Spec::from(std::sync::Arc::new(Stubborn) as std::sync::Arc<dyn ExternalAlgorithm>)
    );
    assert!(spec != "rucb".parse().unwrap() && "stubborn".parse::<Spec>().is_err());
    // The last of five arms, each .05 behind the one before, costs .2 / 2.
    let (regret, best) = spec.visit(5, Some(100), Play).unwrap();
    assert!((regret - 10.0).abs() < 1e-9 && best == Some(crate::Arm(0)), "{regret}");
}

/// The example of `policies` for a registered algorithm does what its documentation says.
#[test]
fn the_example_is_an_algorithm() {
    use crate::policies::explore_first::ExploreFirstConfig;
    use crate::{Generators, MatrixArena, Recorder, StateReader, StateWriter, play, problems};

    let mut config = ExploreFirstConfig::default();
    config.parameter_mut("rounds").expect("its parameter").set("40").expect("a number");
    assert_eq!(config.parameters()[0].value, "40");
    assert_eq!(config.policy(0, None).map(|_| ()), Err(ParameterError::Arms { arms: 0 }));
    let (arms, name) = (40_000, "explore-first");
    assert_eq!(config.policy(arms, None).map(|_| ()), Err(ParameterError::TooManyPairs { algorithm: name, arms }));

    // Six pairs of four arms, 40 times; then arm 0 alone, which costs nothing.
    let mut policy = config.policy(4, None).expect("four arms");
    let mut arena = MatrixArena::new(problems::arithmetic(4).expect("four arms")).expect("arm 0");
    let mut generators = Generators::from_seed(1);
    let mut recorder = Recorder::new(vec![240, 10_000]);
    assert_eq!(policy.recommend(&mut generators.policy), None);
    play(&mut policy, &mut arena, 10_000, &mut generators, &mut recorder);
    let [explored, all] = [0, 1].map(|at| recorder.curve()[at].average);
    // Each arm takes part in half of the duels, with gaps of 0, .05, .1 and .15: their mean is .075.
    assert!((explored - 240.0 * 0.075).abs() < 1e-9 && (all - explored).abs() < 1e-9, "{explored} {all}");
    assert_eq!(policy.recommend(&mut generators.policy), Some(crate::Arm(0)));

    let mut saved = StateWriter::default();
    assert!(Policy::save(&policy, &mut saved));
    let saved = saved.into_bytes();
    let mut restored = config.policy(4, None).expect("four arms");
    Policy::load(&mut restored, &mut StateReader::new(&saved)).expect("its own state");
    assert_eq!(restored.recommend(&mut generators.policy), Some(crate::Arm(0)));
}
