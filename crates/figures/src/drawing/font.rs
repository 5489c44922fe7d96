//! The fonts of all figures: widths of texts, and the glyphs that a PDF embeds.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use ttf_parser::{Face, GlyphId, Tag};

const REGULAR: &[u8] = include_bytes!("../../assets/DejaVuSans.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/DejaVuSans-Bold.ttf");

/// The regular and the bold font.
pub(crate) struct Fonts {
    pub(crate) regular: Font,
    pub(crate) bold: Font,
}

/// The built-in fonts.
pub(crate) fn fonts() -> &'static Fonts {
    static FONTS: LazyLock<Fonts> =
        LazyLock::new(|| Fonts { regular: Font::new("DejaVuSans", REGULAR), bold: Font::new("DejaVuSans-Bold", BOLD) });
    &FONTS
}

impl Fonts {
    pub(crate) fn of(&self, bold: bool) -> &Font {
        if bold { &self.bold } else { &self.regular }
    }

    /// The width of `text` in regular letters of `size`.
    pub(crate) fn width(&self, text: &str, size: f64) -> f64 {
        self.regular.width(text, size)
    }
}

/// A TrueType font.
pub(crate) struct Font {
    /// Its name in a PDF.
    pub(crate) name: &'static str,
    face: Face<'static>,
}

impl Font {
    fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, face: Face::parse(bytes, 0).expect("a built-in font can be read") }
    }

    /// The glyph of `letter`; that of missing letters, a box, if it has none.
    pub(crate) fn glyph(&self, letter: char) -> u16 {
        self.face.glyph_index(letter).map_or(0, |glyph| glyph.0)
    }

    /// The width of a glyph in thousandths of the size of letters.
    pub(crate) fn advance(&self, glyph: u16) -> f64 {
        self.thousandths(f64::from(self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0)))
    }

    pub(crate) fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum::<f64>() * size / 1000.0
    }

    fn thousandths(&self, units: f64) -> f64 {
        units * 1000.0 / f64::from(self.face.units_per_em())
    }

    /// Ascent, descent, height of capitals and bounding box in thousandths of the size of letters.
    pub(crate) fn metrics(&self) -> ([f64; 3], [f64; 4]) {
        let face = &self.face;
        let of = |units: i16| self.thousandths(f64::from(units)).round();
        let box_ = face.global_bounding_box();
        let capitals = face.capital_height().unwrap_or_else(|| face.ascender());
        (
            [of(face.ascender()), of(face.descender()), of(capitals)],
            [box_.x_min, box_.y_min, box_.x_max, box_.y_max].map(of),
        )
    }

    /// A TrueType file with the outlines of `glyphs` only. Glyphs keep their numbers, so that those which others are made
    /// of are found.
    ///
    /// # Errors
    /// If the font lacks a table.
    pub(crate) fn with_glyphs(&self, glyphs: impl Iterator<Item = u16>) -> Result<Vec<u8>> {
        let table = |name: &[u8; 4]| {
            let found = self.face.raw_face().table(Tag::from_bytes(name));
            found.with_context(|| format!("{} has no table {}", self.name, String::from_utf8_lossy(name)))
        };
        let (head, glyf, loca) = (table(b"head")?, table(b"glyf")?, table(b"loca")?);
        let long = number(head, 50) == 1;
        let count = usize::from(self.face.number_of_glyphs());
        let start = |glyph: usize| match long {
            true => long_number(loca, 4 * glyph),
            false => 2 * usize::from(number(loca, 2 * glyph)),
        };
        let outline = |glyph: u16| glyf.get(start(usize::from(glyph))..start(usize::from(glyph) + 1)).unwrap_or(&[]);
        let mut wanted: BTreeMap<u16, &[u8]> = BTreeMap::new();
        let mut open: Vec<u16> = glyphs.chain([0]).collect();
        while let Some(glyph) = open.pop() {
            if wanted.insert(glyph, outline(glyph)).is_none() {
                open.extend(parts(outline(glyph)));
            }
        }
        let (mut outlines, mut starts) = (Vec::new(), Vec::new());
        for glyph in 0..count {
            starts.extend((outlines.len() as u32).to_be_bytes());
            outlines
                .extend(u16::try_from(glyph).ok().and_then(|glyph| wanted.get(&glyph)).copied().unwrap_or_default());
            outlines.resize(outlines.len().next_multiple_of(4), 0);
        }
        starts.extend((outlines.len() as u32).to_be_bytes());
        let mut head = head.to_vec();
        // Positions of outlines are long numbers now; the checksum of all is filled in below.
        head[50..52].copy_from_slice(&1u16.to_be_bytes());
        head[8..12].fill(0);
        let tables = [
            (b"glyf", outlines),
            (b"head", head),
            (b"hhea", table(b"hhea")?.to_vec()),
            (b"hmtx", table(b"hmtx")?.to_vec()),
            (b"loca", starts),
            (b"maxp", table(b"maxp")?.to_vec()),
        ];
        Ok(file(&tables))
    }
}

fn number(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |two| u16::from_be_bytes([two[0], two[1]]))
}

fn long_number(bytes: &[u8], at: usize) -> usize {
    usize::from(number(bytes, at)) << 16 | usize::from(number(bytes, at + 2))
}

/// The parts of a composite glyph.
fn parts(outline: &[u8]) -> Vec<u16> {
    const WORDS: u16 = 1;
    const MORE: u16 = 1 << 5;
    /// With one factor, two, or a matrix: as many further words.
    const SCALED: [(u16, usize); 3] = [(1 << 3, 1), (1 << 6, 2), (1 << 7, 4)];
    let mut parts = Vec::new();
    // A negative number of contours marks a composite.
    if outline.len() < 10 || number(outline, 0) < 0x8000 {
        return parts;
    }
    let mut at = 10;
    while at + 4 <= outline.len() {
        let flags = number(outline, at);
        parts.push(number(outline, at + 2));
        at += if flags & WORDS != 0 { 8 } else { 6 };
        at += SCALED.iter().find(|(flag, _)| flags & flag != 0).map_or(0, |(_, words)| 2 * words);
        if flags & MORE == 0 {
            break;
        }
    }
    parts
}

/// A TrueType file of these tables, which are in alphabetical order.
fn file(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = tables.len() as u16;
    let largest = 1u16 << count.ilog2();
    let mut bytes = 0x0001_0000_u32.to_be_bytes().to_vec();
    for value in [count, 16 * largest, largest.ilog2() as u16, 16 * (count - largest)] {
        bytes.extend(value.to_be_bytes());
    }
    let mut start = bytes.len() + 16 * tables.len();
    let mut head = 0;
    for (name, table) in tables {
        bytes.extend(*name);
        for value in [checksum(table), start as u32, table.len() as u32] {
            bytes.extend(value.to_be_bytes());
        }
        if *name == b"head" {
            head = start;
        }
        start += table.len().next_multiple_of(4);
    }
    for (_, table) in tables {
        bytes.extend(table);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let rest = 0xB1B0_AFBA_u32.wrapping_sub(checksum(&bytes));
    bytes[head + 8..head + 12].copy_from_slice(&rest.to_be_bytes());
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    bytes.chunks(4).fold(0u32, |sum, four| {
        let mut word = [0; 4];
        word[..four.len()].copy_from_slice(four);
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_font_has_the_outlines_of_its_letters() {
        let fonts = fonts();
        let font = &fonts.regular;
        // The last two are made of others.
        let text = "Regret ⁵é½";
        let part = font.with_glyphs(text.chars().map(|letter| font.glyph(letter))).unwrap();
        assert!(part.len() < REGULAR.len() / 4, "{}", part.len());
        assert_eq!(checksum(&part), 0xB1B0_AFBA);
        struct Count(usize);
        impl ttf_parser::OutlineBuilder for Count {
            fn move_to(&mut self, _: f32, _: f32) {
                self.0 += 1;
            }
            fn line_to(&mut self, _: f32, _: f32) {
                self.0 += 1;
            }
            fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {
                self.0 += 1;
            }
            fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
                self.0 += 1;
            }
            fn close(&mut self) {}
        }
        let drawn = |face: &Face<'_>, glyph: u16| {
            let mut count = Count(0);
            let _ = face.outline_glyph(GlyphId(glyph), &mut count);
            count.0
        };
        let face = Face::parse(&part, 0).unwrap();
        for letter in text.chars() {
            let glyph = font.glyph(letter);
            assert_ne!(glyph, 0, "{letter}");
            assert_eq!(drawn(&face, glyph), drawn(&font.face, glyph), "{letter}");
            assert_eq!(face.glyph_hor_advance(GlyphId(glyph)), font.face.glyph_hor_advance(GlyphId(glyph)));
        }
        assert_eq!(drawn(&face, font.glyph('Q')), 0, "letters that are not shown are left out");
        assert!(drawn(&font.face, font.glyph('Q')) > 0);
    }
}
