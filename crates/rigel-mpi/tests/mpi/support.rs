//! Starts ranks by mpirun under a time limit that nothing survives, and looks after what they leave.

use rigel_testdev::MissingNeed;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No test takes longer; on TERM mpirun was seen to hang.
const LIMIT: &str = "240";
const PROGRAM: &str = env!("CARGO_BIN_EXE_rigel-mpi");

/// mpirun, when it is there.
pub fn mpirun() -> Result<PathBuf, MissingNeed> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths).map(|dir| dir.join("mpirun")).find(|path| path.is_file());
    found.ok_or_else(|| MissingNeed::new("mpirun is not installed (openmpi-bin)"))
}

/// An example of this package.
pub fn example(name: &str) -> PathBuf {
    Path::new(PROGRAM).with_file_name("examples").join(name)
}

/// A directory for one test.
pub struct Place {
    dir: TempDir,
}

/// What a run left on its streams.
#[derive(Debug)]
pub struct JobOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl JobOutput {
    #[track_caller]
    pub fn expect_code(&self, code: i32) {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
    }

    /// For a run of which only that it came to its end is asked: it ended well, or with code 1 because the ranks, which share the CPUs,
    /// were starved, so that Little's law does not hold for the time that was counted, or nothing was done in it.
    #[track_caller]
    pub fn expect_measured(&self) {
        let cause = |flag: &str| self.stderr.contains(&format!("\n  likely cause: {flag} ("));
        self.expect_code(i32::from(self.code == 1 && (cause("LITTLE") || cause("NO_DATA"))));
    }
}

/// A run that goes on.
pub struct RunningJob {
    mpirun: Child,
    told: PathBuf,
    mark: String,
}

impl Place {
    pub fn new() -> Self {
        rigel_testdev::restore_signals();
        Self { dir: TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A file of random bytes, so that it holds data.
    pub fn file(&self, name: &str, bytes: usize) {
        File::create(self.path().join(name)).unwrap();
        self.fill(Path::new(name), bytes);
    }

    /// Random bytes from the start of what is there.
    pub fn fill(&self, path: &Path, bytes: usize) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state.to_le_bytes()
        };
        let data: Vec<u8> = (0..bytes / 8).flat_map(|_| next()).collect();
        let mut file = OpenOptions::new().write(true).open(self.path().join(path)).unwrap();
        file.write_all(&data).unwrap();
    }

    /// A load file of one point: so many small I/Os.
    pub fn load(&self, name: &str, outstanding: u32) {
        let text = format!(
            "load = \"rigel.load/1\"\npoints = [ {{ small = {outstanding} }} ]\n[[class]]\nname = \"small\"\nsize = \"8K\"\n"
        );
        fs::write(self.path().join(name), text).unwrap();
    }

    fn command(&self, mpirun: &Path, ranks: usize, program: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", LIMIT]).arg(mpirun);
        command.args(["--allow-run-as-root", "--oversubscribe", "-n", &ranks.to_string()]);
        // All ranks are on this host, and no network has to be looked for.
        command.args(["--mca", "btl", "self,vader", "--mca", "plm", "isolated"]);
        command.arg(program).current_dir(self.path()).stdin(Stdio::null());
        command.env("RIGEL_TEST_MARK", self.mark()).env_remove("SOURCE_DATE_EPOCH");
        command
    }

    fn mark(&self) -> String {
        self.path().file_name().unwrap().to_str().unwrap().to_owned()
    }

    /// Runs to the end.
    pub fn run(&self, mpirun: &Path, ranks: usize, words: &str) -> JobOutput {
        self.run_words(mpirun, ranks, &words.split_whitespace().collect::<Vec<_>>())
    }

    /// The same with words that may have blanks in them.
    pub fn run_words(&self, mpirun: &Path, ranks: usize, words: &[&str]) -> JobOutput {
        let output = self.command(mpirun, ranks, Path::new(PROGRAM)).args(words).output().unwrap();
        JobOutput {
            code: code_of(output.status),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts a run.
    pub fn start(&self, mpirun: &Path, ranks: usize, words: &str) -> RunningJob {
        self.start_program(mpirun, ranks, Path::new(PROGRAM), words)
    }

    /// The same with words that may have blanks in them.
    pub fn start_words(&self, mpirun: &Path, ranks: usize, words: &[&str]) -> RunningJob {
        self.start_with(self.command(mpirun, ranks, Path::new(PROGRAM)), words)
    }

    /// Starts any program.
    pub fn start_program(&self, mpirun: &Path, ranks: usize, program: &Path, words: &str) -> RunningJob {
        let words: Vec<&str> = words.split_whitespace().collect();
        self.start_with(self.command(mpirun, ranks, program), &words)
    }

    fn start_with(&self, mut command: Command, words: &[&str]) -> RunningJob {
        let told = self.path().join("told.txt");
        let file = File::create(&told).unwrap();
        command.args(words).stdout(file.try_clone().unwrap()).stderr(file);
        RunningJob { mpirun: command.spawn().unwrap(), told, mark: self.mark() }
    }

    /// The outputs in a format, from the record.
    pub fn report(&self, words: &str) -> String {
        let output = Command::new(PROGRAM)
            .args(["report".as_ref(), self.record().as_os_str()])
            .args(words.split_whitespace())
            .current_dir(self.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn record(&self) -> PathBuf {
        self.ending_in(self.path(), "_record.jsonl").expect("a record")
    }

    fn ending_in(&self, dir: &Path, ending: &str) -> Option<PathBuf> {
        let entries = fs::read_dir(dir).ok()?;
        let mut paths = entries.map(|entry| entry.unwrap().path());
        paths.find(|path| path.to_str().is_some_and(|path| path.ends_with(ending)))
    }

    pub fn read(&self, ending: &str) -> String {
        fs::read_to_string(self.ending_in(self.path(), ending).expect(ending)).unwrap()
    }

    pub fn read_in(&self, dir: &str, ending: &str) -> String {
        fs::read_to_string(self.ending_in(&self.path().join(dir), ending).expect(ending)).unwrap()
    }

    /// The record of a run with that `--name`.
    pub fn record_of(&self, name: &str) -> PathBuf {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let is_it = |file: &String| file.starts_with(&format!("{name}_")) && file.ends_with("_record.jsonl");
        self.path().join(names.find(is_it).expect("a record"))
    }

    pub fn has_record(&self) -> bool {
        self.ending_in(self.path(), "_record.jsonl").is_some()
    }

    /// Every line of the record is a whole one.
    pub fn record_is_whole(&self) {
        let record = self.read("_record.jsonl");
        assert!(record.ends_with('\n'), "a torn line");
        for line in record.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
}

impl RunningJob {
    /// Until the load has begun: the record has its first line, and a second has passed.
    pub fn wait_for_record(&mut self, place: &Place) {
        let began = Instant::now();
        while place
            .ending_in(place.path(), "_record.jsonl")
            .is_none_or(|path| fs::metadata(path).unwrap().len() == 0)
        {
            assert!(began.elapsed() < Duration::from_secs(120), "no record: {}", self.told());
            assert!(self.mpirun.try_wait().unwrap().is_none(), "it ended: {}", self.told());
            thread::sleep(Duration::from_millis(20));
        }
        thread::sleep(Duration::from_secs(1));
    }

    /// Until something is so, while the run goes on.
    pub fn wait_until(&mut self, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(120), "{}", self.told());
            assert!(self.mpirun.try_wait().unwrap().is_none(), "it ended: {}", self.told());
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Until the run has said that.
    pub fn wait_until_told(&mut self, text: &str) {
        let path = self.told.clone();
        self.wait_until(|| fs::read_to_string(&path).unwrap_or_default().contains(text));
    }

    /// The processes of this run, each with its rank; those of mpirun have none.
    fn processes(&self) -> Vec<(u32, Option<usize>)> {
        let numbers =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        numbers.filter_map(|pid: u32| Some((pid, self.rank_of(pid)?))).collect()
    }

    /// `None` for a process that is none of this run.
    fn rank_of(&self, pid: u32) -> Option<Option<usize>> {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let variables: Vec<&[u8]> = environment.split(|&byte| byte == 0).collect();
        let mark = format!("RIGEL_TEST_MARK={}", self.mark);
        variables.contains(&mark.as_bytes()).then_some(())?;
        let rank = variables.iter().find_map(|one| one.strip_prefix(b"OMPI_COMM_WORLD_RANK="));
        Some(rank.and_then(|rank| str::from_utf8(rank).ok()?.parse().ok()))
    }

    /// Whether the process was still there.
    fn signal(pid: u32, signal: &str) -> bool {
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, &pid.to_string()]).stderr(Stdio::null()).status().unwrap().success()
    }

    pub fn signal_rank(&self, rank: usize, signal: &str) {
        assert!(self.signals(rank, signal), "the rank");
    }

    fn signals(&self, rank: usize, signal: &str) -> bool {
        let found = self.processes().into_iter().find(|(_, of)| *of == Some(rank));
        found.is_some_and(|(pid, _)| Self::signal(pid, signal))
    }

    /// Until the process of a rank is there.
    pub fn wait_for_rank(&mut self, rank: usize) {
        let began = Instant::now();
        while !self.processes().iter().any(|(_, of)| *of == Some(rank)) {
            assert!(began.elapsed() < Duration::from_secs(60), "no rank {rank}: {}", self.told());
            assert!(self.mpirun.try_wait().unwrap().is_none(), "it ended: {}", self.told());
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills a rank, if it is still there.
    pub fn kill_rank(&self, rank: usize) {
        let _ = self.signals(rank, "KILL");
    }

    /// mpirun itself, which is what `timeout` has started.
    pub fn signal_mpirun(&self, signal: &str) {
        let own = self.mpirun.id();
        let parent = |pid: u32| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            stat.rsplit_once(") ")?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
        };
        let found =
            self.processes().into_iter().find(|(pid, rank)| rank.is_none() && parent(*pid) == Some(own));
        assert!(Self::signal(found.expect("mpirun").0, signal));
    }

    /// Waits for the end; the exit code.
    pub fn end(&mut self) -> i32 {
        code_of(self.mpirun.wait().unwrap())
    }

    /// Until no rank lives; then waits for the end of mpirun. Open MPI 4.1 was seen to wait for ever by itself when a rank died while it connected
    /// to mpirun, before anything of Rigel could run: mpirun is then ended, and the code is that of a killed rank.
    #[expect(clippy::print_stderr, reason = "seen when a test fails, and with --nocapture")]
    pub fn end_of_ranks(&mut self, limit: Duration) -> i32 {
        let began = Instant::now();
        while self.processes().iter().any(|(_, rank)| rank.is_some()) {
            assert!(began.elapsed() < limit, "{:?} live on: {}", self.processes(), self.told());
            thread::sleep(Duration::from_millis(20));
        }
        while self.mpirun.try_wait().unwrap().is_none() {
            if began.elapsed() > limit {
                let told = self.told();
                assert!(told.contains("PMIX ERROR: UNREACHABLE"), "mpirun waits for no rank: {told}");
                eprintln!("mpirun waits for a rank that died while it connected: a fault of Open MPI, ended");
                self.signal_mpirun("KILL");
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
        self.end()
    }

    pub fn told(&self) -> String {
        fs::read_to_string(&self.told).unwrap_or_default()
    }

    /// No process of the run lives on.
    pub fn nothing_is_left(&self) {
        let began = Instant::now();
        while !self.processes().is_empty() {
            assert!(began.elapsed() < Duration::from_secs(10), "{:?}", self.processes());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn code_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
