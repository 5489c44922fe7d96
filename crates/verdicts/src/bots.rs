//! Bots: rules from a small TOML file.

use serde::{Deserialize, Serialize};

/// Rules for impressions that no user saw. A unit that breaks a rule on a day is a bot from that day on: what it did later
/// never changes what was counted before. For the same reason, only clicks within the window of their impression make a bot.
///
/// ```
/// use verdicts::Bots;
///
/// let bots = Bots::from_toml("max_clicks_per_day = 300\nunit_prefixes = [\"monitor-\"]\nagents = [\"crawler\"]")?;
/// assert!(bots.is_known("monitor-7", None) && bots.is_known("anna", Some("NiceCrawler/1.0")));
/// assert!(!bots.is_known("anna", None));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bots {
    /// More impressions than this on a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_impressions_per_day: Option<u64>,
    /// More clicks than this on the impressions of a day, repeated ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_clicks_per_day: Option<u64>,
    /// More clicks than this on one impression, repeated ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_clicks_per_impression: Option<u64>,
    /// Units by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// Units with names that begin with one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unit_prefixes: Vec<String>,
    /// Units with an agent that contains one of these, in any case. Where rules are read, `@crawlers` stands for [`CRAWLERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "agents")]
    pub agents: Vec<String>,
}

/// Parts of the names under which crawlers, previews of links, monitors and scripts fetch pages. Rules keep the list that they were read
/// with, so that a longer one in a later version changes no result.
pub const CRAWLERS: [&str; 48] = [
    "+http",
    "crawler",
    "spider",
    "googlebot",
    "google-inspectiontool",
    "adsbot-google",
    "mediapartners-google",
    "bingbot",
    "bingpreview",
    "applebot",
    "duckduckbot",
    "yandexbot",
    "sogou web",
    "exabot",
    "qwantify",
    "seznambot",
    "petalbot",
    "bytespider",
    "amazonbot",
    "ccbot",
    "gptbot",
    "oai-searchbot",
    "perplexitybot",
    "archive.org_bot",
    "ia_archiver",
    "ahrefsbot",
    "semrushbot",
    "mj12bot",
    "dotbot",
    "facebookexternalhit",
    "twitterbot",
    "linkedinbot",
    "slackbot",
    "telegrambot",
    "discordbot",
    "pinterestbot",
    "headlesschrome",
    "phantomjs",
    "lighthouse",
    "pingdom",
    "uptimerobot",
    "statuscake",
    "curl/",
    "wget/",
    "python-requests",
    "python-urllib",
    "libwww-perl",
    "scrapy",
];

/// Agents as rules write them, with the crawlers in the place of their name.
fn agents<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let given: Vec<String> = serde::Deserialize::deserialize(deserializer)?;
    let parts = given.into_iter().flat_map(|agent| match agent.as_str() {
        "@crawlers" => CRAWLERS.map(str::to_owned).to_vec(),
        _ => vec![agent],
    });
    Ok(parts.collect())
}

impl Bots {
    /// The rules in the text of a TOML file.
    ///
    /// # Errors
    /// One line with the place in the text.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let place = error.span().map_or_else(String::new, |span| {
                let before = &text[..span.start.min(text.len())];
                let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
                format!("{}:{column}: ", before.matches('\n').count() + 1)
            });
            format!("{place}{}", error.message().replace('\n', " "))
        })
    }

    /// The rules as the text of a TOML file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        // Numbers and lists of texts: each has a form.
        toml::to_string(self).unwrap_or_default()
    }

    /// Whether an impression is of a bot by its unit or agent alone.
    #[must_use]
    pub fn is_known(&self, unit: &str, agent: Option<&str>) -> bool {
        self.is_known_unit(unit) || agent.is_some_and(|agent| self.is_known_agent(agent))
    }

    /// Whether a unit is a bot by its name.
    #[must_use]
    pub fn is_known_unit(&self, unit: &str) -> bool {
        self.units.iter().any(|name| name == unit)
            || self.unit_prefixes.iter().any(|prefix| unit.starts_with(prefix.as_str()))
    }

    /// Whether an agent is that of a bot.
    #[must_use]
    pub fn is_known_agent(&self, agent: &str) -> bool {
        if self.agents.is_empty() {
            return false;
        }
        let agent = agent.to_lowercase();
        self.agents.iter().any(|part| agent.contains(&part.to_lowercase()))
    }

    /// Whether a unit with this number of impressions and clicks on a day, at most `busiest` clicks on one impression, is a bot.
    #[must_use]
    pub fn are_too_many(&self, impressions: u64, clicks: u64, busiest: u64) -> bool {
        let above = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count > limit);
        above(self.max_impressions_per_day, impressions)
            || above(self.max_clicks_per_day, clicks)
            || above(self.max_clicks_per_impression, busiest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_refused() {
        let bots = Bots::from_toml("max_impressions_per_day = 10").unwrap();
        assert!(bots.are_too_many(11, 0, 0) && !bots.are_too_many(10, 99, 99));
        let error = Bots::from_toml("max_clicks_per_day = 3\nmax_click = 2").unwrap_err();
        assert!(error.starts_with("2:1: unknown field `max_click`"), "{error}");
        let crawlers = Bots::from_toml("agents = ['ours', '@crawlers']").unwrap();
        assert_eq!(crawlers.agents.len(), 1 + CRAWLERS.len());
        assert_eq!(Bots::from_toml(&crawlers.to_toml()).unwrap(), crawlers);
        for (agent, is_bot) in [
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", true),
            ("curl/8.5.0", true),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36",
                false,
            ),
            ("Mozilla/5.0 (Linux; Android 9; CUBOT X19) AppleWebKit/537.36 Chrome/119.0 Mobile Safari/537.36", false),
            ("", false),
        ] {
            assert_eq!(crawlers.is_known_agent(agent), is_bot, "{agent}");
        }
        assert!(Bots::from_toml("max_clicks_per_day = -1").unwrap_err().starts_with("1:22: "));
    }
}
