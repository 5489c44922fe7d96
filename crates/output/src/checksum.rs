//! The one checksum of everything that is kept from call to call: SHA-256.
//!
//! Kept records are lines with the beginning of the checksum in front ([`sealed_line`]), values of the cache have it in a
//! field, and binary files have it at the end ([`seal`]).

use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// The length of a checksum at the end of a file, in bytes.
pub const LENGTH: usize = 32;
/// The number of hexadecimal digits in front of a line.
const DIGITS: usize = 16;

/// SHA-256 of `text` in hexadecimal.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of all that `reader` reads, in hexadecimal; calls `on_read` with the number of bytes of each piece.
///
/// # Errors
/// Errors of the reader.
pub fn sha256_hex_of(mut reader: impl Read, mut on_read: impl FnMut(usize)) -> io::Result<String> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            Ok(count) => {
                hash.update(&buffer[..count]);
                on_read(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Appends the checksum of `bytes` to them.
#[must_use]
pub fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

/// The part of `bytes` before the checksum at their end; `None` if the checksum does not match or is missing.
#[must_use]
pub fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(LENGTH)?)?;
    (Sha256::digest(body)[..] == *checksum).then_some(body)
}

/// `text`, which is one line, after its checksum in hexadecimal digits. The checksum covers the line's subject `subject`, too.
#[must_use]
pub fn sealed_line(subject: &str, text: &str) -> String {
    format!("{} {text}", line_checksum(subject, text))
}

/// The text of a line made by [`sealed_line`]; `None` if it is not one, was damaged, or belongs to something else.
#[must_use]
pub fn unsealed_line<'a>(subject: &str, line: &'a str) -> Option<&'a str> {
    let (checksum, text) = line.split_once(' ')?;
    (checksum == line_checksum(subject, text)).then_some(text)
}

fn line_checksum(subject: &str, text: &str) -> String {
    let mut hash = sha256_hex(&format!("{subject}\n{text}"));
    hash.truncate(DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_sha_256() {
        let long = "all of a file".repeat(200_000);
        assert_eq!(sha256_hex_of(long.as_bytes(), drop).unwrap(), sha256_hex(&long));
        assert_eq!(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }

    #[test]
    fn every_changed_byte_and_every_truncation_is_detected() {
        let sealed = seal(b"0.25".to_vec());
        assert_eq!(unseal(&sealed), Some(&b"0.25"[..]));
        let line = sealed_line("a cell", "{\"run\":0}");
        assert_eq!(unsealed_line("a cell", &line), Some("{\"run\":0}"));
        assert_eq!(unsealed_line("another cell", &line), None);
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!((unseal(&damaged), unseal(&sealed[..at])), (None, None), "byte {at}");
        }
        for at in 0..line.len() {
            let mut damaged = line.clone().into_bytes();
            damaged[at] ^= 1;
            assert_eq!(unsealed_line("a cell", &String::from_utf8(damaged).unwrap()), None, "byte {at}");
            assert_eq!(unsealed_line("a cell", &line[..at]), None);
        }
    }
}
