//! The parts of figures for the screen and for print.
//!
//! | in | is |
//! |---|---|
//! | `canvas` | marks on a sheet; SVG and PNG. The only file that uses the plotting library |
//! | `axes`, `scale` | axes, their ticks, and where values are on them |
//! | `curves`, `dash` | curves in their styles, with bands or bars |
//! | `font` | widths of texts, and the glyphs that a PDF embeds |

pub(crate) mod axes;
pub(crate) mod canvas;
pub(crate) mod curves;
pub(crate) mod dash;
pub(crate) mod font;
pub(crate) mod scale;
