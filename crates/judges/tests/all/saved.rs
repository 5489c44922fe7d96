//! The judgements saved by choosing pairs: pages have the numbers of `results/judgements-saved/judgements.csv`.

use std::fs;
use std::path::Path;

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Lines are broken anywhere.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `1918` as `1,918`.
fn number(text: &str) -> String {
    assert!(text.len() < 7 && text.parse::<u32>().is_ok(), "a number of judgements below a million, not {text}");
    match text.split_at_checked(text.len().saturating_sub(3)) {
        Some((thousands, rest)) if !thousands.is_empty() => format!("{thousands},{rest}"),
        _ => text.to_owned(),
    }
}

#[test]
fn pages_say_what_was_measured() {
    let table =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/judgements-saved/judgements.csv"))
            .unwrap();
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let competitors: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(competitors, ["2", "3", "4", "5", "10", "20", "40"]);
    let page = file("docs/pages/how-to/ask-judges.md");
    for row in &rows {
        let line = format!("| {} | {} | {} |", row[0], number(row[2]), number(row[3]));
        assert!(page.contains(&line), "ask-judges.md lacks {line}");
        assert!(page.contains(&format!("{} runs", number(row[1]))), "ask-judges.md lacks the number of runs");
    }
    let forty = rows.last().unwrap();
    let share = forty[2].parse::<f64>().unwrap() / forty[3].parse::<f64>().unwrap();
    assert!((0.05..0.15).contains(&share), "README.md of the crate says nine tenths among forty: {share}");
    let ten = rows.iter().find(|row| row[0] == "10").unwrap();
    let (chosen, balanced) = (number(ten[2]), number(ten[3]));
    let said = format!(
        "Among ten competitors it names the best with {chosen} judgements where a balanced design takes {balanced}"
    );
    assert!(file("README.md").contains(&said), "README.md lacks: {said}");
    let said = format!("among ten, {chosen} judgements where a balanced design takes {balanced}");
    assert!(file("docs/pages/index.md").contains(&said), "index.md lacks: {said}");
}
