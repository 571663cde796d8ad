//! The tally of one visit to a point: per class and direction what completed, how long it took, how full the queue was.
//!
//! A visit has a window. Before it the queue fills and settles, after it the queue drains. The rate is that of the completions inside the window. The
//! latencies are those of the I/Os that began inside it, in full, whenever they are over: an I/O that is in flight when the window ends is one of the
//! longest more often than any other, and without it no latency could be longer than a window. Must not decide when the window is.

mod merge;

pub use merge::merge;

use super::gauge::Gauge;
use super::{ByTarget, Edges, Histogram, Occupancy, OpenTally, ReadLook, Series};
use crate::errno;
use crate::load::workload::Direction;
use crate::units::to_f64;
use crate::verify::VerifyCounts;
use serde::{Deserialize, Serialize};

/// The measured part of a visit, on the run's monotonic clock: `start_ns <= t < end_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// First nanosecond that counts.
    pub start_ns: u64,
    /// First nanosecond that no longer counts.
    pub end_ns: u64,
}

impl Window {
    /// Its length.
    pub const fn span_ns(self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }

    /// Whether a completion seen now counts.
    #[inline]
    pub const fn holds(self, now_ns: u64) -> bool {
        self.start_ns <= now_ns && now_ns < self.end_ns
    }

    #[inline]
    fn clip(self, now_ns: u64) -> u64 {
        now_ns.clamp(self.start_ns, self.end_ns)
    }
}

/// The first failed I/O of a class in a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstError {
    /// The kernel's error number; 0 for a transfer shorter than requested.
    pub errno: i32,
    /// Index of the target.
    pub target: u16,
    /// Byte offset of the I/O in the target.
    pub offset: u64,
    /// Read or write.
    pub direction: Direction,
}

impl FirstError {
    /// What went wrong, in words.
    pub fn reason(&self) -> String {
        if self.errno == 0 {
            "transferred fewer bytes than requested".to_owned()
        } else {
            errno::text(self.errno)
        }
    }
}

/// Latencies from the start of a window, kept apart so that the window can begin later once all visits are known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartLatencies {
    /// End of this part, from the start of the load; the previous part ends where this one begins.
    pub until_ns: u64,
    /// Latencies of successful reads.
    pub reads: Histogram,
    /// Latencies of successful writes.
    pub writes: Histogram,
}

/// One class of one visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassTally {
    /// Bytes of one I/O, of the largest if there are several sizes; 0 for operations that are not block I/O.
    pub io_bytes: u64,
    /// If there are several sizes: bytes of the successful I/Os of the whole window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Outstanding I/Os planned.
    pub planned: u32,
    /// Latencies of successful reads that began in the window, after the early parts.
    pub reads: Histogram,
    /// Latencies of successful writes that began in the window, after the early parts.
    pub writes: Histogram,
    /// The same for the first parts of the window, ascending; usually none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub early: Vec<StartLatencies>,
    /// I/Os at the edges of the window, which connect the histograms with the rate.
    #[serde(default)]
    pub edges: Edges,
    /// Completions over time, reads and writes; they begin `lead_ns` before the window.
    pub series: Series,
    /// How long before the window the series begins: at the start of the load, or 0.
    #[serde(default)]
    pub lead_ns: u64,
    /// Integral of the number in flight over the window, in I/O-nanoseconds; over the window's length it gives the
    /// mean outstanding.
    pub in_flight_ns: u64,
    /// Failed I/Os of the whole visit, including settling, draining and short transfers.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
    /// The contents of sampled reads; empty for an engine that moves no data.
    #[serde(default)]
    pub looked: ReadLook,
    /// Only for an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Box<OpenTally>>,
    /// Only for verified blocks: the checks of the whole visit, including settling and draining.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Box<VerifyCounts>>,
    /// For a run on several targets: the counts of each in the whole visit; in the line of an interval, since the last such line that has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_target: Option<Box<ByTarget>>,
    /// The same for each of the sequential readers that are counted separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_reader: Option<Box<ByTarget>>,
}

impl ClassTally {
    /// An empty tally for a window of `window_ns`.
    pub fn new(io_bytes: u64, planned: u32, window_ns: u64) -> Self {
        Self::with_lead(io_bytes, planned, window_ns, 0, &[])
    }

    /// An empty tally whose series begins `lead_ns` before a window of `window_ns`, and whose latencies are kept apart
    /// up to each of `edges`, nanoseconds from there, ascending.
    pub fn with_lead(io_bytes: u64, planned: u32, window_ns: u64, lead_ns: u64, edges: &[u64]) -> Self {
        Self::with(Histogram::new, (io_bytes, planned), window_ns, lead_ns, edges)
    }

    /// The same for one of many workers, each of which sees few I/Os.
    pub fn of_few(io_bytes: u64, planned: u32, window_ns: u64, lead_ns: u64, edges: &[u64]) -> Self {
        Self::with(Histogram::of_few, (io_bytes, planned), window_ns, lead_ns, edges)
    }

    fn with(
        histogram: fn() -> Histogram,
        (io_bytes, planned): (u64, u32),
        window_ns: u64,
        lead_ns: u64,
        edges: &[u64],
    ) -> Self {
        let early = |&until_ns| StartLatencies { until_ns, reads: histogram(), writes: histogram() };
        Self {
            io_bytes,
            bytes: None,
            planned,
            reads: histogram(),
            writes: histogram(),
            early: edges.iter().map(early).collect(),
            edges: Edges::default(),
            series: Series::new(lead_ns.saturating_add(window_ns)),
            lead_ns,
            in_flight_ns: 0,
            errors: 0,
            first_error: None,
            looked: ReadLook::default(),
            open: None,
            verified: None,
            by_target: None,
            by_reader: None,
        }
    }

    /// The same for an open loop whose times between arrivals have this squared coefficient of variation.
    #[must_use]
    pub fn opened(self, spread: f64) -> Self {
        Self { open: Some(Box::new(OpenTally { spread, ..OpenTally::default() })), ..self }
    }

    /// Adds another worker's tally of the same visit and class.
    pub fn add(&mut self, other: &Self) {
        debug_assert_eq!(self.series.bucket_ns, other.series.bucket_ns, "series of different windows");
        self.planned = self.planned.saturating_add(other.planned);
        for (mine, theirs) in self.early.iter_mut().zip(&other.early) {
            debug_assert_eq!(mine.until_ns, theirs.until_ns, "parts of different windows");
            mine.reads.add(&theirs.reads);
            mine.writes.add(&theirs.writes);
        }
        self.place_closed(other, 0);
        if let Some(theirs) = &other.open {
            self.open.get_or_insert_default().add(theirs);
        }
    }

    /// Adds a part of its own window that begins `offset_ns` after the start.
    pub fn place(&mut self, part: &Self, offset_ns: u64) {
        self.place_closed(part, offset_ns);
        if let Some(theirs) = &part.open {
            self.open.get_or_insert_default().place(theirs, offset_ns);
        }
    }

    /// The part that a closed loop has, too.
    fn place_closed(&mut self, part: &Self, offset_ns: u64) {
        self.reads.add(&part.reads);
        self.writes.add(&part.writes);
        self.bytes = match (self.bytes, part.bytes) {
            (Some(mine), Some(more)) => Some(mine.saturating_add(more)),
            (one, other) => one.or(other),
        };
        self.edges.add(part.edges);
        self.series.place(&part.series, offset_ns);
        self.in_flight_ns = self.in_flight_ns.saturating_add(part.in_flight_ns);
        self.errors = self.errors.saturating_add(part.errors);
        self.first_error = self.first_error.or(part.first_error);
        self.looked.add(&part.looked);
        if let Some(theirs) = &part.verified {
            self.verified.get_or_insert_default().add(theirs);
        }
        if let Some(theirs) = &part.by_target {
            self.by_target.get_or_insert_default().add(theirs);
        }
        if let Some(theirs) = &part.by_reader {
            self.by_reader.get_or_insert_default().add(theirs);
        }
    }

    /// With the target numbers and times of the whole run.
    pub fn retold(&mut self, target: &dyn Fn(u16) -> u16, time_ns: &dyn Fn(u64) -> u64) {
        if let Some(error) = &mut self.first_error {
            error.target = target(error.target);
        }
        if let Some(verified) = &mut self.verified {
            verified.retold(target, time_ns);
        }
        if let Some(counts) = &mut self.by_target {
            **counts = counts.retold(target);
        }
    }

    /// What a record stores of an interval: its course in buckets of that width, latencies to 13 %.
    #[must_use]
    pub fn summed(&self, bucket_ns: u64) -> Self {
        let (reads, writes) = (self.reads.coarse(), self.writes.coarse());
        Self {
            reads,
            writes,
            series: self.series.widened(bucket_ns.max(self.series.bucket_ns)),
            open: self.open.as_ref().map(|open| Box::new(open.coarse())),
            ..self.clone()
        }
    }

    /// What a record stores of a visit whose intervals it has: its course is theirs.
    #[must_use]
    pub fn widened(self, every_ns: u64) -> Self {
        let mut verified = self.verified;
        verified.iter_mut().for_each(|verified| verified.settled = None);
        Self { series: self.series.widened(every_ns), verified, ..self }
    }

    /// Successful I/Os that ended in the window, reads and writes.
    pub fn completed(&self) -> u64 {
        self.begun().saturating_add(self.edges.carried).saturating_sub(self.edges.beyond)
    }

    /// Successful I/Os that began in the window, reads and writes: as many as there are latencies.
    pub fn begun(&self) -> u64 {
        let counts = self.latencies().map(|(reads, writes)| reads.count().saturating_add(writes.count()));
        counts.fold(0, u64::saturating_add)
    }

    /// Successful I/Os that completed in the part of the window that begins `settle_ns` after the start of the load.
    /// If the window begins later than it was measured, those that began there represent them: what was in flight at
    /// that moment was not stored.
    pub fn completed_after(&self, settle_ns: u64) -> u64 {
        if !self.begins_later(settle_ns) {
            return self.completed();
        }
        self.histograms_after(settle_ns).map(Histogram::count).fold(0, u64::saturating_add)
    }

    /// Whether the part from `settle_ns` after the start of the load on is shorter than the window.
    fn begins_later(&self, settle_ns: u64) -> bool {
        settle_ns > self.lead_ns && !self.early.is_empty()
    }

    /// The time that successful I/Os took in the part of the window that begins `settle_ns` after the start of the load. If nothing was stored about
    /// what crossed its ends, each outstanding I/O may be off by as much as the longest took.
    pub fn occupancy_after(&self, settle_ns: u64) -> Occupancy {
        if self.edges.has_times() && !self.begins_later(settle_ns) {
            let all_ns = self.latency_sum_ns().saturating_add(self.edges.carried_ns);
            return Occupancy { time_ns: all_ns.saturating_sub(self.edges.beyond_ns), doubt_ns: 0 };
        }
        let time_ns = self.histograms_after(settle_ns).map(Histogram::sum_ns).fold(0, u64::saturating_add);
        Occupancy { time_ns, doubt_ns: self.longest_ns().saturating_mul(u64::from(self.planned)) }
    }

    /// Mean of the latencies of the whole window; `None` if nothing began and ended in it.
    pub fn mean_latency_ns(&self) -> Option<f64> {
        let begun = self.begun();
        (begun > 0).then(|| to_f64(self.latency_sum_ns()) / to_f64(begun))
    }

    /// The longest successful I/O of the whole visit, whenever it began; 0 if there was none.
    pub fn longest_ns(&self) -> u64 {
        let longest = self.latencies().flat_map(|(reads, writes)| [reads.max_ns(), writes.max_ns()]);
        longest.flatten().fold(self.edges.longest_before_ns, u64::max)
    }

    /// Bytes of its successful I/Os of the whole window.
    pub fn moved_bytes(&self) -> u64 {
        self.bytes.unwrap_or_else(|| self.completed().saturating_mul(self.io_bytes))
    }

    /// Sum of the latencies of the whole window, reads and writes.
    pub fn latency_sum_ns(&self) -> u64 {
        let sums = self.latencies().map(|(reads, writes)| reads.sum_ns().saturating_add(writes.sum_ns()));
        sums.fold(0, u64::saturating_add)
    }

    /// Latencies of reads and of writes that began `settle_ns` or more after the load did. Early parts count
    /// entirely or not at all.
    pub fn latencies_after(&self, settle_ns: u64) -> (Histogram, Histogram) {
        let (mut reads, mut writes) = (self.reads.clone(), self.writes.clone());
        for part in self.early_from(settle_ns) {
            reads.add(&part.reads);
            writes.add(&part.writes);
        }
        (reads, writes)
    }

    /// The same, reads and writes together.
    pub fn all_latencies_after(&self, settle_ns: u64) -> Histogram {
        let (mut all, writes) = self.latencies_after(settle_ns);
        all.add(&writes);
        all
    }

    /// Ends counting: frees the memory that only recording needs.
    fn finished(mut self, span_ns: u64, in_flight_ns: u64) -> Self {
        self.in_flight_ns = in_flight_ns;
        self.series.truncate(span_ns);
        self.reads.trim();
        self.writes.trim();
        for part in &mut self.early {
            part.reads.trim();
            part.writes.trim();
        }
        if let Some(open) = &mut self.open {
            open.trim();
        }
        self
    }

    /// The early parts that are not over `settle_ns` after the load began.
    fn early_from(&self, settle_ns: u64) -> impl Iterator<Item = &StartLatencies> {
        self.early.iter().filter(move |part| part.until_ns > settle_ns)
    }

    /// Histograms of reads and of writes that began `settle_ns` or more after the load did.
    fn histograms_after(&self, settle_ns: u64) -> impl Iterator<Item = &Histogram> {
        let early = self.early_from(settle_ns).map(|part| [&part.reads, &part.writes]);
        early.chain([[&self.reads, &self.writes]]).flatten()
    }

    fn latencies(&self) -> impl Iterator<Item = (&Histogram, &Histogram)> {
        let early = self.early.iter().map(|part| (&part.reads, &part.writes));
        early.chain(std::iter::once((&self.reads, &self.writes)))
    }

    /// Mean number in flight over a window of `span_ns`.
    pub fn mean_in_flight(&self, span_ns: u64) -> f64 {
        if span_ns == 0 { 0.0 } else { to_f64(self.in_flight_ns) / to_f64(span_ns) }
    }
}

/// The classes of one visit as one worker sees them. A class is named by its index in the load.
#[derive(Clone, Debug)]
pub struct Tally {
    window: Window,
    /// The start of the whole window, of which `window` may be a later part.
    begin_ns: u64,
    classes: Vec<Option<ClassTally>>,
    /// Up to the last class that has a tally.
    gauges: Vec<Gauge>,
    in_flight: u64,
    looked_ns: u64,
    /// Ends of the early parts on the run's clock, ascending; the same for every class.
    edges_ns: Vec<u64>,
    /// How many of them are over.
    part: usize,
}

impl Tally {
    /// A tally for a window; a class that is idle in the point has no tally. Nothing is in flight at `now_ns`.
    pub fn new(window: Window, classes: Vec<Option<ClassTally>>, now_ns: u64) -> Self {
        let edges = |tally: &ClassTally| -> Vec<u64> {
            let begun_ns = window.start_ns.saturating_sub(tally.lead_ns);
            tally.early.iter().map(|part| begun_ns.saturating_add(part.until_ns)).collect()
        };
        let edges_ns = classes.iter().flatten().next().map_or_else(Vec::new, edges);
        let used = classes.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let gauges = vec![Gauge::default(); used];
        let begin_ns = window.start_ns;
        Self { window, begin_ns, classes, gauges, in_flight: 0, looked_ns: now_ns, edges_ns, part: 0 }
    }

    /// The window that counts.
    pub const fn window(&self) -> Window {
        self.window
    }

    /// Ends the window early, never later.
    pub fn shorten(&mut self, end_ns: u64) {
        self.window.end_ns = self.window.end_ns.min(end_ns.max(self.window.start_ns));
    }

    /// Ends the part of the window before `at_ns` and begins the next one, of `next_ns` at most; I/Os in flight stay
    /// in flight. Returns the part that ended. Not for a window with early parts.
    pub fn cut(&mut self, at_ns: u64, next_ns: u64) -> Vec<Option<ClassTally>> {
        if at_ns > self.looked_ns {
            self.look(at_ns);
        }
        let span_ns = at_ns.saturating_sub(self.window.start_ns);
        self.window.start_ns = at_ns.min(self.window.end_ns);
        let next_ns = next_ns.min(self.window.span_ns());
        let cut = |(tally, gauge): (&mut Option<ClassTally>, &mut Gauge)| {
            let tally = tally.as_mut()?;
            let fresh = ClassTally::new(tally.io_bytes, tally.planned, next_ns);
            let fresh = ClassTally { bytes: tally.bytes.map(|_| 0), ..fresh };
            let fresh = match &tally.open {
                Some(open) => fresh.opened(open.spread),
                None => fresh,
            };
            let ended = std::mem::replace(tally, fresh);
            Some(ended.finished(span_ns, std::mem::take(&mut gauge.in_flight_ns)))
        };
        let mut ended: Vec<_> = self.classes.iter_mut().zip(&mut self.gauges).map(cut).collect();
        ended.resize_with(self.classes.len(), || None);
        ended
    }

    /// `count` I/Os of a class were submitted at the last [`Tally::look`].
    #[inline]
    pub fn submitted(&mut self, class: usize, count: u64) {
        self.gauges[class].in_flight += count;
        self.in_flight += count;
    }

    /// Accounts for the time since the last look, during which the number in flight was constant.
    #[inline]
    pub fn look(&mut self, now_ns: u64) {
        let span = self.window.clip(now_ns) - self.window.clip(self.looked_ns);
        self.looked_ns = now_ns;
        while self.edges_ns.get(self.part).is_some_and(|&edge| edge <= now_ns) {
            self.part += 1;
        }
        if span > 0 {
            // The first by itself: most points have one class, and a loop over a few costs more than its work.
            if let Some((first, others)) = self.gauges.split_first_mut() {
                first.pass(span);
                others.iter_mut().for_each(|gauge| gauge.pass(span));
            }
        }
    }

    /// One I/O succeeded; `now_ns` is the time of the last look. It is in the histograms if it began in the window, and in the series if it
    /// ended before the end.
    #[inline]
    pub fn completed(&mut self, class: usize, direction: Direction, latency_ns: u64, now_ns: u64) {
        self.returned(class);
        let began_ns = now_ns - latency_ns;
        if began_ns < self.begin_ns || now_ns >= self.window.end_ns {
            self.crossed(class, direction, latency_ns, now_ns);
            return;
        }
        let part = if self.part > 0 { self.part_of(began_ns) } else { 0 };
        let Some(tally) = &mut self.classes[class] else {
            return;
        };
        tally.series.record(now_ns + tally.lead_ns - self.window.start_ns, latency_ns);
        Self::record(tally, part, direction, latency_ns);
    }

    /// The early part in which an I/O began.
    fn part_of(&self, began_ns: u64) -> usize {
        self.edges_ns.iter().take_while(|&&edge| edge <= began_ns).count()
    }

    /// Records it in the histogram of the part in which it began.
    #[inline]
    fn record(tally: &mut ClassTally, part: usize, direction: Direction, latency_ns: u64) {
        let (reads, writes) = match tally.early.get_mut(part) {
            Some(part) => (&mut part.reads, &mut part.writes),
            None => (&mut tally.reads, &mut tally.writes),
        };
        match direction {
            Direction::Read => reads.record(latency_ns),
            Direction::Write => writes.record(latency_ns),
        }
    }

    /// Whether the latency of an I/O that began then counts.
    #[inline]
    pub const fn counts(&self, began_ns: u64) -> bool {
        self.begin_ns <= began_ns && began_ns < self.window.end_ns
    }

    /// One I/O that began before the window or ended after it.
    #[cold]
    #[inline(never)]
    fn crossed(&mut self, class: usize, direction: Direction, latency_ns: u64, now_ns: u64) {
        let Window { start_ns, end_ns } = self.window;
        let began_ns = now_ns.saturating_sub(latency_ns);
        let part = self.part_of(began_ns);
        let Some(tally) = &mut self.classes[class] else { return };
        let is_over_in_time = now_ns < end_ns;
        // The load of another visit never reaches into this one: before the series begins nothing completes.
        if let Some(at_ns) = (now_ns + tally.lead_ns).checked_sub(start_ns).filter(|_| is_over_in_time) {
            tally.series.record(at_ns, latency_ns);
        }
        if began_ns < self.begin_ns {
            tally.edges.longest_before_ns = tally.edges.longest_before_ns.max(latency_ns);
            tally.edges.carried += u64::from(is_over_in_time && now_ns >= start_ns);
            tally.edges.carried_ns += now_ns.min(end_ns).saturating_sub(self.begin_ns);
        } else if began_ns < end_ns {
            tally.edges.beyond += u64::from(!is_over_in_time);
            tally.edges.beyond_ns += now_ns.saturating_sub(end_ns);
            Self::record(tally, part, direction, latency_ns);
        }
    }

    /// An I/O that had arrived and not begun at the end of the visit, `now_ns`: its known waiting time goes into the
    /// histograms; otherwise a device that stops responding at the end of a window would look fast.
    pub fn waiting(&mut self, class: usize, direction: Direction, arrived_ns: u64, now_ns: u64) {
        if self.counts(arrived_ns) {
            let until_ns = now_ns.max(self.window.end_ns);
            self.crossed(class, direction, until_ns - arrived_ns, until_ns);
        }
    }

    /// Bytes moved by an I/O that completed at the time of the last look, of a class with several sizes.
    #[inline]
    pub fn moved(&mut self, class: usize, bytes: u32, now_ns: u64) {
        let tally = self.classes[class].as_mut().filter(|_| self.window.holds(now_ns));
        if let Some(all) = tally.and_then(|tally| tally.bytes.as_mut()) {
            *all += u64::from(bytes);
        }
    }

    /// One I/O failed. It counts wherever in the visit it happened: numbers with failures need care.
    #[cold]
    pub fn failed(&mut self, class: usize, error: FirstError) {
        self.returned(class);
        if let Some(tally) = &mut self.classes[class] {
            tally.errors += 1;
            tally.first_error.get_or_insert(error);
        }
    }

    #[inline]
    fn returned(&mut self, class: usize) {
        self.gauges[class].in_flight -= 1;
        self.in_flight -= 1;
    }

    /// The counts of an open-loop class.
    #[inline]
    pub fn open(&mut self, class: usize) -> Option<&mut OpenTally> {
        self.classes.get_mut(class)?.as_mut()?.open.as_deref_mut()
    }

    /// I/Os in flight now, of all classes.
    pub const fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The finished tallies, by index.
    pub fn finish(self) -> Vec<Option<ClassTally>> {
        let span_ns = self.window.span_ns();
        let finished = |(tally, gauge): (Option<ClassTally>, Gauge)| {
            let tally = tally?;
            let span_ns = tally.lead_ns.saturating_add(span_ns);
            Some(tally.finished(span_ns, gauge.in_flight_ns))
        };
        let count = self.classes.len();
        let mut all: Vec<_> = self.classes.into_iter().zip(self.gauges).map(finished).collect();
        all.resize_with(count, || None);
        all
    }
}

#[cfg(test)]
mod tests;
