//! A simulation and an experiment on the same users make the same choices.

use bandits::registry::Spec;
use bandits::{Choice as Played, Generator, Generators, Observer, play};
use clicks::DependentClickModel;
use clicks::FractionalLabels;
use interleave::keyed::RunKey;
use interleave::{Doc, ListBuf, RankedList};
use letor_io::{FeatureId, lookalike};
use rand::SeedableRng as _;
use rankers::{Rankings, TieBreaking};
use simulation::live_arena::LiveArena;
use simulation::site::{MixingMethods, Site};
use traffic::{Config, Experiment, Marks, Request, RequestAnswer};

const STEPS: u64 = 3_000;

/// Rankers of a look-alike, and navigational users.
fn site() -> Site {
    let dataset = lookalike::generate("mslr-lookalike", 0.002, 1).unwrap();
    let features: Vec<FeatureId> = (1..=6).map(|k| FeatureId(k * 20)).collect();
    let rankings = Rankings::new(&dataset, &features, TieBreaking::Random).unwrap();
    let clicks = DependentClickModel::preset("navigational", 4.0).unwrap().into();
    Site::new(&dataset, rankings, &clicks, FractionalLabels::Round, 10).unwrap()
}

/// The steps of a simulation.
#[derive(Default)]
struct Record(Vec<Vec<u32>>);

impl Observer for Record {
    fn played(&mut self, from: u64, to: u64, choice: Played<'_>, _gaps: &[f64]) {
        let arms: Vec<u32> = match choice {
            Played::Duel(first, second) if first == second => vec![first.0],
            Played::Duel(first, second) => vec![first.0, second.0],
            Played::Set(arms) => arms.iter().map(|arm| arm.0).collect(),
            Played::Alone { arm, .. } => vec![arm.0],
        };
        self.0.extend((from..=to).map(|_| arms.clone()));
    }
}

/// The list of a ranker as a search engine gives it: documents with scores; equal scores tie.
fn owned(list: RankedList<'_>) -> ListBuf {
    let of = |doc: usize| list.start(Doc(doc as u16)).map(|start| -f64::from(start));
    ListBuf::from_some_scores((0..list.documents()).map(of)).unwrap()
}

#[test]
fn an_experiment_chooses_what_a_simulation_plays() {
    let site = site();
    for (policy, interleaving, multileaving) in [
        ("rucb", "team-draft", "sosm"),
        ("dts", "probabilistic", "sosm"),
        ("mergerucb", "balanced", "sosm"),
        ("rmed1", "team-draft", "sosm"),
        ("sparring", "probabilistic", "sosm"),
        ("mdb", "team-draft", "sosm"),
        ("mdb", "team-draft", "team-draft"),
        ("bradley-terry", "probabilistic", "sosm"),
        ("self-sparring", "document-constraints", "pairwise-preference"),
    ] {
        let spec: Spec = policy.parse().unwrap();
        let horizon = if spec.uses_horizon() { STEPS } else { 0 };
        let states = [[7_u8; 32], [9_u8; 32]];
        let generators = || {
            let [policy, coins] = states.map(Generator::from_seed);
            Generators { policy, arena: coins.clone(), coins }
        };
        let methods =
            MixingMethods { interleaving: interleaving.parse().unwrap(), multileaving: multileaving.parse().unwrap() };
        let run = RunKey::new(42, 3);
        let mut arena = LiveArena::new(&site, &methods, &[0.0; 6], Generator::seed_from_u64(1), Some(run));
        let mut record = Record::default();
        let mut player = spec.policy(site.arms(), Some(horizon)).unwrap();
        play(&mut player, &mut arena, STEPS, &mut generators(), &mut record);

        let hex = |state: [u8; 32]| state.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let config = Config {
            policy: policy.to_owned(),
            horizon,
            interleaving: interleaving.to_owned(),
            multileaving: multileaving.to_owned(),
            seed: 42,
            run: 3,
            generators: Some(traffic::Generators { policy: hex(states[0]), coins: hex(states[1]) }),
            simulated: true,
            ..Config::of("equality", (0..site.arms()).map(|arm| format!("feature {arm}")))
        };
        let mut experiment = Experiment::create(config, 0).unwrap();
        for step in 1..=STEPS {
            let key = run.impression(step);
            let query = key.query(site.queries());
            let lists: Vec<ListBuf> = (0..site.arms()).map(|arm| owned(site.rankings().list(query, arm))).collect();
            let request = Request { unit: step, marks: Marks::default(), ..Request::default() };
            let now = step as i64 * 1_000;
            let chosen = experiment.choose(now, &request, Some(&|ranker| lists.get(ranker as usize))).unwrap();
            let RequestAnswer::New { impression, arms, documents: Some(documents), is_mixed } = chosen else {
                panic!("{chosen:?}")
            };
            assert_eq!(arms, record.0[step as usize - 1], "{policy} {interleaving}, step {step}");
            // No user clicks where nothing is compared: a simulation draws none.
            if is_mixed {
                let mut luck = key.users();
                let mut user = site.user(query, &mut luck);
                for (position, doc) in (0..).zip(documents) {
                    let seen = user(doc);
                    if seen.clicked {
                        experiment.click(now, impression, position);
                    }
                    if seen.abandons {
                        break;
                    }
                }
            }
            experiment.close(now, impression);
        }
        let credited = experiment.fates().credited;
        assert!(credited > 200, "{policy}: {credited}");
    }
}
