//! Clean tables have a finding at most once in twenty.

use crate::world::World;
use board::{Board, Settings, TieModel};

/// How many of `tables` clean tables have a finding.
fn with_findings(tables: u64, competitors: usize, rows: usize, items: usize, judges: usize, ties: TieModel) -> u64 {
    // About a fifth of ties among equals, and by Rao and Kupper far fewer among unequals.
    let (spread, tie) = if ties == TieModel::Davidson { (0.8, 0.5) } else { (1.2, 1.0) };
    let mut found = 0;
    for seed in 0..tables {
        let world = World::normal(competitors, spread, tie, 1_000 + seed).shared(items, judges);
        let world = World { ties, ..world };
        let settings = Settings { advice: false, ties, ..Settings::default() };
        let board = Board::new(&world.table(rows, 50_000 + seed), &settings).unwrap();
        found += u64::from(!board.findings.is_empty());
    }
    found
}

/// The most findings that a level of 5% explains: 0.05 n and two standard errors.
fn most(tables: u64) -> u64 {
    let n = tables as f64;
    (0.05 * n + 2.0 * (n * 0.05 * 0.95).sqrt()) as u64
}

#[test]
fn few_clean_tables_have_findings() {
    for ties in [TieModel::Davidson, TieModel::RaoKupper] {
        for (tables, competitors, rows, items, judges) in [(10, 20, 3_000, 300, 10), (50, 6, 200, 40, 5)] {
            let found = with_findings(tables, competitors, rows, items, judges, ties);
            assert!(found <= most(tables), "{ties:?}: {found} of {tables}");
        }
    }
}

/// Measures 1,000 clean tables of each shape (competitors, rows, items, judges).
#[expect(clippy::print_stderr, reason = "who runs a measurement reads its numbers")]
fn at_most_63_of_1000(ties: TieModel, shapes: &[(usize, usize, usize, usize)]) {
    for &(competitors, rows, items, judges) in shapes {
        let found = with_findings(1_000, competitors, rows, items, judges, ties);
        eprintln!("{competitors} competitors, {rows} rows, {items} items, {judges} judges, {ties:?}: {found} of 1,000");
        assert!(found <= 63, "{found} of 1,000");
    }
}

#[test]
#[ignore = "minutes in a release build: cargo test -p board --release -- --ignored clean"]
fn at_most_63_of_1000_clean_tables_have_findings_at_full_size() {
    at_most_63_of_1000(
        TieModel::Davidson,
        &[
            (20, 3_000, 300, 10),
            (6, 200, 40, 5),
            (20, 3_000, 0, 0),
            (6, 200, 0, 4),
            (20, 3_000, 60, 40),
            (3, 60, 10, 2),
        ],
    );
}

#[test]
#[ignore = "a minute in a release build: cargo test -p board --release -- --ignored clean"]
fn at_most_63_of_1000_clean_tables_by_rao_and_kupper_have_findings_at_full_size() {
    at_most_63_of_1000(TieModel::RaoKupper, &[(20, 3_000, 300, 10), (6, 200, 40, 5)]);
}
