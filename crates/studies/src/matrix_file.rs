//! Preference matrices in files: text, `.npy` or `.npz`.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context, Result, bail};
use bandits::{ComparisonCounts, MatrixInFile, PreferenceMatrix, WinTable};
use letor_io::{Names, OtherFormat, registry};
use output::input;
use output::numbers::with_separators;
use ranktypes::npy::MAGIC;
use simulation::proxy::{MatrixOrigin, matrix_origin};

use output::messages::note;

use crate::npz::Npz;

/// The first bytes of a `.npz`.
const ZIP: &[u8] = b"PK\x03\x04";
/// The first bytes that some editors write into text files.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The name of the matrix in an archive of several arrays.
const ARRAY: &str = "preferences.npy";
/// A larger file or array (about 16,000 arms) is refused as a mistake or a decompression bomb.
const MOST_BYTES: u64 = 1 << 31;

/// A matrix as read, with the description beside it.
pub struct MatrixFile {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// Its origin, as far as known, for matrices made by `rankduel proxy`.
    pub origin: MatrixOrigin,
    /// The names in its header.
    pub names: Option<Names>,
    /// The win counts that it was read from, if the file holds some.
    pub wins: Option<WinTable>,
}

/// Reads a matrix, detecting text, `.npy` or `.npz` by the content. A path that does not exist may be the name of a
/// registered matrix. Unless `quiet`, prints what the description beside it leaves unknown.
///
/// # Errors
/// One line if there is no such file, or it holds no preference matrix.
pub fn read(path: &Path, quiet: bool) -> Result<MatrixFile> {
    let registered = path.to_str().filter(|_| !path.exists());
    let registered = registered.and_then(|name| registry::matrix_file(name, &registry::data_root())).transpose()?;
    let path = registered.as_deref().unwrap_or(path);
    let failed = || {
        let hint = nearest(path).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        format!("failed to read the matrix {}{hint}", path.display())
    };
    let wrong = || format!("{} is not a preference matrix", path.display());
    let file = input::open_or_pipe(path).with_context(failed)?;
    // A file of another size than a matrix may have is not even begun; arrays are read in pieces.
    let length = file.metadata().map_or(0, |data| data.len());
    let (matrix_in_file, names) = match binary_format(&file).with_context(failed)? {
        Some(BinaryFormat::Npy) if length <= MOST_BYTES => PreferenceMatrix::read_npy(BufReader::new(&file), length)
            .map(|matrix_in_file| (matrix_in_file, None))
            .with_context(wrong)?,
        Some(BinaryFormat::Npz) if length <= MOST_BYTES => (unpack(BufReader::new(&file)).with_context(wrong)?, None),
        _ => parse_with_names(&input::bytes_of(&file, MOST_BYTES).with_context(failed)?).with_context(wrong)?,
    };
    let file_name = name(path);
    note_content(&file_name, &matrix_in_file, &format!("`rankduel board {file_name}`"), quiet);
    let MatrixInFile { matrix, wins, .. } = matrix_in_file;
    let origin = matrix_origin(path, &matrix);
    if let Some(remark) = origin.remark(path) {
        note(quiet, &remark);
    }
    Ok(MatrixFile { matrix, origin, names, wins })
}

/// Formats that are read in pieces.
enum BinaryFormat {
    Npy,
    Npz,
}

/// How a file begins, if it can be read in pieces: a pipe cannot.
fn binary_format(mut file: &File) -> io::Result<Option<BinaryFormat>> {
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut begin = Vec::new();
    file.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(match begin {
        npy if npy == MAGIC => Some(BinaryFormat::Npy),
        zip if zip.starts_with(ZIP) => Some(BinaryFormat::Npz),
        _ => None,
    })
}

/// The name of the file, for titles and notes.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The registered matrix with the name most similar to that of a missing file.
fn nearest(path: &Path) -> Option<&'static str> {
    let name = path.to_str().filter(|_| !path.exists())?;
    let matrices = registry::all().iter().filter(|entry| entry.matrix.is_some());
    ranktypes::spec::nearest(name, matrices.map(|entry| entry.name.as_str()))
}

/// The matrix in the bytes of a file.
/// # Errors
/// If they hold none.
pub fn parse(bytes: &[u8]) -> Result<PreferenceMatrix> {
    Ok(parse_with_names(bytes)?.0.matrix)
}

/// A count with thousands separators.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0")]
fn whole_number(count: f64) -> String {
    with_separators(count as u64)
}

/// A warning that pairs were never compared, printed before any winner; `None` if all were.
#[must_use]
pub fn uncompared_warning(wins: &ComparisonCounts) -> Option<String> {
    let pair_count = with_separators(wins.pairs as u64);
    match wins.unplayed {
        0 => None,
        1 => Some(format!("1 of {pair_count} pairs was never compared and counts as 1/2")),
        never => Some(format!(
            "{} of {pair_count} pairs were never compared and count as 1/2",
            with_separators(never as u64)
        )),
    }
}

/// With fewer comparisons of a pair its share of wins has a standard error of .09 and more.
const RARE_COMPARISONS: f64 = 30.0;

/// A note on a matrix of win counts; `board` is the command that suits few comparisons.
#[must_use]
pub fn counts_note(file: &str, wins: &ComparisonCounts, board: &str) -> String {
    let ComparisonCounts { comparisons, fewest, most, .. } = *wins;
    let per_pair =
        if fewest == most { whole_number(most) } else { format!("{} to {}", whole_number(fewest), whole_number(most)) };
    let never_note = uncompared_warning(wins).map_or_else(String::new, |never_note| format!("; {never_note}"));
    let percent = if fewest == most && most == 100.0 && wins.unplayed == 0 {
        "; if these are percentages, write 50 on the diagonal"
    } else {
        ""
    };
    let sparse = if fewest < RARE_COMPARISONS || wins.unplayed > 0 {
        format!("; shares of few comparisons are mostly noise: {board} fits all pairs together and says what is known")
    } else {
        String::new()
    };
    format!(
        "{file} holds win counts of {} comparisons, {per_pair} per pair compared: P(row beats column) is its share of the \
         pair's wins{never_note}{percent}{sparse}",
        whole_number(comparisons)
    )
}

/// Notes what a matrix called `name` was read from, if not from probabilities; `board` as in [`counts_note`].
pub fn note_content(name: &str, matrix_in_file: &MatrixInFile, board: &str, quiet: bool) {
    if let Some(wins) = &matrix_in_file.wins {
        note(quiet, &counts_note(name, &wins.counts(), board));
    }
    if matrix_in_file.percent {
        note(quiet, &format!("{name} holds percentages: pairs sum to 100"));
    }
}

/// The matrix in the bytes of a file, the names in its header, and its win counts.
fn parse_with_names(bytes: &[u8]) -> Result<(MatrixInFile, Option<Names>)> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if bytes.starts_with(ZIP) {
        return Ok((unpack(Cursor::new(bytes))?, None));
    }
    if let Some(format) = OtherFormat::of(bytes) {
        bail!("it is {format}; expected rows of numbers or a .npy file");
    }
    let parsed = PreferenceMatrix::read(bytes)?;
    let names = parsed.names.clone().map(|names| Names::new(names).context("the header")).transpose()?;
    Ok((parsed, names))
}

/// The only array of a `.npz`, or the one named `preferences`.
fn unpack(file: impl Read + Seek) -> Result<MatrixInFile> {
    let mut archive = Npz::open(file)?;
    let name = match archive.names() {
        [one] => one.clone(),
        several => match several.iter().find(|name| *name == ARRAY) {
            Some(name) => name.clone(),
            None => bail!("the .npz has {}; save one array, or name it preferences", name_list(several)),
        },
    };
    archive.array(&name, MOST_BYTES, |array, length| {
        PreferenceMatrix::read_npy(array, length).with_context(|| format!("{name} in the .npz"))
    })
}

fn name_list(names: &[String]) -> String {
    let max_names = 8;
    let first_names: Vec<&str> = names.iter().take(max_names).map(String::as_str).collect();
    match names.len() {
        0 => "no array".to_owned(),
        count if count > max_names => format!("{} and {} more", first_names.join(", "), count - max_names),
        _ => first_names.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use output::mutations::Mutations;
    use zip::CompressionMethod;

    use super::*;
    use crate::npz::tests::{archive, renamed};

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let matrix = parse("\u{feff}0.5 0.7\n0.3 0.5".as_bytes()).unwrap();
        assert_eq!(matrix, PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").unwrap());
    }

    #[test]
    fn archives_with_one_array_or_a_named_one() {
        let matrix = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").unwrap();
        let (npy, other) = (matrix.to_npy(), b"\x93NUMPY".as_slice());
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            assert_eq!(parse(&archive(&[("arr_0.npy", &npy)], method)).unwrap(), matrix);
            let several = archive(&[("wins.npy", other), (ARRAY, &npy), ("ties.npy", other)], method);
            assert_eq!(parse(&several).unwrap(), matrix);
            let unnamed = archive(&[("a.npy", &npy), ("b.npy", &npy)], method);
            let error = format!("{:#}", parse(&unnamed).unwrap_err());
            assert!(error.contains("a.npy, b.npy") && error.contains("name it preferences"), "{error}");
            for end in 4..several.len() {
                assert!(parse(&several[..end]).is_err(), "cut at {end}");
            }
        }
    }

    #[test]
    fn a_matrix_that_stands_twice_in_an_archive_is_refused() {
        let [one, other] =
            ["0.5 0.7\n0.3 0.5", "0.5 0.2\n0.8 0.5"].map(|text| PreferenceMatrix::parse(text).unwrap().to_npy());
        let twice = archive(&[(ARRAY, &one), ("preferencez.npy", &other)], CompressionMethod::Deflated);
        assert!(parse(&twice).is_ok());
        for (name, expected) in [(ARRAY, "twice"), ("Preferences.npy", "differ only in case")] {
            let error =
                format!("{:#}", parse(&renamed(twice.clone(), b"preferencez.npy", name.as_bytes())).unwrap_err());
            assert!(error.contains(expected) && !error.contains('\n'), "{error}");
        }
    }

    /// Of a mutated archive, either the same matrix is read or none: entries have checksums.
    #[test]
    fn no_mutation_of_an_archive_gives_another_matrix() {
        let matrix = PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").unwrap();
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let whole = archive(&[("ties.npy", b"\x93NUMPY"), (ARRAY, &matrix.to_npy())], method);
            let mut mutations = Mutations::new(6);
            let mut refused = 0;
            for _ in 0..5_000 {
                match parse(&mutations.mutate(&whole)) {
                    Ok(read) => assert_eq!(read, matrix),
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > 3_000, "{refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_matrix() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("P.npy");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let error = read(&link, true).map(drop).map_or_else(|error| format!("{error:#}"), |()| String::new());
        assert!(error.contains("P.npy") && error.contains("it is a device or socket"), "{error}");
    }
}
