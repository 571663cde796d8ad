//! Making images: by the real program, or byte by byte.

use crate::support::Place;
use rigel_testdev::MissingNeed;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room for a few large I/Os.
const LEAST: u64 = 2 << 20;

/// A file of the corpus.
pub struct Image {
    pub name: &'static str,
    pub bytes: u64,
    pub by: TargetMaker,
}

pub enum TargetMaker {
    /// Lines of a shell.
    Tool(&'static [&'static str]),
    /// Bytes at offsets; negative from the end.
    Layout(&'static [(i64, &'static [u8])]),
}

/// Where the corpus lies.
pub struct Bench {
    place: Place,
}

impl Bench {
    pub fn new() -> Self {
        let place = Place::new();
        place.random_file("bystander", 2 << 20);
        let line = "run oltp --engine sim --duration 1s --quiet --no-html --name r --seed 1";
        place.line(line).expect_code(0);
        fs::rename(place.only("_record.jsonl"), place.path().join("record")).unwrap();
        Self { place }
    }

    /// A file that nobody consents to lose.
    pub fn bystander(&self) -> PathBuf {
        self.place.path().join("bystander")
    }

    /// The record of a run.
    pub fn record(&self) -> PathBuf {
        self.place.path().join("record")
    }

    /// A directory of its own for a target, so that its neighbours are known.
    pub fn room(&self, name: &str) -> PathBuf {
        let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let dir = self.place.path().join(plain);
        fs::create_dir(&dir).unwrap();
        dir
    }
}

/// A file with nothing in it.
pub fn blank(path: &Path, bytes: u64) {
    File::create(path).unwrap().set_len(bytes).unwrap();
}

/// Runs lines of a shell, `$F` being a path; the first complaint is why it cannot be had.
pub fn shell(lines: &[&str], path: &Path) -> Result<(), MissingNeed> {
    let mut command = Command::new("sh");
    command.args(["-e", "-c", &lines.join("\n")]).env("F", path);
    let dir = path.parent().unwrap_or(Path::new("/"));
    let output = command.current_dir(dir).output().map_err(MissingNeed::new)?;
    if output.status.success() {
        return Ok(());
    }
    Err(MissingNeed::new(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed")))
}

/// Makes an image.
///
/// # Errors
/// When its program is not there.
pub fn image(bench: &Bench, image: &Image) -> Result<PathBuf, MissingNeed> {
    let file = if image.name.contains("scratch") { "rigel-scratch.dat" } else { "target.dbf" };
    let path = bench.room(image.name).join(file);
    blank(&path, image.bytes);
    match image.by {
        TargetMaker::Tool(lines) => shell(lines, &path)?,
        TargetMaker::Layout(pieces) => {
            let file = File::options().write(true).open(&path).unwrap();
            for &(at, bytes) in pieces {
                let at = if at < 0 { image.bytes - at.unsigned_abs() } else { at.unsigned_abs() };
                file.write_all_at(bytes, at).unwrap();
            }
            file.sync_all().unwrap();
        }
    }
    let file = File::options().write(true).open(&path).unwrap();
    // Below that it is refused for its size alone.
    if file.metadata().unwrap().len() < LEAST {
        file.set_len(LEAST).unwrap();
    }
    Ok(path)
}
