//! Values inside events, as stores keep them.

use std::borrow::Cow;

use interleave::Preference;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use statistics::Counts;
use verdicts::amounts::{Amounts, SideSums};
use verdicts::conversions::Primary;

use super::super::super::config::{Ask, BreachReaction, Guard, Keep, OutcomeKind};
use super::super::{Choice, DayRow, EventError, Notice, Outcome, Reason, State};

/// A stored enum beside the one of the program. Its variants are numbered in this order for ever, in whatever order the program
/// lists its own.
macro_rules! stored_enum {
    ($stored:ident, $program:ident { $($variant:ident),+ }) => {
        #[derive(Clone, Copy, Serialize, Deserialize)]
        pub(super) enum $stored { $($variant),+ }

        impl $stored {
            pub(super) fn of(value: $program) -> Self {
                match value { $($program::$variant => Self::$variant),+ }
            }

            pub(super) fn upgrade(self) -> $program {
                match self { $(Self::$variant => $program::$variant),+ }
            }
        }
    };
}

stored_enum!(GuardV1, Guard { NoClick, Missing, Slow });
stored_enum!(AskV1, Ask { Lists, Duels });
stored_enum!(KeepV1, Keep { Unit, Impression });
stored_enum!(BreachReactionV1, BreachReaction { Warn, Pause });
stored_enum!(OutcomeKindV1, OutcomeKind { Number, Value });
stored_enum!(PrimaryV1, Primary { Clicks, Conversions, Value });

/// No ranker can be shipped.
#[derive(Serialize, Deserialize)]
pub(super) enum StateV1 {
    Running,
    Paused,
    Killed,
    Ended,
}

impl StateV1 {
    pub(super) fn upgrade(self) -> State {
        match self {
            Self::Running => State::Running,
            Self::Paused => State::Paused,
            Self::Killed => State::Killed,
            Self::Ended => State::Ended,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) enum StateV2 {
    Running,
    Paused,
    Killed,
    Ended,
    Shipped(u32),
}

impl StateV2 {
    pub(super) fn of(state: State) -> Self {
        match state {
            State::Running => Self::Running,
            State::Paused => Self::Paused,
            State::Killed => Self::Killed,
            State::Ended => Self::Ended,
            State::Shipped(ranker) => Self::Shipped(ranker),
        }
    }

    pub(super) fn upgrade(self) -> State {
        match self {
            Self::Running => State::Running,
            Self::Paused => State::Paused,
            Self::Killed => State::Killed,
            Self::Ended => State::Ended,
            Self::Shipped(ranker) => State::Shipped(ranker),
        }
    }
}

/// A keyed hash: eight bytes, because a varint would take more.
#[derive(Serialize, Deserialize)]
struct HashV1(#[serde(with = "postcard::fixint::le")] u64);

/// The hashes that identify an impression's request, which newer events lack.
#[derive(Serialize, Deserialize)]
pub(super) struct MarksV1 {
    query: Option<HashV1>,
    key: Option<HashV1>,
    request: Option<HashV1>,
}

#[derive(Serialize, Deserialize)]
pub(super) enum ChoiceV1<'a> {
    Duel([u32; 2]),
    Set(Cow<'a, [u32]>),
    Kept { arms: Cow<'a, [u32]>, is_set: bool },
    Alone(u32),
    Leader(u32),
}

impl<'a> ChoiceV1<'a> {
    pub(super) fn of(choice: &'a Choice) -> Self {
        match choice {
            Choice::Duel(pair) => Self::Duel(*pair),
            Choice::Set(arms) => Self::Set(arms.into()),
            Choice::Kept { arms, is_set } => Self::Kept { arms: arms.into(), is_set: *is_set },
            Choice::Alone(arm) => Self::Alone(*arm),
            Choice::Leader(arm) => Self::Leader(*arm),
        }
    }

    pub(super) fn upgrade(self) -> Choice {
        match self {
            Self::Duel(pair) => Choice::Duel(pair),
            Self::Set(arms) => Choice::Set(arms.into_owned()),
            Self::Kept { arms, is_set } => Choice::Kept { arms: arms.into_owned(), is_set },
            Self::Alone(arm) => Choice::Alone(arm),
            Self::Leader(arm) => Choice::Leader(arm),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) enum ReasonV1 {
    Window,
    Asked,
    Judged,
    Missing(u32),
    Unanswered,
    AnsweredLate,
}

impl ReasonV1 {
    pub(super) fn of(reason: Reason) -> Self {
        match reason {
            Reason::Window => Self::Window,
            Reason::Asked => Self::Asked,
            Reason::Judged => Self::Judged,
            Reason::Missing(arm) => Self::Missing(arm),
            Reason::Unanswered => Self::Unanswered,
            Reason::AnsweredLate => Self::AnsweredLate,
        }
    }

    pub(super) fn upgrade(self) -> Reason {
        match self {
            Self::Window => Reason::Window,
            Self::Asked => Reason::Asked,
            Self::Judged => Reason::Judged,
            Self::Missing(arm) => Reason::Missing(arm),
            Self::Unanswered => Reason::Unanswered,
            Self::AnsweredLate => Reason::AnsweredLate,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) enum NoticeV1 {
    NotShown,
    NearId { position: u32 },
    Malformed,
    Ignored,
    Duplicate,
    Late,
    Identical,
    Noisy,
}

impl NoticeV1 {
    pub(super) fn of(notice: Notice) -> Self {
        match notice {
            Notice::NotShown => Self::NotShown,
            Notice::NearId { position } => Self::NearId { position },
            Notice::Malformed => Self::Malformed,
            Notice::Ignored => Self::Ignored,
            Notice::Duplicate => Self::Duplicate,
            Notice::Late => Self::Late,
            Notice::Identical => Self::Identical,
            Notice::Noisy => Self::Noisy,
        }
    }

    pub(super) fn upgrade(self) -> Notice {
        match self {
            Self::NotShown => Notice::NotShown,
            Self::NearId { position } => Notice::NearId { position },
            Self::Malformed => Notice::Malformed,
            Self::Ignored => Notice::Ignored,
            Self::Duplicate => Notice::Duplicate,
            Self::Late => Notice::Late,
            Self::Identical => Notice::Identical,
            Self::Noisy => Notice::Noisy,
        }
    }
}

/// Preferences in a byte of [`OutcomeV1::Pairs`].
const PREFERENCES: usize = 5;

/// For two rankers, the winner is a variant of its own: one byte in all.
#[derive(Serialize, Deserialize)]
pub(super) enum OutcomeV1<'a> {
    Nothing,
    First,
    Second,
    Tie,
    Scores(Cow<'a, [u64]>),
    /// Five preferences in a byte, as digits to base 3, the first of them the lowest.
    Pairs {
        count: u32,
        packed: ByteBuf,
    },
}

impl<'a> OutcomeV1<'a> {
    pub(super) fn of(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Nothing => Self::Nothing,
            Outcome::Pair(Preference::First) => Self::First,
            Outcome::Pair(Preference::Second) => Self::Second,
            Outcome::Pair(Preference::Tie) => Self::Tie,
            Outcome::Scores(scores) => Self::Scores(scores.into()),
            Outcome::Pairs(preferences) => {
                Self::Pairs { count: preferences.len() as u32, packed: pack_preferences(preferences).into() }
            }
        }
    }

    pub(super) fn upgrade(self) -> Result<Outcome, EventError> {
        Ok(match self {
            Self::Nothing => Outcome::Nothing,
            Self::First => Outcome::Pair(Preference::First),
            Self::Second => Outcome::Pair(Preference::Second),
            Self::Tie => Outcome::Pair(Preference::Tie),
            Self::Scores(scores) => Outcome::Scores(scores.into_owned()),
            Self::Pairs { count, packed: bytes } => {
                let digit = |byte: u8, at: u32| match byte / 3_u8.pow(at) % 3 {
                    0 => Preference::First,
                    1 => Preference::Second,
                    _ => Preference::Tie,
                };
                let all = bytes.iter().flat_map(|&byte| (0..PREFERENCES as u32).map(move |at| digit(byte, at)));
                let preferences: Vec<_> = all.take(count as usize).collect();
                if preferences.len() != count as usize || pack_preferences(&preferences) != **bytes {
                    return Err(EventError::Damaged { what: "preferences in another form" });
                }
                Outcome::Pairs(preferences)
            }
        })
    }
}

fn pack_preferences(preferences: &[Preference]) -> Vec<u8> {
    let digit = |preference: &Preference| match preference {
        Preference::First => 0,
        Preference::Second => 1,
        Preference::Tie => 2,
    };
    let byte = |five: &[Preference]| five.iter().rev().fold(0, |packed, preference| 3 * packed + digit(preference));
    preferences.chunks(PREFERENCES).map(byte).collect()
}

/// Wins and losses of the first ranker, and ties.
#[derive(Serialize, Deserialize)]
pub(super) struct CountsV1([u64; 3]);

impl CountsV1 {
    pub(super) fn of(Counts { wins, losses, ties }: Counts) -> Self {
        Self([wins, losses, ties])
    }

    pub(super) fn upgrade(self) -> Counts {
        let Self([wins, losses, ties]) = self;
        Counts::new(wins, losses, ties)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct RowV1 {
    pair: (u32, u32),
    units: CountsV1,
    impressions: CountsV1,
}

impl RowV1 {
    pub(super) fn of(DayRow { pair, units, impressions, amounts: _ }: DayRow) -> Self {
        Self { pair, units: CountsV1::of(units), impressions: CountsV1::of(impressions) }
    }

    pub(super) fn upgrade(self) -> DayRow {
        let Self { pair, units, impressions } = self;
        DayRow { pair, units: units.upgrade(), impressions: impressions.upgrade(), amounts: Amounts::default() }
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct RowV2 {
    pair: (u32, u32),
    units: CountsV1,
    impressions: CountsV1,
    /// One byte if owners of documents are not known.
    amounts: Option<AmountsV1>,
}

impl RowV2 {
    pub(super) fn of(DayRow { pair, units, impressions, amounts }: DayRow) -> Self {
        let amounts = (amounts != Amounts::default()).then(|| AmountsV1::of(amounts));
        Self { pair, units: CountsV1::of(units), impressions: CountsV1::of(impressions), amounts }
    }

    pub(super) fn upgrade(self) -> Result<DayRow, EventError> {
        let Self { pair, units, impressions, amounts } = self;
        let amounts = match amounts.map(AmountsV1::upgrade) {
            None => Amounts::default(),
            Some(amounts) if amounts == Amounts::default() => {
                return Err(EventError::Damaged { what: "amounts in another form" });
            }
            Some(amounts) => amounts,
        };
        Ok(DayRow { pair, units: units.upgrade(), impressions: impressions.upgrade(), amounts })
    }
}

#[derive(Serialize, Deserialize)]
struct AmountsV1 {
    units: u64,
    impressions: u64,
    impression_squares: u64,
    clicks: SideSumsV1,
    clicked: SideSumsV1,
}

impl AmountsV1 {
    fn of(Amounts { units, impressions, impression_squares, clicks, clicked }: Amounts) -> Self {
        let [clicks, clicked] = [clicks, clicked].map(SideSumsV1::of);
        Self { units, impressions, impression_squares, clicks, clicked }
    }

    fn upgrade(self) -> Amounts {
        let Self { units, impressions, impression_squares, clicks, clicked } = self;
        let [clicks, clicked] = [clicks, clicked].map(SideSumsV1::upgrade);
        Amounts { units, impressions, impression_squares, clicks, clicked }
    }
}

#[derive(Serialize, Deserialize)]
struct SideSumsV1 {
    first: u64,
    second: u64,
    cut: u64,
    squares: u64,
    products: i64,
}

impl SideSumsV1 {
    fn of(SideSums { first, second, cut, squares, products }: SideSums) -> Self {
        Self { first, second, cut, squares, products }
    }

    fn upgrade(self) -> SideSums {
        let Self { first, second, cut, squares, products } = self;
        SideSums { first, second, cut, squares, products }
    }
}
