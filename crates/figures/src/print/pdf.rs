//! A sheet as PDF 1.5: lines, areas and texts of one page, with the glyphs that it shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::drawing::canvas::{Align, Canvas, Mark, Rgb, joined, short};
use crate::drawing::font::{Font, Fonts};

/// The best compression.
const LEVEL: u8 = 9;

/// The glyphs of a font that a page shows, each with its letter.
type Shown = BTreeMap<u16, char>;

/// `canvas` as a PDF with the document title `title`. The same canvas gives the same bytes.
///
/// # Errors
/// If a font cannot be cut.
pub(super) fn pdf(canvas: &Canvas, fonts: &Fonts, title: &str) -> Result<Vec<u8>> {
    let mut file = File::new();
    let mut page = Page {
        height: canvas.height,
        content: String::new(),
        shown: [Shown::new(), Shown::new()],
        opacities: Vec::new(),
    };
    for mark in &canvas.marks {
        page.draw(mark, fonts);
    }
    let mut resources = String::new();
    for (at, shown) in page.shown.iter().enumerate().filter(|(_, shown)| !shown.is_empty()) {
        let font = embed(&mut file, fonts.of(at == 1), shown)?;
        let _ = write!(resources, "/F{at} {font} 0 R ");
    }
    let opacities: String =
        page.opacities.iter().enumerate().map(|(at, opacity)| format!("/G{at} << /ca {opacity} >> ")).collect();
    let content = file.stream("", page.content.as_bytes());
    // The numbers of the page and its parent are those that follow.
    let number = file.next();
    let (width, height) = (short(canvas.width), short(canvas.height));
    let first = file.object(&format!(
        "<< /Type /Page /Parent {} 0 R /MediaBox [0 0 {width} {height}] /Contents {content} 0 R \
         /Resources << /Font << {resources}>> /ExtGState << {opacities}>> >> >>",
        number + 1
    ));
    let pages = file.object(&format!("<< /Type /Pages /Kids [{first} 0 R] /Count 1 >>"));
    let catalog = file.object(&format!("<< /Type /Catalog /Pages {pages} 0 R >>"));
    let information = file.object(&format!("<< /Title {} /Producer (rankduel) >>", text_string(title)));
    Ok(file.finish(catalog, information))
}

/// A page while it is written.
struct Page {
    height: f64,
    content: String,
    /// The characters shown in the regular and in the bold font.
    shown: [Shown; 2],
    opacities: Vec<String>,
}

impl Page {
    fn draw(&mut self, mark: &Mark, fonts: &Fonts) {
        match mark {
            Mark::Line { points, width, color, dashes } => {
                let cap = u8::from(dashes.is_empty());
                let (width, dashes) = (short(*width), joined(dashes));
                let _ = write!(self.content, "{} RG {width} w 1 j {cap} J [{dashes}] 0 d ", components(*color));
                self.path(points);
                self.content += "S\n";
            }
            Mark::Area { points, color, opacity } => {
                let opacity = short(*opacity);
                let at = self.opacities.iter().position(|known| *known == opacity).unwrap_or_else(|| {
                    self.opacities.push(opacity);
                    self.opacities.len() - 1
                });
                let _ = write!(self.content, "q /G{at} gs {} rg ", components(*color));
                self.path(points);
                self.content += "h f Q\n";
            }
            Mark::Dot { x, y, radius, color } => self.dot((*x, *y), *radius, *color),
            Mark::Cells(cells) => {
                for (frame, color) in cells {
                    let (width, height) = (frame.right - frame.left, frame.bottom - frame.top);
                    let place = joined(&[frame.left, self.height - frame.bottom, width, height]);
                    let _ = writeln!(self.content, "{} rg {place} re f", components(*color));
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
                let mut glyphs = String::new();
                for letter in text.chars() {
                    let glyph = font.glyph(letter);
                    self.shown[usize::from(*bold)].entry(glyph).or_insert(letter);
                    let _ = write!(glyphs, "{glyph:04X}");
                }
                let matrix = match *upward {
                    true => format!("0 1 -1 0 {} {}", short(*x), short(self.height - y - back)),
                    false => format!("1 0 0 1 {} {}", short(x - back), short(self.height - y)),
                };
                let (font, size) = (u8::from(*bold), short(*size));
                let color = components(*color);
                let _ = writeln!(self.content, "BT {color} rg /F{font} {size} Tf {matrix} Tm <{glyphs}> Tj ET");
            }
        }
    }

    fn path(&mut self, points: &[(f64, f64)]) {
        for (at, (x, y)) in points.iter().enumerate() {
            let command = if at == 0 { 'm' } else { 'l' };
            let _ = write!(self.content, "{} {} {command} ", short(*x), short(self.height - y));
        }
    }

    /// A disc of four curves.
    fn dot(&mut self, (x, y): (f64, f64), radius: f64, color: Rgb) {
        // The distance of control points at which four curves are as good as round.
        const CONTROL: f64 = 0.552_284_75;
        let (y, c) = (self.height - y, CONTROL * radius);
        let _ = write!(self.content, "{} rg {} {} m ", components(color), short(x + radius), short(y));
        for [x1, y1, x2, y2, x3, y3] in [
            [radius, c, c, radius, 0.0, radius],
            [-c, radius, -radius, c, -radius, 0.0],
            [-radius, -c, -c, -radius, 0.0, -radius],
            [c, -radius, radius, -c, radius, 0.0],
        ] {
            let _ = write!(self.content, "{} c ", joined(&[x + x1, y + y1, x + x2, y + y2, x + x3, y + y3]));
        }
        self.content += "f\n";
    }
}

/// Embeds the glyphs `shown` of `font`, and returns the number of the font's object.
fn embed(file: &mut File, font: &Font, shown: &Shown) -> Result<usize> {
    let bytes = font.with_glyphs(shown.keys().copied())?;
    // Readers take fonts of the same name for the same: six letters differ from part to part.
    let mut hash = shown
        .keys()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, glyph| (hash ^ u64::from(*glyph)).wrapping_mul(0x0000_0100_0000_01b3));
    let mut name = String::new();
    for _ in 0..6 {
        name.push(char::from(b'A' + (hash % 26) as u8));
        hash /= 26;
    }
    let name = format!("{name}+{}", font.name);
    let program = file.stream(&format!("/Length1 {} ", bytes.len()), &bytes);
    let ([ascent, descent, capitals], bounds) = font.metrics();
    let bounds = joined(&bounds);
    // Not symbolic; the width of stems is only used where a font is replaced.
    let descriptor = file.object(&format!(
        "<< /Type /FontDescriptor /FontName /{name} /Flags 32 /FontBBox [{bounds}] /ItalicAngle 0 /Ascent {ascent} \
         /Descent {descent} /CapHeight {capitals} /StemV 80 /FontFile2 {program} 0 R >>"
    ));
    let widths: String = shown.keys().map(|glyph| format!("{glyph} [{}] ", short(font.advance(*glyph)))).collect();
    let glyphs = file.object(&format!(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) \
         /Ordering (Identity) /Supplement 0 >> /FontDescriptor {descriptor} 0 R /DW 600 /W [{widths}] \
         /CIDToGIDMap /Identity >>"
    ));
    let letters = file.stream("", letters(shown).as_bytes());
    Ok(file.object(&format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [{glyphs} 0 R] \
         /ToUnicode {letters} 0 R >>"
    )))
}

/// The letters of glyphs, so that texts can be searched and copied.
fn letters(shown: &Shown) -> String {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering \
         (UCS) /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> \
         <FFFF>\nendcodespacerange\n",
    );
    let all: Vec<_> = shown.iter().collect();
    // A block has at most 100 lines.
    for block in all.chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", block.len());
        for (glyph, letter) in block {
            let _ = writeln!(map, "<{glyph:04X}> <{}>", utf_16(std::iter::once(**letter)));
        }
        map += "endbfchar\n";
    }
    map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
}

fn utf_16(letters: impl Iterator<Item = char>) -> String {
    let mut units = [0; 2];
    letters.flat_map(|letter| letter.encode_utf16(&mut units).to_vec()).map(|unit| format!("{unit:04X}")).collect()
}

/// A text outside of the page, in UTF-16.
fn text_string(text: &str) -> String {
    format!("<FEFF{}>", utf_16(text.chars()))
}

fn components((red, green, blue): Rgb) -> String {
    joined(&[red, green, blue].map(|part| f64::from(part) / 255.0))
}

/// A file while it is written: numbered objects, and where they start.
struct File {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl File {
    fn new() -> Self {
        // The second line marks the file as binary.
        Self { bytes: b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec(), starts: Vec::new() }
    }

    /// The number of the next object.
    fn next(&self) -> usize {
        self.starts.len() + 1
    }

    fn object(&mut self, content: &str) -> usize {
        self.raw(content.as_bytes())
    }

    fn raw(&mut self, content: &[u8]) -> usize {
        let number = self.next();
        self.starts.push(self.bytes.len());
        self.bytes.extend(format!("{number} 0 obj\n").as_bytes());
        self.bytes.extend(content);
        self.bytes.extend(b"\nendobj\n");
        number
    }

    /// An object with compressed content; `keys` are further keys of its dictionary.
    fn stream(&mut self, keys: &str, content: &[u8]) -> usize {
        let packed = compress_to_vec_zlib(content, LEVEL);
        let mut object = format!("<< {keys}/Filter /FlateDecode /Length {} >>\nstream\n", packed.len()).into_bytes();
        object.extend(packed);
        object.extend(b"\nendstream");
        self.raw(&object)
    }

    fn finish(mut self, catalog: usize, information: usize) -> Vec<u8> {
        let table = self.bytes.len();
        let count = self.next();
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for start in &self.starts {
            let _ = writeln!(end, "{start:010} 00000 n ");
        }
        let _ = write!(
            end,
            "trailer\n<< /Size {count} /Root {catalog} 0 R /Info {information} 0 R >>\nstartxref\n{table}\n%%EOF\n"
        );
        self.bytes.extend(end.as_bytes());
        self.bytes
    }
}
