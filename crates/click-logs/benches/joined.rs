//! Times the work per list with one click when rows are in memory: encoding them as records, and crediting these.
//!
//! `cargo bench -p click-logs`. Every item is one impression of ten documents. Beside team draft with a team per document
//! there are receipts of two methods, preceded by their documents as the Python package writes them. Receipts of
//! probabilistic interleaving are the largest there are for two rankers.

use click_logs::error::LineError;
use click_logs::join::{FrameJoin, LogTotals, Units};
use click_logs::model::{Click, LogEnd, Settings};
use click_logs::read::{Event, RowRef};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use interleave::receipt::Receipt;
use interleave::{AnyInterleaving, Generator, by_id};
use rand::SeedableRng;

fn main() {
    divan::main();
}

const IMPRESSIONS: usize = 100_000;
const DOCUMENTS: usize = 10;
const SHAPES: [&str; 4] = ["teams", "team-draft", "team-draft:pairs", "probabilistic"];

/// The rows of a table.
struct Rows {
    ids: Vec<String>,
    users: Vec<String>,
    shown: Vec<Vec<String>>,
    /// None for teams.
    receipts: Vec<Vec<u8>>,
}

impl Rows {
    fn new(shape: &str) -> Self {
        let lists = [0, 3].map(|first| (first..first + DOCUMENTS).map(|n| format!("d{n}")).collect::<Vec<_>>());
        let has_teams = shape == "teams";
        let method: AnyInterleaving = if has_teams { "team-draft" } else { shape }.parse().unwrap();
        let mut generator = Generator::seed_from_u64(1);
        let (mut shown, mut receipts) = (Vec::new(), Vec::new());
        for _ in 0..IMPRESSIONS {
            let drawn = by_id::interleave(&method, [&lists[0], &lists[1]], DOCUMENTS, &mut generator).unwrap();
            shown.push(drawn.shown().to_vec());
            if !has_teams {
                let documents = drawn.shown().to_vec();
                let kept = Receipt::from(drawn.receipt().clone()).with_documents(documents).unwrap();
                receipts.push(kept.to_bytes());
            }
        }
        let ids = (0..IMPRESSIONS).map(|n| format!("impression-{n}")).collect();
        let users = (0..IMPRESSIONS).map(|n| format!("user-{}", n / 5)).collect();
        Self { ids, users, shown, receipts }
    }

    fn fill<'a>(&'a self, at: usize, row: &mut RowRef<'a>) {
        row.impression = Some(&self.ids[at]);
        row.user = Some(&self.users[at]);
        row.time = Some(time(at));
        row.shown.extend(self.shown[at].iter().map(String::as_str));
        row.rankers.extend(["A", "B"]);
        (row.has_shown, row.has_rankers) = (true, true);
        match self.receipts.get(at) {
            Some(bytes) => row.receipt = Some(bytes),
            None => {
                row.teams.extend((0..DOCUMENTS).map(|n| Some(["A", "B"][n % 2])));
                row.has_teams = true;
            }
        }
    }

    fn gather(&self, settings: &Settings) -> FrameJoin {
        let never = |at: usize, reason: LineError| format!("row {at}: {}", reason.message);
        let mut gathered = FrameJoin::new(settings.clone());
        let complete = |_| Err(LineError::new("it is not usual"));
        gathered
            .impression_rows(
                IMPRESSIONS,
                |at, row| {
                    self.fill(at, row);
                    true
                },
                complete,
                never,
            )
            .unwrap();
        let click = |at: usize| Click {
            impression: self.ids[at].as_str().into(),
            document: self.shown[at][at % 3].as_str().into(),
            time: time(at) + 1000,
            dwell: None,
        };
        gathered.clicks((0..IMPRESSIONS).map(|at| Ok(Event::Click(click(at)))), never).unwrap();
        gathered
    }
}

/// A second after the one before, in milliseconds since 1970.
fn time(at: usize) -> i64 {
    1_700_000_000_000 + 1000 * at as i64
}

fn settings() -> Settings {
    Settings { complete: LogEnd::Final, ..Settings::default() }
}

/// Rows of impressions and clicks, to records.
#[divan::bench(args = SHAPES)]
fn reading(bencher: Bencher<'_, '_>, shape: &str) {
    let (rows, settings) = (Rows::new(shape), settings());
    bencher.counter(ItemsCount::new(IMPRESSIONS)).bench_local(|| rows.gather(black_box(&settings)));
}

/// Records of impressions and clicks, to counts.
#[divan::bench(args = SHAPES)]
fn crediting(bencher: Bencher<'_, '_>, shape: &str) {
    let (rows, settings) = (Rows::new(shape), settings());
    let survey = rows.gather(&settings).survey();
    let (until, _) = survey.closing(&settings);
    let credit = |mut gathered: FrameJoin| {
        let mut units = Units::new(settings.clone(), &survey);
        gathered.credit(until, |outcome| units.push(&outcome).unwrap()).unwrap();
        let mut sum = LogTotals::default();
        units.count(&mut sum);
        sum
    };
    bencher.counter(ItemsCount::new(IMPRESSIONS)).with_inputs(|| rows.gather(&settings)).bench_local_values(credit);
}
