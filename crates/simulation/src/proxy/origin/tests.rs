//! Descriptions that are whole, damaged, absent, of others, and found beside links.

use output::mutations::Mutations;
use output::sealed_json::Sealed;
use serde_json::{Value, json};

use super::*;

fn matrix() -> PreferenceMatrix {
    PreferenceMatrix::parse("0.5 0.7\n0.3 0.5").unwrap()
}

fn content(checksum: &str, names: &Value) -> Value {
    json!({
        "command": "proxy",
        "checksum": checksum,
        "min_comparisons": 40,
        "max_comparisons": 50,
        "site": {
            "dataset": {"name": "x", "synthetic": true},
            "rankers": [3, 9],
            "names": names,
            "click": {"model": "perfect"},
        },
        "largest_standard_error": 0.08,
    })
}

fn sealed(value: &Value) -> String {
    serde_json::to_string_pretty(&Sealed::new(value).unwrap()).unwrap()
}

fn described(text: &str) -> MatrixOrigin {
    from_text("P.json", text.as_bytes(), &matrix())
        .unwrap_or_else(|doubt| MatrixOrigin { doubt: Some(("P.json".to_owned(), doubt)), ..MatrixOrigin::default() })
}

#[test]
fn only_the_description_of_this_matrix_counts() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let of = |name: &str| matrix_origin(&folder.path().join(name), &matrix());
    assert_eq!(of("P.npy"), MatrixOrigin::default());
    let checksum = matrix_checksum(&matrix(), true);
    write("P.json", &sealed(&content(&checksum, &json!([]))));
    for name in ["P.npy", "P.txt", "P.counts.npz"] {
        let origin = of(name);
        let account = origin.account().unwrap();
        assert_eq!((account.file.as_str(), account.rankers.len(), account.min_comparisons), ("P.json", 2, 40));
        assert!(origin.note(name).is_some_and(|note| note.contains("estimated on x")));
        assert_eq!((origin.remark(Path::new(name)), origin.synthetic()), (None, Some(true)));
        // Without a z: three standard errors are .24.
        assert!(account.unresolved_note(0.2, true).is_some() && account.unresolved_note(0.25, true).is_none());
        let exact = MatrixAccount { winner_z: Some(2.9), ..account.clone() };
        assert!(exact.unresolved_note(0.25, true).is_some_and(|text| text.contains("NOT RESOLVED (z = 2.9")));
        assert!(exact.unresolved_note(0.25, false).is_none(), "z is that of all arms");
    }
    write("N.json", &sealed(&content(&checksum, &json!([null, "a \"b\", c"]))));
    assert_eq!(of("N.npy").names().unwrap().iter().collect::<Vec<_>>(), [None, Some("a \"b\", c")]);
    for wrong in [json!(["a"]), json!(["a", "a"])] {
        write("N.json", &sealed(&content(&checksum, &wrong)));
        assert_eq!(of("N.npy").names(), None, "{wrong}");
    }
    write("Q.json", &sealed(&content("0", &json!([]))));
    let remark = of("Q.npy").remark(Path::new("Q.npy")).unwrap();
    assert!(remark.contains("Q.json describes another matrix than Q.npy"), "{remark}");
    assert_eq!(of("Q.npy").synthetic(), None);
}

#[test]
fn every_doubt_is_named_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("P.npy");
    let account = content(&matrix_checksum(&matrix(), true), &json!([]));
    let (unsealed, whole) = (account.to_string(), sealed(&account));
    let doubt = |text: Option<&str>| {
        let account = folder.path().join("P.json");
        match text {
            Some(text) => std::fs::write(&account, text).unwrap(),
            None => std::fs::remove_file(&account).unwrap(),
        }
        let origin = matrix_origin(&path, &matrix());
        let remark = origin.remark(&path).unwrap_or_default();
        assert!(!remark.contains('\n'), "{remark}");
        (origin.doubt().cloned(), origin.synthetic(), remark, origin.note("P.npy").unwrap_or_default())
    };
    let (none, synthetic, remark, note) = doubt(Some(&whole));
    assert!(none.is_none() && synthetic == Some(true) && remark.is_empty() && note.contains("synthetic data"));
    for (text, expected, said, noted) in [
        (whole[..whole.len() / 2].to_owned(), None, "P.json cannot be read (it is cut off", "P.json cannot be read"),
        ("{}".to_owned(), Some(Doubt::Foreign), "is not what `rankduel proxy` writes", "is not what"),
        ("{\"command\": \"bandit\"}".to_owned(), Some(Doubt::Foreign), "is not what", "is not what"),
        ("{\"synthetic\": false}".to_owned(), Some(Doubt::Foreign), "is not what", "is not what"),
        ("{\"names\": [\"a\"]}".to_owned(), Some(Doubt::Foreign), "is not what", "is not what"),
        (unsealed, Some(Doubt::Unsealed), "has no seal and is ignored", "has no seal"),
        (whole.replace("true", "false"), Some(Doubt::Changed), "was changed since it was written", "was changed"),
    ] {
        let (found, synthetic, remark, note) = doubt(Some(&text));
        assert!(expected.is_none() || found == expected, "{text}: {found:?}");
        assert_eq!(synthetic, None, "{text}");
        assert!(remark.contains(said) && remark.contains("synthetic data is not known"), "{text}: {remark}");
        assert!(note.contains(noted), "{text}: {note}");
    }
    // By hand.
    let (found, synthetic, remark, note) = doubt(Some("{\"names\": [\"a\", null]}"));
    assert_eq!((found, synthetic, note), (Some(Doubt::NamesAlone), None, String::new()));
    assert!(remark.contains("only names the arms"), "{remark}");
    // Gone, beside the state of the matrix.
    std::fs::write(folder.path().join("P.state"), "").unwrap();
    let (found, _, remark, note) = doubt(None);
    assert_eq!(found, Some(Doubt::Missing));
    assert!(remark.contains("P.json is missing") && note.contains("P.json is missing"), "{remark}");
    let (found, synthetic, _, note) = doubt(Some("{\"names\": [\"a\", null]}"));
    assert_eq!((found, synthetic), (Some(Doubt::NamesInstead), None));
    assert!(note.contains("only names its arms"), "{note}");
}

/// Wherever the matrix lies and whatever it is called, its description is found or missed.
#[cfg(unix)]
#[test]
fn descriptions_are_found_beside_links_and_under_any_name() {
    use std::ffi::OsStr;
    use std::os::unix::{ffi::OsStrExt as _, fs::symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    let text = sealed(&content(&matrix_checksum(&matrix(), true), &json!([])));
    let synthetic = |path: &Path| matrix_origin(path, &matrix()).synthetic();
    for name in [&b"P"[..], b"X.counts", b"N\xff", b"a.b", b"counts"] {
        std::fs::write(at(&[name, b".json"].concat()), &text).unwrap();
        assert_eq!(synthetic(&at(&[name, b".npy"].concat())), Some(true), "{name:?}");
    }
    assert_eq!(synthetic(&at(b"P.counts.npz")), Some(true));
    std::fs::write(at(b"P.npy"), "").unwrap();
    symlink(at(b"P.npy"), at(b"L.npy")).unwrap();
    assert_eq!(synthetic(&at(b"L.npy")), Some(true));
    // Counts alone are those of `rankduel proxy`, and a link to nothing is not a description.
    let doubt = |path: &Path| matrix_origin(path, &matrix()).doubt().cloned();
    std::fs::write(at(b"C.counts.npz"), "").unwrap();
    assert_eq!(doubt(&at(b"C.counts.npz")), Some(Doubt::Missing));
    assert_eq!(doubt(&at(b"C.txt")), Some(Doubt::Missing));
    symlink(at(b"nowhere"), at(b"D.json")).unwrap();
    assert!(matches!(doubt(&at(b"D.npy")), Some(Doubt::Unreadable(_))));
    assert_eq!(doubt(&at(b"own.npy")), None);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_description_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("P.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (send, receive) = std::sync::mpsc::channel();
    let path = folder.path().join("P.npy");
    std::thread::spawn(move || send.send(matrix_origin(&path, &matrix()).remark(&path)).unwrap());
    let remark = receive.recv_timeout(std::time::Duration::from_secs(60)).expect("nothing waits").unwrap();
    assert!(remark.contains("P.json cannot be read (it is a pipe"), "{remark}");
}

#[test]
fn no_mutation_of_a_description_takes_the_word_synthetic_away_without_a_remark() {
    let value = content(&matrix_checksum(&matrix(), true), &json!(["a", "b"]));
    let whole = sealed(&value);
    let honest = described(&whole);
    let mut mutations = Mutations::new(5);
    let (mut same, mut remarks) = (0, 0);
    for _ in 0..10_000 {
        let mutated = String::from_utf8_lossy(&mutations.mutate(whole.as_bytes())).into_owned();
        let found = described(&mutated);
        match found.remark(Path::new("P.npy")) {
            None => {
                assert_eq!(found, honest, "{mutated}");
                same += 1;
            }
            Some(remark) => {
                assert!(found.synthetic() == Some(true) || remark.contains("synthetic"), "{mutated}: {remark}");
                remarks += 1;
            }
        }
    }
    assert!(same > 50 && remarks > 5_000, "{same} the same, {remarks} with a remark");
}
