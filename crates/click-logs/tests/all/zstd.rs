//! Files compressed by zstd give the same result as the originals.

use click_logs::simulate::{SimulationSettings, rules};

use crate::common::{Log, assert_same, simulated};

#[test]
fn packed_files_say_the_same() {
    let simulation = SimulationSettings { impressions: 2_000, ..SimulationSettings::default() };
    let ([impressions, clicks], truth) = simulated(&simulation);
    let pack = |bytes: &[u8]| zstd::stream::encode_all(bytes, 3).unwrap();
    // Several frames are one file.
    let (first, second) = clicks.split_at(clicks.len() / 2);
    let clicks = [pack(first), pack(second)].concat();
    let log = Log::of(&[&pack(&impressions)], &[&clicks]);
    assert_same(&log.credit(&rules(&simulation)).unwrap(), &truth.credited(), "packed");
    let cut = Log::of(&[&pack(&impressions)], &[&clicks[..clicks.len() - 9]]);
    let error = cut.credit(&rules(&simulation)).unwrap_err().to_string();
    assert!(error.contains("clicks-0"), "{error}");
}
