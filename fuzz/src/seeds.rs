//! Writes the corpora to begin with: a row of every dialect, small look-alikes as text and as caches, and a receipt of every
//! method. The seeds of the other targets are files of `seeds/`.

// Its runtime has the symbols that code with counters of coverage wants.
use libfuzzer_sys as _;

use std::fs;
use std::path::Path;

use interleave::{
    AnyInterleaving, AnyMultileaving, Generator, Interleaving, ListBuf, Multileaving, RankedList, receipt::Receipt,
};
use letor_io::{OpenOptions, WriteOptions, lookalike, open, write};
use rand::SeedableRng;

/// A few rows of each dialect that is read, and of some that are not.
const ROWS: [&str; 14] = [
    "2 qid:10 1:3 2:0.5 136:159613600\n0 qid:10 1:3 2:0 136:2\n1 qid:11 1:1\n",
    "0 qid:WT04-182 1:0.5 2:1 #docid = G13-86-1372899 inc = 1 prob = 0.0246\r\n1 qid:WT04-182 1:0.25 #docid = G0\r\n",
    "1.33333 7:0.704953 9:1.000000 # 3382\n0 9:0.5 # 3382\n-1 2:1 # 4\n",
    "4\tqid:1\t1:12.318474\t2:1 # 7555\trambo\n",
    "1.0 qid:1 2:2.5     10:-5.2   \r\n",
    "  +1 qid:é 1:+1 1000000:6.5e-08",
    "# a comment\n\n0 qid:7\n0 qid:8 001:2 02:3\n",
    "0 qid:7 1:2#tight\n",
    "0 qid:1 1:NULL 2:1\n",
    "\u{feff}0 qid:1 1:1e-300 2:1e300\n1 qid:1 1:1e300 2:5e-324\n",
    "0 qid:1 1:123456789012345678 2:.5\n0 qid:1 1:123456789012345679 2:5.\n",
    "0 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n",
    "7 qid:1 1:2\npython 2:2.5\n",
    "2 qid:1 5:2 3:3\n",
];

fn main() {
    receipts();
    for (number, rows) in ROWS.iter().enumerate() {
        save("text", &format!("row-{number}"), rows.as_bytes());
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, full) in [("mslr", 31_531), ("ylr2", 1_266), ("yandex", 9_124), ("np2004", 75), ("mq2008", 784)] {
        let dataset = lookalike::generate(&format!("{name}-lookalike"), 2.0 / f64::from(full), 1).expect("it is known");
        let mut text = Vec::new();
        write(&dataset, &WriteOptions::default(), &mut text).expect("memory takes it");
        let lines = text.split_inclusive(|&byte| byte == b'\n').take(3).collect::<Vec<_>>().concat();
        save("text", name, &lines);
        // Padded with comments, so that it is worth a cache.
        let path = folder.path().join(name);
        let mut short: Vec<u8> = text.split_inclusive(|&byte| byte == b'\n').take(20).collect::<Vec<_>>().concat();
        short.resize(short.len() + (64 << 10), b'\n');
        fs::write(&path, short).expect("it is written");
        let options = OpenOptions { cache: Some(folder.path().join("cache")), ..OpenOptions::default() };
        open(&[path.to_str().expect("text")], &options).expect("it is read");
    }
    for (number, entry) in fs::read_dir(folder.path().join("cache")).expect("caches").enumerate() {
        let bytes = fs::read(entry.expect("a cache").path()).expect("it is read");
        assert!(letor_io::fuzz::cache(&bytes), "it is sound");
        save("cache", &format!("cache-{number}"), &bytes);
    }
}

/// Receipts of lists of three, with ties, each after a byte for the clicks and without its checksum, which the target adds.
fn receipts() {
    let lists = [[3.0, 2.0, 2.0, 0.0], [0.0, 1.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0]];
    let lists = lists.map(|scores| ListBuf::from_scores(&scores).expect("scores"));
    let mut generator = Generator::seed_from_u64(1);
    let add = |name: String, receipt: Receipt| {
        let bytes = receipt.to_bytes();
        save("receipt", &name, &[&[0b101], &bytes[..bytes.len() - 4]].concat());
    };
    for name in AnyInterleaving::NAMES {
        let method: AnyInterleaving = name.parse().expect("it is known");
        let two = [lists[0].as_list(), lists[1].as_list()];
        let (_, kept) = method.draw(two, 3, &mut generator, &mut Default::default());
        add(format!("interleaving-{}", name.replace(':', "-")), kept.into());
    }
    for name in AnyMultileaving::NAMES {
        let method: AnyMultileaving = name.replace("10000", "50").parse().expect("it is known");
        let all: Vec<RankedList<'_>> = lists.iter().map(ListBuf::as_list).collect();
        let (_, kept) = method.draw(&all, 3, &mut generator, &mut Default::default());
        add(format!("multileaving-{}", name.replace(':', "-")), kept.into());
    }
}

fn save(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(name), bytes).expect("it is written");
}
