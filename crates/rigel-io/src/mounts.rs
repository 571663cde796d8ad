//! The mount table and the swap table. Both are read as bytes: a mount point need not be UTF-8, and a line that cannot
//! be parsed must not hide the others. Must not judge.

use rigel_core::facts::MountFacts;
use rigel_core::path_text;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One line of /proc/self/mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub id: u64,
    /// Device number of the filesystem; the major number is 0 if it has no single device.
    pub device: (u32, u32),
    /// The directory of the filesystem that is mounted.
    pub root: PathBuf,
    pub mount_point: PathBuf,
    /// Printable options of the mount, then of the filesystem, each once.
    pub options: Vec<String>,
    pub filesystem: String,
    /// The mounted source: a device for most filesystems, any text for the others.
    pub source: PathBuf,
}

impl Mount {
    /// Its facts for the record; `device` is the name of the device below.
    pub(crate) fn facts(&self, device: Option<String>) -> MountFacts {
        MountFacts {
            mount_point: path_text::encode(&self.mount_point),
            filesystem: self.filesystem.clone(),
            source: path_text::encode(&self.source),
            options: self.options.clone(),
            device,
            lies_on: None,
        }
    }
}

/// Every mount that this process can see. If several share a mount point, the last one hides the others.
pub(crate) fn mounts(proc: &Path) -> Vec<Mount> {
    lines_of(&proc.join("self/mountinfo")).iter().filter_map(|line| parse_mount(line)).collect()
}

pub(crate) fn swaps(proc: &Path) -> Vec<PathBuf> {
    let name = |line: &Vec<u8>| path(line.split(|b| b.is_ascii_whitespace()).next().unwrap_or_default());
    // Behind the headings.
    lines_of(&proc.join("swaps")).iter().skip(1).map(name).collect()
}

fn lines_of(file: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(file).unwrap_or_default();
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// `36 35 98:0 /root /mnt rw,noatime shared:1 - ext3 /dev/root rw`; the optional fields end with the dash.
fn parse_mount(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    let dash = fields.iter().skip(6).position(|field| *field == b"-")? + 6;
    let text = |at: usize| std::str::from_utf8(fields.get(at)?).ok();
    let (major, minor) = text(2)?.split_once(':')?;
    Some(Mount {
        id: text(0)?.parse().ok()?,
        device: (major.parse().ok()?, minor.parse().ok()?),
        root: path(fields.get(3)?),
        mount_point: path(fields.get(4)?),
        options: options(fields.get(5)?, fields.get(dash + 3).copied().unwrap_or_default()),
        filesystem: path_text::encode(&path(fields.get(dash + 1)?)),
        source: path(fields.get(dash + 2)?),
    })
}

fn options(of_mount: &[u8], of_filesystem: &[u8]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for option in of_mount.split(|&byte| byte == b',').chain(of_filesystem.split(|&byte| byte == b',')) {
        let option = path_text::encode(&path(option));
        if !option.is_empty() && !found.contains(&option) {
            found.push(option);
        }
    }
    found
}

/// Decodes a path of these tables: the kernel writes blanks, newlines, backslashes and `#` as `\ooo`.
pub(crate) fn path(escaped: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut at = 0;
    while at < escaped.len() {
        match escaped[at..] {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                at += 4;
            }
            _ => {
                bytes.push(escaped[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn mountinfo_lines() {
        let line =
            b"98 28 253:1 / /my\\040\xff\\134dir rw,noatime shared:1 master:2 - ext4 /dev/mapper/a\\040b ro";
        let mount = parse_mount(line).unwrap();
        assert_eq!((mount.id, mount.device, mount.filesystem.as_str()), (98, (253, 1), "ext4"));
        assert_eq!(mount.mount_point.as_os_str().as_bytes(), b"/my \xff\\dir");
        assert_eq!(mount.source, Path::new("/dev/mapper/a b"));
        assert_eq!(
            (mount.root.as_path(), mount.options),
            (Path::new("/"), vec!["rw".into(), "noatime".into(), "ro".into()])
        );
        // No optional fields; a source that is a single dash.
        let mount = parse_mount(b"1 1 0:5 / /x rw - tmpfs - rw").unwrap();
        assert_eq!((mount.device, mount.source.as_path()), ((0, 5), Path::new("-")));
        for broken in
            [&b""[..], b"1 2", b"1 2 8:0 / /x rw shared:1", b"a b c d e f - g h i", b"1 2 8 / / rw - a b c"]
        {
            assert_eq!(parse_mount(broken), None, "{broken:?}");
        }
    }

    #[test]
    fn one_bad_line_hides_nothing() {
        let proc = tempfile::tempdir().unwrap();
        std::fs::create_dir(proc.path().join("self")).unwrap();
        let table =
            b"garbage\n36 35 8:1 / /a\xfe rw - xfs /dev/sda1 rw\n\n37 35 8:2 / /b rw - xfs /dev/sda2 rw\n";
        std::fs::write(proc.path().join("self/mountinfo"), table).unwrap();
        assert_eq!(mounts(proc.path()).iter().map(|m| m.device).collect::<Vec<_>>(), [(8, 1), (8, 2)]);
    }

    #[test]
    fn the_swap_table() {
        let proc = tempfile::tempdir().unwrap();
        assert!(swaps(proc.path()).is_empty());
        let table = "Filename\t\t\tType\t\tSize\n/dev/sda2     partition 1 0 -2\n/my\\040swap\tfile 1 0 -3\n";
        std::fs::write(proc.path().join("swaps"), table).unwrap();
        assert_eq!(swaps(proc.path()), [Path::new("/dev/sda2"), Path::new("/my swap")]);
    }
}
