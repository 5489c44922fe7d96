//! Settings given by flags, the environment or a file: any part of them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Deserializer};

use crate::notify::Target;
use crate::store::Location;

use super::{Consent, Network, Settings, parse_duration, parse_listen, parse_network};

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object per line.
    Json,
}

/// How severe a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What failed.
    Error,
    /// What somebody should look at.
    Warn,
    /// Starts, stops, changes of experiments.
    Info,
    /// Every request.
    Debug,
    /// All there is.
    Trace,
}

/// The name of a value, as flags and files write it.
pub(super) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |possible| possible.get_name().to_owned())
}

/// Settings as given: by flags, in the environment, or in a file under the names of the flags with `_`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PartialSettings {
    /// The file with everything, or `postgres://USER@HOST/DATABASE` [required, here or in the configuration]
    #[arg(long, value_name = "FILE", env = "RANKDUEL_STORE", hide_env_values = true)]
    pub store: Option<Location>,
    /// The address to listen at; without keys in the store, one of this machine alone [default: 127.0.0.1:7077]
    #[arg(long, value_name = "ADDRESS:PORT", env = "RANKDUEL_LISTEN", value_parser = parse_listen)]
    #[serde(deserialize_with = "listen")]
    pub listen: Option<SocketAddr>,
    /// An impression that cannot be recorded by then gets the champion's list [default: 250ms]
    #[arg(long, value_name = "TIME", env = "RANKDUEL_DECISION_TIMEOUT", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub decision_timeout: Option<Duration>,
    /// How long a transaction waits for further requests: more of them share one write to the disk [default: 300us]
    #[arg(long, value_name = "TIME", env = "RANKDUEL_BATCH_WINDOW", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub batch_window: Option<Duration>,
    /// Origins whose pages may call the server from a browser, such as `https://shop.example` [default: none]
    #[arg(long, value_name = "ORIGINS", env = "RANKDUEL_ORIGINS", value_delimiter = ',')]
    pub origins: Option<Vec<String>>,
    /// The most bytes of a request's body [default: 1048576]
    #[arg(long, value_name = "BYTES", env = "RANKDUEL_BODY_LIMIT")]
    pub body_limit: Option<usize>,
    /// How long a request may take to arrive [default: 10s]
    #[arg(long, value_name = "TIME", env = "RANKDUEL_REQUEST_TIMEOUT", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub request_timeout: Option<Duration>,
    /// The most connections at a time [default: 1024]
    #[arg(long, value_name = "N", env = "RANKDUEL_CONNECTIONS")]
    pub connections: Option<usize>,
    /// The most open impressions of an experiment; further ones get the champion's list [default: 1000000]
    #[arg(long, value_name = "N", env = "RANKDUEL_OPEN_IMPRESSIONS")]
    pub open_impressions: Option<usize>,
    /// The most requests of one address in a second, 0 for no limit [default: 0]
    #[arg(long, value_name = "N", env = "RANKDUEL_ADDRESS_RATE")]
    pub address_rate: Option<u32>,
    /// The most events of one impression in a second that callers without a key send, 0 for no limit [default: 50]
    #[arg(long, value_name = "N", env = "RANKDUEL_IMPRESSION_RATE")]
    pub impression_rate: Option<u32>,
    /// Addresses or networks of proxies whose Forwarded or X-Forwarded-For is believed, such as `10.0.0.0/8` [default: none]
    #[arg(long, value_name = "NETWORKS", env = "RANKDUEL_TRUSTED_PROXY", value_delimiter = ',', value_parser = parse_network)]
    #[serde(deserialize_with = "networks")]
    pub trusted_proxy: Option<Vec<Network>>,
    /// Where other servers with the same store reach this one, if it is a database [default: the address to listen at]
    #[arg(long, value_name = "HOST:PORT", env = "RANKDUEL_ADVERTISE")]
    pub advertise: Option<String>,
    /// How long the server says that it is not ready, before it stops: what balancers need to notice [default: 0ms]
    #[arg(long, value_name = "TIME", env = "RANKDUEL_DRAIN", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub drain: Option<Duration>,
    /// Post what happens to experiments to this URL of plain HTTP, such as a relay to Slack or mail on this machine [default: nowhere]
    #[arg(long, value_name = "URL", env = "RANKDUEL_NOTIFY")]
    pub notify: Option<String>,
    /// A file with the key that signs these messages, of 16 bytes or more [default: they are not signed]
    #[arg(long, value_name = "FILE", env = "RANKDUEL_NOTIFY_KEY")]
    pub notify_key: Option<PathBuf>,
    /// The form of log lines on standard error [default: text]
    #[arg(long, value_enum, env = "RANKDUEL_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// The least severe log lines to write [default: info]
    #[arg(long, value_enum, env = "RANKDUEL_LOG")]
    pub log_level: Option<LogLevel>,
}

fn listen<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_listen(&text).map(Some).map_err(|error| serde::de::Error::custom(format!("listen is {text:?}: {error}")))
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_duration(&text).map(Some).map_err(serde::de::Error::custom)
}

fn networks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Network>>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let networks: Result<Vec<Network>, String> = texts.iter().map(|text| parse_network(text)).collect();
    networks.map(Some).map_err(serde::de::Error::custom)
}

impl PartialSettings {
    /// Parses the text of a TOML file; `path` is for messages.
    ///
    /// # Errors
    /// One line with the place, the error and the expected value.
    pub fn from_toml(text: &str, path: &Path) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            format!("{}:{line}: {}", path.display(), error.message().replace('\n', " "))
        })
    }

    /// These settings, completed by `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        macro_rules! each {
            ($($field:ident),*) => {
                Self { $($field: self.$field.or(other.$field)),* }
            };
        }
        each! {
            store, listen, decision_timeout, batch_window, origins, body_limit, request_timeout, connections, open_impressions,
            address_rate, impression_rate, trusted_proxy, advertise, drain, notify, notify_key, log_format, log_level
        }
    }

    /// All settings, completed by defaults.
    ///
    /// # Errors
    /// The missing or impossible setting, and the expected value.
    pub fn resolve(self, consent: Consent) -> Result<Settings, String> {
        let store = self.store.filter(|store| !store.is_empty());
        let store = store.ok_or(
            "no store was given; pass --store FILE, set RANKDUEL_STORE, or write `store` into the configuration",
        )?;
        let defaults = Settings::of(store);
        let settings = Settings {
            listen: self.listen.unwrap_or(defaults.listen),
            decision_timeout: self.decision_timeout.unwrap_or(defaults.decision_timeout),
            batch_window: self.batch_window.unwrap_or(defaults.batch_window),
            origins: self.origins.unwrap_or_default().into_iter().filter(|origin| !origin.is_empty()).collect(),
            body_limit: self.body_limit.unwrap_or(defaults.body_limit),
            request_timeout: self.request_timeout.unwrap_or(defaults.request_timeout),
            connections: self.connections.unwrap_or(defaults.connections),
            open_impressions: self.open_impressions.unwrap_or(defaults.open_impressions),
            address_rate: self.address_rate.unwrap_or(defaults.address_rate),
            impression_rate: self.impression_rate.unwrap_or(defaults.impression_rate),
            trusted_proxies: self.trusted_proxy.unwrap_or(defaults.trusted_proxies),
            advertise: self.advertise.filter(|address| !address.is_empty()),
            drain: self.drain.unwrap_or(defaults.drain),
            notify: self.notify.filter(|url| !url.is_empty()),
            notify_key: self.notify_key.filter(|path| !path.as_os_str().is_empty()),
            log_format: self.log_format.unwrap_or(defaults.log_format),
            log_level: self.log_level.unwrap_or(defaults.log_level),
            consent,
            notice: None,
            store: defaults.store,
        };
        match (&settings.notify, &settings.notify_key) {
            (Some(url), _) => drop(Target::new(url, None)?),
            (None, Some(_)) => {
                return Err("notify_key signs messages, but notify does not say where they go".to_owned());
            }
            (None, None) => {}
        }
        for origin in &settings.origins {
            check_origin(origin)?;
        }
        if let Some(address) = &settings.advertise {
            let port =
                address.rsplit_once(':').and_then(|(host, port)| (!host.is_empty()).then(|| port.parse::<u16>()));
            if !matches!(port, Some(Ok(_))) || address.contains('/') {
                return Err(format!("advertise is {address:?}; expected a host and a port, such as 10.0.0.7:7077"));
            }
            if settings.store.file().is_some() {
                return Err("advertise is for a store in a database; one in a file has one server".to_owned());
            }
        }
        let settings_present = [
            ("body_limit", settings.body_limit),
            ("connections", settings.connections),
            ("open_impressions", settings.open_impressions),
        ];
        if let Some((name, _)) = settings_present.into_iter().find(|&(_, value)| value == 0) {
            return Err(format!("{name} is 0; expected at least 1"));
        }
        let between = |name: &str, time: Duration, least: Duration, most: Duration| -> Result<(), String> {
            let range = format!("expected {} to {}", super::text(least), super::text(most));
            if (least..=most).contains(&time) {
                Ok(())
            } else {
                Err(format!("{name} is {}; {range}", super::text(time)))
            }
        };
        between("decision_timeout", settings.decision_timeout, Duration::from_millis(1), Duration::from_secs(60))?;
        between("request_timeout", settings.request_timeout, Duration::from_millis(1), Duration::from_secs(3600))?;
        between("drain", settings.drain, Duration::ZERO, Duration::from_secs(3600))?;
        between("batch_window", settings.batch_window, Duration::ZERO, Duration::from_millis(100))?;
        Ok(settings)
    }
}

/// An origin is the form that browsers send: a scheme and a host, perhaps with a port, and nothing more.
fn check_origin(origin: &str) -> Result<(), String> {
    let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    let is_host = |host: &str| {
        !host.is_empty()
            && host.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b':' | b'[' | b']'))
    };
    match host {
        Some(host) if is_host(host) => Ok(()),
        _ => Err(format!(
            "origins has {origin:?}; expected a scheme and a host in lower case without a path, such as https://shop.example"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_before_the_file_and_the_file_before_defaults() {
        let file = PartialSettings::from_toml(
            "store = 'a.db'\ndecision_timeout = '1s'\norigins = ['http://a.example']",
            Path::new("c.toml"),
        );
        let flags = PartialSettings { store: Some("b.db".into()), ..PartialSettings::default() };
        let settings = flags.or(file.expect("a file")).resolve(Consent::default()).expect("settings");
        assert_eq!(
            (settings.store.to_string(), settings.decision_timeout),
            ("b.db".to_owned(), Duration::from_secs(1))
        );
        assert_eq!(settings.connections, 1024);
        let again = PartialSettings::from_toml(&settings.to_toml(), Path::new("c.toml"))
            .expect("what it writes")
            .resolve(Consent::default());
        assert_eq!(again, Ok(settings));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| PartialSettings::from_toml(text, Path::new("c.toml")).expect_err("a mistake");
        assert!(
            error("store = 'a'\nlisen = 'x'").starts_with("c.toml:2: unknown field `lisen`"),
            "{}",
            error("lisen = 'x'")
        );
        assert!(error("batch_window = '3'").contains("such as 250ms"));
        let listen = error("store = 'a'\nlisten = ':80'");
        assert!(listen.starts_with("c.toml:2: listen is \":80\": expected an address in numbers"), "{listen}");
        let refused = |given: PartialSettings| {
            PartialSettings { store: given.store.clone().or(Some("a".into())), ..given }.resolve(Consent::default())
        };
        for origin in ["*", "shop.example", "https://shop.example/", "https://Shop.example", "null"] {
            let given = PartialSettings { origins: Some(vec![origin.to_owned()]), ..PartialSettings::default() };
            assert!(refused(given).is_err_and(|error| error.contains(origin)), "{origin}");
        }
        assert!(refused(PartialSettings { connections: Some(0), ..PartialSettings::default() }).is_err());
        assert!(
            refused(PartialSettings { decision_timeout: Some(Duration::ZERO), ..PartialSettings::default() }).is_err()
        );
        assert!(PartialSettings::default().resolve(Consent::default()).is_err_and(|error| error.contains("--store")));
    }
}
