//! The cost of a receipt by each method: bytes, writing, and reading with credit.

use anyhow::{Context, Result};
use bandits::Generator;
use interleave::receipt::{ExperimentVersion, MixedReceipt, Receipt};
use interleave::{AnyInterleaving, AnyMultileaving, Interleaving, ListBuf, Multileaving, RankedList};
use rand::{RngExt, SeedableRng};

use super::measure::{Row, nanoseconds};

const LIST_LENGTH: usize = 10;
const CLICKS: [usize; 2] = [1, 4];
/// Receipts per measurement.
const RECEIPTS: usize = 2_000;

/// Measures, prints a line per method, and returns the rows for the CSV.
pub(super) fn measure() -> Result<Vec<Row>> {
    println!("{:40}{:>8}{:>16}{:>18}", "receipt of", "bytes", "write, ns", "read, credit, ns");
    let mut generator = Generator::seed_from_u64(47);
    let lists = (0..5)
        .map(|_| ListBuf::from_scores(&(0..25).map(|_| f64::from(generator.random_range(0..12))).collect::<Vec<_>>()))
        .collect::<Result<Vec<_>, _>>()?;
    let all: Vec<RankedList<'_>> = lists.iter().map(ListBuf::as_list).collect();
    let mut rows = Vec::new();
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse()?;
        let pair = [all[0], all[1]];
        let draw = |_| method.draw(pair, LIST_LENGTH, &mut generator, &mut Default::default()).1;
        let kept: Vec<_> = (0..RECEIPTS).map(draw).collect();
        let credit = |kept: &MixedReceipt| match kept {
            MixedReceipt::Interleaving(kept) => method.credit(kept, &CLICKS).is_ok(),
            MixedReceipt::Multileaving(_) => false,
        };
        record(&mut rows, name, &kept, credit)?;
    }
    for name in AnyMultileaving::NAMES.iter().filter(|name| !name.contains("sampled")) {
        let method: AnyMultileaving = name.parse()?;
        let draw = |_| method.draw(&all, LIST_LENGTH, &mut generator, &mut Default::default()).1;
        let kept: Vec<_> = (0..RECEIPTS).map(draw).collect();
        let credit = |kept: &MixedReceipt| match kept {
            MixedReceipt::Multileaving(kept) => method.credit(kept, &CLICKS).is_ok(),
            MixedReceipt::Interleaving(_) => false,
        };
        record(&mut rows, &format!("{name}, 5 rankers"), &kept, credit)?;
    }
    Ok(rows)
}

fn record<R: Clone + Into<Receipt>>(
    rows: &mut Vec<Row>,
    name: &str,
    kept: &[R],
    credit: impl Fn(&MixedReceipt) -> bool,
) -> Result<()> {
    let receipts: Vec<Receipt> = kept.iter().cloned().map(Into::into).collect();
    let method = receipts.first().context("a receipt")?.method().to_owned();
    let version = ExperimentVersion::new("", &[("a", "1"), ("b", "2")], &method, LIST_LENGTH);
    let receipts: Vec<Receipt> = receipts.into_iter().map(|receipt| receipt.of(version.clone())).collect();
    // A store keeps the method once for each version of the experiment.
    let bytes: Vec<Vec<u8>> = receipts.iter().map(Receipt::to_bytes_without_method).collect();
    let size = bytes.iter().map(Vec::len).sum::<usize>() as f64 / bytes.len() as f64;
    let write = nanoseconds(receipts.len(), || {
        receipts.iter().for_each(|receipt| drop(std::hint::black_box(receipt.to_bytes_without_method())));
    });
    let mut are_right = true;
    let read = nanoseconds(bytes.len(), || {
        for bytes in &bytes {
            are_right &= Receipt::from_bytes_of(bytes, &method).is_ok_and(|receipt| credit(receipt.mixed()));
        }
    });
    anyhow::ensure!(are_right, "a receipt of {name} cannot be credited");
    println!("{name:40}{size:8.1}{write:16.0}{read:18.0}");
    for (what, unit, value) in [("bytes", "bytes", size), ("written", "ns", write), ("read and credited", "ns", read)] {
        rows.push(Row { goal: "", what: format!("receipt of {name}, {what}"), unit, value, target: None });
    }
    Ok(())
}
