//! Hosts of a store that may be one under two names: short and with its domain, with a port, in different case.
//!
//! Must not decide whether they are.

use rigel_capacity::KeySummary;
use rigel_core::error::Problem;
use rigel_core::units::say::listed;
use std::net::IpAddr;

/// A name without what tools add: the cluster before it, the port after it.
fn plain(host: &str) -> String {
    let host = host.rsplit_once('/').map_or(host, |(_, host)| host);
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let host = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(host, _)| host);
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether two names may belong to one host. Hosts of two clusters are two, whatever their names; an address has no domain.
fn may_be_one(one: &str, other: &str) -> bool {
    let cluster = |host: &str| host.rsplit_once('/').map(|(cluster, _)| cluster.to_owned());
    if let (Some(one), Some(other)) = (cluster(one), cluster(other))
        && one != other
    {
        return false;
    }
    let (one, other) = (plain(one), plain(other));
    let is_short_of = |short: &str, long: &str| {
        let is_address = long.parse::<IpAddr>().is_ok();
        !is_address
            && !short.is_empty()
            && long.strip_prefix(short).is_some_and(|domain| domain.starts_with('.'))
    };
    one == other || is_short_of(&one, &other) || is_short_of(&other, &one)
}

/// Asks whether hosts that would be added up are one under two names.
///
/// # Errors
/// When two of them may be.
pub fn check(held: &[KeySummary], hosts: &[String], at: &str) -> Result<(), Problem> {
    let pairs = hosts
        .iter()
        .enumerate()
        .flat_map(|(place, one)| hosts[place + 1..].iter().map(move |other| (one, other)));
    let twins: Vec<(&String, &String)> = pairs.filter(|(one, other)| may_be_one(one, other)).collect();
    let Some((one, other)) = twins.first() else { return Ok(()) };
    // Of two names the one with less history is left out.
    let known = |host: &String| -> i64 {
        held.iter()
            .filter(|key| key.key.host == *host)
            .map(|one| one.last_ms - one.first_ms)
            .max()
            .unwrap_or(0)
    };
    let less = |(one, other): &(&String, &String)| {
        if known(one) < known(other) { (*one).clone() } else { (*other).clone() }
    };
    let left_out: Vec<String> = twins.iter().map(less).collect();
    let once: Vec<&String> = hosts.iter().filter(|host| !left_out.contains(host)).collect();
    let joined = |hosts: &[&String]| hosts.iter().map(|host| host.as_str()).collect::<Vec<_>>().join(",");
    Err(Problem::usage(format!(
        "{} may be one host under two names",
        listed(&[(*one).clone(), (*other).clone()])
    ))
    .at(at)
    .because("the load of one host under two names would count twice")
    .next(format!(
        "if it is one, name it once: --host {}; if they are several, name all: --host {}",
        joined(&once),
        joined(&hosts.iter().collect::<Vec<_>>())
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_host_are_known_and_hosts_of_two_names_are_two() {
        for (one, other) in [
            ("db1", "db1.example.com"),
            ("db1", "DB1"),
            ("db1:9100", "db1"),
            ("db1.example.com:9100", "db1"),
            ("db1.example.com.", "db1.example.com"),
            ("east/db1", "db1"),
        ] {
            assert!(may_be_one(one, other) && may_be_one(other, one), "{one} {other}");
        }
        for (one, other) in [
            ("db1", "db2"),
            ("db1", "db10.example.com"),
            ("db1.a.com", "db1.b.com"),
            ("10", "10.0.0.1"),
            ("10.0.0.1", "10.0.0.2"),
            ("east/db1", "west/db1"),
            ("rac1", "rac1-vip"),
        ] {
            assert!(!may_be_one(one, other), "{one} {other}");
        }
    }
}
