//! Why a call is refused.

use traffic::CommandError;

use crate::ids::IdError;

/// Why a call is refused, by the caller's remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such thing.
    Unknown(String),
    /// Something of it is damaged.
    Damaged(String),
    /// Its state does not allow it.
    Conflict(String),
    /// It existed, and takes nothing more.
    Gone(String),
    /// It is not possible. The place in the request, if it has one.
    Invalid {
        /// Such as `policy`.
        path: Option<String>,
        /// The fault.
        detail: String,
    },
}

impl Refusal {
    /// A request that is not possible as a whole.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid { path: None, detail: detail.into() }
    }

    /// An id that no impression of this store has.
    #[must_use]
    pub fn no_impression() -> Self {
        Self::Unknown(IdError::Unknown.to_string())
    }

    /// A damaged experiment.
    #[must_use]
    pub fn damaged(name: &str, why: &str) -> Self {
        Self::Damaged(format!("experiment {name:?} is damaged: {why}"))
    }

    /// An experiment that this server does not have.
    #[must_use]
    pub fn no_experiment() -> Self {
        Self::Unknown("there is no such experiment".to_owned())
    }
}

impl From<CommandError> for Refusal {
    fn from(refused: CommandError) -> Self {
        let detail = refused.to_string();
        match refused {
            CommandError::Closed(_) => {
                Self::Gone("the impression is closed: its window has passed, or it was closed".to_owned())
            }
            CommandError::Listed(_) => {
                Self::Conflict("the lists of this impression came before; they are mixed once".to_owned())
            }
            CommandError::NotListed(_) => {
                Self::Conflict("the impression shows nothing yet; give its lists first".to_owned())
            }
            CommandError::State { .. } | CommandError::Lower { .. } | CommandError::Over(_) => Self::Conflict(detail),
            CommandError::Missing { .. } => Self::Invalid { path: Some("lists".to_owned()), detail },
            CommandError::Page(_) => Self::Invalid { path: Some("documents".to_owned()), detail },
            _ => Self::invalid(detail),
        }
    }
}
