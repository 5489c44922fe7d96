//! Advice on how to get a data set: the one place for the commands of programs that get data.

use std::path::Path;
use std::sync::OnceLock;

use super::Entry;

/// The command of the checkout, which every build of it has.
const XTASK: &str = "cargo xtask fetch-datasets";

static COMMAND: OnceLock<Command> = OnceLock::new();

/// The command with which a program gets data sets.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Command {
    /// Its words up to the name of the data set.
    words: String,
    downloads: bool,
}

/// Sets the command that gets data sets in this program: `command` is its words up to the name of the data set. Without `downloads` it
/// only registers files that users have. The first call counts.
pub fn set_data_command(command: &str, downloads: bool) {
    let _ = COMMAND.set(Command { words: command.to_owned(), downloads });
}

/// What to do to get a data set, in the program and the folder at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    command: Option<Command>,
    /// Whether `cargo xtask` runs in the current folder.
    workspace: bool,
}

impl Advice {
    /// The advice of this process: see [`set_data_command`].
    pub fn of_process() -> Self {
        Self { command: COMMAND.get().cloned(), workspace: has_workspace() }
    }

    /// The words before the name of a data set that is downloaded.
    fn download_words(&self) -> Option<&str> {
        let own = self.command.as_ref().filter(|command| command.downloads).map(|command| command.words.as_str());
        own.or(self.workspace.then_some(XTASK))
    }

    /// The command that registers a copy of the files of the data set `name`, if there is one.
    pub fn register_command(&self, name: &str) -> Option<String> {
        let own = self.command.as_ref().map(|command| command.words.as_str());
        own.or(self.workspace.then_some(XTASK)).map(|words| format!("{words} {name} --from FILE-OR-FOLDER"))
    }

    /// What to do to get `entry`: the commands that get and register it, otherwise where to get the files and where to
    /// put them. `folder` is the one that is searched for it.
    pub fn how_to_get(&self, entry: &Entry, folder: &Path) -> String {
        let name = &entry.name;
        let flag = if entry.matrix.is_some() { "--matrix" } else { "--dataset" };
        let (address, terms) = (first_address(entry), &entry.licence.address);
        match (self.download_words(), self.register_command(name)) {
            (Some(download), Some(register)) => {
                let gets = if entry.is_direct() { "downloads" } else { "explains where to get" };
                format!("`{download} {name}` {gets} it, `{register}` registers a copy")
            }
            (_, Some(register)) => {
                format!("get it from {address} (terms: {terms}) and run `{register}`, or give its files to {flag}")
            }
            (_, None) => format!(
                "get it from {address} (terms: {terms}) and unpack it into {}, or give its files to {flag}",
                folder.display()
            ),
        }
    }

    /// What to do to get the files of `entry` by hand.
    pub fn manual_steps(&self, entry: &Entry) -> String {
        let (name, address, terms) = (&entry.name, first_address(entry), &entry.licence.address);
        let get = format!("get {name} from {address} (terms: {terms})");
        match self.register_command(name) {
            Some(register) => format!("{get}, then run `{register}`"),
            None => get,
        }
    }

    /// What to do in a build that cannot download `entry` itself.
    pub fn instead_of_downloading(&self, entry: &Entry) -> String {
        match self.download_words() {
            Some(download) => format!("this build cannot download: run `{download} {}`", entry.name),
            None => format!(
                "this build cannot download (the Python package and builds with `--features fetch` can): {}",
                self.manual_steps(entry)
            ),
        }
    }

    /// How to get any data set, in one sentence without its full stop.
    pub fn general_sentence(&self) -> String {
        match (self.download_words(), &self.command) {
            (Some(download), _) => format!("`{download} NAME` downloads one, or prints where to get it"),
            (None, Some(Command { words, .. })) => {
                format!("`{words} NAME` prints where to get one, and registers a copy of its files")
            }
            (None, None) => "The error for one that is missing says where to get it".to_owned(),
        }
    }
}

/// The first address of the files, or where to read the terms if there is none.
fn first_address(entry: &Entry) -> &str {
    entry.sources.first().map_or(entry.licence.address.as_str(), |source| &source.address)
}

/// Whether the current folder is in a checkout of the workspace, where `cargo xtask` runs.
fn has_workspace() -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors().any(|folder| folder.join("xtask/Cargo.toml").is_file() && folder.join("datasets").is_dir())
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn advice(command: Option<(&str, bool)>, workspace: bool) -> Advice {
        let command = command.map(|(words, downloads)| Command { words: words.to_owned(), downloads });
        Advice { command, workspace }
    }

    /// One is downloaded, one has to be got by hand, one is a matrix.
    const NAMES: [&str; 3] = ["mslr-web30k", "ylr1", "prefmat-mslr-perfect"];

    #[test]
    fn a_program_that_downloads_advises_itself() {
        for workspace in [false, true] {
            let advice = advice(Some(("prog datasets fetch", true)), workspace);
            for name in NAMES {
                let entry = find(name).unwrap();
                let gets = if entry.is_direct() { "downloads" } else { "explains where to get" };
                assert_eq!(
                    advice.how_to_get(entry, Path::new("/data/x")),
                    format!(
                        "`prog datasets fetch {name}` {gets} it, `prog datasets fetch {name} --from FILE-OR-FOLDER` \
                         registers a copy"
                    )
                );
            }
            assert_eq!(
                advice.general_sentence(),
                "`prog datasets fetch NAME` downloads one, or prints where to get it"
            );
        }
    }

    #[test]
    fn a_program_that_cannot_download_names_one_that_can() {
        let entry = find("mslr-web30k").unwrap();
        let inside = advice(Some(("prog datasets fetch", false)), true);
        assert_eq!(
            inside.instead_of_downloading(entry),
            "this build cannot download: run `cargo xtask fetch-datasets mslr-web30k`"
        );
        let how = inside.how_to_get(entry, Path::new("/data/x"));
        assert!(
            how.starts_with("`cargo xtask fetch-datasets mslr-web30k` downloads it, `prog datasets fetch "),
            "{how}"
        );
        assert!(inside.general_sentence().starts_with("`cargo xtask fetch-datasets NAME` downloads"));

        let outside = advice(Some(("prog datasets fetch", false)), false);
        let register = "`prog datasets fetch mslr-web30k --from FILE-OR-FOLDER`";
        for text in [outside.instead_of_downloading(entry), outside.how_to_get(entry, Path::new("/data/x"))] {
            assert!(
                !text.contains("cargo") && text.contains(first_address(entry)) && text.contains(register),
                "{text}"
            );
        }
        assert!(outside.general_sentence().starts_with("`prog datasets fetch NAME` prints where to get one"));
    }

    #[test]
    fn a_library_without_the_workspace_advises_no_command() {
        for (name, flag) in [("mslr-web30k", "--dataset"), ("prefmat-mslr-perfect", "--matrix")] {
            let entry = find(name).unwrap();
            let text = advice(None, false).how_to_get(entry, Path::new("/data/x"));
            assert!(!text.contains('`') && text.contains(first_address(entry)) && text.contains("/data/x"), "{text}");
            assert!(text.contains(flag), "{text}");
            assert_eq!(advice(None, false).register_command(name), None);
        }
    }

    #[test]
    fn every_advice_is_one_line() {
        for command in [None, Some(("prog fetch", true)), Some(("prog fetch", false))] {
            for workspace in [false, true] {
                let advice = advice(command, workspace);
                for name in NAMES {
                    let entry = find(name).unwrap();
                    for text in [
                        advice.how_to_get(entry, Path::new("/x")),
                        advice.instead_of_downloading(entry),
                        advice.general_sentence(),
                    ] {
                        assert!(!text.contains('\n') && text.contains(' '), "{text}");
                    }
                }
            }
        }
    }
}
