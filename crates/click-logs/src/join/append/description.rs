//! The description of a state: what it is of, and which data file belongs to it.

use output::sealed_json::{Seal, unsealed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sections::SECTIONS;
use crate::model::{Lineup, Lineups, SingleRanker};

/// The version of the form of both files.
pub(super) const FORMAT_VERSION: u32 = 1;
/// The description of a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    pub(super) form: u32,
    /// The rules of the analysis.
    pub(super) settings: Value,
    /// How late lines may come, in milliseconds.
    pub(super) horizon: i64,
    /// Until when the log was complete at the last run, in milliseconds since 1970; `None` before the first.
    pub(super) until: Option<i64>,
    /// Whether the log is complete.
    pub(super) is_final: bool,
    /// The number of runs so far.
    pub(super) runs: u64,
    pub(super) files: Vec<InputFile>,
    /// Final fates of lines: kind of line, fate, count.
    pub(super) tally: Vec<(String, String, u64)>,
    /// The times of impressions by day.
    pub(super) times: Vec<(i32, i64, i64, u64)>,
    pub(super) lineups: Vec<StoredLineup>,
    /// How pairs were chosen, by version, for versions with days that are over.
    pub(super) choices: Vec<(Option<String>, String)>,
    pub(super) is_synthetic: bool,
    pub(super) other_actions: Vec<String>,
    /// The bytes of each section of the data.
    pub(super) sections: Vec<u64>,
}

/// A file that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputFile {
    pub(super) run: u64,
    pub(super) is_clicks: bool,
    pub(super) name: String,
    pub(super) checksum: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredLineup {
    rankers: Vec<String>,
    method: String,
    is_of_two: bool,
    version: Option<String>,
    declared: Option<String>,
    alone: u8,
}

impl StoredLineup {
    pub(super) fn of(lineup: &Lineup) -> Self {
        let Lineup { rankers, method, version, declared, alone, .. } = lineup;
        Self {
            rankers: rankers.clone(),
            method: method.clone(),
            is_of_two: lineup.is_of_two(),
            version: version.clone(),
            declared: declared.map(|choice| choice.name().to_owned()),
            alone: *alone as u8,
        }
    }

    pub(super) fn add_to(&self, lineups: &Lineups) -> Result<bool, String> {
        let declared = self.declared.as_deref().map(str::parse).transpose()?;
        let alone = [SingleRanker::No, SingleRanker::Maybe, SingleRanker::Yes]
            .into_iter()
            .find(|alone| *alone as u8 == self.alone);
        let names: Vec<&str> = self.rankers.iter().map(String::as_str).collect();
        let next = lineups.all().len();
        let (alone, version) = (alone.ok_or("an unknown kind of list")?, self.version.as_deref());
        let number = lineups.number(&names, &self.method, self.is_of_two, version, declared, alone)?;
        Ok(number as usize == next)
    }
}

impl Description {
    /// The one in the bytes of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (value, seal) = unsealed(bytes).ok_or("it is cut off, or not JSON")?;
        match seal {
            Seal::Intact => {}
            Seal::Missing => return Err("it has no checksum".to_owned()),
            Seal::Broken => return Err("its checksum does not fit".to_owned()),
        }
        if let Some(form) = value["form"].as_u64().filter(|form| *form != u64::from(FORMAT_VERSION)) {
            return Err(format!(
                "it has the form {form} of another version of this program, which reads {FORMAT_VERSION}"
            ));
        }
        let description: Self = serde_json::from_value(value).map_err(|error| error.to_string())?;
        if description.sections.len() == SECTIONS { Ok(description) } else { Err("it describes other data".to_owned()) }
    }
}
