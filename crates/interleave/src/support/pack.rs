//! Parts of a receipt as bytes, and back. Reading never panics: what cannot be read is `None`.

use ranktypes::varint;

use crate::{Page, RankedList};

/// Writes parts.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

/// Reads parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

/// A method's own receipt as bytes; as [postcard](https://postcard.jamesmunns.com), unless it has a shorter form.
pub(crate) trait Pack: serde::Serialize + serde::de::DeserializeOwned {
    fn pack(&self, writer: &mut Writer) {
        writer.postcard(self);
    }

    fn unpack(reader: &mut Reader<'_>) -> Option<Self> {
        reader.postcard()
    }

    /// The ranker that owns each document, or none, where documents have owners: if
    /// [`NamedMethod::OWNERSHIP`](crate::name::NamedMethod::OWNERSHIP) says so.
    fn owners(&self) -> Option<Vec<Option<usize>>> {
        None
    }
}

impl Writer {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A whole number, seven bits to a byte.
    pub(crate) fn number(&mut self, number: usize) {
        varint::write(number as u64, &mut self.bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len());
        self.bytes(text.as_bytes());
    }

    pub(crate) fn texts(&mut self, texts: &[&str]) {
        self.number(texts.len());
        texts.iter().for_each(|text| self.text(text));
    }

    /// For each place the distance from the position before, 0 for a pinned one.
    pub(crate) fn page(&mut self, page: &Page) {
        self.number(page.len());
        let mut next = 0;
        for place in page.places() {
            self.number(place.map_or(0, |position| position + 1 - next));
            next = place.map_or(next, |position| position + 1);
        }
    }

    /// The owner of each document, 0, 1 or no ranker: five to a byte.
    pub(crate) fn owners(&mut self, owners: &[Option<u8>]) {
        self.number(owners.len());
        for five in owners.chunks(OWNERS_PER_BYTE) {
            let digit = |owner: &Option<u8>| owner.filter(|owner| *owner < 2).map_or(0, |owner| 1 + owner);
            self.bytes.push(five.iter().rev().fold(0, |packed, owner| 3 * packed + digit(owner)));
        }
    }

    /// Pairs of 0-based ranks. The two largest numbers, which mark documents outside a list, take one byte as small ones do.
    pub(crate) fn ranks(&mut self, ranks: &[[u16; 2]]) {
        self.number(ranks.len());
        ranks.as_flattened().iter().for_each(|rank| self.number(rank.wrapping_add(2).into()));
    }

    pub(crate) fn postcard<T: serde::Serialize>(&mut self, value: &T) {
        // Into a vector, postcard writes everything that the receipts hold.
        self.bytes = postcard::to_extend(value, std::mem::take(&mut self.bytes)).expect("receipts have bytes");
    }
}

/// How many owners out of three fit into a byte.
const OWNERS_PER_BYTE: usize = 5;

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// All bytes that are left.
    pub(crate) fn remaining(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn number(&mut self) -> Option<usize> {
        let (number, rest) = varint::read(self.bytes)?;
        self.bytes = rest;
        usize::try_from(number).ok()
    }

    /// A number of things, if the bytes that are left can hold them: at most `per_byte` in a byte.
    fn count(&mut self, per_byte: usize) -> Option<usize> {
        self.number().filter(|count| *count <= self.bytes.len().saturating_mul(per_byte))
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<&'a str>> {
        (0..self.count(1)?).map(|_| self.text()).collect()
    }

    pub(crate) fn page(&mut self) -> Option<Page> {
        let mut next = 0_usize;
        let places: Option<Vec<Option<usize>>> = (0..self.count(1)?)
            .map(|_| {
                let distance = self.number()?;
                if distance == 0 {
                    return Some(None);
                }
                next = next.checked_add(distance).filter(|next| *next <= RankedList::MAX_LEN)?;
                Some(Some(next - 1))
            })
            .collect();
        Page::new(places?).ok()
    }

    pub(crate) fn owners(&mut self) -> Option<Vec<Option<u8>>> {
        let count = self.count(OWNERS_PER_BYTE)?;
        let mut owners = Vec::with_capacity(count);
        while owners.len() < count {
            let [mut packed] = self.array()?;
            for _ in 0..OWNERS_PER_BYTE.min(count - owners.len()) {
                owners.push((packed % 3).checked_sub(1));
                packed /= 3;
            }
            if packed != 0 {
                return None;
            }
        }
        Some(owners)
    }

    pub(crate) fn ranks(&mut self) -> Option<Vec<[u16; 2]>> {
        let count = self.count(1)?;
        let mut rank = || Some(u16::try_from(self.number()?).ok()?.wrapping_sub(2));
        // Collecting options would lose the size hint.
        let mut ranks = Vec::with_capacity(count);
        for _ in 0..count {
            ranks.push([rank()?, rank()?]);
        }
        Some(ranks)
    }

    pub(crate) fn postcard<T: serde::de::DeserializeOwned>(&mut self) -> Option<T> {
        let (value, rest) = postcard::take_from_bytes(self.bytes).ok()?;
        self.bytes = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_come_back(
            number: usize,
            text: String,
            owners in prop::collection::vec(prop::option::of(0_u8..2), 0..40),
            pins in prop::collection::vec((any::<bool>(), 1_usize..9), 0..20),
            ranks: Vec<[u16; 2]>,
        ) {
            let mut next = 0;
            let places = pins.iter().map(|&(is_pinned, gap)| {
                next += gap;
                (!is_pinned).then_some(next - 1)
            });
            let page = Page::new(places).unwrap();
            let mut writer = Writer::default();
            writer.number(number);
            writer.text(&text);
            writer.owners(&owners);
            writer.page(&page);
            writer.ranks(&ranks);
            let bytes = writer.finish();
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert_eq!(reader.text(), Some(&*text));
            prop_assert_eq!(reader.owners(), Some(owners));
            prop_assert_eq!(reader.page(), Some(page));
            prop_assert_eq!(reader.ranks(), Some(ranks));
            prop_assert!(reader.remaining().is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = Reader::new(&bytes).number();
            let _ = Reader::new(&bytes).texts();
            let _ = Reader::new(&bytes).owners();
            let _ = Reader::new(&bytes).page();
            let _ = Reader::new(&bytes).ranks();
        }
    }

    #[test]
    fn numbers_have_one_form() {
        assert_eq!(Reader::new(&[0x80, 0]).number(), None);
        assert_eq!(Reader::new(&[0x80, 1]).number(), Some(128));
        assert_eq!(Reader::new(&[0xff; 11]).number(), None);
        // Promises of more than there is.
        assert_eq!(Reader::new(&[0xff, 0xff, 3, 0]).texts(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 3, 0]).owners(), None);
    }
}
