//! What a resumed scrub has to know: what is compared, how far it got, what it found. Must not open the file.

use super::found::{ScrubFindings, Stretch};
use super::map::{BLOCK_BYTES, CHUNK_BYTES, Map};
use super::pace::Pace;
use rigel_core::error::Problem;
use rigel_core::path_text;
use serde::{Deserialize, Serialize};

/// Name and version of the file's form.
pub const SCHEMA: &str = "rigel.scrub-state/1";

/// Where the copies are, as the user gave it: paths may be relative to the directory in the state. Paths are printable ([`rigel_core::path_text`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// One file or device, of which every block is read.
    One {
        /// Its path.
        path: String,
        /// First byte.
        offset: u64,
        /// Bytes; `None` for all that it has.
        length: Option<u64>,
    },
    /// Two files or devices.
    Pair {
        /// Their paths.
        paths: [String; 2],
        /// First byte of each.
        offsets: [u64; 2],
        /// Bytes; `None` for all that both have.
        length: Option<u64>,
    },
    /// The legs of an array of the kernel's RAID driver.
    Md(String),
    /// The legs of a mirrored logical volume, `VG/LV`.
    Lvm(String),
    /// A list of extents.
    Extents {
        /// The file.
        file: String,
        /// Bytes of an allocation unit.
        unit_bytes: u64,
    },
}

/// The identity of a file, on a filesystem that keeps its file numbers.
///
/// Without the device that contains it: that has another number after a reboot, or when it is mounted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNumber {
    /// Inode.
    pub inode: u64,
    /// When it was created, in nanoseconds since 1970, if the filesystem and the kernel report it.
    pub born_ns: Option<u64>,
}

impl FileNumber {
    /// Whether it is certainly another file.
    fn is_other_than(self, before: Self) -> bool {
        let born = self.born_ns.zip(before.born_ns);
        self.inode != before.inode || born.is_some_and(|(now, before)| now != before)
    }
}

/// The identity of a disk, whatever its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskIdentity {
    /// The device's own identifier.
    pub identifier: Option<String>,
    /// The identity of the file.
    pub file: Option<FileNumber>,
}

/// A scrub up to some moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    schema: String,
    /// What is compared.
    pub source: Source,
    /// Most MB (2^20 bytes) to read in a second from each copy; `None` for full speed.
    pub max_mbps: Option<u64>,
    /// [`Map::fingerprint`] of where the copies lay.
    fingerprint: String,
    /// Each disk's own identifier, if it has one: a name such as `/dev/sdb` may mean another one after a reboot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    disks: Vec<Option<String>>,
    /// The identity of each file, for the same reason. Older states have none of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<Option<FileNumber>>,
    /// The directory that relative paths begin in, printable: those of `source`, and those in a list of extents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// Up to this byte everything was compared.
    pub done: u64,
    /// Ranges that differed and have to be read again.
    pub pending: Vec<Stretch>,
    /// How long reads took; for a single copy, bypassing the page cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<Pace>,
    /// The findings.
    pub found: ScrubFindings,
}

impl Source {
    /// Whether there is one copy only, so nothing is compared.
    pub const fn is_one(&self) -> bool {
        matches!(self, Self::One { .. })
    }
}

impl State {
    /// Nothing is compared yet.
    pub fn new(source: Source, max_mbps: Option<u64>, map: &Map, disks: &[DiskIdentity]) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            source,
            max_mbps,
            fingerprint: map.fingerprint(),
            disks: disks.iter().map(|disk| disk.identifier.clone()).collect(),
            files: disks.iter().map(|disk| disk.file).collect(),
            directory: None,
            done: 0,
            pending: Vec::new(),
            pace: None,
            found: ScrubFindings::default(),
        }
    }

    /// Whether the copies are alike as far as they were compared; `None` if none is known to differ, but ranges wait
    /// to be read again or could not be judged, and if there is one copy only.
    pub fn are_alike(&self) -> Option<bool> {
        self.found.are_alike().filter(|alike| !self.source.is_one() && (!alike || self.pending.is_empty()))
    }

    /// Whether a single copy of `total` bytes is completely readable; `None` if everything that was read is, but not
    /// everything was read, and if there are several copies.
    pub fn is_readable(&self, total: u64) -> Option<bool> {
        match self.found.ranges {
            _ if !self.source.is_one() => None,
            0 => (self.done >= total).then_some(true),
            _ => Some(false),
        }
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// When it is not such a file, or of another version.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let refused = |cause: String| {
            Problem::usage("this is not a scrub state file")
                .because(cause)
                .next("give the file that `rigel scrub .. --state FILE` wrote")
        };
        let mut state: Self = serde_json::from_str(text)
            .map_err(|error| refused(path_text::printable(&error.to_string()).into_owned()))?;
        if state.schema != SCHEMA {
            return Err(refused(format!(
                "it has the format {}, this program knows {SCHEMA}",
                path_text::printable(&state.schema)
            )));
        }
        state.found = state.found.recounted();
        Ok(state)
    }

    /// Checks that the copies are still where they were, and on the same disks as far as those identify themselves.
    ///
    /// # Errors
    /// When they are not.
    pub fn check(&self, map: &Map, disks: &[DiskIdentity]) -> Result<(), Problem> {
        self.check_disks(disks)?;
        let within = |stretch: &Stretch| {
            let part = map.part(stretch.at, stretch.len);
            let blocks = map
                .strip_at(stretch.at)
                .is_some_and(|(_, start)| (stretch.at - start).is_multiple_of(BLOCK_BYTES));
            blocks
                && (1..=CHUNK_BYTES).contains(&stretch.len)
                && part.is_some_and(|part| part.len == stretch.len)
        };
        let own = self.fingerprint == map.fingerprint() && self.done <= map.total();
        let paced = self.pace.as_ref().is_none_or(|pace| pace.is_within(map.total()));
        if own && paced && self.pending.iter().all(within) {
            return Ok(());
        }
        Err(Problem::refused("the copies have moved")
            .because("a device, an array or a list of extents has changed since the scrub started")
            .next("start a new scrub"))
    }

    fn check_disks(&self, disks: &[DiskIdentity]) -> Result<(), Problem> {
        let pairs = || self.disks.iter().zip(disks);
        let other = pairs().find(|(before, now)| before.is_some() && **before != now.identifier);
        if let Some((Some(before), now)) = other {
            let before = path_text::printable(before);
            let now = now.identifier.as_deref().map_or("another one".into(), path_text::printable);
            return Err(Problem::refused("a disk has changed since the scrub started")
                .because(format!("it was {before}, and is {now}"))
                .next("give the copies their former names, or start a new scrub with names as in /dev/disk/by-id"));
        }
        let is_other = |before: &Option<FileNumber>, now: &DiskIdentity| {
            now.file.zip(*before).is_some_and(|(now, before)| now.is_other_than(before))
        };
        match self.files.iter().zip(disks).position(|(before, now)| is_other(before, now)) {
            None => Ok(()),
            Some(copy) => Err(Problem::refused("a file has changed since the scrub started")
                .because(format!(
                    "file {} has another inode or creation time; something replaced it",
                    copy + 1
                ))
                .next("restore the original file, or start a new scrub")),
        }
    }

    /// The text of the file.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::super::pace::ReadTime;
    use super::super::{Place, Strip};
    use super::*;

    fn map(len: u64) -> Map {
        let place = |disk| Place { disk, offset: 0 };
        Map::new(vec![Strip { len, copies: vec![place(0), place(1)], of: None }])
    }

    fn who(identifier: &str) -> DiskIdentity {
        DiskIdentity { identifier: Some(identifier.to_owned()), file: None }
    }

    fn state(map: &Map) -> State {
        State::new(Source::Md("/dev/md0".into()), Some(7), map, &[who("wwid-1"), DiskIdentity::default()])
    }

    #[test]
    fn what_is_kept_comes_back() {
        let mut kept = state(&map(1 << 30));
        kept.pending.push(Stretch { at: 8192, len: 4096 });
        assert_eq!(State::parse(&kept.to_json().unwrap()), Ok(kept.clone()));
        let disks = |first: &str| [who(first), who("new")];
        assert_eq!(kept.check(&map(1 << 30), &disks("wwid-1")), Ok(()));
        let other = kept.check(&map(1 << 30), &disks("wwid-2")).unwrap_err().to_string();
        assert!(other.contains("wwid-1") && other.contains("wwid-2"), "{other}");
        assert!(
            kept.check(&map(1 << 30), &[DiskIdentity::default(), DiskIdentity::default()]).is_err(),
            "it does not say who it is any more"
        );
    }

    #[test]
    fn a_file_is_another_one_only_where_that_is_certain() {
        let map = map(1 << 20);
        let file =
            |inode, born_ns| DiskIdentity { identifier: None, file: Some(FileNumber { inode, born_ns }) };
        let check = |before: DiskIdentity, now: DiskIdentity| {
            let kept = State::new(Source::Md(String::new()), None, &map, &[before]).to_json().unwrap();
            State::parse(&kept).unwrap().check(&map, &[now]).is_ok()
        };
        assert!(check(file(7, Some(1)), file(7, Some(1))));
        assert!(!check(file(7, Some(1)), file(8, Some(1))));
        assert!(!check(file(7, Some(1)), file(7, Some(2))), "the number was given again");
        assert!(check(file(7, None), file(7, Some(2))), "the kernel was exchanged");
        assert!(check(DiskIdentity::default(), file(7, Some(2))), "an older state");
        assert!(check(file(7, Some(2)), DiskIdentity::default()), "a filesystem that does not keep numbers");
    }

    /// What an older state has is read, and what it lists is counted.
    #[test]
    fn a_state_without_what_came_later_is_read() {
        let found = r#"{"differences":[],"ranges":0,"bytes":0,"unreadable":0,"passed":0,"restless":[{"at":8192,"len":4096}]}"#;
        let text = format!(
            r#"{{"schema":"{SCHEMA}","source":{{"pair":{{"paths":["a","b"],"offsets":[0,0],"length":null}}}},"max_mbps":null,"fingerprint":"{}","disks":[null,null],"done":0,"pending":[],"found":{found}}}"#,
            map(1 << 20).fingerprint()
        );
        let state = State::parse(&text).unwrap();
        assert_eq!(state.check(&map(1 << 20), &[who("a"), DiskIdentity::default()]), Ok(()));
        assert_eq!((state.found.restless_ranges, state.found.restless_bytes), (1, 4096));
        assert_eq!(state.directory, None);
    }

    /// Whoever wrote the file, nothing in it may lead outside of the copies.
    #[test]
    fn places_that_cannot_be_are_refused() {
        let map = map(1 << 20);
        for (done, at, len) in
            [(0, 1 << 20, 4096), (0, 100, 4096), (0, 4096, 1 << 20), (0, 0, 0), (2 << 20, 0, 4096)]
        {
            let pending = vec![Stretch { at, len }];
            assert!(State { done, pending, ..state(&map) }.check(&map, &[]).is_err(), "{done} {at} {len}");
        }
        let mut pace = Pace::default();
        pace.add(ReadTime { range: Stretch { at: 2 << 20, len: 4096 }, took_us: 1 });
        assert!(State { pace: Some(pace), ..state(&map) }.check(&map, &[]).is_err());
    }

    #[test]
    fn one_copy_is_not_alike_but_can_be_read() {
        let place = Place { disk: 0, offset: 0 };
        let map = Map::new(vec![Strip { len: 1 << 20, copies: vec![place], of: None }]);
        let source = Source::One { path: "/dev/sdb".into(), offset: 0, length: None };
        let mut one = State::new(source, None, &map, &[who("wwid-1")]);
        assert_eq!((one.are_alike(), one.is_readable(1 << 20)), (None, None), "nothing was read yet");
        one.done = 1 << 20;
        assert_eq!(one.is_readable(1 << 20), Some(true));
        one.found.count(4096, true);
        assert_eq!((one.are_alike(), one.is_readable(1 << 20)), (None, Some(false)));
        assert_eq!(state(&map).is_readable(0), None, "there are several");
    }
}
