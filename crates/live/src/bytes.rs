//! Events as bytes: what those of judges and of traffic share.

/// The first byte of every event.
pub(crate) const FORMAT: u8 = 1;

/// Why bytes are not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Another format.
    #[error("expected an event of format {FORMAT}, found format {found}; use the program that wrote it")]
    Format {
        /// The first byte.
        found: u8,
    },
    /// Bytes that no event has.
    #[error("damaged event: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

pub(crate) fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

pub(crate) fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    put(to, bytes.len() as u64);
    to.extend(bytes);
}

pub(crate) fn put_text(to: &mut Vec<u8>, text: &str) {
    put_bytes(to, text.as_bytes());
}

/// What is left of the bytes of an event.
#[derive(Debug)]
pub(crate) struct Bytes<'a>(&'a [u8]);

const CUT: EventError = EventError::Damaged { what: "it is cut off" };

impl<'a> Bytes<'a> {
    /// What follows the format byte.
    pub(crate) fn after_format(bytes: &'a [u8]) -> Result<Self, EventError> {
        match bytes.split_first() {
            Some((&FORMAT, rest)) => Ok(Self(rest)),
            Some((&found, _)) => Err(EventError::Format { found }),
            None => Err(EventError::Damaged { what: "no bytes" }),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, EventError> {
        let (&byte, rest) = self.0.split_first().ok_or(CUT)?;
        self.0 = rest;
        Ok(byte)
    }

    pub(crate) fn number(&mut self) -> Result<u64, EventError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(EventError::Damaged { what: "a number of more than 64 bits" })
    }

    pub(crate) fn small(&mut self) -> Result<u32, EventError> {
        u32::try_from(self.number()?).map_err(|_| EventError::Damaged { what: "a number of more than 32 bits" })
    }

    /// Eight bytes, the lowest first.
    pub(crate) fn eight(&mut self) -> Result<u64, EventError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(CUT)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// Bytes after their length.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], EventError> {
        let length = usize::try_from(self.number()?).map_err(|_| CUT)?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(CUT)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// How many things follow, each of which takes a byte or more.
    pub(crate) fn count(&mut self) -> Result<usize, EventError> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len()).ok_or(CUT)
    }

    pub(crate) fn text(&mut self) -> Result<String, EventError> {
        let text =
            std::str::from_utf8(self.bytes()?).map_err(|_| EventError::Damaged { what: "a text that is not UTF-8" })?;
        Ok(text.to_owned())
    }
}
