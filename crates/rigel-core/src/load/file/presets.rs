//! Loads of well-known databases, selected by a word instead of a file: load files in the source tree, each with the sources of its figures.
//!
//! Must not open a file; the caller decides which of the two was meant.

use crate::nearest::nearest;

/// Databases whose I/O is like that of another one, and short names.
const RELATIVES: [(&str, &str); 7] = [
    ("mariadb", "mysql"),
    ("percona", "mysql"),
    ("innodb", "mysql"),
    ("pg", "postgresql"),
    ("pgsql", "postgresql"),
    ("timescaledb", "postgresql"),
    ("ora", "oracle"),
];

/// A load that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The word that names it.
    pub name: &'static str,
    /// The load file, with its comments.
    pub text: &'static str,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 3] = [
        Self { name: "postgresql", text: include_str!("presets/postgresql.toml") },
        Self { name: "mysql", text: include_str!("presets/mysql.toml") },
        Self { name: "oracle", text: include_str!("presets/oracle.toml") },
    ];

    /// The preset with this name, in upper or lower case.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name.eq_ignore_ascii_case(word))
    }

    /// The name nearest to a word, or that of the database it is related to.
    pub fn nearest(word: &str) -> Option<&'static str> {
        let relative = RELATIVES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        relative.map(|(_, preset)| *preset).or_else(|| nearest(word, Self::ALL.map(|preset| preset.name)))
    }

    /// `postgresql, mysql or oracle`.
    pub fn names() -> String {
        let [first @ .., last] = Self::ALL.map(|preset| preset.name);
        format!("{} or {last}", first.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::file::read;
    use crate::load::matrix::RunLevel;
    use crate::load::request::Request;

    #[test]
    fn every_preset_is_a_load_that_can_be_run_and_says_where_each_figure_is_from() {
        for Preset { name, text } in Preset::ALL {
            let load = read(name, text.as_bytes()).unwrap();
            let names: Vec<&str> = load.classes.iter().map(|class| class.name.name()).collect();
            for kind in ["pages", "log", "scans"] {
                assert!(names.contains(&kind), "{name}: {names:?}");
            }
            assert_eq!(read("again", load.text("again").as_bytes()), Ok(load.clone()), "{name}");
            let request = load.request(Request::new(RunLevel::Load)).unwrap();
            assert!(request.classes.iter().any(|class| class.is_open()), "{name}: a rate can be searched");
            let figures = text.lines().filter(|line| {
                ["size =", "write = ", "sync =", "stream_ios ="].iter().any(|key| line.starts_with(key))
            });
            for line in figures.filter(|line| !line.starts_with("write = 100")) {
                assert!(line.contains('#'), "{name}: {line}");
            }
            assert!(text.lines().all(|line| line.chars().count() <= 130), "{name}");
        }
    }

    #[test]
    fn a_word_names_a_preset_and_a_slip_the_nearest() {
        assert_eq!(Preset::named("PostgreSQL").map(|preset| preset.name), Some("postgresql"));
        assert_eq!((Preset::named("shop"), Preset::named("postgres")), (None, None));
        for (typed, meant) in [
            ("postgres", Some("postgresql")),
            ("mysq", Some("mysql")),
            ("orcale", Some("oracle")),
            ("MariaDB", Some("mysql")),
            ("pg", Some("postgresql")),
            ("mssql", None),
            ("sqlserver", None),
            ("db2", None),
            ("mongodb", None),
            ("shop", None),
        ] {
            assert_eq!(Preset::nearest(typed), meant, "{typed}");
        }
        assert!(RELATIVES.iter().all(|(_, preset)| Preset::named(preset).is_some()));
        assert_eq!(Preset::names(), "postgresql, mysql or oracle");
    }
}
