//! What a record says that its storage can give: the limits.
//!
//! Every figure is one of the findings. Must not choose another one than they do.

use super::super::{Kind, Subject};
use super::{Limit, Resource};
use crate::error::Problem;
use crate::facts::{TargetFacts, TargetKind};
use crate::judge::findings::{Extreme, Findings, SloAnswer};
use crate::load::class::Class;
use crate::record::Record;
use crate::stats::Estimate;

/// No rate that was tried is known to be too high.
const OPEN: Option<f64> = Some(f64::INFINITY);

/// What was measured on a storage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The limits, one for a resource at most.
    pub limits: Vec<Limit>,
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
}

/// A disk below a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// Kernel name.
    pub name: String,
    /// What stays; empty if the device has nothing.
    pub id: String,
}

impl Surface {
    /// Of a record; without a limit it is refused.
    ///
    /// # Errors
    /// When the record has no figure that a storage is limited by.
    pub fn of(record: &Record, findings: &Findings) -> Result<Self, Problem> {
        let request = &record.header.request;
        if request.sides.is_some() {
            return Err(no_surface("the record is of two sides that took turns")
                .next("give the record of a run on one storage"));
        }
        let limits: Vec<Limit> = [small(findings), large(findings)].into_iter().flatten().collect();
        if limits.is_empty() {
            return Err(no_surface(
                "the record has no highest rate of small or large I/O, and no rate within a bound",
            )
            .next("measure one with `rigel calibrate TARGET`, or with `rigel slo --p99 5ms TARGET`"));
        }
        let class = request.classes.first().map(|class| class.name);
        Ok(Self {
            limits,
            small_bytes: request.io_bytes(Class::SMALL).max(class.map_or(0, |class| request.io_bytes(class))),
            write_share: f64::from(request.write_percent().get()) / 100.0,
            disks: record.header.targets.iter().flat_map(disks).collect(),
            started: record.header.started.clone(),
            simulated: record.header.targets.iter().any(|target| target.kind == TargetKind::Simulated),
        })
    }

    /// With a size of the storage.
    #[must_use]
    pub fn with_space(mut self, bytes: f64, from: &str) -> Self {
        self.limits.retain(|limit| limit.resource != Resource::Space);
        self.limits.push(Limit {
            resource: Resource::Space,
            value: bytes,
            lower: None,
            upper: None,
            from: from.to_owned(),
        });
        self
    }

    /// Whether it was measured on these disks: by what stays if both have it, else by name. `None` where nothing can be said.
    pub fn is_of(&self, subjects: &[Subject]) -> Option<bool> {
        if self.disks.is_empty() || self.simulated || !subjects.iter().any(|one| one.kind == Kind::Disk) {
            return None;
        }
        let own = |disk: &Disk| Subject::disk(&disk.name, &disk.id);
        Some(self.disks.iter().any(|disk| subjects.iter().any(|one| one.is_same(&own(disk)))))
    }
}

fn no_surface(what: &str) -> Problem {
    Problem::usage(what).because("a date needs what the storage can give")
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
    Limit { resource, value: found.value, lower: found.lo95(), upper: found.hi95(), from }
}

/// The rate within a bound, if there is one, else the highest.
fn small(findings: &Findings) -> Option<Limit> {
    if let Some(slo) = &findings.slo {
        let bounds: Vec<String> = slo.bounds.iter().map(ToString::to_string).collect();
        let of = |value: f64, lower, upper, from: String| Limit {
            resource: Resource::Iops,
            value,
            lower,
            upper,
            from,
        };
        let from = bounds.join(" and ");
        return match &slo.answer {
            SloAnswer::Rate(rate) => {
                let value = rate.at.or(rate.lower).or(rate.upper)?;
                Some(of(value, rate.lower.or(Some(0.0)), rate.upper.or(OPEN), from))
            }
            SloAnswer::Nowhere(rate, _) => Some(of(0.0, Some(0.0), Some(f64::from(*rate)), from)),
            SloAnswer::Everywhere(rate, _) => Some(of(
                f64::from(*rate),
                Some(f64::from(*rate)),
                OPEN,
                format!("{from}, the highest rate that was tried"),
            )),
            SloAnswer::Unfinished => None,
        };
    }
    if let Some(answers) = &findings.answers {
        let bound = answers.bound;
        let from = format!("{} latency < {}", bound.of.name(), bound.limit);
        return answers.max_iops.as_ref().ok().map(|found| limit(Resource::Iops, found.iops, from));
    }
    findings
        .best
        .rate(Class::SMALL)
        .map(|found| limit(Resource::Iops, found.estimate, "the highest rate, at any latency".to_owned()))
}

fn large(findings: &Findings) -> Option<Limit> {
    let found: Option<Extreme> = findings
        .answers
        .as_ref()
        .and_then(|answers| answers.max_mbps)
        .or_else(|| findings.best.rate(Class::LARGE));
    found.map(|found| limit(Resource::Mbps, found.estimate, "the highest rate of large I/O".to_owned()))
}
