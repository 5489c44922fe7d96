//! People and GPT-4 on the same answers (LLMFAO, `../shared/data/llmfao`): tables are drawn from all questions as the population.

use super::coverage::measured;
use super::world::shuffle;
use board::read::{Options, from_bytes};
use board::{Board, Gold, Judgement, Settings};
use statistics::Normals;
use statistics::bradley_terry::{Comparison, Fit, Options as FitOptions, Point, cells};
use std::collections::BTreeMap;

/// The judgements of people and of GPT-4; without the data `None`, with a message.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn both() -> Option<Gold> {
    let read = |name: &str| {
        let path = format!("{}/../../../shared/data/llmfao/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(path).ok().map(|file| from_bytes(&file, &Options::default()).unwrap().table)
    };
    let (Some(people), Some(model)) = (read("crowd-comparisons.csv"), read("gpt4-crowd-comparisons.csv")) else {
        eprintln!("skipped: ../shared/data/llmfao is not there");
        return None;
    };
    Some(Gold::of_tables(people, model).unwrap())
}

/// A question with the answers of GPT-4 and of all people.
struct Question {
    model: Judgement,
    people: Vec<Judgement>,
}

fn questions(gold: &Gold) -> Vec<Question> {
    let key = |row: &Judgement| (row.first.min(row.second), row.first.max(row.second), row.item);
    let mut people: BTreeMap<_, Vec<Judgement>> = BTreeMap::new();
    gold.people.judgements.iter().for_each(|row| people.entry(key(row)).or_default().push(*row));
    let of = |row: &Judgement| Some(Question { model: *row, people: people.get(&key(row))?.clone() });
    gold.model.judgements.iter().filter_map(of).collect()
}

/// The strengths from people's answers on all questions, each counted once.
fn truth(questions: &[Question], competitors: usize) -> Vec<f64> {
    let mut all = Vec::new();
    for question in questions {
        for row in &question.people {
            let point = match row.verdict.score() {
                0.5 => Point::Tie,
                score => Point::Share(score),
            };
            all.push(Comparison {
                first: row.first as usize,
                second: row.second as usize,
                position: 1.0,
                point,
                weight: 1.0 / question.people.len() as f64,
                ..Comparison::default()
            });
        }
    }
    let options = FitOptions { position: true, ..FitOptions::default() };
    Fit::new(competitors, &cells(&all), options).unwrap().strengths().to_vec()
}

/// As many questions as there are, drawn with replacement, each a separate item; people judge `labels` of them, with one of their votes.
fn draw(gold: &Gold, questions: &[Question], labels: usize, worthless: bool, seed: u64) -> Gold {
    let mut draws = Normals::from_seed(seed);
    let (mut people, mut model) = (gold.people.clone(), gold.model.clone());
    let count = questions.len();
    for table in [&mut people, &mut model] {
        table.judgements.clear();
        table.judges.clear();
        table.items = (0..count).map(|item| item.to_string()).collect();
    }
    for item in 0..count as u32 {
        let question = &questions[draws.below(count)];
        let own = |row: Judgement| Judgement { item: Some(item), judge: None, ..row };
        people.judgements.push(own(question.people[draws.below(question.people.len())]));
        let verdict = if worthless { questions[draws.below(count)].model.verdict } else { question.model.verdict };
        model.judgements.push(Judgement { verdict, ..own(question.model) });
    }
    shuffle(&mut people.judgements, &mut draws);
    people.judgements.truncate(labels);
    Gold::of_tables(people, model).unwrap()
}

#[test]
#[ignore = "takes minutes, and ../shared/data: cargo test -p board --test board -- --ignored --nocapture gold::llmfao"]
fn coverage_of_people_beside_gpt4_at_full_size() {
    let Some(gold) = both() else { return };
    let questions = questions(&gold);
    let names = gold.people.names.clone();
    let truth = truth(&questions, names.len());
    let of_name = |name: &str| truth[names.iter().position(|other| other == name).unwrap()];
    for (labels, worthless) in [(1_000, false), (600, false), (1_000, true)] {
        let name = format!("{labels} labels{}", if worthless { ", GPT-4's verdicts shuffled" } else { "" });
        let found = measured(&name, 500, of_name, |seed| draw(&gold, &questions, labels, worthless, 9_000 + seed));
        let mean = found.coverage.iter().sum::<f64>() / found.coverage.len() as f64;
        let least = found.coverage.iter().copied().fold(1.0, f64::min);
        assert!((0.93..=0.97).contains(&mean) && least >= 0.90, "{name}: {mean} {least}");
        assert!(found.false_ranks <= 0.05 + 0.03, "{name}: {}", found.false_ranks);
        assert!(found.width <= if worthless { 1.1 } else { 1.0 }, "{name}: {}", found.width);
    }
}

#[test]
fn people_and_gpt4_agree_as_counted() {
    let Some(gold) = both() else { return };
    let board = Board::with_gold(&gold, &Settings { checks: false, advice: false, ..Settings::default() }).unwrap();
    let model = board.model.unwrap();
    assert_eq!(model.set_aside, 0);
    assert_eq!((model.common, model.questions), (2_139, 2_139));
    // As pandas counts them, each judgement from both sides.
    let agreement = &model.agreement[0];
    assert!((agreement.agreed - 0.414_847).abs() < 1e-6, "{agreement:?}");
    assert!((agreement.kappa.unwrap().value - 0.154_268).abs() < 1e-6, "{agreement:?}");
}
