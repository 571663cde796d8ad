//! Blocks as both generations of OSWatcher's `iosub.sh` write them, of the real iostat; their means are added up here line by line.

use crate::read::tests::{disk, file, read, try_read};
use crate::read::{Format, Options};
use crate::{Metric, Source};

const WHOLE: &str = "oswatcher-iostat-12.6.1.dat";
const LAST: &str = "oswatcher-iostat-12.6.1-last-report.dat";

fn text(name: &str) -> String {
    String::from_utf8(file(name)).unwrap()
}

/// Of each block the mean of a column of vda over the reports, without the first where there are three: words of lines, and no reader.
fn means(text: &str, column: usize) -> Vec<f64> {
    let blocks = text.split("zzz ***").skip(1);
    let of_block = |block: &str| {
        let rows = block.lines().filter(|line| line.starts_with("vda "));
        let all: Vec<f64> =
            rows.map(|row| row.split_whitespace().nth(column).unwrap().parse().unwrap()).collect();
        let counted = if all.len() == 3 { &all[1..] } else { &all[..] };
        counted.iter().sum::<f64>() / counted.len() as f64
    };
    blocks.map(of_block).collect()
}

#[test]
fn a_block_is_the_mean_of_its_samples_and_stands_for_its_interval() {
    for (name, sampled_ms) in [(WHOLE, 8_000), (LAST, 4_000)] {
        let (format, seen, tables) = try_read(&file(name), Options::default(), 1 << 20).unwrap();
        // Every block has a first report, so that one is nothing to tell.
        assert_eq!((format, seen.first_reports, seen.unusable), (Format::OsWatcher, 0, 0), "{name}");
        assert!(tables.keys().all(|key| key.host == "db1" && key.source == Source::OsWatcher), "{name}");
        let vda = disk(&tables, "vda");
        // 11:45:51, 57, 46:03, 09: the last one stands for the shortest interval.
        let spans: Vec<(i64, u32)> =
            vda.spans().iter().map(|span| (span.start_ms / 1000, span.length_ms)).collect();
        let begin = 20_786 * 86_400 + 11 * 3_600 + 45 * 60 + 51;
        assert_eq!(spans, [0, 6, 12, 18].map(|after| (begin + after, 6_000)), "{name}");
        assert_eq!((seen.sampled_ms, seen.spanned_ms), (sampled_ms, 24_000), "{name}");
        for (metric, column, unit) in [
            (Metric::ReadOps, 1, 1.0),
            (Metric::ReadBytes, 2, 1024.0),
            (Metric::WriteOps, 7, 1.0),
            (Metric::WriteBytes, 8, 1024.0),
            (Metric::Busy, 22, 0.01),
        ] {
            for (found, mean) in vda.column(metric).unwrap().iter().zip(means(&text(name), column)) {
                assert!(
                    (found - mean * unit).abs() < 1e-6 * found.max(1.0),
                    "{name} {metric:?}: {found} {mean}"
                );
            }
        }
        for size in [1, 7, 1000] {
            assert_eq!(try_read(&file(name), Options::default(), size).unwrap().2, tables, "{name} {size}");
        }
        // A mean over minutes keeps all of the time.
        assert_eq!(vda.coarser(12_000).spans().len(), 2, "{name}");
    }
}

#[test]
fn behind_a_gap_nothing_is_known() {
    let block = |minute: u32, second: u32, reads: u32| {
        format!(
            "zzz ***Sun Nov 29 11:{minute:02}:{second:02} UTC 2026\nDevice r/s w/s rkB/s wkB/s\nsda {reads} 1 2 3\n\n"
        )
    };
    let mut text = "Linux OSWbb v22.1.0AHF db1\n".to_owned();
    (0..20).for_each(|number| text += &block(number / 2, number % 2 * 30, 100 + number));
    text += &block(40, 0, 500);
    let (seen, tables) = read(text.as_bytes(), Options::default());
    let sda = disk(&tables, "sda");
    let lengths: Vec<u32> = sda.spans().iter().map(|span| span.length_ms / 1000).collect();
    assert_eq!(lengths[..19], [30; 19]);
    assert_eq!((lengths[19], lengths.len(), seen.gaps), (60, 21, 1), "twice the usual, not half an hour");
    assert_eq!(sda.column(Metric::ReadOps).unwrap()[20], 500.0);
}

#[test]
fn the_host_is_in_the_file_or_in_its_name_and_dates_are_those_of_date() {
    let old = text(LAST).replace("v22.1.0AHF db1", "v7.3.3");
    let problem = try_read(old.as_bytes(), Options::default(), 99).unwrap_err();
    assert!(problem.to_string().contains("--host"), "{problem}");
    let named = Options { file: Some("rac1_iostat_26.11.29.1100.dat.gz".to_owned()), ..Options::default() };
    assert!(read(old.as_bytes(), named).0.hosts.contains("rac1"));
    let local = text(LAST).replace("UTC", "CST");
    assert!(try_read(local.as_bytes(), Options::default(), 99).unwrap_err().to_string().contains("--zone"));
    let chinese =
        text(LAST).replace("Sun Nov 29 11", "2026年 11月 29日 星期日 11").replace(" UTC 2026", " UTC");
    assert_eq!(read(chinese.as_bytes(), Options::default()), read(text(LAST).as_bytes(), Options::default()));
    let vmstat = b"Linux OSWbb v7.3.3\nzzz ***Sun Nov 29 11:45:51 UTC 2026\nprocs ----memory----\n";
    let problem = try_read(vmstat, Options::default(), 99).unwrap_err().to_string();
    assert!(problem.contains("without Linux disks"), "{problem}");
}

#[test]
fn a_file_that_is_cut_anywhere_gives_its_complete_reports() {
    let (whole, all) = (text(LAST), read(&file(LAST), Options::default()).1);
    let all = disk(&all, "vda").column(Metric::ReadOps).unwrap().to_vec();
    let mut rows = 0;
    for end in (1..whole.len()).step_by(7).chain([whole.len()]) {
        match try_read(&whole.as_bytes()[..end], Options::default(), 1 << 16) {
            Err(problem) => assert!(problem.kind.code() == 2 && rows == 0, "{end}: {problem}"),
            Ok((_, seen, tables)) => {
                let found = disk(&tables, "vda").column(Metric::ReadOps).unwrap().to_vec();
                assert_eq!((found.as_slice(), seen.unusable), (&all[..found.len()], 0), "{end}");
                assert!(found.len() >= rows, "{end}");
                rows = found.len();
            }
        }
    }
    assert_eq!(rows, 4);
}

/// `while sleep 26; do date; iostat -xk 1 3; done`: the same without the marks of OSWatcher, also with other forms of `date`.
#[test]
fn loops_of_people_write_the_same() {
    let whole = text("oswatcher-iostat-12.6.1.dat");
    let (_, seen, tables) = try_read(whole.as_bytes(), Options::default(), 1 << 16).unwrap();
    let dated = whole.replace("zzz ***", "");
    let iso = ["51", "57", "03", "09"].iter().zip(["45", "45", "46", "46"]).fold(
        dated.clone(),
        |text, (second, minute)| {
            text.replace(
                &format!("Sun Nov 29 11:{minute}:{second} UTC 2026"),
                &format!("2026-11-29T11:{minute}:{second}Z"),
            )
        },
    );
    for text in [&dated, &iso] {
        let (format, notes, found) = try_read(text.as_bytes(), Options::default(), 1 << 16).unwrap();
        assert_eq!((format, notes, &found), (Format::IostatUnderDates, seen.clone(), &tables));
    }
    // One run may be on any time, and runs with times of their own are read by them.
    let one = &dated[..dated.find("Sun Nov 29 11:45:57").unwrap()];
    let told = try_read(one.as_bytes(), Options::default(), 1 << 16).unwrap_err().to_string();
    assert!(told.contains("without -t"), "{told}");
}
