//! Names that Oracle ASM gives to disks and files, which are not paths. Must not look for one.

/// What to do about a grid disk.
pub const GRID_DISK: &str = "Oracle reaches grid disks through the cell's own library, and no path on a database server leads to one: measure on the cell with \
     CALIBRATE of CellCLI, or through the database";

/// Whether it is a grid disk as ASM names it: `o/`, the addresses of the cell, its name; or a pattern of such names.
pub fn is_grid_disk(name: &str) -> bool {
    let Some((cell, disk)) = name.strip_prefix("o/").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let is_address = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|sign| sign.is_ascii_digit() || matches!(sign, b'.' | b'*' | b'?' | b':'))
    };
    !disk.is_empty() && !disk.contains('/') && cell.split(';').all(is_address)
}

/// How to get from an ASM name to the path of the disk; `None` for other names.
pub fn step(name: &str) -> Option<String> {
    let disk = |prefix: &str| {
        name.get(..prefix.len())
            .filter(|start| start.eq_ignore_ascii_case(prefix))
            .map(|_| &name[prefix.len()..])
    };
    if let Some(disk) = disk("ORCL:") {
        if is_pattern(disk) {
            return Some(format!(
                "{name} is a pattern of ASMLib names: give their paths, one each, as `ls /dev/oracleasm/disks/{disk}` lists them"
            ));
        }
        return Some(format!("{name} is an ASMLib name: give its path, /dev/oracleasm/disks/{disk}"));
    }
    if let Some(disk) = disk("AFD:") {
        if is_pattern(disk) {
            return Some(format!(
                "{name} is a pattern of names of the ASM filter driver: give the paths that `asmcmd afd_lsdsk` shows, one each"
            ));
        }
        return Some(format!(
            "{name} is a name of the ASM filter driver: give the path that `asmcmd afd_lsdsk` shows for {disk}, or /dev/oracleafd/disks/{disk}"
        ));
    }
    let group = name.strip_prefix('+')?.split(['/', '.', '(']).next()?;
    let is_group = group.starts_with(|sign: char| sign.is_ascii_alphabetic());
    is_group.then(|| {
        format!("{name} is in the ASM disk group {group}: give the paths of its disks, which `asmcmd lsdsk -G {group}` lists")
    })
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_asm_lead_to_paths() {
        for (name, part) in [
            ("ORCL:DATA1", "/dev/oracleasm/disks/DATA1"),
            ("orcl:data1", "/dev/oracleasm/disks/data1"),
            ("ORCL:DATA*", "as `ls /dev/oracleasm/disks/DATA*` lists"),
            ("AFD:DATA1", "afd_lsdsk"),
            ("AFD:*", "one each"),
            ("+DATA", "asmcmd lsdsk -G DATA"),
            ("+DATA.256.1", "asmcmd lsdsk -G DATA`"),
            ("+DATA(DATAFILE)", "asmcmd lsdsk -G DATA`"),
            ("+DATA/orcl/datafile/system.256.1", "asmcmd lsdsk -G DATA"),
        ] {
            let told = step(name).unwrap();
            assert!(told.contains(part) && told.starts_with(name), "{told}");
        }
        for grid in
            ["o/192.168.10.5/DATA_CD_00_cel01", "o/192.168.10.5;192.168.10.6/DATA_CD_00_cel01", "o/*/*"]
        {
            assert!(is_grid_disk(grid), "{grid}");
        }
        for path in ["o/x", "o/data/t.dat", "/o/1.1.1.1/x", "o/1.2.3.4/", "oo/1.2.3.4/x"] {
            assert!(!is_grid_disk(path), "{path}");
        }
        for path in ["/dev/sdb", "data", "+", "+1", "ORC", "é", "", "./+DATA"] {
            assert_eq!(step(path), None, "{path}");
        }
    }
}
