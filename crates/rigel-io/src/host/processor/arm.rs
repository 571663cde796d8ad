//! The names of Arm cores. The kernel writes the numbers of the register MIDR_EL1: who designed the core, and which one it is.
//!
//! Must not guess: a core that is not listed keeps its numbers.

/// Designers, by `CPU implementer`: `lscpu` and the *Arm Architecture Reference Manual*, MIDR_EL1.
const DESIGNERS: [(u32, &str); 10] = [
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x51, "Qualcomm"),
    (0x61, "Apple"),
    (0x6d, "Microsoft"),
    (0xc0, "Ampere"),
];

/// Cores that servers and the machines of developers have, by designer and `CPU part`.
const CORES: [(u32, u32, &str); 38] = [
    (0x41, 0xd03, "Cortex-A53"),
    (0x41, 0xd04, "Cortex-A35"),
    (0x41, 0xd05, "Cortex-A55"),
    (0x41, 0xd07, "Cortex-A57"),
    (0x41, 0xd08, "Cortex-A72"),
    (0x41, 0xd09, "Cortex-A73"),
    (0x41, 0xd0a, "Cortex-A75"),
    (0x41, 0xd0b, "Cortex-A76"),
    (0x41, 0xd0c, "Neoverse-N1"),
    (0x41, 0xd0d, "Cortex-A77"),
    (0x41, 0xd40, "Neoverse-V1"),
    (0x41, 0xd41, "Cortex-A78"),
    (0x41, 0xd44, "Cortex-X1"),
    (0x41, 0xd46, "Cortex-A510"),
    (0x41, 0xd47, "Cortex-A710"),
    (0x41, 0xd48, "Cortex-X2"),
    (0x41, 0xd49, "Neoverse-N2"),
    (0x41, 0xd4a, "Neoverse-E1"),
    (0x41, 0xd4d, "Cortex-A715"),
    (0x41, 0xd4e, "Cortex-X3"),
    (0x41, 0xd4f, "Neoverse-V2"),
    (0x41, 0xd83, "Neoverse-V3AE"),
    (0x41, 0xd84, "Neoverse-V3"),
    (0x41, 0xd8e, "Neoverse-N3"),
    (0x43, 0x0a1, "ThunderX"),
    (0x43, 0x0af, "ThunderX2"),
    (0x46, 0x001, "A64FX"),
    (0x48, 0xd01, "Kunpeng-920"),
    (0x4e, 0x004, "Carmel"),
    (0x61, 0x022, "Icestorm-M1"),
    (0x61, 0x023, "Firestorm-M1"),
    (0x61, 0x028, "Icestorm-M1-Max"),
    (0x61, 0x029, "Firestorm-M1-Max"),
    (0x61, 0x032, "Blizzard-M2"),
    (0x61, 0x033, "Avalanche-M2"),
    (0x6d, 0xd49, "Cobalt-100"),
    (0xc0, 0xac3, "Ampere-1"),
    (0xc0, 0xac4, "Ampere-1a"),
];

/// The cores of a host, each once in the order of its CPUs; `None` if they have no numbers.
pub(super) fn model(cpuinfo: &[u8]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut designer = None;
    for line in cpuinfo.split(|&byte| byte == b'\n') {
        let Some((key, value)) = pair(line) else { continue };
        match key {
            b"CPU implementer" => designer = Some(value),
            b"CPU part" => {
                let name = name(designer?, value);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            _ => {}
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// `CPU part\t: 0xd0c`.
fn pair(line: &[u8]) -> Option<(&[u8], u32)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let value = std::str::from_utf8(line[colon + 1..].trim_ascii()).ok()?.strip_prefix("0x")?;
    Some((line[..colon].trim_ascii(), u32::from_str_radix(value, 16).ok()?))
}

fn name(designer: u32, part: u32) -> String {
    let known = DESIGNERS.iter().find(|(number, _)| *number == designer);
    let who = known.map_or_else(|| format!("designer {designer:#04x}"), |(_, name)| (*name).to_owned());
    match CORES.iter().find(|(by, number, _)| (*by, *number) == (designer, part)) {
        // Those of Ampere and others carry the name of their designer already.
        Some((.., core)) if core.starts_with(&who) => (*core).to_owned(),
        Some((.., core)) => format!("{who} {core}"),
        None => format!("{who} core {part:#05x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(cores: &[(u32, u32)]) -> String {
        let cpu = |(number, (designer, part)): (usize, &(u32, u32))| {
            format!(
                "processor\t: {number}\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd\nCPU implementer\t: {designer:#04x}\n\
                 CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: {part:#05x}\nCPU revision\t: 1\n\n"
            )
        };
        cores.iter().enumerate().map(cpu).collect()
    }

    fn found(cores: &[(u32, u32)]) -> Option<String> {
        model(cpus(cores).as_bytes())
    }

    #[test]
    fn cores_have_their_names() {
        assert_eq!(found(&[(0x41, 0xd0c); 4]).as_deref(), Some("Arm Neoverse-N1"));
        assert_eq!(found(&[(0x41, 0xd4f)]).as_deref(), Some("Arm Neoverse-V2"));
        assert_eq!(found(&[(0xc0, 0xac4)]).as_deref(), Some("Ampere-1a"));
        let two = [(0x61, 0x022), (0x61, 0x022), (0x61, 0x023)];
        assert_eq!(found(&two).as_deref(), Some("Apple Icestorm-M1, Apple Firestorm-M1"));
    }

    #[test]
    fn a_core_that_nobody_knows_keeps_its_numbers() {
        assert_eq!(found(&[(0x41, 0xfff)]).as_deref(), Some("Arm core 0xfff"));
        assert_eq!(found(&[(0x7f, 0x001)]).as_deref(), Some("designer 0x7f core 0x001"));
        for text in ["", "CPU part\t: 0xd0c\n", "CPU implementer\t: 65\nCPU part\t: x\n", "CPU part"] {
            assert_eq!(model(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn no_number_is_listed_twice() {
        assert!(DESIGNERS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(CORES.windows(2).all(|pair| (pair[0].0, pair[0].1) < (pair[1].0, pair[1].1)));
        assert!(CORES.iter().all(|(by, ..)| DESIGNERS.iter().any(|(designer, _)| designer == by)));
    }
}
