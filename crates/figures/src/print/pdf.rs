//! A sheet as PDF 1.5: lines, areas and texts of one page, with the glyphs that it shows.

use anyhow::Result;
use miniz_oxide::deflate::compress_to_vec_zlib;
use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;

use crate::drawing::canvas::{Align, Canvas, Mark, Rgb};
use crate::drawing::font::{Font, Fonts};

/// The best compression.
const COMPRESSION_LEVEL: u8 = 9;
/// The names of the regular and the bold font.
const FONT_NAMES: [Name<'_>; 2] = [Name(b"F0"), Name(b"F1")];

/// The glyphs of a font that a page shows, in the order of their first appearance: their numbers in the embedded font are 1, 2, ....
#[derive(Default)]
struct ShownGlyphs {
    numbers: GlyphRemapper,
    /// The letter of each number, from 1 on.
    letters: Vec<char>,
}

impl ShownGlyphs {
    /// The number of the glyph of `letter` in the embedded font.
    fn number(&mut self, letter: char, font: &Font) -> u16 {
        let number = self.numbers.remap(font.glyph(letter));
        // Missing letters share glyph 0, and have no text.
        if usize::from(number) == self.letters.len() + 1 {
            self.letters.push(letter);
        }
        number
    }
}

/// `canvas` as a PDF with the document title `title`. The same canvas gives the same bytes.
///
/// # Errors
/// If a font cannot be cut.
pub(super) fn pdf(canvas: &Canvas, fonts: &Fonts, title: &str) -> Result<Vec<u8>> {
    let mut page =
        Page { height: canvas.height, content: Content::new(), glyphs: Default::default(), opacities: vec![] };
    for mark in &canvas.marks {
        page.draw(mark, fonts);
    }
    let mut file = File::new();
    let [catalog, information, page_tree, page_id, content] = std::array::from_fn(|_| file.next_id.bump());
    let mut embedded = Vec::new();
    for (at, glyphs) in page.glyphs.iter().enumerate() {
        if let Some(glyphs) = glyphs {
            embedded.push((FONT_NAMES[at], file.embed(fonts.of(at == 1), glyphs)?));
        }
    }
    file.stream(content, page.content.finish().as_slice());
    let pdf = &mut file.pdf;
    pdf.catalog(catalog).pages(page_tree);
    pdf.pages(page_tree).kids([page_id]).count(1);
    pdf.document_info(information).title(TextStr(title)).producer(TextStr("rankduel"));
    let mut written = pdf.page(page_id);
    written.parent(page_tree).contents(content);
    written.media_box(Rect::new(0.0, 0.0, rounded(canvas.width), rounded(canvas.height)));
    let mut resources = written.resources();
    resources.fonts().pairs(embedded);
    let mut states = resources.ext_g_states();
    for (at, opacity) in page.opacities.iter().enumerate() {
        states
            .insert(Name(&state_name(at)))
            .start::<pdf_writer::writers::ExtGraphicsState<'_>>()
            .non_stroking_alpha(*opacity);
    }
    states.finish();
    resources.finish();
    written.finish();
    Ok(file.pdf.finish())
}

/// The name of the graphics state with the opacity number `at`.
fn state_name(at: usize) -> Vec<u8> {
    format!("G{at}").into_bytes()
}

/// A page while it is written.
struct Page {
    height: f64,
    content: Content,
    /// The glyphs shown in the regular and in the bold font.
    glyphs: [Option<ShownGlyphs>; 2],
    opacities: Vec<f32>,
}

impl Page {
    fn draw(&mut self, mark: &Mark, fonts: &Fonts) {
        match mark {
            Mark::Line { points, width, color, dashes } => {
                let [red, green, blue] = components(*color);
                let cap = if dashes.is_empty() { LineCapStyle::RoundCap } else { LineCapStyle::ButtCap };
                self.content.set_stroke_rgb(red, green, blue).set_line_width(rounded(*width));
                self.content.set_line_join(LineJoinStyle::RoundJoin).set_line_cap(cap);
                self.content.set_dash_pattern(dashes.iter().map(|length| rounded(*length)), 0.0);
                self.path(points);
                self.content.stroke();
            }
            Mark::Area { points, color, opacity } => {
                let opacity = rounded(*opacity);
                let at = self.opacities.iter().position(|known| *known == opacity).unwrap_or_else(|| {
                    self.opacities.push(opacity);
                    self.opacities.len() - 1
                });
                self.content.save_state().set_parameters(Name(&state_name(at)));
                self.fill_color(*color);
                self.path(points);
                self.content.close_path().fill_nonzero().restore_state();
            }
            Mark::Dot { x, y, radius, color } => self.dot((*x, *y), *radius, *color),
            Mark::Cells(cells) => {
                for (frame, color) in cells {
                    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
                    let [x, y, width, height] = [frame.left, self.height - frame.bottom, width, height].map(rounded);
                    self.fill_color(*color).rect(x, y, width, height).fill_nonzero();
                }
            }
            Mark::Text { x, y, text, size, color, align, bold, upward } => {
                let font = fonts.of(*bold);
                let back = font.width(text, *size)
                    * match align {
                        Align::Start => 0.0,
                        Align::Middle => 0.5,
                        Align::End => 1.0,
                    };
                let glyphs = self.glyphs[usize::from(*bold)].get_or_insert_default();
                let mut shown = Vec::with_capacity(2 * text.len());
                for letter in text.chars() {
                    shown.extend(glyphs.number(letter, font).to_be_bytes());
                }
                let matrix = match *upward {
                    true => [0.0, 1.0, -1.0, 0.0, *x, self.height - y - back],
                    false => [1.0, 0.0, 0.0, 1.0, x - back, self.height - y],
                };
                self.content.begin_text();
                self.fill_color(*color).set_font(FONT_NAMES[usize::from(*bold)], rounded(*size));
                self.content.set_text_matrix(matrix.map(rounded)).show(Str(&shown)).end_text();
            }
        }
    }

    fn fill_color(&mut self, color: Rgb) -> &mut Content {
        let [red, green, blue] = components(color);
        self.content.set_fill_rgb(red, green, blue)
    }

    fn path(&mut self, points: &[(f64, f64)]) {
        for (at, (x, y)) in points.iter().enumerate() {
            let (x, y) = (rounded(*x), rounded(self.height - y));
            if at == 0 {
                self.content.move_to(x, y)
            } else {
                self.content.line_to(x, y)
            };
        }
    }

    /// A disc of four curves.
    fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: Rgb) {
        // The distance of control points at which four curves are as good as round.
        const CONTROL_DISTANCE: f64 = 0.552_284_75;
        let (y, c) = (self.height - y, CONTROL_DISTANCE * radius);
        self.fill_color(color).move_to(rounded(x + radius), rounded(y));
        for [x1, y1, x2, y2, x3, y3] in [
            [radius, c, c, radius, 0.0, radius],
            [-c, radius, -radius, c, -radius, 0.0],
            [-radius, -c, -c, -radius, 0.0, -radius],
            [c, -radius, radius, -c, radius, 0.0],
        ] {
            let [x1, y1, x2, y2, x3, y3] = [x + x1, y + y1, x + x2, y + y2, x + x3, y + y3].map(rounded);
            self.content.cubic_to(x1, y1, x2, y2, x3, y3);
        }
        self.content.fill_nonzero();
    }
}

/// A number with as many decimals as can be seen: three.
fn rounded(value: f64) -> f32 {
    ((value * 1000.0).round() / 1000.0) as f32
}

fn components((red, green, blue): Rgb) -> [f32; 3] {
    [red, green, blue].map(|part| rounded(f64::from(part) / 255.0))
}

/// A file while it is written.
struct File {
    pdf: Pdf,
    next_id: Ref,
}

impl File {
    fn new() -> Self {
        let mut pdf = Pdf::new();
        pdf.set_version(1, 5);
        Self { pdf, next_id: Ref::new(1) }
    }

    fn stream(&mut self, id: Ref, bytes: &[u8]) {
        self.pdf.stream(id, &compress_to_vec_zlib(bytes, COMPRESSION_LEVEL)).filter(Filter::FlateDecode);
    }

    /// Embeds these glyphs of a font, and returns the id of the font.
    fn embed(&mut self, font: &Font, glyphs: &ShownGlyphs) -> Result<Ref> {
        let [font_id, cid_font, descriptor, program, letters] = std::array::from_fn(|_| self.next_id.bump());
        let bytes = font.with_glyphs(&glyphs.numbers)?;
        let name = part_name(font, glyphs);
        let name = Name(name.as_bytes());
        let system = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
        let pdf = &mut self.pdf;
        pdf.type0_font(font_id)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(cid_font)
            .to_unicode(letters);
        let mut written = pdf.cid_font(cid_font);
        written.subtype(CidFontType::Type2).base_font(name).system_info(system).font_descriptor(descriptor);
        written.default_width(600.0).cid_to_gid_map_predefined(Name(b"Identity"));
        written.widths().consecutive(0, glyphs.numbers.remapped_gids().map(|glyph| rounded(font.advance(glyph))));
        written.finish();
        let ([ascent, descent, capitals], bounds) = font.metrics();
        let [left, bottom, right, top] = bounds.map(rounded);
        // The width of stems is only used where a font is replaced.
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(0.0)
            .ascent(rounded(ascent))
            .descent(rounded(descent))
            .cap_height(rounded(capitals))
            .stem_v(80.0)
            .font_file2(program);
        self.pdf
            .stream(program, &compress_to_vec_zlib(&bytes, COMPRESSION_LEVEL))
            .filter(Filter::FlateDecode)
            .pair(Name(b"Length1"), bytes.len() as i32);
        // The letters of glyphs, so that texts can be searched and copied.
        let unicode = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"UCS"), supplement: 0 };
        let mut map = UnicodeCmap::new(Name(b"Adobe-Identity-UCS"), unicode);
        (1_u16..).zip(&glyphs.letters).for_each(|(number, letter)| map.pair(number, *letter));
        self.stream(letters, map.finish().as_slice());
        Ok(font_id)
    }
}

/// The name of a part of a font. Readers take fonts of the same name for the same: six letters differ from part to part.
fn part_name(font: &Font, glyphs: &ShownGlyphs) -> String {
    let step = |hash: u64, glyph: u16| (hash ^ u64::from(glyph)).wrapping_mul(0x0000_0100_0000_01b3);
    let mut hash = glyphs.numbers.remapped_gids().fold(0xcbf2_9ce4_8422_2325_u64, step);
    let mut name = String::new();
    for _ in 0..6 {
        name.push(char::from(b'A' + (hash % 26) as u8));
        hash /= 26;
    }
    format!("{name}+{}", font.name)
}
