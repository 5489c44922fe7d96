//! The leaders of groups of opponents and of blocks of groups, and for how long they lead.

use crate::confidence::lanes::LANES;
use crate::confidence::lines::Lines;
use crate::plain;

/// The leaders of the eight groups of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaders {
    pub(crate) lines: Lines,
    /// The s up to which they surely lead.
    pub(crate) until: [f64; LANES],
    /// In which places of their groups, as bits: all of them alike. (Groups, and their places, from the lowest bit up.)
    pub(crate) at: u64,
}

plain!(Leaders { lines, until, at });

/// The leaders of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLeaders {
    pub(crate) line: [f64; 2],
    /// The s up to which all that is known of the block's leaders surely holds.
    pub(crate) until: f64,
    /// The opponents that are as high, as bits.
    pub(crate) tied: u64,
}

plain!(BlockLeaders { line, until, tied });

impl Leaders {
    /// Finds the leader of the group at `place`, and how long it leads.
    #[inline(always)]
    pub(crate) fn renew(&mut self, place: usize, group: &Lines, scale: f64) {
        let lead = group.lead(scale);
        self.lines.pairs[place] = lead.line;
        self.until[place] = lead.until;
        self.at = self.at & !(0xff << (place * LANES)) | u64::from(lead.at & 0xff) << (place * LANES);
    }

    /// The leader of the block.
    #[inline(always)]
    pub(crate) fn block_leaders(&self, scale: f64) -> BlockLeaders {
        let lead = self.lines.lead(scale);
        // One by one: a vector would wait for the one just written.
        let until = self.until.iter().fold(lead.until, |first, &until| smaller(until, first));
        let tied = self.at & bytes_of(lead.at);
        BlockLeaders { line: lead.line, until, tied }
    }
}

/// A byte of ones for each of the lowest eight bits that is set.
#[inline]
fn bytes_of(bits: u32) -> u64 {
    // Bit k to the lowest place of byte k.
    let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let lowest = ((each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101;
    lowest * 0xff
}

/// Without a branch.
#[inline]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
