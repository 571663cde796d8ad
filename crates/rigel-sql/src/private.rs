//! A run's own server: created in a directory, reached by a socket in it, stopped and removed.
//!
//! It ends with this process, however that ends, and the next run in the directory removes the remains. Caches below the
//! table are kept out of the way: by direct I/O if the product has it, else by a control group with little memory. What differs between products
//! is in the [`Kit`]. Must not touch any other server.

pub(crate) mod home;
pub(crate) mod tree;
pub(crate) mod user;

use crate::failure;
use crate::patience::within;
use crate::processes::children;
use crate::programs::Programs;
use crate::server::{Reach, door};
use home::{DATA, Home, SOCKET};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::sql::Product;
use rigel_core::path_text;
use rigel_core::units::{Bytes, MIB};
use rigel_io::child;
use rigel_io::group::Group;
use rustix::fs::{Advice, fadvise};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use user::User;

/// Memory for a server, page cache included, if it cannot bypass the cache; each session adds to it.
const MEMORY: u64 = 200 * MIB;
const MEMORY_PER_SESSION: u64 = 4 * MIB;
/// More than there is, and known to both versions of control groups.
const NO_LIMIT: u64 = 1 << 60;
/// Sessions that the first number is enough for.
const FEW_SESSIONS: u64 = 16;
const LOG: &str = "log";
/// A machine that is busy starts it late; a checkpoint of a slow disk takes long.
const PATIENCE: Duration = Duration::from_secs(300);
/// A server that was told to end immediately does so within seconds, unless it was stopped.
const AT_ONCE: Duration = Duration::from_secs(10);
/// The longest path of a socket, in bytes (unix(7)), without the name of the socket.
const MOST_SOCKET_PATH: usize = 85;

/// See the module.
#[derive(Debug)]
pub struct PrivateServer {
    home: Home,
    programs: Programs,
    user: Option<User>,
    group: Group,
    server: Option<Child>,
    room: Room,
    removed: bool,
}

/// What a server is created for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Sessions at the same time.
    pub sessions: u32,
    /// What its page cache has to hold for reading ahead.
    pub ahead_bytes: u64,
}

/// A program with its arguments.
#[derive(Debug)]
pub struct Call {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<OsString>,
}

/// Where and how a server is started.
#[derive(Clone, Copy, Debug)]
pub struct Serve<'a> {
    /// The directory of its database.
    pub data: &'a Path,
    /// Directory of the socket.
    pub socket: &'a Path,
    /// What the server is created for.
    pub room: Room,
    /// Why it is started.
    pub purpose: Purpose,
    /// What is between the server and the device.
    pub page_cache: PageCache,
}

/// How a server is told to end.
#[derive(Clone, Copy, Debug)]
pub struct Farewells {
    /// In order, with everything written.
    pub stop: Signal,
    /// Ends it immediately.
    pub at_once: Signal,
    /// When this process has ended.
    pub orphan: Signal,
}

/// What each product does in its own way with a private server.
pub trait Kit: Sync + std::fmt::Debug {
    /// Users to run as when root starts the server: the first one that exists. Packages create one of them.
    fn users(&self) -> &'static [&'static str];

    /// Variables of the environment that begin so may lead to another server.
    fn variables(&self) -> &'static str;

    /// Creates an empty database in an existing, empty directory.
    fn make(&self, programs: &Programs, data: &Path) -> Call;

    /// Starts it; `more` is a setting more, such as `io_method=sync`.
    fn serve(&self, programs: &Programs, serve: &Serve<'_>, more: Option<&str>) -> Call;

    /// Whether this version bypasses the page cache by itself.
    fn is_direct(&self, programs: &Programs) -> bool;

    /// The server's own cache, which is enough for what this many sessions hold at the same time.
    fn cache_bytes(&self, sessions: u32) -> u64;

    /// Size of an empty database and its log.
    fn empty_bytes(&self) -> u64;

    /// Directory of the tables within that of the database.
    fn tables(&self) -> &'static str;

    /// The server that listens in this directory.
    fn reach(&self, socket: &Path) -> Arc<dyn Reach>;

    /// How the server ends.
    fn farewells(&self) -> Farewells;

    /// What marks an error in a line of its log.
    fn errors(&self) -> &'static [&'static str];

    /// Ends what a killed run left of a server of this product in a directory of ours, and removes memory that belongs to no process.
    fn clear(&self, home: BorrowedFd<'_>);
}

/// Why a server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To fill its table.
    Fill,
    /// To be measured: with caches as small as they can be.
    Measure,
    /// For experiments on settings: without any of them, with a cache of this size.
    Prove {
        /// Bytes.
        cache_bytes: u64,
    },
}

/// What is between the table and the device during measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCache {
    /// Reads go past it.
    PassedBy,
    /// The server belongs to a group with this much memory.
    Limited(u64),
    /// All of the host's page cache.
    Whole,
}

impl PrivateServer {
    /// Makes a database in a new directory in `place`, for such a load.
    ///
    /// # Errors
    /// When the directory or the database cannot be made.
    pub fn make(place: &Path, programs: Programs, room: Room) -> Result<Self, Problem> {
        let user = user::choose(door(programs.product).kit().users())?;
        let mut home = Home::make(place)?;
        let name = format!("sql-{}", std::process::id());
        let group = Group::make(&name, &mut |dir| home.note_group(dir));
        let mut server = Self { home, programs, user, group, server: None, room, removed: false };
        server.set_up().inspect_err(|_| server.leave())?;
        Ok(server)
    }

    fn set_up(&mut self) -> Result<(), Problem> {
        let dir = self.home.dir.clone();
        let problem = |what: String| {
            Problem::refused("a private server cannot be set up").at(path_text::encode(&dir)).because(what)
        };
        if dir.join(SOCKET).as_os_str().len() > MOST_SOCKET_PATH {
            return Err(problem(format!("its socket path would exceed {MOST_SOCKET_PATH} bytes"))
                .next("name a directory with a shorter path"));
        }
        if let Some(barred) = user::barred(&dir, self.user) {
            return Err(problem(format!(
                "the user {}, which runs it, cannot access {}",
                self.user.map_or("root", |user| user.name),
                path_text::encode(barred)
            ))
            .next("name a directory on the same storage that every user can access"));
        }
        for name in [DATA, SOCKET] {
            let made = self.home.make_dir(name).map_err(|error| problem(error.to_string()))?;
            user::give(&made, self.user).map_err(|errno| problem(errno.to_string()))?;
        }
        // What it starts ends in order, with its memory, when nobody gives it more to do. Told to end, it would go on with some of it.
        let call = self.kit().make(&self.programs, &self.data());
        let name =
            call.program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut making = self.command(&call, Signal::KILL, Vec::new());
        let output = within(PATIENCE, move || making.output())
            .ok_or_else(|| failure::silent(&path_text::encode(&dir), PATIENCE))?
            .map_err(|error| problem(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = if output.stderr.is_empty() { output.stdout } else { output.stderr };
        let said = String::from_utf8_lossy(&said);
        Err(problem(format!("{name} says: {}", cause(&said, self.kit().errors())))
            .next("make sure that the directory is writable and has space"))
    }

    /// A program of the server, as its user, that receives `signal` when this process ends. It has its own process
    /// group, so that the keys that end a run do not end it first.
    fn command(&self, call: &Call, signal: Signal, groups: Vec<File>) -> Command {
        let mut command = Command::new(&call.program);
        command.args(&call.arguments);
        // Nothing of the environment may lead to another server.
        let prefix = self.kit().variables();
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
        // A MariaDB begins by removing all temporary tables where those of others may be, too.
        command.env("TMPDIR", self.socket());
        command.env("LC_ALL", "C").current_dir("/").stdin(Stdio::null()).process_group(0);
        user::becomes(&mut command, self.user);
        child::ends_with_us(&mut command, signal, groups);
        command
    }

    /// Starts it and waits until it answers.
    ///
    /// # Errors
    /// When it ends or does not answer, with its message.
    pub fn start(&mut self, purpose: Purpose) -> Result<(), Problem> {
        self.start_with(purpose, None)
    }

    /// Like [`Self::start`], with one more setting, such as `io_method=sync`.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_with(&mut self, purpose: Purpose, more: Option<&str>) -> Result<(), Problem> {
        if let PageCache::Limited(bytes) = self.page_cache() {
            let bytes = if purpose == Purpose::Measure { bytes } else { NO_LIMIT };
            self.group.limit_memory(bytes).map_err(|error| {
                Problem::refused("the memory of the private server cannot be limited")
                    .because(error.to_string())
            })?;
        }
        let log = self.home.make_file(LOG).map_err(|error| self.broken(&error.to_string()))?;
        let errors = log.try_clone().map_err(|error| self.broken(&error.to_string()))?;
        let not_entered =
            |error: std::io::Error| self.broken(&format!("its control group cannot be entered: {error}"));
        let (data, socket, kit) = (self.data(), self.socket(), self.kit());
        let serve =
            Serve { data: &data, socket: &socket, room: self.room, purpose, page_cache: self.page_cache() };
        let call = kit.serve(&self.programs, &serve, more);
        let lists = self.group.lists().map_err(not_entered)?;
        let mut command = self.command(&call, kit.farewells().orphan, lists);
        command.stdout(log).stderr(errors);
        let server = command.spawn().map_err(|error| self.broken(&error.to_string()))?;
        // Where it could not enter by itself; what it starts later is in the group as well.
        let entered = self.group.enter(server.id());
        self.server = Some(server);
        entered.map_err(|error| self.broken(&format!("its control group cannot be entered: {error}")))?;
        self.wait_for_answer()
    }

    fn kit(&self) -> &'static dyn Kit {
        door(self.programs.product).kit()
    }

    /// What is between the table and the device during measurements.
    pub fn page_cache(&self) -> PageCache {
        page_cache(&self.programs, self.group.limits_memory(), self.room)
    }

    fn wait_for_answer(&mut self) -> Result<(), Problem> {
        let began = Instant::now();
        let address = self.address();
        loop {
            let asked = Arc::clone(&address);
            let asked = within(PATIENCE.saturating_sub(began.elapsed()), move || asked.knock());
            match asked {
                Some(Ok(())) => return Ok(()),
                None => return Err(failure::silent(address.shown(), PATIENCE)),
                Some(Err(problem)) if began.elapsed() > PATIENCE => return Err(problem),
                Some(Err(_)) => thread::sleep(Duration::from_millis(20)),
            }
            let ended = self.server.as_mut().and_then(|server| server.try_wait().ok().flatten());
            if ended.is_some() {
                self.server = None;
                return Err(self.broken(&self.said()));
            }
        }
    }

    /// Stops it in order, with everything written.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&mut self) -> Result<(), Problem> {
        self.end(self.kit().farewells().stop, PATIENCE)
    }

    /// Drops the files of a stopped server from the page cache.
    pub fn forget(&self) {
        // What stays in memory all the same, the counters tell.
        let _ = self.home.each_table(self.kit().tables(), &mut |file| {
            file.sync_all()?;
            Ok(fadvise(&file, 0, None, Advice::DontNeed)?)
        });
    }

    fn end(&mut self, signal: Signal, patience: Duration) -> Result<(), Problem> {
        let Some(mut server) = self.server.take() else { return Ok(()) };
        if let Some(pid) = i32::try_from(server.id()).ok().and_then(Pid::from_raw) {
            if signal == Signal::KILL {
                kill_whole(pid);
            } else {
                let _ = kill_process(pid, signal);
            }
        }
        let began = Instant::now();
        while matches!(server.try_wait(), Ok(None)) {
            if began.elapsed() > patience {
                self.server = Some(server);
                return Err(Problem::new(ExitKind::CutShort, "the private server does not stop")
                    .at(path_text::encode(&self.home.dir))
                    .because(self.said())
                    .next("check the kernel log (dmesg) for the device"));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Stops it and removes everything of it.
    ///
    /// # Errors
    /// When something of it is left.
    pub fn finish(&mut self) -> Result<(), Problem> {
        // Nobody wants the database again.
        let at_once = self.kit().farewells().at_once;
        let ended = self.end(at_once, AT_ONCE).or_else(|_| self.end(Signal::KILL, PATIENCE));
        let removed = self.home.remove();
        self.removed = true;
        ended.and(removed)
    }

    /// The same, when the problem that caused it is the one to report.
    fn leave(&mut self) {
        let _ = self.finish();
    }

    /// Where it listens.
    pub fn address(&self) -> Arc<dyn Reach> {
        self.kit().reach(&self.socket())
    }

    /// Its control group, which counts its reads.
    pub const fn group(&self) -> &Group {
        &self.group
    }

    /// Holds all of its files, and is removed with it.
    pub fn home(&self) -> &Path {
        &self.home.dir
    }

    /// The directory of the database.
    pub fn data(&self) -> PathBuf {
        self.home.dir.join(DATA)
    }

    /// The directory of its socket.
    pub fn socket(&self) -> PathBuf {
        self.home.dir.join(SOCKET)
    }

    fn said(&self) -> String {
        cause(&self.home.read(LOG).unwrap_or_default(), self.kit().errors())
    }

    fn broken(&self, why: &str) -> Problem {
        Problem::refused("the private server does not start")
            .at(path_text::encode(&self.home.dir))
            .because(path_text::printable(why).into_owned())
            .next("check whether a server of these programs starts at all; --programs selects others")
    }

    /// A description for people.
    pub fn describe(&self) -> Vec<String> {
        let cache = match self.page_cache() {
            PageCache::PassedBy => "it bypasses the page cache".to_owned(),
            PageCache::Limited(bytes) => format!("it has {} of memory, page cache included", Bytes(bytes)),
            PageCache::Whole => {
                "the host's entire page cache is between it and the storage: no control group limits it"
                    .to_owned()
            }
        };
        let words = door(self.programs.product).words();
        vec![format!(
            "{}, a private server with {} of {}; {cache}",
            self.programs.title(),
            words.cache,
            Bytes(self.kit().cache_bytes(self.room.sessions))
        )]
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if !self.removed {
            self.leave();
        }
    }
}

/// Refuses a directory in which no server is made, before anything is done there.
///
/// # Errors
/// When nothing can be made there, others could put something else in place of what root makes and removes, or its name is not text.
pub fn check_place(place: &Path) -> Result<(), Problem> {
    // One that is not there is refused with what it would be used for.
    let Ok(place) = place.canonicalize() else { return Ok(()) };
    if place.to_str().is_none() {
        return Err(Problem::refused("a private server cannot be set up")
            .at(path_text::encode(&place))
            .because("its path is not UTF-8, and servers report their directories as text")
            .next("name a directory on the same storage whose path is UTF-8"));
    }
    home::check_writable(&place)?;
    home::check_own(&place)
}

/// Removes what killed runs left in a directory, so its room is free.
///
/// # Errors
/// When no server can be made there.
pub fn remove_left(place: &Path) -> Result<(), Problem> {
    home::remove_all_left(place)
}

/// The directory that a file of a private server shows to be its place; `None` of other files.
pub fn place_of(file: &Path) -> Option<&Path> {
    file.ancestors().find(|dir| home::has_name(dir))?.parent()
}

/// Whether a run that works, or one that was killed, has a server in a directory.
pub fn is_used(place: &Path) -> bool {
    home::is_used(place)
}

/// What would be between the table and the device for a server of these programs.
pub fn page_cache(programs: &Programs, limits_memory: bool, room: Room) -> PageCache {
    let more = u64::from(room.sessions).saturating_sub(FEW_SESSIONS) * MEMORY_PER_SESSION + room.ahead_bytes;
    match limits_memory {
        _ if door(programs.product).kit().is_direct(programs) => PageCache::PassedBy,
        true => PageCache::Limited(MEMORY + more),
        false => PageCache::Whole,
    }
}

/// The most that caches of our own server may hold, if the host has this much memory.
pub fn cache_bytes(product: Product, cache: PageCache, memory_bytes: u64) -> u64 {
    match cache {
        PageCache::PassedBy => door(product).kit().cache_bytes(1),
        PageCache::Limited(bytes) => bytes,
        PageCache::Whole => memory_bytes,
    }
}

/// The first line with an error, because later ones only report the clean-up; without one, the last line.
fn cause(text: &str, errors: &[&str]) -> String {
    let error = text.lines().find(|line| errors.iter().any(|error| line.contains(error)));
    let line = error.or_else(|| text.lines().rev().find(|line| !line.trim().is_empty()));
    path_text::printable(line.unwrap_or("it said nothing").trim()).into_owned()
}

/// Ends a server and its processes, which do not notice its end when they were stopped.
fn kill_whole(server: Pid) {
    // It starts no more meanwhile.
    let _ = kill_process(server, Signal::STOP);
    for process in children(server) {
        let _ = kill_process(process, Signal::KILL);
    }
    let _ = kill_process(server, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_place_of_a_server_is_seen_by_a_file_of_it() {
        let of = |path: &str| place_of(Path::new(path)).map(|dir| dir.display().to_string());
        assert_eq!(of("/mnt/fast/rigel-sql-server/data/base/5/16385").as_deref(), Some("/mnt/fast"));
        assert_eq!(of("/a b/rigel-sql-server-12/data/base/5/1").as_deref(), Some("/a b"));
        assert_eq!(
            [of("/mnt/fast/pg/base/5/1"), of("/mnt/rigel-sql-servers/x"), of("host=/tmp")],
            [None, None, None]
        );
    }

    #[test]
    fn the_cause_is_told_and_not_what_was_put_away_behind_it() {
        let full = "creating directory\ninitdb: error: could not write file \"a\": No space left on device\n\
            initdb: removing contents of data directory \"d\"\n";
        let cause = |text: &str| cause(text, door(Product::Postgresql).kit().errors());
        assert_eq!(cause(full), "initdb: error: could not write file \"a\": No space left on device");
        assert!(cause("LOG:  starting\nFATAL:  too small\nLOG:  shut down\n").contains("too small"));
        assert_eq!((cause("one\ntwo\n\n").as_str(), cause("").as_str()), ("two", "it said nothing"));
    }

    #[test]
    fn a_server_that_was_stopped_is_killed_with_what_it_started() {
        let mut server = Command::new("sh").args(["-c", "sleep 60 & kill -STOP $!; wait"]).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(server.id()).unwrap()).unwrap();
        let mut inner = Vec::new();
        while inner.is_empty() {
            inner = children(pid);
            thread::sleep(Duration::from_millis(5));
        }
        kill_whole(pid);
        server.wait().unwrap();
        let lives = |pid: &Pid| {
            let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
            !matches!(stat.rsplit_once(") ").map_or("Z", |(_, rest)| &rest[..1]), "Z" | "X")
        };
        let began = Instant::now();
        while inner.iter().any(lives) {
            assert!(began.elapsed() < Duration::from_secs(60), "{inner:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
