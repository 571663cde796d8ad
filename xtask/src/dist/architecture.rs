//! The processors that packages are made for, and what each is called by whom. Must not know what compiles for one: [`super::cross`] does.

use std::env::consts::ARCH;

/// A processor.
#[derive(Debug, PartialEq, Eq)]
pub struct Architecture {
    /// Name in `uname -m`, rpm and PyPI.
    pub name: &'static str,
    /// Name in Debian and containers.
    pub debian: &'static str,
    /// Name in cargo.
    pub triple: &'static str,
    /// Name in zig, without the version of the C library.
    pub zig: &'static str,
    /// Bytes of the program at most, without symbols. It must not grow unseen: most of it is code that serde, sorts and maps have for each of their types, and
    /// every instruction of Arm has four bytes.
    pub most_bytes: u64,
}

pub const X86_64: Architecture = Architecture {
    name: "x86_64",
    debian: "amd64",
    triple: "x86_64-unknown-linux-gnu",
    zig: "x86_64-linux-gnu",
    most_bytes: 18_000_000,
};
pub const AARCH64: Architecture = Architecture {
    name: "aarch64",
    debian: "arm64",
    triple: "aarch64-unknown-linux-gnu",
    zig: "aarch64-linux-gnu",
    most_bytes: 15_500_000,
};
static ALL: [&Architecture; 2] = [&X86_64, &AARCH64];

/// The requested ones.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Which {
    /// Intel and AMD
    #[value(name = "x86_64")]
    X86,
    /// 64-bit Arm
    #[value(name = "aarch64")]
    Arm,
    /// Both
    All,
}

impl Which {
    /// That of this host first, because the others are compared with it.
    pub fn architectures(self) -> Vec<&'static Architecture> {
        let asked = |one: &&Architecture| match self {
            Self::X86 => **one == X86_64,
            Self::Arm => **one == AARCH64,
            Self::All => true,
        };
        let mut found: Vec<&Architecture> = ALL.into_iter().filter(asked).collect();
        found.sort_by_key(|one| !one.is_native());
        found
    }
}

impl Architecture {
    /// Whether this host is one.
    pub fn is_native(&self) -> bool {
        self.name == ARCH
    }

    /// In the names of variables, as cargo and the crate `cc` read them: `x86_64_unknown_linux_gnu`.
    pub fn variable(&self) -> String {
        self.triple.replace('-', "_")
    }

    /// `deb` of this host, `deb-aarch64` of another one.
    pub fn step(&self, name: &str) -> String {
        if self.is_native() { name.to_owned() } else { format!("{name}-{}", self.name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_belong_together() {
        for one in ALL {
            assert!(one.triple.starts_with(one.name) && one.zig.starts_with(one.name), "{one:?}");
            assert_eq!(one.variable(), one.triple.replace('-', "_"));
            assert_eq!(one.step("deb") == "deb", one.is_native());
        }
        assert_eq!(Which::Arm.architectures(), [&AARCH64]);
        assert_eq!(Which::X86.architectures(), [&X86_64]);
        let all = Which::All.architectures();
        assert!(all.len() == 2 && all[0].is_native() && !all[1].is_native(), "{all:?}");
    }
}
