//! Flags that several commands share, one file per subject. The flags of what studies play are in [`studies::request`].

mod arms;
mod common;
mod correction;
pub(super) mod defaults;
mod folder;
mod ranker_files;
mod reading;
mod relabel;
mod site;
mod table_format;

pub(super) use self::arms::{ArmArgs, SelectedMatrix};
pub(super) use self::common::{CacheArgs, CommonArgs, ComparisonArgs, OutputArgs, PlaceArgs};
pub(super) use self::correction::CorrectionArg;
pub(super) use self::folder::{dataset_name, default_folder, of_content, shortened_list};
pub(super) use self::ranker_files::RankerFileArgs;
pub(super) use self::reading::{DatasetArgs, ReadingArgs};
pub(super) use self::relabel::LabelOverride;
pub(super) use self::site::{SiteArgs, announce};
pub(super) use self::table_format::TableFormat;
