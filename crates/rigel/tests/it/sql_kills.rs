//! `rigel sql` killed at any moment: what it had begun ends by itself, or the next run removes it.

use crate::sql::{assert_clean, makers_of_memory, place, private, servers_in, signal};
use crate::support::Place;
use rigel_core::load::draw::Generator;
use rigel_testdev::needs;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const LINE: &str = "sql simple --size 16M --sessions 2 --duration 300ms --seed 1 --no-html --quiet";
/// The same, but it does not end by itself.
const LONG: &str = "sql simple --size 16M --sessions 2 --duration 120s --seed 1 --no-html --quiet";
/// Where a run that is killed tells its problems.
const TOLD: &str = "told";
const PATIENCE: Duration = Duration::from_secs(120);

/// What runs had beside files in their directory.
#[derive(Debug, Default, PartialEq, Eq)]
struct LeftoverFiles {
    /// Segments of shared memory, by their number and as files.
    segments: BTreeSet<u64>,
    files: BTreeSet<PathBuf>,
    /// Control groups.
    groups: BTreeSet<PathBuf>,
}

impl LeftoverFiles {
    fn look(&mut self, place: &Path) {
        for process in processes_in(place) {
            self.memory_of(process);
        }
        for home in homes(place) {
            let notes = fs::read_to_string(home.join("rigel.lock")).unwrap_or_default();
            self.groups
                .extend(notes.lines().filter_map(|line| line.strip_prefix("group ")).map(PathBuf::from));
        }
    }

    /// A segment stands in a map of memory as a file whose inode is the number of the segment.
    fn memory_of(&mut self, process: u32) {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        for line in maps.lines() {
            let mut words = line.split_whitespace().skip(4);
            let (Some(inode), Some(path)) = (words.next(), words.next()) else { continue };
            if path.starts_with("/SYSV") {
                self.segments.insert(inode.parse().unwrap());
            } else if path.starts_with("/dev/shm/") {
                self.files.insert(path.into());
            }
        }
    }

    /// What of it is there.
    fn left(self) -> Self {
        let table = fs::read_to_string("/proc/sysvipc/shm").unwrap();
        let there: BTreeSet<u64> = table
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
            .collect();
        let exists = |path: &PathBuf| path.exists();
        Self {
            segments: self.segments.intersection(&there).copied().collect(),
            files: self.files.into_iter().filter(exists).collect(),
            groups: self.groups.into_iter().filter(exists).collect(),
        }
    }
}

fn homes(place: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.file_name().unwrap().as_bytes().starts_with(b"rigel-sql-server")).collect()
}

/// The processes that work in this directory, or were started for something in it.
fn processes_in(place: &Path) -> Vec<u32> {
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| number(entry.unwrap()));
    let name = place.as_os_str().as_bytes();
    all.filter(|pid| {
        let of = |file: &str| format!("/proc/{pid}/{file}");
        fs::read_link(of("cwd")).is_ok_and(|cwd| cwd.starts_with(place))
            || fs::read(of("cmdline")).is_ok_and(|line| line.windows(name.len()).any(|part| part == name))
    })
    .collect()
}

/// The server that others connect to: the number of one that only makes the database is negative.
fn leader(place: &Path) -> Option<u32> {
    let of = |home: PathBuf| {
        let notes = fs::read_to_string(home.join("data/postmaster.pid")).ok()?;
        notes.lines().next()?.parse().ok()
    };
    homes(place).into_iter().find_map(of)
}

fn records(place: &Place) -> usize {
    place.files().iter().filter(|name| name.ends_with("_record.jsonl")).count()
}

fn started(place: &Place, line: &str) -> Child {
    let told = fs::File::create(place.path().join(TOLD)).unwrap();
    place.command().args(line.split(' ')).stdout(Stdio::null()).stderr(told).spawn().unwrap()
}

/// A run to its end; how long it took.
fn whole(place: &Place) -> Duration {
    let began = Instant::now();
    let told = place.line(LINE);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    assert_clean(place.path());
    began.elapsed()
}

/// How a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KillKind {
    /// Where nothing can be put in order.
    Killed,
    /// Its server as well, which cannot put anything in order either.
    KilledWithServer,
    /// As users and hosts that shut down do; it puts everything in order itself.
    ProgramOutput(Signal),
}

impl KillKind {
    const ALL: [Self; 6] = [
        Self::Killed,
        Self::KilledWithServer,
        Self::Killed,
        Self::ProgramOutput(Signal::INT),
        Self::KilledWithServer,
        Self::ProgramOutput(Signal::TERM),
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::KilledWithServer => "killed with its server",
            Self::ProgramOutput(_) => "told to end",
        }
    }
}

/// Whether a directory of a server is that of this process.
fn is_of(home: &Path, process: u32) -> bool {
    let notes = fs::read_to_string(home.join("rigel.lock")).unwrap_or_default();
    notes.lines().any(|line| line == format!("pid {process}"))
}

/// Ends a run after a while; what it was at, or `None` when it had ended before.
fn ended(place: &Place, after: Duration, how: KillKind, begun: &mut LeftoverFiles) -> Option<&'static str> {
    let before = records(place);
    let mut run = started(place, LINE);
    thread::sleep(after);
    begun.look(place.path());
    let servers = servers_in(place.path());
    let at = match () {
        () if records(place) > before && servers.is_empty() => "behind its last visit",
        () if records(place) > before => "visits",
        () if !servers.is_empty() => "a server",
        () if homes(place.path()).is_empty() => "nothing yet",
        () => "a directory",
    };
    let send = |process: u32, signal| {
        // It may be ending by itself.
        let _ = kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal);
    };
    match how {
        KillKind::ProgramOutput(signal) => send(run.id(), signal),
        KillKind::Killed | KillKind::KilledWithServer => run.kill().unwrap(),
    }
    let of_server = leader(place.path()).filter(|leader| servers.contains(leader));
    if let Some(leader) = of_server.filter(|_| how == KillKind::KilledWithServer) {
        send(leader, Signal::KILL);
    }
    let ended = run.wait().unwrap();
    begun.look(place.path());
    let told = fs::read_to_string(place.path().join(TOLD)).unwrap();
    match ended.code() {
        None => Some(at),
        Some(0 | 1) => None,
        Some(4) if matches!(how, KillKind::ProgramOutput(_)) => {
            assert!(!homes(place.path()).iter().any(|home| is_of(home, run.id())), "{at}: {told}");
            Some(at)
        }
        Some(code) => panic!("a run beside what killed ones left ended with {code}: {told}"),
    }
}

/// A run that measures for long. One may be refused while what a killed one began still ends.
#[expect(clippy::print_stderr, reason = "why a run had to be started again must be told")]
fn measuring(place: &Place) -> Child {
    let (began, before) = (Instant::now(), records(place));
    let mut run = started(place, LONG);
    while records(place) == before {
        let told = fs::read_to_string(place.path().join(TOLD)).unwrap();
        assert!(began.elapsed() < PATIENCE, "{told}");
        if run.try_wait().unwrap().is_some() {
            eprintln!("started again: {told}");
            run = started(place, LONG);
        }
        thread::sleep(Duration::from_millis(50));
    }
    run
}

/// While a server is made, and a little later: where nothing can be put in order, the server ends by itself.
fn killed_early(place: &Place, begun: &mut LeftoverFiles) {
    for millis in [100, 700] {
        let mut run = started(place, LONG);
        thread::sleep(Duration::from_millis(millis));
        begun.look(place.path());
        run.kill().unwrap();
        run.wait().unwrap();
    }
    let began = Instant::now();
    while !servers_in(place.path()).is_empty() {
        let left = servers_in(place.path());
        assert!(began.elapsed() < PATIENCE, "a server lives on: {left:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Killed together with its server, which cannot put anything in order either, and whose processes do not see it.
fn killed_with_what_stands_still(place: &Place, begun: &mut LeftoverFiles) {
    let mut run = measuring(place);
    signal(run.id(), Signal::STOP);
    let servers = servers_in(place.path());
    servers.iter().for_each(|server| signal(*server, Signal::STOP));
    begun.look(place.path());
    signal(leader(place.path()).unwrap(), Signal::KILL);
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(makers_of_memory().iter().any(|maker| servers.contains(maker)), "{servers:?}");
    assert!(!servers_in(place.path()).is_empty(), "there is something to be removed");
}

/// At moments that are drawn from the time that a whole run takes.
#[expect(clippy::print_stdout, reason = "those who wait for many kills want to see them")]
fn killed_at_random(place: &Place, kills: u32, begun: &mut LeftoverFiles) {
    let took = whole(place);
    let (mut draw, mut hits) = (Generator::new(1, &[]), BTreeMap::new());
    while hits.values().sum::<u32>() < kills {
        let after = took.mul_f64(draw.unit());
        let how = KillKind::ALL[hits.values().sum::<u32>() as usize % KillKind::ALL.len()];
        if let Some(at) = ended(place, after, how, begun) {
            *hits.entry(at).or_default() += 1;
            // With `--nocapture`, for those who wait for many.
            println!("{} after {after:.1?} at {at}", how.name());
        }
    }
    println!("{hits:?}");
}

/// At moments that leave most behind, and as often as `RIGEL_SQL_KILLS` says at random.
#[test]
fn a_run_killed_at_any_moment_leaves_nothing() {
    let name = "a_run_killed_at_any_moment_leaves_nothing";
    let Some(()) = needs(name, private()) else { return };
    let (place, mut begun) = (place(), LeftoverFiles::default());
    killed_early(&place, &mut begun);
    killed_with_what_stands_still(&place, &mut begun);
    if let Some(kills) = std::env::var("RIGEL_SQL_KILLS").ok().and_then(|text| text.parse().ok()) {
        killed_at_random(&place, kills, &mut begun);
    }
    // The next run removes the rest.
    whole(&place);
    let began = Instant::now();
    // What was about to make a database sees only at its next step that nobody wants it.
    while !processes_in(place.path()).is_empty() {
        assert!(began.elapsed() < PATIENCE, "{:?} live on", processes_in(place.path()));
        thread::sleep(Duration::from_millis(50));
    }
    assert_clean(place.path());
    println!("{begun:?}");
    assert!(!begun.segments.is_empty(), "no memory of a server was seen: {begun:?}");
    assert_eq!(begun.left(), LeftoverFiles::default());
}
