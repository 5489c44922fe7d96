//! Logs in temporary folders, and the crate's results for them.

use std::path::PathBuf;

use click_logs::LogError;
use click_logs::join::{Aside, CreditedLog, Inputs, Order, Resources, Trace, credit};
use click_logs::model::Settings;
use click_logs::simulate::{SimulationSettings, Truth, simulate};

/// A folder with files of impressions and of clicks.
pub(crate) struct Log {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) inputs: Inputs,
}

impl Log {
    /// From the texts of files.
    pub(crate) fn of(impressions: &[&[u8]], clicks: &[&[u8]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("scratch")).unwrap();
        let write = |kind: &str, texts: &[&[u8]]| -> Vec<PathBuf> {
            let write = |(number, text): (usize, &&[u8])| {
                let path = folder.path().join(format!("{kind}-{number}"));
                std::fs::write(&path, text).unwrap();
                path
            };
            texts.iter().enumerate().map(write).collect()
        };
        let inputs = Inputs { impressions: write("impressions", impressions), clicks: write("clicks", clicks) };
        Self { folder, inputs }
    }

    pub(crate) fn resources(&self) -> Resources {
        Resources {
            memory: 1 << 28,
            threads: 2,
            scratch_folder: self.folder.path().join("scratch"),
            disk: None,
            partitions: None,
            order: Order::Auto,
            block: None,
        }
    }

    pub(crate) fn credit(&self, settings: &Settings) -> Result<CreditedLog, LogError> {
        credit(&self.inputs, settings, &self.resources(), &(), None)
    }

    pub(crate) fn credit_within(&self, settings: &Settings, resources: &Resources) -> CreditedLog {
        credit(&self.inputs, settings, resources, &(), None).unwrap()
    }

    /// With the lines that were set aside, in order.
    pub(crate) fn credit_with_asides(&self, settings: &Settings) -> (CreditedLog, Vec<Aside>) {
        let (credited, traced) = self.credit_traced(settings);
        let asides = traced.into_iter().filter_map(|traced| match traced {
            Trace::Aside(aside) => Some(aside),
            Trace::Pair(_) | Trace::Unit(_) | Trace::Conversions(_) => None,
        });
        (credited, asides.collect())
    }

    /// With the fate of every line and unit, in order.
    pub(crate) fn credit_traced(&self, settings: &Settings) -> (CreditedLog, Vec<Trace>) {
        let mut all = Vec::new();
        let credited =
            credit(&self.inputs, settings, &self.resources(), &(), Some(&mut |traced| all.push(traced))).unwrap();
        all.sort();
        (credited, all)
    }
}

/// The texts of a simulated log, impressions and clicks, without headers; and its truth.
pub(crate) fn simulated(simulation: &SimulationSettings) -> ([Vec<u8>; 2], Truth) {
    let mut texts = [Vec::new(), Vec::new()];
    let truth = simulate::<String>(simulation, |lines, _| {
        for (text, more) in texts.iter_mut().zip(lines.text()) {
            text.extend(more);
        }
        Ok(())
    });
    (texts, truth.unwrap())
}

/// The simulated log in files.
pub(crate) fn simulated_log(simulation: &SimulationSettings) -> (Log, Truth) {
    let ([impressions, clicks], truth) = simulated(simulation);
    let [first, second] = simulation.headers();
    let texts = [[first.as_bytes(), &impressions].concat(), [second.as_bytes(), &clicks].concat()];
    (Log::of(&[&texts[0]], &[&texts[1]]), truth)
}

/// The parts of two results that must agree: everything but the bytes of temporary files.
#[track_caller]
pub(crate) fn assert_same(found: &CreditedLog, expected: &CreditedLog, what: &str) {
    assert_eq!(found.tally, expected.tally, "{what}");
    assert_eq!(found.rankers, expected.rankers, "{what}");
    assert_eq!((found.choice, found.said_by), (expected.choice, expected.said_by), "{what}");
    assert_eq!((found.times, found.is_synthetic), (expected.times, expected.is_synthetic), "{what}");
    assert_eq!(found.versions, expected.versions, "{what}");
    assert_eq!(found.days, expected.days, "{what}");
}

/// A receipt of a method, with its own part as in its JSON.
pub(crate) fn receipt(method: &str, part: serde_json::Value) -> interleave::receipt::Receipt {
    let kept = serde_json::json!({"method": method, "receipt": part});
    serde_json::from_value::<interleave::AnyInterleavingReceipt>(kept).expect("a receipt").into()
}

/// The receipt of a team draft of two rankers, by the owner of each document.
pub(crate) fn team_draft(owners: &[u8]) -> interleave::receipt::Receipt {
    receipt("team-draft", serde_json::json!({"team-draft": {"teams": owners}}))
}
