//! Targets that are more than a file: devices, what is mounted, held or in use, other names, files that somebody uses.

use crate::making::{Bench, blank, shell};
use rigel_testdev::{LoopDevice, MissingNeed, PostgresServer, random_file};
use std::any::Any;
use std::fs::{self, File};
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// What has to become of it with the right consent.
#[derive(Clone, Copy)]
pub enum Fate {
    /// Written.
    Consent,
    /// Refused whatever is said, with this word.
    Never(&'static str),
}

/// A target that is there, with what keeps it so.
pub struct CorpusTarget {
    pub name: String,
    /// As Rigel is told.
    pub path: PathBuf,
    pub fate: Fate,
    /// Paths that are near it and no consent for it.
    pub strangers: Vec<PathBuf>,
    /// Where its bytes lie, the target itself first.
    bytes: Vec<PathBuf>,
    /// How many of them are nobody else's to change.
    first_bytes: u64,
    /// Let go in this order.
    _held: Vec<Box<dyn Any + Send>>,
}

impl CorpusTarget {
    pub fn file(name: &str, path: PathBuf) -> Self {
        let bytes = vec![path.clone()];
        Self {
            name: name.to_owned(),
            path,
            fate: Fate::Consent,
            strangers: vec![],
            bytes,
            first_bytes: u64::MAX,
            _held: vec![],
        }
    }

    fn never(mut self, word: &'static str) -> Self {
        self.fate = Fate::Never(word);
        self
    }

    fn near(mut self, stranger: &Path) -> Self {
        self.strangers.push(stranger.to_owned());
        self
    }

    /// Where its bytes lie as well.
    fn over(mut self, image: &Path) -> Self {
        self.bytes.push(image.to_owned());
        self
    }

    fn holding(mut self, held: impl Any + Send) -> Self {
        self._held.push(Box::new(held));
        self
    }

    /// Every byte of it, and of what it lies on.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        let read = |path: &PathBuf| {
            let mut bytes = Vec::new();
            File::open(path).unwrap().take(self.first_bytes).read_to_end(&mut bytes).unwrap();
            bytes
        };
        self.bytes.iter().map(read).collect()
    }
}

type MadeTarget = Result<Vec<CorpusTarget>, MissingNeed>;
type Maker = fn(&Bench) -> MadeTarget;

/// What each entry is, and how it is made; one may make several.
pub const KINDS: &[(&str, Maker)] = &[
    ("a loop device with ext4", loop_with_ext4),
    ("a loop device as LVM physical volume", loop_with_lvm),
    ("a partitioned loop device and its partitions", partitioned),
    ("a mounted partition and its disk", mounted_partition),
    ("a mounted loop device", mounted),
    ("a loop device mounted read-only", mounted_read_only),
    ("the file behind a loop device", behind_a_loop),
    ("a loop device on a loop device", stacked),
    ("a loop device that is held by the device mapper", mapped_by_dm),
    ("swap in use", swap),
    ("a read-only loop device", read_only),
    ("other names of a file and a device", names),
    ("a bind-mounted file", bind_mounted),
    ("an empty file that a process has open", open_elsewhere),
    ("an empty file that a process has mapped", mapped_elsewhere),
    ("files of PostgreSQL", postgresql),
    ("a scratch file that was formatted", formatted_scratch),
];

fn device(bench: &Bench, room: &str, mib: u64, make: &[&str]) -> Result<(PathBuf, LoopDevice), MissingNeed> {
    let image = bench.room(room).join("image");
    blank(&image, mib << 20);
    shell(make, &image)?;
    let device = LoopDevice::attach(&image, true)?;
    Ok((image, device))
}

fn on(name: &str, image: &Path, device: &LoopDevice) -> CorpusTarget {
    CorpusTarget::file(name, device.path().to_owned()).near(image).over(image)
}

fn loop_with_ext4(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "loop-ext4", 16, &["mkfs.ext4 -q -F $F"])?;
    Ok(vec![on("a loop device with ext4", &image, &device).holding(device)])
}

fn loop_with_lvm(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "loop-lvm", 16, &[])?;
    shell(&["pvcreate -q -f --devices $F $F"], device.path())?;
    Ok(vec![on("a loop device as LVM physical volume", &image, &device).holding(device)])
}

/// A loop device whose partitions go before it does: the kernel would keep them for whoever gets the number next.
struct Disk(LoopDevice);

impl Disk {
    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("partx").arg("-d").arg(self.path()).output();
    }
}

/// A disk with two partitions, the first with ext4.
fn disk(bench: &Bench, room: &str) -> Result<(PathBuf, PathBuf, PathBuf, Disk), MissingNeed> {
    let (image, device) = device(bench, room, 32, &["printf 'label: gpt\\n,16M\\n,8M\\n' | sfdisk -q $F"])?;
    let disk = Disk(device);
    shell(&["partx -u $F || partx -a $F"], disk.path())?;
    let part = |number: u32| PathBuf::from(format!("{}p{number}", disk.path().display()));
    let (first, second) = (part(1), part(2));
    if !first.exists() || !second.exists() {
        return Err(MissingNeed::new("loop devices have no partitions here"));
    }
    shell(&["mkfs.ext4 -q -F $F"], &first)?;
    Ok((image, first, second, disk))
}

fn partitioned(bench: &Bench) -> MadeTarget {
    let (image, first, _, whole) = disk(bench, "partitioned")?;
    let part = CorpusTarget::file("a partition", first.clone())
        .near(whole.path())
        .near(&image)
        .over(&image)
        .holding(whole);
    let (image, first_of_whole, second, whole) = disk(bench, "partitioned-whole")?;
    let disk =
        on("a partitioned loop device", &image, &whole.0).near(&first_of_whole).near(&second).holding(whole);
    Ok(vec![part, disk])
}

/// Unmounts on the way out.
struct CorpusMount(PathBuf);

impl Drop for CorpusMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn mount(source: &Path, point: &Path, options: &str) -> Result<CorpusMount, MissingNeed> {
    shell(&[&format!("mount -o {options} $F {}", point.display())], source)?;
    let mounted = CorpusMount(point.to_owned());
    shell(&["sync -f $F"], point)?;
    Ok(mounted)
}

fn mounted_partition(bench: &Bench) -> MadeTarget {
    let (image, first, second, whole) = disk(bench, "mounted-partition")?;
    let point = bench.room("mounted-partition-point");
    let mounted = mount(&first, &point, "ro,noload")?;
    let held = Arc::new((mounted, whole));
    let disk = on("the disk of a mounted partition", &image, &held.1.0).near(&second).never("mounted");
    let part = CorpusTarget::file("a mounted partition", first).near(held.1.path()).never("mounted");
    Ok(vec![disk.holding(Arc::clone(&held)), part.holding(held)])
}

fn mounted(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "mounted", 8, &["mkfs.ext2 -q -F $F"])?;
    let mounted = mount(device.path(), &bench.room("mounted-point"), "rw")?;
    Ok(vec![on("a mounted loop device", &image, &device).never("mounted").holding(mounted).holding(device)])
}

fn mounted_read_only(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "mounted-ro", 16, &["mkfs.ext4 -q -F $F"])?;
    let mounted = mount(device.path(), &bench.room("mounted-ro-point"), "ro,noload")?;
    Ok(vec![
        on("a loop device mounted read-only", &image, &device)
            .never("mounted")
            .holding(mounted)
            .holding(device),
    ])
}

fn behind_a_loop(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "behind", 8, &["mkfs.ext2 -q -F $F"])?;
    let file = CorpusTarget::file("the file behind a loop device", image).near(device.path()).never("loop");
    Ok(vec![file.holding(device)])
}

fn stacked(bench: &Bench) -> MadeTarget {
    let (image, below) = device(bench, "stacked", 8, &["mkfs.ext2 -q -F $F"])?;
    let above = LoopDevice::attach(below.path(), true)?;
    let target = on("a loop device under a loop device", &image, &below).near(above.path()).never("loop");
    Ok(vec![target.holding((above, below))])
}

/// A linear mapping, removed on the way out.
struct Mapping(String);

impl Drop for Mapping {
    fn drop(&mut self) {
        let _ = Command::new("dmsetup").args(["remove", &self.0]).output();
    }
}

fn mapped_by_dm(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "dm", 8, &[])?;
    let name = format!("rigel-corpus-{}", std::process::id());
    let path = device.path().display();
    shell(&[&format!("echo '0 8192 linear {path} 0' | dmsetup create {name}")], device.path())?;
    let held = (Mapping(name), device);
    Ok(vec![on("a loop device under a linear mapping", &image, &held.1).never("in use by").holding(held)])
}

/// Turned off on the way out.
struct Swap(PathBuf);

impl Drop for Swap {
    fn drop(&mut self) {
        let _ = Command::new("swapoff").arg(&self.0).output();
    }
}

fn swap(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "swap", 8, &["mkswap $F"])?;
    shell(&["swapon -p 0 $F"], device.path())?;
    let held = (Swap(device.path().to_owned()), device);
    let mut target = on("swap in use", &image, &held.1).never("swap");
    // The kernel may put pages behind the header.
    target.first_bytes = 4096;
    Ok(vec![target.holding(held)])
}

fn read_only(bench: &Bench) -> MadeTarget {
    let (image, device) = device(bench, "read-only", 8, &["mkfs.ext2 -q -F $F"])?;
    shell(&["blockdev --setro $F"], device.path())?;
    Ok(vec![on("a read-only loop device", &image, &device).never("read-only").holding(device)])
}

fn names(bench: &Bench) -> MadeTarget {
    let data = |room: &str| {
        let dir = bench.room(room);
        random_file(&dir.join("data.dbf"), 4 << 20).map_err(MissingNeed::new)?;
        Ok::<PathBuf, MissingNeed>(dir)
    };
    let linked = |name: &str, to: &str, link: &str| {
        let dir = data(name)?;
        let to = if to == "/" { dir.join("data.dbf") } else { PathBuf::from(to) };
        symlink(to, dir.join(link)).map_err(MissingNeed::new)?;
        Ok::<_, MissingNeed>(CorpusTarget::file(name, dir.join(link)).over(&dir.join("data.dbf")))
    };
    let mut made = vec![
        linked("a symbolic link", "/", "nvme-S4EWNX0R123456")?,
        linked("a relative link", "data.dbf", "by-path")?,
        linked("a link through the parent", "../a-link-through-the-parent/data.dbf", "by-id")?,
    ];
    let dir = data("a hard link")?;
    fs::hard_link(dir.join("data.dbf"), dir.join("other")).map_err(MissingNeed::new)?;
    made.push(CorpusTarget::file("a hard link", dir.join("other")).over(&dir.join("data.dbf")));
    let dir = data("a link to a directory")?;
    symlink(".", dir.join("here")).map_err(MissingNeed::new)?;
    made.push(CorpusTarget::file("a path through a link", dir.join("here/here/data.dbf")));
    let (image, device) = device(bench, "by-id", 8, &["mkfs.ext2 -q -F $F"])?;
    let link = image.with_file_name("wwn-0x5000c500a0b1c2d3");
    symlink(device.path(), &link).map_err(MissingNeed::new)?;
    made.push(CorpusTarget::file("a link to a device", link).near(&image).over(&image).holding(device));
    Ok(made)
}

fn bind_mounted(bench: &Bench) -> MadeTarget {
    let dir = bench.room("bind");
    random_file(&dir.join("data.dbf"), 4 << 20).map_err(MissingNeed::new)?;
    blank(&dir.join("point.dbf"), 0);
    let mounted = mount(&dir.join("data.dbf"), &dir.join("point.dbf"), "bind")?;
    let target = CorpusTarget::file("a bind-mounted file", dir.join("point.dbf")).over(&dir.join("data.dbf"));
    Ok(vec![target.holding(mounted)])
}

/// A process of ours, ended on the way out.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn open_elsewhere(bench: &Bench) -> MadeTarget {
    let path = bench.room("open").join("target.dbf");
    blank(&path, 4 << 20);
    let file = File::options().read(true).write(true).open(&path).map_err(MissingNeed::new)?;
    let child =
        Command::new("sleep").arg("3600").stdin(Stdio::from(file)).spawn().map_err(MissingNeed::new)?;
    Ok(vec![CorpusTarget::file("an empty file that a process has open", path).holding(Process(child))])
}

/// Maps a file, closes its descriptor and says so.
const MAPS: &str = "
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
fd = os.open(sys.argv[1], os.O_RDWR)
assert libc.mmap(None, 1 << 20, 3, 1, fd, 0) != ctypes.c_void_p(-1).value
os.close(fd)
os.write(1, b'mapped.')
time.sleep(3600)
";

fn mapped_elsewhere(bench: &Bench) -> MadeTarget {
    let path = bench.room("mapped").join("target.dbf");
    blank(&path, 4 << 20);
    let mut command = Command::new("python3");
    let child =
        command.args(["-c", MAPS]).arg(&path).stdout(Stdio::piped()).spawn().map_err(MissingNeed::new)?;
    let mut process = Process(child);
    let mut word = [0; 7];
    process.0.stdout.take().unwrap().read_exact(&mut word).map_err(MissingNeed::new)?;
    Ok(vec![CorpusTarget::file("an empty file that a process has mapped", path).holding(process)])
}

/// A table and a segment of the log, as a server left them: sparse nowhere, with no mark that a library knows.
fn postgresql(bench: &Bench) -> MadeTarget {
    let server = PostgresServer::start("")?;
    let sql = "CREATE TABLE corpus AS SELECT n, repeat('x', 900) FROM generate_series(1, 4000) n";
    server.ask(sql).and_then(|_| server.ask("CHECKPOINT")).map_err(MissingNeed::new)?;
    let ask = |sql: &str| server.ask(sql).map(|text| text.trim().to_owned()).map_err(MissingNeed::new);
    let home = PathBuf::from(ask("SHOW data_directory")?);
    let table = home.join(ask("SELECT pg_relation_filepath('corpus')")?);
    let log = home.join("pg_wal").join(ask("SELECT pg_walfile_name(pg_current_wal_lsn())")?);
    let copy = |name: &str, from: &Path| {
        let to = bench.room(name).join("target.dbf");
        fs::copy(from, &to).map_err(MissingNeed::new)?;
        Ok::<_, MissingNeed>(CorpusTarget::file(name, to))
    };
    Ok(vec![copy("a table of PostgreSQL", &table)?, copy("a log of PostgreSQL", &log)?])
}

/// Kept for further runs, and then somebody found another use for it.
fn formatted_scratch(bench: &Bench) -> MadeTarget {
    let dir = bench.room("formatted-scratch");
    let line = "run advanced --scratch-size 16M --keep-scratch --matrix point --num-small 1 --num-large 0 --duration 100ms \
                --quiet --no-html";
    let mut command = Command::new(env!("CARGO_BIN_EXE_rigel"));
    let output =
        command.current_dir(&dir).args(line.split_whitespace()).output().map_err(MissingNeed::new)?;
    assert!(output.status.success(), "{output:?}");
    let path = dir.join("rigel-scratch.dat");
    // What discards would take the end of it away, which says that it was a scratch file.
    shell(&["mkfs.ext4 -q -F -E nodiscard $F"], &path)?;
    Ok(vec![CorpusTarget::file("a scratch file that was formatted", path)])
}
