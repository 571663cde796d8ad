//! A session that is watched from outside: what it says, its threads, its files.

use rigel_testdev::PostgresServer;
use rustix::fs::OFlags;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Printed behind every answer.
const END: &str = "-- end of the answer --";
/// HUP, INT, QUIT, USR1, ALRM, TERM, URG: what the server has handlers for.
const OF_SERVER: [u32; 7] = [1, 2, 3, 10, 14, 15, 23];

/// psql that stays connected.
pub struct Session {
    client: Child,
    statements: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The process of the server for it.
    pub process: u32,
}

/// What a thread has to do with signals.
#[derive(Debug)]
pub struct Signals {
    /// All that the server handles are blocked, or it is the thread that handles them.
    pub is_deaf: bool,
}

/// Files of a process that measures.
#[derive(Debug)]
pub struct Remains {
    /// A file that is read past the page cache, or a ring, is open.
    pub measures: bool,
    /// What would be inherited by a program, or could be written to.
    pub wrong: Vec<String>,
}

impl Session {
    pub fn begin(server: &PostgresServer) -> Self {
        let psql = server.client("postgres", "postgres");
        // Errors in their place among the answers.
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec "$@" 2>&1"#, "sh"]).arg(psql.get_program()).args(psql.get_args());
        for (name, _) in psql.get_envs() {
            command.env_remove(name);
        }
        command.args(["-q", "-v", "ON_ERROR_STOP=0"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut client = command.spawn().unwrap();
        let statements = client.stdin.take().unwrap();
        let answers = BufReader::new(client.stdout.take().unwrap());
        let mut session = Self { client, statements, answers, process: 0 };
        session.process = session.ask("SELECT pg_backend_pid()").parse().unwrap();
        session
    }

    pub fn ask(&mut self, sql: &str) -> String {
        self.send(sql);
        self.hear()
    }

    pub fn send(&mut self, sql: &str) {
        writeln!(self.statements, "{sql};\n\\echo '{END}'").unwrap();
    }

    /// The answer to what was sent; of a session that ended, its last words.
    pub fn hear(&mut self) -> String {
        let mut told = String::new();
        let mut line = String::new();
        while self.answers.read_line(&mut line).unwrap() > 0 && line.trim_end() != END {
            told += &line;
            line.clear();
        }
        told.trim_end().to_owned()
    }

    /// The threads of its process in the server, the first one the session itself.
    pub fn threads(&self) -> Vec<Signals> {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.process)) else { return Vec::new() };
        let read = |task: fs::DirEntry| {
            let status = fs::read_to_string(task.path().join("status")).ok()?;
            let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"))?;
            let blocked = u64::from_str_radix(blocked.trim(), 16).ok()?;
            let is_main = task.file_name().to_str()? == self.process.to_string();
            // Rings have threads of the kernel, which hear no signal.
            let is_of_kernel = status.lines().any(|line| line.starts_with("Name:\tiou-"));
            let is_deaf = is_main || OF_SERVER.iter().all(|signal| blocked & (1 << (signal - 1)) != 0);
            (!is_of_kernel).then_some(Signals { is_deaf })
        };
        tasks.filter_map(|task| read(task.ok()?)).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

impl Remains {
    pub fn of(session: &Session) -> Self {
        let mut found = Self { measures: false, wrong: Vec::new() };
        let dir = format!("/proc/{}", session.process);
        for entry in fs::read_dir(format!("{dir}/fd")).into_iter().flatten().flatten() {
            let number = entry.file_name().into_string().unwrap();
            let (Ok(leads_to), Ok(info)) =
                (fs::read_link(entry.path()), fs::read_to_string(format!("{dir}/fdinfo/{number}")))
            else {
                continue;
            };
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
            let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).unwrap();
            let flags = OFlags::from_bits_retain(flags);
            let is_ring = leads_to.to_string_lossy().contains("io_uring");
            let is_direct = flags.contains(OFlags::DIRECT);
            found.measures |= is_ring || is_direct;
            let is_kept = !flags.contains(OFlags::CLOEXEC);
            let is_writable = is_direct && flags.intersects(OFlags::ACCMODE);
            if (is_ring || is_direct) && is_kept || is_writable {
                found.wrong.push(format!("{} {flags:?}", leads_to.display()));
            }
        }
        found
    }
}
