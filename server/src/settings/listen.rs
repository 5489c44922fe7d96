//! The address to listen at, as text.

use std::net::{IpAddr, SocketAddr};

/// Reads an address in numbers with a port.
///
/// # Errors
/// One line with the correct form.
pub fn parse_listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let is_port = |port: &str| port.parse::<u16>().is_ok();
        let instead = match text.rsplit_once(':') {
            _ if text.starts_with("unix:") || text.contains('/') => {
                "127.0.0.1:7077 for this machine; the server listens at neither Unix sockets nor URLs".to_owned()
            }
            Some((host, port)) if host.eq_ignore_ascii_case("localhost") && is_port(port) => {
                format!("127.0.0.1:{port}")
            }
            Some(("" | "*", port)) if is_port(port) => everywhere(port),
            _ if is_port(text) => everywhere(text),
            _ if text.eq_ignore_ascii_case("localhost") => "127.0.0.1:7077".to_owned(),
            _ => match text.trim_matches(['[', ']']).parse::<IpAddr>() {
                Ok(address) => SocketAddr::new(address, 7077).to_string(),
                Err(_) => "127.0.0.1:7077 or [::1]:7077".to_owned(),
            },
        };
        format!("expected an address in numbers and a port; write {instead}")
    })
}

fn everywhere(port: &str) -> String {
    format!("127.0.0.1:{port} for this machine alone, or 0.0.0.0:{port} for all that can reach it")
}

#[cfg(test)]
mod tests {
    use super::parse_listen;

    #[test]
    fn addresses_are_numbers_and_other_forms_are_helped() {
        assert!(["127.0.0.1:7077", "[::1]:80", "0.0.0.0:0"].into_iter().all(|text| parse_listen(text).is_ok()));
        for (text, help) in [
            ("localhost:7078", "write 127.0.0.1:7078"),
            ("LOCALHOST", "write 127.0.0.1:7077"),
            (":7078", "write 127.0.0.1:7078 for this machine alone, or 0.0.0.0:7078"),
            ("*:7078", "write 127.0.0.1:7078 for this machine alone, or 0.0.0.0:7078"),
            ("7078", "write 127.0.0.1:7078 for this machine alone, or 0.0.0.0:7078"),
            ("10.0.0.7", "write 10.0.0.7:7077"),
            ("::1", "write [::1]:7077"),
            ("[::1]", "write [::1]:7077"),
            ("unix:/run/rankduel.sock", "Unix sockets"),
            ("/run/rankduel.sock", "Unix sockets"),
            ("http://127.0.0.1:7077", "nor URLs"),
            ("shop.example:7077", "write 127.0.0.1:7077 or [::1]:7077"),
            ("127.0.0.1:70777", "write 127.0.0.1:7077 or [::1]:7077"),
            ("", "write 127.0.0.1:7077"),
        ] {
            let error = parse_listen(text).expect_err(text);
            assert!(
                error.starts_with("expected an address in numbers and a port; write") && error.contains(help),
                "{text}: {error}"
            );
        }
    }
}
