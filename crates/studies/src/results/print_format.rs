//! Formats of drawings for print, of `rankduel draw` and of experiments, and the marks by which these are recognised.

use std::path::Path;
use std::str::FromStr;

use figures::print::Sheet;
use output::input;
use ranktypes::text::escaped;
use serde::{Deserialize, Serialize};

/// At the end of an SVG.
const SVG: &[u8] = b"<!-- drawn by rankduel draw -->\n";

/// In a PDF, as the file says what produced it.
const PDF: &[u8] = b"/Producer (rankduel)";

/// A chunk of a PNG with a text, `Software: rankduel draw`: its length, kind, text and checksum.
const PNG: &[u8] = b"\0\0\0\x16tEXtSoftware\0rankduel draw\x27\x89\xe6\xdc";

/// The last chunk of any PNG.
const END_OF_PNG: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// With the glyphs of its letters.
    Pdf,
    /// In its size on paper.
    Svg,
    /// With the requested pixels per inch.
    Png,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pdf, Self::Svg, Self::Png];

    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }

    /// `sheet` as a file with the mark of this program; a PNG has `density` pixels per inch.
    ///
    /// # Errors
    /// As for [`Sheet::pdf`] and [`Sheet::png`].
    pub fn file(self, sheet: &Sheet, density: f64) -> anyhow::Result<Vec<u8>> {
        let bytes = match self {
            Self::Pdf => sheet.pdf()?,
            Self::Svg => sheet.svg().into_bytes(),
            Self::Png => sheet.png(density)?,
        };
        Ok(self.with_mark(bytes))
    }

    /// Whether the file at `path` was [made](Self::file) here.
    #[must_use]
    pub fn is_made_here(self, path: &Path) -> bool {
        let Ok(bytes) = input::read_file(path, input::MAX_RESULT_BYTES) else { return false };
        match self {
            Self::Pdf => bytes.starts_with(b"%PDF-") && bytes.windows(PDF.len()).any(|part| part == PDF),
            Self::Svg => bytes.ends_with(SVG),
            Self::Png => bytes.ends_with(&[PNG, END_OF_PNG].concat()),
        }
    }

    /// The content of a file with the mark.
    fn with_mark(self, mut bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Pdf => {}
            Self::Svg => bytes.extend(SVG),
            Self::Png => {
                if bytes.ends_with(END_OF_PNG) {
                    bytes.truncate(bytes.len() - END_OF_PNG.len());
                    bytes.extend([PNG, END_OF_PNG].concat());
                }
            }
        }
        bytes
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let format = Self::ALL.into_iter().find(|format| format.ending() == text.trim());
        format.ok_or_else(|| format!("expected pdf, svg or png, found `{}`", escaped(text)))
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
            assert!(!format.is_made_here(&path), "{format:?}");
            let ours = format.with_mark(if format == Format::Pdf { [&bytes, PDF].concat() } else { bytes });
            std::fs::write(&path, ours).unwrap();
            assert!(format.is_made_here(&path), "{format:?}");
        }
    }
}
