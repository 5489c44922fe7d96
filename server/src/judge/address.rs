//! The address of the page for judges: as a proxy shows it, or as it listens.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use axum::http::Uri;

/// The address that links begin with: `http` or `https`, a host, and perhaps a path, below which a proxy passes everything on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicAddress {
    /// With scheme and host, without a slash at the end.
    url: String,
    /// With a slash at both ends.
    path: String,
}

impl PublicAddress {
    /// The address of a page without a proxy.
    #[must_use]
    pub fn direct(address: SocketAddr) -> Self {
        Self { url: format!("http://{address}"), path: "/".to_owned() }
    }

    /// The path below which everything is, with a slash at both ends.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The link of a judge's key.
    #[must_use]
    pub fn link(&self, key: &str) -> String {
        format!("{self}/j/{key}")
    }
}

impl fmt::Display for PublicAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url)
    }
}

impl FromStr for PublicAddress {
    type Err = String;

    /// # Errors
    /// One line with the correct form.
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected the address at which judges reach the page, e.g. https://judge.example.org or https://example.org/judge".to_owned()
        };
        let address: Uri = text.parse().map_err(|_| expected())?;
        let (Some(scheme), Some(host)) = (address.scheme_str(), address.authority()) else { return Err(expected()) };
        if !matches!(scheme, "http" | "https") {
            return Err(expected());
        }
        if address.query().is_some() || text.contains(['#', '@']) {
            return Err(format!("{}, without a user, `?` or `#`", expected()));
        }
        let path = address.path().trim_end_matches('/');
        Ok(Self { url: format!("{scheme}://{host}{path}"), path: format!("{path}/") })
    }
}

#[cfg(test)]
mod tests {
    use super::PublicAddress;

    #[test]
    fn links_begin_with_what_judges_can_reach() {
        for (text, link, path) in [
            ("https://judge.example.org", "https://judge.example.org/j/k", "/"),
            ("https://judge.example.org/", "https://judge.example.org/j/k", "/"),
            ("http://example.org:8080/a/b/", "http://example.org:8080/a/b/j/k", "/a/b/"),
            ("https://[2001:db8::1]/judge", "https://[2001:db8::1]/judge/j/k", "/judge/"),
        ] {
            let address: PublicAddress = text.parse().expect(text);
            assert_eq!((address.link("k").as_str(), address.path()), (link, path));
        }
        for text in [
            "",
            "judge.example.org",
            "ftp://a.org",
            "https://",
            "https://a.org/?x",
            "https://a.org/#x",
            "https://u@a.org",
            "/judge",
        ] {
            let error = text.parse::<PublicAddress>().expect_err(text);
            assert!(error.contains("e.g. https://judge.example.org"), "{text}: {error}");
        }
    }
}
