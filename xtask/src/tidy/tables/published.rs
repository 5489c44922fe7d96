//! Tables of published results.

use std::path::Path;

use output::numbers::significant;

use super::Table;

/// When to prefer each bandit, beside its regret on the published navigational matrix, on one problem of each other kind, and how
/// it takes late answers.
pub(super) fn when_to_prefer(results: &Path, first: impl Fn(&bandits::registry::Entry) -> String) -> Option<Table> {
    let kinds = std::fs::read_to_string(results.join("bandits-mslr/kinds.csv")).ok()?;
    // The problems in the order of the columns, which is the order of the file.
    let mut problems: Vec<&str> = kinds.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    problems.dedup();
    let on_kind = |problem: &str, algorithm: &str| {
        kinds.lines().find_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            [at, name, "1000000", _, mean, _, right] if (at, name) == (problem, algorithm) => {
                Some(format!("{}, {:.0}%", significant(mean.parse().ok()?), 100.0 * right.parse::<f64>().ok()?))
            }
            _ => None,
        })
    };
    let text = std::fs::read_to_string(results.join("bandits-mslr/regret.csv")).ok()?;
    let measured = |algorithm: &str, steps: &str| {
        text.lines().find_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
            ["navigational", name, at, _, mean, _, right, "10000000"] if (name, at) == (algorithm, steps) => {
                Some((significant(mean.parse().ok()?), 100.0 * right.parse::<f64>().ok()?))
            }
            _ => None,
        })
    };
    let row = |entry: &bandits::registry::Entry| {
        let spec: bandits::registry::Spec = entry.name.parse().ok()?;
        // A dash for those that are too slow among 136 arms.
        let cell = |steps| measured(&spec.canonical(), steps).map_or_else(|| "–".to_owned(), |(mean, _)| mean);
        let right =
            measured(&spec.canonical(), "10000000").map_or_else(|| "–".to_owned(), |(_, right)| format!("{right:.0}%"));
        let takes = if spec.late(16, Some(1_000)).ok()?.is_native() { "itself" } else { "queues" };
        let mut cells = vec![first(entry), entry.prefer.to_owned(), cell("100000"), cell("10000000"), right];
        cells.extend(
            problems.iter().map(|problem| on_kind(problem, &spec.canonical()).unwrap_or_else(|| "–".to_owned())),
        );
        cells.push(takes.to_owned());
        Some(cells)
    };
    let rows: Option<Vec<Vec<String>>> = bandits::registry::entries().iter().map(row).collect();
    let header = [
        "name",
        "prefer it",
        "regret at 10^5",
        "at 10^7",
        "right",
        "judge-like scale",
        "no order",
        "no winner",
        "late answers",
    ];
    (problems.len() == 3).then_some(())?;
    Some(Table::of(&header, rows?))
}

/// Regret of the default run, and of the same rankers on the published matrix of the real data.
pub(super) fn first_run(results: &Path) -> Option<Table> {
    let read = |folder: &str| -> Option<Vec<serde_json::Value>> {
        let text = std::fs::read_to_string(results.join(folder).join("summary.json")).ok()?;
        serde_json::from_str(&text).ok()
    };
    let (lookalike, real) = (read("first-run")?, read("first-run-real")?);
    let row = |(one, other): (&serde_json::Value, &serde_json::Value)| {
        let full = one["algorithm"].as_str()?;
        let same = other["algorithm"].as_str() == Some(full);
        let cells = |of: &serde_json::Value| -> Option<[String; 2]> {
            let [mean, error] = ["mean", "standard_error"].map(|key| of["regret"][key].as_f64());
            let share = of["share_recommending_best"].as_f64()?;
            Some([format!("{} ± {}", significant(mean?), significant(error?)), format!("{:.0}%", 100.0 * share)])
        };
        let name = format!("`{}`", full.split(':').next()?);
        same.then_some(())?;
        Some([vec![name], cells(one)?.to_vec(), cells(other)?.to_vec()].concat())
    };
    let rows: Option<Vec<Vec<String>>> = lookalike.iter().zip(&real).map(row).collect();
    let header = ["algorithm", "regret, look-alike", "right", "regret, real matrix", "right"];
    Some(Table::of(&header, rows?))
}

/// Regret of this project's algorithms on the fifteen utility problems, beside the least of all duel policies measured there.
pub(super) fn utility_problems(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/utility-problems.csv")).ok()?;
    let own_algorithms = ["bradley-terry-pairs", "bradley-terry"];
    let row = |problem: &&str| {
        let measured = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
            [name, algorithm, "1000000", _, mean, error, right, _] if name == *problem => {
                let [mean, error, right] = [mean, error, right].map(|number| number.parse::<f64>().ok());
                Some((algorithm.to_owned(), mean?, error?, 100.0 * right?))
            }
            _ => None,
        };
        let all: Vec<(String, f64, f64, f64)> = text.lines().filter_map(measured).collect();
        let is_own = |algorithm: &str| own_algorithms.iter().position(|name| algorithm.split(':').next() == Some(name));
        let best = |of: &dyn Fn(Option<usize>) -> bool| {
            all.iter().filter(|found| of(is_own(&found.0))).min_by(|a, b| a.1.total_cmp(&b.1))
        };
        let cell = |(_, mean, error, right): &(String, f64, f64, f64)| {
            format!("{} ± {}, {right:.0}%", significant(*mean), significant(*error))
        };
        let rival = best(&|place| place.is_none())?;
        let least = best(&|_| true)?.1;
        let ours = own_algorithms.iter().enumerate().map(|(at, _)| best(&|place| place == Some(at)));
        let ours: Vec<_> = ours.collect::<Option<_>>()?;
        let mut cells = vec![format!("`{problem}`")];
        cells.extend(ours.iter().map(|found| cell(found)));
        // The size of its sets, 2, is part of no other name.
        let name = rival.0.replace(":m=2", "");
        cells.extend([format!("`{name}` {}", cell(rival)), format!("{:.2}", ours[0].1 / least)]);
        Some(cells)
    };
    let rows: Option<Vec<Vec<String>>> = bandits::problems::TABLE_1.iter().map(row).collect();
    let header = ["problem", "`bradley-terry-pairs`", "`bradley-terry`", "least of the others", "ratio to the least"];
    Some(Table::of(&header, rows?))
}

/// The number of runs, of 100, that name the best of twenty arms after few duels, and after many.
pub(super) fn few_duels(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("parwis/curves.csv")).ok()?;
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let (mut settings, mut algorithms): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in lines.iter().filter(|line| line[2] == "accuracy") {
        if !settings.contains(&line[0]) {
            settings.push(line[0]);
        }
        if !algorithms.contains(&line[1]) {
            algorithms.push(line[1]);
        }
    }
    let right = |setting: &str, algorithm: &str, duels: &str| {
        let found = lines.iter().find(|line| line[..4] == [setting, algorithm, "accuracy", duels])?;
        Some(format!("{:.0}%", 100.0 * found[5].parse::<f64>().ok()?))
    };
    let row = |setting: &&str| {
        let cell = |algorithm: &&str| {
            let at = |duels| right(setting, algorithm, duels);
            Some(format!("{}, {}, {}", at("40")?, at("80")?, at("20000")?))
        };
        let cells: Option<Vec<String>> = algorithms.iter().map(cell).collect();
        Some(std::iter::once((*setting).to_owned()).chain(cells?).collect::<Vec<String>>())
    };
    let rows: Option<Vec<Vec<String>>> = settings.iter().map(row).collect();
    let names = algorithms.iter().map(|name| format!("`{name}`"));
    let header: Vec<String> = std::iter::once("matrix".to_owned()).chain(names).collect();
    Some(Table::of(&header.iter().map(String::as_str).collect::<Vec<_>>(), rows?))
}

/// Regret at 10^6 steps of this project's algorithms and their rivals, on problems that played no part in their making.
pub(super) fn own_policies(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/own-policies.csv")).ok()?;
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let at_end = |line: &&Vec<&str>| line[3] == "1000000" && line[4] == "100";
    let mut algorithms: Vec<&str> = Vec::new();
    let mut problems: Vec<[&str; 2]> = Vec::new();
    for line in lines.iter().filter(at_end) {
        if !algorithms.contains(&line[2]) {
            algorithms.push(line[2]);
        }
        if !problems.contains(&[line[0], line[1]]) {
            problems.push([line[0], line[1]]);
        }
    }
    let cell = |[kind, problem]: [&str; 2], algorithm: &str| {
        let line = lines.iter().filter(at_end).find(|line| line[..3] == [kind, problem, algorithm])?;
        let [mean, error, right] = [line[5], line[6], line[7]].map(|number| number.parse::<f64>().ok());
        Some(format!("{} ± {}, {:.0}%", significant(mean?), significant(error?), 100.0 * right?))
    };
    let rows = problems.iter().map(|&[kind, problem]| {
        let mut cells = vec![kind.to_owned(), format!("`{problem}`")];
        cells.extend(algorithms.iter().map(|algorithm| cell([kind, problem], algorithm).unwrap_or_default()));
        cells
    });
    let names: Vec<String> = algorithms.iter().map(|name| format!("`{name}`")).collect();
    let mut header = vec!["kind", "problem"];
    header.extend(names.iter().map(String::as_str));
    Some(Table::of(&header, rows))
}

/// Regret at the end where users have changed, by the names that ask for each algorithm there.
pub(super) fn users_who_change(results: &Path) -> Option<Table> {
    let text = std::fs::read_to_string(results.join("bandits-mslr/users-who-change.csv")).ok()?;
    let rows = text.lines().filter_map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [name, "1200000", _, mean, error, right] => {
            let [mean, error, right] = [mean, error, right].map(|number| number.parse::<f64>().ok());
            let mean = format!("{} ± {}", significant(mean?), significant(error?));
            Some(vec![format!("`{name}`"), mean, format!("{:.0}%", 100.0 * right?)])
        }
        _ => None,
    });
    Some(Table::of(&["algorithm", "regret", "right at the end"], rows))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The words of the documentation below the table of own policies.
    #[test]
    fn own_policies_are_right_and_stop_paying() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/bandits-mslr/own-policies.csv");
        let text = std::fs::read_to_string(path).expect("the published results");
        let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let own = |line: &&Vec<&str>| line[2].starts_with("bradley-terry");
        let problems = |runs: &str, step: &str| {
            let all = lines.iter().filter(|line| line[4] == runs && line[3] == step);
            let mut names: Vec<[&str; 2]> = all.map(|line| [line[0], line[1]]).collect();
            names.dedup();
            names.len()
        };
        assert_eq!((problems("100", "1000000"), problems("20", "10000000")), (13, 6));
        let at_ends = |line: &&Vec<&str>| line[3] == "1000000" || line[3] == "10000000";
        assert!(lines.iter().filter(own).filter(at_ends).all(|line| line[7] == "1"));
        // `dts` is right on the thirteen, too, and no other rival is.
        let mut wrong: Vec<&str> =
            lines.iter().filter(|line| line[3] == "1000000" && line[7] != "1").map(|line| line[2]).collect();
        wrong.sort_unstable();
        wrong.dedup();
        assert_eq!(wrong, ["rmed1", "self-sparring", "self-sparring:eta=4", "winner-stays-strong"]);
        for line in lines.iter().filter(own).filter(|line| line[3] == "10000000") {
            let regret = |step: &str| -> f64 {
                let same = lines.iter().find(|other| other[..3] == line[..3] && other[3] == step && other[4] == "20");
                same.expect("the earlier step")[5].parse().expect("a number")
            };
            assert!(regret("10000000") - regret("3162278") < 0.2 * regret("10000000"), "{line:?}");
        }
    }
}
