use super::*;
use crate::{History, Key, Kind, Metric, Source, Span, Subject, Table};
use rigel_core::load::arrivals::Arrivals;
use rigel_core::load::file;
use rigel_core::units::NS_PER_S;

fn life(subject: &Subject, (first_ms, last_ms): (i64, i64), interval_ms: i64) -> Life {
    Life { member: 0, host: "db1".to_owned(), subject: subject.clone(), first_ms, last_ms, interval_ms }
}

/// A disk with rows of metrics, each `length_s` long.
fn history(disk: &str, length_s: u32, rows: &[Vec<(Metric, f64)>]) -> History {
    let mut table = Table::default();
    for (at, row) in (0_i64..).zip(rows) {
        let span = Span { start_ms: at * i64::from(length_s) * 1000, length_ms: length_s * 1000 };
        assert!(table.push(span, row));
    }
    let mut history = History::default();
    history.add(Key::new("db1", Subject::disk(disk, ""), Source::Recorder), &table);
    history
}

fn flows(reads: f64, read_bytes: f64, writes: f64, written_bytes: f64) -> Vec<(Metric, f64)> {
    vec![
        (Metric::ReadOps, reads),
        (Metric::ReadBytes, reads * read_bytes),
        (Metric::WriteOps, writes),
        (Metric::WriteBytes, writes * written_bytes),
    ]
}

fn gathered(history: &History, lives: &[Life], step_ms: u32) -> HistoryExcerpt {
    let mut gatherer = Gatherer::new(lives, step_ms);
    gatherer.add(history, (i64::MIN, i64::MAX));
    gatherer.finish()
}

fn lives(history: &History, last_ms: i64, interval_ms: i64) -> Vec<Life> {
    history
        .subjects("db1", Kind::Disk)
        .iter()
        .map(|subject| life(subject, (0, last_ms), interval_ms))
        .collect()
}

/// Operations and bytes per second of a point: read, written.
fn sums(load: &LoadFile, point: Point) -> [Flow; 2] {
    [false, true].map(|writes| {
        let own = load.classes.iter().filter(|class| class.write_percent.writes() == writes);
        own.fold(Flow::default(), |sum, class| {
            let rate = f64::from(point.of(class.name));
            Flow { ops: sum.ops + rate, bytes: sum.bytes + rate * class.mean_bytes() }
        })
    })
}

fn assert_near(found: Flow, wanted: Flow, what: &str) {
    assert!((found.ops / wanted.ops - 1.0).abs() < 0.02, "{what}: {found:?} {wanted:?}");
    assert!((found.bytes / wanted.bytes - 1.0).abs() < 0.02, "{what}: {found:?} {wanted:?}");
}

#[test]
fn rates_and_sizes_of_each_phase_are_those_of_the_source() {
    let day = flows(900.0, 9000.0, 300.0, 20_000.0);
    let night = flows(60.0, 400_000.0, 40.0, 8192.0);
    let rows: Vec<_> = (0..96).map(|at| if at < 48 { day.clone() } else { night.clone() }).collect();
    let history = history("sda", 300, &rows);
    let lives = lives(&history, 96 * 300_000, 300_000);
    let replay =
        Replay::of(&gathered(&history, &lives, 300_000), 300_000, PhaseLimit::Phases(24), 1.5).unwrap();
    assert_eq!(replay.phases.len(), 2);
    assert_eq!(replay.load.phases[0].time, Nanos::from_secs(4 * 3600));
    for (phase, (reads, writes)) in replay.load.phases.iter().zip([
        (Flow { ops: 1350.0, bytes: 1350.0 * 9000.0 }, Flow { ops: 450.0, bytes: 450.0 * 20_000.0 }),
        (Flow { ops: 90.0, bytes: 90.0 * 400_000.0 }, Flow { ops: 60.0, bytes: 60.0 * 8192.0 }),
    ]) {
        let found = sums(&replay.load, phase.point);
        assert_near(found[0], reads, "reads");
        assert_near(found[1], writes, "writes");
    }
    assert!(replay.assumed.contains(&Assumption::Poisson(2)));
    let text = replay.load.text("a test");
    assert_eq!(file::read("x", text.as_bytes()), Ok(replay.load), "{text}");
}

/// Source and replay are checked in the same way: second by second, for so long that chance has less than 2 %.
#[test]
fn each_phase_is_as_bursty_as_its_source() {
    // Of arrivals in two sizes each has half of the rate, which bounds the bursts that they can have.
    let shapes = [(6.0, 90_u32), (12.0, 40)];
    let mut rows = Vec::new();
    for (seed, (spread, rate)) in (5..).zip(shapes) {
        let shape = Shape::Bursty(rigel_core::load::class::Spread::new(spread).unwrap());
        let counts = counted(seed, &[(rate, shape)], 7200);
        rows.extend(counts.into_iter().map(|count| flows(count, 12_000.0, 0.0, 0.0)));
    }
    let source = history("sda", 1, &rows);
    let lives = lives(&source, i64::MAX, 1000);
    let replay = Replay::of(&gathered(&source, &lives, 60_000), 60_000, PhaseLimit::Phases(24), 1.0).unwrap();
    assert_eq!(replay.phases.len(), 2, "{:?}", replay.phases);
    for (phase, was) in replay.load.phases.iter().zip(&replay.phases) {
        let seen = was.bursts.unwrap().dispersion;
        assert!((was.expected / seen - 1.0).abs() < 0.01, "{was:?}");
        let Some(shape) = phase.shape else { panic!("{was:?}") };
        let classes: Vec<(u32, Shape)> = phase.point.classes().map(|one| (one.1, shape)).collect();
        assert_eq!(classes.len(), 2, "of two sizes");
        let again = counted(77, &classes, 240_000).into_iter();
        let again: Vec<_> = again.map(|count| flows(count, 12_000.0, 0.0, 0.0)).collect();
        let again = history("sda", 1, &again);
        let found = Bursts::of(&gathered(&again, &lives, 60_000).minutes).unwrap();
        assert!((found.dispersion / seen - 1.0).abs() < 0.02, "{found:?} {seen}");
        let rate: f64 = classes.iter().map(|one| f64::from(one.0)).sum();
        assert!((rate / (was.reads.ops) - 1.0).abs() < 0.02, "{was:?}");
    }
}

/// What arrives each second of classes with a rate and a shape.
fn counted(seed: u64, classes: &[(u32, Shape)], seconds: usize) -> Vec<f64> {
    let mut counts = vec![0.0; seconds];
    for (place, &(rate, shape)) in classes.iter().enumerate() {
        let mut arrivals = Arrivals::new(seed, 0, place, rate, shape);
        while let Some(count) = counts.get_mut(usize::try_from(arrivals.next_ns() / NS_PER_S).unwrap()) {
            *count += 1.0;
        }
    }
    counts
}

#[test]
fn a_source_that_parts_nothing_is_parted_by_bytes_and_says_so() {
    let row = vec![(Metric::AllOps, 100.0), (Metric::ReadBytes, 600_000.0), (Metric::WriteBytes, 200_000.0)];
    let history = history("sda", 600, &vec![row; 12]);
    let lives = lives(&history, 12 * 600_000, 600_000);
    let found = gathered(&history, &lives, 600_000);
    assert!(found.unparted && found.rows.len() == 12);
    assert_eq!((found.rows[0].reads.ops, found.rows[0].writes.ops), (75.0, 25.0));
    let replay = Replay::of(&found, 600_000, PhaseLimit::Phases(24), 1.0).unwrap();
    assert!(replay.assumed.contains(&Assumption::Directions));
}

#[test]
fn a_source_that_parts_only_the_host_has_its_share_on_every_disk() {
    let row = vec![(Metric::AllOps, 100.0), (Metric::ReadBytes, 600_000.0), (Metric::WriteBytes, 200_000.0)];
    let mut both = history("sda", 600, &vec![row; 12]);
    let mut table = Table::default();
    for (key, of_disk) in both.clone().tables() {
        for span in of_disk.spans().iter().take(6) {
            assert!(table.push(*span, &[(Metric::ReadOps, 30.0), (Metric::WriteOps, 20.0)]));
        }
        both.add(Key { subject: Subject::host(), ..key.clone() }, &table);
    }
    let found = gathered(&both, &lives(&both, 12 * 600_000, 600_000), 600_000);
    let writes: Vec<f64> = found.rows.iter().map(|row| row.writes.ops).collect();
    assert_eq!(writes, [vec![40.0; 6], vec![25.0; 6]].concat(), "by bytes where the host is not known");
    assert_eq!(found.rows[0].writes.bytes, 200_000.0);
    let replay = Replay::of(&found, 600_000, PhaseLimit::Phases(24), 1.0).unwrap();
    assert!(replay.assumed.contains(&Assumption::DirectionsOfHost));
}

/// A log that only writes, and data of which nothing is known but the sum: together they write as often as the host.
#[test]
fn what_bytes_tell_of_one_disk_is_taken_from_the_share_of_the_others() {
    let row = |read: f64, written: f64| {
        vec![vec![(Metric::AllOps, 100.0), (Metric::ReadBytes, read), (Metric::WriteBytes, written)]; 4]
    };
    let mut both = history("sda", 600, &row(0.0, 1e6));
    let other = history("sdb", 600, &row(1e6, 1e6));
    other.tables().for_each(|(key, table)| both.add(key.clone(), table));
    let mut host = Table::default();
    let (key, of_disk) = other.tables().next().unwrap();
    for span in of_disk.spans() {
        assert!(host.push(*span, &[(Metric::ReadOps, 90.0), (Metric::WriteOps, 110.0)]));
    }
    both.add(Key { subject: Subject::host(), ..key.clone() }, &host);
    let lives = ["sda", "sdb"].map(|name| life(&Subject::disk(name, ""), (0, 2_400_000), 600_000));
    let found = gathered(&both, &lives, 600_000);
    assert_eq!(found.rows.len(), 4);
    for row in &found.rows {
        assert!((row.writes.ops - 110.0).abs() < 1e-9 && (row.reads.ops - 90.0).abs() < 1e-9, "{row:?}");
    }
    assert!(found.parted_as_host && !found.unparted);
}

#[test]
fn a_stretch_counts_only_when_every_disk_that_lives_is_known() {
    let mut both = history("sda", 300, &vec![flows(10.0, 4096.0, 0.0, 0.0); 6]);
    let other = history("sdb", 300, &vec![flows(5.0, 4096.0, 0.0, 0.0); 3]);
    other.tables().for_each(|(key, table)| both.add(key.clone(), table));
    let [sda, sdb] = ["sda", "sdb"].map(|name| Subject::disk(name, ""));
    // The second disk was taken out after 15 minutes, or nobody looked at it from then on.
    let ops = |last_ms: i64| -> Vec<f64> {
        let lives = [life(&sda, (0, 1_800_000), 300_000), life(&sdb, (0, last_ms), 300_000)];
        gathered(&both, &lives, 300_000).rows.iter().map(|row| row.reads.ops).collect()
    };
    assert_eq!(ops(900_000), [15.0, 15.0, 15.0, 10.0, 10.0, 10.0]);
    assert_eq!(ops(1_800_000), [15.0, 15.0, 15.0]);
}

#[test]
fn what_was_idle_and_what_cannot_be_made_is_told() {
    let rows: Vec<_> = (0..60).map(|at| flows(if at < 30 { 0.0 } else { 500.0 }, 1024.0, 0.0, 0.0)).collect();
    let history = history("sda", 60, &rows);
    let found = gathered(&history, &lives(&history, 3_600_000, 60_000), 60_000);
    let replay = Replay::of(&found, 60_000, PhaseLimit::Phases(24), 1.0).unwrap();
    assert_eq!(replay.load.phases[0].point.sum(), 1);
    assert!(replay.assumed.contains(&Assumption::Idle(1)) && replay.assumed.contains(&Assumption::Small));
    assert_eq!(replay.busiest(), (500.0, 500.0));
    let told = |most, scale| Replay::of(&found, 60_000, most, scale).unwrap_err().to_string();
    assert!(told(PhaseLimit::Phases(24), 1e6).contains("--scale"));
    let nothing = HistoryExcerpt::default();
    assert!(
        Replay::of(&nothing, 60_000, PhaseLimit::Stretches, 1.0)
            .unwrap_err()
            .to_string()
            .contains("there was no I/O")
    );
}

#[test]
fn stretches_fit_source_and_time() {
    let of = |interval_s: i64, hours: i64| {
        step_ms(&[life(&Subject::disk("sda", ""), (0, 1), interval_s * 1000)], (0, hours * 3_600_000)) / 1000
    };
    assert_eq!(
        [of(1, 1), of(1, 24), of(1, 168), of(600, 24), of(3600, 168), of(60, 24 * 365)],
        [10, 60, 300, 600, 3600, 43_200]
    );
    assert_eq!(of(301, 24), 300);
    assert!(is_step(300_000) && is_step(1000) && !is_step(7000) && !is_step(999) && !is_step(0));
}

/// `sar` of a volume, and from the seventh hour on iostat of the disk below it.
#[test]
fn a_volume_counts_until_its_disk_is_known() {
    const HOUR_MS: i64 = 3_600_000;
    let of_sar = |ops: f64| vec![(Metric::AllOps, ops), (Metric::ReadBytes, 3e5), (Metric::WriteBytes, 1e5)];
    let mut all = history("dm-0", 3600, &vec![of_sar(70.0); 10]);
    let later = history("sda", 3600, &vec![flows(50.0, 8192.0, 25.0, 8192.0); 10]);
    for (key, table) in later.tables() {
        all.add(key.clone(), &table.slice(6 * HOUR_MS, i64::MAX));
    }
    let of = |name: &str, from: i64| life(&Subject::disk(name, ""), (from * HOUR_MS, 10 * HOUR_MS), HOUR_MS);
    let found = gathered(&all, &[of("dm-0", 0), of("sda", 6)], 3_600_000);
    let ops: Vec<f64> = found.rows.iter().map(|row| (row.reads.ops + row.writes.ops).round()).collect();
    assert_eq!(ops, [vec![70.0; 6], vec![75.0; 4]].concat());
}

/// Two minutes of seconds without directions, and two with them: all four say how bursty it was.
#[test]
fn minutes_are_known_in_whichever_way_they_are_told() {
    let rows: Vec<Vec<(Metric, f64)>> = (0..240)
        .map(|second| match second / 60 {
            0 | 1 => vec![(Metric::AllOps, 50.0 + f64::from(second % 7))],
            _ => flows(30.0 + f64::from(second % 7), 8192.0, 20.0, 8192.0),
        })
        .collect();
    let all = history("sda", 1, &rows);
    let found = gathered(&all, &lives(&all, 240_000, 1000), 60_000);
    assert_eq!(found.minutes.len(), 4, "{:?}", found.minutes);
}
