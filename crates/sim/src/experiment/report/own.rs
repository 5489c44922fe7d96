//! Results of single commands on the page: verdict, table, settings and links to the files, from the content of a results folder.
//!
//! Read as JSON without a schema: folders of other commands and of earlier versions have other keys, and missing content is left out of the
//! section.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use letor_io::{FeatureId, Names};
use maud::{Markup, html};
use output::numbers::{significant, with_separators, with_unit};
use serde_json::Value;
use simulation::arm_names::ArmNames;
use simulation::truth::{GroundTruth, RESOLVED};
use studies::verdict::{by_clicks, capitalised};

use super::html::{Shown, rows};
use super::tables;
use crate::experiment::Summary;

/// A folder of results that is not an experiment's.
pub(super) struct Other {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) figures: Vec<PathBuf>,
    /// The other content.
    pub(super) own: Own,
}

impl Other {
    /// The folder with its figures.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let files = std::fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
        let files = files.flatten().map(|entry| entry.path());
        let mut figures: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|e| e == "svg")).collect();
        figures.sort();
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, folder: folder.to_owned(), figures, own: Own::read(folder) })
    }
}

/// Folders of results that are not an experiment's: with figures, or of a command that draws none.
pub(super) fn others(results: &Path, summaries: &[Summary]) -> Result<Vec<Other>> {
    let mut others = Vec::new();
    let entries = std::fs::read_dir(results).with_context(|| format!("failed to read {}", results.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = summaries.iter().any(|summary| summary.experiment == name);
        if known || name.starts_with('.') || !path.is_dir() {
            continue;
        }
        let other = Other::read(&path)?;
        if !other.figures.is_empty() || other.own.config["command"].is_string() {
            others.push(other);
        }
    }
    others.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(others)
}

/// The content of a folder beside its figures.
pub(super) struct Own {
    config: Value,
    summary: Value,
    findings: Value,
    decision: Value,
    /// The conclusions that a command kept of its output: the verdict and its context, a sentence each.
    said: Vec<String>,
    /// The tables of numbers, for links.
    tables: Vec<PathBuf>,
}

impl Own {
    /// Reads the results folder `folder`.
    pub(super) fn read(folder: &Path) -> Self {
        let json = |name: &str| {
            let bytes = output::input::read_file(&folder.join(name), output::input::MOST_OF_RESULTS).ok();
            bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null)
        };
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut tables: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|ending| ending == "csv")).collect();
        tables.sort();
        Self {
            config: json("config.json"),
            summary: json("summary.json"),
            findings: json("findings.json"),
            decision: json("decision.json"),
            said: first_paragraph(folder),
            tables,
        }
    }

    /// The title of the work; `None` of folders of other programs and versions.
    pub(super) fn title(&self) -> Option<String> {
        let text = |pointer: &str| self.config.pointer(pointer).and_then(Value::as_str);
        let site = text("/site/dataset/name").or_else(|| text("/dataset"));
        let on = |what: &str| match (site, text("/site/click/model")) {
            (Some(site), Some(click)) => format!("{what} on {site}, {click} clicks"),
            (Some(site), None) => format!("{what} on {site}"),
            (None, _) => what.to_owned(),
        };
        let title = match self.config["command"].as_str() {
            Some("live") => on("A search for the best ranker"),
            Some("bandit") => "Dueling bandits on a preference matrix".to_owned(),
            Some("proxy") => on("A preference matrix"),
            Some("compare") => on("Live, and on a preference matrix: regret"),
            Some("distortion") => on("Multileaving beside pairs"),
            Some("sensitivity") => on("How soon each method finds the better ranker"),
            Some("power") => on("How many impressions a decision takes"),
            Some("inspect") => {
                site.map_or_else(|| "Rankers by measures".to_owned(), |site| format!("Rankers of {site} by measures"))
            }
            Some("analyse") => "What a preference matrix holds".to_owned(),
            Some("board") => "Who is best by judgements".to_owned(),
            Some("bench") => "The benchmark".to_owned(),
            _ if self.decision.is_object() => "Who won in click logs".to_owned(),
            _ => return None,
        };
        Some(title)
    }

    /// Whether the data are known to be generated.
    pub(super) fn is_synthetic(&self) -> bool {
        let places = [
            self.config.pointer("/site/dataset/synthetic"),
            self.summary.pointer("/0/synthetic"),
            self.summary.get("synthetic"),
            self.findings.get("synthetic"),
            self.decision.get("synthetic"),
        ];
        places.into_iter().flatten().any(|value| value.as_bool() == Some(true))
    }

    /// The verdict and the table: what stands above the figures.
    pub(super) fn above(&self) -> Markup {
        let rankers = match self.said.is_empty() {
            true => {
                self.of_rankers().or_else(|| self.of_matrix()).iter().map(|sentence| capitalised(sentence)).collect()
            }
            // These may begin with a name.
            false => self.said.clone(),
        };
        let sentences = rankers.into_iter().chain(self.of_algorithms()).chain(self.of_comparison());
        let table = match self.summary.as_array() {
            Some(algorithms) => Some(tables::of_algorithms(algorithms)),
            None => tables::of_file(&self.tables),
        };
        let measures = self.findings.get("measures").filter(|measures| measures.is_object());
        html! {
            @for sentence in sentences { p.verdict { (Shown(&sentence)) } }
            @if self.config["command"] == "distortion" {
                p.muted { "The share of rankers that seem to beat the best one in sets of each size:" }
            }
            @if let Some(table) = table { (table) }
            @if let Some(measures) = measures { (tables::of_measures(measures, words)) }
        }
    }

    /// The winner of a preference matrix.
    fn of_matrix(&self) -> Option<String> {
        let ranking = self.findings.get("ranking")?.as_array()?;
        let name = |of: &Value| {
            let own = ranking.iter().find(|row| row["arm"] == *of)?;
            let number = match own["feature"].as_u64() {
                Some(feature) => format!("feature {feature} (arm {})", words(of)),
                None => format!("arm {}", words(of)),
            };
            Some(own["name"].as_str().map_or(number, str::to_owned))
        };
        let winners = |kind: &str| -> Option<Vec<String>> {
            self.findings.pointer(&format!("/winners/{kind}"))?.as_array()?.iter().map(name).collect()
        };
        let arms = with_unit(ranking.len() as u64, "arm");
        Some(match winners("condorcet")?.first() {
            Some(winner) if self.unresolved().is_some() => self.ahead_of_all(winner, ranking.len() - 1, &name)?,
            Some(winner) => {
                format!("the Condorcet winner of {arms} is {winner}: it beats every other with probability above 1/2.")
            }
            None => {
                format!("no arm beats every other of {arms}; most are beaten by {}.", winners("copeland")?.join(", "))
            }
        })
    }

    /// The number of standard errors by which the winner of an estimated matrix leads, if too few to be sure.
    fn unresolved(&self) -> Option<f64> {
        let z = self.config.pointer("/matrix/estimated_from/winner_z").and_then(Value::as_f64);
        z.filter(|z| *z < RESOLVED)
    }

    /// That the winner of an estimated matrix may be another.
    fn ahead_of_all(&self, winner: &str, others: usize, name: &dyn Fn(&Value) -> Option<String>) -> Option<String> {
        let gaps = self.findings.get("gaps")?;
        let mut said = format!(
            "{winner} is ahead of all {others} others, but not known to beat {}: its lead over that one is {} (z = {:.1}).",
            name(&gaps["closest"])?,
            significant(gaps["smallest"].as_f64()?),
            self.unresolved()?
        );
        let significant = &self.findings["significant"];
        if let (Some(beats), Some(rate)) = (significant["winner_beats"].as_u64(), significant["error_rate"].as_f64()) {
            let _ = write!(said, " By more than chance (error rate {rate}) it beats {beats} of them.");
        }
        Some(said)
    }

    /// Settings and links, below the figures. `from` is the folder of the page, `folder` the folder of the results.
    pub(super) fn below(&self, from: &Path, folder: &Path) -> Markup {
        let settings = self.config.as_object().map(|config| {
            let plain = config.iter().filter(|(key, _)| *key != "truth");
            let settings: Vec<Vec<String>> = plain.map(|(key, value)| vec![key.clone(), words(value)]).collect();
            rows(&["setting", "value"].map(str::to_owned), &settings, 2..2)
        });
        let others = ["summary.json", "findings.json", "decision.json", "board.json", "config.json"];
        let others = others.map(|name| folder.join(name)).into_iter().filter(|file| file.is_file());
        let files: Vec<PathBuf> = self.tables.iter().cloned().chain(others).collect();
        html! {
            @if let Some(settings) = settings { details { summary { "Settings" } (settings) } }
            @if !files.is_empty() {
                p.muted {
                    "Files: "
                    @for (at, file) in files.iter().enumerate() {
                        @if at > 0 { ", " }
                        a href=(address(&relative(from, file))) {
                            (Shown(&file.file_name().unwrap_or_default().to_string_lossy()))
                        }
                    }
                }
            }
        }
    }

    /// The best of the rankers: by tests of measures, by clicks of few of them, otherwise the ground truth.
    fn of_rankers(&self) -> Option<String> {
        if let Some(tests) = self.findings.get("tests").and_then(|tests| serde_json::from_value(tests.clone()).ok()) {
            let tests: studies::verdict::MeasureTests = tests;
            let rankers = self.findings.pointer("/measures/rankers")?.as_array()?;
            let names: Vec<&str> = rankers.iter().map(|ranker| ranker["name"].as_str()).collect::<Option<_>>()?;
            let names = ArmNames::NUMBERS.called(Names::new(names).ok());
            return tests.sentence(&names).map(|sentence| sentence + ".");
        }
        let truth: GroundTruth = serde_json::from_value(self.config.get("truth")?.clone()).ok()?;
        let names = self.names()?;
        let few = by_clicks(&truth, &names, &[]);
        Some(few.unwrap_or_else(|| truth.describe(|arm| names.name(arm))) + ".")
    }

    fn names(&self) -> Option<ArmNames> {
        let features = self.config.pointer("/site/rankers")?.as_array()?.iter();
        let features: Vec<FeatureId> =
            features.map(|id| Some(FeatureId(id.as_u64()?.try_into().ok()?))).collect::<Option<_>>()?;
        let given = self.config.pointer("/site/names").and_then(Value::as_array);
        let given = given.and_then(|names| names.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        Some(ArmNames::features(features).called(given.and_then(|names| Names::new(names).ok())))
    }

    /// Where live runs and those on a matrix differ most.
    fn of_comparison(&self) -> Option<String> {
        let largest = self.summary.get("largest_at_end")?;
        let [relative, error] = ["relative", "relative_standard_error"].map(|key| largest[key].as_f64());
        Some(format!(
            "At the end, regret on the matrix differs most from live regret for {}: by {:+.1}% ± {:.1}%.",
            largest["label"].as_str()?,
            100.0 * relative?,
            100.0 * error?
        ))
    }

    /// The algorithm with the least regret, and its recommendation.
    fn of_algorithms(&self) -> Option<String> {
        let all = self.summary.as_array()?;
        let regret = |of: &&Value| of.pointer("/regret/mean").and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        let best = all.iter().min_by(|one, other| regret(one).total_cmp(&regret(other)))?;
        let (runs, steps) = (best["runs"].as_u64()?, best["steps"].as_u64()?);
        let recommended = best["recommended"].get(0)?;
        let how_often = recommended["runs"].as_u64()?;
        Some(format!(
            "{} has the least regret of {}, {}, and recommends {} in {} of {} of {}.",
            best["label"].as_str().or_else(|| best["algorithm"].as_str())?,
            with_unit(all.len() as u64, "algorithm"),
            significant(regret(&best)),
            recommended["label"].as_str()?,
            with_separators(how_often),
            with_unit(runs, "run"),
            with_unit(steps, "step")
        ))
    }
}

/// The first paragraph of a command's kept output, without indented lines, which are details.
fn first_paragraph(folder: &Path) -> Vec<String> {
    let text = |name: &&str| output::input::read_file_text(&folder.join(name), output::input::MOST_OF_RESULTS).ok();
    let text = ["verdict.txt", "decision.txt", "board.txt"].iter().find_map(text).unwrap_or_default();
    let paragraph = text.lines().take_while(|line| !line.trim().is_empty());
    let sentences = paragraph.filter(|line| !line.starts_with(' '));
    sentences.map(|line| line.trim_start_matches("! ").to_owned()).collect()
}

/// A value of a configuration for readers: short lists in full, objects as their keys and values.
fn words(value: &Value) -> String {
    const MOST: usize = 20;
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(count) => count.as_u64().map_or_else(|| count.to_string(), with_separators),
        Value::Bool(_) => value.to_string(),
        Value::Array(all) => {
            let more = if all.len() > MOST { format!(", … ({} in all)", all.len()) } else { String::new() };
            all.iter().take(MOST).map(words).collect::<Vec<_>>().join(", ") + &more
        }
        Value::Object(all) => {
            all.iter().map(|(key, value)| format!("{key}: {}", words(value))).collect::<Vec<_>>().join("; ")
        }
    }
}

/// The way from the folder `from` to `file`; absolute where there is no other.
fn relative(from: &Path, file: &Path) -> PathBuf {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (from, file) = (whole(from), whole(file));
    let parts = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    let (here, there) = (parts(&from), parts(&file));
    let same = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
    // Different drives.
    if same == 0 || file.components().next().is_some_and(|part| matches!(part, Component::Prefix(_)) && same < 2) {
        return file;
    }
    here[same..].iter().map(|_| "..".into()).chain(there[same..].iter().cloned()).collect()
}

/// A path as the address of a link.
fn address(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    // A first part with a colon would be taken for a scheme; it is escaped above.
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_its_winner_and_its_ranking() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write(
            "findings.json",
            r#"{"winners": {"condorcet": [1], "copeland": [1]}, "ranking": [{"arm": 1, "name": "b"}, {"arm": 0, "name": "a"}]}"#,
        );
        write("ranking.csv", "rank,arm,name,borda\n1,1,b,0.51234\n2,0,a,0.48766\n");
        let body = Own::read(folder.path()).above().into_string();
        assert!(
            body.contains(">The Condorcet winner of 2 arms is b: it beats")
                && body.contains("<td>b</td><td class=\"number\">0.512</td>"),
            "{body}"
        );
        write(
            "findings.json",
            r#"{"winners": {"condorcet": [], "copeland": [0, 1]}, "ranking": [{"arm": 1}, {"arm": 0}]}"#,
        );
        let body = Own::read(folder.path()).above().into_string();
        assert!(body.contains("No arm beats every other of 2 arms; most are beaten by arm 0, arm 1."), "{body}");
        write(
            "findings.json",
            r#"{"winners": {"condorcet": [1], "copeland": [1]}, "ranking": [{"arm": 1, "feature": 37}, {"arm": 0, "feature": 5}]}"#,
        );
        let body = Own::read(folder.path()).above().into_string();
        assert!(body.contains("The Condorcet winner of 2 arms is feature 37 (arm 1): it beats"), "{body}");
    }

    #[test]
    fn links_lead_from_the_page_to_the_files() {
        let way = |from: &str, file: &str| address(&relative(Path::new(from), Path::new(file)));
        assert_eq!(way("results", "results/a b/curves.csv"), "a%20b/curves.csv");
        assert_eq!(way("pages", "results/x/curves.csv"), "../results/x/curves.csv");
        assert_eq!(way("results/x", "results/x/c#?.csv"), "c%23%3F.csv");
    }

    #[test]
    fn a_folder_without_anything_known_has_an_empty_section() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.json"), "not JSON").expect("a file");
        std::fs::write(folder.path().join("summary.json"), "[{\"label\": 3}]").expect("a file");
        let own = Own::read(folder.path());
        let body = own.above().into_string();
        assert!(!body.contains("verdict") && !own.is_synthetic(), "{body}");
        let body = own.below(folder.path(), folder.path()).into_string();
        assert!(body.contains("<a href=\"summary.json\">summary.json</a>"), "{body}");
    }

    #[test]
    fn what_a_command_said_stands_first_without_its_details() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write(
            "decision.txt",
            "b beats A: 99.71% confidence.\n  B won 53.4%.\n! A tenth is unknown.\n\nOutcomes of a day.\n",
        );
        write("decision.json", r#"{"synthetic": true}"#);
        let own = Own::read(folder.path());
        let body = own.above().into_string();
        assert!(own.is_synthetic());
        let said = "<p class=\"verdict\">b beats A: 99.71% confidence.</p><p class=\"verdict\">A tenth is unknown.</p>";
        assert_eq!(body, said);
    }

    #[test]
    fn a_comparison_says_where_it_differs_most() {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = r#"{"largest_at_end": {"label": "rucb", "relative": 0.1885, "relative_standard_error": 0.141}}"#;
        std::fs::write(folder.path().join("summary.json"), summary).expect("a file");
        let body = Own::read(folder.path()).above().into_string();
        assert!(body.contains("differs most from live regret for rucb: by +18.9% ± 14.1%."), "{body}");
    }

    #[test]
    fn a_study_has_its_verdict_table_settings_and_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write(
            "config.json",
            r#"{"command": "live", "steps": 20000, "site": {"dataset": {"name": "<x>", "synthetic": true}, "rankers": [3, 7],
              "names": ["bm25", "ltr"]}, "truth": {"measure": "condorcet", "winner": 1, "winners": [1], "gaps": [0.02, 0.0],
              "standard_errors": [0.001, 0.0], "smallest_margin": 0.02, "runner_up": 0, "z": 20.0, "comparisons": 300000}}"#,
        );
        write(
            "summary.json",
            r#"[{"algorithm": "rucb", "label": "rucb", "steps": 20000, "runs": 3, "regret": {"mean": 12.5, "standard_error": 1.5},
              "recommended": [{"arm": 1, "label": "ltr", "runs": 2}, {"arm": 0, "label": "bm25", "runs": 1}],
              "share_recommending_best": 0.6666}]"#,
        );
        write("curves.csv", "algorithm\n");
        let own = Own::read(folder.path());
        let body = own.above().into_string() + &own.below(folder.path(), folder.path()).into_string();
        assert!(own.is_synthetic());
        for part in [
            "<p class=\"verdict\">By clicks, ltr beats bm25 in 52.00% of impressions, ties counted half, over 99.99% confidence after",
            "<p class=\"verdict\">rucb has the least regret of 1 algorithm, 12.5, and recommends ltr in 2 of 3 runs of 20,000 steps.",
            "<td>rucb</td><td class=\"number\">12.5</td><td class=\"number\">1.50</td><td class=\"number\">67%</td><td>ltr, 2/3; bm25, 1/3</td>",
            "<td>steps</td><td>20,000</td>",
            "name: &lt;x&gt;; synthetic: true",
            "<a href=\"curves.csv\">curves.csv</a>",
        ] {
            assert!(body.contains(part), "{part} in {body}");
        }
        assert!(!body.contains("truth"), "{body}");
    }
}
