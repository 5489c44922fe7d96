//! Random tables with every kind of nesting are read back unchanged.

use std::fs::File;
use std::sync::Arc;

use interleave::Generator;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use super::tree::{Rows, Tree};

/// A type of values.
enum LineKind {
    Text,
    Whole,
    Struct(Vec<Named>),
    /// Lists as they are written today.
    List(Box<Named>),
    /// The repeated field is the entry: text, or a structure of two fields or more.
    OldList(Box<LineKind>),
    /// A repeated field without a list around it, as in files of Protocol Buffers.
    Bare(Box<LineKind>),
    Map(Box<Named>),
}

struct Named {
    name: String,
    is_optional: bool,
    kind: LineKind,
}

impl LineKind {
    fn random(deep: usize, draws: &mut Generator) -> Self {
        let named = |name: &str, draws: &mut Generator| Named {
            name: name.to_owned(),
            is_optional: draws.random_bool(0.6),
            kind: Self::random(deep + 1, draws),
        };
        // Files describe an entry that is a structure of one list and an entry that is a list in the same way: it is a
        // structure.
        let entry = |name: &str, draws: &mut Generator| {
            let found = std::iter::repeat_with(|| named(name, draws)).find(|it| !matches!(it.kind, Self::Bare(_)));
            Box::new(found.expect("a draw without end"))
        };
        let structure = |least, draws: &mut Generator| {
            Self::Struct((0..draws.random_range(least..4)).map(|n| named(&format!("f{n}"), draws)).collect())
        };
        match draws.random_range(0..if deep > 3 { 2 } else { 8 }) {
            0 => Self::Text,
            1 => Self::Whole,
            2 | 3 => structure(1, draws),
            4 => Self::List(entry("element", draws)),
            5 => Self::OldList(Box::new(if draws.random() { Self::Text } else { structure(2, draws) })),
            6 => Self::Bare(Box::new(if draws.random() { Self::Whole } else { structure(1, draws) })),
            _ => Self::Map(entry("value", draws)),
        }
    }

    /// In the language of schemas, with this repetition.
    fn text(&self, repetition: &str, name: &str) -> String {
        match self {
            Self::Text => format!("{repetition} binary {name} (UTF8);"),
            Self::Whole => format!("{repetition} int64 {name};"),
            Self::Struct(fields) => {
                format!("{repetition} group {name} {{ {} }}", fields.iter().map(Named::text).collect::<String>())
            }
            Self::List(entry) => {
                format!("{repetition} group {name} (LIST) {{ repeated group list {{ {} }} }}", entry.text())
            }
            Self::OldList(entry) => {
                format!("{repetition} group {name} (LIST) {{ {} }}", entry.text("repeated", "array"))
            }
            Self::Bare(entry) => entry.text("repeated", name),
            Self::Map(value) => format!(
                "{repetition} group {name} (MAP) {{ repeated group key_value {{ required binary key (UTF8); {} }} }}",
                value.text()
            ),
        }
    }

    fn value(&self, draws: &mut Generator) -> Value {
        let few = draws.random_range(0..4);
        match self {
            Self::Text => ["", "a", "\"quoted\"", "\u{e9}\n"][few].into(),
            Self::Whole => draws.random::<i64>().into(),
            Self::Struct(fields) => {
                fields.iter().map(|field| (field.name.clone(), field.value(draws))).collect::<Map<_, _>>().into()
            }
            Self::List(entry) => (0..few).map(|_| entry.value(draws)).collect(),
            Self::OldList(entry) | Self::Bare(entry) => (0..few).map(|_| entry.value(draws)).collect(),
            Self::Map(value) => (0..few).map(|n| (format!("k{n}"), value.value(draws))).collect::<Map<_, _>>().into(),
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Self::Text | Self::Whole => 1,
            Self::Struct(fields) => fields.iter().map(|field| field.kind.leaves()).sum(),
            Self::List(entry) => entry.kind.leaves(),
            Self::OldList(entry) | Self::Bare(entry) => entry.leaves(),
            Self::Map(value) => 1 + value.kind.leaves(),
        }
    }

    /// Takes a value apart into the levels and values of its columns; `None` is missing from this definition level on.
    fn take_apart(&self, value: Option<&Value>, definition: i16, repetitions: [i16; 2], columns: &mut [Levels]) {
        let Some(value) = value else {
            return columns.iter_mut().for_each(|column| column.push(definition, repetitions[0], None));
        };
        let [first, deep] = repetitions;
        match self {
            Self::Text | Self::Whole => columns[0].push(definition, first, Some(value)),
            Self::Struct(fields) => {
                let mut rest = columns;
                for field in fields {
                    let (own, others) = rest.split_at_mut(field.kind.leaves());
                    field.take_apart(&value[&field.name], definition, repetitions, own);
                    rest = others;
                }
            }
            Self::List(_) | Self::OldList(_) | Self::Bare(_) => {
                let entries = value.as_array().unwrap();
                if entries.is_empty() {
                    return columns.iter_mut().for_each(|column| column.push(definition, first, None));
                }
                for (at, entry) in entries.iter().enumerate() {
                    let repetitions = [if at == 0 { first } else { deep + 1 }, deep + 1];
                    match self {
                        Self::List(named) => named.take_apart(entry, definition + 1, repetitions, columns),
                        Self::OldList(kind) | Self::Bare(kind) => {
                            kind.take_apart(Some(entry), definition + 1, repetitions, columns);
                        }
                        _ => unreachable!(),
                    }
                }
            }
            Self::Map(named) => {
                let entries = value.as_object().unwrap();
                if entries.is_empty() {
                    return columns.iter_mut().for_each(|column| column.push(definition, first, None));
                }
                for (at, (key, entry)) in entries.iter().enumerate() {
                    let repetitions = [if at == 0 { first } else { deep + 1 }, deep + 1];
                    columns[0].push(definition + 1, repetitions[0], Some(&json!(key)));
                    named.take_apart(entry, definition + 1, repetitions, &mut columns[1..]);
                }
            }
        }
    }
}

impl Named {
    fn is_optional(&self) -> bool {
        self.is_optional && !matches!(self.kind, LineKind::Bare(_))
    }

    fn text(&self) -> String {
        self.kind.text(if self.is_optional() { "optional" } else { "required" }, &self.name)
    }

    fn value(&self, draws: &mut Generator) -> Value {
        if self.is_optional() && draws.random_bool(0.3) { Value::Null } else { self.kind.value(draws) }
    }

    fn take_apart(&self, value: &Value, definition: i16, repetitions: [i16; 2], columns: &mut [Levels]) {
        let value = (!value.is_null()).then_some(value);
        let is_there = i16::from(self.is_optional() && value.is_some());
        self.kind.take_apart(value, definition + is_there, repetitions, columns);
    }
}

/// The values of a column.
#[derive(Default, Clone)]
struct Levels {
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    values: Vec<Value>,
}

impl Levels {
    fn push(&mut self, definition: i16, repetition: i16, value: Option<&Value>) {
        self.definitions.push(definition);
        self.repetitions.push(repetition);
        self.values.extend(value.cloned());
    }
}

#[test]
fn tables_nested_in_every_way_are_read_as_written() {
    let mut draws = Generator::seed_from_u64(69);
    for round in 0..200 {
        let fields: Vec<Named> = (0..draws.random_range(1..5))
            .map(|n| Named {
                name: format!("c{n}"),
                is_optional: draws.random(),
                kind: LineKind::random(0, &mut draws),
            })
            .collect();
        // More rows than are read together, now and then.
        let rows: Vec<Vec<Value>> = (0..if round % 20 == 0 { 2_500 } else { draws.random_range(1..20) })
            .map(|_| fields.iter().map(|field| field.value(&mut draws)).collect())
            .collect();
        let schema = format!("message m {{ {} }}", fields.iter().map(Named::text).collect::<String>());
        let mut levels = vec![Levels::default(); fields.iter().map(|field| field.kind.leaves()).sum()];
        for row in &rows {
            let mut rest = levels.as_mut_slice();
            for (field, value) in fields.iter().zip(row) {
                let (own, others) = rest.split_at_mut(field.kind.leaves());
                field.take_apart(value, 0, [0, 0], own);
                rest = others;
            }
        }
        let file = tempfile::tempfile().unwrap();
        write(&schema, &levels, file.try_clone().unwrap());

        let reader = SerializedFileReader::new(file).unwrap();
        // One column is not read, now and then.
        let left_out = draws.random_range(0..3);
        let root = reader.metadata().file_metadata().schema_descr().root_schema();
        let tree = Tree::new(root, |at| at != left_out).unwrap();
        let mut found = Rows::new(&tree, &*reader.get_row_group(0).unwrap()).unwrap();
        for row in &rows {
            let mut line = Vec::new();
            assert!(found.write_next(&tree, &mut line).unwrap(), "{schema}");
            let line: Value = serde_json::from_slice(&line).unwrap();
            let expected: Map<String, Value> = (fields.iter().zip(row).enumerate())
                .filter(|(at, (_, value))| *at != left_out && !value.is_null())
                .map(|(_, (field, value))| (field.name.clone(), value.clone()))
                .collect();
            assert_eq!(line, Value::Object(expected), "{schema}");
        }
        assert!(!found.write_next(&tree, &mut Vec::new()).unwrap());
    }
}

fn write(schema: &str, columns: &[Levels], file: File) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(file, schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    for Levels { definitions, repetitions, values } in columns {
        let mut column = group.next_column().unwrap().unwrap();
        let (definitions, repetitions) = (Some(definitions.as_slice()), Some(repetitions.as_slice()));
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let texts: Vec<ByteArray> = values.iter().map(|value| value.as_str().unwrap().into()).collect();
                writer.write_batch(&texts, definitions, repetitions).unwrap();
            }
            ColumnWriter::Int64ColumnWriter(writer) => {
                let numbers: Vec<i64> = values.iter().map(|value| value.as_i64().unwrap()).collect();
                writer.write_batch(&numbers, definitions, repetitions).unwrap();
            }
            _ => unreachable!("all values are text or whole numbers"),
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
}
