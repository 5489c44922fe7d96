//! Keys of a file that are flags of the command line: one place has their names and checks, [`studies::request`].

use std::fmt;

use clap::{Arg, ArgAction, Args, Command, FromArgMatches};
use desk::refusal::Refusal;
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// An entry with the fields of `E` and the flags of `F` as keys. A flag may have a list of values: each is a case of its own.
pub(super) struct EntryWithFlags<E, F> {
    pub(super) entry: E,
    /// The cases, the last flag of the file varying fastest; without flags one.
    pub(super) cases: Vec<PowerCase<F>>,
}

/// One combination of values.
#[derive(Debug, Clone)]
pub(super) struct PowerCase<F> {
    pub(super) flags: F,
    /// The values that distinguish it, e.g. `delay 1000`; empty where no flag has several values.
    pub(super) name: String,
}

/// The values of a flag, as arguments.
struct FlagValues {
    key: String,
    values: Vec<String>,
}

impl<'de, E: DeserializeOwned, F: Args> Deserialize<'de> for EntryWithFlags<E, F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let command = command::<F>();
        let mut flag_values = Vec::new();
        let entry = E::deserialize(SplittingDeserializer { deserializer, command: &command, given: &mut flag_values })?;
        let mut cases: Vec<(Vec<String>, Vec<String>)> = vec![(vec![], vec![])];
        // A switch that is off has no words.
        for FlagValues { key, values: words } in
            flag_values.into_iter().filter(|flag_values| !flag_values.values.is_empty())
        {
            let several = words.len() > 1;
            let with_flag = |(arguments, names): &(Vec<String>, Vec<String>), word: &String| {
                let name = several.then(|| format!("{key} {}", word.split_once('=').map_or("", |(_, value)| value)));
                let names = names.iter().cloned().chain(name).collect();
                (arguments.iter().chain([word]).cloned().collect(), names)
            };
            cases = cases.iter().flat_map(|case| words.iter().map(move |word| with_flag(case, word))).collect();
        }
        let parsed = |(arguments, names): (Vec<String>, Vec<String>)| {
            let flags = parse::<F>(&command, &arguments).map_err(D::Error::custom)?;
            Ok(PowerCase { flags, name: names.join(", ") })
        };
        Ok(Self { entry, cases: cases.into_iter().map(parsed).collect::<Result<_, _>>()? })
    }
}

fn command<F: Args>() -> Command {
    F::augment_args(Command::new("setting").no_binary_name(true).disable_help_flag(true))
}

fn parse<F: FromArgMatches>(command: &Command, arguments: &[String]) -> Result<F, String> {
    let parsed = command.clone().try_get_matches_from(arguments).and_then(|parsed| F::from_arg_matches(&parsed));
    // The key stands before the message.
    parsed.map_err(|error| Refusal::of(&error, command).explanation())
}

/// Deserializes a struct from the keys that no flag has.
struct SplittingDeserializer<'a, D> {
    deserializer: D,
    command: &'a Command,
    given: &'a mut Vec<FlagValues>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for SplittingDeserializer<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserializer.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let Self { deserializer, command, given } = self;
        deserializer.deserialize_struct(name, fields, StructVisitor { visitor, fields, command, given })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Hands the keys of a struct to its visitor, and takes those that are flags.
struct StructVisitor<'a, V> {
    visitor: V,
    fields: &'static [&'static str],
    command: &'a Command,
    given: &'a mut Vec<FlagValues>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StructVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<V::Value, M::Error> {
        let Self { visitor, fields, command, given } = self;
        visitor.visit_map(StructAccess { map, fields, command, given })
    }
}

struct StructAccess<'a, M> {
    map: M,
    fields: &'static [&'static str],
    command: &'a Command,
    given: &'a mut Vec<FlagValues>,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for StructAccess<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, M::Error> {
        let Self { fields, command, .. } = *self;
        while let Some(key) = self.map.next_key_seed(KeySeed { fields, command })? {
            if let Some(flag) = flag(command, &key) {
                let values = self.map.next_value_seed(FlagSeed { flag, command })?;
                self.given.push(FlagValues { key, values });
                continue;
            }
            return seed.deserialize(key.into_deserializer()).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The flag with this name.
fn flag<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|flag| flag.get_long() == Some(name))
}

/// A key that is known.
struct KeySeed<'a> {
    fields: &'static [&'static str],
    command: &'a Command,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let Self { fields, command } = self;
        let key = String::deserialize(deserializer)?;
        if fields.contains(&key.as_str()) || flag(command, &key).is_some() {
            return Ok(key);
        }
        let flags = command.get_arguments().filter_map(Arg::get_long);
        let expected_keys: Vec<String> = fields.iter().copied().chain(flags).map(|key| format!("`{key}`")).collect();
        // As serde writes it.
        Err(D::Error::custom(format!("unknown field `{key}`, expected one of {}", expected_keys.join(", "))))
    }
}

/// The value of a flag, or several, as arguments that were tried.
struct FlagSeed<'a> {
    flag: &'a Arg,
    command: &'a Command,
}

impl<'de> DeserializeSeed<'de> for FlagSeed<'_> {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl FlagSeed<'_> {
    fn check_word<E: serde::de::Error>(&self, value: &str) -> Result<Vec<String>, E> {
        let word = format!("--{}={value}", self.flag.get_long().unwrap_or_default());
        // Alone: flags that it requires are checked when all keys are known.
        let key_command = Command::new("key").no_binary_name(true).disable_help_flag(true).arg(self.flag.clone());
        match key_command.try_get_matches_from([&word]) {
            Ok(_) => Ok(vec![word]),
            Err(error) => Err(E::custom(Refusal::of(&error, self.command).explanation())),
        }
    }
}

impl<'de> Visitor<'de> for FlagSeed<'_> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text, or a list of them")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Vec<String>, E> {
        match self.flag.get_action() {
            ArgAction::SetTrue if value => Ok(vec![format!("--{}", self.flag.get_long().unwrap_or_default())]),
            ArgAction::SetTrue => Ok(vec![]),
            _ => Err(E::invalid_type(serde::de::Unexpected::Bool(value), &self)),
        }
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Vec<String>, E> {
        self.check_word(&value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Vec<String>, E> {
        self.check_word(&value.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Vec<String>, E> {
        self.check_word(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        let mut values = Vec::new();
        while let Some(mut items) = list.next_element_seed(FlagSeed { flag: self.flag, command: self.command })? {
            values.append(&mut items);
        }
        if values.is_empty() {
            return Err(A::Error::invalid_length(0, &"at least one value"));
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        name: String,
    }

    #[derive(Debug, Clone, Args)]
    struct Asked {
        #[arg(long, value_parser = output::numbers::parse_positive)]
        runs: Option<u64>,
        #[arg(long)]
        kind: Option<String>,
        #[arg(long)]
        plain: bool,
    }

    fn read(text: &str) -> Result<EntryWithFlags<Entry, Asked>, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn flags_are_keys_and_lists_of_values_are_cases() {
        let found = read("kind = ['a', 'b=c']\nname = 'x'\nplain = false\nruns = [1, '2e1']").unwrap();
        let cases = found.cases.iter().map(|case| (case.name.as_str(), case.flags.runs, case.flags.plain));
        let expected =
            [("kind a, runs 1", 1), ("kind a, runs 2e1", 20), ("kind b=c, runs 1", 1), ("kind b=c, runs 2e1", 20)];
        assert_eq!(cases.collect::<Vec<_>>(), expected.map(|(name, runs)| (name, Some(runs), false)));
        assert_eq!((found.entry.name.as_str(), found.cases[3].flags.kind.as_deref()), ("x", Some("b=c")));
        let found = read("name = 'x'\nplain = true").unwrap();
        assert!(found.cases.len() == 1 && found.cases[0].name.is_empty() && found.cases[0].flags.plain);
    }

    #[test]
    fn wrong_keys_and_values_are_refused_as_the_command_line_does() {
        for (text, expected) in [
            ("name = 'x'\nruns = 0", "expected at least 1, found 0"),
            ("name = 'x'\nruns = true", "invalid type: boolean `true`"),
            ("name = 'x'\nruns = []", "expected at least one value"),
            ("name = 'x'\nrnus = 3", "unknown field `rnus`, expected one of `name`, `runs`, `kind`, `plain`"),
        ] {
            let error = read(text).err().expect(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
