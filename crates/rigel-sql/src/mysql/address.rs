//! Where a server is: a connection string, checked, and its form for people.
//!
//! Passwords are never shown, stored or asked for. Must not ask the server for anything.

use mysql::prelude::Queryable as _;
use mysql::{Conn, OptsBuilder};
use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::path_text::{self, printable};
use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

/// The user of a private server.
const LEADER: &str = "root";
const PORT: u16 = 3306;
const CONNECT: Duration = Duration::from_secs(30);
const CONNECT_MS: u32 = 30_000;
/// Where packages put the socket: those of Debian and of MySQL itself, of Red Hat, and a manual build.
const SOCKETS: [&str; 4] =
    ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/run/mysql/mysql.sock", "/tmp/mysql.sock"];
const EXAMPLE: &str =
    "give one such as mysql://user@host:3306/ or 'socket=/run/mysqld/mysqld.sock user=rigel'";
/// Settings that somebody made for all users could end a fill or an idle session, leave a transaction open, or wait
/// hours for a lock. A waiting session ends after at most a year, which is the maximum. Only MariaDB reads the
/// special comment.
const NO_LIMITS: &str = "set autocommit = 1, wait_timeout = 31536000, lock_wait_timeout = 5, sql_mode = '', \
    sql_select_limit = default /*M!, max_statement_time = 0, idle_transaction_timeout = 0 */";

/// How the server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    Socket(String),
    Tcp(String, u16),
}

/// A server.
#[derive(Clone)]
pub struct Address {
    way: Way,
    user: String,
    password: Option<String>,
    /// Selected with the connection, because the user's privileges may require it; the table is in a database of its own.
    database: Option<String>,
    shown: String,
    is_private: bool,
}

/// Without the password.
impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Address").field("shown", &self.shown).finish_non_exhaustive()
    }
}

/// The parts of a connection string.
#[derive(Default)]
struct DsnParts {
    host: Option<String>,
    port: Option<u16>,
    socket: Option<String>,
    user: Option<String>,
    password: Option<String>,
    database: Option<String>,
    /// Without TLS, whatever is between.
    plain: bool,
}

impl Address {
    /// The private server of this socket.
    pub fn private(socket: &Path) -> Self {
        Self {
            way: Way::Socket(socket.to_string_lossy().into_owned()),
            user: LEADER.to_owned(),
            password: None,
            database: None,
            shown: format!("socket={}", path_text::encode(socket)),
            is_private: true,
        }
    }

    /// Parses a connection string; without a password it takes that of the environment (`MYSQL_PWD`).
    ///
    /// # Errors
    /// When it is not one, or requires something that this client does not support.
    pub fn of_user(text: &str) -> Result<Self, Problem> {
        Self::parse(text, std::env::var("MYSQL_PWD").ok().filter(|text| !text.is_empty()))
    }

    fn parse(text: &str, password: Option<String>) -> Result<Self, Problem> {
        let parts = match text.split_once("://") {
            Some((_, rest)) if Product::of_dsn(text) == Some(Product::Mysql) => of_url(rest)?,
            Some(_) => return Err(not_understood()),
            None => of_words(text)?,
        };
        let DsnParts { host, port, socket, user, database, plain, .. } = parts;
        if host.is_some() && socket.is_some() && host.as_deref() != Some("localhost") {
            return Err(Problem::usage("the connection string has both a host and a socket")
                .at("--dsn")
                .next("name one of them"));
        }
        let local = host.as_deref().is_none_or(|host| host == "localhost") && port.is_none();
        let there = || SOCKETS.into_iter().find(|path| Path::new(path).exists()).map(str::to_owned);
        // As the clients of both products: localhost without a port is the socket.
        let socket = socket.or_else(|| there().filter(|_| local));
        let way = match socket {
            Some(path) => Way::Socket(path),
            None => Way::Tcp(host.unwrap_or_else(|| "localhost".to_owned()), port.unwrap_or(PORT)),
        };
        let user = user.unwrap_or_else(|| std::env::var("USER").unwrap_or_else(|_| LEADER.to_owned()));
        let shown = shown(&way, &user, database.as_deref());
        let password = parts.password.or(password);
        let address = Self { way, user, password, database, shown, is_private: false };
        if address.is_remote() && !plain {
            return Err(Problem::usage(
                "the server is on another host, and TLS connections are not supported",
            )
            .at("--dsn")
            .because("the password and all queries would cross the network unencrypted")
            .next("measure on the server's host over its Unix socket; ssl-mode=disabled allows it anyway"));
        }
        Ok(address)
    }

    /// For people and for records: without a password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether a password is given.
    pub(super) const fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// Nobody else uses it.
    pub(super) const fn is_private(&self) -> bool {
        self.is_private
    }

    /// Whether it may be on another host.
    pub(super) fn is_remote(&self) -> bool {
        match &self.way {
            Way::Socket(_) => false,
            Way::Tcp(host, _) => {
                host != "localhost" && !host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
            }
        }
    }

    /// A new session, without limits on its time.
    pub(super) fn connect(&self) -> Result<Conn, mysql::Error> {
        let options = OptsBuilder::new().user(Some(self.user.clone())).pass(self.password.clone());
        let options = options.db_name(self.database.clone()).tcp_connect_timeout(Some(CONNECT));
        // Without it the server is asked for its socket, to connect again.
        let options = options.prefer_socket(false);
        let mut client = Conn::new(match &self.way {
            Way::Socket(path) => options.socket(Some(path.clone())),
            Way::Tcp(host, port) => options
                .ip_or_hostname(Some(host.clone()))
                .tcp_port(*port)
                .tcp_user_timeout_ms(Some(CONNECT_MS)),
        })?;
        client.query_drop(NO_LIMITS)?;
        Ok(client)
    }
}

fn shown(way: &Way, user: &str, database: Option<&str>) -> String {
    let mut parts = match way {
        Way::Socket(path) => vec![format!("socket={path}")],
        Way::Tcp(host, port) => vec![format!("host={host}"), format!("port={port}")],
    };
    parts.extend(database.map(|name| format!("database={name}")));
    parts.push(format!("user={user}"));
    printable(&parts.join(" ")).into_owned()
}

/// `user:password@host:port/database?socket=/path`, after the scheme.
fn of_url(rest: &str) -> Result<DsnParts, Problem> {
    let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
    let (place, database) = rest.split_once('/').unwrap_or((rest, ""));
    // A password may have an at sign that nobody encoded.
    let (login, place) = place.rsplit_once('@').map_or((None, place), |(login, place)| (Some(login), place));
    let mut parts = DsnParts::default();
    if let Some(login) = login {
        let (user, password) = login.split_once(':').map_or((login, None), |(user, rest)| (user, Some(rest)));
        parts.user = Some(decoded(user)?).filter(|user| !user.is_empty());
        parts.password = password.map(decoded).transpose()?.filter(|password| !password.is_empty());
    }
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map(|(host, rest)| (host, rest.strip_prefix(':'))),
        None => Some(place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port)))),
    }
    .ok_or_else(not_understood)?;
    parts.host = Some(decoded(host)?).filter(|host| !host.is_empty());
    parts.port = port.map(number).transpose()?;
    parts.database = Some(decoded(database)?).filter(|name| !name.is_empty());
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or_else(not_understood)?;
        parts.option(name, decoded(value)?)?;
    }
    Ok(parts)
}

/// `socket=/run/mysqld/mysqld.sock user=rigel`.
fn of_words(text: &str) -> Result<DsnParts, Problem> {
    let mut parts = DsnParts::default();
    for word in text.split_whitespace() {
        let (name, value) = word.split_once('=').ok_or_else(not_understood)?;
        parts.option(name, value.to_owned())?;
    }
    Ok(parts)
}

impl DsnParts {
    /// Only names of options are repeated: a word of a string that is not understood may be a part of a password.
    fn option(&mut self, name: &str, value: String) -> Result<(), Problem> {
        match name {
            "host" => self.host = Some(value),
            "port" => self.port = Some(number(&value)?),
            "socket" => self.socket = Some(value),
            "user" => self.user = Some(value),
            "password" => self.password = Some(value),
            "database" | "dbname" => self.database = Some(value),
            "ssl-mode" | "sslmode" => match value.to_ascii_lowercase().as_str() {
                "disabled" | "disable" => self.plain = true,
                "preferred" | "prefer" => {}
                _ => {
                    return Err(Problem::usage(format!(
                        "the connection string has an {name} that is not supported"
                    ))
                    .at("--dsn")
                    .because("TLS connections are not supported, so only disabled and preferred are")
                    .next("measure on the server's host over its Unix socket, without ssl-mode"));
                }
            },
            "ssl-ca" | "ssl-cert" | "ssl-key" | "ssl" | "tls" | "require_ssl" => {
                return Err(Problem::usage(format!(
                    "the connection string contains {name}, which is not supported"
                ))
                .at("--dsn")
                .because("TLS connections are not supported")
                .next("leave it out, and measure on the server's host over its Unix socket"));
            }
            _ => return Err(not_understood()),
        }
        Ok(())
    }
}

fn number(text: &str) -> Result<u16, Problem> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
        Problem::usage("the connection string has an invalid value for port")
            .at("--dsn")
            .next("correct it, or leave it out")
    })
}

/// The text of an URL without its percent signs (RFC 3986, 2.1).
fn decoded(text: &str) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        rest = more;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or_else(not_understood)?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).map_err(|_| not_understood())
}

fn not_understood() -> Problem {
    Problem::usage("this is not a connection string of MySQL or MariaDB").at("--dsn").next(EXAMPLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, Problem> {
        Address::parse(text, Some("from-env".to_owned()))
    }

    #[test]
    fn a_password_is_used_and_never_shown() {
        let url = parse("mysql://anna:sec%40ret@db.example:3307/shop?ssl-mode=DISABLED").unwrap();
        assert_eq!(url.shown(), "host=db.example port=3307 database=shop user=anna");
        assert_eq!(url.password.as_deref(), Some("sec@ret"));
        assert!(url.is_remote() && !format!("{url:?}").contains("sec@ret"));
        let words = parse("socket=/s/mysqld.sock user=anna").unwrap();
        assert_eq!(words.shown(), "socket=/s/mysqld.sock user=anna");
        assert_eq!(words.password.as_deref(), Some("from-env"));
        let odd = parse("mariadb://anna:a@b@127.0.0.1").unwrap();
        assert_eq!(
            (odd.shown(), odd.password.as_deref()),
            ("host=127.0.0.1 port=3306 user=anna", Some("a@b"))
        );
        let six = parse("mysql://anna@[::1]:3310/").unwrap();
        assert_eq!(six.shown(), "host=::1 port=3310 user=anna");
        assert!(!six.is_remote() && !words.is_remote());
        let socket = parse("mysql://anna@localhost/shop?socket=%2Fs%2Fm.sock").unwrap();
        assert_eq!(socket.shown(), "socket=/s/m.sock database=shop user=anna");
    }

    #[test]
    fn what_cannot_be_done_is_refused_without_repeating_it() {
        for (text, part) in [
            ("mysql://a:secret@db.example/d", "on another host"),
            ("mysql://a:secret@h/d?ssl-mode=verify_ca", "an ssl-mode that is not supported"),
            ("mysql://a:secret@h/d?ssl-ca=secret", "contains ssl-ca"),
            ("mysql://a:secret@h:port/d", "an invalid value for port"),
            ("mysql://a:secret@h/d?secret=y", "not a connection string"),
            ("mysql://a:secret%zz@localhost", "not a connection string"),
            ("mysql://a:secret@[::1", "not a connection string"),
            ("postgresql://a:secret@h/d", "not a connection string"),
            ("user=a secret", "not a connection string"),
            ("host=h socket=/secret user=a", "both a host and a socket"),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!(problem.kind.code(), 2, "{text}");
            let told = problem.to_string();
            assert!(told.contains(part) && !told.contains("secret"), "{told}");
        }
    }
}
