//! The problem that a run ends with if it has measured, but no number may be used.
//!
//! Must not judge a point; its flags have.

use super::{Findings, PointFindings};
use crate::error::{ExitKind, Problem};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::matrix::Point;
use crate::load::request::Request;
use crate::load::sides::Side;
use crate::path_text::printable;

impl Findings {
    /// The problem of a run all of whose points are invalid for a reason that was not requested; `None` if a number may be used.
    /// Memory that was requested (`--allow-memory`, `--buffered`) keeps its flag and is not a failure.
    pub fn unusable(&self, request: &Request) -> Option<Problem> {
        let forbidden =
            |found: &PointFindings| forbidding(found, request).any(|flag| !is_answer(flag.code, request));
        // Raw I/O beside SQL is there for the part that reaches SQL: alone it answers nothing.
        let counts = |found: &&PointFindings| {
            !request.is_beside_raw() || request.side_of(found.point) == Some(Side::B)
        };
        let counting: Vec<&PointFindings> = self.points.iter().filter(counts).collect();
        if counting.is_empty() || !counting.iter().copied().all(forbidden) {
            return None;
        }
        let reasons = self.reasons(request);
        let cause = |flag: &&Flag| format!("{} ({})", flag.code.name(), printable(&flag.text));
        let causes: Vec<String> = reasons.iter().map(cause).collect();
        let steps: Vec<String> = reasons.iter().map(|flag| step(flag.code.meaning().remedy)).collect();
        let points = match (request.is_beside_raw(), counting.len()) {
            (true, _) if request.writes_at_all() => "all commits through SQL".to_owned(),
            (true, _) => "all look-ups through SQL".to_owned(),
            (false, 1) => "the only point".to_owned(),
            (false, count) => format!("all {count} points"),
        };
        let problem = Problem::new(ExitKind::GateFailed, "measured, but no number is usable");
        Some(problem.at(points).because(causes.join("; ")).next(steps.join("; ")))
    }

    /// A flag of each code that forbids a number. If every point has some of them, only these are the reason: flags of some points
    /// would hide it.
    fn reasons<'a>(&'a self, request: &'a Request) -> Vec<&'a Flag> {
        let mut reasons: Vec<&Flag> = Vec::new();
        for flag in self.points.iter().flat_map(|found| forbidding(found, request)) {
            if !reasons.iter().any(|known| known.code == flag.code) {
                reasons.push(flag);
            }
        }
        let has = |found, code| forbidding(found, request).any(|flag| flag.code == code);
        let everywhere = |flag: &&Flag| self.points.iter().all(|found| has(found, flag.code));
        if reasons.iter().any(everywhere) {
            reasons.retain(everywhere);
        }
        reasons
    }
}

/// A remedy as a part of a sentence: without its capital and its full stop.
fn step(remedy: &str) -> String {
    let mut letters = remedy.trim_end_matches('.').chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    first + letters.as_str()
}

impl PointFindings {
    /// Whether no flag forbids using its numbers.
    pub fn is_usable(&self, request: &Request) -> bool {
        forbidding(self, request).next().is_none()
    }
}

/// The flags of a point that make it invalid and were not requested.
pub fn forbidding<'a>(found: &'a PointFindings, request: &'a Request) -> impl Iterator<Item = &'a Flag> {
    found.flags.iter().filter(|flag| flag.invalid && !was_asked_for(flag.code, request, found.point))
}

/// Whether a flag is the answer: a search for a rate looks for the rate beyond which more arrives than is served, and its verdicts
/// include that.
pub fn is_answer(code: FlagCode, request: &Request) -> bool {
    code == FlagCode::Overload && request.slo().is_some()
}

fn was_asked_for(code: FlagCode, request: &Request, point: Point) -> bool {
    match code {
        FlagCode::Memory => request.allow_memory || request.is_buffered_at(point),
        FlagCode::Buffered => request.is_buffered_at(point),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::TargetFacts;
    use crate::load::class::Class;
    use crate::load::matrix::RunLevel;
    use crate::load::pace::Adaptive;
    use crate::load::sides::Sides;
    use crate::load::slo::Slo;
    use crate::load::sql::{Probe, Product, ReportBy, ServerChoice, SqlLevel, SqlRequest};
    use crate::load::task::{Task, Through};
    use crate::load::workload::WritePercent;
    use crate::record::Record;
    use crate::record::tests::{header, visit};

    fn findings(change: impl FnOnce(&mut Record)) -> (Findings, Request) {
        let visits = vec![visit(0, 1_000_000), visit(1, 1_000_000)];
        let mut record = Record { visits, ..Record::begun(header()) };
        change(&mut record);
        (Findings::of(&record), record.header.request)
    }

    fn in_memory(record: &mut Record) {
        record.header.targets[0] =
            TargetFacts { filesystem: Some("tmpfs".into()), ..record.header.targets[0].clone() };
    }

    #[test]
    fn a_run_of_memory_fails_unless_it_was_asked_for() {
        let problem = |change: &dyn Fn(&mut Record)| {
            let (found, request) = findings(|record| change(record));
            found.unusable(&request)
        };
        assert_eq!(problem(&|_| {}), None);
        let told = problem(&in_memory).unwrap();
        assert_eq!(
            (told.kind, told.what.as_str()),
            (ExitKind::GateFailed, "measured, but no number is usable")
        );
        assert_eq!(
            told.cause.as_deref(),
            Some("MEMORY (tmpfs keeps its files in memory; no storage is measured)")
        );
        assert!(told.place.unwrap().contains("points") && told.next.unwrap().contains("--allow-memory"));
        assert_eq!(
            problem(&|record| {
                in_memory(record);
                record.header.request.allow_memory = true;
            }),
            None
        );
        assert_eq!(problem(&|record| record.header.request.buffered = true), None);
    }

    #[test]
    fn what_takes_turns_with_raw_io_is_named() {
        let (mut found, mut request) = findings(|record| record.header.request.allow_memory = true);
        request.through = Through::Sql(SqlRequest {
            product: Product::Postgresql,
            level: SqlLevel::Simple,
            probe: Probe::Batch,
            report: ReportBy::Range,
            server: ServerChoice::Private,
        });
        request.sides = Some(Sides { targets_of_a: 1, engine: request.engine, buffered: false });
        found.points.iter_mut().for_each(|found| {
            found.point = Point::default().with(Class::SIMPLE, 1).on(Side::B);
            found.flags = vec![Flag::new(FlagCode::Unverified, "cached").invalidating()];
        });
        let place = |request: &Request| found.unusable(request).unwrap().place.unwrap();
        assert_eq!(place(&request), "all look-ups through SQL");
        request.set_writes(WritePercent::ALL);
        assert_eq!(place(&request), "all commits through SQL");
    }

    /// A required rate at which more arrives than is served is not met, and that is the answer.
    #[test]
    fn overload_is_the_answer_of_a_search_for_a_rate() {
        let overload = Flag::new(FlagCode::Overload, "3 of 2").invalidating();
        let (mut found, mut request) = findings(|_| {});
        found.points.iter_mut().for_each(|point| point.flags = vec![overload.clone()]);
        assert!(found.unusable(&request).is_some());
        let slo = Slo {
            bounds: vec!["p99 < 1ms".parse().unwrap()],
            required: vec!["p99 < 1ms @ 500".parse().unwrap()],
            most_rate: 1000,
            required_only: true,
            scaled: None,
        };
        request.task = Task::rate(RunLevel::Open, slo, Adaptive::default());
        assert_eq!(found.unusable(&request), None);
        found.points.iter_mut().for_each(|point| {
            point.flags.push(Flag::new(FlagCode::Zeros, "zero").invalidating());
        });
        assert!(found.unusable(&request).is_some());
    }

    #[test]
    fn one_number_that_may_be_used_is_enough() {
        let zeros = || Flag::new(FlagCode::Zeros, "zero\u{1b}").invalidating();
        let (mut found, request) = findings(|record| record.header.request.allow_memory = true);
        found.points[0].flags.push(zeros());
        assert_eq!(found.unusable(&request), None);
        found.points.iter_mut().for_each(|point| point.flags = vec![zeros()]);
        let told = found.unusable(&request).unwrap();
        assert!(told.cause.as_deref() == Some("ZEROS (zero\\x1b)"), "{told}");
        found.points[0].flags.insert(0, Flag::new(FlagCode::Little, "off").invalidating());
        let told = found.unusable(&request).unwrap();
        assert!(
            told.cause.as_deref() == Some("ZEROS (zero\\x1b)"),
            "not what one point has in addition: {told}"
        );
        found.points[0].flags.pop();
        let told = found.unusable(&request).unwrap();
        assert!(told.cause.as_deref() == Some("LITTLE (off); ZEROS (zero\\x1b)"), "{told}");
        let next = told.next.unwrap();
        assert!(next.starts_with("repeat on an idle host") && next.contains("; measure on data: "), "{next}");
        found.points.clear();
        assert_eq!(found.unusable(&request), None, "a run that was cut short says so itself");
    }
}
