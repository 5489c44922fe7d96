//! Every command that writes, stopped by signals and by full disks, and then run again: the bytes of an uninterrupted run,
//! and nothing left behind.
//!
//! The moments are drawn from a fixed seed. `SIM_KILLS=200 cargo test -p sim --test command_line interruptions -- --nocapture`
//! stops commands 200 times in all and prints what happened.

mod commands;
mod full_disk;
mod kills;
