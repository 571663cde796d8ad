//! A server of a run's own: made in a directory, reached by a socket in it, stopped and removed.
//!
//! It ends with this process, however that ends, and the next run in the directory removes what was left. Caches below the
//! table are kept out of the way: by direct I/O from version 16 on, before by a control group with little memory. Must not touch
//! any other server.

mod home;
mod remains;
mod tree;
pub(crate) mod user;

use crate::address::Address;
use crate::failure;
use crate::patience::within;
use crate::processes::children;
use crate::programs::Programs;
use home::{DATA, Home, SOCKET};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use rigel_core::units::{Bytes, MIB};
use rigel_io::child;
use rigel_io::group::Group;
use rustix::fs::{Advice, fadvise};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use user::User;

/// The first version that reads past the page cache.
const DIRECT_SINCE: u32 = 16;
/// What the server may have of memory, its page cache included, where it cannot read past that; and more for each session.
const MEMORY: u64 = 200 * MIB;
const MEMORY_PER_SESSION: u64 = 4 * MIB;
/// More than there is, and known to both versions of control groups.
const NO_LIMIT: u64 = 1 << 60;
/// Sessions that the first number is enough for.
const FEW_SESSIONS: u64 = 16;
/// The server's own cache.
const SHARED_BUFFERS: u64 = 16 * MIB;
/// Connections beside those of the sessions.
const MORE_CONNECTIONS: u32 = 10;
/// What a fresh cluster and its log take.
pub const CLUSTER_BYTES: u64 = 256 * MIB;
const LOG: &str = "log";
const LEADER: &str = "rigel";
/// A machine that is busy starts it late; a checkpoint of a slow disk takes long.
const PATIENCE: Duration = Duration::from_secs(300);
/// A server that was told to end at once does so within seconds, unless it was stopped.
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

/// What a server is made for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Sessions at the same time.
    pub sessions: u32,
    /// What its page cache has to hold for them, as it is read ahead.
    pub ahead_bytes: u64,
}

/// How a server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To fill its table.
    Fill,
    /// To be measured: with caches as small as they can be.
    Measure,
}

/// What stays between the table and the device while it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCache {
    /// Reads go past it.
    PassedBy,
    /// It belongs to a group with so much memory.
    Limited(u64),
    /// All of the host's.
    Whole,
}

impl PrivateServer {
    /// Makes a database in a new directory in `place`, for such a load.
    ///
    /// # Errors
    /// When the directory or the database cannot be made.
    pub fn make(place: &Path, programs: Programs, room: Room) -> Result<Self, Problem> {
        let user = user::choose()?;
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
                "the user postgres, which runs it, cannot access {}",
                path_text::encode(barred)
            ))
            .next("name a directory on the same storage that every user can access"));
        }
        for name in [DATA, SOCKET] {
            let made = self.home.make_dir(name).map_err(|error| problem(error.to_string()))?;
            user::give(&made, self.user).map_err(|errno| problem(errno.to_string()))?;
        }
        // What it starts ends in order, with its memory, when nobody gives it more to do. Told to end, it would go on with some of it.
        let mut initdb = self.command("initdb", Signal::KILL, Vec::new());
        initdb.arg("-D").arg(self.data()).args([
            "-U",
            LEADER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        let output = within(PATIENCE, move || initdb.output())
            .ok_or_else(|| failure::silent(&path_text::encode(&dir), PATIENCE))?
            .map_err(|error| problem(error.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(problem(format!("initdb says: {}", cause(&said)))
            .next("make sure that the directory is writable and has space"))
    }

    /// A program of the server, as its user, that gets `signal` when this process ends. It is in a process group of its own, so
    /// that the keys that end a run do not end it first.
    fn command(&self, program: &str, signal: Signal, groups: Vec<File>) -> Command {
        let mut command = Command::new(self.programs.dir.join(program));
        // Nothing of the environment may lead to another server.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").current_dir("/").stdin(Stdio::null()).process_group(0);
        user::becomes(&mut command, self.user);
        child::ends_with_us(&mut command, signal, groups);
        command
    }

    /// Starts it and waits until it answers.
    ///
    /// # Errors
    /// When it ends or does not answer, with what it says.
    pub fn start(&mut self, purpose: Purpose) -> Result<(), Problem> {
        self.start_with(purpose, None)
    }

    /// The same with one more setting, such as `io_method=sync`.
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
        let mut command = self.command("postgres", Signal::QUIT, self.group.lists().map_err(not_entered)?);
        command.arg("-D").arg(self.data()).arg("-k").arg(self.socket()).stdout(log).stderr(errors);
        let settings = self.settings(purpose);
        settings.iter().map(String::as_str).chain(more).for_each(|setting| {
            command.args(["-c", setting]);
        });
        let server = command.spawn().map_err(|error| self.broken(&error.to_string()))?;
        // Where it could not enter by itself; what it starts later is in the group as well.
        let entered = self.group.enter(server.id());
        self.server = Some(server);
        entered.map_err(|error| self.broken(&format!("its control group cannot be entered: {error}")))?;
        self.wait_for_answer()
    }

    fn settings(&self, purpose: Purpose) -> Vec<String> {
        let connections = self.room.sessions.saturating_add(MORE_CONNECTIONS);
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("max_connections={connections}"),
            format!("shared_buffers={}MB", self.shared_buffers() / MIB),
            // What works by itself would load the disk meanwhile.
            "autovacuum=off".to_owned(),
            "checkpoint_timeout=1d".to_owned(),
            "bgwriter_lru_maxpages=0".to_owned(),
            // Rows that are copied into a new table need no log then.
            "wal_level=minimal".to_owned(),
            "max_wal_senders=0".to_owned(),
            "huge_pages=off".to_owned(),
            // Files of its directory, which go with it; those in /dev/shm would stay behind a server that was killed.
            "dynamic_shared_memory_type=mmap".to_owned(),
        ];
        if purpose == Purpose::Measure && self.page_cache() == PageCache::PassedBy {
            settings.push("debug_io_direct=data".to_owned());
        }
        settings
    }

    fn shared_buffers(&self) -> u64 {
        shared_buffers(self.room.sessions)
    }

    /// What is between the table and the device while it is measured.
    pub fn page_cache(&self) -> PageCache {
        page_cache(&self.programs, self.group.limits_memory(), self.room)
    }

    fn wait_for_answer(&mut self) -> Result<(), Problem> {
        let began = Instant::now();
        let address = self.address();
        loop {
            let asked = address.clone();
            let asked = within(PATIENCE.saturating_sub(began.elapsed()), move || asked.connect().map(drop));
            match asked {
                Some(Ok(())) => return Ok(()),
                None => return Err(failure::silent(address.shown(), PATIENCE)),
                Some(Err(error)) if began.elapsed() > PATIENCE => {
                    return Err(failure::connect(&address, &error));
                }
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
        self.end(Signal::INT, PATIENCE)
    }

    /// Has the system forget the files of a server that was stopped.
    pub fn forget(&self) {
        // What stays in memory all the same, the counters tell.
        let _ = self.home.each_table(&mut |file| {
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
        let ended = self.end(Signal::QUIT, AT_ONCE).or_else(|_| self.end(Signal::KILL, PATIENCE));
        let removed = self.home.remove();
        self.removed = true;
        ended.and(removed)
    }

    /// The same where the problem that led there is the one to be told.
    fn leave(&mut self) {
        let _ = self.finish();
    }

    /// Where it listens.
    pub fn address(&self) -> Address {
        Address::socket(&self.socket(), LEADER, "postgres")
    }

    /// Its control group, which counts what it reads.
    pub const fn group(&self) -> &Group {
        &self.group
    }

    /// All of it lies there, and goes with it.
    pub fn home(&self) -> &Path {
        &self.home.dir
    }

    /// The directory of the database.
    pub fn data(&self) -> PathBuf {
        self.home.dir.join(DATA)
    }

    fn socket(&self) -> PathBuf {
        self.home.dir.join(SOCKET)
    }

    fn said(&self) -> String {
        cause(&self.home.read(LOG).unwrap_or_default())
    }

    fn broken(&self, why: &str) -> Problem {
        Problem::refused("the private server does not start")
            .at(path_text::encode(&self.home.dir))
            .because(path_text::printable(why).into_owned())
            .next("check whether a server of these programs starts at all; --programs selects others")
    }

    /// What it is, for people.
    pub fn describe(&self) -> Vec<String> {
        let cache = match self.page_cache() {
            PageCache::PassedBy => "it bypasses the page cache".to_owned(),
            PageCache::Limited(bytes) => format!("it has {} of memory, page cache included", Bytes(bytes)),
            PageCache::Whole => {
                "the host's entire page cache is between it and the storage: no control group limits it"
                    .to_owned()
            }
        };
        vec![format!(
            "PostgreSQL {}, a private server with shared_buffers of {}; {cache}",
            self.programs.version,
            Bytes(self.shared_buffers())
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
/// When others could put something else in the place of what root makes and removes.
pub fn check_place(place: &Path) -> Result<(), Problem> {
    // One that is not there is refused with what it would be used for.
    place.canonicalize().map_or(Ok(()), |place| home::check_own(&place))
}

/// Removes what killed runs left in a directory, so that its room is free.
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

/// The server's own cache, which is enough for what so many sessions hold at the same time.
pub fn shared_buffers(sessions: u32) -> u64 {
    SHARED_BUFFERS.max(u64::from(sessions) * MIB / 8).next_multiple_of(MIB)
}

/// Whether a run that works, or one that was killed, has a server in a directory.
pub fn is_used(place: &Path) -> bool {
    home::is_used(place)
}

/// What would be between the table and the device of a server of these programs.
pub fn page_cache(programs: &Programs, limits_memory: bool, room: Room) -> PageCache {
    let more = u64::from(room.sessions).saturating_sub(FEW_SESSIONS) * MEMORY_PER_SESSION + room.ahead_bytes;
    match limits_memory {
        _ if programs.major >= DIRECT_SINCE => PageCache::PassedBy,
        true => PageCache::Limited(MEMORY + more),
        false => PageCache::Whole,
    }
}

/// Most that caches of a server of ours may hold, when the host has so much memory.
pub fn cache_bytes(cache: PageCache, memory_bytes: u64) -> u64 {
    match cache {
        PageCache::PassedBy => SHARED_BUFFERS,
        PageCache::Limited(bytes) => bytes,
        PageCache::Whole => memory_bytes,
    }
}

/// The first line that tells an error: what follows only puts things away. Without one, the last line.
fn cause(text: &str) -> String {
    const ERRORS: [&str; 4] = ["PANIC:", "FATAL:", "ERROR:", "error:"];
    let error = text.lines().find(|line| ERRORS.iter().any(|error| line.contains(error)));
    let line = error.or_else(|| text.lines().rev().find(|line| !line.trim().is_empty()));
    path_text::printable(line.unwrap_or("it said nothing").trim()).into_owned()
}

/// Ends a server with its processes, which do not see that it is gone when they were stopped.
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
