//! The commands, small.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use output::shards::Part;

use crate::common::{Tree, tree};

/// All files in `folder` and below it except timings, which kept runs of experiments contain too; of parts, without their circumstances.
pub(super) fn written_in(folder: &Path) -> Tree {
    let mut files = tree(folder);
    files.retain(|name, _| !name.contains("/runs/"));
    for (_, bytes) in files.iter_mut().filter(|(name, _)| name.ends_with(".part")) {
        let Part { header, body, .. } = Part::decode(bytes).expect("a part");
        *bytes = [serde_json::to_vec(&header).expect("JSON"), body].concat();
    }
    files
}

/// A command that writes, and its inputs.
pub(super) struct Written {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
}

const SITE: &str = "mslr-lookalike:0.003";

pub(super) const COMMANDS: [Written; 16] = [
    Written {
        name: "live",
        arguments: &[
            "--dataset",
            SITE,
            "--rankers",
            "6",
            "--steps",
            "4e4",
            "--runs",
            "4",
            "--algorithms",
            "rucb,random,mdb",
            "--truth-effort",
            "0.05",
            "--cache",
            "cache",
            "--out",
            "out",
        ],
    },
    Written {
        name: "bandit",
        arguments: &[
            "bandit",
            "--problem",
            "arithmetic:k=20",
            "--steps",
            "2e5",
            "--runs",
            "6",
            "--algorithms",
            "rucb,random,dts",
            "--out",
            "out",
        ],
    },
    Written {
        name: "explore then exploit",
        arguments: &[
            "bandit",
            "--problem",
            "arithmetic:k=20",
            "--setting",
            "explore-then-exploit",
            "--horizons",
            "1e3,1e5",
            "--runs",
            "6",
            "--algorithms",
            "rucb,savage,dts",
            "--out",
            "out",
        ],
    },
    Written {
        name: "compare",
        arguments: &[
            "compare",
            "--dataset",
            SITE,
            "--rankers",
            "6",
            "--impressions-per-pair",
            "5000",
            "--steps",
            "2e4",
            "--runs",
            "4",
            "--algorithms",
            "rucb,random",
            "--truth-effort",
            "0.05",
            "--cache",
            "cache",
            "--out",
            "out",
        ],
    },
    Written {
        name: "proxy",
        arguments: &[
            "proxy",
            "--dataset",
            SITE,
            "--rankers",
            "8",
            "--impressions-per-pair",
            "20000",
            "--save-every",
            "0.05",
            "--out",
            "out/P.npy",
        ],
    },
    Written { name: "analyse", arguments: &["analyse", "--matrix", "P.txt", "--samples", "2e5", "--out", "out"] },
    Written { name: "inspect", arguments: &["inspect", SITE, "--out", "out"] },
    Written { name: "export", arguments: &["export", SITE, "--rankers", "1,2,3,4,5,6", "--out", "out"] },
    Written {
        name: "bench",
        arguments: &[
            "bench",
            "--track",
            "a",
            "--problems",
            "order-20,ukp-04",
            "--policies",
            "rucb,random",
            "--runs",
            "3",
            "--out",
            "out",
        ],
    },
    Written {
        name: "sensitivity",
        arguments: &[
            "sensitivity",
            "--dataset",
            SITE,
            "--rankers",
            "10",
            "--draws",
            "20",
            "--impressions-per-draw",
            "200",
            "--out",
            "out",
        ],
    },
    Written {
        name: "distortion",
        arguments: &[
            "distortion",
            "--dataset",
            SITE,
            "--rankers",
            "8",
            "--credit-ties",
            "same",
            "--multileavings",
            "2000",
            "--sets",
            "4",
            "--truth-effort",
            "0.05",
            "--cache",
            "cache",
            "--out",
            "out/d.json",
        ],
    },
    Written { name: "experiment", arguments: &["experiment", "own.toml", "--cache", "cache", "--out", "out"] },
    Written { name: "shard of runs", arguments: SHARD_OF_RUNS },
    Written {
        name: "shard of a matrix",
        arguments: &[
            "proxy",
            "--dataset",
            SITE,
            "--rankers",
            "8",
            "--impressions-per-pair",
            "60000",
            "--save-every",
            "0.05",
            "--shard",
            "1/3",
            "--out",
            "out/P.npy",
        ],
    },
    Written { name: "merge", arguments: &["merge", "out"] },
    Written { name: "report", arguments: &["report", "made", "--out", "out/page.html"] },
];

/// The last word but two is the number of the shard.
const SHARD_OF_RUNS: &[&str] = &[
    "bandit",
    "--problem",
    "arithmetic:k=20",
    "--steps",
    "2e5",
    "--runs",
    "6",
    "--algorithms",
    "rucb,random",
    "--shard",
    "1/2",
    "--out",
    "out",
];

const EXPERIMENT: &str = "title = \"t\"\nkind = \"regret\"\nalgorithms = [\"rucb\", \"random\"]\nsteps = \"2e5\"\nruns = 6\n\n\
    [[setting]]\nname = \"live\"\nplay = \"live\"\nlookalike = \"mq2008-lookalike:0.05\"\nrankers = \"3\"\n\n\
    [[setting]]\nname = \"row\"\nplay = \"problem\"\nproblem = \"arithmetic:k=6\"\n";

impl Written {
    /// Prepares the inputs of the command in `folder`.
    pub(super) fn prepare(&self, folder: &Path) {
        match self.name {
            "analyse" => {
                let entry = |i: usize, j: usize| format!("{:.3} ", 0.5 + 0.012 * (j as f64 - i as f64));
                let row = |i| (0..40).map(|j| entry(i, j)).collect::<String>();
                let rows: Vec<String> = (0..40).map(row).collect();
                fs::write(folder.join("P.txt"), rows.join("\n")).expect("a writable folder");
            }
            "merge" => {
                for shard in ["0/2", "1/2"] {
                    let mut arguments = SHARD_OF_RUNS.to_vec();
                    let at = arguments.len() - 3;
                    arguments[at] = shard;
                    arguments.push("--quiet");
                    assert!(self.with(folder, &arguments).status().expect("sim starts").success());
                }
            }
            "experiment" => fs::write(folder.join("own.toml"), EXPERIMENT).expect("a writable folder"),
            "report" => {
                let small = EXPERIMENT.replace("2e5", "100");
                fs::write(folder.join("small.toml"), small).expect("a writable folder");
                let made = ["experiment", "small.toml", "--cache", "kept", "--out", "made", "--quiet"];
                assert!(self.with(folder, &made).status().expect("sim starts").success());
                // The page shows them.
                fs::remove_file(folder.join("made/small/timings.json")).expect("timings");
            }
            _ => {}
        }
    }

    /// The command in `folder`.
    pub(super) fn command(&self, folder: &Path) -> Command {
        let mut command = self.with(folder, self.arguments);
        command.args(["--quiet"].iter().filter(|_| self.name != "report"));
        command
    }

    fn with(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankduel"));
        command.current_dir(folder).env_remove("RANKDUEL_DATA_DIR").args(arguments).stdout(Stdio::null());
        command
    }

    /// Runs the command to its end in `folder`; returns the number of lines on standard error.
    pub(super) fn complete(&self, folder: &Path) -> usize {
        let run = self.command(folder).stderr(Stdio::piped()).output().expect("sim starts");
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{}: {said}", self.name);
        said.lines().count()
    }
}
