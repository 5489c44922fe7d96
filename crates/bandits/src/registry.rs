//! The table of algorithms: by name, with parameters as text, built into concrete types.
//!
//! ```
//! use bandits::registry::Spec;
//!
//! let spec: Spec = "rucb:alpha=0.6".parse()?;
//! assert_eq!(spec.canonical(), "rucb:variant=arxiv:alpha=0.6:unseen=2");
//! # Ok::<(), bandits::ParameterError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use crate::algorithm::{assign, nearest};
use crate::policies;
use crate::{ActionKind, Convergence, Paper, Parameter, ParameterError, Policy, PolicyConfig};

/// Makes [`Spec`]'s inside and [`entries`] from the list of algorithms.
macro_rules! algorithms {
    ($($variant:ident($($config:ident)::+)),* $(,)?) => {
        #[derive(Debug, Clone, PartialEq)]
        enum Any {
            $($variant($($config)::+),)*
        }

        impl Any {
            /// The algorithm of this name with its defaults.
            fn named(name: &str) -> Option<Self> {
                $(if name == <$($config)::+>::NAME {
                    return Some(Self::$variant(<$($config)::+>::default()));
                })*
                None
            }

            fn entry(&self) -> Entry {
                match self { $(Self::$variant(_) => Entry::of::<$($config)::+>(concat!($("::", stringify!($config)),+)),)* }
            }
        }

        /// Evaluates an expression for whichever algorithm it is.
        macro_rules! each {
            ($any:expr, $bound:ident => $body:expr) => {
                match $any { $(Any::$variant($bound) => $body,)* }
            };
        }

        /// Every algorithm there is, in the order of the crate's front page.
        #[must_use]
        pub fn entries() -> Vec<Entry> {
            vec![$(Entry::of::<$($config)::+>(concat!($("::", stringify!($config)),+))),*]
        }
    };
}

// To add an algorithm: one file in `policies/`, and one line here.
algorithms! {
    If1(policies::interleaved_filter::If1Config),
    If2(policies::interleaved_filter::If2Config),
    Btm(policies::btm::BtmConfig),
    Savage(policies::savage::SavageConfig),
    Rucb(policies::rucb::RucbConfig),
    MergeRucb(policies::merge_rucb::MergeRucbConfig),
    MergeRucbSquared(policies::merge_rucb::squared::MergeRucbSquaredConfig),
    MergeRucbParallel(policies::merge_rucb::parallel::MergeRucbParallelConfig),
    MergeDts(policies::merge_dts::MergeDtsConfig),
    Rcs(policies::rcs::RcsConfig),
    Rts(policies::rts::RtsConfig),
    Dts(policies::dts::DtsConfig),
    DtsPlus(policies::dts::DtsPlusConfig),
    Rmed1(policies::rmed1::Rmed1Config),
    Rmed2(policies::rmed2::Rmed2Config),
    Rmed2Fh(policies::rmed2::Rmed2FhConfig),
    Mdb(policies::mdb::MdbConfig),
    Sparring(policies::sparring::SparringConfig),
    SparringTs(policies::sparring_ts::SparringTsConfig),
    SparringExp3(policies::sparring_exp3::SparringExp3Config),
    Doubler(policies::doubler::DoublerConfig),
    MultiSbm(policies::multi_sbm::MultiSbmConfig),
    SelfSparring(policies::self_sparring::SelfSparringConfig),
    Rex3(policies::rex3::Rex3Config),
    WinnerStays(policies::winner_stays::WinnerStaysConfig),
    WinnerStaysStrong(policies::winner_stays::WinnerStaysStrongConfig),
    Ccb(policies::ccb::CcbConfig),
    Scb(policies::scb::ScbConfig),
    RandomPairs(policies::random::RandomPairsConfig),
    RandomSets(policies::random::RandomSetsConfig),
}

/// What the registry knows of an algorithm.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line: what it is and where it comes from.
    pub summary: &'static str,
    /// Its paper; `None` for baselines.
    pub paper: Option<Paper>,
    /// The path of its module in this crate, e.g. `policies::rucb`.
    pub module: &'static str,
    /// Settings worth trying beside the defaults, each with a phrase: [`PolicyConfig::VARIANTS`].
    pub variants: &'static [(&'static str, &'static str)],
    /// The revision of its choices: [`PolicyConfig::REVISION`].
    pub revision: u32,
    /// How many arms it chooses at a time, unless parameters change that ([`Spec::action_kind`]).
    pub action_kind: ActionKind,
    /// Whether it must know the horizon, unless parameters replace it ([`Spec::uses_horizon`]).
    pub needs_horizon: bool,
    /// How reliably it finds the best arm.
    pub convergence: Convergence,
    /// Its parameters with their defaults.
    pub parameters: Vec<Parameter>,
}

impl Entry {
    fn of<C: PolicyConfig>(path: &'static str) -> Self {
        Self {
            name: C::NAME,
            summary: C::SUMMARY,
            paper: C::PAPER,
            module: path.trim_start_matches(':').rsplit_once("::").map_or("", |(module, _)| module),
            variants: C::VARIANTS,
            revision: C::REVISION,
            action_kind: C::ACTION,
            needs_horizon: C::NEEDS_HORIZON,
            convergence: C::CONVERGENCE,
            parameters: C::default().parameters(),
        }
    }

    /// The names of its variants, `name:key=value` each.
    pub fn variant_names(&self) -> impl Iterator<Item = String> + '_ {
        self.variants.iter().map(|(setting, _)| format!("{}:{setting}", self.name))
    }
}

/// The table of algorithms in Markdown, a row each: what it chooses, whether it needs the horizon, variants and
/// paper. `first` makes the first cell, e.g. the name as a link.
#[must_use]
pub fn table(first: impl Fn(&Entry) -> String) -> String {
    let mut table = "| name | chooses | horizon | variants | paper |\n|---|---|---|---|---|\n".to_owned();
    for entry in entries() {
        let kinds = |kind| if kind == ActionKind::Duels { "duels" } else { "sets" };
        let (mut chooses, mut horizon) = (kinds(entry.action_kind).to_owned(), "not needed".to_owned());
        if entry.needs_horizon {
            horizon = "needed".to_owned();
        }
        let mut variants = Vec::new();
        for ((setting, phrase), name) in entry.variants.iter().zip(entry.variant_names()) {
            variants.push(format!("`{setting}` ({phrase})"));
            let Ok(spec) = name.parse::<Spec>() else { continue };
            if spec.action_kind() != entry.action_kind {
                chooses += &format!(", {} with `{setting}`", kinds(spec.action_kind()));
            }
            if entry.needs_horizon && !spec.uses_horizon() {
                horizon += &format!(", not with `{setting}`");
            }
        }
        let paper =
            entry.paper.map_or_else(|| "baseline".to_owned(), |paper| format!("[{}]({})", paper.citation, paper.url));
        let cells = [first(&entry), chooses, horizon, variants.join(", "), paper];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    table
}

/// Receives a policy as the concrete type that it is, so that a run loop stays static.
pub trait PolicyVisitor {
    /// The result of the visit.
    type Output;

    /// Takes the policy.
    fn visit<P: Policy + Clone + Send>(self, policy: P) -> Self::Output;
}

/// An algorithm with its parameters, written `name:key=value:key=value`, every parameter optional.
///
/// [`Display`](fmt::Display) writes it [in full](Self::canonical).
#[derive(Debug, Clone, PartialEq)]
pub struct Spec(Any);

impl Spec {
    /// The specification with every parameter spelt out: what belongs beside a result.
    #[must_use]
    pub fn canonical(&self) -> String {
        fn write<C: PolicyConfig>(config: &C) -> String {
            let mut text = C::NAME.to_owned();
            for parameter in config.parameters() {
                text.extend([":", parameter.key, "=", &parameter.value]);
            }
            text
        }
        each!(&self.0, algorithm => write(algorithm))
    }

    /// What the registry knows of the algorithm.
    #[must_use]
    pub fn entry(&self) -> Entry {
        self.0.entry()
    }

    /// How many arms it chooses at a time with these parameters.
    #[must_use]
    pub fn action_kind(&self) -> ActionKind {
        each!(&self.0, algorithm => algorithm.action_kind())
    }

    /// Whether it must know the horizon with these parameters: a result at one horizon then says
    /// nothing about another.
    #[must_use]
    pub fn uses_horizon(&self) -> bool {
        each!(&self.0, algorithm => algorithm.uses_horizon())
    }

    /// A warning where the parameters are accepted though no theory covers them, or one of them
    /// has no effect.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        each!(&self.0, algorithm => algorithm.warning())
    }

    /// How many steps its opening takes among `arms` arms: [`PolicyConfig::opening`].
    #[must_use]
    pub fn opening(&self, arms: usize) -> u64 {
        each!(&self.0, algorithm => algorithm.opening(arms))
    }

    /// Builds the policy for `arms` arms and `horizon` steps and hands it to `visitor`.
    ///
    /// # Errors
    /// If the algorithm cannot choose among that many arms, or [uses](Self::uses_horizon) its
    /// horizon and that is 0.
    pub fn visit<V: PolicyVisitor>(&self, arms: usize, horizon: u64, visitor: V) -> Result<V::Output, ParameterError> {
        each!(&self.0, algorithm => Ok(visitor.visit(algorithm.policy(arms, horizon)?)))
    }
}

impl FromStr for Spec {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(mut any) = Any::named(&name.to_lowercase()) else {
            let names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
            let suggestion = nearest(name, &names);
            return Err(ParameterError::UnknownAlgorithm { name: name.to_owned(), suggestion });
        };
        each!(&mut any, algorithm => {
            assign_to(algorithm, parts)?;
            algorithm.check()?;
        });
        Ok(Self(any))
    }
}

fn assign_to<'a, C: PolicyConfig>(
    config: &mut C,
    assignments: impl Iterator<Item = &'a str>,
) -> Result<(), ParameterError> {
    let keys: Vec<_> = config.parameters().iter().map(|parameter| parameter.key).collect();
    assign(C::NAME, &keys, assignments, |key, text| config.parameter_mut(key).map_or(Ok(()), |value| value.set(text)))
}

impl fmt::Display for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        text.parse::<Spec>().expect_err(text).to_string()
    }

    #[test]
    fn specs_are_read_and_written_in_full() {
        let full = |text: &str| text.parse::<Spec>().expect(text).canonical();
        assert_eq!(full("rucb"), "rucb:variant=arxiv:alpha=0.51:unseen=2");
        assert_eq!(
            full("mergerucb:alpha=1.01:p=4:delta=0.01"),
            "mergerucb:variant=lerot:alpha=1.01:p=4:delta=0.01:c=auto"
        );
        assert_eq!(
            full(" MergeRUCB : c=4e5 : alpha=0.262144 : variant=paper"),
            "mergerucb:variant=paper:alpha=0.262144:p=4:delta=0.01:c=400000"
        );
        for entry in entries() {
            let canonical = full(entry.name);
            assert_eq!(full(&canonical), canonical);
        }
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
    fn a_horizon_that_is_used_must_not_be_0() {
        let all = entries().into_iter().map(|entry| entry.name);
        for text in all.chain(["btm:setting=pac", "btm:delta=0.1", "rex3:gamma=0.1", "sparring-exp3:variant=mergedts"])
        {
            let spec: Spec = text.parse().expect(text);
            let expected = match spec.uses_horizon() {
                true => Err(ParameterError::NoHorizon { algorithm: spec.entry().name }),
                false => Ok(3),
            };
            // The policy itself refuses: the registry only hands on.
            assert_eq!(spec.visit(3, 0, Count), expected, "{text}");
            assert_eq!(spec.visit(3, 1, Count), Ok(3), "{text}");
        }
    }

    #[test]
    fn policies_need_arms_and_room_for_them() {
        let mut ends = 0;
        for entry in entries() {
            let spec: Spec = entry.name.parse().expect(entry.name);
            assert_eq!(spec.visit(3, 10, Count), Ok(3));
            assert_eq!(spec.visit(0, 10, Count), Err(ParameterError::Arms { arms: 0 }));
            // Algorithms that keep all pairs refuse too many arms before they allocate memory.
            if let Err(error) = spec.visit(40_000, 10, Count) {
                assert_eq!(error, ParameterError::TooManyPairs { algorithm: entry.name, arms: 40_000 });
                ends += 1;
            }
        }
        assert!(ends > 10, "{ends}");
    }
}
