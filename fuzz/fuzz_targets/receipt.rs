//! Receipts of impressions, on any bytes, credited with any clicks on any page: no panic, and a receipt that is read is written as it was.
//! The bytes are read as they are, and with a right checksum.
#![no_main]

use interleave::receipt::Receipt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte selects which of eight places are clicked.
    let Some((clicks, bytes)) = bytes.split_first() else { return };
    let clicked: Vec<usize> = (0..8).filter(|place| clicks >> place & 1 == 1).collect();
    let mut sealed = bytes.to_vec();
    sealed.extend(crc32fast::hash(bytes).to_le_bytes());
    for bytes in [bytes, &sealed] {
        let Ok(read) = Receipt::from_bytes(bytes) else { continue };
        assert_eq!(Receipt::from_bytes(&read.to_bytes()).as_ref(), Ok(&read));
        let places: Vec<usize> = clicked.iter().copied().filter(|place| *place < read.places()).collect();
        let _ = read.outcome(&clicked);
        let _ = read.outcome(&places);
        let _ = read.truncated(3).outcome(&places);
    }
});
