//! Any click model, chosen at run time: one list of the models gives the enums and the dispatch.

use std::fmt;

use super::dependent::{CompiledDependentModel, DependentClickModel, DependentSpec, DependentUser};
use super::dynamic_bayesian::{
    CompiledDynamicBayesianModel, DynamicBayesianModel, DynamicBayesianSpec, DynamicBayesianUser,
};
use super::finite_state::{CompiledFiniteStateModel, FiniteStateModel, FiniteStateUser};
use super::position_based::{CompiledPositionBasedModel, PositionBasedModel, PositionBasedSpec, PositionBasedUser};
use super::user_browsing::{CompiledUserBrowsingModel, UserBrowsingModel, UserBrowsingSpec, UserBrowsingUser};
use crate::error::ClickError;
use crate::labels::FractionalLabels;
use crate::presets;
use crate::settings::{ModelSpec, Settings};
use crate::user::{ClickModel, CompiledClickModel, ProbabilityTable, User};
use crate::{Examination, Generator, Grade};

/// Makes [`ClickSpec`], [`AnyClickModel`], [`CompiledAnyModel`] and [`AnyUser`] of a list of models.
macro_rules! click_models {
    ($($variant:ident: $spec:ident, $model:ident, $compiled:ident, $user:ident;)+) => {
        /// A click model as flags and files describe it; parsed once, and [resolved](Self::resolve) when the
        /// highest label of the data set is known.
        ///
        /// The text forms are those of the [front page](crate#click-models).
        ///
        /// ```
        /// use clicks::{ClickModel, ClickSpec};
        ///
        /// let spec: ClickSpec = "navigational".parse()?;
        /// assert_eq!(spec.resolve(4.0)?.name(), "navigational");
        /// let spec: ClickSpec = "0:0.05,1:0.95".parse::<ClickSpec>()?.with_stop("0:0,1:0.5")?;
        /// assert_eq!(spec.to_string(), "0:0.05,1:0.95 stop 0:0,1:0.5");
        /// let error = "navigtional".parse::<ClickSpec>().unwrap_err();
        /// assert!(error.to_string().ends_with("; did you mean `navigational`?"));
        /// # Ok::<(), clicks::ClickError>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum ClickSpec {
            $($variant($spec),)+
        }

        impl ClickSpec {
            /// The model for a data set with labels up to `max_label`.
            ///
            /// # Errors
            /// When no preset holds the labels, or `max_label` is negative or not finite.
            pub fn resolve(&self, max_label: f32) -> Result<AnyClickModel, ClickError> {
                match self {
                    $(Self::$variant(spec) => Ok(spec.resolve(max_label)?.into()),)+
                }
            }

            /// The model called `name` with these settings; `None` where no model has the name.
            pub(crate) fn by_name(name: &str, settings: Settings) -> Option<Result<Self, ClickError>> {
                match name {
                    $($spec::NAME if !$spec::NAME.is_empty() => {
                        Some($spec::from_settings(settings).map(Self::$variant))
                    })+
                    _ => None,
                }
            }

            /// The names that [`by_name`](Self::by_name) accepts.
            pub(crate) fn names() -> Vec<&'static str> {
                [$($spec::NAME),+].into_iter().filter(|name| !name.is_empty()).collect()
            }
        }

        impl fmt::Display for ClickSpec {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant(spec) => spec.fmt(f),)+
                }
            }
        }

        /// Any click model; made by [`ClickSpec::resolve`](crate::ClickSpec::resolve), or [`From`] a model.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum AnyClickModel {
            $($variant($model),)+
        }

        $(impl From<$model> for AnyClickModel {
            fn from(model: $model) -> Self {
                Self::$variant(model)
            }
        })+

        impl ClickModel for AnyClickModel {
            type Compiled = CompiledAnyModel;

            fn name(&self) -> &str {
                match self {
                    $(Self::$variant(model) => model.name(),)+
                }
            }

            fn tables(&self) -> Vec<ProbabilityTable> {
                match self {
                    $(Self::$variant(model) => model.tables(),)+
                }
            }

            fn prepare(
                &self,
                labels: &[f32],
                rule: FractionalLabels,
            ) -> Result<(CompiledAnyModel, Vec<Grade>), ClickError> {
                match self {
                    $(Self::$variant(model) => {
                        let (compiled, grades) = model.prepare(labels, rule)?;
                        Ok((CompiledAnyModel::$variant(compiled), grades))
                    })+
                }
            }
        }

        /// An [`AnyClickModel`] compiled for one data set.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum CompiledAnyModel {
            $($variant($compiled),)+
        }

        impl CompiledClickModel for CompiledAnyModel {
            type User<'a> = AnyUser<'a>;

            #[inline]
            fn user(&self) -> AnyUser<'_> {
                match self {
                    $(Self::$variant(compiled) => AnyUser::$variant(compiled.user()),)+
                }
            }

            fn is_memoryless(&self) -> bool {
                match self {
                    $(Self::$variant(compiled) => compiled.is_memoryless(),)+
                }
            }
        }

        /// A user of any click model.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum AnyUser<'a> {
            $($variant($user<'a>),)+
        }

        impl User for AnyUser<'_> {
            #[inline]
            fn examine(&mut self, grade: Grade, generator: &mut Generator) -> Examination {
                match self {
                    $(Self::$variant(user) => user.examine(grade, generator),)+
                }
            }
        }
    };
}

click_models! {
    Dependent: DependentSpec, DependentClickModel, CompiledDependentModel, DependentUser;
    PositionBased: PositionBasedSpec, PositionBasedModel, CompiledPositionBasedModel, PositionBasedUser;
    DynamicBayesian: DynamicBayesianSpec, DynamicBayesianModel, CompiledDynamicBayesianModel, DynamicBayesianUser;
    UserBrowsing: UserBrowsingSpec, UserBrowsingModel, CompiledUserBrowsingModel, UserBrowsingUser;
    FiniteState: FiniteStateModel, FiniteStateModel, CompiledFiniteStateModel, FiniteStateUser;
}

impl ClickSpec {
    /// The names of the presets: each is a click model, and stands for P(click) by grade in others, as in `pbm:navigational`.
    #[must_use]
    pub fn presets() -> [&'static str; 5] {
        presets::names()
    }

    /// The dependent click model in its own notation, which needs no name.
    pub(crate) fn unnamed(text: &str) -> Result<Self, ClickError> {
        text.parse().map(Self::Dependent)
    }
}

/// The model's name.
impl fmt::Display for AnyClickModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
