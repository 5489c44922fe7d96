//! Columns as lines of JSON: the definition level of a value (how deep its structure is there) and its repetition level (in
//! which list it goes on) say where it belongs, as in Dremel (<https://doi.org/10.14778/1920841.1920886>).

use parquet::basic::{ConvertedType, Repetition};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::Type;

use super::leaf::{Leaf, write_string};
use super::types::{Form, entries, form};

/// Rows of a row group that are read together.
const BATCH_ROWS: u64 = 1 << 10;

/// The columns of a table that are read.
pub(super) struct Tree {
    /// Each with its name and a colon, as in JSON.
    fields: Vec<(Vec<u8>, Node)>,
    leaves: Vec<Column>,
}

/// A column of plain values.
struct Column {
    /// Its place among all of the file.
    place: usize,
    form: Form,
    definition: i16,
}

/// A value of the table, plain or not.
struct Node {
    /// The definition level from which on it is there.
    definition: i16,
    /// The first of its leaves, and how many there are.
    first: usize,
    leaves: usize,
    shape: Shape,
}

enum Shape {
    Leaf,
    Struct(Vec<(Vec<u8>, Node)>),
    /// Each entry of a list has this repetition level but the first.
    List(i16, Box<Node>),
    /// The same for keys and values.
    Map(i16, Box<Node>, Box<Node>),
}

/// Definition and repetition levels.
#[derive(Clone, Copy)]
struct Levels {
    definition: i16,
    repetition: i16,
}

impl Tree {
    /// The columns of the table with this root that `is_read` wants, by their numbers.
    ///
    /// # Errors
    /// If one has a structure without fields.
    pub(super) fn new(root: &Type, is_read: impl Fn(usize) -> bool) -> Result<Self> {
        let mut tree = Self { fields: Vec::new(), leaves: Vec::new() };
        let mut column_number = 0;
        for (at, field) in root.get_fields().iter().enumerate() {
            if is_read(at) {
                let node = tree.node(field, Levels { definition: 0, repetition: 0 }, &mut column_number)?;
                tree.fields.push((key(field.name()), node));
            } else {
                column_number += plain_fields(field);
            }
        }
        Ok(tree)
    }

    /// The node of a field at this depth; `column_number` is that of its first column.
    fn node(&mut self, field: &Type, outside: Levels, column_number: &mut usize) -> Result<Node> {
        let repetition = field.get_basic_info().repetition();
        let inside = Levels {
            definition: outside.definition + i16::from(repetition != Repetition::REQUIRED),
            repetition: outside.repetition + i16::from(repetition == Repetition::REPEATED),
        };
        let node = self.single_node(field, inside, column_number)?;
        // A repeated field that is not the entries of a list is a list of its own.
        Ok(if repetition == Repetition::REPEATED { node.in_list(outside.definition, inside.repetition) } else { node })
    }

    /// A field, apart from how often it is there.
    fn single_node(&mut self, field: &Type, levels: Levels, column_number: &mut usize) -> Result<Node> {
        let Levels { definition, repetition } = levels;
        let first = self.leaves.len();
        if field.is_primitive() {
            self.leaves.push(Column { place: *column_number, form: form(field), definition });
            *column_number += 1;
            return Ok(Node { definition, first, leaves: 1, shape: Shape::Leaf });
        }
        // One level deeper both: the repeated field inside.
        let deeper = Levels { definition: definition + 1, repetition: repetition + 1 };
        let shape = match field.get_basic_info().converted_type() {
            ConvertedType::LIST => {
                let repeated = &field.get_fields()[0];
                let entry = match entries(repeated) {
                    Some(entry) => self.node(entry, deeper, column_number)?,
                    None => self.single_node(repeated, deeper, column_number)?,
                };
                Shape::List(deeper.repetition, Box::new(entry))
            }
            ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => {
                let pair = field.get_fields()[0].get_fields();
                let keys = Box::new(self.node(&pair[0], deeper, column_number)?);
                match pair.get(1) {
                    Some(value) => {
                        Shape::Map(deeper.repetition, keys, Box::new(self.node(value, deeper, column_number)?))
                    }
                    None => Shape::List(deeper.repetition, keys),
                }
            }
            _ => {
                let inner = field.get_fields().iter();
                Shape::Struct(
                    inner
                        .map(|it| Ok((key(it.name()), self.node(it, levels, column_number)?)))
                        .collect::<Result<_>>()?,
                )
            }
        };
        let leaves = self.leaves.len() - first;
        if leaves == 0 {
            return Err(ParquetError::General(format!("`{}` is a structure without fields", field.name())));
        }
        Ok(Node { definition, first, leaves, shape })
    }
}

impl Node {
    /// A list of such values, there from this definition level on.
    fn in_list(self, definition: i16, repetition: i16) -> Self {
        Self { definition, first: self.first, leaves: self.leaves, shape: Shape::List(repetition, Box::new(self)) }
    }

    /// Appends the next value; whether it is known.
    fn write(&self, leaves: &mut [Leaf], out: &mut Vec<u8>) -> Result<bool> {
        if leaves[self.first].definition()? < self.definition {
            self.skip(leaves)?;
            out.extend_from_slice(b"null");
            return Ok(false);
        }
        match &self.shape {
            Shape::Leaf => return leaves[self.first].write(out),
            Shape::Struct(fields) => {
                out.push(b'{');
                for (field_index, (key, field)) in fields.iter().enumerate() {
                    comma(field_index, out);
                    out.extend_from_slice(key);
                    field.write(leaves, out)?;
                }
                out.push(b'}');
            }
            Shape::List(repetition, entry) => {
                out.push(b'[');
                self.each_entry(*repetition, leaves, |field_index, leaves| {
                    comma(field_index, out);
                    entry.write(leaves, out).map(drop)
                })?;
                out.push(b']');
            }
            Shape::Map(repetition, keys, values) => {
                out.push(b'{');
                let mut key = Vec::new();
                self.each_entry(*repetition, leaves, |field_index, leaves| {
                    comma(field_index, out);
                    key.clear();
                    keys.write(leaves, &mut key)?;
                    // Names of JSON are text.
                    if key.starts_with(b"\"") {
                        out.extend_from_slice(&key);
                    } else {
                        write_string(&String::from_utf8_lossy(&key), out);
                    }
                    out.push(b':');
                    values.write(leaves, out).map(drop)
                })?;
                out.push(b'}');
            }
        }
        Ok(true)
    }

    /// Calls `f` for each entry of a list, with its number.
    fn each_entry(
        &self,
        repetition: i16,
        leaves: &mut [Leaf],
        mut f: impl FnMut(usize, &mut [Leaf]) -> Result<()>,
    ) -> Result<()> {
        // An empty list is present, but has no entries.
        if leaves[self.first].definition()? == self.definition {
            return self.skip(leaves);
        }
        for at in 0.. {
            f(at, leaves)?;
            if leaves[self.first].repetition().is_none_or(|next| next < repetition) {
                break;
            }
        }
        Ok(())
    }

    /// Passes over the next value, which is missing.
    fn skip(&self, leaves: &mut [Leaf]) -> Result<()> {
        leaves[self.first..self.first + self.leaves].iter_mut().try_for_each(Leaf::skip)
    }
}

/// The rows of a row group.
pub(super) struct Rows {
    leaves: Vec<Leaf>,
    /// The number of unread values, and of read values that are not written.
    unread: u64,
    ready: u64,
}

impl Rows {
    /// The rows of a group.
    ///
    /// # Errors
    /// If the group lacks a column.
    pub(super) fn new(tree: &Tree, group: &dyn RowGroupReader) -> Result<Self> {
        let leaf =
            |column: &Column| Ok(Leaf::new(group.get_column_reader(column.place)?, column.form, column.definition));
        let leaves = tree.leaves.iter().map(leaf).collect::<Result<_>>()?;
        Ok(Self { leaves, unread: u64::try_from(group.metadata().num_rows()).unwrap_or(0), ready: 0 })
    }

    /// Appends the next row as a line, without unknown values; false after the last.
    ///
    /// # Errors
    /// If the group is damaged.
    pub(super) fn write_next(&mut self, tree: &Tree, out: &mut Vec<u8>) -> Result<bool> {
        if self.ready == 0 {
            self.ready = self.unread.min(BATCH_ROWS);
            self.unread -= self.ready;
            self.leaves.iter_mut().try_for_each(|leaf| leaf.read(self.ready as usize))?;
            if self.ready == 0 {
                return Ok(false);
            }
        }
        out.push(b'{');
        let mut is_first = true;
        for (key, field) in &tree.fields {
            let before = out.len();
            comma(usize::from(!is_first), out);
            out.extend_from_slice(key);
            // Logs write unknown values as null, and pandas as not a number.
            if field.write(&mut self.leaves, out)? {
                is_first = false;
            } else {
                out.truncate(before);
            }
        }
        out.extend_from_slice(b"}\n");
        self.ready -= 1;
        Ok(true)
    }
}

/// A name and a colon.
fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    write_string(name, &mut key);
    key.push(b':');
    key
}

fn comma(at: usize, out: &mut Vec<u8>) {
    if at > 0 {
        out.push(b',');
    }
}

/// The number of columns of plain values in a field.
fn plain_fields(field: &Type) -> usize {
    if field.is_primitive() { 1 } else { field.get_fields().iter().map(|field| plain_fields(field)).sum() }
}
