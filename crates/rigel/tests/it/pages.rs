//! The commands of README, guides and references: each can be typed, and those with a line of their own are typed as they stand, each page in a
//! directory of its own, in the order of the page.
//!
//! What measures is planned only (`--dry-run`). Must not say what comes out.

mod stage;

use crate::within;
use rigel_testdev::offers::{Mark, Offer, in_text};
use stage::{PageStage, Stage};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Parts of commands that are not typed here, and where what they do is tried.
const ELSEWHERE: [(&str, &str); 18] = [
    ("--dsn ", "a server of PostgreSQL: tests of `sql`"),
    ("rigel sql", "the programs of PostgreSQL: tests of `sql`"),
    ("--resume ", "a run that was cut short: tests of `resume`, `soak` and `scrub`"),
    ("--md ", "an array: `cargo xtask vm`, case mirrors"),
    ("--lvm ", "a logical volume: `cargo xtask vm`, case mirrors"),
    ("--extents ", "the extents of Oracle ASM: tests of `scrub`"),
    ("rigel durability run", "two hosts: tests of `durability`"),
    ("rigel durability check", "two hosts: tests of `durability`"),
    ("rigel-mpi", "MPI: tests of `rigel-mpi`"),
    ("podman ", "an image: `cargo xtask dist --check`"),
    ("install ", "rights of root: `cargo xtask dist --check`"),
    ("psql ", "a server of PostgreSQL"),
    ("capacity record", "no end: tests of `capacity`"),
    ("--last", "a calibration of real storage: tests of `calibrate` and `advise`"),
    ("calibrate --history", "a calibration of real storage: tests of `calibrate` and `advise`"),
    ("capacity forecast   ", "a calibration of real storage: tests of `calibrate` and `advise`"),
    ("seastar", "records of four runs: tests of `advise`"),
    ("--poll", "a device with poll queues: `cargo xtask vm`, case null-blk"),
];
/// Commands whose exit code says what they found.
const JUDGING: [&str; 4] = ["--fail-if", "--fail-before", "--require", "rigel doctor"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap()
}

/// A page, by its path in the repository.
struct Page {
    name: String,
    text: String,
}

impl Page {
    /// Every page with commands for users.
    fn all() -> Vec<Self> {
        let folders = ["docs/guide", "docs/reference"].map(|folder| root().join(folder));
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let pages = entries.map(|entry| entry.unwrap().path());
        let mut paths: Vec<PathBuf> =
            pages.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
        paths.push(root().join("README.md"));
        paths.sort();
        let read = |path: PathBuf| Self {
            name: path.strip_prefix(root()).unwrap().display().to_string(),
            text: fs::read_to_string(&path).unwrap(),
        };
        paths.into_iter().map(read).collect()
    }

    /// The error that the page shows below a command, up to the next one.
    fn error(&self, line: usize) -> Option<&str> {
        let below = self
            .text
            .lines()
            .skip(line)
            .take_while(|line| !line.starts_with("```") && !line.trim_start().starts_with("$ "));
        below.into_iter().find(|line| line.starts_with("error: "))
    }

    fn place(&self, offer: &Offer) -> String {
        format!("{}:{}: {}\n", self.name, offer.line, offer.text)
    }
}

#[test]
fn every_command_of_the_pages_is_one_that_rigel_accepts() {
    let judge = within::judge();
    let (mut wrong, mut judged) = (String::new(), 0);
    for page in Page::all() {
        for offer in in_text(&page.text).into_iter().filter(|offer| page.error(offer.line).is_none()) {
            judged += 1;
            if let Err(refusal) = judge.check(&offer) {
                wrong.push_str(&format!("{}: {refusal}\n", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(judged > 500, "{judged}");
}

/// Whether a form of use stands there instead of a command.
fn is_form(offer: &Offer) -> bool {
    offer.mark != Mark::Line || offer.text.contains(" [")
}

#[test]
fn every_command_with_a_line_of_its_own_does_what_its_page_says() {
    let made = PageStage::new();
    let (mut wrong, mut typed) = (String::new(), 0);
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    for page in Page::all() {
        let stage = Stage::new(&made);
        for offer in in_text(&page.text).iter().filter(|offer| !is_form(offer)) {
            if let Some((_, why)) = ELSEWHERE.iter().find(|(part, _)| offer.text.contains(part)) {
                *left_out.entry(why).or_default() += 1;
                continue;
            }
            typed += 1;
            let told = stage.typed(&offer.text);
            let judges = JUDGING.iter().any(|word| offer.text.contains(word));
            let is_fine = match page.error(offer.line) {
                // What is refused by its words is refused in those of the page; the rest depends on what is on the target.
                Some(error) => told.iter().all(|one| one.code != 2 || one.stderr.starts_with(error)),
                None => !told.is_empty() && told.iter().all(|one| one.code == 0 || (judges && one.code == 1)),
            };
            if !is_fine {
                wrong.push_str(&page.place(offer));
                told.iter().for_each(|one| wrong.push_str(&format!("    {}: {}\n", one.code, one.stderr)));
            }
        }
    }
    for (why, count) in &left_out {
        eprintln!("{count} commands of the pages are not typed here, as they need {why}");
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(typed > 120, "{typed} were typed, and these were not: {left_out:?}");
}
