//! The help of every command, compared with files in `tests/snapshots`.
//!
//! After a deliberate change, `UPDATE=1 cargo test --workspace --test logs help` writes the files again; review the
//! diff.

use std::fs;
use std::path::Path;

#[test]
fn help_of_every_command() {
    let mut command = click_logs::cli::command().term_width(100);
    command.build();
    check("click-logs.txt", &command.render_long_help().to_string());
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        let subcommand = command.find_subcommand_mut(name).unwrap();
        check(&format!("click-logs-{name}.txt"), &subcommand.clone().term_width(100).render_long_help().to_string());
    }
}

pub(crate) fn check(name: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{name} has changed (first difference: {differs:?}); if that is intended, run UPDATE=1 cargo test \
         --workspace --test logs help"
    );
}
