//! The benchmark's results on algorithms, for the page "Which algorithm?": from the tables of `results/bench-1`.

use std::path::Path;

use super::Table;

/// The advice of the page before there was a benchmark, and the defaults of commands.
const USUAL_ALGORITHMS: [&str; 6] = ["bradley-terry", "self-sparring", "dts", "rmed1", "rucb", "mergerucb"];

/// Groups of problems by kind, and the measure that counts.
const KINDS: [(&str, &str, &[&str]); 8] = [
    ("people's votes with a winner", "Condorcet regret", &["ukp-", "llmfao"]),
    ("people's votes without a winner", "Copeland regret", &["ukp-", "llmfao"]),
    ("a total order", "Condorcet regret", &["order-"]),
    ("a weak winner and a strong rival", "Condorcet regret", &["rival-"]),
    ("a cycle on top", "Copeland regret", &["cycle-"]),
    ("no winner and no order", "Copeland regret", &["no-winner-"]),
    ("near ties in blocks", "Condorcet regret", &["blocks-"]),
    ("users who change halfway", "Condorcet regret", &["changing-"]),
];

/// The tables of the page by name; `None` if there is no such table, or results are missing.
pub(super) fn bench_table(root: &Path, name: &str) -> Option<Table> {
    let bench = BenchResults::read(&root.join("results/bench-1"))?;
    match name {
        "bench-tracks" => bench.tracks(),
        "bench-kinds" => bench.kinds(),
        "bench-honesty" => bench.honesty(),
        "bench-problems" => Some(bench.problems(|_| true)),
        "bench-default-first" => Some(bench.problems(|excess| excess <= 1.0)),
        "bench-default-loses" => Some(bench.problems(|excess| excess >= 2.0)),
        _ => None,
    }
}

/// The rank of an entry in a track.
struct Rank {
    track: String,
    entry: String,
    rank: f64,
    interval: [f64; 2],
    difference: f64,
}

/// The value of an entry on a problem.
struct Value {
    track: String,
    measure: String,
    problem: String,
    entry: String,
    value: f64,
}

struct BenchResults {
    ranks: Vec<Rank>,
    /// The values in the tracks of regret and of stated winners.
    values: Vec<Value>,
}

impl BenchResults {
    fn read(folder: &Path) -> Option<Self> {
        let lines = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let number = |text: &String| text.parse::<f64>().ok();
        let rank = |line: &str| {
            let row = cells(line);
            let interval = [number(row.get(3)?)?, number(row.get(4)?)?];
            // An entry has a line per measure; its rank, interval and critical difference are the same in each.
            Some(Rank {
                track: row[0].clone(),
                entry: row[1].clone(),
                rank: number(&row[2])?,
                interval,
                difference: number(row.get(5)?)?,
            })
        };
        let mut ranks: Vec<Rank> = lines("ranks.csv")?.lines().skip(1).map(rank).collect::<Option<_>>()?;
        ranks.dedup_by(|one, other| (&one.track, &one.entry) == (&other.track, &other.entry));
        // A row per problem and measure, a column per entry.
        let table = lines("values.csv")?;
        let mut rows = table.lines().map(cells);
        let header = rows.next()?;
        let mut values = Vec::new();
        for row in rows.filter(|row| ["regret", "winner"].contains(&row[0].as_str())) {
            for (entry, cell) in header.iter().zip(&row).skip(3).filter(|(_, cell)| !cell.is_empty()) {
                values.push(Value {
                    track: row[0].clone(),
                    measure: row[1].clone(),
                    problem: row[2].clone(),
                    entry: entry.clone(),
                    value: number(cell)?,
                });
            }
        }
        Some(Self { ranks, values })
    }

    /// For each track: the first, those within the critical difference, and the ranks of the usual choices.
    fn tracks(&self) -> Option<Table> {
        let wants = [
            ("regret", "the least cost"),
            ("best", "the best of all after few answers"),
            ("order", "the order of all after few answers"),
            ("winner", "a winner stated soon, at an error of 5%"),
            ("late", "the least cost, with clicks that come late"),
        ];
        let row = |(track, want): (&str, &str)| {
            let of_track: Vec<&Rank> = self.ranks.iter().filter(|rank| rank.track == track).collect();
            let (first, others) = of_track.split_first()?;
            let near: Vec<String> = { others.iter() }
                .filter(|other| other.rank - first.rank <= first.difference)
                .map(|other| code(&other.entry))
                .collect();
            let place = |name: &str| of_track.iter().position(|rank| rank.entry == name);
            let places: Vec<String> = { USUAL_ALGORITHMS.iter() }
                .filter_map(|name| Some(format!("{} {}", code(name), place(name)? + 1)))
                .collect();
            const MAX_NAMED: usize = 5;
            let more = near.len().saturating_sub(MAX_NAMED);
            // Where nearly all are as good, the first place means nothing.
            let is_any = 10 * near.len() >= 9 * others.len();
            let near = match near.len() {
                0 => "none".to_owned(),
                near if is_any => format!("{near} of {} others", others.len()),
                _ if more > 0 => format!("{}, and {more} more", near[..MAX_NAMED].join(", ")),
                _ => near.join(", "),
            };
            Some(vec![
                want.to_owned(),
                if is_any { "any".to_owned() } else { code(&first.entry) },
                format!("{:.1} [{:.1}, {:.1}] of {}", first.rank, first.interval[0], first.interval[1], of_track.len()),
                near,
                places.join(", "),
            ])
        };
        let rows: Option<Vec<_>> = wants.into_iter().map(row).collect();
        Some(Table::of(
            &["you want", "first", "mean rank", "as good, for all that these problems say", "places of others"],
            rows?,
        ))
    }

    /// The mean regret of an entry on problems of a kind.
    fn mean_regret(&self, measure: &str, prefixes: &[&str], entry: &str) -> Option<f64> {
        let regrets: Vec<f64> = self
            .values
            .iter()
            .filter(|value| value.entry == entry && value.measure == measure && value.track == "regret")
            .filter(|value| prefixes.iter().any(|prefix| value.problem.starts_with(prefix)))
            .map(|value| value.value)
            .collect();
        (!regrets.is_empty()).then(|| regrets.iter().sum::<f64>() / regrets.len() as f64)
    }

    /// For each kind of problem: the algorithm with the least regret, and the regret of the usual choices.
    fn kinds(&self) -> Option<Table> {
        let regret = self.values.iter().filter(|value| value.track == "regret");
        let mut entries: Vec<&str> = regret.map(|value| value.entry.as_str()).collect();
        entries.sort_unstable();
        entries.dedup();
        let row = |(kind, measure, prefixes): (&str, &str, &[&str])| {
            let all = entries.iter().filter_map(|entry| Some((self.mean_regret(measure, prefixes, entry)?, *entry)));
            let (least, best) = all.min_by(|one, other| one.0.total_cmp(&other.0))?;
            let usual = USUAL_ALGORITHMS
                .iter()
                .map(|entry| self.mean_regret(measure, prefixes, entry).map_or_else(|| "–".to_owned(), percent));
            Some([vec![kind.to_owned(), format!("{} {}", code(best), percent(least))], usual.collect()].concat())
        };
        let rows: Option<Vec<_>> = KINDS.into_iter().map(row).collect();
        let header: Vec<String> =
            ["problems", "least"].map(str::to_owned).into_iter().chain(USUAL_ALGORITHMS.map(code)).collect();
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        Some(Table::of(&header, rows?))
    }

    /// The rate of wrong stated winners: by evidence that holds at every look, and by a test that holds at one.
    fn honesty(&self) -> Option<Table> {
        let naive = "naive test";
        let row = |who: &str, is_naive: bool| {
            let of = |measure: &str| {
                let own = |value: &&Value| value.measure == measure && (value.entry == naive) == is_naive;
                self.values.iter().filter(own).collect::<Vec<_>>()
            };
            let mean = |of: &[&Value]| of.iter().map(|value| value.value).sum::<f64>() / of.len().max(1) as f64;
            let (wrong, open) = (of("wrong winners"), of("open"));
            let worst = wrong.iter().max_by(|one, other| one.value.total_cmp(&other.value))?;
            let worst = match worst.value > 0.0 {
                true => format!("{} ({})", percent(worst.value), worst.problem),
                false => "never".to_owned(),
            };
            Some(vec![who.to_owned(), percent(mean(&wrong)), worst, percent(1.0 - mean(&open))])
        };
        let rows = [row("policies with `--stop-when 0.95`", false)?, row("a test for one look, at every look", true)?];
        Some(Table::of(
            &[
                "winners stated by",
                "wrong, of all runs",
                "worst of an entry on a problem",
                "runs with a winner in which one is stated",
            ],
            rows,
        ))
    }

    /// The problems on which the first of the usual choices has a multiple of the least regret that `belongs`, the largest first.
    fn problems(&self, belongs: impl Fn(f64) -> bool) -> Table {
        let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
        let own = self.values.iter().filter(|value| {
            value.entry == USUAL_ALGORITHMS[0] && value.track == "regret" && value.measure != "Borda regret"
        });
        for Value { measure, problem, value, .. } in own {
            let of = self.values.iter().filter(|other| (&other.measure, &other.problem) == (measure, problem));
            let Some(least) = of.min_by(|one, other| one.value.total_cmp(&other.value)) else { continue };
            let excess = if least.value > 0.0 { value / least.value } else { f64::INFINITY };
            if *value <= least.value && belongs(1.0) || *value > least.value && belongs(excess) {
                let cells = [
                    problem.clone(),
                    format!("{} {}", code(&least.entry), percent(least.value)),
                    percent(*value),
                    format!("{excess:.1}"),
                ];
                rows.push((excess, cells.to_vec()));
            }
        }
        rows.sort_by(|one, other| other.0.total_cmp(&one.0));
        Table::of(
            &["problem", "least regret", "`bradley-terry`", "times as much"],
            rows.into_iter().map(|(_, row)| row),
        )
    }
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

/// A share of the regret of arms drawn at random.
fn percent(share: f64) -> String {
    if share < 0.1 { format!("{:.1}%", 100.0 * share) } else { format!("{:.0}%", 100.0 * share) }
}
