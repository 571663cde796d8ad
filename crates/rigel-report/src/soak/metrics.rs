//! The state of a soak, as OpenMetrics text that is rewritten after every interval, for a collector that reads files. Everything is a gauge, as in
//! [`crate::openmetrics`]. Must not know where the file lies.

use crate::metric_family::{Family, Labels};
use crate::page::Page;
use rigel_core::facts::DriveLook;
use rigel_core::facts::drive::Drive;
use rigel_core::load::class::PerClass;
use rigel_core::load::governor::WHOLE;
use rigel_core::measure::ClassTally;
use rigel_core::path_text::printable;
use rigel_core::record::{Header, Interval, Visit};
use rigel_core::units::{iops, to_f64};
use rigel_core::verify::FaultCounts;

/// The counts of a soak so far.
#[derive(Clone, Debug, Default)]
pub struct SoakCounts {
    whole: PerClass<Counts>,
    /// Of the current visit.
    open: PerClass<Counts>,
    last: Option<Interval>,
    /// Nanoseconds of load.
    lasted_ns: u64,
    /// The drives' latest answers.
    drives: Vec<Drive>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    ios: u64,
    errors: u64,
    written: u64,
    checked: u64,
    faults: FaultCounts,
}

impl Counts {
    fn add(&mut self, tally: &ClassTally) {
        self.ios = self.ios.saturating_add(tally.completed());
        self.errors = self.errors.saturating_add(tally.errors);
        if let Some(verified) = &tally.verified {
            self.written = self.written.saturating_add(verified.written);
            self.checked = self.checked.saturating_add(verified.checked);
            self.faults.add(&verified.faults);
        }
    }
}

impl SoakCounts {
    /// An interval is over.
    pub fn interval(&mut self, interval: &Interval) {
        for (class, tally) in &interval.tallies {
            self.open.entry(*class).or_default().add(tally);
        }
        self.lasted_ns = interval.began_ns.saturating_add(interval.measured_ns);
        self.last = Some(interval.clone());
    }

    /// A visit is over; its counts replace those of its intervals.
    pub fn visit(&mut self, visit: &Visit) {
        self.open.clear();
        for (class, tally) in &visit.tallies {
            self.whole.entry(*class).or_default().add(tally);
        }
        self.lasted_ns = visit.ended_ns();
    }

    /// The drives were queried.
    pub fn drives(&mut self, look: &DriveLook) {
        self.drives.clone_from(&look.drives);
    }

    /// Whether there are figures of a load.
    pub const fn has_begun(&self) -> bool {
        self.lasted_ns > 0
    }

    /// The text with its end mark.
    pub fn openmetrics(&self, header: &Header) -> String {
        let run = || ("run".into(), header.run_id.clone());
        let mut lasted = Family::new("rigel_soak_load_seconds", "seconds", "How long the load has lasted.");
        lasted.samples.push((vec![run()], to_f64(self.lasted_ns) / 1e9));
        let mut families = vec![lasted];
        families.extend(self.totals(&run));
        families.extend(self.rates(&run));
        families.extend(self.shares(&run));
        families.push(self.logs(&run));
        let mut page = Page::default();
        families.iter().for_each(|family| family.write(&mut page));
        page.line("# EOF");
        page.into_string()
    }

    fn totals(&self, run: &impl Fn() -> (std::borrow::Cow<'static, str>, String)) -> Vec<Family> {
        let mut ios = Family::new("rigel_soak_ios", "", "Successful I/Os until now.");
        let mut errors = Family::new("rigel_soak_failed_ios", "", "Failed I/Os until now.");
        let mut checked =
            Family::new("rigel_soak_checked_blocks", "", "Blocks of 4 KiB read and compared until now.");
        let mut written =
            Family::new("rigel_soak_written_blocks", "", "Verified blocks of 4 KiB written until now.");
        let mut wrong = Family::new("rigel_soak_wrong_blocks", "", "Wrong blocks until now.");
        let classes: std::collections::BTreeSet<_> = self.whole.keys().chain(self.open.keys()).collect();
        for class in classes {
            let [whole, open] =
                [&self.whole, &self.open].map(|counts| counts.get(class).copied().unwrap_or_default());
            let labels = || -> Labels { vec![run(), ("class".into(), class.to_string())] };
            let put = |family: &mut Family, of: fn(&Counts) -> u64| {
                family.samples.push((labels(), to_f64(of(&whole).saturating_add(of(&open)))));
            };
            put(&mut ios, |counts| counts.ios);
            put(&mut errors, |counts| counts.errors);
            put(&mut checked, |counts| counts.checked);
            put(&mut written, |counts| counts.written);
            for ((fault, before), (_, now)) in whole.faults.named().into_iter().zip(open.faults.named()) {
                let fault = fault.replace(' ', "_");
                let labels = [labels(), vec![("fault".into(), fault)]].concat();
                wrong.samples.push((labels, to_f64(before.saturating_add(now))));
            }
        }
        vec![ios, errors, checked, written, wrong]
    }

    /// Read when the load began, continued or ended.
    fn logs(&self, run: &impl Fn() -> (std::borrow::Cow<'static, str>, String)) -> Family {
        let mut logs = Family::new(
            "rigel_soak_drive_log",
            "",
            "What drives reported at the last reading: counters of SMART attributes, NVMe and SCSI logs.",
        );
        for drive in &self.drives {
            let word = |text: &Option<String>| printable(text.as_deref().unwrap_or_default()).into_owned();
            for (counter, value) in drive.counters().into_iter().flatten() {
                let labels = vec![
                    run(),
                    ("drive".into(), printable(&drive.name).into_owned()),
                    ("model".into(), word(&drive.model)),
                    ("serial".into(), word(&drive.serial)),
                    ("counter".into(), counter.name().to_owned()),
                ];
                logs.samples.push((labels, to_f64(*value)));
            }
        }
        logs
    }

    fn rates(&self, run: &impl Fn() -> (std::borrow::Cow<'static, str>, String)) -> Vec<Family> {
        let mut rate =
            Family::new("rigel_soak_ios_per_second", "", "Successful I/Os per second in the last interval.");
        let mut latency = Family::new(
            "rigel_soak_latency_seconds",
            "seconds",
            "Latency in the last interval, accurate to 13 %; quantile 1 is the longest.",
        );
        for (class, tally) in self.last.iter().flat_map(|last| &last.tallies) {
            let span_ns = self.last.as_ref().map_or(0, |last| last.measured_ns);
            let labels = || -> Labels { vec![run(), ("class".into(), class.to_string())] };
            rate.samples.push((labels(), iops(tally.completed(), span_ns)));
            let all = tally.all_latencies_after(0);
            let of = [("0.5", all.quantile_ns(0.5)), ("0.99", all.quantile_ns(0.99)), ("1", all.max_ns())];
            for (quantile, ns) in of {
                let labels = [labels(), vec![("quantile".into(), quantile.to_owned())]].concat();
                latency.samples.extend(ns.map(|ns| (labels, to_f64(ns) / 1e9)));
            }
        }
        vec![rate, latency]
    }

    /// Next to production, in the last interval.
    fn shares(&self, run: &impl Fn() -> (std::borrow::Cow<'static, str>, String)) -> Option<Family> {
        let interval = self.last.as_ref()?;
        let governed = interval.governed.as_ref()?;
        let mut allowed = Family::new(
            "rigel_soak_allowed_ratio",
            "ratio",
            "Next to production: the share of the time of each target that was allowed in the last interval.",
        );
        allowed.samples.push((vec![run()], f64::from(governed.allowed_ppm) / f64::from(WHOLE)));
        Some(allowed)
    }
}
