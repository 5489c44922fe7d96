//! Marks in drawings for print, of `rankduel draw` and of experiments, by which they are recognised.

use std::path::Path;

use output::input;

use super::print_options::Format;

/// At the end of an SVG.
const SVG: &[u8] = b"<!-- drawn by rankduel draw -->\n";

/// In a PDF, as the file says what produced it.
const PDF: &[u8] = b"/Producer (rankduel)";

/// A chunk of a PNG with a text, `Software: rankduel draw`: its length, kind, text and checksum.
const PNG: &[u8] = b"\0\0\0\x16tEXtSoftware\0rankduel draw\x27\x89\xe6\xdc";

/// The last chunk of any PNG.
const END_OF_PNG: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

/// The content of a file with the mark.
pub(super) fn marked(format: Format, mut bytes: Vec<u8>) -> Vec<u8> {
    match format {
        Format::Pdf => {}
        Format::Svg => bytes.extend(SVG),
        Format::Png => {
            if bytes.ends_with(END_OF_PNG) {
                bytes.truncate(bytes.len() - END_OF_PNG.len());
                bytes.extend([PNG, END_OF_PNG].concat());
            }
        }
    }
    bytes
}

/// Whether the file at `path` has the mark.
pub(super) fn is_ours(path: &Path, format: Format) -> bool {
    let Ok(bytes) = input::read_file(path, input::MOST_OF_RESULTS) else { return false };
    match format {
        Format::Pdf => bytes.starts_with(b"%PDF-") && bytes.windows(PDF.len()).any(|part| part == PDF),
        Format::Svg => bytes.ends_with(SVG),
        Format::Png => bytes.ends_with(&[PNG, END_OF_PNG].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_files_are_known_and_others_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let png = [b"\x89PNG\r\n\x1a\n".as_slice(), END_OF_PNG].concat();
        for (format, bytes) in
            [(Format::Svg, b"<svg/>\n".to_vec()), (Format::Png, png), (Format::Pdf, b"%PDF-1.7\n<< >>".to_vec())]
        {
            let path = folder.path().join(format.ending());
            std::fs::write(&path, &bytes).unwrap();
            assert!(!is_ours(&path, format), "{format:?}");
            let ours = marked(format, if format == Format::Pdf { [&bytes, PDF].concat() } else { bytes });
            std::fs::write(&path, ours).unwrap();
            assert!(is_ours(&path, format), "{format:?}");
        }
    }
}
