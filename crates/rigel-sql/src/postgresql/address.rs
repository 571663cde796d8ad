//! Where a server is: a connection string, checked, and its form for people.
//!
//! Passwords are never shown, stored or asked for. Must not ask the server for anything.

use postgres::config::{Host, SslMode};
use postgres::{Client, Config, NoTls};
use rigel_core::error::Problem;
use rigel_core::path_text;
use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

/// What the server shows of a session.
const APPLICATION: &str = "rigel";
/// The user of a private server.
pub(super) const LEADER: &str = "rigel";
const CONNECT: Duration = Duration::from_secs(30);
/// Objects that others created in the schema `public` must not be found by the names we use: they would run with our privileges (CVE-2018-1058).
const ONLY_BUILT_IN: &str = "-c search_path=pg_catalog,pg_temp";

/// Settings that somebody made for this user against long queries or idle sessions would end a fill, or a session
/// that pauses. Not every version has all of them.
const NO_LIMITS: &str = "select set_config(name, '0', false) from pg_settings where name in ('statement_timeout', \
    'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')";

/// Options that others take and this client does not, and what takes their place. Only such names are repeated: a word of a string that is not
/// understood may be a part of a password.
const OF_OTHERS: [(&[&str], &str); 4] = [
    (&["service", "servicefile"], "write out the service's host, port, dbname and user"),
    (&["passfile"], "leave it out, and give the password in PGPASSWORD"),
    (
        &[
            "sslcert",
            "sslkey",
            "sslpassword",
            "sslcertmode",
            "sslrootcert",
            "sslcrl",
            "sslcrldir",
            "sslsni",
            "sslcompression",
            "ssl_min_protocol_version",
            "ssl_max_protocol_version",
            "gssencmode",
            "gsslib",
            "gssdelegation",
            "krbsrvname",
        ],
        "leave it out (TLS and GSSAPI are not supported), and measure on the server's host over its Unix socket",
    ),
    (
        &["requirepeer", "require_auth", "client_encoding", "fallback_application_name", "replication"],
        "leave it out",
    ),
];

/// A server, and a database of it.
#[derive(Clone, Debug)]
pub struct Address {
    config: Config,
    shown: String,
}

impl Address {
    /// Reads a connection string, such as `host=/run/postgresql dbname=shop` or `postgresql://user@host/shop`.
    /// `password` is the one of the environment (PGPASSWORD), for a string without one.
    ///
    /// # Errors
    /// When it is not one, or requires what this client does not support.
    pub fn parse(text: &str, password: Option<&str>) -> Result<Self, Problem> {
        let mut config: Config = text.parse().map_err(|error| not_understood(&error))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("/var/run/postgresql");
        }
        if config.get_hosts().len() > 1 {
            return Err(Problem::usage("the connection string names several servers")
                .at("--dsn")
                .next("name the one to measure"));
        }
        if config.get_ssl_mode() == SslMode::Require {
            return Err(Problem::usage("TLS connections are not supported")
                .at("--dsn")
                .because("sslmode=require is given")
                .next("measure on the server's host over its Unix socket"));
        }
        let plain = config.get_ssl_mode() == SslMode::Disable;
        config.ssl_mode(SslMode::Disable);
        if config.get_user().is_none() {
            let user = std::env::var("USER").unwrap_or_else(|_| "postgres".to_owned());
            config.user(&user);
        }
        if let (None, Some(password)) = (config.get_password(), password) {
            config.password(password);
        }
        let address = Self::of(config);
        if address.is_remote() && !plain {
            return Err(Problem::usage(
                "the server is on another host, and TLS connections are not supported",
            )
            .at("--dsn")
            .because("the password and all queries would cross the network unencrypted")
            .next("measure on the server's host over its Unix socket; sslmode=disable allows it anyway"));
        }
        Ok(address)
    }

    /// The same with the password of the environment.
    ///
    /// # Errors
    /// As [`Address::parse`].
    pub fn of_user(text: &str) -> Result<Self, Problem> {
        let password = std::env::var("PGPASSWORD").ok().filter(|text| !text.is_empty());
        Self::parse(text, password.as_deref())
    }

    /// The private server that listens in this directory.
    pub fn private(dir: &Path) -> Self {
        Self::socket(dir, LEADER, "postgres")
    }

    fn socket(dir: &Path, user: &str, database: &str) -> Self {
        let mut config = Config::new();
        config.host_path(dir).user(user).dbname(database);
        Self::of(config)
    }

    fn of(mut config: Config) -> Self {
        // The last one counts.
        let options = config.get_options().map_or_else(String::new, |options| format!("{options} "));
        config.options(&(options + ONLY_BUILT_IN));
        config.application_name(APPLICATION).connect_timeout(CONNECT).tcp_user_timeout(CONNECT);
        let shown = shown(&config);
        Self { config, shown }
    }

    /// For people and for records: without a password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The user name that the server receives.
    pub(crate) fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// Whether it is reached by TCP, even on this host.
    pub(crate) fn is_over_network(&self) -> bool {
        !self.config.get_hostaddrs().is_empty()
            || self.config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)))
    }

    /// Whether it may be on another host.
    pub(crate) fn is_remote(&self) -> bool {
        let local = |host: &Host| match host {
            Host::Unix(_) => true,
            Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        };
        !self.config.get_hosts().iter().all(local)
            || !self.config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
    }

    /// A new session, without limits on its time.
    pub(crate) fn connect(&self) -> Result<Client, postgres::Error> {
        let mut client = self.config.connect(NoTls)?;
        client.batch_execute(NO_LIMITS)?;
        Ok(client)
    }
}

/// What is wrong with a connection string, without showing its values.
fn not_understood(error: &postgres::Error) -> Problem {
    let told = error.source().map(ToString::to_string).unwrap_or_default();
    let of = |kind: &str| told.strip_prefix(kind).and_then(|rest| rest.strip_suffix('`'));
    let wrong = |what: String| Problem::usage(what).at("--dsn");
    if let Some(name) = of("unknown option `") {
        for (names, next) in OF_OTHERS {
            if names.contains(&name) {
                return wrong(format!("the connection string contains {name}, which is not supported"))
                    .because("only options for the address and the session are supported")
                    .next(next);
            }
        }
    }
    match of("invalid value for option `") {
        Some("sslmode") => wrong("the connection string has an sslmode that is not supported".to_owned())
            .because("TLS connections are not supported, so only disable and prefer are")
            .next("measure on the server's host over its Unix socket, without sslmode"),
        // Those names are of the client itself.
        Some(name) => wrong(format!("the connection string has an invalid value for {name}"))
            .next("correct it, or leave it out"),
        None => wrong("this is not a connection string".to_owned())
            .next("give one such as 'host=/run/postgresql dbname=shop' or postgresql://user@host/shop"),
    }
}

fn shown(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    };
    let mut parts: Vec<String> =
        config.get_hosts().iter().map(|found| format!("host={}", host(found))).collect();
    parts.extend(config.get_hostaddrs().iter().map(|found| format!("hostaddr={found}")));
    parts.extend(config.get_ports().iter().map(|port| format!("port={port}")));
    parts.extend(config.get_dbname().map(|name| format!("dbname={name}")));
    parts.extend(config.get_user().map(|user| format!("user={user}")));
    path_text::printable(&parts.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_used_and_never_shown() {
        let shown = |text: &str| Address::parse(text, Some("from-env")).unwrap();
        let url = shown("postgresql://anna:secret@db.example:5433/shop?sslmode=disable");
        assert_eq!(url.shown(), "host=db.example port=5433 dbname=shop user=anna");
        assert_eq!(url.config.get_password(), Some(&b"secret"[..]));
        assert!(url.is_remote());
        let words = shown("dbname=shop user=anna");
        assert_eq!(words.shown(), "host=/var/run/postgresql dbname=shop user=anna");
        assert_eq!(words.config.get_password(), Some(&b"from-env"[..]));
        assert!(!words.is_remote() && !shown("host=localhost user=a").is_remote());
    }

    #[test]
    fn only_what_is_built_in_is_found_whatever_the_user_sets() {
        let options =
            |text: &str| Address::parse(text, None).unwrap().config.get_options().map(str::to_owned);
        assert_eq!(options("user=a").as_deref(), Some(ONLY_BUILT_IN));
        let own = options("user=a options='-c search_path=public -c geqo=off'").unwrap();
        assert_eq!(own, format!("-c search_path=public -c geqo=off {ONLY_BUILT_IN}"));
        let private = Address::socket(Path::new("/tmp"), "a", "b");
        assert_eq!(private.config.get_options(), Some(ONLY_BUILT_IN));
    }

    #[test]
    fn an_option_of_others_is_named_without_its_value() {
        let refused = |text: &str| Address::parse(text, None).unwrap_err().to_string();
        for (text, parts) in [
            ("service=secret", ["contains service, which is not supported", "host, port, dbname and user"]),
            ("dbname=a passfile=/secret user=b", ["contains passfile", "PGPASSWORD"]),
            ("dbname=a sslrootcert=/secret", ["contains sslrootcert", "over its Unix socket"]),
            (
                "postgresql://a@h/d?sslmode=verify-full",
                ["an sslmode that is not supported", "without sslmode"],
            ),
            ("user=a port=secret", ["an invalid value for port", "correct it"]),
            ("user=a secret=b", ["this is not a connection string", "give one such as"]),
        ] {
            let told = refused(text);
            assert!(parts.iter().all(|part| told.contains(part)), "{told}");
            assert!(!told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused_without_repeating_it() {
        for text in [
            "host=a,b user=c",
            "host=db.example user=a password=secret",
            "host=db.example sslmode=prefer user=a password=secret",
            "host=localhost hostaddr=192.0.2.1 user=a",
            "sslmode=require user=a",
            "nonsense password=secret",
            "postgresql://a:secret@h/d?x=y",
        ] {
            let problem = Address::parse(text, None).unwrap_err();
            assert_eq!(problem.kind.code(), 2, "{text}");
            assert!(!problem.to_string().contains("secret"), "{problem}");
        }
    }
}
