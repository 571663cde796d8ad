//! Names that Oracle ASM gives to disks and files, which are no paths. Must not look for one.

/// What leads from a name of ASM to the path of the disk; `None` for what is none.
pub fn step(name: &str) -> Option<String> {
    let disk = |prefix: &str| {
        name.get(..prefix.len())
            .filter(|start| start.eq_ignore_ascii_case(prefix))
            .map(|_| &name[prefix.len()..])
    };
    if let Some(disk) = disk("ORCL:") {
        return Some(format!("{name} is an ASMLib name: give its path, /dev/oracleasm/disks/{disk}"));
    }
    if let Some(disk) = disk("AFD:") {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_asm_lead_to_paths() {
        for (name, part) in [
            ("ORCL:DATA1", "/dev/oracleasm/disks/DATA1"),
            ("orcl:data1", "/dev/oracleasm/disks/data1"),
            ("AFD:DATA1", "afd_lsdsk"),
            ("+DATA", "asmcmd lsdsk -G DATA"),
            ("+DATA.256.1", "asmcmd lsdsk -G DATA`"),
            ("+DATA(DATAFILE)", "asmcmd lsdsk -G DATA`"),
            ("+DATA/orcl/datafile/system.256.1", "asmcmd lsdsk -G DATA"),
        ] {
            let told = step(name).unwrap();
            assert!(told.contains(part) && told.starts_with(name), "{told}");
        }
        for path in ["/dev/sdb", "data", "+", "+1", "ORC", "é", "", "./+DATA"] {
            assert_eq!(step(path), None, "{path}");
        }
    }
}
