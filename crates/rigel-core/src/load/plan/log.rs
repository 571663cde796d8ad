//! The part of a plan about logs: the regions of their writers, and the round over them before anything is measured.
//!
//! A database writes its log files again and again, so the first write to a place is not what a commit costs: a filesystem
//! has to note in its journal that the block holds data now. Must not touch a target.

use super::{Step, WarmUp};
use crate::error::Problem;
use crate::facts::{TargetFacts, TargetKind};
use crate::load::class::{LoadClass, Pattern};
use crate::load::log::Regions;
use crate::load::request::Request;
use crate::units::Bytes;

/// The regions of a log; `None` for other classes.
///
/// # Errors
/// When the targets have no room for its writers.
pub fn regions(
    request: &Request,
    class: &LoadClass,
    targets: &[TargetFacts],
) -> Result<Option<Regions>, Problem> {
    if class.pattern != Pattern::Log {
        return Ok(None);
    }
    let sizes: Vec<u64> = targets.iter().map(|target| target.size_bytes).collect();
    let writers = request.most_of_own().of(class.name).max(1);
    let found = Regions::new(&sizes, class.span, class.io_bytes(), writers);
    found.map(Some).map_err(|_| {
        let all = sizes.iter().copied().fold(0, u64::saturating_add);
        let what =
            format!("{} have no room for {writers} writers of the load class '{}'", Bytes(all), class.name);
        Problem::refused(what)
            .because(format!("each writes in its own region of at least {}", Bytes(class.io_bytes())))
            .next("use a larger target, fewer writers or smaller I/Os")
    })
}

/// The first round over the regions, where a target may never have been written. A scratch file is filled already.
///
/// # Errors
/// When the targets have no room for a log.
pub fn first_round(request: &Request, targets: &[TargetFacts]) -> Result<Option<WarmUp>, Problem> {
    let is_written = |target: &TargetFacts| target.scratch.is_some() || target.kind == TargetKind::Simulated;
    let mut most_bytes = None;
    // Each of two sides has logs of its own, and is gone round before its first visit.
    for (part, targets) in request.parts(targets) {
        for class in &part.classes {
            if let Some(regions) = regions(&part, class, targets)? {
                let bytes = regions.all().end.saturating_mul(class.io_bytes());
                most_bytes = most_bytes.max(Some(bytes).filter(|_| !targets.iter().all(is_written)));
            }
        }
    }
    Ok(most_bytes.map(WarmUp::Bytes))
}

/// Puts that round before the first step with a log.
pub fn warm_first(steps: &mut [Step], request: &Request, round: Option<WarmUp>) {
    let has_log = |step: &&mut Step| {
        let logs = request.classes.iter().filter(|class| class.pattern == Pattern::Log);
        logs.into_iter().any(|class| step.point.of(class.name) > 0)
    };
    if let (Some(step), Some(_)) = (steps.iter_mut().find(has_log), round) {
        step.warm_up = round;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{HostFacts, ScratchFacts};
    use crate::load::class::{Class, Sync};
    use crate::load::matrix::{Point, RunLevel};
    use crate::load::pace::{Adaptive, Pace};
    use crate::load::plan::Plan;
    use crate::units::{MIB, Nanos};

    const LOG: Class = Class::constant("commit");

    fn request(pace: Pace) -> Request {
        let log = LoadClass { levels: vec![1, 4], ..LoadClass::log(LOG, 8192, Sync::Dsync, "commits/s") };
        Request { classes: vec![log], ..Request::new(RunLevel::Commit).paced(pace) }
    }

    fn file() -> TargetFacts {
        TargetFacts { kind: TargetKind::File, ..TargetFacts::simulated(1 << 30) }
    }

    #[test]
    fn the_first_round_is_not_measured_where_nobody_knows_what_was_written() {
        let round = Some(WarmUp::Bytes(4 * 16 * MIB));
        let fixed = request(Pace::Fixed(Nanos::from_secs(1)));
        let plan = |request: &Request, target| Plan::new(request, &HostFacts::default(), &[target]).unwrap();
        let steps = plan(&fixed, file()).steps;
        assert_eq!(steps.iter().map(|step| step.warm_up).collect::<Vec<_>>(), [round, None]);
        let adaptive = request(Pace::Adaptive(Adaptive::default()));
        assert_eq!(plan(&adaptive, file()).adaptive.unwrap().warm_up, round);
        let own = ScratchFacts { seed: 1, used_before: false, own: true, kept: false };
        for written in [TargetFacts { scratch: Some(own), ..file() }, TargetFacts::simulated(1 << 30)] {
            assert_eq!(plan(&adaptive, written).adaptive.unwrap().warm_up, None);
        }
    }

    #[test]
    fn more_writers_than_have_room_are_refused() {
        let small = TargetFacts { size_bytes: 3 * 8192, ..file() };
        let request = request(Pace::Fixed(Nanos::from_secs(1)));
        let text = Plan::new(&request, &HostFacts::default(), &[small]).unwrap_err().to_string();
        assert!(text.contains("no room for 4 writers of the load class 'commit'"), "{text}");
        assert_eq!(request.points(), Vec::<Point>::new());
    }
}
