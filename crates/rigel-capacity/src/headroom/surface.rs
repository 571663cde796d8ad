//! The limits of a storage according to a record.
//!
//! Every figure comes from the findings. Must not choose a different one.

use super::super::{Kind, Subject};
use super::{BucketForm, Limit, Resource, bucket};
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::judge::findings::{Extreme, Findings, SloAnswer, SloFindings};
use rigel_core::load::class::Class;
use rigel_core::record::Record;
use rigel_core::stats::{Basis, Estimate, EstimateForm};

/// No rate that was tried is known to be too high.
const OPEN: Option<f64> = Some(f64::INFINITY);

/// What was measured on a storage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The limits, one for a resource at most.
    pub limits: Vec<Limit>,
    /// Resources whose limit was searched for and not found, with the reason.
    pub unknown: Vec<(Resource, String)>,
    /// Bytes of a small I/O.
    pub small_bytes: u64,
    /// Share of writes of the load, 0 to 1.
    pub write_share: f64,
    /// The disks below its targets.
    pub disks: Vec<Disk>,
    /// When, RFC 3339.
    pub started: String,
    /// It was measured on a simulated device.
    pub simulated: bool,
    /// The part of the targets on which it was measured; nothing where that is all.
    pub part: Option<String>,
    /// It is a token bucket. What it provides depends on how long a load lasts, so it has no limit of its own for that resource.
    pub bucket: Option<BucketForm>,
}

/// A disk below a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Kernel name.
    pub name: String,
    /// Persistent id; empty if the device has none.
    pub id: String,
}

impl Surface {
    /// From a record; one without a limit is refused.
    ///
    /// # Errors
    /// When the record has no figure that limits a storage.
    pub fn of(record: &Record, findings: &Findings) -> Result<Self, Problem> {
        let request = &record.header.request;
        if request.sides.is_some() {
            return Err(no_surface("the record compares two sides")
                .next("give the record of a run on a single storage"));
        }
        let (small, unknown) = match small(findings) {
            Some(Err(why)) => (None, vec![(Resource::Iops, why)]),
            found => (found.and_then(Result::ok), Vec::new()),
        };
        let bursts = findings.burst.as_ref().map(bucket::of_bursts).unwrap_or_default();
        let limits: Vec<Limit> = small.into_iter().chain(large(findings)).chain(bursts.limit).collect();
        let unknown: Vec<(Resource, String)> = unknown.into_iter().chain(bursts.unknown).collect();
        if limits.is_empty() && unknown.is_empty() && bursts.bucket.is_none() {
            return Err(no_surface(
                "the record has neither a highest rate of small or large I/O nor a rate within a latency limit",
            )
            .next("measure one with `rigel calibrate TARGET`, or with `rigel slo --p99 5ms TARGET`"));
        }
        let class = request.classes.first().map(|class| class.name);
        Ok(Self {
            limits,
            unknown,
            small_bytes: request.io_bytes(Class::SMALL).max(class.map_or(0, |class| request.io_bytes(class))),
            write_share: f64::from(request.write_percent().get()) / 100.0,
            disks: record.header.targets.iter().flat_map(disks).collect(),
            started: record.header.started.clone(),
            simulated: record.header.targets.iter().any(|target| target.kind == TargetKind::Simulated),
            part: request.measured_part(),
            bucket: bursts.bucket,
        })
    }

    /// With the size of the storage.
    #[must_use]
    pub fn with_space(mut self, bytes: f64, from: &str) -> Self {
        self.limits.retain(|limit| limit.resource != Resource::Space);
        self.limits.push(Limit {
            resource: Resource::Space,
            figure: EstimateForm::bare(bytes),
            from: from.to_owned(),
            keeps_bound: false,
        });
        self
    }

    /// Whether it was measured on these disks: by persistent id if both have one, otherwise by name. `None` if unknown.
    pub fn is_of(&self, subjects: &[Subject]) -> Option<bool> {
        if self.disks.is_empty() || self.simulated || !subjects.iter().any(|one| one.kind == Kind::Disk) {
            return None;
        }
        let own = |disk: &Disk| Subject::disk(&disk.name, &disk.id);
        Some(self.disks.iter().any(|disk| subjects.iter().any(|one| one.is_same(&own(disk)))))
    }
}

fn no_surface(what: &str) -> Problem {
    Problem::usage(what).because("a forecast date requires the storage's limits")
}

/// The device below a target, and those below that one.
fn disks(target: &TargetFacts) -> impl Iterator<Item = Disk> + '_ {
    target
        .device
        .iter()
        .chain(&target.below)
        .map(|device| Disk { name: device.name.clone(), id: device.identifier.clone().unwrap_or_default() })
}

fn limit(resource: Resource, found: Estimate, from: String) -> Limit {
    Limit { resource, figure: found.into(), from, keeps_bound: false }
}

/// The rate within a bound, if there is one, otherwise the highest. An error says why a rate that was searched for is
/// not known: not finding one does not mean that the storage sustains none.
fn small(findings: &Findings) -> Option<Result<Limit, String>> {
    if let Some(slo) = &findings.slo {
        return Some(of_search(slo));
    }
    if let Some(answers) = &findings.answers {
        let bound = answers.bound;
        let from = format!("{} latency < {}", bound.of.name(), bound.limit);
        let found = answers.max_iops.as_ref();
        return Some(match found {
            Ok(found) => Ok(Limit { keeps_bound: true, ..limit(Resource::Iops, found.iops, from) }),
            Err(_) => Err(format!("no measured load meets {from}")),
        });
    }
    let best = findings.best.rate(Class::SMALL)?;
    Some(Ok(limit(Resource::Iops, best.estimate, "the highest rate, at any latency".to_owned())))
}

/// What a search for a rate within bounds says.
fn of_search(slo: &SloFindings) -> Result<Limit, String> {
    let bounds: Vec<String> = slo.bounds.iter().map(ToString::to_string).collect();
    let bounds = bounds.join(" and ");
    let of = |value: f64, lo95, hi95, from: String| Limit {
        resource: Resource::Iops,
        figure: EstimateForm { lo95, hi95, basis: Basis::Visits, ..EstimateForm::bare(value) },
        from,
        keeps_bound: true,
    };
    match &slo.answer {
        SloAnswer::Rate(rate) => match rate.at.or(rate.lower) {
            Some(value) => Ok(of(value, rate.lower.or(Some(0.0)), rate.upper.or(OPEN), bounds)),
            None => Err(rate.upper.map_or_else(
                || format!("no rate is known to meet or to miss {bounds}"),
                |upper| {
                    let upper = upper.ceil();
                    format!("{bounds} is not met at {upper} I/Os per second or more, and no rate that meets it was found")
                },
            )),
        },
        SloAnswer::Nowhere(rate, _) => {
            Err(format!("no rate was found that meets {bounds}, not even {rate} I/Os per second"))
        }
        SloAnswer::Everywhere(rate, _) => {
            let rate = f64::from(*rate);
            Ok(of(rate, Some(rate), OPEN, format!("{bounds}, the highest rate tried")))
        }
        SloAnswer::NotSearched => Err(format!(
            "it checked required rates only; to measure the highest rate as well: rigel slo --bound \
             '{bounds}'"
        )),
        SloAnswer::Unfinished => Err(format!("the search for a rate that meets {bounds} did not finish")),
    }
}

fn large(findings: &Findings) -> Option<Limit> {
    let found: Option<Extreme> = findings
        .answers
        .as_ref()
        .and_then(|answers| answers.max_mbps)
        .or_else(|| findings.best.rate(Class::LARGE));
    found.map(|found| limit(Resource::Mbps, found.estimate, "the highest rate of large I/O".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::judge::findings::SloRate;
    use rigel_core::stats::share::BoundVerdict;

    /// That no rate was found is not that there is none: nothing is used up by it.
    #[test]
    fn a_search_that_found_no_rate_has_no_limit() {
        let of = |answer| {
            let bounds = vec!["p99 < 1us".parse().unwrap()];
            of_search(&SloFindings { bounds, answer, points: Vec::new(), required: Vec::new(), scale: None })
        };
        let rate = |lower, at, upper| SloAnswer::Rate(SloRate { lower, at, upper, ..SloRate::default() });
        for kept in [BoundVerdict::No, BoundVerdict::Undecided] {
            let why = of(SloAnswer::Nowhere(10, kept)).unwrap_err();
            assert_eq!(why, "no rate was found that meets p99 < 1 us, not even 10 I/Os per second");
        }
        for unknown in [rate(None, None, Some(900.0)), rate(None, None, None), SloAnswer::Unfinished] {
            assert!(of(unknown.clone()).is_err(), "{unknown:?}");
        }
        for (known, value) in [
            (rate(Some(800.0), Some(850.0), Some(900.0)), 850.0),
            (rate(Some(800.0), None, Some(900.0)), 800.0),
            (SloAnswer::Everywhere(5000, BoundVerdict::Yes), 5000.0),
        ] {
            assert!((of(known.clone()).unwrap().figure.value - value).abs() < 1e-9, "{known:?}");
        }
    }
}
