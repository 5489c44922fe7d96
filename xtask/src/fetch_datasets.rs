//! `cargo xtask fetch-datasets`: lists data sets, downloads them and registers them under their names. The work is done by
//! the crates `fetch` and `download`.

use std::process::ExitCode;

use anyhow::Result;
use fetch::Bar;
use fetch::command::REFUSED;
use letor_io::registry;
use output::usage::UsageError;

pub use fetch::Arguments;

/// Lists, downloads or registers. Exit code 1 if a data set is not registered in the end, 2 for wrong usage.
///
/// # Errors
/// When something cannot be downloaded, read or written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    registry::set_data_command("cargo xtask fetch-datasets", true);
    let mut bar = Bar::new(|line| println!("{line}"), |text| eprintln!("{text}"));
    let missing = match arguments.run(&registry::data_root(), Some(&download::Settings::default()), &mut bar) {
        Ok(missing) => missing,
        Err(error) if error.is::<UsageError>() => {
            // In clap's manner.
            eprintln!("error: {error:#}\n\nFor more information, try '--help'.");
            return Ok(ExitCode::from(2));
        }
        Err(error) => return Err(error),
    };
    for refused in missing.iter().filter(|missing| !missing.differences.is_empty()) {
        eprintln!("{} is not as expected:", refused.entry.name);
        refused.differences.iter().for_each(|line| eprintln!("  {line}"));
        eprintln!("{REFUSED}");
    }
    Ok(if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
