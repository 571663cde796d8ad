//! The answers of a calibration by Rigel without its record: the document `rigel.calibration/1`, which `rigel calibrate --json` prints, and
//! the row of the table `rigel.io_calibration`, in which `calibrate_io()` keeps it beside the columns of Oracle's view.
//!
//! Must not judge them again.

mod row;

pub use row::is_row;

use super::{Baseline, ClassFacts, Content, Figures, LoadFacts, Tool, ToolFigure};
use rigel_core::error::Problem;
use rigel_core::judge::answers::{ANSWERS, AnswersForm};
use rigel_core::judge::quantity::Figure;
use rigel_core::load::class::{Class, Span};
use rigel_core::stats::bound::LatencyBound;
use rigel_core::stats::{Estimate, EstimateForm, Interval};
use rigel_core::units::Nanos;
use serde::Deserialize;

const LACKS: &[&str] = &["no load levels and no percentiles: only the answers are compared"];

/// The part of the document that is read.
#[derive(Deserialize)]
struct Document {
    run: Option<String>,
    started: Option<String>,
    #[serde(flatten)]
    answers: AnswersForm,
    write_percent: Option<f64>,
    size_small: Option<u64>,
    size_large: Option<u64>,
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    if is_row(text) { row::read(text) } else { document(text) }
}

fn document(text: &str) -> Result<Baseline, Problem> {
    let found: Document = serde_json::from_str(text).map_err(|error| {
        Problem::usage("the document of a calibration cannot be read")
            .at(format!("line {}", error.line()))
            .because("it is truncated, or was changed")
            .next("give the document as `rigel calibrate --json` printed it, or the record of the run")
    })?;
    let figures: Vec<ToolFigure> = ANSWERS
        .iter()
        .filter(|answer| answer.quantity.is_compared())
        .filter_map(|answer| {
            let estimate = estimate(found.answers.common(answer)?, 1.0 / answer.scale);
            // Its numbers have all their digits.
            let figure = Figure { quantity: answer.quantity, estimate, point: None };
            Some(ToolFigure { figure, half_unit: 0.0 })
        })
        .collect();
    if figures.is_empty() {
        return Err(Problem::usage("the document of a calibration contains no figure")
            .because("the calibration ended before it had measured anything")
            .next("give the document of a complete calibration"));
    }
    let write_percent = found.write_percent;
    let span = Some(Span::Whole);
    let small = ClassFacts {
        bytes: found.size_small,
        write_percent,
        is_sequential: Some(false),
        span,
        ..ClassFacts::default()
    };
    let large = ClassFacts { bytes: found.size_large, is_sequential: None, ..small };
    let limit = rigel_core::units::say::trimmed(found.answers.max_latency_ms);
    let conditions = [
        ("run", found.run),
        ("started", found.started),
        ("latency limit", Some(format!("{} {limit} ms", found.answers.percentile.name()))),
    ];
    Ok(Baseline {
        tool: Tool::Calibration,
        version: None,
        conditions: conditions.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
        lacks: LACKS.to_vec(),
        passed_over: Vec::new(),
        bound: limit_of(&found.answers),
        ran_s: None,
        content: Content::Figures(Figures::new(
            LoadFacts::from([(Class::SMALL, small), (Class::LARGE, large)]),
            figures,
        )),
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "of a time, and it saturates")]
fn limit_of(answers: &AnswersForm) -> Option<LatencyBound> {
    let limit = Nanos((answers.max_latency_ms * 1e6).round() as u64);
    (limit.0 > 0).then_some(LatencyBound { limit, of: answers.percentile })
}

/// A figure of a document in the unit of its quantity. Degrees of freedom are not kept; there are at least those of its visits.
fn estimate(form: EstimateForm, scale: f64) -> Estimate {
    let bare = Estimate::bare(form.value * scale);
    let (Some(lo), Some(hi), Some(visits)) = (form.lo95, form.hi95, form.visits) else { return bare };
    let half = (hi / form.value - 1.0).max(1.0 - lo / form.value);
    if visits < 2 || !half.is_finite() {
        return bare;
    }
    let df = rigel_core::stats::sample::count(visits - 1);
    Interval::symmetric(form.value * scale, half, visits, df)
        .map_or(bare, |interval| Estimate::of(interval, form.basis))
}
