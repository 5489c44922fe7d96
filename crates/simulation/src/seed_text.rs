//! The frozen texts that seeds and cache keys are hashed from.
//!
//! The random streams of a run, and the file names of stored runs, truths and matrices, depend on what is simulated.
//! Types, fields and words elsewhere may be renamed, but the texts that [`seed_text`] returns must not change: every
//! result would change with them. Only a new model may add a text.

use std::collections::BTreeMap;

use bandits::RegretKind;
use bandits::open::AnswerTiming;
use bandits::registry::Spec;
use clicks::FractionalLabels;
use interleave::CreditTies;
use output::cache::sha256_hex;
use rankers::TieBreaking;
use serde::Serialize;

use crate::description::{Effort, SiteDescription};
use crate::late_answers::LateAnswers;
use crate::seed::Streams;

/// The subject of a text.
#[derive(Debug, Clone, Copy)]
pub enum SeedSubject<'a> {
    /// A live site: everything an impression depends on. The name of the data set is omitted: the same content under
    /// another name is the same site.
    Site(&'a SiteDescription),
    /// Everything in a site that its ground truth depends on: all except how live lists are mixed.
    TruthSite(&'a SiteDescription),
    /// Arenas with impressions drawn from these streams; nothing is added for those of a run.
    Streams {
        /// The text of the arenas.
        arenas: &'a str,
        /// Where impressions are drawn from.
        streams: Streams,
    },
    /// Arenas with late answers; nothing is added if each comes before the next choice.
    Late {
        /// The text of the arenas.
        arenas: &'a str,
        /// How late answers come.
        late: &'a LateAnswers,
    },
    /// A preference matrix, identified by the checksum of its text.
    Matrix(&'a str),
    /// Arenas of a matrix that changes.
    Changing {
        /// The text of the arenas without changes.
        arenas: &'a str,
        /// The first step of each later matrix, and the checksum of its text.
        later: &'a [(u64, &'a str)],
    },
    /// A problem, identified by its full name.
    Problem(&'a str),
    /// An environment from outside, identified by its name.
    Outside(&'a str),
    /// The streams of a run of an algorithm.
    Run {
        /// The text of the arenas.
        arenas: &'a str,
        /// The algorithm.
        algorithm: &'a Spec,
    },
    /// An algorithm together with its revision, for stored runs.
    Revised(&'a Spec),
    /// Arenas together with the gaps that regret is computed from.
    Measured {
        /// The text of the arenas.
        arenas: &'a str,
        /// The gap of each arm.
        gaps: &'a [f64],
    },
    /// The same, and which number of a step is counted as regret.
    WithRegretKind {
        /// The text of the [measured](Self::Measured) arenas.
        measured: &'a str,
        /// The kind of regret: only weak and strong regret do not count the mean over the arms played.
        regret: RegretKind,
    },
    /// A cell of an experiment: its finished runs are stored.
    Cell {
        /// The text of the [measured](Self::Measured) arenas.
        measured: &'a str,
        /// The algorithm.
        algorithm: &'a Spec,
        /// The steps after which the regret is recorded.
        checkpoints: &'a [u64],
        /// The master seed.
        seed: u64,
        /// Whether suboptimal steps are counted too.
        suboptimal: bool,
    },
    /// A stored ground truth.
    Truth {
        /// The site.
        site: &'a SiteDescription,
        /// The master seed.
        seed: u64,
        /// How many comparisons are spent.
        effort: Effort,
    },
    /// A stored matrix estimated for an experiment.
    EstimatedMatrix {
        /// The site.
        site: &'a SiteDescription,
        /// Comparisons per pair.
        comparisons: u64,
        /// The master seed.
        seed: u64,
    },
    /// Stored shares of rankers that appear to beat the best under a multileaving.
    Distortion {
        /// The site.
        site: &'a SiteDescription,
        /// The arms that count as the best.
        winners: &'a [usize],
        /// Rankers per set.
        size: usize,
        /// Impressions per set.
        multileavings: u64,
        /// Sets of rankers.
        sets: u64,
        /// The master seed.
        seed: u64,
    },
    /// The agreement of interleaving methods and A/B tests on pairs of rankers.
    Agreement {
        /// The site.
        site: &'a SiteDescription,
        /// The methods in full.
        methods: &'a [String],
        /// Impressions after which is looked.
        horizons: &'a [u64],
        /// Pairs of rankers.
        pairs: u64,
        /// The master seed.
        seed: u64,
    },
    /// A random set of an experiment's rankers.
    Subset {
        /// The number of rankers drawn.
        size: usize,
        /// The number of rankers drawn from.
        arms: usize,
    },
}

/// The frozen text of `seeded`.
#[must_use]
pub fn seed_text(seeded: SeedSubject<'_>) -> String {
    match seeded {
        SeedSubject::Site(site) => json(&FrozenSite::of(site)),
        SeedSubject::TruthSite(site) => json(&FrozenSite { interleave: "", multileave: "", ..FrozenSite::of(site) }),
        SeedSubject::Streams { arenas, streams: Streams::Sequential } => arenas.to_owned(),
        SeedSubject::Streams { arenas, streams: Streams::Keyed } => format!("{arenas}\nstreams keyed"),
        SeedSubject::Late { arenas, late } if late.is_none() => arenas.to_owned(),
        SeedSubject::Late { arenas, late: LateAnswers { timing, file } } => {
            let AnswerTiming { delay, batch, lost, expires } = timing;
            let delay = file.as_ref().map_or_else(|| delay.to_string(), |file| format!("in {}", file.checksum));
            let expires = expires.map_or_else(String::new, |expires| format!(" expires {expires}"));
            format!("{arenas}\nlate {delay} batch {batch} lost {lost}{expires}")
        }
        SeedSubject::Matrix(checksum) => format!("matrix {checksum}"),
        SeedSubject::Changing { arenas, later } => {
            let changes: String =
                later.iter().map(|(from, checksum)| format!("\nfrom {from} matrix {checksum}")).collect();
            format!("{arenas}{changes}")
        }
        SeedSubject::Problem(name) => format!("problem {name}"),
        SeedSubject::Outside(name) => format!("outside {name}"),
        SeedSubject::Run { arenas, algorithm } => format!("{arenas}\n{}", algorithm.canonical()),
        SeedSubject::Revised(algorithm) => match algorithm.entry().revision {
            1 => algorithm.canonical(),
            revision => format!("{} (revision {revision})", algorithm.canonical()),
        },
        SeedSubject::Measured { arenas, gaps } => {
            let gaps: String = gaps.iter().map(|gap| format!("{:x},", gap.to_bits())).collect();
            format!("{arenas}\ngaps {}", sha256_hex(&gaps))
        }
        SeedSubject::WithRegretKind { measured, regret: regret @ (RegretKind::Weak | RegretKind::Strong) } => {
            format!("{measured}\nregret {regret}")
        }
        SeedSubject::WithRegretKind { measured, .. } => measured.to_owned(),
        SeedSubject::Cell { measured, algorithm, checkpoints, seed, suboptimal } => format!(
            "{measured}\n{}\ncheckpoints {checkpoints:?}\nseed {seed}\nsuboptimal {suboptimal}",
            seed_text(SeedSubject::Revised(algorithm))
        ),
        SeedSubject::Truth { site, seed, effort: Effort { coarse, fine, budget } } => format!(
            "truth 2\n{}\nseed {seed}\nEffort {{ coarse: {coarse}, fine: {fine}, budget: {budget} }}",
            seed_text(SeedSubject::TruthSite(site))
        ),
        SeedSubject::EstimatedMatrix { site, comparisons, seed } => {
            format!("proxy 2\n{}\n{comparisons}\nseed {seed}", seed_text(SeedSubject::Site(site)))
        }
        SeedSubject::Distortion { site, winners, size, multileavings, sets, seed } => format!(
            "distortion 1\n{}\nwinners {winners:?}\nPlan {{ size: {size}, multileavings: {multileavings}, sets: {sets}, \
             seed: {seed} }}\n{}",
            seed_text(SeedSubject::Site(site)),
            site.multileave
        ),
        SeedSubject::Agreement { site, methods, horizons, pairs, seed } => format!(
            "agreement 1\n{}\nmethods {methods:?}\nhorizons {horizons:?}\npairs {pairs}\nseed {seed}",
            seed_text(SeedSubject::Site(site))
        ),
        SeedSubject::Subset { size, arms } => format!("subset of {size} of {arms}"),
    }
}

/// The frozen text of a live site as a JSON value, so that a stored proxy state can report what differs.
#[must_use]
pub fn site_identity(site: &SiteDescription) -> serde_json::Value {
    serde_json::to_value(FrozenSite::of(site)).expect("plain data can always be written")
}

fn json(site: &FrozenSite<'_>) -> String {
    serde_json::to_string(site).expect("plain data can always be written")
}

/// A site in the form of the first release.
#[derive(Serialize)]
struct FrozenSite<'a> {
    dataset: FrozenDataset<'a>,
    rankers: Vec<u32>,
    tie_breaking: FrozenTies,
    click: FrozenClick<'a>,
    shown: u16,
    interleave: &'a str,
    multileave: &'a str,
    credit_ties: &'static str,
}

#[derive(Serialize)]
struct FrozenDataset<'a> {
    /// Always empty.
    name: &'static str,
    synthetic: bool,
    checksum: &'a str,
    queries: usize,
    documents: usize,
    features: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum FrozenTies {
    Random,
    Fixed(u64),
}

#[derive(Serialize)]
struct FrozenClick<'a> {
    model: &'a str,
    click: &'a [f64],
    stop: &'a [f64],
    fractional_labels: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    examination: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    other: &'a BTreeMap<&'static str, Vec<f64>>,
}

impl<'a> FrozenSite<'a> {
    fn of(site: &'a SiteDescription) -> Self {
        let (dataset, click) = (&site.dataset, &site.click);
        Self {
            dataset: FrozenDataset {
                name: "",
                synthetic: dataset.synthetic,
                checksum: &dataset.checksum,
                queries: dataset.queries,
                documents: dataset.documents,
                features: dataset.features,
            },
            rankers: site.rankers.iter().map(|feature| feature.0).collect(),
            tie_breaking: match site.tie_breaking {
                TieBreaking::Random => FrozenTies::Random,
                TieBreaking::Fixed(seed) => FrozenTies::Fixed(seed),
            },
            click: FrozenClick {
                model: &click.model,
                click: &click.click,
                stop: &click.stop,
                fractional_labels: match click.fractional_labels {
                    FractionalLabels::Round => "round",
                    FractionalLabels::Floor => "floor",
                    FractionalLabels::Interpolate => "interpolate",
                },
                examination: click.examination.as_deref(),
                other: &click.other,
            },
            shown: site.shown,
            interleave: &site.interleave,
            multileave: &site.multileave,
            credit_ties: match site.credit_ties {
                CreditTies::Redrawn => "redrawn",
                CreditTies::Same => "same",
            },
        }
    }
}

impl SiteDescription {
    /// The text that the seeds of runs on this site are derived from.
    #[must_use]
    pub fn seed_text(&self) -> String {
        seed_text(SeedSubject::Site(self))
    }
}

/// The texts and hashes here were written by the first release. They are what every seed and every kept result
/// depends on: a test that fails here says that all results would change.
#[cfg(test)]
mod tests {
    use bandits::{Arena, MatrixArena, log_spaced, problems};

    use super::*;
    use crate::prepared_site::PreparedSite;
    use crate::spec::SiteSpec;

    const DATA: &str = "\"synthetic\":true,\
        \"checksum\":\"ed6baeb2a4ed63b297214b7d57bb94e8effb5d33cd42d62526bffc7d6ef8e3e8\",\
        \"queries\":16,\"documents\":297,\"features\":46},\"rankers\":[1,2,3]";

    fn site(more: &str) -> PreparedSite {
        let text = format!("dataset = [\"mq2008-lookalike:0.02\"]\nrankers = \"1,2,3\"\n{more}");
        let spec: SiteSpec = text.parse().unwrap();
        spec.prepare(spec.open(None, None).unwrap().into(), 1).unwrap()
    }

    /// `--click 0:0.1,1:0.5,2:0.9 --stop 0:0,1:0.5,2:1 --fractional-labels floor --ties fixed --shown 5
    /// --interleave team-draft:prefix`.
    fn unusual() -> PreparedSite {
        site(
            "click = { click = \"0:0.1,1:0.5,2:0.9\", stop = \"0:0,1:0.5,2:1\" }\nfractional-labels = \"floor\"\n\
             ties = \"fixed\"\nshown = 5\ninterleave = \"team-draft:prefix\"",
        )
    }

    #[test]
    fn a_live_site() {
        let text = format!(
            "{{\"dataset\":{{\"name\":\"\",{DATA},\"tie_breaking\":\"random\",\"click\":{{\"model\":\"navigational\",\
             \"click\":[0.05,0.5,0.95],\"stop\":[0.2,0.5,0.9],\"fractional_labels\":\"round\"}},\"shown\":10,\
             \"interleave\":\"probabilistic\",\"multileave\":\"sosm\",\"credit_ties\":\"redrawn\"}}"
        );
        assert_eq!(site("").description.seed_text(), text);
        assert_eq!(sha256_hex(&text)[..24], *"b7645c436323fca27f97b524");
    }

    #[test]
    fn an_unusual_site_and_its_truth() {
        let text = format!(
            "truth 2\n{{\"dataset\":{{\"name\":\"\",{DATA},\"tie_breaking\":{{\"fixed\":7352399557573699690}},\
             \"click\":{{\"model\":\"click 0:0.1,1:0.5,2:0.9 stop 0:0,1:0.5,2:1\",\"click\":[0.1,0.5,0.9],\
             \"stop\":[0.0,0.5,1.0],\"fractional_labels\":\"floor\"}},\"shown\":5,\"interleave\":\"\",\"multileave\":\"\",\
             \"credit_ties\":\"redrawn\"}}\nseed 1\nEffort {{ coarse: 20000, fine: 200000, budget: 60000000 }}"
        );
        let site = unusual();
        let of_truth = SeedSubject::Truth { site: &site.description, seed: 1, effort: Effort::for_arms(3) };
        assert_eq!(seed_text(of_truth), text);
        // The name of the file that the first release kept it in.
        assert_eq!(sha256_hex(&text)[..24], *"eaeecd75609c21f214e89cab");
    }

    #[test]
    fn a_proxy() {
        let expected = "{\"click\":{\"click\":[0.05,0.5,0.95],\"fractional_labels\":\"round\",\
            \"model\":\"navigational\",\"stop\":[0.2,0.5,0.9]},\"credit_ties\":\"redrawn\",\"dataset\":{\"checksum\":\
            \"ed6baeb2a4ed63b297214b7d57bb94e8effb5d33cd42d62526bffc7d6ef8e3e8\",\"documents\":297,\"features\":46,\
            \"name\":\"\",\"queries\":16,\"synthetic\":true},\"interleave\":\"probabilistic\",\"multileave\":\"sosm\",\
            \"rankers\":[1,2,3],\"shown\":10,\"tie_breaking\":\"random\"}";
        assert_eq!(site_identity(&site("").description).to_string(), expected);
    }

    /// The name of the file that the first release kept the runs of RUCB in, at 100 steps.
    fn kept_runs(arenas: &str, gaps: &[f64]) -> String {
        let measured = seed_text(SeedSubject::Measured { arenas, gaps });
        let algorithm: Spec = "rucb".parse().unwrap();
        let checkpoints = log_spaced(100, 10);
        let cell = SeedSubject::Cell {
            measured: &measured,
            algorithm: &algorithm,
            checkpoints: &checkpoints,
            seed: 1,
            suboptimal: false,
        };
        sha256_hex(&format!("cell 2\n{}", seed_text(cell)))[..24].to_owned()
    }

    #[test]
    fn a_live_cell_of_an_experiment() {
        let site = site("click = \"informational\"\ncredit-ties = \"same\"");
        let cache = tempfile::tempdir().unwrap();
        let truth = site.truth(Effort::for_arms(3), 1, cache.path(), true).unwrap();
        assert!(cache.path().join("truth-248d34dae09d0435c63968ef.json").is_file());
        assert_eq!(kept_runs(&site.description.seed_text(), &truth.gaps), "a4c794a5fa496769be856f67");
    }

    #[test]
    fn a_matrix_cell_of_an_experiment() {
        let arena = MatrixArena::new(problems::arithmetic(4).unwrap()).unwrap();
        let checksum = sha256_hex(&arena.matrix().to_text());
        let text = seed_text(SeedSubject::Matrix(&checksum));
        assert_eq!(text, "matrix 3d3d06b53973ba4130bbcb44b08fd9cde77db5e8303d56aab450620d46b30e9a");
        assert_eq!(kept_runs(&text, arena.gaps()), "060ecf06e7d75d7a2bb36402");
    }

    #[test]
    fn the_rest() {
        let site = site("");
        let rucb: Spec = "rucb".parse().unwrap();
        let whole = site.description.seed_text();
        assert_eq!(
            seed_text(SeedSubject::Run { arenas: "problem normal:k=4:sd=1:seed=1", algorithm: &rucb }),
            "problem normal:k=4:sd=1:seed=1\nrucb:variant=arxiv:alpha=0.51:unseen=2"
        );
        for (streams, text) in [(Streams::Sequential, "m"), (Streams::Keyed, "m\nstreams keyed")] {
            assert_eq!(seed_text(SeedSubject::Streams { arenas: "m", streams }), text);
        }
        let changing = SeedSubject::Changing { arenas: "matrix 3d", later: &[(50, "9f"), (60, "3d")] };
        assert_eq!(seed_text(changing), "matrix 3d\nfrom 50 matrix 9f\nfrom 60 matrix 3d");
        let late = LateAnswers::new(Some("geometric:1000"), Some(50), Some(0.1)).unwrap();
        assert_eq!(
            seed_text(SeedSubject::Late { arenas: "m", late: &late }),
            "m\nlate geometric:1000 batch 50 lost 0.1"
        );
        assert_eq!(seed_text(SeedSubject::Late { arenas: "m", late: &LateAnswers::default() }), "m");
        assert_eq!(seed_text(SeedSubject::Problem("normal:k=4:sd=1:seed=1")), "problem normal:k=4:sd=1:seed=1");
        assert_eq!(seed_text(SeedSubject::Outside("Judge")), "outside Judge");
        assert_eq!(seed_text(SeedSubject::Revised(&rucb)), rucb.canonical());
        let revised: Spec = "dts-plus".parse().unwrap();
        assert_eq!(seed_text(SeedSubject::Revised(&revised)), "dts-plus:variant=paper:alpha=0.51 (revision 2)");
        let matrix = SeedSubject::EstimatedMatrix { site: &site.description, comparisons: 10, seed: 1 };
        assert_eq!(seed_text(matrix), format!("proxy 2\n{whole}\n10\nseed 1"));
        let agreement = SeedSubject::Agreement {
            site: &site.description,
            methods: &["team-draft".to_owned()],
            horizons: &[10, 100],
            pairs: 2,
            seed: 1,
        };
        assert_eq!(
            seed_text(agreement),
            format!("agreement 1\n{whole}\nmethods [\"team-draft\"]\nhorizons [10, 100]\npairs 2\nseed 1")
        );
        let distortion = SeedSubject::Distortion {
            site: &site.description,
            winners: &[0, 2],
            size: 3,
            multileavings: 200,
            sets: 2,
            seed: 1,
        };
        assert_eq!(
            seed_text(distortion),
            format!(
                "distortion 1\n{whole}\nwinners [0, 2]\nPlan {{ size: 3, multileavings: 200, sets: 2, seed: 1 }}\nsosm"
            )
        );
        for (regret, text) in [(RegretKind::Borda, "m"), (RegretKind::Weak, "m\nregret weak")] {
            assert_eq!(seed_text(SeedSubject::WithRegretKind { measured: "m", regret }), text);
        }
        assert_eq!(seed_text(SeedSubject::Subset { size: 3, arms: 10 }), "subset of 3 of 10");
    }
}
