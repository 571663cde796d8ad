//! How a soak ended that did not last as long as it was to, and what continues it. Must not judge.

use super::SoakReport;
use rigel_core::path_text::printable;
use rigel_core::record::resume::{self, Rest};
use rigel_core::record::{ClosingLine, End, Record};
use rigel_core::record_name::RECORD_SUFFIX;
use rigel_core::units::say::two_units;

/// Only a record without a closing line can be from a running soak. A killed one looks the same.
pub(super) fn early(told: &SoakReport<'_>) -> Option<String> {
    let record = told.record;
    if record.complete() {
        return None;
    }
    let after = two_units(told.found.lasted);
    Some(match &record.closing {
        None => {
            format!(
                "It has not ended: it is still running, or was killed. If it was killed, {}.",
                again(record)
            )
        }
        Some(closing) => {
            let rest = if Rest::of(record) == Some(Rest::Open) {
                format!("; {}", again(record))
            } else {
                String::new()
            };
            match closing {
                ClosingLine { end: Some(End::Stopped), .. } => format!("It was stopped after {after}{rest}."),
                ClosingLine { reason: Some(why), .. } => {
                    format!("It ended early, after {after} ({}){rest}.", printable(why))
                }
                ClosingLine { reason: None, .. } => format!("It ended early, after {after}{rest}."),
            }
        }
    })
}

fn again(record: &Record) -> String {
    let header = &record.header;
    let name = format!("{}{RECORD_SUFFIX}", header.run_id);
    let command = resume::command(&header.request, &header.nodes, &header.targets, &name);
    // Names of a record from elsewhere may be of any signs.
    if command.contains('`') || printable(&command) != command {
        return "`rigel soak --resume RECORD` continues it".to_owned();
    }
    format!("`{command}`, run in the directory of the record, continues it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::matrix::Point;
    use rigel_core::load::phase::Phase;
    use rigel_core::load::soak::Soak;
    use rigel_core::load::task::Task;
    use rigel_core::testing::header;
    use rigel_core::units::Nanos;
    use rigel_uses::soak::SoakFindings;

    fn told(closing: Option<ClosingLine>) -> Option<String> {
        let mut header = header();
        let soak =
            Soak { time: Nanos::from_secs(60), every: Nanos::from_secs(1), beside: None, through: false };
        let phase = Phase { time: Nanos::from_secs(1), point: Point::pair(1, 0), shape: None };
        header.request.task = Task::soak(soak, vec![phase]);
        let record = Record { closing, ..Record::begun(header) };
        let found = SoakFindings::of(&record).unwrap();
        early(&SoakReport { record: &record, found: &found, lost: 0 })
    }

    fn closed(complete: bool, end: Option<End>, reason: Option<&str>) -> Option<String> {
        let reason = reason.map(str::to_owned);
        told(Some(ClosingLine { ended: "now".into(), complete, reason, end }))
    }

    #[test]
    fn only_a_record_without_an_end_may_be_that_of_a_soak_that_runs() {
        let open = told(None).unwrap();
        assert!(open.starts_with("It has not ended: it is still running, or was killed."), "{open}");
        assert!(open.contains("`rigel soak --resume "), "{open}");
        assert_eq!(closed(true, None, None), None);
        let stopped = closed(false, Some(End::Stopped), Some("stopped by the user")).unwrap();
        assert!(stopped.starts_with("It was stopped after 0 s; `rigel soak --resume "), "{stopped}");
        let gave_up = closed(false, Some(End::GaveUp), Some("all I/Os failed")).unwrap();
        assert!(gave_up.starts_with("It ended early, after 0 s (all I/Os failed); `"), "{gave_up}");
        let no_time = closed(false, Some(End::OutOfTime), Some("time ran out")).unwrap();
        assert_eq!(no_time, "It ended early, after 0 s (time ran out).");
        for ended in [stopped, gave_up, no_time] {
            assert!(!ended.contains("running"), "{ended}");
        }
    }
}
