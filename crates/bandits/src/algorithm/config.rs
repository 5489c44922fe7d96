//! The configuration of an algorithm, written in one place: [`config!`](crate::config).

/// Writes the configuration of an algorithm: a struct with its [`Default`] and its [`PolicyConfig`](crate::PolicyConfig), each
/// parameter in one place.
///
/// ```
/// use bandits::counts::PairCounts;
/// use bandits::{Arm, DuelPolicy, Generator, ParameterError, Policy, PolicyConfig, random::below};
/// use bandits::{config, state, stored, takes_late};
///
/// config! {
///     /// The parameters of epsilon-greedy.
///     pub struct GreedyConfig {
///         /// The share of steps that explore, in (0, 1).
///         epsilon: f64 = 0.1, "share of steps that explore" [probability] [warns if > 0.5: "explores more often than not"];
///         /// How often the leader of a pair must have won.
///         wins as "w": usize = 1, "wins that make a leader" [at least 1 because "no arm leads before the first duel"];
///     }
///
///     policy Greedy {
///         name: "epsilon-greedy",
///         summary: "the arm that beats most others, or a random one",
///         all_pairs: true,
///     }
///
///     fn build(&self, arms: usize, _horizon: Option<u64>) -> Greedy {
///         Greedy { epsilon: self.epsilon, wins: PairCounts::new(arms, 0) }
///     }
///
///     takes_late!();
/// }
///
/// #[derive(Clone)]
/// pub struct Greedy {
///     epsilon: f64,
///     wins: PairCounts,
/// }
///
/// // Snapshots keep the wins; the configuration gives the rest.
/// state!(Greedy { wins } but { epsilon });
///
/// impl DuelPolicy for Greedy {
///     // ...
/// #   fn arm_count(&self) -> usize {
/// #       self.wins.arms()
/// #   }
/// #   fn pair(&mut self, _step: u64, generator: &mut Generator) -> (Arm, Arm) {
/// #       let any = Arm::at(below(generator, self.wins.arms()));
/// #       (self.best(generator).unwrap_or(any), Arm::at(below(generator, self.wins.arms())))
/// #   }
/// #   fn outcome(&mut self, winner: Arm, loser: Arm) {
/// #       self.wins.record(winner.index(), loser.index());
/// #   }
/// #   fn best(&self, generator: &mut Generator) -> Option<Arm> {
/// #       self.wins.copeland_best(generator)
/// #   }
///     stored!();
/// }
///
/// impl bandits::DelayedFeedback for Greedy {}
///
/// let mut config = GreedyConfig::default();
/// assert_eq!(config.parameters()[1].key, "w");
/// config.epsilon = 1.5;
/// let refused = config.policy(3, None).err().map(|error| error.to_string());
/// assert_eq!(refused.as_deref(), Some("epsilon must lie strictly between 0 and 1, found 1.5"));
/// config.epsilon = 0.75;
/// assert_eq!(config.warning().as_deref(), Some("epsilon-greedy: epsilon = 0.75 explores more often than not"));
/// assert_eq!(config.policy(3, None)?.arms(), 3);
/// # Ok::<(), ParameterError>(())
/// ```
///
/// # Parameters
///
/// `field: Type = default, "meaning" [rule] [rule] ...;`, with documentation. Fields are public. The key in `name:key=value` is
/// the field's name, or what follows `as`. A type is `f64`, `Option<f64>`, `usize`, or an enum of
/// [`named_values!`](crate::named_values). Rules are checked in this order:
///
/// | rule | refuses |
/// |---|---|
/// | `[positive]` | what is not positive and finite |
/// | `[probability]` | what is not strictly between 0 and 1 |
/// | `[share]` | what is not above 0 and at most 1 |
/// | `[batch]` | fewer than 2 arms |
/// | `[at least 1 because "why"]` | anything below |
/// | `[at least 1 and finite because "why"]` | the same, and infinity |
/// | `[above 1 because "why"]` | anything else, and infinity |
/// | `[warns if > 0.5: "text"]` | nothing: [`warning`](crate::PolicyConfig::warning) says `key = value text`; also `<`, `<=`, `>=` |
/// | `[idle beside other]` | nothing: warns if it is set although the parameter `other` is given |
/// | `[idle beside other = Value]` | nothing: warns if it is set although `other` has this value |
///
/// A value that is not given (`None`) breaks no rule. The functions are those of [`rules`](crate::rules).
///
/// # Constants and methods
///
/// `policy Type { constant: value, ... }` has the constants of [`PolicyConfig`](crate::PolicyConfig) in lower case: `name` and
/// `summary`, and where they differ from the defaults `paper`, `variants`, `revision`, `action`, `needs_horizon`, `all_pairs` and
/// `own_loop`. Methods of the trait follow: `build`, and where needed `action_kind`, `uses_horizon`, `check_together`,
/// `warn_together`, and `late` or [`takes_late!`](crate::takes_late).
///
/// One configuration can serve two names: `pub struct Config<const PLUS: bool> { ... }`, with constants such as
/// `name: if PLUS { "b-plus" } else { "b" }`.
#[macro_export]
macro_rules! config {
    // The key of a parameter.
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };

    (
        $(#[$about:meta])*
        $visibility:vis struct $Config:ident $(<const $flag:ident: bool>)? {
            $(
                $(#[$of_field:meta])*
                $field:ident $(as $key:literal)?: $type:ty = $default:expr, $meaning:literal $([$($rule:tt)+])*;
            )*
        }

        policy $policy:ty {
            $($constant:ident: $value:expr,)+
        }

        $($methods:tt)+
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq)]
        $visibility struct $Config $(<const $flag: bool>)? {
            $(
                $(#[$of_field])*
                pub $field: $type,
            )*
        }

        impl $(<const $flag: bool>)? Default for $Config $(<$flag>)? {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $(<const $flag: bool>)? $crate::PolicyConfig for $Config $(<$flag>)? {
            type Policy = $policy;
            $($crate::config_constant!($constant $value);)+

            fn parameters(&self) -> Vec<$crate::Parameter> {
                vec![$($crate::Parameter::new($crate::config!(@key $field $($key)?), $meaning, &self.$field)),*]
            }

            fn parameter_mut(&mut self, key: &str) -> Option<&mut dyn $crate::ParameterValue> {
                match key {
                    $(_ if key == $crate::config!(@key $field $($key)?) => Some(&mut self.$field),)*
                    _ => None,
                }
            }

            fn check(&self) -> Result<(), $crate::ParameterError> {
                $({
                    let _key = $crate::config!(@key $field $($key)?);
                    $($crate::config_rule!(check self $field (_key) $($rule)+);)*
                })*
                self.check_together()
            }

            fn warning(&self) -> Option<String> {
                let all: Vec<Vec<Option<String>>> = vec![
                    vec![self.warn_together()],
                    $({
                        let _key = $crate::config!(@key $field $($key)?);
                        vec![$($crate::config_rule!(warn self $field (_key) $($rule)+)),*]
                    }),*
                ];
                $crate::rules::join_warnings(<Self as $crate::PolicyConfig>::NAME, all.concat())
            }

            $($methods)+
        }
    };

    ($($other:tt)*) => {
        compile_error!(
            "expected `config! { struct NameConfig { field: Type = default, \"meaning\" [rule]; ... } policy Type { name: \"..\", \
             summary: \"..\", } fn build(..) .. }`, each line ended as here; see the documentation of bandits::config"
        );
    };
}

/// A constant of [`config!`](crate::config).
#[doc(hidden)]
#[macro_export]
macro_rules! config_constant {
    (name $value:expr) => {
        const NAME: &'static str = $value;
    };
    (summary $value:expr) => {
        const SUMMARY: &'static str = $value;
    };
    (paper $value:expr) => {
        const PAPER: Option<$crate::Paper> = Some($value);
    };
    (variants $value:expr) => {
        const VARIANTS: &'static [(&'static str, &'static str)] = &$value;
    };
    (revision $value:expr) => {
        const REVISION: u32 = $value;
    };
    (action $value:expr) => {
        const ACTION: $crate::ActionKind = $value;
    };
    (needs_horizon $value:expr) => {
        const NEEDS_HORIZON: bool = $value;
    };
    (all_pairs $value:expr) => {
        const ALL_PAIRS: bool = $value;
    };
    (own_loop $value:expr) => {
        const OWN_LOOP: bool = $value;
    };
    ($other:ident $value:expr) => {
        compile_error!(concat!(
            "a policy has no `",
            stringify!($other),
            "`: expected name, summary, paper, variants, revision, action, \
             needs_horizon, all_pairs or own_loop"
        ));
    };
}

/// A rule of [`config!`](crate::config): to `check` a value of a configuration, or to `warn` of it.
#[doc(hidden)]
#[macro_export]
macro_rules! config_rule {
    // Rules that refuse a value...
    (check $config:ident $field:ident ($key:expr) positive) => { $crate::rules::positive($key, $config.$field)? };
    (check $config:ident $field:ident ($key:expr) probability) => { $crate::rules::probability($key, $config.$field)? };
    (check $config:ident $field:ident ($key:expr) share) => { $crate::rules::share($key, $config.$field)? };
    (check $config:ident $field:ident ($key:expr) batch) => { $crate::rules::batch($key, $config.$field)? };
    (check $config:ident $field:ident ($key:expr) at least $bound:literal because $why:literal) => {
        $crate::rules::at_least($key, $config.$field, $bound.into(), $why)?
    };
    (check $config:ident $field:ident ($key:expr) at least $bound:literal and finite because $why:literal) => {
        $crate::rules::finite_at_least($key, $config.$field, $bound.into(), $why)?
    };
    (check $config:ident $field:ident ($key:expr) above $bound:literal because $why:literal) => {
        $crate::rules::above($key, $config.$field, $bound.into(), $why)?
    };
    (warn $config:ident $field:ident ($key:expr) positive) => { None };
    (warn $config:ident $field:ident ($key:expr) probability) => { None };
    (warn $config:ident $field:ident ($key:expr) share) => { None };
    (warn $config:ident $field:ident ($key:expr) batch) => { None };
    (warn $config:ident $field:ident ($key:expr) at least $($rule:tt)+) => { None };
    (warn $config:ident $field:ident ($key:expr) above $($rule:tt)+) => { None };

    // ... and rules that warn of one that is accepted.
    (warn $config:ident $field:ident ($key:expr) warns if $compare:tt $bound:literal: $text:literal) => {
        $crate::rules::given($config.$field)
            .filter(|value| *value $compare $bound)
            .map(|value| format!("{} = {value} {}", $key, $text))
    };
    (warn $config:ident $field:ident ($key:expr) idle beside $other:ident) => {
        ($config.$other.is_some() && $config.$field != Self::default().$field)
            .then(|| $crate::rules::without_effect($key, stringify!($other)))
    };
    (warn $config:ident $field:ident ($key:expr) idle beside $other:ident = $value:expr) => {
        ($config.$other == $value && $config.$field != Self::default().$field).then(|| {
            let beside = format!("{}={}", stringify!($other), $crate::ParameterValue::show(&$value));
            $crate::rules::without_effect($key, &beside)
        })
    };
    (check $config:ident $field:ident ($key:expr) warns if $($rule:tt)+) => {};
    (check $config:ident $field:ident ($key:expr) idle beside $($rule:tt)+) => {};

    (check $config:ident $field:ident ($key:expr) $($other:tt)+) => {
        compile_error!(concat!(
            "no rule is written [", stringify!($($other)+), "]: expected positive, probability, share, batch, `at least 1 because \
             \"why\"`, `above 1 because \"why\"`, `warns if > 1: \"text\"` or `idle beside other = Value`"
        ))
    };
    (warn $($other:tt)+) => { None };
}

#[cfg(test)]
mod tests {
    use crate::{Arm, Choice, Feedback, Generator, ParameterError, Policy, PolicyConfig, named_values};

    named_values! {
        /// One or the other.
        enum Kind {
            /// The one.
            One = "one",
            /// The other.
            Other = "other",
        }
    }

    config! {
        /// A parameter for each rule.
        struct SampleConfig<const LOUD: bool> {
            kind: Kind = Kind::One, "one or the other";
            width: f64 = 1.0, "a width" [positive] [warns if <= 0.5: "is narrow"];
            error: Option<f64> = None, "an error" [probability];
            part: f64 = 1.0, "a part" [share] [idle beside error];
            count as "n": usize = 2, "arms" [batch] [idle beside kind = Kind::Other];
            rate: f64 = 1.0, "a rate" [at least 0.5 because "it is one"];
            memory: usize = 5, "steps" [at least 2 and finite because "nothing would be left"];
            growth: f64 = 2.0, "growth" [above 1.0 because "it must grow"];
        }

        policy First {
            name: if LOUD { "LOUD" } else { "quiet" },
            summary: "a sample",
            revision: 7,
        }

        fn check_together(&self) -> Result<(), ParameterError> {
            crate::rules::below("part", self.part, 1.5, "never reached")
        }

        fn warn_together(&self) -> Option<String> {
            (self.memory > 100).then(|| "it is long".to_owned())
        }

        fn build(&self, arms: usize, _horizon: Option<u64>) -> First {
            First(arms)
        }
    }

    /// Always the first arm.
    #[derive(Clone)]
    struct First(usize);

    impl Policy for First {
        fn arms(&self) -> usize {
            self.0
        }

        fn choose(&mut self, _step: u64, _generator: &mut Generator) -> Choice<'_> {
            Choice::Alone { arm: Arm(0), until: u64::MAX }
        }

        fn learn(&mut self, _step: u64, _feedback: Feedback<'_>) {}

        fn recommend(&self, _generator: &mut Generator) -> Option<Arm> {
            Some(Arm(0))
        }
    }

    type Sample = SampleConfig<false>;

    fn set(assignments: &str) -> Sample {
        let mut sample = Sample::default();
        for (key, text) in assignments.split_whitespace().filter_map(|one| one.split_once('=')) {
            sample.parameter_mut(key).expect("a key").set(text).expect("a value");
        }
        sample
    }

    #[test]
    fn parameters_are_those_written() {
        let all = Sample::default().parameters();
        let texts: Vec<String> = all.iter().map(|one| format!("{}={} {}", one.key, one.value, one.meaning)).collect();
        assert_eq!(texts[0], "kind=one one or the other");
        assert_eq!((&texts[2], &texts[4], texts.len()), (&"error=auto an error".into(), &"n=2 arms".into(), 8));
        assert_eq!((Sample::NAME, SampleConfig::<true>::NAME, Sample::REVISION), ("quiet", "LOUD", 7));
        assert!(Sample::default().parameter_mut("count").is_none());
        assert_eq!(Sample::default().policy(3, None).map(|policy| policy.arms()), Ok(3));
    }

    #[test]
    fn rules_are_checked_in_order() {
        assert_eq!((Sample::default().check(), Sample::default().warning()), (Ok(()), None));
        for (assignments, refused) in [
            ("width=0 error=2", "width must be a positive number, found 0"),
            ("error=1 part=2", "error must lie strictly between 0 and 1, found 1"),
            ("part=2 n=1", "part must be above 0 and at most 1, found 2"),
            ("n=1 rate=0", "n must be at least 2, found 1; a batch needs two arms to compare"),
            ("rate=0.25 memory=1", "rate must be at least 0.5, found 0.25; it is one"),
            ("memory=1 growth=1", "memory must be at least 2, found 1; nothing would be left"),
            ("growth=1", "growth must be above 1, found 1; it must grow"),
            ("growth=inf", "growth must be above 1, found inf; it must grow"),
        ] {
            let error = set(assignments).check().expect_err(assignments);
            assert_eq!(error.to_string(), refused);
        }
        assert_eq!(set("rate=inf").check(), Ok(()));
    }

    #[test]
    fn warnings_are_joined() {
        let warning = |assignments| set(assignments).warning();
        assert_eq!(warning("width=0.5").as_deref(), Some("quiet: width = 0.5 is narrow"));
        assert_eq!(warning("error=0.5"), None);
        assert_eq!(warning("error=0.5 part=0.5").as_deref(), Some("quiet: part has no effect beside error"));
        assert_eq!(
            warning("kind=other n=3 memory=101").as_deref(),
            Some("quiet: it is long; n has no effect beside kind=other")
        );
    }
}
