//! A preference matrix, or a problem by name, ready to be played on, with its description for results.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use bandits::{Arena, Arm, MatrixArena, PreferenceMatrix, RegretKind, RegretReference, UtilityArena};
use letor_io::Names;
use output::numbers::with_separators;
use output::usage::usage;
use serde::Serialize;
use simulation::arm_names::ArmNames;
use simulation::matrix::matrix_checksum;
use simulation::proxy::MatrixOrigin;
use simulation::runs::CopiedArenas;
use simulation::runs::outside_duels::{OutsideArena, OutsideDuelsFactory};
use simulation::seed_text::{SeedSubject, seed_text};
use simulation::truth::regret_kind;

use super::{Caption, Presentation, RegretBasis, named_caption, notes, regret_per_step};

/// The most changes that are listed one by one.
const MOST_SHOWN: usize = 5;

/// The resolved environment, written into `config.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Environment {
    /// Its name in titles.
    pub name: String,
    /// The number of arms.
    pub arms: usize,
    /// The names that they were given, if any was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Names>,
    /// For a matrix: the chosen arms by their numbers in it; null for all arms.
    pub arms_in_matrix: Option<Vec<Arm>>,
    /// For a matrix: of its entries, so that text and .npy of the same matrix are the same environment.
    pub checksum: Option<String>,
    /// Whether there is a Condorcet winner, alone or with exact duplicates.
    pub condorcet: bool,
    /// The best arms by the kind of regret, 0-based among the chosen arms.
    pub winners: Vec<usize>,
    /// The same by their numbers in the matrix; null if no arms were chosen.
    pub winners_in_matrix: Option<Vec<Arm>>,
    /// For a matrix made by `rankduel proxy`: what it was estimated from.
    #[serde(skip_serializing_if = "MatrixOrigin::is_unknown")]
    pub estimated_from: MatrixOrigin,
    /// How preferences change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<PhaseDescription>,
}

/// The preferences from a step on.
pub struct Phase {
    /// The first step.
    pub from: u64,
    /// How the change was written.
    pub change: String,
    /// The matrix.
    pub matrix: PreferenceMatrix,
}

/// The same, as it is written into `config.json`.
#[derive(Debug, Clone, Serialize)]
pub struct PhaseDescription {
    /// The first step.
    pub from: u64,
    /// How the change was written.
    pub change: String,
    /// The checksum of the entries of the matrix.
    pub checksum: String,
    /// The best arms by the kind of regret, 0-based among the chosen arms.
    pub winners: Vec<usize>,
}

impl Environment {
    /// The best arms after the last change.
    #[must_use]
    pub fn last_winners(&self) -> &[usize] {
        self.changes.last().map_or(&self.winners, |phase| &phase.winners)
    }

    /// The best arms from each change on; nothing if nothing changes.
    #[must_use]
    pub fn winners_by_step(&self) -> Vec<(u64, Vec<usize>)> {
        if self.changes.is_empty() {
            return Vec::new();
        }
        let later_phases = self.changes.iter().map(|phase| (phase.from, phase.winners.clone()));
        std::iter::once((1, self.winners.clone())).chain(later_phases).collect()
    }

    /// The part of a folder name for changes.
    #[must_use]
    pub fn folder_suffix(&self) -> String {
        if self.changes.is_empty() {
            return String::new();
        }
        let text: String = self.changes.iter().map(|phase| format!("{} {}\n", phase.from, phase.checksum)).collect();
        format!("-changing-{}", &output::checksum::sha256_hex(&text)[..8])
    }
}

/// A preference matrix, with its name and origin.
#[derive(Clone)]
pub struct NamedMatrix {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// Its name in titles.
    pub name: String,
    /// Its arms by their numbers in a larger one, if they were chosen from that.
    pub kept_arms: Option<Vec<Arm>>,
    /// The names of its arms.
    pub names: ArmNames,
    /// What it was estimated from, as far as that is known.
    pub origin: MatrixOrigin,
}

/// An environment ready to be played on.
pub struct PreparedEnvironment<A> {
    /// The arenas of all runs.
    pub arenas: CopiedArenas<A>,
    /// Its description.
    pub environment: Environment,
    /// The names of its arms.
    pub names: ArmNames,
    /// What regret measures.
    pub measured: RegretBasis,
    /// The line about what regret is measured against.
    pub truth: String,
}

/// Refuses the matrix called `name` if it has a single arm.
///
/// # Errors
/// One line, as wrong usage.
pub fn ensure_two_arms(matrix: &PreferenceMatrix, name: &str) -> Result<()> {
    ensure!(matrix.arms() > 1, usage(format!("{name}: only one arm is left, and a comparison needs two")));
    Ok(())
}

impl PreparedEnvironment<MatrixArena> {
    /// A matrix. `regret` is the requested kind, if any.
    ///
    /// # Errors
    /// For a kind of regret that the matrix does not have, and for a single arm.
    pub fn of_matrix(matrix: NamedMatrix, regret: Option<RegretKind>, quiet: bool) -> Result<Self> {
        let NamedMatrix { matrix, name, kept_arms: taken, names, origin } = matrix;
        ensure_two_arms(&matrix, &name)?;
        let kind = regret_kind::kind_on_matrix(regret, &matrix)?;
        let reference = kind.reference().context("nDCG is refused above")?;
        let gaps = reference.gaps(&matrix).with_context(|| format!("{name} cannot be played"))?;
        let condorcet = RegretKind::default_for(&matrix) == RegretKind::Condorcet;
        let mut text = regret_kind::describe_regret(kind, condorcet, &gaps, &names, Some(&matrix));
        let winners = regret_kind::winners(&gaps);
        if let Some(account) = origin.account().filter(|_| condorcet)
            && let Some((_, margin)) = regret_kind::smallest_gap(&RegretReference::Condorcet.gaps(&matrix)?)
            && let Some(unresolved) = account.unresolved_note(margin, taken.is_none())
        {
            text += &format!("; {unresolved}");
        }
        let winners_in_matrix =
            taken.as_ref().map(|taken: &Vec<Arm>| winners.iter().map(|&winner| taken[winner]).collect());
        let checksum = matrix_checksum(&matrix, quiet);
        let content = seed_text(SeedSubject::Matrix(&checksum));
        let environment = Environment {
            name,
            arms: matrix.arms(),
            names: names.user_names().cloned(),
            arms_in_matrix: taken,
            checksum: Some(checksum),
            condorcet,
            winners,
            winners_in_matrix,
            estimated_from: origin,
            changes: Vec::new(),
        };
        let arenas = CopiedArenas { arena: MatrixArena::with_gaps(matrix, gaps), content };
        Ok(Self::new(arenas, environment, names, kind, text))
    }

    /// The same environment, with a `doubt` before the truth, e.g. that pairs were never compared: the truth then rests on less than it
    /// seems to.
    #[must_use]
    pub fn with_doubt(mut self, doubt: Option<String>) -> Self {
        if let Some(doubt) = doubt {
            self.truth = format!("{doubt}; {}", self.truth);
        }
        self
    }

    /// The same environment with preferences that change, in the order of time. Regret is of the same kind throughout.
    ///
    /// # Errors
    /// If there is no such regret after a change.
    pub fn changing(mut self, phases: Vec<Phase>, quiet: bool) -> Result<Self> {
        if phases.is_empty() {
            return Ok(self);
        }
        let kind = self.measured.kind;
        let reference = kind.reference().context("nDCG is refused above")?;
        let count = phases.len();
        for Phase { from: first_step, change, matrix } in phases {
            let gaps = reference.gaps(&matrix).map_err(|error| {
                let first_step = with_separators(first_step);
                usage(format!("from step {first_step} on (--change {change}) there is no {kind} regret: {error}"))
            })?;
            let (checksum, winners) = (matrix_checksum(&matrix, quiet), regret_kind::winners(&gaps));
            self.environment.changes.push(PhaseDescription { from: first_step, change, checksum, winners });
            self.arenas.arena = self.arenas.arena.then(first_step, MatrixArena::with_gaps(matrix, gaps));
        }
        let changes = &self.environment.changes;
        let later_matrices: Vec<(u64, &str)> =
            changes.iter().map(|phase| (phase.from, phase.checksum.as_str())).collect();
        self.arenas.content = seed_text(SeedSubject::Changing { arenas: &self.arenas.content, later: &later_matrices });
        self.truth += "; regret is dynamic, against the best arm of each step: ";
        let listed_phases = changes.iter().filter(|phase| count <= MOST_SHOWN || phase.from == changes[count - 1].from);
        let phase_names = listed_phases
            .map(|phase| format!("from step {} {}", with_separators(phase.from), self.names.name(phase.winners[0])));
        self.truth += &phase_names.collect::<Vec<_>>().join(", ");
        Ok(self)
    }
}

impl PreparedEnvironment<UtilityArena> {
    /// The problem called `name`, with utilities of arms. `regret` is the requested kind, if any.
    ///
    /// # Errors
    /// For a kind of regret that utilities do not have.
    pub fn of_utilities(arena: UtilityArena, name: String, regret: Option<RegretKind>) -> Result<Self> {
        let kind = regret_kind::kind_of_preferences(regret, RegretKind::Condorcet)?;
        let arena = regret_kind::utilities_with_regret(arena, kind)?;
        let names = ArmNames::NUMBERS;
        let text = regret_kind::describe_regret(kind, true, arena.gaps(), &names, None);
        let content = seed_text(SeedSubject::Problem(&name));
        let environment = Environment {
            name,
            arms: arena.arms(),
            names: None,
            arms_in_matrix: None,
            checksum: None,
            condorcet: true,
            winners: regret_kind::winners(arena.gaps()),
            winners_in_matrix: None,
            estimated_from: MatrixOrigin::default(),
            changes: Vec::new(),
        };
        Ok(Self::new(CopiedArenas { arena, content }, environment, names, kind, text))
    }
}

impl PreparedEnvironment<OutsideArena> {
    /// The environment called `name`, with duels decided by the caller's code. `preferences` are those that it states: regret
    /// is measured against them, and unknown without.
    ///
    /// # Errors
    /// As for [`of_matrix`](PreparedEnvironment::of_matrix); for fewer than two arms; and for a kind of regret without preferences.
    pub fn of_outside_duels(
        outside: Arc<dyn OutsideDuelsFactory>,
        name: String,
        arms: usize,
        preferences: Option<PreferenceMatrix>,
        regret: Option<RegretKind>,
    ) -> Result<Self> {
        ensure!(arms > 1, usage(format!("{name}: found {arms} arms, and a comparison needs two")));
        let content = seed_text(SeedSubject::Outside(&name));
        let Some(matrix) = preferences else {
            ensure!(
                regret.is_none(),
                usage(format!(
                    "{name} states no preferences, so that regret is unknown; give it `preferences`, or no kind of regret"
                ))
            );
            let environment = Environment {
                name,
                arms,
                names: None,
                arms_in_matrix: None,
                checksum: None,
                condorcet: false,
                winners: (0..arms).collect(),
                winners_in_matrix: None,
                estimated_from: MatrixOrigin::default(),
                changes: Vec::new(),
            };
            let regret_basis = RegretBasis::unknown(RegretKind::Condorcet);
            let truth = "regret is unknown: the environment states no preferences".to_owned();
            let arena = OutsideArena::new(outside, vec![0.0; arms]);
            return Ok(Self {
                arenas: CopiedArenas { arena, content },
                environment,
                names: ArmNames::NUMBERS,
                measured: regret_basis,
                truth,
            });
        };
        ensure!(matrix.arms() == arms, usage(format!("{name} has {arms} arms, and preferences of {}", matrix.arms())));
        let named_matrix =
            NamedMatrix { matrix, name, kept_arms: None, names: ArmNames::NUMBERS, origin: MatrixOrigin::default() };
        let with_preferences = PreparedEnvironment::of_matrix(named_matrix, regret, true)?;
        let arena = OutsideArena::new(outside, with_preferences.arenas.arena.gaps().to_vec());
        let PreparedEnvironment { environment, names, measured: regret_basis, truth, .. } = with_preferences;
        Ok(Self { arenas: CopiedArenas { arena, content }, environment, names, measured: regret_basis, truth })
    }
}

impl<A: Arena> PreparedEnvironment<A> {
    fn new(
        arenas: CopiedArenas<A>,
        environment: Environment,
        names: ArmNames,
        kind: RegretKind,
        truth: String,
    ) -> Self {
        let regret_basis = RegretBasis::new(kind, arenas.arena.gaps(), environment.estimated_from.synthetic());
        Self { arenas, environment, names, measured: regret_basis, truth }
    }

    /// The text of its figures.
    #[must_use]
    pub fn caption(&self, look: Presentation) -> Caption {
        let Environment { name, arms, estimated_from, .. } = &self.environment;
        let synthetic = estimated_from.note(name);
        let names = self.names.shortened();
        let user_names: Vec<Option<&str>> = (0..*arms).map(|arm| names.given_name(arm)).collect();
        Caption {
            title: format!("{} of {name}", named_caption(&user_names, "arm")),
            x_label: "steps".to_owned(),
            regret: regret_per_step(self.measured.kind, "best arm", "played"),
            note: notes([self.measured.note(), synthetic]),
            look,
        }
    }
}
