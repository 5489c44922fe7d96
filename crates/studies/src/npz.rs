//! NumPy's `.npz`: a zip of `.npy` files, read array by array and never whole.
//!
//! A reader of such a file must see what NumPy sees. So names that stand twice, or differ only in case, are refused, and
//! arrays that share bytes; and no array unpacks to more than it declares.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result, bail, ensure};
use zip::ZipArchive;

/// The ending of arrays.
const ENDING: &str = ".npy";
/// The beginning of an entry of the directory at the end of a zip, and the length of its fixed part.
const ENTRY: (&[u8], usize) = (b"PK\x01\x02", 46);
/// No archive of ours has more arrays.
const MOST_ARRAYS: usize = 1 << 16;

/// An open archive.
pub struct Npz<R> {
    archive: ZipArchive<R>,
    names: Vec<String>,
}

impl<R: Read + Seek> Npz<R> {
    /// Opens the archive in `file`.
    ///
    /// # Errors
    /// If it is none, or names entries twice.
    pub fn open(mut file: R) -> Result<Self> {
        let mut archive = ZipArchive::new(&mut file).context("the .npz is damaged")?;
        let start = archive.central_directory_start();
        ensure!(!archive.has_overlapping_entries().context("the .npz is damaged")?, "arrays in the .npz share bytes");
        drop(archive);
        let names = names_in_directory(&mut file, start).context("the .npz is damaged")?;
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for name in &names {
            if let Some(earlier_name) = seen.insert(name.to_lowercase(), name) {
                bail!(if earlier_name == name {
                    format!("the .npz has {name} twice")
                } else {
                    format!("the .npz has {earlier_name} and {name}, which differ only in case")
                });
            }
        }
        let archive = ZipArchive::new(file).context("the .npz is damaged")?;
        Ok(Self { archive, names })
    }

    /// The names of the arrays, with their ending, in the order of the archive.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Passes the array called `name` to `use_array`, with the number of bytes that it declares, at most `max_bytes`.
    ///
    /// # Errors
    /// Those of `use_array`, and if the array is larger, damaged, or not what it declares.
    pub fn array<T>(
        &mut self,
        name: &str,
        max_bytes: u64,
        use_array: impl FnOnce(&mut dyn Read, u64) -> Result<T>,
    ) -> Result<T> {
        let mut file = self.archive.by_name(name).with_context(|| format!("{name} in the .npz is damaged"))?;
        let declared = file.size();
        ensure!(
            declared <= max_bytes,
            "{name} in the .npz unpacks to {declared} bytes, and {max_bytes} is the most that is read"
        );
        // One byte more shows what does not end; behind the last, the archive compares its checksum.
        let mut bytes = file.by_ref().take(declared + 1);
        let used = use_array(&mut bytes, declared)?;
        let remaining_bytes = std::io::copy(&mut bytes, &mut std::io::sink());
        remaining_bytes.with_context(|| format!("{name} in the .npz is damaged"))?;
        ensure!(bytes.limit() > 0, "{name} in the .npz unpacks to more than the {declared} bytes that it declares");
        ensure!(bytes.limit() == 1, "{name} in the .npz unpacks to fewer than the {declared} bytes that it declares");
        Ok(used)
    }
}

/// The names in the directory that begins at `start`: the library keeps one of each alone.
fn names_in_directory(file: &mut (impl Read + Seek), start: u64) -> Result<Vec<String>> {
    file.seek(SeekFrom::Start(start))?;
    let mut directory = std::io::BufReader::new(&mut *file);
    let mut names = Vec::new();
    loop {
        let mut entry = [0; ENTRY.1];
        directory.read_exact(&mut entry[..4])?;
        if entry[..4] != *ENTRY.0 {
            break;
        }
        directory.read_exact(&mut entry[4..])?;
        let [name_length, extra_length, comment_length] =
            [28, 30, 32].map(|at| u64::from(u16::from_le_bytes([entry[at], entry[at + 1]])));
        let mut bytes = Vec::new();
        directory.by_ref().take(name_length).read_to_end(&mut bytes)?;
        std::io::copy(&mut directory.by_ref().take(extra_length + comment_length), &mut std::io::sink())?;
        names.push(String::from_utf8(bytes).context("a name is not text")?);
        ensure!(names.len() <= MOST_ARRAYS, "it has more than {MOST_ARRAYS} arrays");
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(names)
}

/// The name of an array without its ending.
pub fn without_ending(name: &str) -> Option<&str> {
    name.strip_suffix(ENDING)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Cursor, Write};

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    /// An archive of these arrays.
    pub(crate) fn archive(arrays: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in arrays {
            archive.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    /// `bytes` with every `from` replaced by `to`, which is as long.
    pub(crate) fn renamed(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        for at in 0..bytes.len() - from.len() {
            if bytes[at..].starts_with(from) {
                bytes[at..at + from.len()].copy_from_slice(to);
            }
        }
        bytes
    }

    fn error(bytes: Vec<u8>) -> String {
        Npz::open(Cursor::new(bytes)).map(drop).map_or_else(|error| format!("{error:#}"), |()| String::new())
    }

    #[test]
    fn names_stand_once_in_any_case() {
        let whole = archive(&[("a.npy", b"1"), ("b.npy", b"2")], CompressionMethod::Deflated);
        let npz = Npz::open(Cursor::new(whole.clone())).unwrap();
        assert_eq!(npz.names(), ["a.npy", "b.npy"]);
        assert_eq!(error(renamed(whole.clone(), b"b.npy", b"a.npy")), "the .npz has a.npy twice");
        assert_eq!(
            error(renamed(whole, b"b.npy", b"A.npy")),
            "the .npz has a.npy and A.npy, which differ only in case"
        );
    }

    #[test]
    fn an_array_unpacks_to_what_it_declares() {
        let body = vec![b'0'; 100_000];
        for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
            let whole = archive(&[("a.npy", &body)], method);
            let read = |bytes: Vec<u8>, most: u64| -> Result<usize> {
                Npz::open(Cursor::new(bytes))?.array("a.npy", most, |from, declared| {
                    let mut bytes = Vec::new();
                    from.take(declared).read_to_end(&mut bytes)?;
                    Ok(bytes.len())
                })
            };
            assert_eq!(read(whole.clone(), 1 << 20).unwrap(), body.len());
            assert!(read(whole.clone(), 1000).unwrap_err().to_string().contains("1000 is the most"));
            let length = u32::try_from(body.len()).unwrap();
            for declared in [length - 1, length + 1, 10, u32::MAX - 1] {
                let forged = renamed(whole.clone(), &length.to_le_bytes(), &declared.to_le_bytes());
                assert!(read(forged, u64::MAX).is_err(), "{declared}");
            }
        }
    }
}
