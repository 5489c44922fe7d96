//! Errors of SQLite, as errors of a store.

use rusqlite::ErrorCode;

use crate::store::StoreError;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Damaged("the store is not a SQLite file".to_owned()),
            Some(ErrorCode::DiskFull) => Self::Sqlite("the disk is full".to_owned()),
            // The database was opened: it is a file beside it that cannot be made.
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                Self::Sqlite("the file or its folder cannot be written".to_owned())
            }
            _ => Self::Sqlite(error.to_string()),
        }
    }
}

impl StoreError {
    /// The same, if SQLite reports it for a table of an experiment.
    pub(super) fn of_row(experiment: u32, place: String, error: rusqlite::Error) -> Self {
        use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error};

        let is_of_value = matches!(
            error,
            FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..)
        );
        if is_of_value || error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) {
            return Self::row(experiment, place, error.to_string());
        }
        error.into()
    }
}
