//! Samples of the real tools with bytes changed, lost, doubled and moved: whatever happens, a reader ends with tables or with a user problem. The
//! fuzzer does more of this; this part runs with every test.

use super::tests::{file, try_read};
use super::{DateOrder, Options};
use jiff::tz::TimeZone;

const FILES: [&str; 9] = [
    "sar-12.6.1.txt",
    "sar-12.6.1-india.txt",
    "oswatcher-iostat-12.6.1.dat",
    "oswatcher-iostat-12.6.1-last-report.dat",
    "nmon-16n.nmon",
    "nmon-16n-groups.nmon",
    "collectl-4.3.1.dsk",
    "cloudwatch-ebs.json",
    "iostat-12.6.1.txt",
];
/// Per file.
const EDITS: usize = 150;

/// Numbers that look like chance and are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}

fn edit(bytes: &mut Vec<u8>, chance: &mut Chance) {
    const WORDS: [&[u8]; 12] = [
        b"-1",
        b"99999999999999999999",
        b"NaN",
        b"\n",
        b"\n\n",
        b",",
        b"T0000",
        b"12:00:00 AM",
        b"ALL",
        b"\xff\xfe",
        b"2026",
        b"[DSK:]",
    ];
    let at = chance.below(bytes.len());
    let to = (at + chance.below(80)).min(bytes.len());
    let part = bytes[at..to].to_vec();
    match chance.below(4) {
        0 => drop(bytes.drain(at..to)),
        1 => drop(
            bytes.splice(at..(at + 1).min(bytes.len()), WORDS[chance.below(WORDS.len())].iter().copied()),
        ),
        2 => drop(bytes.splice(at..at, part)),
        _ => {
            let other = chance.below(bytes.len());
            drop(bytes.splice(other..other, part));
        }
    }
}

#[test]
fn whatever_becomes_of_a_file_a_reader_ends_with_tables_or_a_problem() {
    let mut chance = Chance(26);
    for name in FILES {
        let whole = file(name);
        for number in 0..EDITS {
            let mut bytes = whole.clone();
            (0..=chance.below(6)).for_each(|_| edit(&mut bytes, &mut chance));
            let options = Options {
                host: Some("h".to_owned()),
                zone: Some(TimeZone::UTC),
                dates: Some(DateOrder::MonthDay),
                ..Options::default()
            };
            match try_read(&bytes, options, 1 + chance.below(4096)) {
                Err(problem) => assert_eq!(problem.kind.code(), 2, "{name} {number}: {problem}"),
                Ok((_, seen, tables)) => {
                    assert!(seen.values > 0, "{name} {number}");
                    for (key, table) in &tables {
                        let sound = table.columns().all(|(metric, values)| {
                            values.iter().all(|value| value.is_nan() || metric.can_be(*value))
                        });
                        assert!(sound, "{name} {number}: {key:?}");
                    }
                }
            }
        }
    }
}
