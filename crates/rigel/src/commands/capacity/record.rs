//! `rigel capacity record`: counters of this host once a second, kept once a minute.
//!
//! A process that dies loses at most a minute. Must not judge what it records.

use crate::args::RecordArgs;
use crate::capacity_store::{Store, place};
use crate::signals::Signals;
use crate::streams::Streams;
use rigel_capacity::read::Snapshot;
use rigel_capacity::recording::Recording;
use rigel_capacity::{Key, Kind, MS_PER_S, Metric, Source, Span, Subject};
use rigel_core::error::Problem;
use rigel_core::units::{NS_PER_S, to_f64};
use rigel_io::production::{self, DiskCounts};
use rigel_sql::postgresql::Address;
use rigel_sql::postgresql::watch::Watcher;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time between writes, and between two readings of sizes.
const KEEP: Duration = Duration::from_secs(60);
/// Time between two checks for signals.
const NAP: Duration = Duration::from_millis(100);
const MS: f64 = 0.001;
const US: f64 = 0.000_001;

pub fn record(options: &RecordArgs, streams: &Streams) -> Result<(), Problem> {
    let signals = Signals::listen()?;
    let mut recorder = Recorder::begin(options, streams)?;
    let every = Duration::from_nanos(options.every.0);
    let end = options.time.map(|time| Instant::now() + Duration::from_nanos(time.0));
    if !options.quiet {
        streams.remark(&format!("recording as {} every {}; stop with Ctrl-C", recorder.host, options.every));
    }
    let mut next = Instant::now();
    let mut kept = Instant::now();
    loop {
        recorder.look();
        let over = signals.flag().load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        if over || kept.elapsed() >= KEEP {
            recorder.look_at_sizes();
            recorder.keep(over)?;
            kept = Instant::now();
        }
        if over {
            return Ok(());
        }
        next += every;
        // After a suspend or a long stall the readings that were missed are not made up for.
        if next < Instant::now() {
            next = Instant::now();
        }
        let stop = end.map_or(next, |end| end.min(next));
        while Instant::now() < stop && !signals.flag().load(Ordering::Relaxed) {
            thread::sleep(NAP.min(stop.saturating_duration_since(Instant::now())));
        }
    }
}

struct Recorder<'a> {
    options: &'a RecordArgs,
    streams: &'a Streams,
    host: String,
    store: Store,
    recording: Recording,
    /// Nothing before may be replaced.
    began_ms: i64,
    sized_ms: i64,
    server: Option<Server>,
    told: bool,
}

struct Server {
    address: Address,
    watcher: Option<Watcher>,
    asked: Instant,
    io: Option<Snapshot>,
}

impl<'a> Recorder<'a> {
    fn begin(options: &'a RecordArgs, streams: &'a Streams) -> Result<Self, Problem> {
        if production::disks(Path::new("/")).is_empty() {
            return Err(Problem::refused("this host lists no disks")
                .at("/proc/diskstats")
                .because("a container without /sys, or a host whose disks are all in memory")
                .next("record on the host itself"));
        }
        let server = options.dsn.as_deref().map(|dsn| server(dsn, streams)).transpose()?;
        let host = options.host.clone().unwrap_or_else(production::host_name);
        let began_ms = now_ms();
        let store = Store::open(&place(options.store.file.as_deref())?)?;
        Ok(Self {
            options,
            streams,
            host,
            store,
            recording: Recording::default(),
            began_ms,
            sized_ms: began_ms,
            server,
            told: false,
        })
    }

    fn key(&self, subject: Subject) -> Key {
        Key::new(&self.host, subject, Source::Recorder)
    }

    fn look(&mut self) {
        let at_ms = now_ms();
        for disk in production::disks(Path::new("/")) {
            let key = self.key(Subject::disk(&disk.name, &disk.id));
            self.recording.counted(&key, at_ms, &counts(&disk));
        }
        if let Some((some, full)) = production::pressure(Path::new("/")) {
            let key = self.key(Subject::host());
            let counts =
                [(Metric::PressureSome, to_f64(some) * US), (Metric::PressureFull, to_f64(full) * US)];
            self.recording.counted(&key, at_ms, &counts);
        }
        self.look_at_server();
    }

    fn look_at_server(&mut self) {
        let key = self.key(Subject::named(Kind::Database, "postgresql"));
        let Some(server) = &mut self.server else { return };
        if server.watcher.is_none() && server.asked.elapsed() >= KEEP {
            server.asked = Instant::now();
            server.watcher = Watcher::open(&server.address).ok();
        }
        let Some(watcher) = &mut server.watcher else { return };
        let at_ms = now_ms();
        let Ok(look) = watcher.look(at_ms) else {
            (server.watcher, server.io, server.asked) = (None, None, Instant::now());
            if !self.options.quiet {
                self.streams.remark("the server does not respond; retrying in a minute");
            }
            return;
        };
        let all = [(Metric::Commits, look.commits), (Metric::RedoBytes, look.log_bytes)];
        let counts: Vec<_> = all.into_iter().filter_map(|(metric, count)| Some((metric, count?))).collect();
        self.recording.counted(&key, at_ms, &counts);
        let since = look.io.as_ref().zip(server.io.as_ref()).and_then(|(now, before)| now.since(before));
        if let Some((span, values)) = since {
            // The log is counted above, whatever the version.
            let values: Vec<_> =
                values.into_iter().filter(|(metric, _)| *metric != Metric::RedoBytes).collect();
            self.recording.row(&key, span, &values);
        }
        server.io = look.io;
    }

    fn look_at_sizes(&mut self) {
        let at_ms = now_ms();
        let Some(span) = Span::between(self.sized_ms, at_ms) else { return };
        self.sized_ms = at_ms;
        for found in production::filesystems() {
            let key = self.key(Subject::named(Kind::Filesystem, &found.mount));
            let values = [
                (Metric::UsedBytes, to_f64(found.used_bytes)),
                (Metric::SizeBytes, to_f64(found.size_bytes)),
            ];
            self.recording.row(&key, span, &values);
        }
        let sizes = self.server.as_mut().and_then(|server| server.watcher.as_mut()?.sizes().ok());
        for (name, bytes) in sizes.unwrap_or_default() {
            let key = self.key(Subject::named(Kind::Database, &name));
            self.recording.row(&key, span, &[(Metric::UsedBytes, bytes)]);
        }
    }

    /// Writes the hour. A store that cannot be written now is tried again, unless this is the end: all is still in memory.
    fn keep(&mut self, is_end: bool) -> Result<(), Problem> {
        let hours = self.recording.keep(now_ms(), self.options.per_hour.0);
        let began_ms = self.began_ms;
        let kept = self.store.change(|change| {
            hours.iter().try_for_each(|hour| {
                hour.tables
                    .iter()
                    .try_for_each(|(key, table)| change.replace(key, hour.start_ms, began_ms, table))
            })
        });
        match kept {
            Err(problem) if is_end => Err(problem),
            Err(problem) => {
                if !self.told && !self.options.quiet {
                    self.streams.remark(&format!("{}; retrying every minute", problem.what));
                }
                self.told = true;
                Ok(())
            }
            Ok(()) => {
                self.told = false;
                Ok(())
            }
        }
    }
}

fn server(dsn: &str, streams: &Streams) -> Result<Server, Problem> {
    let password = std::env::var("PGPASSWORD").ok().filter(|text| !text.is_empty());
    let address = Address::parse(dsn, password.as_deref())?;
    let watcher = Watcher::open(&address)?;
    if !watcher.has_rows() {
        streams.remark(
            "this server is older than 16 and has no pg_stat_io: only commits, log and sizes are recorded",
        );
    }
    Ok(Server { address, watcher: Some(watcher), asked: Instant::now(), io: None })
}

fn counts(disk: &DiskCounts) -> [(Metric, f64); 7] {
    [
        (Metric::ReadOps, to_f64(disk.reads)),
        (Metric::WriteOps, to_f64(disk.writes)),
        (Metric::ReadBytes, to_f64(disk.read_bytes)),
        (Metric::WriteBytes, to_f64(disk.written_bytes)),
        (Metric::ReadTime, to_f64(disk.read_ms) * MS),
        (Metric::WriteTime, to_f64(disk.write_ms) * MS),
        (Metric::Busy, to_f64(disk.busy_ms) * MS),
    ]
}

/// Milliseconds of the epoch, in whole hundreds so that regular readings have regular times.
fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tenths = since.as_nanos() / u128::from(NS_PER_S / 10);
    i64::try_from(tenths).unwrap_or_default() * (MS_PER_S / 10)
}
