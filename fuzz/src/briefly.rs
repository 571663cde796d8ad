//! Every target on its corpus, and on changes to it: a fixed number of inputs from a fixed seed.
//!
//! Must not depend on time, so that what passes here passes everywhere.

use crate::targets;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use std::fs;
use std::path::{Path, PathBuf};

/// What takes the place of a number or a word.
const WORDS: [&str; 18] = [
    "",
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999999999",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "\u{202e}",
    "\u{1b}[2J",
    "</script>",
];
/// A longer input says little more.
const MOST_BYTES: usize = 40_000;

/// One change.
#[derive(Clone, Debug)]
enum Change {
    Put(Index, u8),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize, usize),
    Cut(Index),
    /// A piece of another file of the corpus.
    Splice(Index, Index, Index, usize),
    /// Another word where one begins.
    Word(Index, &'static str),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let at = any::<Index>;
        prop_oneof![
            1 => (at(), any::<u8>()).prop_map(|(at, byte)| Self::Put(at, byte)),
            1 => (at(), 0..8_u8).prop_map(|(at, bit)| Self::Flip(at, bit)),
            1 => (at(), vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Self::Insert(at, bytes)),
            1 => (at(), 1..65_usize).prop_map(|(at, len)| Self::Remove(at, len)),
            1 => (at(), 1..65_usize, 1..33_usize).prop_map(|(at, len, times)| Self::Repeat(at, len, times)),
            1 => at().prop_map(Self::Cut),
            1 => (at(), at(), at(), 1..513_usize)
                .prop_map(|(at, file, from, len)| Self::Splice(at, file, from, len)),
            4 => (at(), select(&WORDS[..])).prop_map(|(at, word)| Self::Word(at, word)),
        ]
    }

    fn make(&self, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let place = |at: &Index, bytes: &[u8]| at.index(bytes.len() + 1);
        match self {
            Self::Put(at, byte) => {
                let at = place(at, bytes);
                if let Some(there) = bytes.get_mut(at) {
                    *there = *byte;
                }
            }
            Self::Flip(at, bit) => {
                let at = place(at, bytes);
                if let Some(there) = bytes.get_mut(at) {
                    *there ^= 1 << bit;
                }
            }
            Self::Insert(at, more) => {
                let at = place(at, bytes);
                bytes.splice(at..at, more.iter().copied());
            }
            Self::Remove(at, len) => {
                let piece = piece(place(at, bytes), *len, bytes);
                bytes.drain(piece);
            }
            Self::Repeat(at, len, times) => {
                let piece = piece(place(at, bytes), *len, bytes);
                let (end, more) = (piece.end, bytes[piece].repeat(*times));
                bytes.splice(end..end, more);
            }
            Self::Cut(at) => bytes.truncate(place(at, bytes)),
            Self::Splice(at, file, from, len) => {
                let other = file.get(corpus);
                let more = &other[piece(place(from, other), *len, other)];
                let at = place(at, bytes);
                bytes.splice(at..at, more.iter().copied());
            }
            Self::Word(at, word) => {
                let at = place(at, bytes);
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-+".contains(byte);
                let start = at + bytes[at..].iter().take_while(|byte| !is_part(byte)).count();
                let len = bytes[start..].iter().take_while(|byte| is_part(byte)).count();
                bytes.splice(start..start + len, word.bytes());
            }
        }
        bytes.truncate(MOST_BYTES);
    }
}

/// As much of it as there is.
fn piece(at: usize, len: usize, bytes: &[u8]) -> std::ops::Range<usize> {
    at..at.saturating_add(len).min(bytes.len())
}

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target)
}

/// The files of a target's corpus, in the order of their names.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Each file as it is, then `changed` inputs made of them.
fn try_briefly(name: &str, changed: u32) {
    let target = targets::called(name).unwrap();
    let files = corpus(name);
    assert!(!files.is_empty(), "{} holds nothing", folder(name).display());
    for (path, bytes) in &files {
        let outcome = std::panic::catch_unwind(|| target(bytes));
        assert!(outcome.is_ok(), "{} fails: see above", path.display());
    }
    let corpus: Vec<Vec<u8>> = files.into_iter().map(|(_, bytes)| bytes).collect();
    if let Some((why, bytes)) = failure(target, &corpus, changed) {
        panic!("{name}: {why}\nan input for {}: b\"{}\"", folder(name).display(), bytes.escape_ascii());
    }
}

/// Why a target fails, and an input, as small as it could be made; none if it takes all of `changed` inputs.
fn failure(target: impl Fn(&[u8]), corpus: &[Vec<u8>], changed: u32) -> Option<(String, Vec<u8>)> {
    let input = (any::<Index>(), vec(Change::any(), 1..9)).prop_map(|(file, changes)| {
        let mut bytes = file.get(corpus).clone();
        changes.iter().for_each(|change| change.make(&mut bytes, corpus));
        bytes
    });
    let config = Config { cases: changed, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&input, |bytes| {
        target(&bytes);
        Ok(())
    });
    match outcome {
        Ok(()) => None,
        Err(TestError::Fail(why, bytes)) => Some((why.to_string(), bytes)),
        Err(TestError::Abort(why)) => panic!("no inputs: {why}"),
    }
}

#[test]
fn a_target_that_fails_is_seen_with_a_small_input() {
    let corpus = [b"{\"rate\": 17, \"unit\": \"IOPS\"}".to_vec()];
    let (why, bytes) = failure(|bytes| assert!(!bytes.windows(3).any(|word| word == b"NaN")), &corpus, 2000)
        .expect("a number takes the place of 17");
    assert!(why.contains("NaN"), "{why}");
    assert!(bytes.windows(3).any(|word| word == b"NaN") && bytes.len() < 40, "{}", bytes.escape_ascii());
    assert_eq!(failure(|bytes| assert!(bytes.len() <= MOST_BYTES), &corpus, 200), None);
}

macro_rules! targets {
    ($($name:ident: $changed:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                try_briefly(stringify!($name), $changed);
            }
        )*

        #[test]
        fn every_target_is_tried() {
            let known: Vec<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
            assert_eq!(known, [$(stringify!($name)),*]);
        }
    };
}

// As many as take a second or two.
targets! {
    arguments: 200,
    baseline: 3000,
    calibration: 3000,
    capacity: 1000,
    contents: 200,
    drive: 3000,
    durability: 1000,
    fio_job: 3000,
    load_file: 3000,
    lun_list: 5000,
    machine: 200,
    offers: 3000,
    record: 500,
    record_edited: 200,
    scrub: 3000,
}
