//! The file that a finished shard writes.
//!
//! The first line is the format. The second is JSON with the work that the shard is a share of; together with the results, which follow
//! compressed, it is the same however often and wherever the shard runs. The third, also JSON, has the circumstances of this file. A
//! checksum of all of this is at the end.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::Shard;
use crate::checksum::{seal, unseal};
use crate::files::write_atomic;
use crate::input;
use crate::records::Record;

/// The beginning of the first line; the version of the format follows.
const MAGIC: &str = "rankduel part ";
/// Raised whenever the meaning of a part changes.
const VERSION: u32 = 1;

/// A larger file is not read.
const MOST_BYTES: u64 = 1 << 32;
/// Nor is one that unpacks to more.
const MOST_UNPACKED: u64 = 1 << 32;

/// The ending of the names of parts.
pub const ENDING: &str = "part";

/// The work that a part is a share of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The complete configuration of the work, sizes included: what one process writes as `config.json`.
    pub config: Value,
    /// The revisions of the code that computes the work: parts of different revisions do not add up.
    pub revisions: BTreeMap<String, u32>,
    /// Which share it is.
    pub shard: Shard,
    /// The unit of `range`, in the singular, e.g. `run`.
    pub unit: String,
    /// The units of the work that are in the part.
    pub range: Range<u64>,
    /// The units of all shards together.
    pub total: u64,
}

/// The circumstances of a part: they may differ if the same shard runs again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// The arguments of the command, without those of a process: folders of results, threads, print options.
    pub arguments: Vec<String>,
    /// The folder that it ran in.
    pub folder: String,
    /// The version of the program.
    pub build: String,
    /// The time it took, without interruptions.
    pub seconds: f64,
    /// The seconds of each record, in their order; empty if the body is something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds_of_records: Vec<f64>,
    /// The size of the results, unpacked.
    pub bytes: u64,
}

/// A part.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The work that it is a share of.
    pub header: Header,
    /// Its circumstances.
    pub invocation: Invocation,
    /// The results: cells of records, or bytes of a format of their own.
    pub body: Vec<u8>,
}

impl Part {
    /// A part with these results.
    #[must_use]
    pub fn new(header: Header, invocation: Invocation, body: Vec<u8>) -> Self {
        Self { header, invocation: Invocation { bytes: body.len() as u64, ..invocation }, body }
    }

    /// A part with the records of these cells.
    #[must_use]
    pub fn of_cells(header: Header, invocation: Invocation, cells: &[Cell]) -> Self {
        let mut body = String::new();
        for Cell { subject, records } in cells {
            body += &format!("cell {subject}\n");
            records.iter().for_each(|(number, kept)| body += &format!("{number} {}\n", kept.text));
        }
        let seconds = cells.iter().flat_map(|cell| cell.records.values().map(|kept| kept.seconds));
        Self::new(header, Invocation { seconds_of_records: seconds.collect(), ..invocation }, body.into_bytes())
    }

    /// The records in it.
    ///
    /// # Errors
    /// If it holds none.
    pub fn cells(&self) -> Result<Vec<Cell>> {
        let text = std::str::from_utf8(&self.body).context("it does not hold records")?;
        let mut cells: Vec<Cell> = Vec::new();
        let mut seconds = self.invocation.seconds_of_records.iter().copied();
        for line in text.lines() {
            if let Some(subject) = line.strip_prefix("cell ") {
                cells.push(Cell { subject: subject.to_owned(), records: BTreeMap::new() });
                continue;
            }
            let number_and_text = line.split_once(' ').and_then(|(number, text)| Some((number.parse().ok()?, text)));
            let (Some((number, text)), Some(cell)) = (number_and_text, cells.last_mut()) else {
                bail!("it does not hold records");
            };
            cell.records.insert(number, KeptRecord { text: text.to_owned(), seconds: seconds.next().unwrap_or(0.0) });
        }
        Ok(cells)
    }

    /// Whether both are the same share with the same outcome, however they came about.
    #[must_use]
    pub fn has_same_results(&self, other: &Self) -> bool {
        self.header == other.header && self.body == other.body
    }

    /// Writes it to the file at `path`, in one step.
    ///
    /// # Errors
    /// As for [`write_atomic`].
    pub fn write(&self, path: &Path) -> Result<()> {
        write_atomic(path, &self.encode()?)
    }

    fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = format!("{MAGIC}{VERSION}\n").into_bytes();
        serde_json::to_writer(&mut bytes, &self.header)?;
        bytes.push(b'\n');
        serde_json::to_writer(&mut bytes, &self.invocation)?;
        bytes.push(b'\n');
        let mut packed = DeflateEncoder::new(bytes, Compression::fast());
        packed.write_all(&self.body)?;
        Ok(seal(packed.finish()?))
    }

    /// Reads the part in the file at `path`.
    ///
    /// # Errors
    /// If it is not a regular file, cannot be read, is damaged or cut off, unpacks to more than it declares, or has another
    /// version; the file is not named.
    pub fn read(path: &Path) -> Result<Self> {
        Self::decode(&Self::bytes(path)?)
    }

    /// The header and the circumstances of the part in the file at `path`. All of it is checked, and nothing else kept.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn check(path: &Path) -> Result<(Header, Invocation)> {
        let bytes = Self::bytes(path)?;
        let (header, invocation, compressed) = split_header(&bytes)?;
        unpack_body(invocation.bytes, compressed, &mut io::sink())?;
        Ok((header, invocation))
    }

    fn bytes(path: &Path) -> Result<Vec<u8>> {
        input::read_file(path, MOST_BYTES).context("it cannot be read")
    }

    /// Reads a part from its bytes.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (header, invocation, compressed) = split_header(bytes)?;
        let mut body = input::buffer_for(invocation.bytes.min(MOST_UNPACKED))?;
        unpack_body(invocation.bytes, compressed, &mut body)?;
        Ok(Self { header, invocation, body })
    }
}

/// The header of a part, how it came about, and its packed content.
fn split_header(bytes: &[u8]) -> Result<(Header, Invocation, &[u8])> {
    ensure!(!bytes.is_empty(), "it is empty");
    let magic_length = MAGIC.len().min(bytes.len());
    ensure!(bytes[..magic_length] == MAGIC.as_bytes()[..magic_length], "it is not the part of a shard");
    // Before anything else: the checksum of another version may be elsewhere.
    let version = bytes.get(MAGIC.len()..).and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let version = version.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u32>().ok());
    if let Some(version) = version.filter(|version| *version != VERSION) {
        bail!("it has version {version} of the format, and this program reads version {VERSION}");
    }
    let content = unseal(bytes).context("it is damaged or cut off")?;
    let mut lines = content.splitn(4, |byte| *byte == b'\n');
    let (Some(_), Some(header), Some(invocation), Some(packed)) =
        (lines.next(), lines.next(), lines.next(), lines.next())
    else {
        bail!("it lacks lines");
    };
    let header: Header = serde_json::from_slice(header).context("its header cannot be read")?;
    let invocation: Invocation = serde_json::from_slice(invocation).context("its header cannot be read")?;
    let Header { shard, range, total, .. } = &header;
    ensure!(shard.index < shard.of && *range == shard.range(*total), "its range is not that of shard {shard}");
    Ok((header, invocation, packed))
}

/// Unpacks the content of a part into `writer`: as many bytes as are `declared`.
fn unpack_body(declared: u64, compressed: &[u8], writer: &mut impl io::Write) -> Result<()> {
    input::unpack(DeflateDecoder::new(compressed), writer, declared, MOST_UNPACKED)
        .context("its content cannot be unpacked")
}

/// The records of one subject in a part: see [`records`](crate::records).
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Their subject, in one line.
    pub subject: String,
    /// The records by their numbers.
    pub records: BTreeMap<u64, KeptRecord>,
}

/// A record as JSON, with the seconds it took beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRecord {
    text: String,
    seconds: f64,
}

/// The field of a record with its seconds, if it has one.
const SECONDS: &str = "seconds";

impl Cell {
    /// The records of `subject`.
    ///
    /// # Errors
    /// If a record has no JSON form.
    pub fn new<'a, R: Record + 'a>(subject: String, records: impl IntoIterator<Item = &'a R>) -> Result<Self> {
        let kept_record = |record: &R| -> Result<(u64, KeptRecord)> {
            let mut value = serde_json::to_value(record)?;
            let seconds = value.as_object_mut().and_then(|fields| fields.remove(SECONDS)).and_then(|s| s.as_f64());
            Ok((record.number(), KeptRecord { text: value.to_string(), seconds: seconds.unwrap_or(0.0) }))
        };
        Ok(Self { subject, records: records.into_iter().map(kept_record).collect::<Result<_>>()? })
    }

    /// Whether it holds no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl KeptRecord {
    /// The record.
    ///
    /// # Errors
    /// If its subject is another one.
    pub fn record<R: Record>(&self) -> Result<R> {
        let mut value: Value = serde_json::from_str(&self.text)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert(SECONDS.to_owned(), self.seconds.into());
        }
        Ok(serde_json::from_value(value)?)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Run {
        run: u64,
        seconds: f64,
        regret: Vec<f64>,
    }

    impl Record for Run {
        fn number(&self) -> u64 {
            self.run
        }
    }

    /// A part of a study with this seed.
    pub(in crate::shards) fn part(index: u32, of: u32, seed: u64) -> Part {
        let shard = Shard { index, of };
        let (total, range) = (10, shard.range(10));
        let runs: Vec<Run> =
            range.clone().map(|run| Run { run, seconds: 0.5, regret: vec![0.1, run as f64] }).collect();
        let header = Header {
            config: json!({"command": "bandit", "seed": seed, "version": "1"}),
            revisions: BTreeMap::from([("rucb".to_owned(), 1)]),
            shard,
            unit: "run".to_owned(),
            range,
            total,
        };
        let made = Invocation { arguments: vec!["bandit".to_owned()], build: "1".to_owned(), ..Invocation::default() };
        Part::of_cells(header, made, &[Cell::new("a cell".to_owned(), &runs).unwrap()])
    }

    #[test]
    fn a_part_is_read_back_with_its_records() {
        let part = part(2, 3, 1);
        let read = Part::decode(&part.encode().unwrap()).unwrap();
        assert_eq!(read, part);
        let cells = read.cells().unwrap();
        assert_eq!((cells.len(), &cells[0].subject[..]), (1, "a cell"));
        let runs: Vec<Run> = cells[0].records.values().map(|kept| kept.record().unwrap()).collect();
        assert_eq!(runs.len(), 4);
        assert_eq!(runs[0], Run { run: 6, seconds: 0.5, regret: vec![0.1, 6.0] });
    }

    #[test]
    fn the_same_shard_has_the_same_content_however_long_it_took() {
        let (once, mut again) = (part(0, 3, 1), part(0, 3, 1));
        again.invocation.seconds_of_records = vec![9.0; 3];
        again.invocation.folder = "/elsewhere".to_owned();
        assert!(once.has_same_results(&again) && once != again);
        assert!(!once.has_same_results(&part(0, 3, 2)));
    }

    #[test]
    fn every_changed_byte_and_every_truncation_is_an_error() {
        let whole = part(1, 3, 1).encode().unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(Part::decode(&damaged).is_err(), "byte {at}");
            assert!(Part::decode(&whole[..at]).is_err(), "cut at {at}");
        }
        let error = |bytes: &[u8]| format!("{:#}", Part::decode(bytes).unwrap_err());
        assert!(error(&whole[..whole.len() - 1]).contains("damaged or cut off"));
        assert!(error(b"PK").contains("not the part of a shard"));
        assert!(error(b"").contains("empty"));
        // As parts began before they declared their size.
        assert!(error(b"sim part 1\n{}\n{}\n").contains("it is not the part of a shard"));
        let mut newer = whole;
        newer[MAGIC.len()] = b'2';
        assert!(error(&newer).contains("version 2 of the format, and this program reads version 1"));
    }

    /// A part that packs `body` well, declares `bytes` and has the right checksum.
    fn forged(bytes: u64, body: Vec<u8>) -> Vec<u8> {
        let honest = part(0, 3, 1);
        Part { header: honest.header, invocation: Invocation { bytes, ..honest.invocation }, body }.encode().unwrap()
    }

    #[test]
    fn a_part_unpacks_to_what_it_declares_and_no_more() {
        let body = || vec![b'0'; 1 << 20];
        assert_eq!(Part::decode(&forged(1 << 20, body())).unwrap().body.len(), 1 << 20);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.part");
        let of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let [read, checked] = [Part::read(&path).map(drop), Part::check(&path).map(drop)]
                .map(|tried| format!("{:#}", tried.unwrap_err()));
            assert_eq!(read, checked);
            read
        };
        assert!(of(&forged(1000, body())).contains("it declares 1000 bytes unpacked, and has more"));
        assert!(of(&forged((1 << 20) + 1, body())).contains("and has 1048576"));
        assert!(of(&forged(1 << 40, body())).contains("4294967296 is the most that is read"));
    }

    #[test]
    fn no_mutated_part_is_believed() {
        let honest = part(1, 3, 1);
        let whole = honest.encode().unwrap();
        let mut mutations = crate::mutations::Mutations::new(4);
        let mut believed = 0;
        for _ in 0..10_000 {
            let mutated = mutations.mutate(&whole);
            if let Ok(read) = Part::decode(&mutated) {
                assert_eq!(read, honest);
                believed += 1;
            }
        }
        assert!(believed < 2_000, "{believed}");
        // Records with a fitting checksum: never more than declared, and never a panic.
        for _ in 0..10_000 {
            let mut mutated = mutations.mutate(&whole[..whole.len() - crate::checksum::LENGTH]);
            mutated = seal(mutated);
            if let Ok(Part { invocation: made, body: found, .. }) = Part::decode(&mutated) {
                assert_eq!(made.bytes, found.len() as u64, "{made:?}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_no_parts_and_keep_nobody_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let [pipe, zero] = ["pipe.part", "zero.part"].map(|name| folder.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let errors = [pipe, zero].map(|path| format!("{:#}", Part::read(&path).unwrap_err()));
            send.send(errors).unwrap();
        });
        let errors = receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing waits");
        assert!(errors[0].contains("it is a pipe") && errors[1].contains("it is a device"), "{errors:?}");
    }
}
