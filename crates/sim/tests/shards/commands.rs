//! The commands that have `--shard`, small.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use output::shards::Shard;
use tempfile::TempDir;

use crate::common::{Tree, sim, text, tree};

const SITE: &str = "mslr-lookalike:0.003";
/// The shards of [`BANDIT`].
pub(super) const SHARDS: u32 = 7;

/// A command in shards, the value of its `--out`, and where its results are then.
pub(super) struct Sharded {
    pub(super) name: &'static str,
    pub(super) shards: u32,
    pub(super) arguments: &'static [&'static str],
    pub(super) out: &'static str,
    pub(super) results: &'static str,
}

pub(super) const BANDIT: Sharded = Sharded {
    name: "bandit",
    shards: SHARDS,
    arguments: &[
        "bandit",
        "--problem",
        "arithmetic:k=10",
        "--steps",
        "3e4",
        "--runs",
        "5",
        "--algorithms",
        "rucb,random,dts",
    ],
    out: "out",
    results: "out",
};

pub(super) const COMMANDS: [Sharded; 11] = [
    BANDIT,
    Sharded {
        name: "explore then exploit",
        shards: 3,
        arguments: &[
            "bandit",
            "--problem",
            "arithmetic:k=10",
            "--setting",
            "explore-then-exploit",
            "--horizons",
            "1e3,1e4",
            "--runs",
            "5",
            "--algorithms",
            "rucb,savage,dts",
        ],
        out: "out",
        results: "out",
    },
    Sharded {
        name: "live",
        shards: 5,
        arguments: &[
            "--dataset",
            SITE,
            "--rankers",
            "6",
            "--steps",
            "1e4",
            "--runs",
            "4",
            "--algorithms",
            "rucb,random,mdb",
            "--cache",
            "cache",
        ],
        out: "out",
        results: "out",
    },
    // Two rounds with replacement, the second shorter; and one stratified round.
    Sharded {
        name: "proxy",
        shards: 5,
        arguments: &[
            "proxy",
            "--dataset",
            SITE,
            "--rankers",
            "6",
            "--impressions-per-pair",
            "110000",
            "--save-every",
            "0.2",
        ],
        out: "out/P.npy",
        results: "out",
    },
    Sharded {
        name: "stratified proxy",
        shards: 3,
        arguments: &[
            "proxy",
            "--dataset",
            SITE,
            "--rankers",
            "6",
            "--impressions-per-pair",
            "20000",
            "--stratify",
            "--save-every",
            "0.1",
        ],
        out: "out/P.npy",
        results: "out",
    },
    Sharded {
        name: "compare",
        shards: 3,
        arguments: &[
            "compare",
            "--dataset",
            SITE,
            "--rankers",
            "5",
            "--impressions-per-pair",
            "2000",
            "--steps",
            "5e3",
            "--runs",
            "4",
            "--algorithms",
            "rucb,random",
            "--cache",
            "cache",
        ],
        out: "out",
        results: "out",
    },
    Sharded {
        name: "bench",
        shards: 3,
        arguments: &[
            "bench",
            "--track",
            "b,c,d",
            "--problems",
            "order-20,ukp-04",
            "--policies",
            "dts,rucb,random",
            "--runs",
            "3",
        ],
        out: "out",
        results: "out",
    },
    Sharded {
        name: "sensitivity",
        shards: 3,
        arguments: &[
            "sensitivity",
            "--dataset",
            SITE,
            "--rankers",
            "10",
            "--draws",
            "20",
            "--impressions-per-draw",
            "100",
        ],
        out: "out",
        results: "out",
    },
    Sharded {
        name: "distortion",
        shards: 3,
        arguments: &[
            "distortion",
            "--dataset",
            SITE,
            "--rankers",
            "8",
            "--credit-ties",
            "same",
            "--multileavings",
            "500",
            "--sets",
            "9",
            "--cache",
            "cache",
        ],
        out: "out/d.json",
        results: "out",
    },
    Sharded {
        name: "experiment",
        shards: 3,
        arguments: &["experiment", "own.toml", "--cache", "cache"],
        out: "out",
        results: "out/own",
    },
    Sharded {
        name: "experiment on distortion",
        shards: 3,
        arguments: &["experiment", "distortion.toml", "--cache", "cache"],
        out: "out",
        results: "out/distortion",
    },
];

const EXPERIMENT: &str = "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb\", \"random\"]\nsteps = \"2e4\"\nruns = 5\n\n\
    [[setting]]\nname = \"live\"\nplay = \"live\"\nlookalike = \"mq2008-lookalike:0.05\"\nrankers = \"3\"\n\n\
    [[setting]]\nname = \"row\"\nplay = \"problem\"\nproblem = \"arithmetic:k=6\"\n";

const DISTORTION: &str = "title = \"t\"\nkind = \"distortion\"\nsizes = [3, 5]\nruns = 8\nmultileavings = 300\n\n\
    [[setting]]\nname = \"d\"\nplay = \"live\"\nlookalike = \"mq2008-lookalike:0.05\"\nrankers = \"8\"\n\
    credit-ties = \"same\"\nclick = [\"perfect\", \"navigational\"]\n";

impl Sharded {
    pub(super) fn run(&self, folder: &Path, more: &[&str]) -> Output {
        self.command(folder, more).output().expect("sim starts")
    }

    pub(super) fn command(&self, folder: &Path, more: &[&str]) -> assert_cmd::Command {
        let mut command = sim(folder);
        command.args(self.arguments).args(["--quiet", "--out", self.out]).args(more);
        command
    }

    /// Prepares the inputs of the command in a new folder.
    pub(super) fn prepare(&self) -> TempDir {
        let folder = TempDir::new().expect("a temporary folder");
        for (name, text) in [("own.toml", EXPERIMENT), ("distortion.toml", DISTORTION)] {
            fs::write(folder.path().join(name), text).expect("a writable folder");
        }
        folder
    }

    pub(super) fn shard(&self, folder: &Path, index: u32) {
        let run = self.run(folder, &["--shard", &format!("{index}/{}", self.shards)]);
        assert!(run.status.success(), "{} {index}: {}", self.name, text(&run.stderr));
        assert!(run.stdout.is_empty(), "{}: {}", self.name, text(&run.stdout));
    }

    /// The folder with the parts in `folder`.
    pub(super) fn parts(&self, folder: &Path) -> PathBuf {
        let of_experiment = self.arguments[0] == "experiment";
        folder.join(format!("{}.shards", if of_experiment { self.results } else { self.out }))
    }

    pub(super) fn part(&self, folder: &Path, index: u32) -> PathBuf {
        self.parts(folder).join(format!("{}.part", Shard { index, of: self.shards }.name()))
    }

    /// Starts a shard, and kills it after a part of `duration`; whether it was still at work.
    pub(super) fn kill(&self, folder: &Path, index: u32, moment: Duration) -> bool {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_rankduel"));
        command.current_dir(folder).env_remove("RANKDUEL_DATA_DIR").env("RANKDUEL_CACHE_DIR", folder.join("caches"));
        let shard = format!("{index}/{}", self.shards);
        command.args(self.arguments).args(["--quiet", "--out", self.out, "--shard", &shard]);
        let mut child = command.spawn().expect("sim starts");
        std::thread::sleep(moment);
        child.kill().expect("it can be killed");
        !child.wait().expect("it ends").success()
    }

    /// Merges, and returns the written files, timings apart, and the output.
    pub(super) fn merged(&self, folder: &Path) -> (Tree, String) {
        let run = sim(folder).args(["merge", &self.parts(folder).display().to_string(), "--quiet"]).output();
        let run = run.expect("sim starts");
        assert!(run.status.success(), "{}: {}", self.name, text(&run.stderr));
        (self.written(folder), text(&run.stdout))
    }

    /// The results in `folder` without the files beside them.
    pub(super) fn written(&self, folder: &Path) -> Tree {
        let mut files = tree(&folder.join(self.results));
        files.retain(|name, _| !name.contains(".shards/"));
        files
    }
}

pub(super) fn equal(name: &str, found: &Tree, expected: &Tree) {
    let names = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{name}");
    for (file, bytes) in expected {
        assert!(found[file] == *bytes, "{name}: {file} differs");
    }
}
