//! Results of single commands on the page: verdict, table, settings and links to the files, from the content of a results folder.
//!
//! Read as JSON without a schema: folders of other commands and of earlier versions have other keys, and missing content is left out of the
//! section.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use letor_io::{FeatureId, Names};
use maud::{Markup, html};
use output::numbers::{significant, with_separators, with_unit};
use serde_json::Value;
use simulation::arm_names::ArmNames;
use simulation::truth::{GroundTruth, RESOLVED};
use studies::verdict::{MeasureTests, capitalised, click_sentence};

use super::command_tables::{algorithms_table, findings_table, measures_table};
use super::markup::{NarrowFigure, PageText, inline_svg, link_address, relative_path, table};
use crate::experiment::Summary;

/// A folder with the results of a single command.
pub(super) struct CommandFolder {
    /// The name of the folder.
    pub(super) name: String,
    folder: PathBuf,
    /// Its figures, as SVG.
    pub(super) figures: Vec<PathBuf>,
    config: Value,
    summary: Value,
    findings: Value,
    decision: Value,
    /// The verdict and its context, a sentence each, from the command's kept output.
    conclusions: Vec<String>,
    /// The tables of numbers, for links.
    csv_files: Vec<PathBuf>,
}

impl CommandFolder {
    /// Reads the results folder `folder`.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let entries = std::fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        let with_extension = |extension: &str| -> Vec<PathBuf> {
            files.iter().filter(|file| file.extension().is_some_and(|ending| ending == extension)).cloned().collect()
        };
        let json = |name: &str| {
            let bytes = output::input::read_file(&folder.join(name), output::input::MAX_RESULT_BYTES).ok();
            bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null)
        };
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Ok(Self {
            name: absolute.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            folder: folder.to_owned(),
            figures: with_extension("svg"),
            config: json("config.json"),
            summary: json("summary.json"),
            findings: json("findings.json"),
            decision: json("decision.json"),
            conclusions: first_paragraph(folder),
            csv_files: with_extension("csv"),
        })
    }

    /// The folders in `results` that belong to none of the experiments `summaries`: with figures, or of a command that draws none.
    pub(super) fn read_all(results: &Path, summaries: &[Summary]) -> Result<Vec<Self>> {
        let mut folders = Vec::new();
        let entries = std::fs::read_dir(results).with_context(|| format!("failed to read {}", results.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_experiment = summaries.iter().any(|summary| summary.experiment == name);
            if is_experiment || name.starts_with('.') || !path.is_dir() {
                continue;
            }
            let folder = Self::read(&path)?;
            if !folder.figures.is_empty() || folder.config["command"].is_string() {
                folders.push(folder);
            }
        }
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(folders)
    }

    /// The section of the page. `narrow_figure` draws the figure for narrow screens, `page_folder` is the folder of the page.
    pub(super) fn section(&self, narrow_figure: NarrowFigure<'_>, page_folder: &Path) -> Result<Markup> {
        // A folder has one figure that can be drawn again; the others stay as they are.
        let narrow_svg = narrow_figure(&self.folder).filter(|_| self.figures.len() == 1);
        let figures = self.figures.iter().map(|figure| {
            let shows = figure.file_stem().unwrap_or_default().to_string_lossy();
            inline_svg(figure, narrow_svg.as_deref(), &format!("{}: {shows}", self.name))
        });
        let figures = figures.collect::<Result<Vec<_>>>()?;
        Ok(html! {
            section id=(PageText(&self.name)) {
                h3 { (self.heading()) @if self.is_synthetic() { " " span.badge { "synthetic data" } } }
                (self.conclusions_and_table())
                @for figure in figures { (figure) }
                (self.settings_and_files(page_folder))
            }
        })
    }

    /// The title and the name of the folder.
    pub(super) fn heading(&self) -> Markup {
        let name = PageText(&self.name);
        match self.title() {
            Some(title) => html! { (PageText(&title)) " " span.muted { (name) } },
            None => html! { (name) },
        }
    }

    /// The title of the work; `None` of folders of other programs and versions.
    fn title(&self) -> Option<String> {
        let text = |pointer: &str| self.config.pointer(pointer).and_then(Value::as_str);
        let site = text("/site/dataset/name").or_else(|| text("/dataset"));
        let with_site = |subject: &str| match (site, text("/site/click/model")) {
            (Some(site), Some(click)) => format!("{subject} on {site}, {click} clicks"),
            (Some(site), None) => format!("{subject} on {site}"),
            (None, _) => subject.to_owned(),
        };
        let title = match self.config["command"].as_str() {
            Some("live") => with_site("A search for the best ranker"),
            Some("bandit") => "Dueling bandits on a preference matrix".to_owned(),
            Some("proxy") => with_site("A preference matrix"),
            Some("compare") => with_site("Live, and on a preference matrix: regret"),
            Some("distortion") => with_site("Multileaving beside pairs"),
            Some("sensitivity") => with_site("How soon each method finds the better ranker"),
            Some("power") => with_site("How many impressions a decision takes"),
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
    fn is_synthetic(&self) -> bool {
        let flags = [
            self.config.pointer("/site/dataset/synthetic"),
            self.summary.pointer("/0/synthetic"),
            self.summary.get("synthetic"),
            self.findings.get("synthetic"),
            self.decision.get("synthetic"),
        ];
        flags.into_iter().flatten().any(|value| value.as_bool() == Some(true))
    }

    /// The verdict and the table: what stands above the figures.
    fn conclusions_and_table(&self) -> Markup {
        let conclusions = match self.conclusions.is_empty() {
            true => self
                .ranker_sentence()
                .or_else(|| self.matrix_sentence())
                .iter()
                .map(|sentence| capitalised(sentence))
                .collect(),
            // These may begin with a name.
            false => self.conclusions.clone(),
        };
        let sentences = conclusions.into_iter().chain(self.algorithm_sentence()).chain(self.comparison_sentence());
        let table = match self.summary.as_array() {
            Some(algorithms) => Some(algorithms_table(algorithms)),
            None => findings_table(&self.csv_files),
        };
        let measures =
            self.findings.get("measures").and_then(|measures| measures_table(measures, self.measure_tests().as_ref()));
        html! {
            @for sentence in sentences { p.verdict { (PageText(&sentence)) } }
            @if self.config["command"] == "distortion" {
                p.muted { "The share of rankers that seem to beat the best one in sets of each size:" }
            }
            @if let Some(table) = table { (table) }
            @if let Some(measures) = measures { (measures) }
        }
    }

    /// The winner of a preference matrix.
    fn matrix_sentence(&self) -> Option<String> {
        let ranking = self.findings.get("ranking")?.as_array()?;
        let name = |arm: &Value| {
            let row = ranking.iter().find(|row| row["arm"] == *arm)?;
            let number = match row["feature"].as_u64() {
                Some(feature) => format!("feature {feature} (arm {})", value_text(arm)),
                None => format!("arm {}", value_text(arm)),
            };
            Some(row["name"].as_str().map_or(number, str::to_owned))
        };
        let winners = |kind: &str| -> Option<Vec<String>> {
            self.findings.pointer(&format!("/winners/{kind}"))?.as_array()?.iter().map(name).collect()
        };
        let arms = with_unit(ranking.len() as u64, "arm");
        Some(match winners("condorcet")?.first() {
            Some(winner) if self.unresolved_lead().is_some() => self.lead_sentence(winner, ranking.len() - 1, &name)?,
            Some(winner) => {
                format!("the Condorcet winner of {arms} is {winner}: it beats every other with probability above 1/2.")
            }
            None => {
                format!("no arm beats every other of {arms}; most are beaten by {}.", winners("copeland")?.join(", "))
            }
        })
    }

    /// The number of standard errors by which the winner of an estimated matrix leads, if too few to be sure.
    fn unresolved_lead(&self) -> Option<f64> {
        let z = self.config.pointer("/matrix/estimated_from/winner_z").and_then(Value::as_f64);
        z.filter(|z| *z < RESOLVED)
    }

    /// That the winner of an estimated matrix may be another.
    fn lead_sentence(
        &self,
        winner: &str,
        other_count: usize,
        name: &dyn Fn(&Value) -> Option<String>,
    ) -> Option<String> {
        let gaps = self.findings.get("gaps")?;
        let mut sentence = format!(
            "{winner} is ahead of all {other_count} others, but not known to beat {}: its lead over that one is {} (z = {:.1}).",
            name(&gaps["closest"])?,
            significant(gaps["smallest"].as_f64()?),
            self.unresolved_lead()?
        );
        let significant = &self.findings["significant"];
        if let (Some(beaten_count), Some(rate)) =
            (significant["winner_beats"].as_u64(), significant["error_rate"].as_f64())
        {
            let _ = write!(sentence, " By more than chance (error rate {rate}) it beats {beaten_count} of them.");
        }
        Some(sentence)
    }

    /// Settings and links, below the figures. `page_folder` is the folder of the page.
    fn settings_and_files(&self, page_folder: &Path) -> Markup {
        let settings = self.config.as_object().map(|config| {
            let without_truth = config.iter().filter(|(key, _)| *key != "truth");
            let settings: Vec<Vec<String>> =
                without_truth.map(|(key, value)| vec![key.clone(), value_text(value)]).collect();
            table(&["setting", "value"].map(str::to_owned), &settings, 2..2)
        });
        let json_files = ["summary.json", "findings.json", "decision.json", "board.json", "config.json"];
        let json_files = json_files.map(|name| self.folder.join(name)).into_iter().filter(|file| file.is_file());
        let files: Vec<PathBuf> = self.csv_files.iter().cloned().chain(json_files).collect();
        html! {
            @if let Some(settings) = settings { details { summary { "Settings" } (settings) } }
            @if !files.is_empty() {
                p.muted {
                    "Files: "
                    @for (index, file) in files.iter().enumerate() {
                        @if index > 0 { ", " }
                        a href=(link_address(&relative_path(page_folder, file))) {
                            (PageText(&file.file_name().unwrap_or_default().to_string_lossy()))
                        }
                    }
                }
            }
        }
    }

    /// The paired tests of runs, of `inspect`.
    fn measure_tests(&self) -> Option<MeasureTests> {
        serde_json::from_value(self.findings.get("tests")?.clone()).ok()
    }

    /// The best of the rankers: by tests of measures, by clicks of few of them, otherwise the ground truth.
    fn ranker_sentence(&self) -> Option<String> {
        if let Some(tests) = self.measure_tests() {
            let rankers = self.findings.pointer("/measures/rankers")?.as_array()?;
            let names: Vec<&str> = rankers.iter().map(|ranker| ranker["name"].as_str()).collect::<Option<_>>()?;
            let names = ArmNames::NUMBERS.with_user_names(Names::new(names).ok());
            return tests.sentence(&names).map(|sentence| sentence + ".");
        }
        let truth: GroundTruth = serde_json::from_value(self.config.get("truth")?.clone()).ok()?;
        let names = self.names()?;
        let two_rankers = click_sentence(&truth, &names, &[]);
        Some(two_rankers.unwrap_or_else(|| truth.describe(|arm| names.name(arm))) + ".")
    }

    /// The rankers by name.
    fn names(&self) -> Option<ArmNames> {
        let features = self.config.pointer("/site/rankers")?.as_array()?.iter();
        let features: Vec<FeatureId> =
            features.map(|id| Some(FeatureId(id.as_u64()?.try_into().ok()?))).collect::<Option<_>>()?;
        let user_names = self.config.pointer("/site/names").and_then(Value::as_array);
        let user_names = user_names.and_then(|names| names.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        Some(ArmNames::features(features).with_user_names(user_names.and_then(|names| Names::new(names).ok())))
    }

    /// Where live runs and those on a matrix differ most.
    fn comparison_sentence(&self) -> Option<String> {
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
    fn algorithm_sentence(&self) -> Option<String> {
        let algorithms = self.summary.as_array()?;
        let regret =
            |algorithm: &&Value| algorithm.pointer("/regret/mean").and_then(Value::as_f64).unwrap_or(f64::INFINITY);
        let best = algorithms.iter().min_by(|a, b| regret(a).total_cmp(&regret(b)))?;
        let (runs, steps) = (best["runs"].as_u64()?, best["steps"].as_u64()?);
        let recommended = best["recommended"].get(0)?;
        let how_often = recommended["runs"].as_u64()?;
        Some(format!(
            "{} has the least regret of {}, {}, and recommends {} in {} of {} of {}.",
            best["label"].as_str().or_else(|| best["algorithm"].as_str())?,
            with_unit(algorithms.len() as u64, "algorithm"),
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
    let text = |name: &&str| output::input::read_file_text(&folder.join(name), output::input::MAX_RESULT_BYTES).ok();
    let text = ["verdict.txt", "decision.txt", "board.txt"].iter().find_map(text).unwrap_or_default();
    let paragraph = text.lines().take_while(|line| !line.trim().is_empty());
    let sentences = paragraph.filter(|line| !line.starts_with(' '));
    sentences.map(|line| line.trim_start_matches("! ").to_owned()).collect()
}

/// A value of a configuration for readers: short lists in full, objects as their keys and values.
fn value_text(value: &Value) -> String {
    const MAX_ITEMS: usize = 20;
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(count) => count.as_u64().map_or_else(|| count.to_string(), with_separators),
        Value::Bool(_) => value.to_string(),
        Value::Array(items) => {
            let remainder =
                if items.len() > MAX_ITEMS { format!(", … ({} in all)", items.len()) } else { String::new() };
            items.iter().take(MAX_ITEMS).map(value_text).collect::<Vec<_>>().join(", ") + &remainder
        }
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key}: {}", value_text(value))).collect::<Vec<_>>().join("; ")
        }
    }
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
        let body = CommandFolder::read(folder.path()).unwrap().conclusions_and_table().into_string();
        assert!(
            body.contains(">The Condorcet winner of 2 arms is b: it beats")
                && body.contains("<td>b</td><td class=\"number\">0.512</td>"),
            "{body}"
        );
        write(
            "findings.json",
            r#"{"winners": {"condorcet": [], "copeland": [0, 1]}, "ranking": [{"arm": 1}, {"arm": 0}]}"#,
        );
        let body = CommandFolder::read(folder.path()).unwrap().conclusions_and_table().into_string();
        assert!(body.contains("No arm beats every other of 2 arms; most are beaten by arm 0, arm 1."), "{body}");
        write(
            "findings.json",
            r#"{"winners": {"condorcet": [1], "copeland": [1]}, "ranking": [{"arm": 1, "feature": 37}, {"arm": 0, "feature": 5}]}"#,
        );
        let body = CommandFolder::read(folder.path()).unwrap().conclusions_and_table().into_string();
        assert!(body.contains("The Condorcet winner of 2 arms is feature 37 (arm 1): it beats"), "{body}");
    }

    #[test]
    fn a_folder_without_anything_known_has_an_empty_section() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.json"), "not JSON").expect("a file");
        std::fs::write(folder.path().join("summary.json"), "[{\"label\": 3}]").expect("a file");
        let results = CommandFolder::read(folder.path()).unwrap();
        let body = results.conclusions_and_table().into_string();
        assert!(!body.contains("verdict") && !results.is_synthetic(), "{body}");
        let body = results.settings_and_files(folder.path()).into_string();
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
        let results = CommandFolder::read(folder.path()).unwrap();
        let body = results.conclusions_and_table().into_string();
        assert!(results.is_synthetic());
        let said = "<p class=\"verdict\">b beats A: 99.71% confidence.</p><p class=\"verdict\">A tenth is unknown.</p>";
        assert_eq!(body, said);
    }

    #[test]
    fn a_comparison_says_where_it_differs_most() {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = r#"{"largest_at_end": {"label": "rucb", "relative": 0.1885, "relative_standard_error": 0.141}}"#;
        std::fs::write(folder.path().join("summary.json"), summary).expect("a file");
        let body = CommandFolder::read(folder.path()).unwrap().conclusions_and_table().into_string();
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
        let results = CommandFolder::read(folder.path()).unwrap();
        let body =
            results.conclusions_and_table().into_string() + &results.settings_and_files(folder.path()).into_string();
        assert!(results.is_synthetic());
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
