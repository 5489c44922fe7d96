//! Flags that several commands share, one file per subject.

mod arms;
mod common;
pub(super) mod defaults;
mod evidence;
mod folder;
mod impressions;
mod own;
mod reading;
mod regret;
mod run;
mod site;
mod table_format;

pub(super) use self::arms::{ArmArgs, Selected};
pub(super) use self::common::{CacheArgs, CommonArgs, OutputArgs};
pub(super) use self::evidence::EvidenceArgs;
pub(super) use self::folder::{dataset_name, default_folder, of_content, short};
pub(super) use self::impressions::{LateArgs, StreamArgs};
pub(super) use self::own::OwnArgs;
pub(super) use self::reading::{DatasetArgs, ReadingArgs};
pub(super) use self::run::{AxesArg, RunArgs, StudyDefaults};
pub(super) use self::site::{SiteArgs, announce};
pub(super) use self::table_format::TableFormat;
