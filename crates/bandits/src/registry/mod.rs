//! The list of algorithms: by name, with parameters as text, built into concrete types. What an algorithm declares
//! about itself is in `algorithm`.
//!
//! ```
//! use bandits::registry::Spec;
//!
//! let spec: Spec = "rucb:alpha=0.6".parse()?;
//! assert_eq!(spec.canonical(), "rucb:variant=arxiv:alpha=0.6:unseen=2");
//! # Ok::<(), bandits::ParameterError>(())
//! ```

mod entry;
mod external;
mod memory;
mod prefer;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use entry::{Entry, table};
pub use external::ExternalAlgorithm;
pub use memory::Memory;

use crate::algorithm::{MAX_ARMS_WITH_ALL_PAIRS, assign, nearest};
use crate::late::LatePolicy;
use crate::policies;
use crate::{ActionKind, OwnedPolicy, ParameterError, Policy, PolicyConfig};

/// Makes [`Spec`]'s inside and [`entries`] from the list of algorithms.
macro_rules! algorithms {
    ($($variant:ident($($config:ident)::+)),* $(,)?) => {
        #[derive(Debug, Clone, PartialEq)]
        enum AnyAlgorithm {
            $($variant($($config)::+),)*
        }

        impl AnyAlgorithm {
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
                match $any { $(AnyAlgorithm::$variant($bound) => $body,)* }
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
    MergeRucbSquared(policies::merge_rucb::squared_horizons::MergeRucbSquaredConfig),
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
    MultiRucb(policies::multi_rucb::MultiRucbConfig),
    Sparring(policies::sparring::SparringConfig),
    SparringTs(policies::sparring_ts::SparringTsConfig),
    SparringExp3(policies::sparring_exp3::SparringExp3Config),
    VersatileDb(policies::versatile::VersatileDbConfig),
    Dexp3(policies::borda::dexp3::Dexp3Config),
    BordaElimination(policies::borda::elimination::BordaEliminationConfig),
    Knockout(policies::identification::knockout::KnockoutConfig),
    Nts(policies::identification::nts::NtsConfig),
    Dkwt(policies::identification::dkwt::DkwtConfig),
    Pocowista(policies::identification::pocowista::PocowistaConfig),
    SequentialElimination(policies::identification::sequential_elimination::SequentialEliminationConfig),
    MallowsMpi(policies::identification::mallows_mpi::MallowsMpiConfig),
    PlPac(policies::identification::pl_pac::PlPacConfig),
    Verification(policies::identification::verification::VerificationConfig),
    Parwis(policies::identification::parwis::ParwisConfig),
    Doubler(policies::doubler::DoublerConfig),
    MultiSbm(policies::multi_sbm::MultiSbmConfig),
    SelfSparring(policies::self_sparring::SelfSparringConfig),
    SlidingRucb(policies::changing::rucb::SlidingRucbConfig),
    DiscountedRucb(policies::changing::rucb::DiscountedRucbConfig),
    SlidingDts(policies::changing::dts::SlidingDtsConfig),
    DiscountedDts(policies::changing::dts::DiscountedDtsConfig),
    SparringExp3s(policies::changing::sparring_exp3s::SparringExp3sConfig),
    BradleyTerry(policies::bradley_terry::BradleyTerryConfig),
    BradleyTerryPairs(policies::bradley_terry_pairs::BradleyTerryPairsConfig),
    Rex3(policies::rex3::Rex3Config),
    WinnerStays(policies::winner_stays::WinnerStaysConfig),
    WinnerStaysStrong(policies::winner_stays::WinnerStaysStrongConfig),
    Ccb(policies::ccb::CcbConfig),
    EcwRmed(policies::ecw_rmed::EcwRmedConfig),
    Scb(policies::scb::ScbConfig),
    RandomPairs(policies::random::RandomPairsConfig),
    RandomSets(policies::random::RandomSetsConfig),
}

/// Receives a policy: as the type that it is if its algorithm has [loops of its own](PolicyConfig::OWN_LOOP), otherwise
/// behind a pointer, so that one loop is compiled for all of these.
pub trait PolicyVisitor {
    /// The result of the visit.
    type Output;

    /// Takes the policy.
    fn visit<P: Policy + Clone + Send + 'static>(self, policy: P) -> Self::Output;
}

/// An algorithm with its parameters, written `name:key=value:key=value`, every parameter optional.
///
/// [`Display`](fmt::Display) writes it [in full](Self::canonical).
#[derive(Debug, Clone)]
pub struct Spec(Origin);

/// Where an algorithm comes from.
#[derive(Debug, Clone)]
enum Origin {
    Listed(AnyAlgorithm),
    External(Arc<dyn ExternalAlgorithm>),
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Origin::Listed(one), Origin::Listed(other)) => one == other,
            (Origin::External(one), Origin::External(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl From<Arc<dyn ExternalAlgorithm>> for Spec {
    fn from(outside: Arc<dyn ExternalAlgorithm>) -> Self {
        Self(Origin::External(outside))
    }
}

impl Spec {
    /// The specification with every parameter spelt out: what belongs beside a result.
    #[must_use]
    pub fn canonical(&self) -> String {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => canonical(algorithm)),
            Origin::External(outside) => outside.name().to_owned(),
        }
    }

    /// Whether it comes from outside the registry.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        matches!(self.0, Origin::External(_))
    }

    /// The algorithm's entry in the registry.
    #[must_use]
    pub fn entry(&self) -> Entry {
        match &self.0 {
            Origin::Listed(any) => any.entry(),
            Origin::External(outside) => external::entry(outside.as_ref()),
        }
    }

    /// How many arms it chooses at a time with these parameters.
    #[must_use]
    pub fn action_kind(&self) -> ActionKind {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => algorithm.action_kind()),
            Origin::External(outside) => outside.action_kind(),
        }
    }

    /// Whether it must know the horizon with these parameters: a result at one horizon then says
    /// nothing about another.
    #[must_use]
    pub fn uses_horizon(&self) -> bool {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => algorithm.uses_horizon()),
            Origin::External(_) => false,
        }
    }

    /// A warning where the parameters are accepted though no theory covers them, or one of them
    /// has no effect.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => algorithm.warning()),
            Origin::External(_) => None,
        }
    }

    /// The memory that its policy takes among `arms` arms, in bytes; 0 if it refuses that many.
    #[must_use]
    pub fn memory(&self, arms: usize) -> u64 {
        let memory = self.entry().memory;
        if memory.per_pair > 0 && arms > MAX_ARMS_WITH_ALL_PAIRS { 0 } else { memory.bytes(arms) }
    }

    /// Builds the policy for `arms` arms and a horizon of that many steps (`None` if it is not known) and hands it to `visitor`.
    ///
    /// # Errors
    /// If the algorithm cannot choose among that many arms, or [uses](Self::uses_horizon) its
    /// horizon and that is not known, or 0.
    pub fn visit<V: PolicyVisitor>(
        &self,
        arms: usize,
        horizon: Option<u64>,
        visitor: V,
    ) -> Result<V::Output, ParameterError> {
        fn hand_over<C: PolicyConfig, V: PolicyVisitor>(
            (config, arms, horizon): (&C, usize, Option<u64>),
            visitor: V,
        ) -> Result<V::Output, ParameterError> {
            let policy = config.policy(arms, horizon)?;
            // Only one of the two is compiled.
            Ok(if C::OWN_LOOP { visitor.visit(policy) } else { visitor.visit(boxed(policy)) })
        }
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => hand_over((algorithm, arms, horizon), visitor)),
            Origin::External(outside) => Ok(visitor.visit(outside.policy(arms, horizon))),
        }
    }

    /// The policy for `arms` arms and a horizon of that many steps, behind a pointer: for loops that take longer than its steps.
    ///
    /// # Errors
    /// Those of [`visit`](Self::visit).
    pub fn policy(&self, arms: usize, horizon: Option<u64>) -> Result<Box<dyn OwnedPolicy>, ParameterError> {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => Ok(boxed(algorithm.policy(arms, horizon)?))),
            Origin::External(outside) => Ok(outside.policy(arms, horizon)),
        }
    }

    /// The policy in the form in which it takes late outcomes: [`open`](Self::open) makes tickets for it.
    ///
    /// # Errors
    /// Those of [`visit`](Self::visit).
    pub fn late(&self, arms: usize, horizon: Option<u64>) -> Result<LatePolicy, ParameterError> {
        match &self.0 {
            Origin::Listed(any) => each!(any, algorithm => algorithm.late(arms, horizon)),
            Origin::External(outside) => Ok(LatePolicy::queued(outside.policy(arms, horizon))),
        }
    }
}

impl FromStr for Spec {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(mut any) = AnyAlgorithm::named(&name.to_lowercase()) else {
            let names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
            let suggestion = nearest(name, &names);
            return Err(ParameterError::UnknownAlgorithm { name: name.to_owned(), suggestion });
        };
        each!(&mut any, algorithm => {
            assign_to(algorithm, parts)?;
            algorithm.check()?;
        });
        Ok(Self(Origin::Listed(any)))
    }
}

/// The row of an algorithm in a table by name.
fn find_row<'a, T>(table: &'a [(&str, T)], name: &str) -> Option<&'a T> {
    table.iter().find(|row| row.0 == name).map(|row| &row.1)
}

/// The name of an algorithm with every parameter spelt out.
pub(crate) fn canonical<C: PolicyConfig>(config: &C) -> String {
    let mut text = C::NAME.to_owned();
    for parameter in config.parameters() {
        text.extend([":", parameter.key, "=", &parameter.value]);
    }
    text
}

fn boxed<P: Policy + Clone + Send + 'static>(policy: P) -> Box<dyn OwnedPolicy> {
    Box::new(policy)
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
mod tests;
