//! Damage to kept files, for tests of their readers, here and in other crates.

use std::ops::Range;

/// Those that kept files are made of.
const BYTES: &[u8] = b"0123456789.-eE \n\r[]{}\":,";

/// A seeded stream of damaged copies.
#[derive(Debug)]
pub struct Mutations {
    state: u64,
}

impl Mutations {
    /// The same seed damages in the same ways.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number in `range`, by SplitMix64.
    fn number(&mut self, range: Range<usize>) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        range.start + usize::try_from(mixed % (range.len().max(1) as u64)).expect("below a usize")
    }

    /// A copy of `file`, a text of lines, with one to four changes: flipped bits, deleted, inserted and replaced bytes, other
    /// digits, line feeds, and lines that lost their checksum, were swapped, repeated, joined or removed.
    pub fn mutate(&mut self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for _ in 0..self.number(1..5) {
            bytes = self.change_bytes(bytes);
        }
        bytes
    }

    fn change_bytes(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.is_empty() {
            return bytes;
        }
        let position = self.number(0..bytes.len());
        match self.number(0..12) {
            0 => bytes[position] ^= 1 << self.number(0..8),
            1 => drop(bytes.remove(position)),
            2 => bytes.insert(position, u8::try_from(self.number(0..256)).expect("a byte")),
            3 => bytes[position] = BYTES[self.number(0..BYTES.len())],
            4 => bytes.insert(position, b'\n'),
            5 => bytes.truncate(position),
            6 | 7 => {
                let digits: Vec<usize> =
                    (0..bytes.len()).filter(|position| bytes[*position].is_ascii_digit()).collect();
                if !digits.is_empty() {
                    bytes[digits[self.number(0..digits.len())]] = b"0123456789"[self.number(0..10)];
                }
            }
            change => {
                let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
                self.change_lines(change, &mut lines);
                bytes = lines.join(&b'\n');
            }
        }
        bytes
    }

    fn change_lines(&mut self, change: usize, lines: &mut Vec<Vec<u8>>) {
        let (first, second) = (self.number(0..lines.len()), self.number(0..lines.len()));
        // Where the JSON of a record begins.
        let json_start = |line: &[u8]| line.iter().position(|byte| *byte == b'{').unwrap_or(0);
        match (change, self.number(0..4)) {
            (8, 0) => lines.iter_mut().for_each(|line| drop(line.drain(..json_start(line)))),
            (8, _) => {
                // A record without its checksum and with another number, as an editor leaves it.
                let line = &mut lines[first];
                line.drain(..json_start(line));
                if let Some(digit) = line.iter().rposition(u8::is_ascii_digit) {
                    line[digit] = b"0123456789"[self.number(0..10)];
                }
            }
            (9, 0 | 1) => {
                let checksum = lines[first][..json_start(&lines[first])].to_vec();
                let line = &mut lines[second];
                line.splice(..json_start(line), checksum);
            }
            (9, _) => {
                let (json_start, line) = (json_start(&lines[first]), &mut lines[first]);
                line.insert(self.number(0..json_start + 1), b'\n');
            }
            (10, 0 | 1) => lines.swap(first, second),
            (10, _) => lines.insert(second, lines[first].clone()),
            (_, 0) => drop(lines.remove(first)),
            (_, 1) => lines.iter_mut().for_each(|line| line.push(b'\r')),
            _ => {
                let line = lines.remove(first);
                let previous = first.min(lines.len().saturating_sub(1));
                match lines.get_mut(previous) {
                    Some(previous) => previous.extend(line),
                    None => lines.push(line),
                }
            }
        }
    }
}
