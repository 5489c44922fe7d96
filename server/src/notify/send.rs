//! One message over HTTP.

use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::deliveries::DueMessage;

/// The timeout of a receiver.
const RECEIVER_TIMEOUT: Duration = Duration::from_secs(10);
/// A shorter key could be guessed.
const MIN_KEY_BYTES: usize = 16;

/// Where messages go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: String,
    /// The key that signs messages.
    key: Option<Vec<u8>>,
}

impl Target {
    /// A receiver at this URL, with a key that signs the messages.
    ///
    /// # Errors
    /// If it is not a URL of plain HTTP, or the key is short.
    pub fn new(url: &str, key: Option<Vec<u8>>) -> Result<Self, String> {
        let target = url.strip_prefix("http://").ok_or_else(|| {
            format!(
                "notify is {url:?}; expected http://HOST... of a relay on this machine or in this network, which sends it on: the server \
                 speaks no TLS"
            )
        })?;
        if target.is_empty() || target.starts_with('/') || target.contains(char::is_whitespace) {
            return Err(format!("notify is {url:?}; expected a URL such as http://127.0.0.1:9000/"));
        }
        if key.as_ref().is_some_and(|key| key.len() < MIN_KEY_BYTES) {
            return Err(format!("the key of notify_key has fewer than {MIN_KEY_BYTES} bytes"));
        }
        Ok(Self { url: url.to_owned(), key })
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The signature of a message: HMAC-SHA256 of its number, a point and its body, in hexadecimal.
    #[must_use]
    pub fn signature(&self, id: i64, body: &str) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_deref()?).ok()?;
        mac.update(id.to_string().as_bytes());
        mac.update(b".");
        mac.update(body.as_bytes());
        Some(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Posts a message.
    ///
    /// # Errors
    /// Why it was not taken: no connection, no answer in time, or another status than 2xx.
    pub fn send(&self, message: &DueMessage) -> Result<(), String> {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(RECEIVER_TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        let agent: ureq::Agent = config.into();
        let mut request = agent
            .post(&self.url)
            .header("content-type", "application/json")
            .header("rankduel-delivery", message.id.to_string())
            .header("rankduel-attempt", message.attempt().to_string());
        if let Some(signature) = self.signature(message.id, &message.body) {
            request = request.header("rankduel-signature", format!("sha256={signature}"));
        }
        let answer = request.send(&message.body).map_err(|error| error.to_string())?;
        if answer.status().is_success() { Ok(()) } else { Err(format!("status {}", answer.status().as_u16())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_rfc_2104() {
        // python3 -c "import hmac; print(hmac.new(b'k' * 16, b'7.{}', 'sha256').hexdigest())"
        let target = Target::new("http://127.0.0.1:9/", Some(vec![b'k'; 16])).unwrap();
        assert_eq!(target.signature(7, "{}").unwrap(), SIGNATURE);
        assert_eq!(Target::new("http://127.0.0.1:9/", None).unwrap().signature(7, "{}"), None);
    }

    const SIGNATURE: &str = "54319c0c920794ecf86b47cc66136f83ffcf5b13de3733a9420a788777bd411c";

    #[test]
    fn mistakes_are_named() {
        assert!(Target::new("https://hooks.example/x", None).unwrap_err().contains("the server speaks no TLS"));
        assert!(Target::new("http://", None).unwrap_err().contains("such as http://127.0.0.1:9000/"));
        assert!(Target::new("http://a/", Some(vec![1; 15])).unwrap_err().contains("fewer than 16 bytes"));
    }
}
