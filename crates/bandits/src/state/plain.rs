//! Numbers and small groups of them, as bytes: little end first.

use std::cmp::Reverse;

use super::{StateError, StateReader, StateWriter};

/// A small value that is copied as it is. [`plain!`](crate::plain) writes it.
pub trait Plain: Copy {
    /// Appends it.
    fn put(self, to: &mut StateWriter);

    /// Reads one.
    ///
    /// # Errors
    /// If the bytes are not those of such a value.
    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Plain for $number {
            fn put(self, to: &mut StateWriter) {
                to.raw(&self.to_le_bytes());
            }

            fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                let bytes = from.raw(size_of::<$number>())?;
                bytes.try_into().map(<$number>::from_le_bytes).map_err(|_| StateError::Damaged { what: "a number" })
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i64, f32, f64);

impl Plain for usize {
    fn put(self, to: &mut StateWriter) {
        (self as u64).put(to);
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        Self::try_from(u64::get(from)?).map_err(|_| StateError::Damaged { what: "a number beyond this machine's" })
    }
}

impl Plain for bool {
    fn put(self, to: &mut StateWriter) {
        u8::from(self).put(to);
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        match u8::get(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(StateError::Damaged { what: "a truth value is neither 0 nor 1" }),
        }
    }
}

impl<T: Plain> Plain for Reverse<T> {
    fn put(self, to: &mut StateWriter) {
        self.0.put(to);
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        T::get(from).map(Self)
    }
}

impl<T: Plain> Plain for Option<T> {
    fn put(self, to: &mut StateWriter) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        bool::get(from)?.then(|| T::get(from)).transpose()
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    fn put(self, to: &mut StateWriter) {
        self.into_iter().for_each(|value| value.put(to));
    }

    fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
        let mut failed = None;
        let values: [Option<T>; N] = std::array::from_fn(|_| T::get(from).map_err(|error| failed = Some(error)).ok());
        match failed {
            Some(error) => Err(error),
            None => Ok(values.map(|value| match value {
                Some(value) => value,
                None => unreachable!("each was read"),
            })),
        }
    }
}

macro_rules! tuples {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Plain),*> Plain for ($($name,)*) {
            fn put(self, to: &mut StateWriter) {
                $(self.$place.put(to);)*
            }

            fn get(from: &mut StateReader<'_>) -> Result<Self, StateError> {
                Ok(($($name::get(from)?,)*))
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);

/// Makes a [`Copy`] type of named fields [`Plain`](crate::Plain): `plain!(Type { field, field })`.
#[macro_export]
macro_rules! plain {
    ($type:ty { $($field:ident),* }) => {
        impl $crate::Plain for $type {
            fn put(self, to: &mut $crate::StateWriter) {
                let Self { $($field),* } = self;
                $($crate::Plain::put($field, to);)*
            }

            fn get(from: &mut $crate::StateReader<'_>) -> Result<Self, $crate::StateError> {
                Ok(Self { $($field: $crate::Plain::get(from)?),* })
            }
        }
    };
}
