//! What compiles for another processor than that of this host, and starts what was compiled: a standard library of Rust, binutils, an
//! emulator with a C library to load. All of it lies below cargo's target directory; nothing is installed.
//!
//! The installer of Rust has the library for the same compiler. Where it cannot fetch it, Debian's compiler and its library of both processors are
//! taken. Must not add an architecture to the packages of this host.

use super::architecture::Architecture;
use crate::cargo::succeed;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools that build programs for one processor.
pub struct Toolchain {
    /// The compiler, if it is not the one of this host.
    pub rustc: Option<PathBuf>,
    pub objcopy: PathBuf,
    pub objdump: PathBuf,
    /// The texts under which its library may be given on.
    pub licences: Vec<PathBuf>,
}

/// Starts programs of another processor. System calls are those of this host; io_uring and libaio are not passed on.
#[derive(Clone, Debug)]
pub struct Emulator {
    /// One file, linked with everything that it needs.
    pub program: PathBuf,
    /// A root with the C library of that processor.
    pub sysroot: PathBuf,
}

/// The newest that Debian 12 has; compiler and libraries have to be of one build.
const RUST: &str = "1.96";
/// Seconds for the installer of Rust: where a proxy lets nothing through it would wait for long.
const PATIENCE: &str = "60";

/// Where its parts are.
struct Place(PathBuf);

impl Place {
    fn of(target: &Path, architecture: &Architecture) -> Self {
        Self(target.join("tools").join(format!("{}-1", architecture.name)))
    }

    fn root(&self) -> PathBuf {
        self.0.join("root")
    }

    fn sysroot(&self) -> PathBuf {
        self.0.join("sysroot")
    }

    /// A script that starts a program of the root with the libraries next to it.
    fn script(&self, name: &str) -> PathBuf {
        self.0.join("bin").join(name)
    }

    fn emulator(&self, architecture: &Architecture) -> PathBuf {
        self.root().join("usr/bin").join(format!("qemu-{}-static", architecture.name))
    }
}

/// The tools that compile for it.
///
/// # Errors
/// Says what is missing, for the list of what is left out.
pub fn toolchain(target: &Path, architecture: &Architecture) -> Result<Toolchain, String> {
    let of_host = || sysroot_of_host().map(|sysroot| rust_licences(&sysroot)).unwrap_or_default();
    if architecture.is_native() {
        let licences = of_host();
        return Ok(Toolchain { rustc: None, objcopy: "objcopy".into(), objdump: "objdump".into(), licences });
    }
    let place = Place::of(target, architecture);
    let rustc = place.script("rustc");
    let tool = |name: &str| place.script(&format!("{}-{name}", architecture.zig));
    let (objcopy, objdump) = (tool("objcopy"), tool("objdump"));
    let missing = |what: &str| {
        let name = architecture.name;
        Err(format!("{name}: {what} for it is not here (cargo xtask dist --setup): no package is made"))
    };
    if !objcopy.is_file() {
        return missing("binutils");
    }
    if host_compiles(architecture) {
        return Ok(Toolchain { rustc: None, objcopy, objdump, licences: of_host() });
    }
    if !rustc.is_file() {
        return missing("a compiler");
    }
    let copyright = format!("usr/share/doc/libstd-rust-web-{RUST}/copyright");
    Ok(Toolchain { rustc: Some(rustc), objcopy, objdump, licences: vec![place.root().join(copyright)] })
}

/// The emulator for its programs on this host; `None` if they need none, or there is none.
pub fn emulator(target: &Path, architecture: &Architecture) -> Option<Emulator> {
    let place = Place::of(target, architecture);
    let found = Emulator { program: place.emulator(architecture), sysroot: place.sysroot() };
    (!architecture.is_native() && found.program.is_file() && found.sysroot.join("lib").is_dir())
        .then_some(found)
}

impl Emulator {
    /// A program, with the libraries of the sysroot.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-L").arg(&self.sysroot).arg(program);
        command
    }
}

/// Fetches what is missing for a processor. What is not available is reported; its packages are left out later, and counted.
pub fn set_up(target: &Path, architecture: &Architecture) {
    if architecture.is_native() {
        return;
    }
    let place = Place::of(target, architecture);
    if !host_compiles(architecture) && !place.script("rustc").is_file() {
        let mut add = Command::new("timeout");
        let _ = add.args([PATIENCE, "rustup", "target", "add", architecture.triple]).status();
    }
    if let Err(error) = fetch(&place, architecture) {
        println!("setup: {}: {error:#}; its packages will be left out", architecture.name);
    }
}

fn fetch(place: &Place, architecture: &Architecture) -> anyhow::Result<()> {
    if emulator_is_whole(place, architecture)
        && (host_compiles(architecture) || place.script("rustc").is_file())
    {
        return Ok(());
    }
    let own = if Architecture::is_native(&super::architecture::X86_64) { "amd64" } else { "arm64" };
    let (debs, other) = (place.0.join("debs"), architecture.debian);
    for directory in
        [&debs, &place.0.join("lists/partial"), &place.0.join("cache/archives/partial"), &place.0.join("bin")]
    {
        fs::create_dir_all(directory)?;
    }
    let config = place.0.join("apt.conf");
    fs::write(&config, apt_config(&place.0, own, other))?;
    let apt = |arguments: &[String]| {
        succeed(Command::new("apt-get").current_dir(&debs).env("APT_CONFIG", &config).args(arguments))
    };
    apt(&["update".to_owned(), "--quiet".to_owned()])?;
    let mut programs =
        vec![format!("qemu-user-static:{own}"), format!("binutils-{}:{own}", architecture.zig)];
    if !host_compiles(architecture) {
        // They say the exact version of each other.
        let library = |of| [format!("libstd-rust-web-{RUST}:{of}"), format!("libstd-rust-web-dev:{of}")];
        programs.extend(["rustc-web", "libllvm22"].map(|name| format!("{name}:{own}")));
        programs.extend([own, other].into_iter().flat_map(library));
    }
    let libraries = ["libc6", "libgcc-s1", "libblkid1"].map(|name| format!("{name}:{other}"));
    for (packages, to) in [(&programs[..], place.root()), (&libraries[..], place.sysroot())] {
        unpack(&apt, &debs, packages, &to)?;
    }
    scripts(place, architecture)
}

fn unpack(
    apt: &impl Fn(&[String]) -> anyhow::Result<()>,
    debs: &Path,
    packages: &[String],
    to: &Path,
) -> anyhow::Result<()> {
    fs::remove_dir_all(debs)?;
    fs::create_dir_all(debs)?;
    apt(&[&["download".to_owned(), "--quiet".to_owned()], packages].concat())?;
    for name in super::stage::names(debs)? {
        succeed(Command::new("dpkg").arg("-x").arg(debs.join(name)).arg(to))?;
    }
    Ok(())
}

/// Package lists of both processors, separate from those of this host.
fn apt_config(place: &Path, own: &str, other: &str) -> String {
    format!(
        "APT::Architecture \"{own}\";\nAPT::Architectures {{\"{own}\";\"{other}\";}};\nAPT::Sandbox::User \"root\";\n\
         Dir::State::lists \"{lists}\";\nDir::Cache \"{cache}\";\nAcquire::Languages \"none\";\n",
        lists = place.join("lists").display(),
        cache = place.join("cache").display()
    )
}

fn scripts(place: &Place, architecture: &Architecture) -> anyhow::Result<()> {
    let tools = ["objcopy", "objdump"].map(|name| format!("{}-{name}", architecture.zig));
    let rustc = Some("rustc".to_owned()).filter(|name| place.root().join("usr/bin").join(name).exists());
    for name in tools.into_iter().chain(rustc) {
        let root = place.root().join("usr");
        let libraries: Vec<String> = super::stage::names(&root.join("lib"))?
            .into_iter()
            .filter(|name| name.ends_with("-linux-gnu"))
            .map(|name| root.join("lib").join(name).display().to_string())
            .collect();
        let program = root.join("bin").join(&name);
        let text =
            format!("#!/bin/sh\nLD_LIBRARY_PATH={} exec {} \"$@\"\n", libraries.join(":"), program.display());
        fs::write(place.script(&name), text)?;
        fs::set_permissions(place.script(&name), fs::Permissions::from_mode(0o755))?;
        succeed(Command::new(place.script(&name)).arg("--version").stdout(std::process::Stdio::null()))?;
    }
    Ok(())
}

fn emulator_is_whole(place: &Place, architecture: &Architecture) -> bool {
    let objcopy = place.script(&format!("{}-objcopy", architecture.zig));
    objcopy.is_file() && place.emulator(architecture).is_file() && place.sysroot().join("lib").is_dir()
}

/// Whether the compiler of this host has its library.
fn host_compiles(architecture: &Architecture) -> bool {
    let library = |sysroot: PathBuf| sysroot.join("lib/rustlib").join(architecture.triple).join("lib");
    sysroot_of_host().is_some_and(|sysroot| library(sysroot).is_dir())
}

fn sysroot_of_host() -> Option<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    Some(PathBuf::from(String::from_utf8(told.stdout).ok()?.trim()))
}

fn rust_licences(sysroot: &Path) -> Vec<PathBuf> {
    ["Apache-2.0.txt", "MIT.txt"].map(|name| sysroot.join("share/doc/rust/licenses").join(name)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::architecture::Which;
    use super::*;

    #[test]
    fn a_compiler_that_is_not_here_is_told_with_the_step_that_fetches_it() {
        let nowhere = Path::new("/nowhere");
        let all = Which::All.architectures();
        assert!(toolchain(nowhere, all[0]).is_ok());
        let told = toolchain(nowhere, all[1]).err().unwrap();
        assert!(told.starts_with(all[1].name) && told.contains("dist --setup"), "{told}");
        assert!(all.iter().all(|one| emulator(nowhere, one).is_none()));
    }

    #[test]
    fn lists_of_packages_are_kept_beside_those_of_the_host() {
        let told = apt_config(Path::new("/a"), "amd64", "arm64");
        assert!(told.contains("APT::Architectures {\"amd64\";\"arm64\";};"), "{told}");
        assert!(told.contains("Dir::State::lists \"/a/lists\";"), "{told}");
    }
}
