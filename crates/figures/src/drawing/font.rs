//! The fonts of all figures: widths of texts, and the glyphs that a PDF embeds.

use std::sync::LazyLock;

use anyhow::{Context as _, Result};
use subsetter::{GlyphRemapper, subset};
use ttf_parser::{Face, GlyphId};

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

    /// A TrueType file with the outlines of `glyphs` only, under their new numbers.
    ///
    /// # Errors
    /// If the font cannot be cut.
    pub(crate) fn with_glyphs(&self, glyphs: &GlyphRemapper) -> Result<Vec<u8>> {
        subset(self.face.raw_face().data, 0, glyphs).with_context(|| format!("the font {} cannot be cut", self.name))
    }
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
        let mut glyphs = GlyphRemapper::new();
        let numbers: Vec<u16> = text.chars().map(|letter| glyphs.remap(font.glyph(letter))).collect();
        let part = font.with_glyphs(&glyphs).unwrap();
        assert!(part.len() < 12_000, "{}", part.len());
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
        for (letter, number) in text.chars().zip(numbers) {
            let glyph = font.glyph(letter);
            assert_ne!(glyph, 0, "{letter}");
            assert_eq!(drawn(&face, number), drawn(&font.face, glyph), "{letter}");
            assert_eq!(face.glyph_hor_advance(GlyphId(number)), font.face.glyph_hor_advance(GlyphId(glyph)));
        }
        assert!(face.number_of_glyphs() < 20, "letters that are not shown are left out");
    }
}
