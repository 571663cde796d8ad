//! Whatever the points of a run are, none of them contradicts the run's headline.

use super::super::{Answers, Findings, plateau, refuted};
use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, Figure};
use crate::load::matrix::RunLevel;
use crate::load::pace::{Adaptive, Pace};
use crate::load::plan::Plan;
use crate::load::request::Request;
use crate::load::task::Task;
use crate::record::tests::{header, visit_to};
use crate::record::{Header, Record};
use crate::stats::bound::{LatencyBound, LatencyOf};
use crate::stats::estimate::{Basis, Estimate};
use crate::stats::interval::Interval;
use crate::units::{Nanos, to_f64};
use proptest::prelude::*;

/// A run of all pairs of levels whose points have no figures yet, with a latency limit.
fn matrix() -> (Request, Findings) {
    let mut request = Request::new(RunLevel::Normal);
    request.set_pace(Pace::Adaptive(Adaptive::default()));
    let Header { nodes, targets, .. } = header();
    let plan = Plan::new(&request, &nodes.first().host, &targets).unwrap();
    request.calibrate(LatencyBound { limit: Nanos::from_millis(2), of: LatencyOf::Mean }, None);
    let mut record = Record::begun(Header { request, plan, ..header() });
    let points = record.header.plan.steps.iter().map(|step| step.point);
    record.visits = points.enumerate().map(|(step, point)| visit_to(step, point, 1_000_000)).collect();
    let mut found = Findings::of(&record);
    // Which points have one visit only is for a case to say.
    found.points.iter_mut().for_each(|point| point.flags.clear());
    (record.header.request, found)
}

/// A figure: its logarithm as a deviate, its width, its degrees of freedom.
type RandomFigure = (f64, f64, f64);

fn estimate((deviate, half, df): RandomFigure, truth: f64) -> Estimate {
    let interval = Interval::symmetric(truth * (deviate * half / 2.0).exp(), half, 8, df);
    interval.map_or_else(|| Estimate::bare(truth), Estimate::from)
}

fn drawn() -> impl Strategy<Value = RandomFigure> {
    let half = prop_oneof![0.0005f64..0.02, 0.02f64..0.2, 0.2f64..2.5];
    (-2.5f64..2.5, half, prop_oneof![Just(1.0), Just(7.0), Just(30.0)])
}

/// What is said about a point.
#[derive(Clone, Copy, Debug)]
enum PointClaim {
    Nothing,
    Changed,
    CutShort,
    Invalid,
    OneVisit,
}

fn said() -> impl Strategy<Value = PointClaim> {
    prop_oneof![
        12 => Just(PointClaim::Nothing),
        2 => Just(PointClaim::Changed),
        1 => Just(PointClaim::CutShort),
        1 => Just(PointClaim::Invalid),
        1 => Just(PointClaim::OneVisit),
    ]
}

fn say(point: &mut PointFindings, said: PointClaim) {
    let flag = match said {
        PointClaim::Nothing | PointClaim::OneVisit => return,
        PointClaim::Changed => Flag::new(FlagCode::Drift, "moved"),
        PointClaim::CutShort => Flag::new(FlagCode::CutShort, "stopped"),
        PointClaim::Invalid => Flag::new(FlagCode::Zeros, "holes").invalidating(),
    };
    point.flags.push(flag);
}

proptest! {
    #[test]
    fn no_point_refutes_what_stands_for_a_run(
        rows in prop::collection::vec((drawn(), drawn(), drawn(), said()), 18),
        saturated_at in 1u32..12,
        mean_bytes in prop::collection::vec(8192.0f64..65536.0, 18),
        is_bounded: bool,
        is_bandwidth: bool,
        is_adaptive: bool,
    ) {
        // The small I/O of a calibration is judged by its rate.
        let is_bandwidth = is_bandwidth && !is_bounded;
        let (mut request, mut found) = matrix();
        if !is_bounded {
            request.task = Task::of_level(RunLevel::Normal);
        }
        found.target = is_adaptive.then_some(0.05);
        for ((point, row), mean_bytes) in found.points.iter_mut().zip(&rows).zip(mean_bytes) {
            let (small, large, latency, said) = *row;
            point.phase = is_adaptive.then_some(0);
            for (class, io) in &mut point.ios {
                let level = point.point.of(*class);
                let drawn = if *class == Class::SMALL { small } else { large };
                io.iops = estimate(drawn, 1000.0 * f64::from(level.min(saturated_at)));
                let us = io.latency_us.as_mut().unwrap();
                us.mean = estimate(latency, 1000.0 * f64::from(level.max(saturated_at)) / f64::from(saturated_at));
                if matches!(said, PointClaim::OneVisit) || !is_adaptive {
                    (io.iops.basis, us.mean.basis) = (Basis::OneVisit, Basis::OneVisit);
                }
                // Several sizes: how large they were on average differs a bit from point to point.
                if is_bandwidth && *class == Class::SMALL {
                    (io.load.figure, io.mean_bytes) = (Figure::Mbps, mean_bytes);
                }
            }
            say(point, said);
        }
        let before = found.clone();
        plateau::join(&mut found.points, &request);
        found.choose(&request);
        let refuted = refuted(&found);
        prop_assert!(refuted.is_empty(), "{refuted:?}");
        prop_assert!(found.best.rate(Class::SMALL).is_some() && found.best.rate(Class::LARGE).is_some());
        if let Some(Answers { bound, max_iops: Ok(within), .. }) = &found.answers {
            let sound = found.points.iter().zip(&rows).filter(|one| matches!(one.1.3, PointClaim::Nothing | PointClaim::Changed));
            for io in sound.filter_map(|one| one.0.io(Class::SMALL)) {
                let keeps = io.latency_us.is_some_and(|us| us.mean.value * 1000.0 <= to_f64(bound.limit.0));
                prop_assert!(!keeps || io.iops.value <= within.iops.value * (1.0 + 1e-9), "{:?} {within:?}", io.iops);
            }
        }
        // A figure that is joined stays as sure as it was.
        for (old, new) in before.points.iter().zip(&found.points) {
            for (class, io) in old.classes() {
                let new = new.io(class).unwrap();
                prop_assert!(new.iops.half_width() == io.iops.half_width() && new.iops.basis == io.iops.basis);
            }
        }
    }
}
