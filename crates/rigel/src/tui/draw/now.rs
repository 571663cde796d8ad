//! The current visit: progress, and the rate and the latency of each class over time.
//!
//! Until a new visit has a curve, the previous one is shown. Must not compute a rate.

use super::super::message::Digest;
use super::super::model::Model;
use super::theme::{Role, Theme};
use super::{framed, put, put_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rigel_core::event::{Activity, VisitPosition};
use rigel_core::load::class::{Class, Figure};
use rigel_core::load::matrix::Point;
use rigel_core::record::Purpose;
use rigel_core::units::say::short;

/// Fewest ticks for a curve.
const LEAST_TICKS: usize = 3;
/// Columns before a curve: what, its latest value, a blank.
const BEFORE_CURVE: u16 = 12;

/// Draws the panel.
pub fn draw(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let title = model.now.map_or_else(|| "Now".to_owned(), |at| format!("Now: {}", place(&at, model)));
    let inner = framed(&title, theme, area, buffer);
    let is_live = model.ticks.len() >= LEAST_TICKS;
    put(buffer, inner, 0, &format!(" {}", doing(model, is_live)), theme.style(Role::Faint));
    let mut row = 1;
    for class in &model.classes {
        let role = if class.figure == Figure::Mbps { Role::Large } else { Role::Small };
        let unit = class.unit();
        let digest = if is_live { model.live(class) } else { before(model, class.name) };
        if let Some(digest) = digest {
            let latency = digest.latency_us.map_or_else(|| "-".to_owned(), short);
            let lines = [(unit, short(digest.rate), &digest.rates), ("us", latency, &digest.latencies_us)];
            for (what, value, curve) in lines {
                put(buffer, inner, row, &format!(" {what:>4} {value:>5}"), theme.style(Role::Heading));
                let width = usize::from(inner.width.saturating_sub(BEFORE_CURVE + 1));
                put_at(buffer, inner, (BEFORE_CURVE, row), &theme.curve(curve, width), theme.style(role));
                row += 1;
            }
        }
    }
}

fn before(model: &Model, class: Class) -> Option<Digest> {
    model.last.as_ref()?.ios.get(&class).cloned()
}

fn doing(model: &Model, is_live: bool) -> String {
    let doing = match model.activity {
        _ if model.stopping => "ending",
        Some(Activity::WarmUp) => "warming up",
        Some(Activity::Measure) if model.ticks.is_empty() => "settling",
        Some(Activity::Measure) if is_search(model) => "searching for load levels",
        Some(Activity::Measure) => "measuring",
        Some(Activity::Rest) => "resting",
        None => "starting",
    };
    match &model.last {
        Some(last) if !is_live => {
            format!("{doing}; before: {}", load(last.at.point, model))
        }
        _ => doing.to_owned(),
    }
}

fn is_search(model: &Model) -> bool {
    model.now.is_some_and(|at| matches!(at.purpose, Purpose::Search(_)))
}

/// `small 3 large 0`, or `A: 4 outstanding small I/Os` where two sides take turns.
fn load(point: Point, model: &Model) -> String {
    match point.side_in_words(&model.classes) {
        Some((side, load)) => format!("{}: {load}", side.name()),
        None => point.words(),
    }
}

/// `small 3 large 0, visit 2`
fn place(at: &VisitPosition, model: &Model) -> String {
    let visit = match at.purpose {
        Purpose::Only => String::new(),
        Purpose::Long => ", long visit".to_owned(),
        Purpose::Round(round) => format!(", visit {}", round.saturating_add(1)),
        Purpose::FillsGap => ", one more visit".to_owned(),
        Purpose::Search(_) => ", search".to_owned(),
        Purpose::Phase(number) => format!(", phase {}", number.saturating_add(1)),
        Purpose::Warm => ", warming up".to_owned(),
        Purpose::Again => ", once more".to_owned(),
    };
    format!("{}{visit}", load(at.point, model))
}
