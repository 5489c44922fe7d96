//! Formats that no reader here takes, known by how a file begins.

use std::fmt;

/// A format that is neither text in UTF-8 nor, in JSON, one value per line. Displayed as what a file is: "Parquet", "a zip archive".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherFormat {
    /// A zip archive, as spreadsheets are.
    Zip,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Another archive, or a file that is compressed with something other than gzip.
    Packed(&'static str),
    /// Text in UTF-16.
    Utf16,
    /// A table, a database or an object of Python, which libraries of Python read.
    Table(&'static str),
    /// Records of TensorFlow.
    TfRecord,
    /// JSON with a separator before each value, RFC 7464.
    JsonSequence,
}

/// The first bytes of formats.
const STARTS: [(&[u8], OtherFormat); 19] = [
    (b"PK\x03\x04", OtherFormat::Zip),
    (b"Rar!", OtherFormat::Packed("a rar archive")),
    (b"7z\xbc\xaf\x27\x1c", OtherFormat::Packed("a 7z archive")),
    (b"BZh", OtherFormat::Packed("bzip2")),
    (b"\xfd7zXZ\x00", OtherFormat::Packed("xz")),
    (b"\x28\xb5\x2f\xfd", OtherFormat::ZSTD),
    (b"\xff\xfe", OtherFormat::Utf16),
    (b"\xfe\xff", OtherFormat::Utf16),
    (b"\x1e", OtherFormat::JsonSequence),
    (b"PAR1", OtherFormat::PARQUET),
    (b"ARROW1", OtherFormat::Table("an Arrow (Feather) file")),
    // A message of unknown length comes first, which has no name of its own.
    (b"\xff\xff\xff\xff", OtherFormat::Table("a stream of Arrow")),
    (b"FEA1", OtherFormat::Table("a Feather file")),
    // The name alone may begin a text.
    (b"ORC\n", OtherFormat::Table("ORC")),
    (b"Obj\x01", OtherFormat::Table("Avro")),
    (b"\x89HDF", OtherFormat::Table("an HDF5 file")),
    (b"SQLite format 3\0", OtherFormat::Table("a database of SQLite")),
    (b"\xd0\xcf\x11\xe0", OtherFormat::Table("a spreadsheet of Excel (.xls)")),
    (b"\x80\x04\x95", OtherFormat::Table("a pickle of Python")),
];

impl OtherFormat {
    /// The most bytes of a file from which its format is known: the head of a zip archive and the name of its first file.
    pub const HEAD: usize = 128;

    /// Parquet, which some readers take.
    pub const PARQUET: Self = Self::Table("Parquet");

    /// Data packed by zstd, which some readers unpack.
    pub const ZSTD: Self = Self::Packed("zstd");

    /// Advice to remove the separators of a JSON sequence.
    pub const SEPARATOR_ADVICE: &str = "`tr -d '\\036'` removes the separators";

    /// The format of a file that begins with these bytes; `None` for what may be text, and for gzip, which readers unpack.
    #[must_use]
    pub fn of(start: &[u8]) -> Option<Self> {
        if let Some((_, format)) = STARTS.iter().find(|(magic, _)| start.starts_with(magic)) {
            let first_name = start.get(30..Self::HEAD.min(start.len())).unwrap_or_default();
            let is_npz = *format == Self::Zip && first_name.windows(4).any(|part| part == b".npy");
            return Some(if is_npz { Self::Npz } else { *format });
        }
        // A length in eight bytes, its checksum in four, and a message with a first field that holds others.
        let is_records = start.len() > 12 && start[..4] != [0; 4] && start[4..8] == [0; 4] && start[12] == b'\n';
        is_records.then_some(Self::TfRecord)
    }
}

impl fmt::Display for OtherFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zip => "a zip archive",
            Self::Npz => "a NumPy .npz archive",
            Self::Utf16 => "UTF-16 text",
            Self::TfRecord => "a TFRecord file",
            Self::JsonSequence => "a sequence of JSON with separators (RFC 7464)",
            Self::Packed(what) | Self::Table(what) => what,
        })
    }
}
