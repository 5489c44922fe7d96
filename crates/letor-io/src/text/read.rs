//! Files to a data set: all threads parse pieces, which are joined in order.
#![expect(clippy::disallowed_types, reason = "only looked up by id; its order has no effect")]

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, TryLockError};

use super::assembler::Assembler;
#[cfg(feature = "fuzz")]
use super::file::Sizes;
use super::file::{DataFile, FileList, Piece, PieceReader, QueryIdPlace, expand, no_row};
use super::options::{Null, ReadOptions, SameQid};
use super::parse::{ParsedPiece, QueryIdSource, parse};
use crate::dataset::{Dataset, DatasetBuilder, EncodedQuery, Provenance};
use crate::error::{Error, ErrorKind};

/// Reads files and folders, in the order given, as one data set called `name`.
///
/// A folder stands for its files with a row of data as their first non-blank line, ordered by name; the
/// [`Provenance`] lists the others as skipped. Rows have the form `label qid:id feature:value ... # comment`,
/// separated by spaces or tabs, in plain text or gzip. Rows without `qid:` have their id as the whole comment
/// (Yandex), a whole number that the rows of a query share; or the number of rows of each query is in a file beside
/// theirs, `rank.train.query` (LightGBM) or `rank.train.group` (XGBoost) for `rank.train`, which rows with `qid:` must
/// not contradict.
///
/// A query is a contiguous block of rows with one id in one file; [`ReadOptions::same_qid`] determines how an id
/// that recurs is treated. Parsing uses all threads of the current rayon pool. The result, including errors, does
/// not depend on their number.
///
/// # Errors
///
/// The first error in the order of files and lines. In addition to malformed rows (see [`ErrorKind`]), lines over
/// 4 MiB, ids over 256 bytes and feature numbers over 1,000,000 are refused.
pub fn read_files<P: AsRef<Path>>(name: &str, paths: &[P], options: &ReadOptions) -> Result<Dataset, Error> {
    read_list(name, expand(paths)?, options)
}

/// Like [`read_files`], for files already listed.
pub(crate) fn read_list(name: &str, list: FileList, options: &ReadOptions) -> Result<Dataset, Error> {
    let work: Vec<FileWork<'_>> = list.files.iter().map(FileWork::new).collect();
    // The first file that failed: the files after it need not be read.
    let failed = AtomicUsize::new(usize::MAX);
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| worker(&work, options, &failed));
        }
    });
    let mut joiner = Joiner::new(options);
    for (index, work) in work.into_iter().enumerate() {
        joiner.join(&list.files, index, work)?;
    }
    joiner.finish(name, list.provenance())
}

/// Reads a text in pieces of about `target` bytes, on this thread.
#[cfg(feature = "fuzz")]
pub(crate) fn read_source(text: Vec<u8>, target: usize, options: &ReadOptions) -> Result<Dataset, Error> {
    let file = DataFile { path: "text".into(), groups: None };
    let sizes = Sizes { piece: target, ..Sizes::default() };
    let mut pieces = PieceReader::new(Box::new(std::io::Cursor::new(text)), None, sizes)?;
    let (mut assembler, mut piece) = (Assembler::default(), Piece::default());
    let mut parsed = Vec::new();
    while pieces.next(&mut piece) {
        parsed.push((parsed.len(), parse(&piece, pieces.ids(), options, &mut assembler)));
        if parsed.last().is_some_and(|(_, parsed)| parsed.error.is_some()) {
            break;
        }
    }
    let files = [file];
    let work = FileWork { parsed: Mutex::new(parsed), ..FileWork::new(&files[0]) };
    let mut joiner = Joiner::new(options);
    joiner.join(&files, 0, work)?;
    joiner.finish("text", Provenance::Files { files: Vec::new(), skipped: Vec::new() })
}

/// The state of one file while all threads work on it.
struct FileWork<'a> {
    file: &'a DataFile,
    reader: Mutex<Reader>,
    /// Whether all pieces have been handed out.
    done: AtomicBool,
    parsed: Mutex<Vec<(usize, ParsedPiece)>>,
}

enum Reader {
    Unopened,
    Open { pieces: PieceReader, next: usize },
    Failed(Error),
    Closed,
}

impl<'a> FileWork<'a> {
    fn new(file: &'a DataFile) -> Self {
        Self {
            file,
            reader: Mutex::new(Reader::Unopened),
            done: AtomicBool::new(false),
            parsed: Mutex::new(Vec::new()),
        }
    }
}

/// Parses pieces of the first file that has pieces left and that no other thread is reading from, so that
/// several gzip files are decompressed in parallel.
fn worker(files: &[FileWork<'_>], options: &ReadOptions, failed: &AtomicUsize) {
    let mut assembler = Assembler::default();
    let mut piece = Piece::default();
    while let Some((file, number, ids)) = take_piece(files, failed, &mut piece) {
        let parsed = parse(&piece, &ids, options, &mut assembler);
        if parsed.error.is_some() {
            failed.fetch_min(file, Ordering::Relaxed);
            files[file].done.store(true, Ordering::Release);
        }
        lock(&files[file].parsed).push((number, parsed));
    }
}

/// Reads the next piece into `piece` and returns the index of its file, its number in the file, and where the
/// file has its query ids.
fn take_piece(files: &[FileWork<'_>], failed: &AtomicUsize, piece: &mut Piece) -> Option<(usize, usize, QueryIdPlace)> {
    loop {
        let mut first_busy = None;
        for (index, work) in files.iter().enumerate() {
            if index > failed.load(Ordering::Relaxed) {
                break;
            }
            if work.done.load(Ordering::Acquire) {
                continue;
            }
            let mut reader = match work.reader.try_lock() {
                Ok(reader) => reader,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    first_busy = first_busy.or(Some(index));
                    continue;
                }
            };
            if let Some((number, ids)) = work.next(&mut reader, piece) {
                return Some((index, number, ids));
            }
            if matches!(*reader, Reader::Failed(_)) {
                failed.fetch_min(index, Ordering::Relaxed);
            }
        }
        // Other threads are reading from all files that are left: wait for one of them, then try again.
        drop(lock(&files[first_busy?].reader));
    }
}

impl FileWork<'_> {
    /// Reads the next piece into `piece` and returns its number and where the file has its query ids; `None` at the
    /// end of the file.
    fn next(&self, reader: &mut Reader, piece: &mut Piece) -> Option<(usize, QueryIdPlace)> {
        if let Reader::Unopened = reader {
            *reader = match PieceReader::open(&self.file.path, self.file.groups.clone()) {
                Ok(pieces) => Reader::Open { pieces, next: 0 },
                Err(error) => Reader::Failed(error),
            };
        }
        // A piece of this file may have failed while this thread waited.
        if !self.done.load(Ordering::Acquire)
            && let Reader::Open { pieces, next } = reader
            && pieces.next(piece)
        {
            *next += 1;
            return Some((*next - 1, pieces.ids().clone()));
        }
        if let Reader::Open { .. } = reader {
            *reader = Reader::Closed;
        }
        self.done.store(true, Ordering::Release);
        None
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Rayon propagates a panic of another thread; the data behind these locks is never left incomplete.
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Compares the queries of a file with other information on where queries end.
struct GroupCheck<'a> {
    file: &'a DataFile,
    queries: usize,
    first_line: u64,
    ids: QueryIdSource,
    /// Whether two rows have the same comment.
    shared: bool,
    /// The comments so far, each of one row.
    alone: HashSet<Box<str>>,
}

impl<'a> GroupCheck<'a> {
    fn new(file: &'a DataFile) -> Self {
        Self { file, queries: 0, first_line: 0, ids: QueryIdSource::Qid, shared: false, alone: HashSet::new() }
    }

    fn push(&mut self, query: &EncodedQuery, line: u64, ids: QueryIdSource) -> Result<(), Error> {
        if self.queries == 0 {
            (self.first_line, self.ids) = (line, ids);
        }
        let rows = query.labels.len();
        self.check_groups(Some(rows), line)?;
        self.queries += 1;
        if ids == QueryIdSource::Comment && !self.shared {
            self.shared = rows > 1 || !self.alone.insert(query.id.clone());
        }
        Ok(())
    }

    /// The file has ended after `lines` lines.
    fn finish(self, lines: u64) -> Result<(), Error> {
        if self.queries == 0 {
            return Err(no_row().in_file(&self.file.path));
        }
        if self.ids == QueryIdSource::Comment && !self.shared {
            let message = format!(
                "no row has a `qid:`, and no two rows share the number in their comments, so that these number documents \
                 rather than queries: write `qid:id` after each label, or the number of rows of each query, line by line, \
                 into {}.query",
                self.file.path.display(),
            );
            let error = Error::new(ErrorKind::QueryId, message);
            return Err(error.in_file(&self.file.path).at(self.first_line, 1));
        }
        self.check_groups(None, lines)
    }

    fn check_groups(&self, rows: Option<usize>, line: u64) -> Result<(), Error> {
        let Some(groups) = self.file.groups.as_ref().filter(|_| self.ids == QueryIdSource::Qid) else { return Ok(()) };
        groups.check_rows(self.queries, rows).map_err(|message| {
            let error = Error::new(ErrorKind::QueryId, message);
            error.in_file(&self.file.path).at(line, 1)
        })
    }
}

/// Joins the pieces' queries in the order of files and lines.
struct Joiner<'a> {
    options: &'a ReadOptions,
    /// The first occurrence of each id: file, line, and index among the queries.
    places: HashMap<Box<str>, (usize, u64, usize)>,
    queries: Vec<EncodedQuery>,
    /// Later blocks of queries to be merged, in order, each with the index of its query.
    merged: Vec<(usize, EncodedQuery)>,
    all_null: u64,
}

impl<'a> Joiner<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        Self { options, places: HashMap::new(), queries: Vec::new(), merged: Vec::new(), all_null: 0 }
    }

    fn join(&mut self, files: &[DataFile], index: usize, work: FileWork<'_>) -> Result<(), Error> {
        let path = &files[index].path;
        if let Reader::Failed(error) = work.reader.into_inner().unwrap_or_else(|e| e.into_inner()) {
            return Err(error);
        }
        let mut pieces = work.parsed.into_inner().unwrap_or_else(|e| e.into_inner());
        pieces.sort_unstable_by_key(|(number, _)| *number);
        let (mut lines, mut groups) = (0, GroupCheck::new(&files[index]));
        for (_, parsed) in pieces {
            self.all_null += parsed.all_null;
            // Before an error, the last query may lack rows.
            let whole = parsed.queries.len() - usize::from(parsed.error.is_some() && !parsed.queries.is_empty());
            for (number, (query, line)) in parsed.queries.into_iter().enumerate() {
                if number < whole {
                    groups.push(&query, lines + line, parsed.ids)?;
                }
                self.push(files, index, lines + line, query, parsed.ids)?;
            }
            if let Some((position, kind, message)) = parsed.error {
                return Err(Error::new(kind, message).in_file(path).at(lines + position.line, position.column));
            }
            lines += parsed.lines;
        }
        groups.finish(lines)
    }

    fn push(
        &mut self,
        files: &[DataFile],
        file: usize,
        line: u64,
        query: EncodedQuery,
        ids: QueryIdSource,
    ) -> Result<(), Error> {
        if self.options.same_qid == SameQid::Separate {
            self.queries.push(query);
            return Ok(());
        }
        match self.places.entry(query.id.clone()) {
            Entry::Vacant(vacant) => {
                vacant.insert((file, line, self.queries.len()));
                self.queries.push(query);
            }
            Entry::Occupied(occupied) => {
                let &(first_file, first_line, place) = occupied.get();
                if self.options.same_qid == SameQid::Error {
                    let message = format!(
                        "query {} recurs; it occurs first at {}:{first_line}: give each file once, or choose \
                         --same-qid separate or merge{}",
                        query.id,
                        files[first_file].path.display(),
                        if ids == QueryIdSource::Comment {
                            "; if the comments name documents, give all rows a `qid:`"
                        } else {
                            ""
                        },
                    );
                    let error = Error::new(ErrorKind::SameQuery, message);
                    return Err(error.in_file(&files[file].path).at(line, 1));
                }
                if self.options.null == Null::Min {
                    let message = format!(
                        "query {} continues here; it begins at {}:{first_line}, and --null min needs all documents of a \
                         query together: sort the rows by query, or choose --null zero",
                        query.id,
                        files[first_file].path.display(),
                    );
                    let error = Error::new(ErrorKind::SameQuery, message);
                    return Err(error.in_file(&files[file].path).at(line, 1));
                }
                self.merged.push((place, query));
            }
        }
        Ok(())
    }

    fn finish(mut self, name: &str, provenance: Provenance) -> Result<Dataset, Error> {
        self.merged.sort_by_key(|(place, _)| *place);
        for blocks in self.merged.chunk_by(|(one, _), (other, _)| one == other) {
            let place = blocks[0].0;
            let rest = blocks.iter().map(|(_, query)| query);
            let parts: Vec<&EncodedQuery> = std::iter::once(&self.queries[place]).chain(rest).collect();
            self.queries[place] =
                EncodedQuery::concat(&parts).map_err(|error| Error::new(ErrorKind::Limit, error.to_string()))?;
        }
        let mut builder = DatasetBuilder::new(name, provenance);
        builder.features(self.options.features).all_null(self.all_null);
        for query in self.queries {
            builder.push(query);
        }
        Ok(builder.build())
    }
}
