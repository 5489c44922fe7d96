//! The usual headers of the columns of tables of votes.

pub(super) use ranktypes::text::plain_header as plain;

/// The pairs of headers of competitors, and their sources.
pub(super) const PAIRS: [(&str, &str); 13] = [
    ("first", "second"),              // this project
    ("model_a", "model_b"),           // LMArena, MT-bench
    ("model_a_name", "model_b_name"), // ComparIA
    ("left", "right"),                // Evalica, crowds
    ("item_x", "item_y"),             // Evalica
    ("a", "b"),
    ("model_1", "model_2"),
    ("generator_1", "generator_2"), // AlpacaEval
    ("player1", "player2"),
    ("player_a", "player_b"),
    ("option_a", "option_b"),
    ("system_a", "system_b"),
    ("prompt_a", "prompt_b"),
];
pub(super) const WINNERS: [&str; 22] = [
    "winner",
    "verdict",
    "outcome",
    "result",
    "label",
    "chosen_model_name", // ComparIA
    // Sheets and forms.
    "better",
    "preferred",
    "preference",
    "choice",
    "which_is_better?",
    "which_one_is_better?",
    "gewinner",
    "besser",
    "sieger",
    "gagnant",
    "meilleur",
    "ganador",
    "mejor",
    "vincitore",
    "migliore",
    "winnaar",
];
/// Headers of whether a row without a winner is a tie.
pub(super) const TIES: [&str; 1] = ["both_equal"];
pub(super) const ITEMS: [&str; 9] =
    ["item", "query", "question_id", "prompt_id", "query_id", "item_id", "instruction", "question", "prompt"];
/// Headers of columns that divide an item into several: the second turn of MT-bench's questions is another question, and an answer
/// may be judged by several criteria.
pub(super) const PARTS_OF_ITEMS: [&str; 16] = [
    "turn",
    "task",
    "subtask",
    "subset",
    "dataset",
    "benchmark",
    "split",
    "dimension",
    "criterion",
    "criteria",
    "aspect",
    "attribute",
    "metric",
    "language",
    "epoch",
    "round",
];
pub(super) const JUDGES: [&str; 9] =
    ["judge", "worker", "annotator", "rater", "assessor", "judge_id", "worker_id", "annotator_id", "rater_id"];
/// Headers of when a row was judged, which no statement depends on; tickets of `rankduel next` are numbered in time.
pub(super) const TIMES: [&str; 5] = ["time", "timestamp", "tstamp", "judged_at", "ticket"];
pub(super) const WEIGHTS: [&str; 1] = ["weight"];

/// Whether a header in lower case is one of the usual ones of tables of votes.
pub(super) fn is_known(header: &str) -> bool {
    let lists: [&[&str]; 6] = [&WINNERS, &TIES, &ITEMS, &JUDGES, &TIMES, &WEIGHTS];
    lists.iter().any(|list| list.contains(&header))
}

/// Whether a column has the times of judgements.
pub(super) fn is_time(header: &str) -> bool {
    TIMES.contains(&plain(header).as_str())
}
