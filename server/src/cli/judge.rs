//! `rankduel-server judge`.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use desk::println;
use judging::{Settings, Texts};
use letor_io::NameList;
use output::usage::usage;

use super::logging;
use crate::judge::{JudgeServer, Links, PublicAddress, Room};
use crate::settings::{LogFormat, LogLevel, parse_listen};

/// A page for judges: two answers side by side, without names
///
/// Each judge has a link, and is asked the pairs of the session as `rankduel next` asks them: keys 1 and 2 name the better answer, 0 says that
/// it is a tie, 9 that both are bad, S skips, U takes back what was last. Every answer is on the disk before the next pair is shown, so
/// that the page can be stopped at any moment. Other programs may use the session meanwhile; `rankduel board FILE` says what all answers
/// amount to.
#[derive(Debug, Args)]
pub(super) struct Judge {
    /// The file of the session, begun by the first call
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    state: PathBuf,

    /// The texts that are compared: a table with the columns item, competitor and text, and question if there is more to say than the item
    /// (CSV or JSON Lines)
    #[arg(long, value_name = "FILE", visible_alias = "answers", value_hint = clap::ValueHint::FilePath)]
    texts: PathBuf,

    /// Who judges: each gets a link
    #[arg(long, value_name = "NAME,...", default_value = "judge")]
    judges: NameList,

    /// Show judges who leads, which may sway them
    #[arg(long)]
    show_leader: bool,

    /// The address to listen at; others than this machine can reach it only if it says so
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7078", value_parser = parse_listen)]
    listen: SocketAddr,

    /// The address at which judges reach the page, if a proxy with TLS is in front of it: links begin with it. The proxy passes on what is
    /// below its path, without the path
    #[arg(long, value_name = "URL")]
    url: Option<PublicAddress>,

    #[command(flatten)]
    settings: Settings,
}

impl Judge {
    pub(super) fn run(self) -> Result<()> {
        logging::start(LogFormat::Text, LogLevel::Warn);
        let texts = Texts::read(&self.texts)?;
        let mut file = self.settings.open(&self.state, true, true, Some(&texts))?;
        texts.agree_with(file.session.config()).map_err(|error| usage(format_args!("--texts: {error}")))?;
        for name in &self.judges.0 {
            file.session.check_judge(Some(name)).map_err(|fault| usage(format_args!("--judges: {fault}")))?;
        }
        file.save()?;
        let links = Links::new(&self.state, &self.judges.0)?;
        let keys = links.keys().to_vec();
        let server = JudgeServer::start(self.listen, self.url, Room::new(file, texts, self.show_leader), links)?;
        let asked = server.asked_to_end()?;
        for (name, key) in keys {
            println!("{name}: {}", server.link(&key));
        }
        println!("answers are in {}; end this with Ctrl-C", self.state.display());
        server.wait_for_end(asked)?;
        server.stop();
        Ok(())
    }
}
