//! The speed of this machine, as units for other speeds: nanoseconds measured on one machine mean nothing on another.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use bandits::Generator;
use memmap2::{Advice, MmapMut};
use rand::{Rng as _, SeedableRng as _};

use super::measure::{Row, nanoseconds};

/// The cost on this machine of the smallest operations in the benches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    /// Nanoseconds for a draw of a generator; each draw waits for the one before.
    pub(super) draw: f64,
    /// Nanoseconds for reading a word at random from a gigabyte, in pages of the usual size; each read waits for the one before.
    pub(super) load: f64,
    /// The same in huge pages, as far as the system grants them.
    pub(super) load_huge: f64,
    /// Bytes per nanosecond read in order.
    pub(super) stream: f64,
}

impl Machine {
    /// Measures them, which takes some seconds.
    ///
    /// # Errors
    /// If there is no gigabyte of memory.
    pub(super) fn measure() -> Result<Self> {
        let mut generator = Generator::seed_from_u64(1);
        let draw = nanoseconds(DRAWS, || {
            for _ in 0..DRAWS {
                black_box(generator.next_u64());
            }
        });
        let load = LineChain::new(false)?.nanoseconds();
        let chain = LineChain::new(true)?;
        Ok(Self { draw, load, load_huge: chain.nanoseconds(), stream: chain.stream() })
    }

    /// Rows of interest for the table.
    pub(super) fn rows(&self) -> Vec<Row> {
        let row = |what: &str, unit, value| Row { goal: "", what: what.to_owned(), unit, value, target: None };
        vec![
            row("machine: a draw of the generator", "ns", self.draw),
            row("machine: a word at random from a gigabyte", "ns", self.load),
            row("machine: the same in huge pages", "ns", self.load_huge),
            row("machine: a gigabyte in order", "MB/s", self.stream * 1e3),
        ]
    }

    /// A time in draws and in words at random.
    pub(super) fn units(&self, nanoseconds: f64) -> Units {
        Units { draws: nanoseconds / self.draw, loads: nanoseconds / self.load_huge }
    }
}

/// A time in the units of a machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// The number of draws of a generator in the same time.
    pub(super) draws: f64,
    /// The number of words at random, from a gigabyte in huge pages, in the same time.
    pub(super) loads: f64,
}

impl fmt::Display for Units {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.1} draws, {:.2} loads", self.draws, self.loads)
    }
}

const DRAWS: usize = 1 << 22;
/// Bytes of the memory that words are read from.
const TABLE_BYTES: usize = 1 << 30;
const WORD_BYTES: usize = size_of::<u64>();
/// Words a cache line apart: one per line is part of the chain.
const CACHE_LINES: usize = TABLE_BYTES / 64;
const LOADS: usize = 1 << 21;

/// Memory in which the first word of every cache line names the next line, all in one round.
struct LineChain(MmapMut);

impl LineChain {
    fn new(huge: bool) -> Result<Self> {
        let mut memory = MmapMut::map_anon(TABLE_BYTES).context("there is no gigabyte of memory to measure")?;
        // A kernel without huge pages refuses both, and has one size then.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(if huge { Advice::HugePage } else { Advice::NoHugePage });
        #[cfg(not(target_os = "linux"))]
        let _ = huge;
        let mut order: Vec<u32> = (0..CACHE_LINES as u32).collect();
        let mut generator = Generator::seed_from_u64(2);
        // Sattolo's shuffle: it makes one round through all lines.
        for last in (1..CACHE_LINES).rev() {
            let other = ((generator.next_u64() >> 32) as usize * last) >> 32;
            order.swap(last, other);
        }
        for (line, &next) in order.iter().enumerate() {
            memory[line * 64..line * 64 + WORD_BYTES].copy_from_slice(&u64::from(next).to_ne_bytes());
        }
        Ok(Self(memory))
    }

    fn word(&self, at: usize) -> u64 {
        let mut word = [0; WORD_BYTES];
        word.copy_from_slice(&self.0[at..at + WORD_BYTES]);
        u64::from_ne_bytes(word)
    }

    /// For one step along the chain.
    fn nanoseconds(&self) -> f64 {
        let mut line = 0;
        nanoseconds(LOADS, || {
            for _ in 0..LOADS {
                line = self.word(line * 64) as usize;
            }
            black_box(line);
        })
    }

    /// Bytes per nanosecond, in order.
    fn stream(&self) -> f64 {
        let mut best = 0.0_f64;
        for _ in 0..5 {
            let start = Instant::now();
            let sums = self.0.as_chunks::<64>().0.iter().fold([0_u64; 8], |mut sums, line| {
                for (sum, word) in sums.iter_mut().zip(line.as_chunks::<WORD_BYTES>().0) {
                    *sum = sum.wrapping_add(u64::from_ne_bytes(*word));
                }
                sums
            });
            black_box(sums);
            best = best.max(TABLE_BYTES as f64 / (start.elapsed().as_secs_f64() * 1e9));
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_times_of_this_machine() {
        let machine = Machine { draw: 2.0, load: 100.0, load_huge: 80.0, stream: 10.0 };
        assert_eq!(machine.units(40.0).to_string(), "20.0 draws, 0.50 loads");
        let rows: Vec<String> = machine.rows().iter().map(|row| format!("{} {}", row.value, row.unit)).collect();
        assert_eq!(rows, ["2 ns", "100 ns", "80 ns", "10000 MB/s"]);
    }
}
