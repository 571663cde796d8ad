//! Names of nothing: what was meant, and what to write instead.
//!
//! Must not open anything; whether a path exists is checked only if one word may contain several.

use super::asm;
use rigel_core::no_target::no_target;
use rigel_core::path_text::shell_word;
use std::path::Path;

/// A cause and a next step.
type PathHint = (&'static str, String);

/// Characters between several targets in one word.
const SIGNS: [char; 3] = [',', ';', ':'];
const QUOTES: [char; 6] = ['"', '\'', '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}'];

/// For a word of the command line: a name of Oracle ASM, a word of another tool, a database, a pattern, several targets in one word.
pub fn in_command(name: &str) -> Option<PathHint> {
    let several = || {
        let parts = split(name).find(|parts| parts.iter().all(|part| Path::new(part).exists()))?;
        let paths: Vec<String> = parts.into_iter().map(shell_word).collect();
        Some(("several targets in one argument", format!("separate them with spaces: {}", paths.join(" "))))
    };
    let pattern = || {
        let told =
            ("no file matches this pattern", "check the spelling; lsblk lists the block devices".into());
        is_pattern(name).then_some(told)
    };
    of_name(name).or_else(several).or_else(pattern)
}

/// For a line of a list, which no shell reads.
pub fn in_list(line: &str) -> Option<PathHint> {
    let bare =
        line.trim_matches(|sign: char| QUOTES.contains(&sign) || [',', ';', ' ', '\t'].contains(&sign));
    let alone = |cause| Some((cause, format!("write the path alone: {bare}")));
    let is_sure =
        |parts: &Vec<&str>| parts.iter().all(|part| part.starts_with('/') || Path::new(part).exists());
    let several = || {
        let blanks = line.split_whitespace().collect();
        let all = split(line).filter(|parts| !parts.iter().any(|part| part.contains(':'))).chain([blanks]);
        all.into_iter().find(|parts| parts.len() > 1 && is_sure(parts))
    };
    if bare.is_empty() {
        return None;
    }
    match () {
        () if line.contains(" #") => Some((
            "the .lun format has no comments",
            format!("write the path alone: {}", line.split(" #").next().unwrap_or_default().trim()),
        )),
        () if line.starts_with(['~', '$']) => Some((
            "the list is not read by a shell, so ~ and $ are taken literally",
            "write the full path, starting with /".to_owned(),
        )),
        () if asm::step(line).is_some() || asm::is_grid_disk(line) => of_name(line),
        () if is_pattern(line) => Some((
            "the list is not read by a shell, so patterns are taken literally",
            format!("write one path per line, as `ls -d {bare}` lists them"),
        )),
        () => match several() {
            Some(parts) => Some((
                "several targets are on one line",
                format!("give each its own line: {}", parts.join(" and ")),
            )),
            None if line.starts_with(QUOTES) => alone("the quotation marks count as part of the path"),
            None if line.trim() != line && Path::new(line.trim()).exists() => {
                alone("the blanks around it count as part of the path")
            }
            None if first_path(line).is_some() => first_path(line).map(|path| {
                ("what follows the path counts as part of it", format!("write the path alone: {path}"))
            }),
            None if bare.len() < line.trim_end().len() && line.ends_with([',', ';']) => {
                alone("the last character counts as part of the path")
            }
            None => of_name(line),
        },
    }
}

fn of_name(name: &str) -> Option<PathHint> {
    if asm::is_grid_disk(name) {
        return Some(("this is a grid disk of an Exadata cell, not a path", asm::GRID_DISK.to_owned()));
    }
    if let Some(step) = asm::step(name) {
        return Some(("this is an Oracle ASM name, not a path", step));
    }
    if is_of_dev(name) {
        return Some(("this is the name of a device without its directory", format!("write /dev/{name}")));
    }
    no_target(name).map(|told| (told.is, told.next))
}

/// The first word of several, if it alone is a path.
fn first_path(line: &str) -> Option<&str> {
    let (first, _) = line.trim().split_once([' ', '\t'])?;
    (first.starts_with('/') && Path::new(first).exists()).then_some(first)
}

/// Whether `sdb` exists as `/dev/sdb`.
fn is_of_dev(name: &str) -> bool {
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && name.len() > 1;
    is_name && Path::new("/dev").join(name).exists()
}

fn split(name: &str) -> impl Iterator<Item = Vec<&str>> {
    let parts = SIGNS.into_iter().map(move |sign| name.split(sign).map(str::trim).collect::<Vec<_>>());
    parts.filter(|parts| parts.len() > 1 && parts.iter().all(|part| !part.is_empty()))
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?']) || (name.contains('[') && name.contains(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_list_that_a_shell_would_read() {
        for (line, cause, next) in [
            ("\"/dev/sdb\"", "quotation marks", "alone: /dev/sdb"),
            ("'/u01/a b'", "quotation marks", "alone: /u01/a b"),
            ("\u{201c}/dev/sdb\u{201d}", "quotation marks", "alone: /dev/sdb"),
            ("/dev/sdb,/dev/sdc", "several targets", "/dev/sdb and /dev/sdc"),
            ("/dev/sdb; /dev/sdc", "several targets", "/dev/sdb and /dev/sdc"),
            ("/dev/sdb /dev/sdc", "several targets", "/dev/sdb and /dev/sdc"),
            ("/dev/null:/dev/zero", "several targets", "/dev/null and /dev/zero"),
            (" /dev/null", "blanks around it", "alone: /dev/null"),
            ("/dev/null 0 100", "follows the path", "alone: /dev/null"),
            ("null", "without its directory", "write /dev/null"),
            ("/dev/sdb,", "last character", "alone: /dev/sdb"),
            ("/dev/sdb;", "last character", "alone: /dev/sdb"),
            ("/dev/sd[bc]", "patterns", "`ls -d /dev/sd[bc]`"),
            ("/dev/sd*", "patterns", "`ls -d /dev/sd*`"),
            ("~/data", "~ and $", "full path"),
            ("$ORACLE_BASE/data", "~ and $", "full path"),
            ("/dev/sdb # data", "comments", "alone: /dev/sdb"),
            ("ORCL:DATA*", "ASM", "`ls /dev/oracleasm/disks/DATA*`"),
            ("o/192.168.10.5/DATA_CD_00_cel01", "Exadata", "the cell's own library"),
            ("o/*/DATA*", "Exadata", "the cell's own library"),
            ("+DATA.256.1", "ASM", "asmcmd lsdsk -G DATA`"),
            ("sd=a,lun=/dev/sdb", "vdbench", "`rigel run simple /dev/sdb`"),
        ] {
            let (cause_told, next_told) = in_list(line).expect(line);
            assert!(cause_told.contains(cause), "{line}: {cause_told}");
            assert!(next_told.contains(next), "{line}: {next_told}");
        }
        for line in ["/dev/sdb", "/u01/my file", "data.dbf", "/dev/disk/by-path/pci-0:1:2", ",", ""] {
            assert_eq!(in_list(line), None, "{line}");
        }
    }

    #[test]
    fn words_of_a_command() {
        for (word, cause) in [
            ("/dev/null,/dev/zero", "several targets"),
            ("/dev/no*", "no file matches"),
            ("+DATA", "ASM"),
            ("if=t.dat", "dd"),
            ("mysql", "database"),
        ] {
            assert!(in_command(word).expect(word).0.contains(cause), "{word}");
        }
        for word in ["/dev/sdb", "/dev/null,/nowhere", "a,b"] {
            assert_eq!(in_command(word), None, "{word}");
        }
    }
}
