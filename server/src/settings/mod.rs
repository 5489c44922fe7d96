//! The settings of a running server: from flags, the environment and a file, in this order. Not here: settings of experiments, which are in
//! `traffic`.

mod consent;
mod duration;
mod listen;
mod network;
mod partial_settings;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

pub use consent::Consent;
pub use duration::{parse_duration, text};
pub use listen::parse_listen;
pub use network::{Network, parse_network, prefix};
pub use partial_settings::{LogFormat, LogLevel, PartialSettings};

use self::partial_settings::name_of;
use crate::store::Location;

/// All settings of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The file or the database.
    pub store: Location,
    /// The address to listen at.
    pub listen: SocketAddr,
    /// A request for an impression that is not answered by then gets the champion's list.
    pub decision_timeout: Duration,
    /// The time that a transaction waits for further requests.
    pub batch_window: Duration,
    /// Pages of other origins that may call the server from a browser.
    pub origins: Vec<String>,
    /// The most bytes of a body.
    pub body_limit: usize,
    /// The time a request may take to arrive.
    pub request_timeout: Duration,
    /// The most connections at a time.
    pub connections: usize,
    /// The most impressions of an experiment that may be open at a time.
    pub open_impressions: usize,
    /// The most requests of one address in a second; 0 for no limit.
    pub address_rate: u32,
    /// The most events of one impression in a second, of callers without a key; 0 for no limit.
    pub impression_rate: u32,
    /// The networks of proxies that are trusted to name their clients.
    pub trusted_proxies: Vec<Network>,
    /// Where other nodes reach this one, if the store is a database; at `listen` if `None`.
    pub advertise: Option<String>,
    /// The time for which the server reports itself not ready before it stops.
    pub drain: Duration,
    /// Where messages about experiments are posted, if anywhere.
    pub notify: Option<String>,
    /// The file with the key that signs them.
    pub notify_key: Option<PathBuf>,
    /// The form of log lines.
    pub log_format: LogFormat,
    /// The least severe log lines that are written.
    pub log_level: LogLevel,
    /// Explicit consent, by flags.
    pub consent: Consent,
    /// The first line of every page, e.g. that time is simulated.
    pub notice: Option<String>,
}

impl Settings {
    /// The default settings for a store.
    #[must_use]
    pub fn of(store: impl Into<Location>) -> Self {
        Self {
            store: store.into(),
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7077),
            decision_timeout: Duration::from_millis(250),
            batch_window: Duration::from_micros(300),
            origins: vec![],
            body_limit: 1 << 20,
            request_timeout: Duration::from_secs(10),
            connections: 1024,
            open_impressions: 1_000_000,
            address_rate: 0,
            impression_rate: 50,
            trusted_proxies: vec![],
            advertise: None,
            drain: Duration::ZERO,
            notify: None,
            notify_key: None,
            log_format: LogFormat::Text,
            log_level: LogLevel::Info,
            consent: Consent::default(),
            notice: None,
        }
    }

    /// The settings as the TOML file that would give them.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let string = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let origins: Vec<String> = self.origins.iter().map(|origin| string(origin)).collect();
        let proxies: Vec<String> = self.trusted_proxies.iter().map(|network| string(&network.to_string())).collect();
        let notify = self.notify.iter().map(|url| format!("notify = {}\n", string(url)));
        let key = self.notify_key.iter().map(|path| format!("notify_key = {}\n", string(&path.display().to_string())));
        let advertise = self.advertise.iter().map(|address| format!("advertise = {}\n", string(address)));
        let messages: String = advertise.chain(notify).chain(key).collect();
        format!(
            "store = {}\nlisten = {}\ndecision_timeout = {}\nbatch_window = {}\norigins = [{}]\nbody_limit = {}\n\
            request_timeout = {}\nconnections = {}\nopen_impressions = {}\naddress_rate = {}\nimpression_rate = {}\ntrusted_proxy = [{}]\ndrain = {}\n{messages}log_format = {}\nlog_level = {}\n",
            string(&self.store.to_string()),
            string(&self.listen.to_string()),
            string(&text(self.decision_timeout)),
            string(&text(self.batch_window)),
            origins.join(", "),
            self.body_limit,
            string(&text(self.request_timeout)),
            self.connections,
            self.open_impressions,
            self.address_rate,
            self.impression_rate,
            proxies.join(", "),
            string(&text(self.drain)),
            string(&name_of(&self.log_format)),
            string(&name_of(&self.log_level)),
        )
    }
}
