//! What the NFS clients of mounts exchanged with their servers, from /proc/self/mountstats. What a client answers from memory is not in it.
//!
//! Must not watch a mount whose bytes may take another way: with pNFS, a client may go to the disks itself.

use super::numbers::numbers;
use crate::mounts;
use rigel_core::witness::DeviceTransfer;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};

/// The text of some thirty mounts. It is read with each sample, and on a host with many more it would make samples rare.
const MOST_BYTES: usize = 256 << 10;

/// The watched mounts, and the file that lists all mounts of the host.
#[derive(Debug)]
pub(super) struct Clients {
    mounts: Vec<PathBuf>,
    file: Option<File>,
}

impl Clients {
    pub(super) fn open(root: &Path, mounts: &[PathBuf]) -> Self {
        let open = || File::open(root.join("proc/self/mountstats")).ok();
        let is_short = |file: &File| contents(file).is_some_and(|text| text.len() <= MOST_BYTES);
        let file = (!mounts.is_empty()).then(open).flatten().filter(is_short);
        Self { mounts: mounts.to_vec(), file }
    }

    /// For each mount, the bytes since it was mounted; `None` where the kernel does not say.
    pub(super) fn exchanged(&self) -> impl Iterator<Item = Option<DeviceTransfer>> {
        let text = self.file.as_ref().and_then(contents).unwrap_or_default();
        self.mounts.iter().map(move |mount| exchanged(&text, mount))
    }
}

/// The kernel makes it again for a reader at its beginning.
fn contents(mut file: &File) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).ok()?;
    Some(bytes)
}

/// For the last mount at a path, which hides the others. `bytes:` has what programs read and wrote with and without
/// the page cache, then what was read from the server and written to it (Linux: `nfs_show_stats` in fs/nfs/super.c).
fn exchanged(text: &[u8], mount: &Path) -> Option<DeviceTransfer> {
    let mut found = None;
    let mut is_it = false;
    for line in text.split(|&byte| byte == b'\n') {
        if line.starts_with(b"device ") {
            is_it = mount_point(line).is_some_and(|at| at == mount);
            found = if is_it { None } else { found };
        } else if is_it {
            let line = line.trim_ascii_start();
            if line.starts_with(b"nfsv4:") && goes_elsewhere(line) {
                return None;
            }
            found = line.strip_prefix(b"bytes:").map_or(found, server_bytes);
        }
    }
    found
}

/// `device SERVER:/EXPORT mounted on PLACE with fstype nfs4 statvers=1.1`; blanks in names are written as `\040`.
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    let mut words = line.split(|&byte| byte == b' ').skip(2);
    let is_mounted = words.next()? == b"mounted" && words.next()? == b"on";
    words.next().filter(|_| is_mounted).map(mounts::path)
}

/// `nfsv4: bm0=..,acl=0x3,sessions,pnfs=not configured`, or the name of a layout.
fn goes_elsewhere(line: &[u8]) -> bool {
    let layout = line.split(|&byte| byte == b',').find_map(|word| word.strip_prefix(b"pnfs="));
    layout.is_some_and(|layout| layout != b"not configured")
}

fn server_bytes(counts: &[u8]) -> Option<DeviceTransfer> {
    let mut counts = numbers(counts).skip(4);
    Some(DeviceTransfer { read_bytes: counts.next()??, written_bytes: counts.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two exports and a disk. The counts are made up, the form is that of Linux 6.1.
    const MOUNTS: &str = "\
device /dev/sda1 mounted on / with fstype ext4
device filer:/vol/ora data mounted on /nowhere with fstype nfs
device filer:/vol/ora mounted on /u01/ora\\040data with fstype nfs statvers=1.1
\topts:\trw,vers=3,rsize=1048576,wsize=1048576,hard,proto=tcp
\tage:\t94
\tcaps:\tcaps=0xffc3,wtmult=4096,dtsize=4096,bsize=0,namlen=255
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
\tbytes:\t11 12 81920 8192 90112 16384 3 4
\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)
\txprt:\ttcp 0 1 1 0 13 28 28 0 28 0 2 0 0
\tper-op statistics
\t        READ: 10 10 0 1360 82000 0 5 6 0
device backup:/x mounted on /backup with fstype nfs4 statvers=1.1
\tnfsv4:\tbm0=0xfdffbfff,bm1=0xf9be3e,bm2=0x60800,acl=0x3,sessions,pnfs=not configured,lease_time=90
\tbytes:\t1 2 3 4 5 6 7 8
";

    fn at(text: &str, place: &str) -> Option<(u64, u64)> {
        exchanged(text.as_bytes(), Path::new(place)).map(|moved| (moved.read_bytes, moved.written_bytes))
    }

    #[test]
    fn bytes_of_the_server_not_those_of_programs() {
        assert_eq!(at(MOUNTS, "/u01/ora data"), Some((90_112, 16_384)));
        assert_eq!(at(MOUNTS, "/backup"), Some((5, 6)));
        for other in ["/", "/u01/ora", "/nowhere"] {
            assert_eq!(at(MOUNTS, other), None, "{other}");
        }
    }

    #[test]
    fn a_mount_on_top_hides_the_one_below() {
        let hidden = format!("{MOUNTS}device tmpfs mounted on /backup with fstype tmpfs\n");
        assert_eq!(at(&hidden, "/backup"), None);
        let again = format!("{hidden}{}", MOUNTS.replace("bytes:\t1 2 3 4 5 6", "bytes:\t1 2 3 4 50 60"));
        assert_eq!(at(&again, "/backup"), Some((50, 60)));
    }

    #[test]
    fn pnfs_may_go_to_the_disks_itself() {
        for layout in ["LAYOUT_NFSV4_1_FILES", "LAYOUT_BLOCK_VOLUME", "LAYOUT_SCSI"] {
            assert_eq!(at(&MOUNTS.replace("not configured", layout), "/backup"), None, "{layout}");
        }
    }

    #[test]
    fn counts_that_are_cut_or_too_large_are_left_out() {
        for counts in ["1 2 3 4 5", "", "1 2 3 4 x 6", "1 2 3 4 99999999999999999999 6"] {
            let text = MOUNTS.replace("1 2 3 4 5 6 7 8\n", &format!("{counts}\n"));
            assert_eq!(at(&text, "/backup"), None, "{counts:?}");
        }
    }

    #[test]
    fn the_file_is_read_again_each_time() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("proc/self/mountstats");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, MOUNTS).unwrap();
        let clients = Clients::open(root.path(), &["/backup".into(), "/gone".into()]);
        let read =
            || clients.exchanged().map(|moved| moved.map(|moved| moved.read_bytes)).collect::<Vec<_>>();
        assert_eq!(read(), [Some(5), None]);
        std::fs::write(&file, MOUNTS.replace("3 4 5 6", "3 4 5000 6")).unwrap();
        assert_eq!(read(), [Some(5000), None]);
        assert_eq!(Clients::open(root.path(), &[]).exchanged().count(), 0);
        std::fs::write(&file, MOUNTS.repeat(MOST_BYTES / MOUNTS.len() + 1)).unwrap();
        let many = Clients::open(root.path(), &["/backup".into()]);
        assert!(many.exchanged().all(|moved| moved.is_none()), "a host of many mounts");
    }
}
