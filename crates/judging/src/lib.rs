//! The files of judging: the file of a session, which several programs may use together, and the texts that judges compare.
//!
//! | module | |
//! |---|---|
//! | [`answers`] | all answers of a session as a table |
//! | [`journal`] | logs of lines that several processes append to |
//! | [`session_file`] | a session in such a log |
//! | [`settings`] | the settings of a session as flags |
//! | [`sheet`] | pairs as a table to be filled in |
//! | [`texts`] | tables of items, competitors and texts |
//!
//! Not here: sessions themselves, which are in `judges`, and the ways to ask a judge.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod answers;
pub mod journal;
pub mod session_file;
pub mod settings;
pub mod sheet;
pub mod texts;

pub use session_file::SessionFile;
pub use settings::Settings;
pub use texts::Texts;
