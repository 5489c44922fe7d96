//! Receipts: damage is noticed, parts are restored, and they are small.

use std::fmt::Write as _;

use interleave::receipt::{ExperimentVersion, Parts, Receipt, ReceiptErrorKind};
use interleave::{
    AnyInterleaving, AnyMultileaving, Generator, Interleaving, ListBuf, Multileaving, Page, RankedList, receipt,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};

fn list(n: usize, levels: u32, generator: &mut Generator) -> ListBuf {
    ListBuf::from_scores(&(0..n).map(|_| f64::from(generator.random_range(0..levels))).collect::<Vec<_>>()).unwrap()
}

/// A receipt of every method, of ten documents; of two rankers, or of five.
fn receipts(generator: &mut Generator) -> Vec<Receipt> {
    let lists: Vec<ListBuf> = (0..5).map(|_| list(25, 12, generator)).collect();
    let all: Vec<RankedList<'_>> = lists.iter().map(ListBuf::as_list).collect();
    let two = AnyInterleaving::NAMES.iter().map(|name| -> AnyInterleaving { name.parse().unwrap() });
    let many = AnyMultileaving::NAMES.iter().map(|name| -> AnyMultileaving { name.parse().unwrap() });
    let mut receipts: Vec<Receipt> =
        two.map(|method| method.draw([all[0], all[1]], 10, generator, &mut Default::default()).1.into()).collect();
    receipts.extend(many.map(|method| Receipt::from(method.draw(&all, 10, generator, &mut Default::default()).1)));
    receipts
}

/// A receipt with everything that it can keep.
fn whole(receipt: Receipt) -> Receipt {
    let documents: Vec<String> = (0..receipt.mixed().len()).map(|n| format!("doc-{n}")).collect();
    let version = ExperimentVersion::new("search", &[("a", "1"), ("b", "2")], receipt.method(), 10);
    let receipt = receipt.of(version).with_propensity(0.25).unwrap().with_documents(documents).unwrap();
    receipt.displayed(&["advert", "doc-0", "doc-2", "doc-3", "doc-5"], |id| id == "advert").unwrap()
}

#[test]
fn no_flipped_bit_is_accepted() {
    let mut generator = Generator::seed_from_u64(47);
    for receipt in receipts(&mut generator) {
        for receipt in [receipt.clone(), whole(receipt)] {
            let bytes = receipt.to_bytes();
            assert_eq!(Receipt::from_bytes(&bytes).unwrap(), receipt);
            let bits = 8 * bytes.len();
            let flip = |bytes: &mut [u8], bit: usize| bytes[bit / 8] ^= 1 << (bit % 8);
            let mut damaged = bytes.clone();
            for bit in 0..bits {
                flip(&mut damaged, bit);
                assert!(Receipt::from_bytes(&damaged).is_err(), "{}: bit {bit}", receipt.method());
                flip(&mut damaged, bit);
            }
            for _ in 0..10_000 {
                let pair = [0; 2].map(|_| generator.random_range(0..bits));
                if pair[0] != pair[1] {
                    pair.iter().for_each(|&bit| flip(&mut damaged, bit));
                    assert!(Receipt::from_bytes(&damaged).is_err(), "{}: bits {pair:?}", receipt.method());
                    pair.iter().for_each(|&bit| flip(&mut damaged, bit));
                }
            }
            assert_eq!(damaged, bytes);
            for length in 0..bytes.len() {
                assert!(Receipt::from_bytes(&bytes[..length]).is_err());
            }
        }
    }
}

/// A flipped bit of a text is refused, or changes nothing that it says: `1e5` and `1E5` are one number.
#[test]
fn no_damaged_text_says_anything_else() {
    let mut generator = Generator::seed_from_u64(48);
    let mut refused = 0;
    for receipt in receipts(&mut generator) {
        let receipt = whole(receipt);
        let text = serde_json::to_string(&receipt).unwrap().into_bytes();
        assert_eq!(serde_json::from_slice::<Receipt>(&text).unwrap(), receipt);
        for bit in 0..8 * text.len() {
            let mut damaged = text.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            match serde_json::from_slice::<Receipt>(&damaged) {
                Ok(found) => assert_eq!(found, receipt),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100_000, "{refused}");
}

#[test]
fn parts_are_read_where_they_are() {
    let receipt = whole(receipts(&mut Generator::seed_from_u64(49)).remove(0));
    let bytes = receipt.to_bytes();
    let parts = Parts::read(&bytes).unwrap();
    assert_eq!(parts.method(), Some(receipt.method()));
    assert_eq!(parts.version(), receipt.version().map(|version| (version.experiment(), version.hash())));
    assert_eq!((parts.page(), parts.propensity()), (receipt.page(), Some(0.25)));
    assert_eq!((parts.documents().unwrap().len(), parts.pinned_documents()), (receipt.mixed().len(), &["advert"][..]));
    assert_eq!(&parts.mixed(None).unwrap(), receipt.mixed());
    assert_eq!(receipt.shown().unwrap(), ["advert", "doc-0", "doc-2", "doc-3", "doc-5"]);
    assert_eq!(receipt.truncated(2).shown().unwrap(), ["advert", "doc-0"]);
}

#[test]
fn a_store_may_keep_the_method() {
    let receipt = receipts(&mut Generator::seed_from_u64(50)).remove(0);
    let bytes = receipt.to_bytes_without_method();
    let of = |method: &str| Receipt::from_bytes_of(&bytes, method).map_err(|error| error.kind());
    assert_eq!(of(receipt.method()), Ok(receipt.clone()));
    assert_eq!(Receipt::from_bytes(&bytes).unwrap_err().kind(), ReceiptErrorKind::Method);
    // Named, the name must be right.
    let named = receipt.to_bytes();
    assert_eq!(Receipt::from_bytes_of(&named, "sosm").unwrap_err().kind(), ReceiptErrorKind::Method);
    assert_eq!(Receipt::from_bytes_of(&named, receipt.method()), Ok(receipt));
}

#[test]
fn what_is_no_receipt_is_refused() {
    let receipt = receipts(&mut Generator::seed_from_u64(51)).remove(0);
    let kind = |receipt: Result<Receipt, interleave::receipt::ReceiptError>| receipt.unwrap_err().kind();
    use ReceiptErrorKind::Value;
    assert_eq!(kind(receipt.clone().on_page(Page::first(11))), Value);
    for propensity in [0.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
        assert_eq!(kind(receipt.clone().with_propensity(propensity)), Value);
    }
    assert_eq!(kind(receipt.clone().with_documents(vec!["a".into()])), Value);
    assert_eq!(kind(receipt.clone().with_documents(vec!["a".into(); 10])), Value);
    let named = whole(receipt.clone());
    assert_eq!(kind(named.clone().displayed(&["doc-1", "doc-0"], |_| false)), Value);
    assert_eq!(kind(named.clone().displayed(&["other"], |_| false)), Value);
    assert_eq!(kind(named.clone().displayed(&["ad", "ad"], |id| id == "ad")), Value);
    assert_eq!(kind(receipt.displayed(&["doc-1"], |_| false)), Value);
    // A value of one method is not the receipt of an impression, and the other way round.
    let plain = receipt::to_bytes(&7_u32).unwrap();
    assert_eq!(kind(Receipt::from_bytes(&plain)), ReceiptErrorKind::Malformed);
    assert_eq!(receipt::from_bytes::<u32>(&named.to_bytes()).unwrap_err().kind(), ReceiptErrorKind::Malformed);
    assert_eq!(kind(Receipt::from_bytes(&[])), ReceiptErrorKind::Empty);
    assert_eq!(kind(Receipt::from_bytes(&[3, 4, 5])), ReceiptErrorKind::Version);
}

/// Before there was a checksum, bytes began with 1 and JSON had no `format`.
#[test]
fn receipts_without_a_checksum_are_refused() {
    let method = AnyInterleaving::TeamDraft(Default::default());
    let mut generator = Generator::seed_from_u64(1);
    let list = list(4, 4, &mut generator);
    let kept = method.draw([list.as_list(); 2], 4, &mut generator, &mut Default::default()).1;
    let old = postcard::to_extend(&kept, vec![1]).unwrap();
    let expected = "not a receipt: its first byte is 0x01, not 0xb2; expected what this version writes, so draw the list again with it";
    assert_eq!(Receipt::from_bytes(&old).unwrap_err().to_string(), expected);
    assert_eq!(Receipt::from_bytes_of(&old, "team-draft").unwrap_err().to_string(), expected);
    assert_eq!(receipt::from_bytes::<interleave::AnyInterleavingReceipt>(&old).unwrap_err().to_string(), expected);
    let refused = |text: &str| serde_json::from_str::<Receipt>(text).unwrap_err().to_string();
    let text = serde_json::to_string(&kept).unwrap();
    let expected =
        "not a receipt: it has no `format`; expected 2, as this version writes it, so draw the list again with it";
    for old in [text.clone(), format!(r#"{{"Two":{{"shown":["a","b","c","d"],"receipt":{text}}}}}"#)] {
        assert_eq!(refused(&old), expected);
    }
    for text in ["7", r#"{"format":2}"#, r#"{"format":1,"method":"team-draft"}"#] {
        assert_eq!(refused(text), "not a receipt: expected the JSON of a receipt");
    }
}

/// A receipt of a team draft of ten is at most 34 bytes, with its method's name and all.
#[test]
fn receipts_are_small() {
    let mut generator = Generator::seed_from_u64(52);
    let version = |receipt: &Receipt| ExperimentVersion::new("", &[("a", "1"), ("b", "2")], receipt.method(), 10);
    let mut table = "method,rankers,bytes\n".to_owned();
    for receipt in receipts(&mut generator) {
        let of_store = receipt.clone().of(version(&receipt)).to_bytes_without_method().len();
        let _ = writeln!(table, "{},{},{of_store}", receipt.method(), receipt.mixed().rankers());
        if receipt.method() == "team-draft" && receipt.mixed().rankers() == 2 {
            let everything = receipt.clone().of(ExperimentVersion::new("test", &[("a", "1")], "team-draft", 10));
            assert_eq!((of_store, everything.to_bytes().len()), (19, 34));
        }
    }
    // Published: the bytes of one receipt of ten documents each.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/receipt_bytes.csv");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), table, "UPDATE=1 rewrites it");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, flags: u8) {
        let _ = Receipt::from_bytes(&bytes);
        let _ = Parts::read(&bytes);
        // Behind a right checksum, too.
        let mut sealed = [&[0xB2, flags], &bytes[..]].concat();
        let checksum = crc32fast::hash(&sealed);
        sealed.extend(checksum.to_le_bytes());
        if let Ok(receipt) = Receipt::from_bytes(&sealed) {
            let all: Vec<usize> = (0..receipt.places().min(100)).collect();
            let _ = receipt.outcome(&all);
            prop_assert_eq!(Receipt::from_bytes(&receipt.to_bytes()), Ok(receipt));
        }
        let _ = Receipt::from_bytes_of(&sealed, "team-draft");
    }

    #[test]
    fn truncated_twice_is_truncated_once(seed: u64, first in 0_usize..12, second in 0_usize..12) {
        for receipt in receipts(&mut Generator::seed_from_u64(seed)) {
            let shorter = receipt.truncated(first).truncated(second);
            prop_assert_eq!(&shorter, &receipt.truncated(first.min(second)));
            prop_assert!(shorter.places() <= first.min(second));
            let back = Receipt::from_bytes(&shorter.to_bytes());
            prop_assert_eq!(back, Ok(shorter));
        }
    }
}

/// A name and its version cannot be mistaken for another name.
#[test]
fn versions_differ() {
    let version = |name: &str, version: &str| ExperimentVersion::new("x", &[(name, version)], "team-draft", 10).hash();
    assert_ne!(version("a1", ""), version("a", "1"));
    assert_ne!(version("a", "1"), ExperimentVersion::new("x", &[("a", "1")], "team-draft", 11).hash());
    for text in ["x", "x@", "x@00", "x@00000000000000G0", "x@ABCDEF0123456789"] {
        assert!(text.parse::<ExperimentVersion>().is_err(), "{text}");
    }
}
