//! `sim algorithms`: what there is to play.

use anyhow::Result;
use bandits::ActionKind;
use bandits::registry::entries;

use super::print::println;

/// Prints every algorithm with its parameters, their defaults and meanings.
#[expect(clippy::unnecessary_wraps, reason = "a command like the others")]
pub(super) fn run() -> Result<()> {
    for entry in entries() {
        let plays = match entry.action_kind {
            ActionKind::Duels => "",
            ActionKind::Sets => " [sets of arms]",
        };
        let horizon = if entry.needs_horizon { " [needs the horizon]" } else { "" };
        println!("{}{plays}{horizon}\n    {}", entry.name, entry.summary);
        for (key, default, meaning) in entry.parameters {
            println!("    :{key}={default}  {meaning}");
        }
    }
    println!("\nWrite parameters behind the name: --algorithms rucb:alpha=0.51,mergerucb:p=8:alpha=0.8");
    Ok(())
}
