//! Receipts of impressions, on any bytes, credited with any clicks: no panic, and what is read is written as it was.
#![no_main]

use interleave::{
    AnyInterleaving, AnyInterleavingReceipt, AnyMultileaving, AnyMultileavingReceipt, Interleaving, Multileaving, receipt,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte says which of eight places are clicked.
    let Some((clicks, bytes)) = bytes.split_first() else { return };
    let clicked: Vec<usize> = (0..8).filter(|place| clicks >> place & 1 == 1).collect();
    if let Ok(read) = receipt::from_bytes::<AnyInterleavingReceipt>(bytes) {
        let written = receipt::to_bytes(&read).expect("a receipt can be written");
        assert_eq!(receipt::from_bytes::<AnyInterleavingReceipt>(&written).as_ref(), Ok(&read));
        for method in AnyInterleaving::NAMES {
            let method: AnyInterleaving = method.parse().expect("it is known");
            let _ = method.credit(&read, &clicked);
        }
    }
    if let Ok(read) = receipt::from_bytes::<AnyMultileavingReceipt>(bytes) {
        let written = receipt::to_bytes(&read).expect("a receipt can be written");
        assert_eq!(receipt::from_bytes::<AnyMultileavingReceipt>(&written).as_ref(), Ok(&read));
        for method in AnyMultileaving::NAMES {
            let method: AnyMultileaving = method.replace("10000", "50").parse().expect("it is known");
            let _ = method.credit(&read, &clicked);
        }
    }
});
