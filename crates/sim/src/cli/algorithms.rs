//! `sim algorithms`: lists the algorithms.

use anyhow::Result;
use bandits::ActionKind;
use bandits::registry::entries;

use super::print::println;

/// Prints every algorithm with its parameters, their defaults and descriptions.
#[expect(clippy::unnecessary_wraps, reason = "all commands return a result")]
pub(super) fn run() -> Result<()> {
    for entry in entries() {
        let plays = match entry.action_kind {
            ActionKind::Duels => "",
            ActionKind::Sets => " [selects sets of arms]",
        };
        let horizon = if entry.needs_horizon { " [not anytime: uses the horizon]" } else { "" };
        println!("{}{plays}{horizon}\n    {}", entry.name, entry.summary);
        for bandits::Parameter { key, value: default, meaning } in entry.parameters {
            println!("    :{key}={default}  {meaning}");
        }
    }
    println!("\nParameters follow the name: --algorithms rucb:alpha=0.51,mergerucb:p=8:alpha=0.8");
    Ok(())
}
