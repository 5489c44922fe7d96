//! Preference matrices in files: text, `.npy` or `.npz`.

use std::io::{Cursor, Read};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use bandits::{MatrixInFile, PreferenceMatrix, WinCounts, WinTable};
use letor_io::{Names, registry};
use output::input;
use output::numbers::with_separators;
use simulation::proxy::{MatrixAccount, matrix_account};
use zip::ZipArchive;
use zip::result::ZipError;

use super::print::note;

/// The first bytes of a `.npz`.
const ZIP: &[u8] = b"PK\x03\x04";
/// The first bytes that some editors write into text files.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The name of the matrix in an archive of several arrays.
const ARRAY: &str = "preferences.npy";
/// A larger file or array (about 16,000 arms) is refused as a mistake or a decompression bomb.
const MOST_BYTES: u64 = 1 << 31;

/// A matrix as read, and what the description beside it says.
pub struct MatrixFile {
    /// The matrix.
    pub matrix: PreferenceMatrix,
    /// What it was estimated from, of matrices made by `sim proxy`.
    pub account: Option<MatrixAccount>,
    /// The names in its header.
    pub names: Option<Names>,
    /// The win counts that it was read from, if the file holds some.
    pub wins: Option<WinTable>,
}

/// Reads a matrix, detecting text, `.npy` or `.npz` by the content. A path that does not exist may be the name of a
/// registered matrix. Unless `quiet`, says if the description beside it is that of another matrix.
///
/// # Errors
/// One line if there is no such file, or it holds no preference matrix.
pub fn read(path: &Path, quiet: bool) -> Result<MatrixFile> {
    let registered = path.to_str().filter(|_| !path.exists());
    let registered = registered.and_then(|name| registry::matrix_file(name, &registry::data_root())).transpose()?;
    let path = registered.as_deref().unwrap_or(path);
    let bytes = input::read(path, MOST_BYTES).with_context(|| {
        let hint = nearest(path).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        format!("failed to read the matrix {}{hint}", path.display())
    })?;
    let wrong = || format!("{} is not a preference matrix", path.display());
    let (read, names) = parse_with_names(&bytes).with_context(wrong)?;
    tell_what_was_read(&name(path), &read, quiet);
    let MatrixInFile { matrix, wins, .. } = read;
    let account = matrix_account(path, &matrix).unwrap_or_else(|other| {
        note(quiet, &other.to_string());
        None
    });
    Ok(MatrixFile { matrix, account, names, wins })
}

/// The name of the file, for titles and notes.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The registered matrix whose name is most similar to that of a missing file.
fn nearest(path: &Path) -> Option<&'static str> {
    let name = path.to_str().filter(|_| !path.exists())?;
    let matrices = registry::all().iter().filter(|entry| entry.matrix.is_some());
    registry::nearest(name, matrices.map(|entry| entry.name.as_str()))
}

/// The matrix in the bytes of a file.
pub(crate) fn parse(bytes: &[u8]) -> Result<PreferenceMatrix> {
    Ok(parse_with_names(bytes)?.0.matrix)
}

/// A count with thousands separators.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number from 0")]
fn whole(count: f64) -> String {
    with_separators(count as u64)
}

/// That pairs were never compared, in words that precede any winner; `None` if all were.
#[must_use]
pub fn never_compared(wins: &WinCounts) -> Option<String> {
    let of = with_separators(wins.pairs as u64);
    match wins.unplayed {
        0 => None,
        1 => Some(format!("1 of {of} pairs was never compared and counts as 1/2")),
        never => Some(format!("{} of {of} pairs were never compared and count as 1/2", with_separators(never as u64))),
    }
}

/// What is said of a matrix of win counts.
fn counts_note(file: &str, wins: &WinCounts) -> String {
    let WinCounts { comparisons, fewest, most, .. } = *wins;
    let each = if fewest == most { whole(most) } else { format!("{} to {}", whole(fewest), whole(most)) };
    let never = never_compared(wins).map_or_else(String::new, |never| format!("; {never}"));
    let percent = if fewest == most && most == 100.0 && wins.unplayed == 0 {
        "; if these are percentages, write 50 on the diagonal"
    } else {
        ""
    };
    format!(
        "{file} holds win counts of {} comparisons, {each} per pair compared: P(row beats column) is its share of the \
         pair's wins{never}{percent}",
        whole(comparisons)
    )
}

/// Notes what a matrix called `name` was read from, if not from probabilities.
pub fn tell_what_was_read(name: &str, read: &MatrixInFile, quiet: bool) {
    if let Some(wins) = &read.wins {
        note(quiet, &counts_note(name, &wins.counts()));
    }
    if read.percent {
        note(quiet, &format!("{name} holds percentages: pairs sum to 100"));
    }
}

/// The matrix in the bytes of a file, the names in its header, and its win counts.
fn parse_with_names(bytes: &[u8]) -> Result<(MatrixInFile, Option<Names>)> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let unpacked = if bytes.starts_with(ZIP) { unpack(bytes)? } else { Vec::new() };
    let read = PreferenceMatrix::read(if unpacked.is_empty() { bytes } else { &unpacked })?;
    let names = read.names.clone().map(|names| Names::new(names).context("the header")).transpose()?;
    Ok((read, names))
}

/// The only array of a `.npz`, or the one named `preferences`.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).context("the .npz is damaged")?;
    let names = archive.file_names().map(|name| Ok(name?.into_owned())).collect::<Result<Vec<String>, ZipError>>();
    let names = names.context("the .npz is damaged")?;
    let name = match names.as_slice() {
        [one] => one,
        several => match several.iter().find(|name| *name == ARRAY) {
            Some(name) => name,
            None => bail!("the .npz has {}; save one array, or name it preferences", listed(several)),
        },
    };
    let mut array = Vec::new();
    let file = archive.by_name(name).with_context(|| format!("{name} in the .npz is damaged"))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut array).with_context(|| format!("{name} in the .npz is damaged"))?;
    ensure!(array.len() as u64 <= MOST_BYTES, "{name} in the .npz unpacks to more than {MOST_BYTES} bytes");
    Ok(array)
}

fn listed(names: &[String]) -> String {
    let most = 8;
    let shown: Vec<&str> = names.iter().take(most).map(String::as_str).collect();
    match names.len() {
        0 => "no array".to_owned(),
        count if count > most => format!("{} and {} more", shown.join(", "), count - most),
        _ => shown.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    fn archive(arrays: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in arrays {
            archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

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
}
