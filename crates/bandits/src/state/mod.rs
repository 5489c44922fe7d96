//! The state of policies as bytes: everything, to the last bit of what is kept incrementally, so that a restored policy
//! goes on exactly as the one that was saved. The rest of a snapshot is in `open`.
//!
//! A type lists its fields in one line, [`state!`]: those that it keeps, and after `but` those that its configuration
//! gives it again. It is loaded into one that was built from the same configuration. Each type writes a tag of its
//! fields first, so that bytes of a build with other fields are refused.

mod generator;
mod plain;

pub(crate) use generator::{from_words, state_words};
pub use plain::Plain;

/// Writes the state of a policy.
#[derive(Debug, Clone, Default)]
pub struct StateWriter {
    bytes: Vec<u8>,
}

/// Reads the state of a policy.
#[derive(Debug, Clone)]
pub struct StateReader<'a> {
    bytes: &'a [u8],
}

/// Why a state cannot be restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A policy that can only be restored from its log.
    #[error("this policy has no stored form; restore it from its log")]
    NotStored,
    /// The state of another policy, or of another revision of this one.
    #[error("the state is of `{found}`, expected `{expected}`")]
    OtherPolicy {
        /// The policy that the state should be loaded into.
        expected: String,
        /// The policy that it is of.
        found: String,
    },
    /// Another layout.
    #[error("the state was written by another build of this program; restore the policy from its log")]
    OtherBuild,
    /// Other bytes than were written.
    #[error("the state is damaged: {what}; restore the policy from its log or from an earlier snapshot")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

impl StateWriter {
    /// Appends bytes, their number first.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        self.put(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a small value.
    pub fn put<T: Plain>(&mut self, value: T) {
        value.put(self);
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl<'a> StateReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The bytes of one [`put_bytes`](StateWriter::put_bytes).
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn get_bytes(&mut self) -> Result<&'a [u8], StateError> {
        let count = self.get()?;
        self.raw(count)
    }

    /// The small value of one [`put`](StateWriter::put).
    ///
    /// # Errors
    /// If the bytes are not those of such a value.
    pub fn get<T: Plain>(&mut self) -> Result<T, StateError> {
        T::get(self)
    }

    fn raw(&mut self, count: usize) -> Result<&'a [u8], StateError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(StateError::Damaged { what: "it ends early" })?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(crate) fn finish(self) -> Result<(), StateError> {
        if self.bytes.is_empty() { Ok(()) } else { Err(StateError::Damaged { what: "something follows its end" }) }
    }
}

/// State that is saved, and loaded into a value built from the same configuration. [`state!`](crate::state) writes it.
pub trait State {
    /// Appends it.
    fn save(&self, to: &mut StateWriter);

    /// Replaces it by the saved value.
    ///
    /// # Errors
    /// If the bytes are not those of such a value.
    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError>;
}

/// The tag of a type's fields: FNV-1a of their names.
#[doc(hidden)]
#[must_use]
pub const fn tag(fields: &str) -> u32 {
    let bytes = fields.as_bytes();
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// Makes a type a [`State`](crate::State): `state!(Type { kept, kept } but { given, given })`, every field in one of the lists.
/// Those that are kept are [`State`](crate::State) themselves: numbers, [`Arm`](crate::Arm)s, tables of pairs, small tuples and
/// arrays of numbers, options and vectors of all these. Those after `but` are what the configuration gives again.
///
/// Of a type with a parameter: `state!(bounded T: State => Type<T> { kept })`.
#[macro_export]
macro_rules! state {
    (bounded $parameter:ident: $bound:path => $type:ty { $($kept:ident),* } $(but { $($given:ident),* })?) => {
        impl<$parameter: $bound> $crate::State for $type {
            $crate::state!(@body $type { $($kept),* } { $($($given),*)? });
        }
    };
    ($type:ty { $($kept:ident),* } $(but { $($given:ident),* })?) => {
        impl $crate::State for $type {
            $crate::state!(@body $type { $($kept),* } { $($($given),*)? });
        }
    };
    (@body $type:ty { $($kept:ident),* } { $($given:ident),* }) => {
        fn save(&self, to: &mut $crate::StateWriter) {
            let Self { $($kept,)* $($given: _,)* } = self;
            to.put($crate::state_tag(stringify!($type $($kept)*)));
            $($crate::State::save($kept, to);)*
        }

        fn load(&mut self, from: &mut $crate::StateReader<'_>) -> Result<(), $crate::StateError> {
            let Self { $($kept,)* $($given: _,)* } = self;
            if from.get::<u32>()? != $crate::state_tag(stringify!($type $($kept)*)) {
                return Err($crate::StateError::OtherBuild);
            }
            $($crate::State::load($kept, from)?;)*
            Ok(())
        }
    };
}

/// The two methods of a [`Policy`](crate::Policy) or a [`DuelPolicy`](crate::DuelPolicy) that is a [`State`](crate::State).
#[macro_export]
macro_rules! stored {
    () => {
        fn save(&self, to: &mut $crate::StateWriter) -> bool {
            $crate::State::save(self, to);
            true
        }

        fn load(&mut self, from: &mut $crate::StateReader<'_>) -> Result<(), $crate::StateError> {
            $crate::State::load(self, from)
        }
    };
}

impl<T: Plain> State for T {
    fn save(&self, to: &mut StateWriter) {
        self.put(to);
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        *self = T::get(from)?;
        Ok(())
    }
}

impl<T: Plain> State for Vec<T> {
    fn save(&self, to: &mut StateWriter) {
        to.put(self.len());
        self.iter().for_each(|&value| to.put(value));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let count: usize = from.get()?;
        self.clear();
        // The bytes left bound the allocation.
        self.reserve(count.min(from.bytes.len()));
        for _ in 0..count {
            self.push(from.get()?);
        }
        Ok(())
    }
}

impl<T: Plain> State for Option<Vec<T>> {
    fn save(&self, to: &mut StateWriter) {
        to.put(self.is_some());
        self.iter().for_each(|values| values.save(to));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        *self = if from.get()? {
            let mut values = Vec::new();
            values.load(from)?;
            Some(values)
        } else {
            None
        };
        Ok(())
    }
}

impl<T: Plain + Ord> State for std::collections::BinaryHeap<T> {
    fn save(&self, to: &mut StateWriter) {
        to.put(self.len());
        self.iter().for_each(|&value| to.put(value));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        let mut values = Vec::new();
        values.load(from)?;
        *self = values.into();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Sample {
        size: usize,
        values: Vec<(u32, f64)>,
        mode: Option<Vec<usize>>,
        last: Option<[bool; 2]>,
    }

    state!(Sample { values, mode, last } but { size });

    fn saved(sample: &Sample) -> Vec<u8> {
        let mut to = StateWriter::default();
        sample.save(&mut to);
        to.into_bytes()
    }

    #[test]
    fn what_was_saved_is_loaded_and_nothing_else() {
        let full = Sample {
            size: 3,
            values: vec![(7, f64::INFINITY), (u32::MAX, -0.0)],
            mode: Some(vec![usize::MAX]),
            last: Some([true, false]),
        };
        let empty = Sample { size: 3, values: Vec::new(), mode: None, last: None };
        for sample in [&full, &empty] {
            let bytes = saved(sample);
            let mut other = Sample { values: vec![(1, 1.0)], mode: Some(vec![4]), last: None, size: 3 };
            let mut from = StateReader::new(&bytes);
            other.load(&mut from).expect("the same type");
            assert_eq!((&other, from.finish()), (sample, Ok(())));
            for cut in 0..bytes.len() {
                assert!(other.load(&mut StateReader::new(&bytes[..cut])).is_err());
            }
        }
        let mut bytes = saved(&full);
        let last = bytes.len() - 1;
        bytes[last] = 2;
        let damaged = full.clone().load(&mut StateReader::new(&bytes));
        assert_eq!(damaged, Err(StateError::Damaged { what: "a truth value is neither 0 nor 1" }));
        bytes[0] ^= 1;
        assert_eq!(full.clone().load(&mut StateReader::new(&bytes)), Err(StateError::OtherBuild));
        // A length beyond the bytes that follow allocates nothing.
        let mut long = StateWriter::default();
        long.put(u64::MAX);
        assert!(Vec::<u64>::new().load(&mut StateReader::new(&long.into_bytes())).is_err());
    }
}
