//! Properties that hold for any bytes, for the fuzz target `click_log` and for a test of damaged seeds.

use std::path::{Path, PathBuf};

use crate::LogError;
use crate::join::{CreditedLog, Inputs, Order, Resources, credit};
use crate::model::{LogEnd, Settings};

/// Separates impressions from clicks.
pub const SEPARATOR: &[u8] = b"\n----\n";

/// Credits the impressions and clicks in `bytes`, which [`SEPARATOR`] divides, in partitions and by the sliding window, with
/// lines that cannot be read refused and set aside; returns whether all lines could be read. Files are written to `folder`.
///
/// # Panics
/// If an error is not one line, or two ways of joining differ.
pub fn log(bytes: &[u8], folder: &Path) -> bool {
    let at = bytes.windows(SEPARATOR.len()).position(|part| part == SEPARATOR);
    let (impressions, clicks) = match at {
        Some(at) => (&bytes[..at], &bytes[at + SEPARATOR.len()..]),
        None => (bytes, &bytes[..0]),
    };
    let write = |name: &str, bytes: &[u8]| -> Vec<PathBuf> {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("a writable folder");
        vec![path]
    };
    let inputs = Inputs { impressions: write("impressions", impressions), clicks: write("clicks", clicks) };
    let resources = |order, block, partitions| Resources {
        memory: 1 << 20,
        threads: 1,
        scratch_folder: folder.to_path_buf(),
        disk: None,
        partitions: Some(partitions),
        order,
        block,
    };
    let mut is_sound = true;
    for set_malformed_aside in [false, true] {
        let settings = Settings { complete: LogEnd::LastImpression, set_malformed_aside, ..Settings::default() };
        let ways =
            [resources(Order::Any, None, 1), resources(Order::Any, Some(40), 4), resources(Order::Auto, Some(100), 2)];
        let [first, rest @ ..] = ways.map(|resources| credit(&inputs, &settings, &resources, &(), None));
        is_sound &= first.is_ok();
        rest.iter().for_each(|other| assert_same(&first, other));
    }
    is_sound
}

fn assert_same(a: &Result<CreditedLog, LogError>, b: &Result<CreditedLog, LogError>) {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            assert_eq!((&a.rankers, &a.days, a.tally, a.times), (&b.rankers, &b.days, b.tally, b.times));
        }
        (Err(a), Err(b)) => {
            for error in [a, b].map(ToString::to_string) {
                assert!(!error.is_empty() && error.lines().count() == 1, "{error:?}");
            }
        }
        (a, b) => panic!("one way of joining fails: {a:?}, {b:?}"),
    }
}
