//! The effect of one list's coins on a pair of rankers, as far as its method shows.

/// The effect of a list's coins on a pair of rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Draw {
    /// Which ranker came first.
    pub lead: Lead,
    /// Of the places that both could still fill: how many more the first ranker owns than the second. 0 in every list of a team
    /// draft with whole rounds.
    pub surplus: i16,
}

/// Which of two rankers came first in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lead {
    /// The method does not show it, or the page differs from the mixed list.
    #[default]
    Unseen,
    /// Both own documents, and a coin chose this one to begin.
    Coin(Side),
    /// Only this one owns documents: a coin may have chosen it, or the other had none.
    Alone(Side),
}

/// One of two rankers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

impl Side {
    /// The side of an owner among two rankers; `None` if it is neither.
    #[must_use]
    pub fn of<T: PartialEq>(owner: T, [first, second]: [T; 2]) -> Option<Self> {
        if owner == first { Some(Self::First) } else { (owner == second).then_some(Self::Second) }
    }

    /// Its place in an array of both.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl Lead {
    /// Which side came first, if that is seen.
    #[must_use]
    pub fn side(self) -> Option<Side> {
        match self {
            Self::Unseen => None,
            Self::Coin(side) | Self::Alone(side) => Some(side),
        }
    }

    /// A number below 5.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Unseen => 0,
            Self::Coin(side) => 1 + side as u32,
            Self::Alone(side) => 3 + side as u32,
        }
    }

    /// The draw with this number.
    pub(super) fn from_number(number: u32) -> Self {
        match number {
            1 => Self::Coin(Side::First),
            2 => Self::Coin(Side::Second),
            3 => Self::Alone(Side::First),
            4 => Self::Alone(Side::Second),
            _ => Self::Unseen,
        }
    }
}

impl Draw {
    /// The draw of a team draft, from the owner of each mixed document, top down, in the order in which it was mixed.
    ///
    /// In each round, both rankers add a document, and a coin decides which begins, until one has none left. Then the other owns all that
    /// follows. So the list without its last run, up to the end of a round, has as many documents of both; where a page begins
    /// or ends within a round, one more of either, each with the same probability.
    #[must_use]
    pub fn from_owners(owners: impl Iterator<Item = Option<Side>>) -> Self {
        let (mut lead, mut place_count, mut surplus) = (None, 0_usize, 0_i32);
        // The last run: its side, its length, and the surplus before it.
        let mut run: Option<(Side, usize, i32)> = None;
        let mut has_both = false;
        for owner in owners.flatten() {
            lead.get_or_insert(owner);
            has_both |= lead != Some(owner);
            match &mut run {
                Some((side, length, _)) if *side == owner => *length += 1,
                _ => run = Some((owner, 1, surplus)),
            }
            place_count += 1;
            surplus += sign(owner);
        }
        let (Some(lead), Some((last, length, surplus_before))) = (lead, run) else { return Self::default() };
        if !has_both {
            return Self { lead: Lead::Alone(lead), surplus: 0 };
        }
        // The round in which the run begins is whole if the run fills it.
        let is_within_a_round = !(place_count - length).is_multiple_of(2);
        let surplus = surplus_before + if is_within_a_round { sign(last) } else { 0 };
        Self { lead: Lead::Coin(lead), surplus: surplus.clamp(i16::MIN.into(), i16::MAX.into()) as i16 }
    }

    /// The draw of a balanced list: by place, the rank that each ranker gives the document, if it is in its list. Where both rank the
    /// first document first, the coin is not seen.
    #[must_use]
    pub fn from_ranks(ranks: &[[Option<u16>; 2]]) -> Self {
        let Some(top) = ranks.first() else { return Self::default() };
        let side = match top {
            [Some(0), Some(0)] => return Self::default(),
            [Some(0), _] => Side::First,
            [_, Some(0)] => Side::Second,
            _ => return Self::default(),
        };
        let has_other = ranks.iter().any(|ranks| ranks[side.other().index()].is_some());
        Self { lead: if has_other { Lead::Coin(side) } else { Lead::Alone(side) }, surplus: 0 }
    }

    /// The same for the two rankers in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        let lead = match self.lead {
            Lead::Unseen => Lead::Unseen,
            Lead::Coin(side) => Lead::Coin(side.other()),
            Lead::Alone(side) => Lead::Alone(side.other()),
        };
        Self { lead, surplus: -self.surplus }
    }
}

fn sign(side: Side) -> i32 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(teams: &str) -> Draw {
        Draw::from_owners(teams.bytes().map(|team| match team {
            b'A' => Some(Side::First),
            b'B' => Some(Side::Second),
            _ => None,
        }))
    }

    #[test]
    fn whole_rounds_have_no_surplus() {
        // The second ranker has one, two, no documents; the page is odd; a prefix has no owner.
        for teams in ["AB", "BA", "ABBAAB", "ABAAAA", "BAAAAA", "ABBAA", "ABA", "BAA", "--BAAB", "BABAAAA"] {
            assert_eq!(of(teams).surplus, 0, "{teams}");
        }
        for (teams, surplus) in [("AAAB", 2), ("AABA", 2), ("AAABAAAB", 4), ("BBBABBBA", -4)] {
            assert_eq!(of(teams).surplus, surplus, "{teams}");
        }
        assert_eq!(of("AAAB").lead, Lead::Coin(Side::First));
        assert_eq!(of("--BAAB").lead, Lead::Coin(Side::Second));
        assert_eq!(of("BBB").lead, Lead::Alone(Side::Second));
        assert_eq!(of("--").lead, Lead::Unseen);
    }

    #[test]
    fn the_other_order_is_the_opposite() {
        for teams in ["AAAB", "ABBA", "B", "AAA", "BABBAAAB", ""] {
            let other: String = teams.chars().map(|team| if team == 'A' { 'B' } else { 'A' }).collect();
            assert_eq!(of(teams).swapped(), of(&other), "{teams}");
        }
    }

    #[test]
    fn balanced_lists_show_their_coin_unless_tops_agree() {
        assert_eq!(Draw::from_ranks(&[[Some(0), Some(2)], [Some(1), Some(0)]]).lead, Lead::Coin(Side::First));
        assert_eq!(Draw::from_ranks(&[[Some(3), Some(0)]]).lead, Lead::Coin(Side::Second));
        assert_eq!(Draw::from_ranks(&[[Some(0), None], [Some(1), None]]).lead, Lead::Alone(Side::First));
        assert_eq!(Draw::from_ranks(&[[Some(0), Some(0)], [Some(1), Some(2)]]).lead, Lead::Unseen);
        assert_eq!(Draw::from_ranks(&[]).lead, Lead::Unseen);
    }
}
