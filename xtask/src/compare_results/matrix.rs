//! Matrices: `.npy` by header and bits, `.npz` by member, text by its numbers.

use std::io::{Cursor, Read as _};

use anyhow::{Context, Result, ensure};
use ranktypes::npy::Header;
use zip::ZipArchive;

use super::report::Report;

pub(super) fn compare_npy([old, new]: [&[u8]; 2], report: &mut Report) -> Result<()> {
    let [(old_header, old), (new_header, new)] = [split(old).context("OLD")?, split(new).context("NEW")?];
    if old_header != new_header {
        report.difference("header", &old_header, &new_header);
        return Ok(());
    }
    // Every type that is written here has elements of eight bytes.
    let show = |element: &[u8]| match element.try_into() {
        Ok(bytes) if old_header.contains("<f8") => f64::from_le_bytes(bytes).to_string(),
        Ok(bytes) => u64::from_le_bytes(bytes).to_string(),
        Err(_) => format!("{} bytes", element.len()),
    };
    report.count(new.len() / 8, "entries");
    ensure!(old.len() == new.len(), "{} bytes against {} under the same header", old.len(), new.len());
    for (index, (old, new)) in old.chunks(8).zip(new.chunks(8)).enumerate() {
        if old != new {
            report.difference(&format!("entry {index}"), &show(old), &show(new));
        }
    }
    Ok(())
}

/// The header and the data.
fn split(bytes: &[u8]) -> Result<(String, &[u8])> {
    let (header, begin) = Header::read(&mut &bytes[..])?;
    let order = if header.fortran_order()? { "columns" } else { "rows" };
    let said = format!("{} {:?} by {order}", header.kind(), header.shape()?);
    Ok((said, bytes.get(usize::try_from(begin)?..).context("ends within its header")?))
}

pub(super) fn compare_npz(archives: [&[u8]; 2], report: &mut Report) -> Result<()> {
    let [old, new] = archives.map(members);
    let (old, new) = (old.context("OLD")?, new.context("NEW")?);
    let names =
        |members: &[(String, Vec<u8>)]| members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    if names(&old) != names(&new) {
        report.difference("members", &names(&old), &names(&new));
        return Ok(());
    }
    for ((_, old), (_, new)) in old.iter().zip(&new) {
        compare_npy([old, new], report)?;
    }
    Ok(())
}

fn members(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut members = (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index)?;
            let mut content = Vec::new();
            file.read_to_end(&mut content)?;
            Ok((file.name()?.into_owned(), content))
        })
        .collect::<Result<Vec<_>>>()?;
    members.sort();
    Ok(members)
}

/// Text: the words of each line, comments (from `#`) apart.
pub(super) fn compare_text([old, new]: [&[u8]; 2], report: &mut Report) -> Result<()> {
    let words = |bytes| -> Result<Vec<Vec<String>>> {
        let lines = std::str::from_utf8(bytes)?.lines().map(|line| line.split('#').next().unwrap_or(line));
        Ok(lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
    };
    let (old, new) = (words(old)?, words(new)?);
    if old.len() != new.len() {
        report.difference("lines", &old.len().to_string(), &new.len().to_string());
    }
    for (number, (old, new)) in old.iter().zip(&new).enumerate() {
        report.count(new.len(), "entries");
        if old.len() != new.len() {
            report.difference(
                &format!("line {}", number + 1),
                &format!("{} entries", old.len()),
                &format!("{} entries", new.len()),
            );
        }
        for (column, (old, new)) in old.iter().zip(new).enumerate() {
            if old != new {
                report.difference(&format!("line {}, entry {}", number + 1, column + 1), old, new);
            }
        }
    }
    Ok(())
}
