//! One query of a run.

use std::path::Path;

use super::run::Run;
use crate::error::{Error, ErrorKind};
use crate::text::read_text;

/// The documents that the run at `path`, plain or gzip, retrieved for `query`, in the order of their lines, with their scores.
/// Without a query, the run must have exactly one.
///
/// # Errors
/// A file that cannot be read, a malformed line, a document twice in a list, or not exactly one such query.
pub fn read_query(path: &Path, query: Option<&str>) -> Result<Vec<(String, f64)>, Error> {
    let text = read_text(path)?;
    let of_file = |error: Error| error.in_file(path);
    let run = Run::parse(&text).map_err(of_file)?;
    let found = match query {
        Some(id) => run.queries.iter().find(|query| query.id == id).ok_or_else(|| {
            let message = format!("the run has no documents of query {id}, expected one of its {}", run.queries.len());
            of_file(Error::new(ErrorKind::QueryId, message))
        })?,
        None => match &run.queries[..] {
            [only] => only,
            all => {
                let first = all.first().map_or("none", |query| query.id);
                let message = format!("the run has {} queries, expected one: say which, e.g. {first}", all.len());
                return Err(of_file(Error::new(ErrorKind::QueryId, message)));
            }
        },
    };
    let document = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(found.documents.iter().map(|line| (document(line.document.bytes), line.score.to_f64())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_query_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.run");
        std::fs::write(&path, "1 Q0 a 1 2.5 x\n2 Q0 b 1 1e-3 x\n1 Q0 c 2 0.5 x\n").unwrap();
        let read = |query| read_query(&path, query).map_err(|error| error.to_string());
        assert_eq!(read(Some("1")), Ok(vec![("a".to_owned(), 2.5), ("c".to_owned(), 0.5)]));
        assert_eq!(read(Some("2")), Ok(vec![("b".to_owned(), 1e-3)]));
        assert!(read(Some("3")).unwrap_err().contains("no documents of query 3"));
        assert!(read(None).unwrap_err().contains("the run has 2 queries, expected one"));
        std::fs::write(&path, "1 Q0 a 1 2.5 x\n").unwrap();
        assert_eq!(read(None), Ok(vec![("a".to_owned(), 2.5)]));
    }
}
