//! The wording of every output about raw I/O beside SQL.
//!
//! Must not format for an output.

use super::RawAndSqlView;
use rigel_core::load::class::Sync;
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::Interval;
use rigel_core::units::Bytes;
use rigel_core::units::say::{counted, number, percent, time};
use rigel_uses::beside::{BesideLoad, Limit};

/// Events with a smaller share of the time are in the JSON document only.
const LEAST_SHARE: f64 = 0.005;
/// The name in records of waiting for nothing.
const ON_A_CPU: &str = "CPU";

/// The two ways.
pub(super) fn ways(both: &RawAndSqlView<'_>) -> [String; 2] {
    let header = &both.view.record.header;
    let files = header.request.of_side(Side::A, &header.targets);
    let engine = header.nodes.first().engine.kind.name();
    let first = files.first().map_or_else(String::new, |target| printable(&target.path).into_owned());
    let more = match files.len() {
        0 | 1 => String::new(),
        files => format!(" and {}", counted(files - 1, "more file")),
    };
    let table = header.request.of_side(Side::B, &header.targets).first();
    let table = table.map_or_else(String::new, |target| printable(&target.path).into_owned());
    let product = header.request.product();
    if writes(both) {
        let block = Bytes(product.log_bytes());
        let sync = header.request.classes.iter().find(|class| class.side == Some(Side::A));
        let sync = sync.map_or("", |class| if class.sync == Sync::Dsync { "dsync" } else { "fdatasync" });
        return [
            format!("{block} writes to {first}, each made durable on its own ({sync}), engine {engine}"),
            format!("transactions of one row, made durable in {table}"),
        ];
    }
    let block = Bytes(product.block_bytes());
    [
        format!("{block} reads of {first}{more}, bypassing the page cache, engine {engine}"),
        format!("look-ups in {table}"),
    ]
}

/// Whether the run measures commits.
pub(super) fn writes(both: &RawAndSqlView<'_>) -> bool {
    both.view.record.header.request.writes_at_all()
}

/// The unit per second, raw and through SQL. A look-up through an index may be more than one read.
pub(super) fn units(both: &RawAndSqlView<'_>) -> [&'static str; 2] {
    match (writes(both), by_index(both)) {
        (true, _) => ["commits/s"; 2],
        (false, true) => ["IOPS", "look-ups/s"],
        (false, false) => ["IOPS"; 2],
    }
}

/// Whether look-ups go through an index.
pub(super) fn by_index(both: &RawAndSqlView<'_>) -> bool {
    both.found.loads.iter().any(|load| load.index_blocks.is_some())
}

/// `SQL reaches 76 % (74 to 78) of raw I/O: 42,000 of 55,000 IOPS; the CPU is the limit.`
pub(super) fn verdict(both: &RawAndSqlView<'_>) -> String {
    let best = both.found.best().and_then(|load| Some((load, load.efficiency?)));
    let Some((load, ratio)) = best else {
        return "Undecided: this run was too short to tell how much of the raw I/O reaches SQL.".to_owned();
    };
    let [sql, raw] = [&load.sql, &load.raw].map(|way| number(way.per_s.value));
    let rates = if writes(both) {
        format!("{sql} commits per second through SQL, {raw} by raw writers")
    } else if by_index(both) {
        format!("{sql} look-ups per second through the index, {raw} raw IOPS")
    } else {
        format!("{sql} of {raw} IOPS")
    };
    format!(
        "SQL reaches {} % ({}) of raw I/O: {rates}; {}.",
        percent(ratio.mean),
        ends(&ratio),
        limit(load.limit)
    )
}

/// `74 to 78`.
pub(super) fn ends(ratio: &Interval) -> String {
    format!("{} to {}", percent(ratio.lo95), percent(ratio.hi95))
}

const fn limit(limit: Option<Limit>) -> &'static str {
    match limit {
        Some(Limit::Storage) => "the storage is the limit",
        Some(Limit::Cpu) => "the CPU is the limit",
        Some(Limit::Sessions) => "the time of each session is the limit",
        None => "the limit is unknown",
    }
}

/// The evidence for the verdict, in sentences.
pub(super) fn evidence(both: &RawAndSqlView<'_>) -> Vec<String> {
    let Some(load) = both.found.best() else { return Vec::new() };
    let [each, raw] = if writes(both) { ["commit", "write"] } else { ["look-up", "read"] };
    let told = [
        Some(of_limit(load, each, raw)),
        of_flushes(load),
        load.index_blocks.map(|blocks| of_index(blocks, load.sql.per_s.value)),
        of_cpu(load, if writes(both) || by_index(both) { each } else { raw }, raw),
        of_waits(load),
    ];
    told.into_iter().flatten().collect()
}

fn of_flushes(load: &BesideLoad) -> Option<String> {
    let each = load.commits_per_flush?;
    Some(format!(
        "A flush of the server's log makes {each:.1} commits durable on average, a flush of a raw writer one."
    ))
}

/// The index reads of look-ups, `per_s` of which there are.
pub(crate) fn of_index(blocks: f64, per_s: f64) -> String {
    format!(
        "A look-up through the index reads one block of the table and {} of the index, so {} look-ups per \
         second are {} reads per second.",
        index_share(blocks),
        number(per_s),
        number(per_s * (1.0 + blocks))
    )
}

/// `0.013`, with no more digits than a count has.
fn index_share(blocks: f64) -> String {
    if blocks < 0.0005 { "almost none".to_owned() } else { format!("{blocks:.3}") }
}

fn of_limit(load: &BesideLoad, each: &str, raw: &str) -> String {
    let with = format!("With {}", counted(load.sessions, "session"));
    let idle = load.sql.idle.map(|idle| format!("{} % of the CPU time is idle", percent(idle)));
    let and_idle = || idle.as_ref().map_or_else(String::new, |idle| format!(", and {idle}"));
    let both = || {
        let both = load.sql.latency_us.zip(load.raw.latency_us);
        both.map(|(sql, raw_us)| {
            format!("a {each} takes {} and a raw {raw} {}", time(sql.value), time(raw_us.value))
        })
    };
    match load.limit {
        Some(Limit::Storage) => {
            format!("{with}: as many raw {raw}s in flight are no faster, or barely{}.", and_idle())
        }
        Some(Limit::Cpu) => format!("{with}: {}.", idle.unwrap_or_default()),
        Some(Limit::Sessions) => {
            let both = both().map_or_else(String::new, |both| format!(" {both}"));
            format!("{with}:{both}{}. More --sessions may be faster.", and_idle())
        }
        None => match both() {
            Some(both) => format!("{with}: {both}{}.", and_idle()),
            None => format!("{with}."),
        },
    }
}

fn of_cpu(load: &BesideLoad, each: &str, raw: &str) -> Option<String> {
    let (sql_us, raw_us) = (load.sql.cpu_us?, load.raw.cpu_us?);
    let without = if each == raw { "one without".to_owned() } else { format!("a raw {raw}") };
    Some(format!("A {each} through SQL costs {} of CPU time, and {without} {}.", time(sql_us), time(raw_us)))
}

fn of_waits(load: &BesideLoad) -> Option<String> {
    let told: Vec<String> =
        waits(load).map(|(event, share)| format!("{event} {} %", percent(share))).collect();
    (!told.is_empty()).then(|| format!("Where the time of the sessions went: {}.", told.join(", ")))
}

/// The events that took a share of the time, as they are reported.
pub(super) fn waits(load: &BesideLoad) -> impl Iterator<Item = (String, f64)> {
    let told = |event: &str| match event {
        ON_A_CPU => "on a CPU".to_owned(),
        other => printable(other).into_owned(),
    };
    let shown = load.waits.iter().filter(|wait| wait.1 >= LEAST_SHARE);
    shown.map(move |(event, share)| (told(event), *share))
}

/// The certainty.
pub(super) const SURE: &str = "± is each rate on its own (95 %). SQL of raw comes from back-to-back pairs, \
    so common slowdowns cancel out; it may differ from SQL divided by raw in its row.";

/// The meaning of the columns of CPU time.
pub(super) const CPU: &str = "us: CPU time of one, by Rigel's threads and, through SQL, the server's \
    sessions. idle: the host's CPU time that was idle while SQL ran.";

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::stats::Estimate;
    use rigel_uses::beside::Way;

    fn load(limit: Option<Limit>) -> BesideLoad {
        let way = |per_s, us, cpu_us, idle| Way {
            per_s: Estimate::bare(per_s),
            latency_us: Some(Estimate::bare(us)),
            cpu_us: Some(cpu_us),
            idle: Some(idle),
        };
        BesideLoad {
            sessions: 16,
            raw: way(55_000.0, 290.0, 9.0, 0.5),
            sql: way(42_000.0, 380.0, 41.0, 0.031),
            efficiency: None,
            waits: vec![
                ("IO:DataFileRead".to_owned(), 0.61),
                ("CPU".to_owned(), 0.386),
                ("x".to_owned(), 0.004),
            ],
            commits_per_flush: None,
            index_blocks: None,
            limit,
            invalid: false,
        }
    }

    #[test]
    fn the_evidence_for_each_limit_is_told() {
        let told = |of: Limit| of_limit(&load(Some(of)), "look-up", "read");
        assert_eq!(told(Limit::Cpu), "With 16 sessions: 3.1 % of the CPU time is idle.");
        let text = told(Limit::Sessions);
        assert!(text.contains("a look-up takes 380 us and a raw read 290 us, and 3.1 % of"), "{text}");
        assert!(told(Limit::Storage).contains("raw reads in flight are no faster"));
        let unknown = of_limit(&load(None), "look-up", "read");
        assert!(unknown.ends_with("a raw read 290 us, and 3.1 % of the CPU time is idle."), "{unknown}");
    }

    #[test]
    fn what_an_index_adds_is_told_in_reads() {
        let text = of_index(0.65, 10_000.0);
        assert!(
            text.contains("0.650 of the index, so 10,000 look-ups per second are 16,500 reads"),
            "{text}"
        );
        assert!(
            of_index(0.0, 10_000.0)
                .contains("almost none of the index, so 10,000 look-ups per second are 10,000")
        );
    }

    #[test]
    fn waits_and_cpu_time_are_told_for_people() {
        let found = load(None);
        let text = of_waits(&found).unwrap();
        assert_eq!(text, "Where the time of the sessions went: IO:DataFileRead 61 %, on a CPU 39 %.");
        assert_eq!(
            of_cpu(&found, "read", "read").unwrap(),
            "A read through SQL costs 41 us of CPU time, and one without 9 us."
        );
        assert_eq!(
            of_cpu(&found, "look-up", "read").unwrap(),
            "A look-up through SQL costs 41 us of CPU time, and a raw read 9 us."
        );
        assert_eq!(of_waits(&BesideLoad { waits: Vec::new(), ..found }), None);
    }
}
