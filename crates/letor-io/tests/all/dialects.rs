//! The same content in every dialect, and everything that must be refused.

use std::fs;

use crate::support::{gzip, read_on, read_text, read_text_with, rows, to_text};
use letor_io::{ErrorKind, Null, Provenance, ReadOptions, SameQid, read_files};

const QUERIES: usize = 60;

fn plain() -> String {
    rows(QUERIES, |label, query, values| format!("{label} qid:q{query}{values}\n"))
}

#[test]
fn every_dialect_gives_the_same_data() {
    let expected = read_text(plain().as_bytes()).unwrap();
    assert_eq!(expected.queries(), QUERIES);
    let checksum = expected.checksum();
    let dialect = |name: &str, text: Vec<u8>| {
        let dataset = read_text(&text).unwrap();
        assert!(dataset == expected && dataset.checksum() == checksum, "{name}");
    };
    let text = |row: &dyn Fn(&str, usize, &str) -> String| rows(QUERIES, row).into_bytes();
    dialect("CRLF", text(&|l, q, v| format!("{l} qid:q{q}{v}\r\n")));
    dialect("trailing blanks", text(&|l, q, v| format!("{l} qid:q{q}{v}  \t\n")));
    dialect("tabs", text(&|l, q, v| format!("{l}\tqid:q{q}{}\n", v.replace(' ', "\t"))));
    dialect("several blanks", text(&|l, q, v| format!("  {l}  qid:q{q}{}\n", v.replace(' ', "   "))));
    dialect("comments", text(&|l, q, v| format!("{l} qid:q{q}{v} #docid = GX{q} inc = 1\n# {v}\n\n")));
    dialect("float labels", text(&|l, q, v| format!("+{l}.0 qid:q{q}{v}\n")));
    let numbered = |row: &dyn Fn(&str, usize, &str) -> String| read_text(&text(row)).unwrap();
    let comments = numbered(&|l, q, v| format!("{l}{v} # {q}\n"));
    assert!(comments == numbered(&|l, q, v| format!("{l} qid:{q}{v}\n")), "ids in comments");
    dialect("byte order mark", [b"\xef\xbb\xbf", plain().as_bytes()].concat());
    dialect("no final newline", plain().trim_end().as_bytes().to_vec());
    dialect("gzip", gzip(plain().as_bytes()));
    let text_in_two = plain();
    let (first, second) = text_in_two.as_bytes().split_at(5000);
    dialect("gzip of two members", [gzip(first), gzip(second)].concat());
    dialect("written", to_text(&expected, true));
    dialect("written with zeros", to_text(&expected, false));
}

#[test]
fn group_sizes_give_the_same_data() {
    let folder = tempfile::tempdir().unwrap();
    let with_ids = rows(QUERIES, |label, query, values| format!("{label} qid:{}{values}\n", query + 1));
    let expected = read_text(with_ids.as_bytes()).unwrap();
    let sizes: String = expected.iter().map(|query| format!("{}\n", query.documents())).collect();
    let path = folder.path().join("rank.train");
    fs::write(&path, rows(QUERIES, |label, _, values| format!("{label}{values}\n"))).unwrap();
    fs::write(folder.path().join("rank.train.query"), &sizes).unwrap();
    let read = |sizes: &str| {
        fs::write(folder.path().join("rank.train.query"), sizes).unwrap();
        read_files("test", &[&path], &ReadOptions::default())
    };
    assert!(read(&sizes).unwrap() == expected);
    let whole = read_files("test", &[folder.path()], &ReadOptions::default()).unwrap();
    assert!(whole == expected);
    let Provenance::Files { skipped, .. } = whole.provenance() else { panic!() };
    assert_eq!(skipped[0].1, "the group sizes of rank.train");

    let (rows, few) = (expected.documents() as u64, read(&sizes[..sizes.len() - 3]).unwrap_err());
    assert_eq!(few.kind(), ErrorKind::QueryId);
    assert!(few.line().unwrap() < rows && few.message().contains("one more than"), "{few}");
    for more in ["1\n", "7\n"] {
        let many = read(&format!("{sizes}{more}")).unwrap_err();
        assert_eq!((many.kind(), many.line()), (ErrorKind::QueryId, Some(rows + 1)));
        assert!(many.message().contains("ends before the last"), "{many}");
    }
    let last = expected.query(QUERIES - 1).documents();
    let cut = sizes.trim_end().rfind('\n').unwrap();
    let many = read(&format!("{}\n{}\n", &sizes[..cut], last + 1)).unwrap_err();
    assert!(many.message().contains("ends before the last"), "{many}");
    assert_eq!(read("3\nx\n").unwrap_err().line(), Some(2));
}

/// Comments are query ids only if they are numbers that rows share: otherwise each document would become a query.
#[test]
fn comments_that_name_documents_are_no_queries() {
    let read = |text: &str, same_qid| read_text_with(text.as_bytes(), &ReadOptions { same_qid, ..Default::default() });
    let rows = |comments: &[&str]| -> String {
        comments.iter().enumerate().map(|(row, comment)| format!("{} {}:1 {comment}\n", row % 2, row + 1)).collect()
    };
    for (comments, line, part) in [
        (&["# doc17", "# doc18", "# doc19"][..], 1, "expected `qid:id` after the label"),
        (&["# doc17", "# doc17"], 1, "`.query` or `.group`"),
        (&["#docid = G1", "#docid = G1"], 1, "expected `qid:id`"),
        (&["# 17 rambo", "# 17 rambo"], 1, "expected `qid:id`"),
        (&["# -17", "# -17"], 1, "expected `qid:id`"),
        (&["# +17", "# +17"], 1, "expected `qid:id`"),
        (&["# 0x17", "# 0x17"], 1, "expected `qid:id`"),
        (&["# 17.0", "# 17.0"], 1, "expected `qid:id`"),
        (&["# 1e5", "# 1e5"], 1, "expected `qid:id`"),
        (&["#", "#"], 1, "expected `qid:id`"),
        (&["# 17", "# 18", "# 19"], 1, "no two rows share the number in their comments"),
        (&["# 17"], 1, "data.txt.query"),
        (&["# 17", "# 17", "# doc18"], 3, "give all rows a `qid:`"),
        (&["# 17", "# 18", "# 17"], 3, "if the comments name documents, give all rows a `qid:`"),
    ] {
        let error = read(&rows(comments), SameQid::Error).expect_err(part);
        assert_eq!(
            (error.kind() == ErrorKind::SameQuery, error.line()),
            (comments.last() == Some(&"# 17") && line == 3, Some(line)),
            "{error}"
        );
        assert!(error.message().contains(part), "{comments:?}: {error}");
    }
    // Before the first row, comments and blank lines count as lines.
    let error = read("# head\n\n1 1:1 # 4\n0 1:2 # 5\n", SameQid::Error).unwrap_err();
    assert_eq!(error.line(), Some(3), "{error}");
    // Numbers that recur apart are shared, if an option says what to make of that.
    let apart = rows(&["# 17", "# 18", "# 17"]);
    assert_eq!(read(&apart, SameQid::Merge).unwrap().query(0).documents(), 2);
    assert_eq!(read(&apart, SameQid::Separate).unwrap().queries(), 3);
    assert_eq!(read(&rows(&["# 007", "# 007", "# 8"]), SameQid::Error).unwrap().query(0).id(), "007");
    // Each file for itself: the queries of one prove nothing about the other.
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [("a.txt", ["# 1", "# 1"]), ("b.txt", ["# 2", "# 3"])].map(|(name, comments)| {
        fs::write(folder.path().join(name), rows(&comments)).unwrap();
        folder.path().join(name)
    });
    let error = read_files("x", &[&one, &other], &ReadOptions::default()).unwrap_err();
    assert_eq!((error.path(), error.line()), (Some(&*other), Some(1)), "{error}");
    // Written rows have a `qid:`.
    let written = to_text(&read(&rows(&["# 5", "# 5"]), SameQid::Error).unwrap(), true);
    assert!(String::from_utf8(written).unwrap().starts_with("0 qid:5 1:1"));
}

#[test]
fn a_qid_that_begins_late_is_refused() {
    for first in ["1 1:1 # 7\n0 1:1 # 7\n", "1 1:1\n"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, format!("{first}0 qid:3 1:2 # 7\n")).unwrap();
        if !first.contains('#') {
            fs::write(folder.path().join("f.query"), "2\n").unwrap();
        }
        let error = read_files("x", &[&path], &ReadOptions::default()).unwrap_err();
        assert_eq!(error.line(), Some(first.lines().count() as u64 + 1), "{error}");
        assert!(error.message().contains("the first row of the file has none"), "{error}");
    }
}

/// Files of group sizes beside rows: of either name, and never against `qid:`.
#[test]
fn group_sizes_never_contradict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.txt");
    let side = |ending: &str| folder.path().join(format!("f.txt.{ending}"));
    let read = |text: &str, query: Option<&str>, group: Option<&str>| {
        fs::write(&path, text).unwrap();
        for (ending, sizes) in [("query", query), ("group", group)] {
            let _ = fs::remove_file(side(ending));
            sizes.iter().for_each(|sizes| fs::write(side(ending), sizes).unwrap());
        }
        read_files("x", &[folder.path()], &ReadOptions::default())
    };
    let (bare, qid) = ("1 1:3\n0 1:1\n1 1:4\n", "1 qid:7 1:3\n0 qid:7 1:1\n# more\n1 qid:9 1:4\n");
    let sizes = |data: letor_io::Dataset| data.iter().map(|query| query.documents()).collect::<Vec<_>>();
    assert_eq!(sizes(read(bare, Some("1\n2\n"), None).unwrap()), [1, 2]);
    assert_eq!(sizes(read(bare, None, Some("2\n1\n")).unwrap()), [2, 1]);
    assert_eq!(sizes(read(bare, Some("2\n1"), Some("2\n\n1\n")).unwrap()), [2, 1]);
    let agreeing = read(qid, Some("2\n1\n"), Some("2\n1\n")).unwrap();
    assert_eq!((agreeing.query(0).id(), agreeing.query(1).id()), ("7", "9"));
    for (text, query, group, line, part) in [
        (bare, Some("2\n1\n"), Some("1\n2\n"), None, "f.txt.query counts 2 rows and "),
        (bare, Some("3\n"), Some("3\n1\n"), None, "f.txt.query ends before it and "),
        (qid, Some("1\n2\n"), None, Some(1), "`qid:` gives query 1 of this file 2 rows, but "),
        (qid, None, Some("1\n2\n"), Some(1), "f.txt.group counts 1 row: "),
        (qid, Some("2\n2\n"), None, Some(4), "`qid:` gives query 2 of this file 1 row, but "),
        (qid, Some("2\n"), None, Some(4), "f.txt.query counts none: "),
        (qid, Some("2\n1\n4\n"), None, Some(4), "query 3 of this file none, but "),
    ] {
        let error = read(text, query, group).expect_err(part);
        assert_eq!((error.kind(), error.path(), error.line()), (ErrorKind::QueryId, Some(&*path), line), "{error}");
        assert!(error.message().contains(part) && error.message().contains("delete"), "{error}");
    }
}

#[test]
fn splitting_over_files_changes_nothing() {
    let text = plain();
    let expected = read_text(text.as_bytes()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let at = text.find("qid:q20").unwrap();
    let at = text[..at].rfind('\n').unwrap() + 1;
    fs::write(folder.path().join("b.txt"), &text[at..]).unwrap();
    fs::write(folder.path().join("a.gz"), gzip(&text.as_bytes()[..at])).unwrap();
    fs::create_dir(folder.path().join("c")).unwrap();
    for (name, content) in [("d.txt", ""), ("e.txt", "\n \n"), ("f.txt", "# x\n1 qid:1 1:1\n"), ("g.zip", "PK\x03\x04")]
    {
        fs::write(folder.path().join(name), content).unwrap();
    }
    for threads in [1, 2, 5] {
        let dataset = read_on(threads, &[folder.path()], &ReadOptions::default()).unwrap();
        assert!(dataset == expected, "{threads} threads");
        let Provenance::Files { files, skipped } = dataset.provenance() else { panic!() };
        assert_eq!(files.len(), 2);
        let reasons: Vec<&str> = skipped.iter().map(|(_, reason)| &reason[..]).collect();
        for (reason, expected) in reasons.iter().zip(["a folder", "empty", "blank lines", "a comment", "a zip archive"])
        {
            assert!(reason.contains(expected), "{reason}");
        }
    }
}

#[test]
fn recurring_ids_are_refused_separate_or_merged() {
    let text = b"1 qid:a 1:1\n0 qid:b 1:2 3:1\n\n2 qid:a 2:5\n1 qid:a 1:4e-20\n";
    let error = read_text(text).unwrap_err();
    assert_eq!((error.kind(), error.line(), error.column()), (ErrorKind::SameQuery, Some(4), Some(1)));
    assert!(error.message().contains("query a recurs; it occurs first at") && error.message().contains("data.txt:1:"));
    let with = |same_qid| read_text_with(text, &ReadOptions { same_qid, ..ReadOptions::default() }).unwrap();
    let separate = with(SameQid::Separate);
    assert_eq!(separate.iter().map(|query| query.id()).collect::<Vec<_>>(), ["a", "b", "a"]);
    let merged = read_text(b"1 qid:a 1:1\n2 qid:a 2:5\n1 qid:a 1:4e-20\n0 qid:b 1:2 3:1\n").unwrap();
    assert!(with(SameQid::Merge) == merged);
    let both = read_files("x", &["/dev/null"], &ReadOptions::default());
    assert!(both.is_err(), "an empty file is not a data set");
}

#[test]
fn unlabelled_rows_are_read_and_reported() {
    let dataset = read_text(b"-1 qid:1 1:1\n-1 qid:1 1:2\n").unwrap();
    assert_eq!((dataset.max_label(), dataset.labels()), (-1.0, &[-1.0, -1.0][..]));
    let mixed = letor_io::Statistics::of(&read_text(b"-1 qid:1 1:1\n2 qid:1 1:2\n").unwrap());
    assert_eq!(mixed.unlabelled(), 1);
    assert!(mixed.to_string().contains("UNLABELLED"));
}

#[test]
fn options_are_respected() {
    let text = b"7 qid:1 1:NULL 2:3\n";
    assert!(read_text(text).is_err());
    let options = ReadOptions { max_label: 10.0, null: Null::Zero, features: 9, ..ReadOptions::default() };
    let dataset = read_text_with(text, &options).unwrap();
    assert_eq!((dataset.max_label(), dataset.features()), (7.0, 9));
    assert!(dataset.query(0).is_constant(letor_io::FeatureId(1)));
}

#[test]
fn large_labels_keep_all_digits_or_are_refused() {
    let options = ReadOptions { max_label: 1e10, ..ReadOptions::default() };
    let text = b"2147483648 qid:1 1:1\n0.1 qid:1 1:2\n16777216 qid:1 1:3\n";
    let dataset = read_text_with(text, &options).unwrap();
    let shown = letor_io::Statistics::of(&dataset).to_string();
    assert!(shown.contains("0.1: 1, 16777216: 1, 2147483648: 1"), "{shown}");
    assert_eq!(to_text(&dataset, true), text);
    for label in ["16777217", "2147483647"] {
        let error = read_text_with(format!("{label} qid:1 1:1\n").as_bytes(), &options).unwrap_err();
        assert_eq!((error.kind(), error.line(), error.column()), (ErrorKind::Label, Some(1), Some(1)), "{error}");
        assert!(error.message().contains("more digits than single precision holds"), "{error}");
    }
    let error = read_text_with(b"99999999999 qid:1 1:1\n", &options).unwrap_err();
    assert!(error.message().contains("expected 0 to 10000000000 "), "{error}");
}

/// A name, the text, and the kind, line, column and part of the message of the expected error.
type Bad<'a> = (&'a str, Vec<u8>, ErrorKind, u64, u64, &'a str);

#[test]
fn errors_are_one_line_with_a_place() {
    // As numpy.savez writes: the head of an entry, and its name.
    let npz = b"PK\x03\x04\x2d\0\0\0\0\0\0\0\x21\0........\xff\xff\xff\xff\x09\0\x14\0arr_0.npy";
    use ErrorKind::*;
    let good = "1 qid:1 1:0.5\n";
    let after = |bad: &str| format!("{good}{good}{bad}\n{good}").into_bytes();
    let packed = gzip(plain().as_bytes());
    let cases: Vec<Bad<'_>> = vec![
        ("empty", b"".to_vec(), Format, 1, 1, "found no row"),
        ("only comments", b"# a\n\n# b\n".to_vec(), Format, 1, 1, "found no row"),
        ("many comments", b"# a comment\n".repeat(3 << 19), Format, 1, 1, "found no row"),
        ("too many comments", b"# a comment\n".repeat(6 << 20), Limit, 1, 1, "more than 64 MiB of blank lines"),
        (
            "a small file of many blank lines",
            gzip(&vec![b'\n'; 80 << 20]),
            Limit,
            1,
            1,
            "more than 64 MiB of blank lines",
        ),
        ("feature 0", after("1 qid:1 0:1"), Feature, 3, 9, "feature numbers start at 1"),
        ("descending", after("1 qid:1 2:1 1:1"), Feature, 3, 13, "expected ascending"),
        ("repeated", after("1 qid:1 2:1 2:1"), Feature, 3, 13, "occurs twice"),
        ("not a number", after("1 qid:1 1:abc"), Syntax, 3, 11, "is `abc`"),
        ("label", after("7 qid:1 1:1"), Label, 3, 1, "label `7` is out of range, expected 0 to 4"),
        ("nan", after("1 qid:1 1:nan"), Value, 3, 11, "expected a finite number"),
        ("infinite", after("1 qid:1 1:-Inf"), Value, 3, 11, "expected a finite number"),
        ("NULL", after("1 qid:1 1:NULL"), Value, 3, 11, "--null zero"),
        ("no qid", after("1 1:1"), QueryId, 3, 6, "no query id"),
        ("empty qid", after("1 qid: 1:1"), QueryId, 3, 7, "found no query id"),
        ("long qid", after(&format!("1 qid:{}", "x".repeat(300))), QueryId, 3, 7, "more than 256 bytes"),
        ("bad qid", b"1 qid:\xff\xfe 1:1\n".to_vec(), QueryId, 1, 7, "not text"),
        ("far feature", after("1 qid:1 1000001:1"), Feature, 3, 9, "above 1000000"),
        ("huge feature", after("1 qid:1 99999999999999999999:1"), Feature, 3, 9, "above 1000000"),
        ("words", after("this is not data"), Syntax, 3, 1, "expected a label"),
        ("binary", (0..=255).cycle().take(10_000).collect(), Format, 1, 1, "binary data"),
        ("zip", b"PK\x03\x04....".to_vec(), Format, 1, 1, "is a zip archive, expected text or gzip: unpack it first"),
        ("npz", npz.to_vec(), Format, 1, 1, "is a NumPy .npz archive, expected text or gzip: save one array as .npy"),
        ("parquet", b"PAR1\x15\x04".to_vec(), Format, 1, 1, "is Parquet, expected text or gzip: read it in Python"),
        ("feather", b"ARROW1\0\0".to_vec(), Format, 1, 1, "is an Arrow (Feather) file, expected text"),
        ("tfrecord", b"\x2a\x01\0\0\0\0\0\0abcd\n\x1d".to_vec(), Format, 1, 1, "is a TFRecord file, expected text"),
        ("arrow stream", b"\xff\xff\xff\xff\x98\x03\0\0".to_vec(), Format, 1, 1, "is a stream of Arrow, expected text"),
        ("orc", b"ORC\n\x0b".to_vec(), Format, 1, 1, "is ORC, expected text"),
        ("sqlite", b"SQLite format 3\0\x10".to_vec(), Format, 1, 1, "is a database of SQLite, expected text"),
        ("pickle", b"\x80\x04\x95\x93".to_vec(), Format, 1, 1, "is a pickle of Python, expected text"),
        ("UTF-16", b"\xff\xfe1\0 \0q\0".to_vec(), Format, 1, 1, "is UTF-16 text"),
        ("truncated gzip", packed[..packed.len() / 2].to_vec(), Format, 0, 0, "damaged or truncated"),
        ("gzip of nothing", b"\x1f\x8b".to_vec(), Format, 1, 1, "damaged or truncated"),
        (
            "long line",
            format!("{good}1 qid:1 1:0.{}\n", "5".repeat(10 << 20)).into_bytes(),
            Limit,
            2,
            (4 << 20) + 1,
            "more than 4 MiB",
        ),
        (
            "long line of blanks",
            format!("{good}1 qid:1 {}1:1\n", " ".repeat(10 << 20)).into_bytes(),
            Limit,
            2,
            (4 << 20) + 1,
            "more than 4 MiB",
        ),
        (
            "long line of features",
            format!("{good}1 qid:1{}\n", (1..900_000).map(|f| format!(" {f}:1")).collect::<String>()).into_bytes(),
            Limit,
            2,
            (4 << 20) + 1,
            "more than 4 MiB",
        ),
        (
            "long comment",
            format!("{good}#{}\n", "x".repeat(10 << 20)).into_bytes(),
            Limit,
            2,
            (4 << 20) + 1,
            "more than 4 MiB",
        ),
        (
            "long line without end",
            format!("{good}{}", "x".repeat(10 << 20)).into_bytes(),
            Syntax,
            2,
            1,
            "expected a label",
        ),
        ("comment without id", b"1 1:1 # 7\n1 1:1\n".to_vec(), QueryId, 2, 6, "a number as the whole comment"),
        ("comment of another sort", b"1 1:1 # 7\n1 1:1 # docid = 7\n".to_vec(), QueryId, 2, 7, "as the whole comment"),
    ];
    for (name, text, kind, line, column, part) in cases {
        let error = read_text(&text).expect_err(name);
        let shown = error.to_string();
        assert_eq!(error.kind(), kind, "{name}: {shown}");
        if line > 0 {
            assert_eq!((error.line(), error.column()), (Some(line), Some(column)), "{name}: {shown}");
        }
        assert!(error.line().is_some() && error.column().is_some(), "{name}: {shown}");
        assert!(shown.contains(part) && shown.contains("data.txt:"), "{name}: {shown}");
        assert!(!shown.contains('\n') && shown.len() < 400, "{name}: {shown}");
    }
}

#[test]
fn the_first_error_is_reported_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    // Several pieces each, with an error late in the first file and early in the second.
    let big = |from: usize| rows(700, |label, query, values| format!("{label} qid:{}{values}\n", query + from));
    let (one, two) = (folder.path().join("1"), folder.path().join("2"));
    let lines = big(0).lines().count() as u64;
    fs::write(&one, format!("{}1 qid:x 1:oops\n", big(0))).unwrap();
    fs::write(&two, format!("nonsense\n{}", big(700))).unwrap();
    for threads in [1, 2, 3] {
        let error = read_on(threads, &[&one, &two], &ReadOptions::default()).unwrap_err();
        assert_eq!((error.path(), error.line()), (Some(&*one), Some(lines + 1)), "{threads} threads: {error}");
        let error = read_on(threads, &[&two, &one], &ReadOptions::default()).unwrap_err();
        assert_eq!((error.path(), error.line()), (Some(&*two), Some(1)), "{threads} threads: {error}");
    }
}

#[test]
fn a_missing_file_is_reported() {
    let error = read_files("x", &["no/such/file"], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().starts_with("no/such/file: failed to open"), "{error}");
}

/// Independent of how the text is cut into pieces; found by fuzzing.
#[test]
fn the_first_of_two_errors_is_reported() {
    let text = "0 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n0 qid:1 1:x\n";
    let error = read_text(text.as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.line()), (ErrorKind::SameQuery, Some(3)), "{error}");
    letor_io::fuzz::text(text.as_bytes());
}

/// A pipe that is named is read. One in a folder is not, as it may have no writer; nor are devices.
#[cfg(unix)]
#[test]
fn pipes_are_read_if_named_and_devices_never() {
    let folder = tempfile::tempdir().unwrap();
    let (data, pipe) = (folder.path().join("data.txt"), folder.path().join("pipe"));
    fs::write(&data, plain()).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let expected = read_files("d", &[&data], &ReadOptions::default()).unwrap();
    let of_folder = read_files("d", &[folder.path()], &ReadOptions::default()).unwrap();
    assert!(of_folder == expected);
    let Provenance::Files { skipped, .. } = of_folder.provenance() else { panic!("files") };
    assert_eq!(*skipped, [(pipe.clone(), "a pipe".to_string())]);
    std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&pipe, plain()).unwrap());
        assert!(read_files("d", &[&pipe], &ReadOptions::default()).unwrap() == expected);
    });
    for device in ["/dev/zero", "/dev/null", "/dev/tty"] {
        let error = read_files("d", &[device], &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("is a device or socket, expected a file"), "{error}");
    }
}
