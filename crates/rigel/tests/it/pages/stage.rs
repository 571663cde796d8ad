//! What pages speak of, on a small scale: files in the place of devices, records of simulated runs, a history of a year.
//!
//! Must not know a page.

use crate::cluster;
use crate::support::{Place, ProgramOutput, tell};
use crate::year;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Plans what measures, and keeps what each command came to.
const STAND_IN: &str = r#"#!/bin/sh
more=
case "$1 $2" in
    "run "*|"calibrate"*|"slo "*|"versus "*|"soak "*|"orion "*|"fill "*|"capacity fit") more=--dry-run ;;
esac
case " $* " in
    *" --dry-run "*|*" --last "*|*" --history "*|*" --record "*) more= ;;
esac
# Pages speak of a host and of a cluster, whose histories are two.
case " $* " in
    *rac1*|*rac2*|*PROD*|*" --all "*) HOME="$CLUSTER" ;;
esac
number=$(ls "$TOLD" | wc -l)
"$REAL" "$@" $more 2>"$TOLD/$number.stderr"
code=$?
# No run goes on here that could be marked.
case "$1 $code" in
    "mark 3") code=0 ;;
esac
echo $code >"$TOLD/$number.code"
exit $code
"#;
/// Programs that pages use beside Rigel.
const OTHERS: [(&str, &str); 4] = [
    ("sudo", "#!/bin/sh\nexec \"$@\"\n"),
    ("sadf", "#!/bin/sh\ncat \"$SADF\"\n"),
    ("jq", "#!/bin/sh\ncat >/dev/null\n"),
    ("promtool", "#!/bin/sh\ncat >/dev/null\n"),
];
/// Where shells look for completions.
const COMPLETIONS: [&str; 3] =
    ["home/.local/share/bash-completion/completions", "home/.zfunc", "home/.config/fish/completions"];
/// A history that sysstat wrote.
const SADF: &str = "../rigel-capacity/tests-data/sadf-12.6.1.json";
/// A history of PostgreSQL.
const PG_STAT_IO: &str = "../rigel-capacity/tests-data/pg_stat_io-17.10.csv";
/// An answer of CloudWatch.
const CLOUD_WATCH: &str = "../rigel-capacity/tests-data/cloudwatch-ebs.json";
/// A report of Oracle's.
const AWR: &str = "../rigel-capacity/tests-data/awr-19c.txt";

/// Results of other tools.
const SAMPLES: &str = "../rigel-uses/src/baseline/samples";
/// What pages call them.
const OF_TOOLS: [(&str, &str); 6] = [
    ("old_summary.txt", "orion_11_1_summary.txt"),
    ("fio_old.json", "fio_rand_read_8k_q8.json"),
    ("fio_new.json", "fio_rand_read_4jobs_grouped.json"),
    ("mon.json", "fio_rand_read_8k_q8.json"),
    ("tue.json", "fio_rand_read_4jobs.json"),
    ("wed.json", "fio_rand_read_4jobs_grouped.json"),
];

/// A file of Rigel's own, which its runs may write.
const SCRATCH: &str = "rigel-scratch.dat";

/// A load of the user's own that writes nothing, so that its targets need no consent.
const LOAD: &str = "load = \"rigel.load/1\"\n\n[[class]]\nname = \"pages\"\nsize = \"8K\"\n\
    arrival = { rate = 1000, shape = \"poisson\" }\n\n[[class]]\nname = \"scans\"\nsize = \"128K\"\n\
    pattern = \"stream\"\narrival = { streams = 1 }\n";

/// A job of fio's that only reads.
const JOB: &str = "[pages]\nrw=randread\nbs=8k\niodepth=4\n";

/// What is made once for all pages.
pub struct PageStage {
    place: Place,
}

impl PageStage {
    pub fn new() -> Self {
        let made = Self { place: Place::new() };
        fs::create_dir(made.path("home")).unwrap();
        let line = |line: &str| {
            let told =
                tell(made.place.command().args(line.split_whitespace()).env("HOME", made.path("home")));
            assert!([0, 1].contains(&told.code), "{line}: {}", told.stderr);
        };
        let sim = "--engine sim:servers=8,service=20ms --quiet --no-html";
        for (name, command) in [
            ("here", format!("calibrate {sim} --max-latency 40ms --name here")),
            ("writes", format!("calibrate {sim} --write 100 --name writes --no-history")),
            ("slo", format!("slo {sim} --p99 90ms --name slo")),
            (
                "versus",
                format!(
                    "versus oltp {sim} --and-engine sim:servers=6,service=20ms --name versus --fast --max-duration 100s"
                ),
            ),
            ("soak", format!("soak --for 10s {sim} --name soak")),
            ("load", format!("run --load postgresql {sim} --max-duration 10s --name load")),
        ] {
            line(&command);
            fs::rename(made.place.only_of(name, "_record.jsonl"), made.path(&format!("{name}.jsonl")))
                .unwrap();
        }
        line("fill . --size 128M --quiet");
        // Disks as the pages call them.
        for disk in ["sda", "nvme0n1", "sdb"] {
            fs::write(
                made.path("year.json"),
                year::year(365, 1.0).replace("\"sda\"", &format!("\"{disk}\"")),
            )
            .unwrap();
            line("capacity import year.json --quiet");
        }
        fs::create_dir(made.path("cluster")).unwrap();
        fs::write(made.path("prod.csv"), cluster::awr(&cluster::PROD, 0..60)).unwrap();
        let import = "capacity import prod.csv --zone UTC --quiet".split_whitespace();
        tell(made.place.command().args(import).env("HOME", made.path("cluster"))).expect_code(0);
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The record that a file of this name would be.
    fn record(&self, name: &str) -> PathBuf {
        let kinds = ["writes", "slo", "versus", "soak"];
        let kind = kinds.into_iter().find(|kind| name.starts_with(kind)).unwrap_or("here");
        self.path(&format!("{kind}.jsonl"))
    }
}

/// A place in which the commands of a page are typed.
pub struct Stage<'a> {
    made: &'a PageStage,
    place: Place,
}

impl<'a> Stage<'a> {
    pub fn new(made: &'a PageStage) -> Self {
        let place = Place::new();
        let stage = Self { made, place };
        for folder in ["bin", "told", "here", "home", "cluster"].into_iter().chain(COMPLETIONS) {
            fs::create_dir_all(stage.path(folder)).unwrap();
        }
        for (name, script) in OTHERS.into_iter().chain([("rigel", STAND_IN)]) {
            let path = stage.path("bin").join(name);
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        copy(&made.path("home"), &stage.path("home"));
        copy(&made.path("cluster"), &stage.path("cluster"));
        fs::write(stage.here("db7.csv"), cluster::awr(&[cluster::DB7], 0..14)).unwrap();
        fs::write(stage.here("space.csv"), cluster::space(cluster::PROD[0], 60, 100.0)).unwrap();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (name, from) in [
            ("sa24.json", tests.join(SADF)),
            ("io.csv", tests.join(PG_STAT_IO)),
            ("ebs.json", tests.join(CLOUD_WATCH)),
        ] {
            fs::copy(from, stage.here(name)).unwrap();
        }
        for (name, sample) in OF_TOOLS {
            fs::copy(tests.join(SAMPLES).join(sample), stage.here(name)).unwrap();
        }
        for name in ["two-years.json", "db1.json"] {
            symlink(made.path("year.json"), stage.here(name)).unwrap();
        }
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn here(&self, name: &str) -> PathBuf {
        self.path("here").join(name)
    }

    /// Types a command; what each `rigel` of it came to.
    pub fn typed(&self, command: &str) -> Vec<ProgramOutput> {
        let told = self.path("told");
        fs::remove_dir_all(&told).unwrap();
        fs::create_dir(&told).unwrap();
        let moved = self.moved(command);
        self.props(&moved);
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(moved).current_dir(self.path("here")).stdin(Stdio::null());
        shell.env("PATH", path).env("HOME", self.path("home")).env("TOLD", &told);
        shell.env("CLUSTER", self.path("cluster"));
        shell.env("REAL", env!("CARGO_BIN_EXE_rigel"));
        shell.env("SADF", Path::new(env!("CARGO_MANIFEST_DIR")).join(SADF));
        let whole = tell(&mut shell);
        let code = |number: usize| {
            fs::read_to_string(told.join(format!("{}.code", 2 * number))).ok()?.trim().parse().ok()
        };
        let one = |(number, code)| ProgramOutput {
            code,
            stdout: String::new(),
            stderr: fs::read_to_string(told.join(format!("{}.stderr", 2 * number))).unwrap(),
        };
        let mut all: Vec<ProgramOutput> = (0..).map_while(code).enumerate().map(one).collect();
        // What failed before the program, such as a redirection.
        if all.is_empty() {
            all.push(whole);
        }
        all
    }

    /// The command with every path below `/` in this place.
    fn moved(&self, command: &str) -> String {
        let (mut moved, mut before, mut rest) = (String::new(), ' ', command);
        while let Some(sign) = rest.chars().next() {
            let is_path = sign == '/' && (before.is_whitespace() || "'\"=".contains(before));
            let end = if is_path {
                rest.find(|sign: char| sign.is_whitespace() || "'\";|".contains(sign))
            } else {
                Some(sign.len_utf8())
            };
            let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
            if is_path {
                moved.push_str(&self.own(word));
            } else {
                moved.push(sign);
            }
            before = sign;
            rest = behind;
        }
        moved
    }

    /// A file in the place of a device, a directory in the place of another.
    fn own(&self, path: &str) -> String {
        let own = self.path("root").join(path.trim_start_matches('/'));
        fs::create_dir_all(own.parent().unwrap()).unwrap();
        let is_target =
            path.starts_with("/dev/") || own.extension().is_some_and(|end| end == "dbf" || end == "dat");
        // A pattern stands for several.
        let names = if path.contains("[b-y]") {
            vec![path.replace("[b-y]", "b"), path.replace("[b-y]", "c")]
        } else {
            vec![path.to_owned()]
        };
        for name in names
            .iter()
            .map(|name| self.path("root").join(name.trim_start_matches('/')))
            .filter(|name| !name.exists())
        {
            match name.extension().and_then(|end| end.to_str()) {
                _ if is_target => target(&name),
                None => fs::create_dir_all(&name).unwrap(),
                Some("sqlite") => drop(fs::copy(self.only_store(), &name).unwrap()),
                Some(_) => {}
            }
        }
        own.display().to_string()
    }

    /// The history that is there.
    fn only_store(&self) -> PathBuf {
        fn find(dir: &Path) -> Option<PathBuf> {
            let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
            entries.into_iter().find_map(|path| match path.extension() {
                _ if path.is_dir() => find(&path),
                Some(end) if end == "sqlite" && path.to_string_lossy().contains("capacity") => Some(path),
                _ => None,
            })
        }
        find(&self.path("home")).unwrap()
    }

    /// Makes what a command reads: records, load files, lists of targets, targets by a relative name.
    fn props(&self, command: &str) {
        let words: Vec<String> = rigel_testdev::offers::shell::commands(command).unwrap_or_default().concat();
        let ranked = words.iter().position(|word| word == "rank").and_then(|at| words.get(at + 1)).cloned();
        let words: Vec<String> = words.iter().flat_map(|word| of_storage(word, ranked.is_some())).collect();
        let there = words.iter().position(|word| word == "cd").map(|at| PathBuf::from(&words[at + 1]));
        let there = there.unwrap_or_else(|| self.path("here"));
        let mut before = "";
        for word in &words {
            let option = std::mem::replace(&mut before, word);
            // A pattern gets one file.
            let name = word.replace('*', "20260101_1200");
            let path = name
                .strip_prefix("~/")
                .map_or_else(|| there.join(&name), |name| self.path("home").join(name));
            let is_records = word.ends_with('/');
            if (path.exists() && !is_records) || word.contains(' ') || word.starts_with('-') {
                continue;
            }
            if let "--lun" | "-testname" = option {
                let list = path.with_extension("lun");
                let listed = self.path("listed");
                target(&listed);
                fs::write(list, format!("{}\n", listed.display())).unwrap();
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.ends_with(".jsonl") || ["BASE", "NEW"].contains(&name.as_str()) {
                let record =
                    if word.contains('*') { self.made.path("load.jsonl") } else { self.made.record(&name) };
                // Each is a run of its own.
                let text = fs::read_to_string(record).unwrap();
                fs::write(
                    &path,
                    text.replacen("\"run_id\":\"", &format!("\"run_id\":\"{}_", name.replace('.', "_")), 1),
                )
                .unwrap();
            } else if name == "awr" {
                fs::create_dir_all(&path).unwrap();
                let report = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(AWR)).unwrap();
                let host = "rac2.example.com";
                fs::write(path.join("awr.txt"), report.replace(host, &format!("{:1$}", "db1", host.len())))
                    .unwrap();
            } else if name.ends_with(".fio") {
                fs::write(&path, JOB).unwrap();
            } else if is_records {
                fs::create_dir_all(&path).unwrap();
                fs::copy(self.made.record("here"), path.join("a_record.jsonl")).unwrap();
            } else if option == "--offers" {
                let storage = ranked.as_deref().unwrap_or_default();
                let storage = storage.split('=').next().unwrap_or_default().trim_end_matches('/');
                fs::write(&path, format!("[\"{storage}\"]\nprice = \"1000 EUR\"\ndisks = 4\n")).unwrap();
            } else if name.ends_with(".toml") && option == "--load" {
                fs::write(&path, LOAD).unwrap();
            } else if name == SCRATCH {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::copy(self.made.path(SCRATCH), &path).unwrap();
            } else if [".dat", ".dbf", ".bin"].iter().any(|end| name.ends_with(end))
                || ["A", "B"].contains(&name.as_str())
            {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                target(&path);
            }
        }
    }
}

/// The records of a storage that is ranked, `NAME=RECORD,RECORD`; any other word itself.
fn of_storage(word: &str, is_ranked: bool) -> Vec<String> {
    match word.split_once('=').filter(|(name, _)| is_ranked && !name.contains([' ', '/', '-'])) {
        Some((_, paths)) => paths.split(',').map(str::to_owned).collect(),
        None => vec![word.to_owned()],
    }
}

/// A file that is large enough for every load, and takes little room.
fn target(path: &Path) {
    rigel_testdev::random_file(path, 64 << 10).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_len(128 << 20).unwrap();
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            fs::create_dir_all(to.join(&name)).unwrap();
            copy(&path, &to.join(&name));
        } else {
            fs::copy(&path, to.join(&name)).unwrap();
        }
    }
}
