//! Corrected measures as tables and sentences.

use output::numbers::{with_separators, with_unit};
use output::text_table::{Align, TextTable};
use simulation::arm_names::ArmNames;

use super::super::{LEVEL, joined_names, p_text};
use super::{JudgedMean, JudgedMeasure, JudgedMeasures};

/// The most runs that a sentence names.
const MAX_NAMED: usize = 3;

impl JudgedMeasures {
    /// How far the model and people agree, and whether the model favours a run: sentences, each with its full stop.
    #[must_use]
    pub fn sentences(&self, names: &ArmNames) -> Vec<String> {
        let agreement = &self.agreement;
        let kappa = agreement.kappa.map_or_else(String::new, |kappa| format!(" (kappa {kappa:.2})"));
        let (distance, model_is_higher) = (agreement.model_minus_people.abs(), agreement.model_minus_people > 0.0);
        let mut sentences = vec![format!(
            "The model and people agree on {:.0}% of the {} that both judged{kappa}; the model's labels are {distance:.2} {} on average.",
            100.0 * agreement.same,
            with_unit(agreement.documents as u64, "document"),
            if model_is_higher { "higher" } else { "lower" },
        )];
        sentences.extend(self.measures.first().map(|measure| measure.favoured_arms_text(names)));
        sentences
    }

    /// The assumptions of the numbers, and evidence against them: notes without a full stop.
    #[must_use]
    pub fn notes(&self, names: &ArmNames) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(leaning) = &self.leaning {
            notes.push(format!(
                "people's labels are not a random sample: of what weighs in {} of {} they hold {:.2} times what a random sample would \
                 ({:.1} standard errors), so the corrected values may be wrong; have documents judged that are drawn at random from \
                 all that the model judged",
                leaning.measure,
                names.name(leaning.run),
                leaning.ratio,
                leaning.z.abs(),
            ));
        }
        if self.labels_outside > 0 {
            let outside = self.first_outside.as_ref();
            let outside =
                outside.map_or_else(String::new, |(query, document)| format!(", e.g. {document} of query {query}"));
            notes.push(format!(
                "{} of people are of documents that the model did not judge, and are not used{outside}",
                with_unit(self.labels_outside as u64, "label")
            ));
        }
        notes.push(
            "corrected values hold if people judged a random sample of the queries and, of each, of the documents that the model \
             judged; documents that the model did not judge are not relevant"
                .to_owned(),
        );
        notes.push("intervals are of a population of queries like these".to_owned());
        notes
    }

    /// A table per measure of at most `max_rows` runs.
    #[must_use]
    pub fn tables(&self, names: &ArmNames, max_rows: usize) -> String {
        let tables: Vec<String> =
            self.measures.iter().map(|measure| measure.table(self.queries, names, max_rows)).collect();
        tables.join("\n\n")
    }

    /// The columns of [`row`](Self::row).
    #[must_use]
    pub fn header(&self) -> Vec<String> {
        let of_measure = |measure: &JudgedMeasure| COLUMNS.map(|(column, _)| format!("{}_{column}", measure.measure));
        self.measures.iter().flat_map(of_measure).collect()
    }

    /// The columns of an arm beside its corrected means.
    #[must_use]
    pub fn row(&self, arm: usize) -> Vec<String> {
        let of_measure = |measure: &JudgedMeasure| {
            COLUMNS.map(|(_, value)| {
                value(measure, &measure.runs[arm]).map_or_else(String::new, |value| value.to_string())
            })
        };
        self.measures.iter().flat_map(of_measure).collect()
    }
}

/// A column of a file and its value, if it has one.
type Column = (&'static str, fn(&JudgedMeasure, &JudgedMean) -> Option<f64>);

/// The columns of each measure.
const COLUMNS: [Column; 11] = [
    ("standard_error", |_, run| Some(run.standard_error)),
    ("low", |_, run| Some(run.interval.0)),
    ("high", |_, run| Some(run.interval.1)),
    ("model", |_, run| Some(run.model)),
    ("people", |_, run| Some(run.people)),
    ("people_standard_error", |_, run| Some(run.people_standard_error)),
    ("gain", |_, run| run.gain),
    ("favour", |_, run| Some(run.favour)),
    ("favour_p", |_, run| Some(run.favour_p)),
    ("lambda", |measure, _| Some(measure.lambda)),
    ("labelled_queries", |measure, _| Some(measure.labelled_queries as f64)),
];

impl JudgedMeasure {
    fn table(&self, queries: usize, names: &ArmNames, max_rows: usize) -> String {
        let right_aligned = |name| (name, Align::Right);
        let mut table = TextTable::new([
            ("ranker", Align::Left),
            right_aligned(self.measure.as_str()),
            right_aligned("95% interval"),
            right_aligned("model"),
            right_aligned("people"),
            right_aligned("95% interval"),
            right_aligned("gain"),
        ]);
        let mut best: Vec<(usize, &JudgedMean)> = self.runs.iter().enumerate().collect();
        best.sort_by(|(_, one), (_, other)| other.mean.total_cmp(&one.mean));
        for (arm, run) in best.iter().take(max_rows) {
            let interval = |(low, high): (f64, f64)| format!("{low:.4} to {high:.4}");
            table.row([
                names.name(*arm),
                format!("{:.4}", run.mean),
                interval(run.interval),
                format!("{:.4}", run.model),
                format!("{:.4}", run.people),
                interval(run.people_interval),
                run.gain.map_or_else(String::new, |gain| format!("{gain:.2}")),
            ]);
        }
        let remainder = if best.len() > max_rows {
            format!("; the best {max_rows} of {}", with_separators(best.len() as u64))
        } else {
            String::new()
        };
        let extent = if self.linear { "in part" } else { "wholly" };
        format!(
            "{table}\n{} over {}, {} of them judged by people {extent}; the model counts {:.2}, and the corrected mean is as good as \
             people alone on `gain` times as many queries{remainder}",
            self.measure,
            with_unit(queries as u64, "query"),
            self.labelled_queries,
            self.lambda,
        )
    }

    /// Whether the model favours runs, by a sentence.
    fn favoured_arms_text(&self, names: &ArmNames) -> String {
        let mut far: Vec<(usize, &JudgedMean)> =
            self.runs.iter().enumerate().filter(|(_, run)| run.favour_p <= LEVEL).collect();
        far.sort_by(|(_, favoured_run), (_, other)| other.favour.abs().total_cmp(&favoured_run.favour.abs()));
        let favoured_run = |(arm, run): &(usize, &JudgedMean)| {
            format!("{} ({:+.4}, {})", names.name(*arm), run.favour, p_text(run.favour_p))
        };
        match far.len() {
            0 => format!("By {}, the model favours no run by more than chance.", self.measure),
            count => format!(
                "By {}, the model rates {} differently from the average run, compared with people: {}{}.",
                self.measure,
                with_unit(count as u64, "run"),
                joined_names(&far.iter().take(MAX_NAMED).map(favoured_run).collect::<Vec<_>>()),
                if count > MAX_NAMED { " most" } else { "" },
            ),
        }
    }
}
