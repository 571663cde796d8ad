//! What could overwrite a target: commands and levels that write, outputs that have its name, wrong consents; and the right one. A target
//! meets one in three of each list, the next target the next third; `cargo xtask long` tries all on all.

use crate::making::Bench;
use crate::standing::{CorpusTarget, Fate};
use crate::support::{Place, ProgramOutput, tell};
use std::fs;
use std::path::{Path, PathBuf};

/// What came of it.
#[derive(Default)]
pub struct Tally {
    pub attempts: u64,
    pub consented: u64,
    pub lost_bytes: u64,
    pub failures: Vec<String>,
}

impl Tally {
    pub fn with(mut self, other: Self) -> Self {
        self.attempts += other.attempts;
        self.consented += other.consented;
        self.lost_bytes += other.lost_bytes;
        self.failures.extend(other.failures);
        self
    }
}

/// The desk that commands are given from, with what lies on it.
struct Desk<'a> {
    bench: &'a Bench,
    place: Place,
    target: &'a CorpusTarget,
    tally: &'a mut Tally,
    turn: Turn,
}

/// Which of the attempts on a list are made on a target.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The number of the target.
    pub target: usize,
    /// One in so many.
    pub one_in: usize,
}

impl Turn {
    fn of<T: Copy>(self, list: &[T]) -> Vec<T> {
        let is_due = |number: &usize| (number + self.target).is_multiple_of(self.one_in);
        (0..list.len()).filter(is_due).map(|number| list[number]).collect()
    }
}

/// Short, and quiet: what is measured does not matter here.
const SHORT: &str = "--duration 100ms --num-disks 1 --quiet --no-html";
const BYSTANDER: &str = "bystander.dbf";

/// Levels and options of `rigel run` that write. `T` is the target.
const RUNS: &[&str] = &[
    "run simple T --write 50",
    "run normal T --write 1",
    "run oltp T --write 100",
    "run dss T --write 50",
    "run advanced T --write 100 --matrix point --num-small 1 --num-large 1",
    "run advanced T --write 100 --type seq --simulate concat --matrix point --num-small 0 --num-large 1",
    "run advanced T --write 100 --type seq --simulate raid0 --matrix point --num-small 0 --num-large 1",
    "run oltp T --write 50 --engine io_uring",
    "run oltp T --write 50 --engine libaio",
    "run oltp T --write 50 --engine threads",
    "run oltp T --write 50 --buffered",
    "run oltp T --write 50 --json",
    "run oltp --lun t.lun --write 50",
    // What the target is given as beside it.
    "run oltp T --write 50 --out .",
    "run oltp T bystander.dbf --write 50 --destroy-data bystander.dbf",
    "run oltp bystander.dbf T --write 50 --destroy-data bystander.dbf",
];

/// Commands that take no `--duration`, or none of `SHORT`.
const OTHERS: &[&str] = &[
    "run oltp T --write 50 --quiet",
    "run simple T --write 50 --levels auto --quiet",
    "run simple T --write 50 --precision 5% --max-duration 1s --quiet",
    "durability run T --for 1s --quiet",
    "durability run T --for 1s --size 128K --sync fdatasync --engine threads --quiet",
    "fill T --quiet",
    "fill T --quiet --destroy-data bystander.dbf",
    // Nothing is written before all of them may be.
    "fill bystander.dbf T --quiet --destroy-data bystander.dbf",
    "calibrate T --write 50 --quiet",
    "calibrate --lun t.lun --write 1 --quiet --no-history",
    "orion -run simple -testname t -write 50 -duration 1",
    "orion -run normal -testname t -write 50 -duration 1",
    "orion -run oltp -testname t -write 50 -duration 1",
    "orion -run dss -testname t -write 50 -duration 1",
    "orion -run advanced -testname t -write 50 -duration 1 -matrix basic",
    "orion -run advanced -testname t -write 100 -type seq -simulate raid0 -duration 1 -matrix point -num_small 0 -num_large 1",
    // A target in the place of an output, of a directory for outputs, or of a record.
    "run oltp --engine sim --duration 1s --quiet --out T",
    "run oltp --engine sim --duration 1s --quiet --name T",
    "report r_record.jsonl --format csv --out T --force",
    "report r_record.jsonl --format orion --out T --force",
    "report T --format csv --force",
    "report T --html --force",
    "compare T T",
    "advise T",
    "man --out T --force",
];

/// Commands that only read, and may.
const READS: &[&str] = &[
    "run advanced T --matrix point --num-small 1 --num-large 0 --duration 100ms --quiet --no-html --name read --allow-memory",
    "run oltp T --duration 100ms --num-disks 1 --write 50 --allow-memory --dry-run",
    "run oltp T --duration 100ms --num-disks 1 --write 50 --allow-memory --dry-run --destroy-data T",
    "fill T --dry-run",
    "fill T --dry-run --destroy-data T",
    "doctor T",
    "targets T",
];

/// Consents that are none of the target: other files, beginnings and patterns, what is on it, what it is called elsewhere.
const NO_CONSENTS: &[&str] = &[
    "bystander.dbf",
    ".",
    "/",
    "/dev",
    "*",
    "/dev/*",
    "all",
    "yes",
    "target",
    "ext4",
    "UUID=0a1b2c3d-0000-0000-0000-000000000000",
    "/dev/disk/by-id/nvme-S4EWNX0R123456",
    "S4EWNX0R123456",
    "/dev/null",
    "/dev/zero",
    "t.lun",
];

pub fn on(bench: &Bench, target: &CorpusTarget, turn: Turn, tally: &mut Tally) {
    let before = target.contents();
    let mut desk = Desk::new(bench, target, turn, tally);
    desk.without_consent();
    desk.with_consents_that_are_none();
    desk.reading();
    desk.expect_untouched(&before);
    match target.fate {
        Fate::Consent => desk.with_the_right_consent(&before),
        Fate::Never(word) => {
            desk.although_consented(word);
            desk.expect_untouched(&before);
        }
    }
}

impl<'a> Desk<'a> {
    fn new(bench: &'a Bench, target: &'a CorpusTarget, turn: Turn, tally: &'a mut Tally) -> Self {
        let place = Place::new();
        fs::copy(bench.bystander(), place.path().join(BYSTANDER)).unwrap();
        fs::copy(bench.record(), place.path().join("r_record.jsonl")).unwrap();
        place.lun("t.lun", &[&target.path]);
        Self { bench, place, target, tally, turn }
    }

    fn run(&self, line: &str, more: &[&Path]) -> ProgramOutput {
        let target = self.target.path.as_os_str();
        let words = line.split_whitespace().map(|word| if word == "T" { target } else { word.as_ref() });
        let mut command = self.place.command();
        command.env("XDG_STATE_HOME", self.place.path().join("state")).args(words).args(more);
        tell(&mut command)
    }

    /// A command that has to be refused, with one of these codes and a word of its reason.
    fn refused(&mut self, line: &str, more: &[&Path], codes: &[i32], word: &str) {
        self.tally.attempts += 1;
        let told = self.run(line, more);
        if !codes.contains(&told.code) || !told.stderr.contains(word) {
            let name = &self.target.name;
            self.tally
                .failures
                .push(format!("{name}: `{line}` {more:?} wants {codes:?} and {word:?}: {told:?}"));
        }
    }

    fn without_consent(&mut self) {
        let before = self.place.files();
        for line in self.turn.of(RUNS) {
            self.refused(&format!("{line} {SHORT}"), &[], &[3], "");
        }
        for line in self.turn.of(OTHERS) {
            self.refused(line, &[], &[2, 3], "");
        }
        // Under the name of ORION.
        let link = self.place.path().join("orion");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_rigel"), &link).unwrap();
        self.tally.attempts += 1;
        let line = "-run advanced -testname t -write 50 -duration 1 -matrix basic";
        let mut command = std::process::Command::new(&link);
        let told = tell(command.current_dir(self.place.path()).args(line.split_whitespace()));
        if told.code != 3 {
            self.tally.failures.push(format!("{}: orion {line}: {told:?}", self.target.name));
        }
        fs::remove_file(link).unwrap();
        let after = self.place.files();
        if before != after {
            self.tally.failures.push(format!("{}: left behind {after:?}", self.target.name));
        }
    }

    fn with_consents_that_are_none(&mut self) {
        let write = format!("run oltp T --write 50 {SHORT} --destroy-data");
        let text = self.target.path.to_str().unwrap();
        let mut names: Vec<PathBuf> = NO_CONSENTS.iter().map(PathBuf::from).collect();
        names.push(self.target.path.parent().unwrap().to_owned());
        names.push(text[..text.len() - 1].into());
        names.push(format!("{text}x").into());
        names.push(format!("{text}/").into());
        names.push(text.to_uppercase().into());
        names.extend(self.target.strangers.iter().cloned());
        let names: Vec<&Path> = names.iter().map(PathBuf::as_path).collect();
        for name in self.turn.of(&names) {
            self.refused(&write, &[name], &[2, 3], "");
        }
        self.refused(&write, &[Path::new("")], &[2], "");
        let bystander = [Path::new(BYSTANDER)];
        self.refused("calibrate T --write 50 --quiet --destroy-data", &bystander, &[2], "");
        let orion = "orion -run advanced -testname t -write 50 -duration 1 -matrix basic --destroy-data";
        self.refused(orion, &bystander, &[2], "");
    }

    fn reading(&mut self) {
        for line in self.turn.of(READS) {
            self.tally.attempts += 1;
            let told = self.run(line, &[]);
            // A target that cannot be read at all is refused, not written.
            if ![0, 1, 3].contains(&told.code) {
                self.tally.failures.push(format!("{}: `{line}`: {told:?}", self.target.name));
            }
        }
    }

    fn although_consented(&mut self, word: &str) {
        let path = self.target.path.clone();
        for line in self.turn.of(RUNS).into_iter().filter(|line| !line.contains("--destroy-data")) {
            self.refused(&format!("{line} {SHORT} --destroy-data"), &[&path], &[3], word);
        }
        for line in [
            "fill T --quiet",
            "calibrate T --write 50 --quiet",
            "orion -run oltp -testname t -write 50 -duration 1",
        ] {
            self.refused(&format!("{line} --destroy-data"), &[&path], &[3], word);
        }
    }

    fn expect_untouched(&mut self, before: &[Vec<u8>]) {
        let after = self.target.contents();
        let lost: u64 = before.iter().zip(&after).map(|(before, after)| differing(before, after)).sum();
        let bystander = self.place.path().join(BYSTANDER);
        if fs::read(bystander).unwrap() != fs::read(self.bench.bystander()).unwrap() {
            self.tally.failures.push(format!("{}: its neighbour was written", self.target.name));
        }
        if lost > 0 {
            self.tally.lost_bytes += lost;
            self.tally.failures.push(format!("{}: {lost} bytes lost", self.target.name));
        }
    }

    /// Consent is no formality: the run writes, on this target alone, and not beyond its end.
    fn with_the_right_consent(&mut self, before: &[Vec<u8>]) {
        let line = "run advanced T --matrix point --num-small 2 --num-large 0 --write 100 --duration 100ms --quiet --no-html \
                    --name consented --allow-memory --destroy-data T";
        self.tally.consented += 1;
        let told = self.run(line, &[]);
        let after = self.target.contents();
        let changed = differing(&before[0], &after[0]);
        // A busy host may spoil the numbers, and then the run says so.
        let is_unusable = told.code == 1 && told.stderr.contains("error: measured, but no number is usable");
        if !(told.code == 0 || is_unusable) || changed == 0 || before[0].len() != after[0].len() {
            self.tally
                .failures
                .push(format!("{}: consent, {changed} bytes changed: {told:?}", self.target.name));
        }
    }
}

fn differing(before: &[u8], after: &[u8]) -> u64 {
    let pairs = before.chunks(4096).zip(after.chunks(4096)).filter(|(before, after)| before != after);
    let bytes: usize = pairs.map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count()).sum();
    (bytes + before.len().abs_diff(after.len())) as u64
}
