//! What `rigel run scaling` needs to know about its targets: how many of them are loaded at each point, and which lie on one device.
//!
//! Must not measure.

use crate::args::RunOptions;
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::shared::shared_devices;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::path_text::printable;
use rigel_core::units::say::listed;
use std::borrow::Cow;

/// Up to here every number of targets is a point.
const ALL_UP_TO: u32 = 8;

/// The options with a point for each number of targets.
pub fn of_targets<'a>(
    options: &'a RunOptions,
    targets: &[TargetFacts],
) -> Result<Cow<'a, RunOptions>, Problem> {
    if options.request.level() != RunLevel::Scaling {
        return Ok(Cow::Borrowed(options));
    }
    let count = u32::try_from(targets.len()).unwrap_or(u32::MAX);
    if count < 2 {
        return Err(Problem::usage("one target shows no scaling")
            .at("scaling")
            .because("it measures the same load on 1, 2, 3 .. of the targets")
            .next("name two targets or more; without storage: --engine sim:targets=4"));
    }
    let mut request = options.request.clone();
    for class in request.classes.iter_mut().filter(|class| class.level_is_targets()) {
        class.levels = steps(count);
    }
    Ok(Cow::Owned(RunOptions { request, ..options.clone() }))
}

/// Refuses targets that count on several nodes: each would have its own list.
pub fn check_alone(request: &Request) -> Result<(), Problem> {
    match request.classes.iter().find(|class| class.level_is_targets()) {
        Some(class) => {
            Err(Problem::usage("several nodes cannot be measured over a growing number of targets")
                .at(format!("the load class '{}'", class.name))
                .because("each node has a list of targets of its own")
                .next("run `rigel run scaling` on one host"))
        }
        None => Ok(()),
    }
}

/// `1, 2, .. 8, 12, 16, 24, 32 ..` and all of them.
fn steps(count: u32) -> Vec<u32> {
    let wider = std::iter::successors(Some(ALL_UP_TO), |&step| step.checked_mul(2));
    let wider = wider.flat_map(|step| [step.saturating_add(step / 2), step.saturating_mul(2)]);
    let mut all: Vec<u32> = (1..=ALL_UP_TO).chain(wider).take_while(|&step| step < count).collect();
    all.push(count);
    all
}

/// Shown before anything is measured: targets on one device scale no further than that device.
pub fn remarks(options: &RunOptions, targets: &[TargetFacts]) -> Vec<String> {
    if options.request.level() != RunLevel::Scaling {
        return Vec::new();
    }
    let shared = shared_devices(targets).into_iter();
    let told = shared.map(|one| {
        let own: Vec<String> = one
            .targets
            .iter()
            .filter_map(|&target| targets.get(target))
            .map(|target| printable(&target.path).into_owned())
            .collect();
        format!("{} lie on one device ({}), which limits them together", listed(&own), printable(&one.name))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_targets_are_all_points_and_many_are_some() {
        assert_eq!(steps(2), [1, 2]);
        assert_eq!(steps(8), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(steps(9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(steps(40), [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 40]);
        assert_eq!(steps(u32::MAX).last(), Some(&u32::MAX));
    }
}
