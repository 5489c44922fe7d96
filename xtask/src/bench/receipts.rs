//! What a receipt of each method costs in the first format and in the second: bytes, writing, and reading with credit.

use anyhow::{Context, Result};
use bandits::Generator;
use interleave::receipt::{ExperimentVersion, Mixed, Receipt};
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving, ListBuf, Multileaving, RankedList, receipt};
use rand::{RngExt, SeedableRng};

use super::measure::{Row, nanoseconds};

const SHOWN: usize = 10;
const CLICKS: [usize; 2] = [1, 4];
/// Receipts per measurement.
const COUNT: usize = 2_000;

/// Measures, prints a line per method, and returns the rows for the CSV.
pub(super) fn measure() -> Result<Vec<Row>> {
    println!("{:40}{:>8}{:>8}{:>16}{:>16}", "first and second format", "bytes", "", "write, ns", "read, credit, ns");
    let mut generator = Generator::seed_from_u64(47);
    let lists = (0..5)
        .map(|_| ListBuf::from_scores(&(0..25).map(|_| f64::from(generator.random_range(0..12))).collect::<Vec<_>>()))
        .collect::<Result<Vec<_>, _>>()?;
    let all: Vec<RankedList<'_>> = lists.iter().map(ListBuf::as_list).collect();
    let mut rows = Vec::new();
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse()?;
        let pair = [all[0], all[1]];
        let draw = |_| method.draw(pair, SHOWN, &mut generator, &mut Default::default()).1;
        let kept: Vec<_> = (0..COUNT).map(draw).collect();
        let credit = |kept: &Mixed| match kept {
            Mixed::Interleaving(kept) => method.credit(kept, &CLICKS).is_ok(),
            Mixed::Multileaving(_) => false,
        };
        record(&mut rows, name, &kept, credit, |bytes| {
            receipt::from_bytes(bytes).is_ok_and(|kept| method.credit(&kept, &CLICKS).is_ok())
        })?;
    }
    for name in AnyMultileaving::NAMES.iter().filter(|name| !name.contains("sampled")) {
        let method: AnyMultileaving = name.parse()?;
        let draw = |_| method.draw(&all, SHOWN, &mut generator, &mut Default::default()).1;
        let kept: Vec<_> = (0..COUNT).map(draw).collect();
        let credit = |kept: &Mixed| match kept {
            Mixed::Multileaving(kept) => method.credit(kept, &CLICKS).is_ok(),
            Mixed::Interleaving(_) => false,
        };
        record(&mut rows, &format!("{name}, 5 rankers"), &kept, credit, |bytes| {
            receipt::from_bytes(bytes).is_ok_and(|kept| method.credit(&kept, &CLICKS).is_ok())
        })?;
    }
    Ok(rows)
}

fn record<R: serde::Serialize + Clone + Into<Receipt>>(
    rows: &mut Vec<Row>,
    name: &str,
    kept: &[R],
    credit: impl Fn(&Mixed) -> bool,
    credit_first: impl Fn(&[u8]) -> bool,
) -> Result<()> {
    let second: Vec<Receipt> = kept.iter().cloned().map(Into::into).collect();
    let method = second.first().context("a receipt")?.method().to_owned();
    let version = ExperimentVersion::new("", &[("a", "1"), ("b", "2")], &method, SHOWN);
    let second: Vec<Receipt> = second.into_iter().map(|receipt| receipt.of(version.clone())).collect();
    let write_first = |receipt: &R| postcard::to_extend(receipt, vec![1]).unwrap_or_default();
    // A store keeps the method once for each version of the experiment.
    let write_second = |receipt: &Receipt| receipt.to_bytes_without_method();
    let bytes_first: Vec<Vec<u8>> = kept.iter().map(write_first).collect();
    let bytes_second: Vec<Vec<u8>> = second.iter().map(write_second).collect();
    let mean = |all: &[Vec<u8>]| all.iter().map(Vec::len).sum::<usize>() as f64 / all.len() as f64;
    let sizes = [mean(&bytes_first), mean(&bytes_second)];
    let count = kept.len();
    let mut are_right = true;
    let write = [
        nanoseconds(count, || kept.iter().for_each(|kept| drop(std::hint::black_box(write_first(kept))))),
        nanoseconds(count, || second.iter().for_each(|kept| drop(std::hint::black_box(write_second(kept))))),
    ];
    let read = [
        nanoseconds(count, || bytes_first.iter().for_each(|bytes| are_right &= credit_first(bytes))),
        nanoseconds(count, || {
            for bytes in &bytes_second {
                are_right &= Receipt::from_bytes_of(bytes, &method).is_ok_and(|receipt| credit(receipt.mixed()));
            }
        }),
    ];
    anyhow::ensure!(are_right, "a receipt of {name} cannot be credited");
    println!("{name:40}{:8.1}{:8.1}{:8.0}{:8.0}{:8.0}{:8.0}", sizes[0], sizes[1], write[0], write[1], read[0], read[1]);
    for (what, unit, [first, second]) in
        [("bytes", "bytes", sizes), ("written", "ns", write), ("read and credited", "ns", read)]
    {
        for (format, value) in [("first", first), ("second", second)] {
            let what = format!("receipt of {name}, {what}, {format} format");
            rows.push(Row { goal: "", what, unit, value, target: None });
        }
    }
    Ok(())
}
