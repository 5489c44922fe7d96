//! `rankduel draw`: figures of finished results for papers, and the curves of all runs that some need.

use std::fs;
use std::path::Path;

use crate::common::{files, sim, text};
use tempfile::TempDir;

fn ran(folder: &Path, arguments: &[&str]) -> String {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    assert!(run.status.success(), "{arguments:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

/// The exit code and the line of an error.
fn refused(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let run = sim(folder).args(arguments).output().expect("sim starts");
    let errors = text(&run.stderr);
    assert_eq!(errors.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{arguments:?}: {errors}");
    (run.status.code(), errors)
}

fn svg(folder: &Path, arguments: &[&str]) -> String {
    ran(folder, &[&["draw", "out", "--out", "figure.svg", "--replace"], arguments].concat());
    fs::read_to_string(folder.join("figure.svg")).expect("a figure")
}

/// A finished study in the folder `out`.
fn study(more: &[&str]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let arguments =
        ["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random,mergerucb:p=8", "--steps", "2000"];
    ran(folder.path(), &[&arguments[..], &["--runs", "6", "--out", "out", "--quiet"], more].concat());
    folder
}

#[test]
fn a_study_is_drawn_for_a_column() {
    let folder = study(&[]);
    let before = files(&folder.path().join("out"));
    let caption = ran(folder.path(), &["draw", "out"]);
    assert!(caption.contains("6 arms of 1good5poor; mean of 6 runs; bands: one standard error"), "{caption}");
    let pdf = fs::read(folder.path().join("out/draw.pdf")).expect("a figure");
    let content = text(&pdf);
    assert!(content.starts_with("%PDF-1.5") && content.contains("/MediaBox [0 0 239.76 "), "{}", &content[..60]);
    assert_eq!(content.matches("/FontFile2 ").count(), 2);
    // Nothing else has changed, and the same call gives the same bytes.
    let after = files(&folder.path().join("out"));
    assert_eq!(
        after.iter().filter(|(name, _)| name != "draw.pdf").collect::<Vec<_>>(),
        before.iter().collect::<Vec<_>>()
    );
    ran(folder.path(), &["draw", "out", "--replace"]);
    assert_eq!(fs::read(folder.path().join("out/draw.pdf")).expect("a figure"), pdf);
    ran(folder.path(), &["draw", "out", "--format", "svg,png", "--width", "7in", "--dpi", "100"]);
    let png = fs::read(folder.path().join("out/draw.png")).expect("a figure");
    // A part of a pixel at the edge is a pixel.
    let wide = u32::from_be_bytes(png[16..20].try_into().expect("four bytes"));
    assert!((700..=701).contains(&wide), "{wide}");
}

#[test]
fn flags_change_what_they_say() {
    let folder = study(&[]);
    let folder = folder.path();
    let usual = svg(folder, &[]);
    assert!(usual.contains("width=\"239.76pt\"") && usual.contains(">6 arms of 1good5poor<"));
    assert!(usual.contains(">rucb<") && usual.contains(">mergerucb p=8<") && usual.contains(">10³<"));
    assert!(!svg(folder, &["--no-title"]).contains("1good5poor"));
    assert!(svg(folder, &["--title", "Mine", "--x-label", "duels", "--y-label", "cost"]).contains(">duels<"));
    assert!(svg(folder, &["--axes", "linear"]).contains(">2,000<"));
    let named = svg(folder, &["--relabel", "rucb=RUCB,mergerucb p=8=mergeRUCB"]);
    assert!(named.contains(">RUCB<") && named.contains(">mergeRUCB<") && !named.contains(">rucb<"));
    let one = svg(folder, &["--only", "rucb", "--legend", "outside"]);
    assert!(one.contains(">rucb<") && !one.contains(">random<"));
    // The colour of RUCB, whatever else is drawn.
    let color = |svg: &str, name: &str| {
        let before = svg[..svg.find(name).expect("the name")].rfind("stroke=\"").expect("a sample of its line");
        svg[before + 8..before + 15].to_owned()
    };
    let all = svg(folder, &["--legend", "outside"]);
    assert_eq!(color(&all, ">rucb<"), color(&one, ">rucb<"));
    assert_ne!(color(&all, ">rucb<"), color(&all, ">random<"));
    let bands = |kind: &str| svg(folder, &["--spread", kind]).matches("fill-opacity=\"0.18\"").count();
    assert_eq!(["none", "se", "sd", "range"].map(bands), [0, 3, 3, 3]);
    assert!(!svg(folder, &["--legend", "none"]).contains(">rucb<"));
    let large = svg(folder, &["--font", "10pt"]);
    assert!(large.contains("font-size=\"10\"") && !large.contains("font-size=\"7\""));
}

#[test]
fn quantiles_need_kept_curves_which_do_not_change_results() {
    let folder = study(&[]);
    let (code, line) = refused(folder.path(), &["draw", "out", "--spread", "quantile"]);
    assert_eq!(code, Some(2));
    assert!(line.contains("out has no curves.npz; run its command again with --keep-curves"), "{line}");
    let kept = study(&["--keep-curves"]);
    let [plain, more] = [&folder, &kept].map(|folder| files(&folder.path().join("out")));
    let (archive, others): (Vec<_>, Vec<_>) = more.into_iter().partition(|(name, _)| name == "curves.npz");
    assert_eq!((archive.len(), others), (1, plain));
    let drawn = svg(kept.path(), &["--spread", "quantile"]);
    assert!(drawn.contains("from the 10th to the 90th") || drawn.contains("90th percentile"), "{drawn}");
    // Kept runs are written without being played again, and more runs extend the file.
    let again = ["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random,mergerucb:p=8", "--steps", "2000"];
    ran(folder.path(), &[&again[..], &["--runs", "6", "--out", "out", "--quiet", "--keep-curves"]].concat());
    assert_eq!(fs::read(folder.path().join("out/curves.npz")).expect("curves"), archive[0].1);
    ran(folder.path(), &[&again[..], &["--runs", "8", "--out", "out", "--quiet"]].concat());
    svg(folder.path(), &["--spread", "quantile"]);
    fs::write(folder.path().join("out/curves.npz"), &archive[0].1[..200]).expect("a writable folder");
    let (code, line) = refused(folder.path(), &["draw", "out", "--spread", "quantile"]);
    assert!(code == Some(1) && line.contains("curves.npz is not a file that --keep-curves wrote"), "{line}");
    let explore = ["--setting", "explore-then-exploit", "--horizons", "100", "--keep-curves"];
    let (_, line) = refused(folder.path(), &[&["bandit", "--problem", "1good5poor"], &explore[..]].concat());
    assert!(line.contains("runs.csv has every run at every horizon"), "{line}");
}

#[test]
fn horizons_and_comparisons_are_drawn_side_by_side() {
    let folder = study(&[]);
    let explore = ["--setting", "explore-then-exploit", "--horizons", "100,1000", "--out", "explored", "--quiet"];
    ran(folder.path(), &[&["bandit", "--problem", "1good5poor", "--algorithms", "rucb,random"], &explore[..]].concat());
    ran(folder.path(), &["draw", "explored", "--out", "explored.svg"]);
    let svg = fs::read_to_string(folder.path().join("explored.svg")).expect("a figure");
    assert!(svg.contains("share of runs that recommend the best") && svg.contains(">cumulative regret<"));
    assert_eq!(svg.matches(">horizon (steps)<").count(), 2);
    let data = ["--dataset", crate::common::TINY, "--rankers", "5", "--steps", "1e3", "--impressions-per-pair", "400"];
    let compare = ["compare", "--algorithms", "rucb,random", "--runs", "2", "--out", "compared", "--quiet"];
    ran(folder.path(), &[&compare[..], &data].concat());
    ran(folder.path(), &["draw", "compared", "--out", "compared.svg", "--width", "7in"]);
    let svg = fs::read_to_string(folder.path().join("compared.svg")).expect("a figure");
    assert!(svg.contains(">live<") && svg.contains(">proxy<") && svg.contains("synthetic data"), "{svg}");
    // Without a headline, figures of generated data still carry the note.
    ran(folder.path(), &["draw", "compared/live", "--out", "live.svg", "--no-title"]);
    assert!(fs::read_to_string(folder.path().join("live.svg")).expect("a figure").contains("synthetic data"));
}

#[test]
fn a_grid_of_parameters_is_a_heat_map() {
    let folder = TempDir::new().expect("a temporary folder");
    let grid = "rucb:alpha=0.6,rucb:alpha=0.8,rucb:alpha=0.6:unseen=1,rucb:alpha=0.8:unseen=1,random";
    let size = ["--steps", "1000", "--runs", "2", "--out", "out", "--quiet"];
    ran(folder.path(), &[&["bandit", "--problem", "1good5poor", "--algorithms", grid], &size[..]].concat());
    let svg = svg(folder.path(), &["--heat-map"]);
    for wanted in [">alpha<", ">unseen<", ">0.6<", ">0.8<", ">regret at 1,000 steps<"] {
        assert!(svg.contains(wanted), "{wanted} in {svg}");
    }
    let (code, line) = refused(folder.path(), &["draw", "out", "--heat-map", "--at", "3.5"]);
    assert!(code == Some(2) && line.contains("--at 3.5: there is no such number of steps; there are 1, 2,"), "{line}");
    let (code, line) = refused(folder.path(), &["draw", "out", "--heat-map", "--only", "random"]);
    assert!(code == Some(2) && line.contains("differ in one or two parameters"), "{line}");
}

/// Two pairs of a log; one of them has a day without a winner.
#[test]
fn win_rates_of_logs_are_drawn() {
    let folder = TempDir::new().expect("a temporary folder");
    let folder = folder.path();
    let write = |name: &str, text: &str| fs::write(folder.join("verdict").join(name), text).expect("a writable folder");
    fs::create_dir(folder.join("verdict")).expect("a writable folder");
    let header = "day,first,second,wins,losses,ties,share,low,high,ln_evidence_first,ln_evidence_second,p_value,verdict,contradicted";
    let table = format!(
        "{header}\n2026-11-01,a<b,B,0,0,4,,0.0,1.0,0,0,1,open,false\n2026-11-02,a<b,B,6,4,0,0.6,0.2,0.9,0,0,1,open,false\n\
         2026-11-05,a<b,B,60,40,0,0.6,0.45,0.7,0,0,1,open,false\n2026-11-02,B,C,5,5,0,0.5,0.2,0.8,0,0,1,open,false\n"
    );
    write("config.json", r#"{"command": "click-logs decide"}"#);
    write("decision.json", r#"{"synthetic": true, "warnings": ["one", "two"]}"#);
    write("win-rate.csv", &table);
    ran(folder, &["draw", "verdict", "--out", "figure.svg"]);
    let drawn = fs::read_to_string(folder.join("figure.svg")).expect("a figure");
    for expected in ["a&lt;b over B", "B over C", "days since 2026-11-02", "the log was simulated", "2 warnings"] {
        assert!(drawn.contains(expected), "{expected}: {drawn}");
    }
    for format in ["png", "pdf"] {
        ran(folder, &["draw", "verdict", "--format", format]);
        assert!(folder.join(format!("verdict/draw.{format}")).is_file());
    }
    for (arguments, expected) in [
        (&["draw", "verdict", "--axes", "log"][..], "--axes does not go with win rates"),
        (&["draw", "verdict", "--spread", "sd"], "--spread does not go with win rates"),
        (&["draw", "verdict", "--heat-map"], "no grid of parameters"),
    ] {
        let (code, line) = refused(folder, arguments);
        assert!(code == Some(2) && line.contains(expected), "{arguments:?}: {line}");
    }
    write("win-rate.csv", &table.replace("0.7,0,0,1,open,false", "0.7,0,0,1,first-wins,true"));
    ran(folder, &["draw", "verdict", "--out", "figure.svg"]);
    let drawn = fs::read_to_string(folder.join("figure.svg")).expect("a figure");
    assert!(drawn.contains("later outcomes contradict a verdict"), "{drawn}");
    for (from, to, expected) in [
        ("0.45,0.7", "0.45,7", "line 4, column high: expected a share from 0 to 1, found `7`"),
        ("2026-11-05", "2026-11-31", "line 4, column day: expected a date"),
        ("2026-11-05", "2026-11-01", "line 4: 2026-11-01 comes after a later day"),
    ] {
        write("win-rate.csv", &table.replace(from, to));
        let (code, line) = refused(folder, &["draw", "verdict"]);
        assert!(code == Some(1) && line.contains(expected), "{line}");
    }
}

#[test]
fn mistakes_are_one_line_and_replace_nothing() {
    let folder = study(&[]);
    let folder = folder.path();
    // Its own drawings are replaced, others are not.
    for format in ["pdf", "svg", "png"] {
        ran(folder, &["draw", "out", "--format", format]);
        let name = format!("out/draw.{format}");
        let first = fs::read(folder.join(&name)).expect("a figure");
        ran(folder, &["draw", "out", "--format", format, "--title", "again"]);
        assert!(fs::read(folder.join(&name)).expect("a figure") != first, "{format}");
    }
    fs::write(folder.join("foreign.svg"), "<svg/>").expect("a writable folder");
    fs::create_dir(folder.join("empty")).expect("a writable folder");
    for (arguments, expected) in [
        (
            &["draw", "out", "--out", "foreign.svg"][..],
            "foreign.svg is there, and not a drawing of this command; add --replace",
        ),
        (&["draw", "nowhere"], "nowhere is not a folder"),
        (&["draw", "empty"], "empty holds no results with a figure"),
        (&["draw", "out", "--out", "x.jpg"], "expected a name that ends in .pdf, .svg or .png"),
        (&["draw", "out", "--out", "x.pdf", "--format", "svg"], "x.pdf is a .pdf, but --format svg is asked for"),
        (&["draw", "out", "--out", "x.pdf", "--format", "svg,png"], "--out names one file"),
        (&["draw", "out", "--format", "svg,svg"], "names a format twice"),
        (&["draw", "out", "--format", "eps"], "expected pdf, svg or png, found `eps`"),
        (&["draw", "out", "--width", "3.33"], "expected a length such as 3.33in"),
        (&["draw", "out", "--font", "1pt"], "from 4pt to 72pt"),
        (&["draw", "out", "--font", "40pt", "--out", "y.pdf"], "too large for a figure of 3.330 in"),
        (&["draw", "out", "--height", "1in", "--out", "y.pdf"], "leaves no room for the plots"),
        (&["draw", "out", "--relabel", "rucb"], "such as rucb=RUCB"),
        (
            &["draw", "out", "--relabel", "mdb=MDB", "--out", "y.pdf"],
            "there is no such curve, only rucb; random; mergerucb p=8",
        ),
        (&["draw", "out", "--only", "mdb", "--out", "y.pdf"], "--only mdb: there is no such curve"),
        (&["draw", "out", "--dpi", "5"], "from 20 to 2400"),
        (&["draw", "out", "--at", "5"], "--heat-map"),
    ] {
        let (code, line) = refused(folder, arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {line}");
        assert!(line.contains(expected), "{arguments:?}: {line}");
    }
    assert!(!folder.join("y.pdf").exists() && !folder.join("x.pdf").exists());
    let curves = fs::read_to_string(folder.join("out/curves.csv")).expect("curves");
    let damaged = curves.replacen(",1,6,", ",one,6,", 1);
    fs::write(folder.join("out/curves.csv"), damaged).expect("a writable folder");
    let (code, line) = refused(folder, &["draw", "out", "--replace"]);
    assert_eq!(code, Some(1));
    assert!(line.contains("line 2, column step: expected a whole number, found `one`"), "{line}");
    fs::write(folder.join("out/curves.csv"), "a,b\n1,2\n").expect("a writable folder");
    let (_, line) = refused(folder, &["draw", "out", "--replace"]);
    assert!(line.contains("line 1: expected a column algorithm, found a,b"), "{line}");
}

#[test]
fn experiments_say_in_their_file_how_they_are_printed() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = |draw: &str| {
        let text = format!(
            "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb\", \"random\"]\nsteps = 1000\nruns = 2\n{draw}\n[[setting]]\n\
             name = \"s\"\nplay = \"problem\"\nproblem = \"1good5poor\"\n"
        );
        fs::write(folder.path().join("own.toml"), text).expect("a writable folder");
    };
    let run = || ran(folder.path(), &["experiment", "own.toml", "--out", "results", "--quiet"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("results/own").join(name)).expect("a file");
    file("[draw]\nbands = \"sd\"");
    run();
    let (curves, summary) = (read("curves.csv"), read("summary.json"));
    assert!(!folder.path().join("results/own/draw.svg").exists());
    fs::remove_dir_all(folder.path().join("results/.cache")).expect("kept runs");
    file(
        "[draw]\nbands = \"sd\"\nformat = \"svg\"\nwidth = \"85mm\"\nfont = \"7pt\"\ntitle = false\nrelabel = { rucb = \"RUCB\" }",
    );
    run();
    // Drawn from the numbers in the folder: nothing was played, and the fingerprint of the measurements is the same.
    let measured = |summary: &str| {
        let json: serde_json::Value = serde_json::from_str(summary).expect("JSON");
        json["fingerprint"].as_str().expect("a fingerprint").split('/').next().map(str::to_owned)
    };
    assert_eq!((read("curves.csv"), measured(&read("summary.json"))), (curves, measured(&summary)));
    assert!(!folder.path().join("results/.cache/runs").exists(), "no run was played");
    let drawn = read("draw.svg");
    assert!(
        drawn.contains("width=\"240.945pt\"") && drawn.contains(">RUCB<") && drawn.contains("font-size=\"7\""),
        "{drawn}"
    );
    // `rankduel draw` takes the same keys from the folder; flags win.
    ran(folder.path(), &["draw", "results/own", "--out", "one.svg"]);
    assert_eq!(fs::read_to_string(folder.path().join("one.svg")).expect("a figure"), drawn);
    ran(folder.path(), &["draw", "results/own", "--out", "two.svg", "--font", "9pt", "--relabel", "rucb=Mine"]);
    let two = fs::read_to_string(folder.path().join("two.svg")).expect("a figure");
    assert!(two.contains("font-size=\"9\"") && two.contains(">Mine<"));
    for (key, expected) in [
        ("width = \"wide\"", "line 7, column 9: width: expected a length such as 3.33in"),
        ("format = \"eps\"", "expected pdf, svg or png, found `eps`"),
        ("legend = \"left\"", "legend"),
        ("relabels = { a = \"b\" }", "did you mean `relabel`?"),
    ] {
        file(&format!("[draw]\n{key}"));
        let (code, line) = refused(folder.path(), &["experiment", "own.toml", "--out", "results"]);
        assert!(code == Some(2) && line.contains(expected), "{line}");
    }
}
