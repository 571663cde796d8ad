//! The stock kernel of the distribution, taken out of its package and not installed. Fetched once and kept; without the
//! directory it is fetched again. Must not build or change a kernel.

use super::tools::{Tools, output};
use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Depends on the newest kernel of the distribution.
const PACKAGE: &str = "linux-image-amd64";

/// A kernel unpacked into a directory, like its package into `/`.
pub struct Kernel {
    root: PathBuf,
    /// As in `uname -r`.
    pub version: String,
}

impl Kernel {
    /// The kernel in `place`, fetched if it is not there.
    pub fn get(place: &Path, tools: &Tools) -> anyhow::Result<Self> {
        let root = place.join("kernel");
        if !root.exists() {
            let partial = place.join("kernel.partial");
            let _ = fs::remove_dir_all(&partial);
            fetch(&partial, tools).context("no kernel for the machine")?;
            fs::rename(&partial, &root)?;
        }
        let version = version(&root)
            .with_context(|| format!("no kernel in {}: remove it to fetch one again", root.display()))?;
        Ok(Self { root, version })
    }

    /// The file to boot.
    pub fn image(&self) -> PathBuf {
        self.root.join("boot").join(format!("vmlinuz-{}", self.version))
    }

    /// Copies modules and all that they need to `root`, the root of the machine's file system.
    pub fn copy_modules(&self, names: &BTreeSet<&str>, root: &Path, tools: &Tools) -> anyhow::Result<()> {
        let mut files = BTreeSet::new();
        for name in names {
            let mut modprobe = Command::new(&tools.modprobe);
            modprobe.arg("--dirname").arg(&self.root).args(["--set-version", &self.version]);
            let told = output(modprobe.args(["--show-depends", name]));
            let told = told.with_context(|| format!("the kernel has no module {name}"))?;
            files.extend(modules_in(&told));
        }
        for file in files {
            let below = file.strip_prefix(&self.root).with_context(|| file.display().to_string())?;
            copy_unpacked(&file, &root.join(below))?;
        }
        let lists = Path::new("lib/modules").join(&self.version);
        for list in ["modules.order", "modules.builtin", "modules.builtin.modinfo"] {
            fs::copy(self.root.join(&lists).join(list), root.join(&lists).join(list))
                .with_context(|| format!("the kernel has no {list}"))?;
        }
        output(Command::new(&tools.depmod).arg("-b").arg(root).arg(&self.version)).map(drop)
    }
}

/// Unpacks the newest kernel package that apt knows.
fn fetch(to: &Path, tools: &Tools) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    let help = "the emulated machine needs Debian's package of the kernel: `apt-get update` may help";
    let told = output(Command::new("apt-cache").args(["depends", PACKAGE])).context(help)?;
    let package = kernel_of(&told).with_context(|| format!("apt does not know {PACKAGE}; {help}"))?;
    super::progress(&format!("fetching {package} (70 MB, once)"));
    let downloads = to.join("deb");
    fs::create_dir_all(&downloads)?;
    output(Command::new("apt-get").args(["download", "--quiet", package]).current_dir(&downloads))
        .with_context(|| format!("{package} cannot be fetched; {help}"))?;
    let deb = fs::read_dir(&downloads)?.next().context("apt-get downloaded nothing")??.path();
    super::progress("unpacking it");
    output(Command::new("dpkg").arg("--extract").arg(&deb).arg(to))?;
    fs::remove_dir_all(&downloads)?;
    if !to.join("lib").exists() {
        // Where /lib is a link, packages bring /usr/lib only.
        symlink("usr/lib", to.join("lib"))?;
    }
    let version = version(to).with_context(|| format!("{package} holds no kernel"))?;
    output(Command::new(&tools.depmod).arg("-b").arg(to).arg(version)).map(drop)
}

/// The package behind the one that always depends on the newest.
fn kernel_of(depends: &str) -> Option<&str> {
    let names = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    names.map(str::trim).find(|name| name.starts_with("linux-image-"))
}

fn version(root: &Path) -> Option<String> {
    let entry = fs::read_dir(root.join("lib/modules")).ok()?.find_map(Result::ok)?;
    let version = entry.file_name().into_string().ok()?;
    root.join("boot").join(format!("vmlinuz-{version}")).exists().then_some(version)
}

/// The files in the output of `modprobe --show-depends`; what is built in needs none.
fn modules_in(told: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let files = told.lines().filter_map(|line| line.strip_prefix("insmod "));
    files.filter_map(|rest| rest.split_whitespace().next()).map(PathBuf::from)
}

/// Copies a module; one that is compressed is unpacked, since busybox may not know how.
fn copy_unpacked(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to.parent().context("a module lies in a directory")?)?;
    let unpack = match from.extension().and_then(|end| end.to_str()) {
        Some("xz") => "xz",
        Some("zst") => "zstd",
        _ => {
            fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
            return Ok(());
        }
    };
    let told = Command::new(unpack).args(["--decompress", "--stdout"]).arg(from).output();
    let told = told.with_context(|| format!("{unpack} is needed to unpack {}", from.display()))?;
    anyhow::ensure!(told.status.success(), "{unpack} cannot unpack {}", from.display());
    Ok(fs::write(to.with_extension(""), told.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_kernel_is_what_the_package_depends_on() {
        let told = "linux-image-amd64\n  Depends: linux-image-6.1.0-56-amd64\n  Breaks: other\n";
        assert_eq!(kernel_of(told), Some("linux-image-6.1.0-56-amd64"));
        assert_eq!(kernel_of("linux-image-amd64\n"), None);
    }

    #[test]
    fn modules_are_told_with_what_they_need() {
        let told = "builtin scsi_common\ninsmod /k/lib/a.ko \ninsmod /k/lib/b.ko x=1\n";
        let files: Vec<PathBuf> = modules_in(told).collect();
        assert_eq!(files, [Path::new("/k/lib/a.ko"), Path::new("/k/lib/b.ko")]);
    }

    #[test]
    fn compressed_modules_are_unpacked() {
        let place = tempfile::tempdir().unwrap();
        let [from, to] = ["a.ko.xz", "new/a.ko.xz"].map(|name| place.path().join(name));
        fs::write(place.path().join("a.ko"), "module").unwrap();
        let packed = Command::new("xz").arg(place.path().join("a.ko")).status();
        if packed.is_ok_and(|status| status.success()) {
            copy_unpacked(&from, &to).unwrap();
            assert_eq!(fs::read_to_string(place.path().join("new/a.ko")).unwrap(), "module");
        }
        fs::write(place.path().join("b.ko"), "plain").unwrap();
        copy_unpacked(&place.path().join("b.ko"), &place.path().join("new/b.ko")).unwrap();
        assert_eq!(fs::read_to_string(place.path().join("new/b.ko")).unwrap(), "plain");
    }
}
