//! What the database says of a failure.

use crate::store::StoreError;

/// The database's message of a failure.
pub(super) fn message_of(error: &tokio_postgres::Error) -> String {
    let Some(database_error) = error.as_db_error() else {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        return format!("{error}{cause}");
    };
    let detail = database_error.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
    format!("{}{detail}", database_error.message())
}

/// The advice for a refused connection, where the message does not make it clear.
pub(super) fn advice(error: &tokio_postgres::Error) -> &'static str {
    // The message of poolers.
    if message_of(error).contains("startup parameter") {
        return "; a pooler in the mode `transaction` cannot be used: connect to PostgreSQL itself";
    }
    ""
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(message_of(&error))
    }
}
