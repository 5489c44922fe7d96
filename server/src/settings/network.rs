//! Networks, as `10.0.0.0/8`.

use std::fmt;
use std::net::IpAddr;

/// A range of addresses with a common prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether an address is one of the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        prefix(address, self.bits) == Some(self.first) || prefix(address.to_canonical(), self.bits) == Some(self.first)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

/// The first `bits` of an address, and zeros; `None` if it has fewer.
#[must_use]
pub fn prefix(address: IpAddr, bits: u8) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            Some(IpAddr::from((address.to_bits() & mask).to_be_bytes()))
        }
        IpAddr::V6(address) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            Some(IpAddr::from((address.to_bits() & mask).to_be_bytes()))
        }
        _ => None,
    }
}

/// Reads a network, or one address.
///
/// # Errors
/// One line with the correct form.
pub fn parse_network(text: &str) -> Result<Network, String> {
    let wrong = || format!("expected an address or a network such as 10.0.0.0/8 or fd00::/8; found {text:?}");
    let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let most = if address.is_ipv4() { 32 } else { 128 };
    let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| wrong()))?;
    let first = prefix(address, bits).ok_or_else(wrong)?;
    if first != address {
        return Err(format!("{text:?} has bits behind its first {bits}; write {first}/{bits}"));
    }
    Ok(Network { first, bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_their_addresses() {
        let contains = |network: &str, address: &str| {
            parse_network(network).expect(network).contains(address.parse().expect("an address"))
        };
        assert!(contains("10.0.0.0/8", "10.255.0.1") && !contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("10.0.0.0/8", "::ffff:10.1.2.3"), "an IPv4 address by IPv6");
        assert!(contains("127.0.0.1", "127.0.0.1") && !contains("127.0.0.1", "127.0.0.2"));
        assert!(contains("0.0.0.0/0", "9.9.9.9") && !contains("0.0.0.0/0", "::1"));
        assert!(contains("fd00::/8", "fd12::1") && !contains("fd00::/8", "fe80::1"));
        assert_eq!(parse_network("10.0.0.0/8").expect("a network").to_string(), "10.0.0.0/8");
        for (text, help) in
            [("10.0.0.1/8", "write 10.0.0.0/8"), ("shop", "such as"), ("10.0.0.0/33", "such as"), ("", "such as")]
        {
            let error = parse_network(text).expect_err(text);
            assert!(error.contains(help), "{text}: {error}");
        }
    }
}
