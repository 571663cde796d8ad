//! Words in place of a target that are not targets: operands of other tools, files that another option reads, names of databases.
//!
//! They are recognised by their spelling. Must not check whether there is such a file.

use crate::path_text::shell_word;

/// What a word is, and what to type instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTarget {
    /// `it is a line of vdbench`
    pub is: &'static str,
    /// The next step.
    pub next: String,
}

/// What the word is if it is not a target. With a directory before it, such as `./if=x`, it is a target.
pub fn no_target(word: &str) -> Option<NoTarget> {
    operand(word).or_else(|| file(word)).or_else(|| database(word))
}

const OF_VDBENCH: [&str; 6] = ["sd", "wd", "rd", "fsd", "fwd", "hd"];
const OF_DD: [&str; 12] =
    ["if", "of", "bs", "ibs", "obs", "count", "skip", "seek", "iflag", "oflag", "conv", "status"];
/// What dd reads when it only writes.
const SOURCES: [&str; 3] = ["/dev/zero", "/dev/urandom", "/dev/random"];

/// `sd=a,lun=/dev/sdb`, `if=t.dat`.
fn operand(word: &str) -> Option<NoTarget> {
    let (key, value) = word.split_once('=')?;
    if OF_VDBENCH.contains(&key) {
        let lun = word.split(',').find_map(|part| part.strip_prefix("lun=")).filter(|lun| !lun.is_empty());
        let target = lun.map_or_else(|| "TARGET".to_owned(), shell_word);
        return Some(NoTarget {
            is: "it looks like a vdbench line",
            next: format!(
                "`rigel run simple {target}` measures rising load; `rigel run --load FILE` runs a load of your own"
            ),
        });
    }
    let next = match key {
        _ if !OF_DD.contains(&key) => return None,
        "if" if !value.is_empty() && !SOURCES.contains(&value) => {
            format!("`rigel run streams {}` measures sequential reads, like dd's", shell_word(value))
        }
        "if" | "of" => {
            "`rigel fill --dry-run TARGET` shows what filling it would overwrite, `rigel run streams TARGET` reads the way dd does".to_owned()
        }
        _ => "`rigel run streams TARGET` measures sequential reads, like dd's".to_owned(),
    };
    Some(NoTarget { is: "it looks like a dd operand", next })
}

/// Files that describe a load rather than hold data.
fn file(word: &str) -> Option<NoTarget> {
    let path = shell_word(word);
    let is_one = |ending: &str| word.len() > ending.len() && word.ends_with(ending);
    let (is, next) = match () {
        () if is_one(".fio") => (
            "it is a fio job file",
            format!(
                "`rigel run --load {path}` runs it; `rigel load from-fio {path}` shows how each line is \
                 interpreted, and writes a load file"
            ),
        ),
        () if is_one(".toml") => ("it is a load file", format!("`rigel run --load {path}` runs it")),
        () if is_one(".lun") => (
            "it is a list of targets",
            format!("`rigel run simple --lun {path}` measures the targets it lists"),
        ),
        () if is_one("_record.jsonl") => ("it is a run's record", format!("`rigel report {path}` shows it")),
        () => return None,
    };
    Some(NoTarget { is, next })
}

/// Databases with a preset load, by the names that people give them.
const LOADS: [(&str, &[&str]); 3] = [
    ("postgresql", &["postgresql", "postgres", "pgsql", "pg"]),
    ("mysql", &["mysql", "mariadb", "innodb"]),
    ("oracle", &["oracle", "oracledb", "ora"]),
];
const OTHERS: [&str; 13] = [
    "mssql",
    "sqlserver",
    "db2",
    "mongodb",
    "mongo",
    "redis",
    "cassandra",
    "scylladb",
    "sqlite",
    "clickhouse",
    "cockroachdb",
    "hana",
    "rocksdb",
];

fn database(word: &str) -> Option<NoTarget> {
    let word = word.to_ascii_lowercase();
    let is = "it is the name of a database";
    if OTHERS.contains(&word.as_str()) {
        let next = "`rigel run simple TARGET` measures the storage of any database; database-like loads exist for postgresql, mysql and oracle";
        return Some(NoTarget { is, next: next.to_owned() });
    }
    let (load, _) = LOADS.iter().find(|(_, names)| names.contains(&word.as_str()))?;
    let server =
        if *load == "postgresql" { "; `rigel sql simple` measures through a server of its own" } else { "" };
    let next = format!(
        "`rigel run --load {load}` runs a load like this database's, on a scratch file in this directory{server}"
    );
    Some(NoTarget { is, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_target_is_told_with_what_to_type() {
        for (word, is, next) in [
            ("sd=a,lun=/dev/sdb", "vdbench", "`rigel run simple /dev/sdb`"),
            ("wd=w1,sd=a", "vdbench", "`rigel run simple TARGET`"),
            ("if=t.dat", "dd", "`rigel run streams t.dat`"),
            ("if=/dev/zero", "dd", "`rigel fill --dry-run TARGET`"),
            ("of=/dev/sdb", "dd", "`rigel fill --dry-run TARGET`"),
            ("bs=1M", "dd", "`rigel run streams TARGET`"),
            ("job.fio", "fio", "`rigel run --load job.fio`"),
            ("shop.toml", "a load file", "`rigel run --load shop.toml`"),
            ("/u01/my test.lun", "a list", "--lun '/u01/my test.lun'`"),
            ("a_record.jsonl", "a run's record", "`rigel report a_record.jsonl`"),
            ("PostgreSQL", "database", "`rigel run --load postgresql`"),
            ("mariadb", "database", "`rigel run --load mysql`"),
            ("mssql", "database", "of any database"),
        ] {
            let told = no_target(word).expect(word);
            assert!(told.is.contains(is) && told.next.contains(next), "{word}: {told:?}");
        }
        for path in ["./if=t.dat", "/dev/sdb", "data", "a=b", ".fio", "postgresql.dat", "/pg", "=", ""] {
            assert_eq!(no_target(path), None, "{path}");
        }
    }
}
