//! The four words of a generator, which it shows only to serde.

use std::fmt;

use rand::SeedableRng as _;
use serde::Serialize;
use serde::ser::{self, Impossible, SerializeStruct, SerializeTuple};

use super::{State, StateError, StateReader, StateWriter};
use crate::Generator;

impl State for Generator {
    fn save(&self, to: &mut StateWriter) {
        state_words(self).iter().for_each(|&word| to.put(word));
    }

    fn load(&mut self, from: &mut StateReader<'_>) -> Result<(), StateError> {
        *self = from_words(from.get()?).ok_or(StateError::Damaged { what: "a generator without a state" })?;
        Ok(())
    }
}

/// The state of a generator.
pub(crate) fn state_words(generator: &Generator) -> [u64; 4] {
    let mut catcher = WordCollector(Vec::with_capacity(4));
    // It has one field, of four words; a test checks that.
    let _ = generator.serialize(&mut catcher);
    catcher.0.try_into().unwrap_or_default()
}

/// The generator of this state; `None` for the one that has none, zero.
pub(crate) fn from_words(words: [u64; 4]) -> Option<Generator> {
    let mut seed = [0; 32];
    for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    (words != [0; 4]).then(|| Generator::from_seed(seed))
}

/// Collects the words of a struct of arrays of words.
struct WordCollector(Vec<u64>);

#[derive(Debug)]
struct NotWords;

impl fmt::Display for NotWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("not an array of words")
    }
}

impl std::error::Error for NotWords {}

impl ser::Error for NotWords {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

macro_rules! refused {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, _value: $type) -> Result<(), NotWords> {
            Err(NotWords)
        })*
    };
}

impl ser::Serializer for &mut WordCollector {
    type Ok = ();
    type Error = NotWords;
    type SerializeSeq = Impossible<(), NotWords>;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Impossible<(), NotWords>;
    type SerializeTupleVariant = Impossible<(), NotWords>;
    type SerializeMap = Impossible<(), NotWords>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), NotWords>;

    fn serialize_u64(self, word: u64) -> Result<(), NotWords> {
        self.0.push(word);
        Ok(())
    }

    fn serialize_tuple(self, _count: usize) -> Result<Self, NotWords> {
        Ok(self)
    }

    fn serialize_struct(self, _name: &'static str, _count: usize) -> Result<Self, NotWords> {
        Ok(self)
    }

    refused! {
        serialize_bool(bool), serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_f32(f32), serialize_f64(f64),
        serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]), serialize_unit_struct(&'static str),
    }

    fn serialize_none(self) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _value: &T) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_unit(self) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), NotWords> {
        Err(NotWords)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, NotWords> {
        Err(NotWords)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, NotWords> {
        Err(NotWords)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotWords> {
        Err(NotWords)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NotWords> {
        Err(NotWords)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotWords> {
        Err(NotWords)
    }
}

impl SerializeTuple for &mut WordCollector {
    type Ok = ();
    type Error = NotWords;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotWords> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), NotWords> {
        Ok(())
    }
}

impl SerializeStruct for &mut WordCollector {
    type Ok = ();
    type Error = NotWords;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, _key: &'static str, value: &T) -> Result<(), NotWords> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), NotWords> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;

    #[test]
    fn a_generator_goes_on_where_it_was() {
        let mut generator = Generator::seed_from_u64(7);
        for _ in 0..1000 {
            let words = state_words(&generator);
            assert_ne!(words, [0; 4]);
            assert_eq!(from_words(words).as_ref(), Some(&generator));
            generator.next_u64();
        }
        assert_eq!(from_words([0; 4]), None);
    }
}
