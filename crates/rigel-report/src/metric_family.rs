//! Families of OpenMetrics: the samples of one name, with their labels, and how they are written.
//!
//! Must not choose a figure.

use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::Class;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use std::borrow::Cow;

/// Labels in order.
pub(crate) type Labels = Vec<(Cow<'static, str>, String)>;

/// The samples of one name.
pub(crate) struct Family {
    pub name: &'static str,
    pub unit: &'static str,
    pub help: &'static str,
    /// Labels and value.
    pub samples: Vec<(Labels, f64)>,
}

impl Family {
    pub const fn new(name: &'static str, unit: &'static str, help: &'static str) -> Self {
        Self { name, unit, help, samples: Vec::new() }
    }

    /// With samples of every class of every point.
    pub fn filled(
        self,
        view: &View<'_>,
        of: impl Fn(&PointFindings, &IoFindings) -> Vec<(Labels, f64)>,
    ) -> Self {
        let (run, levels) = (run_label(view), view.level_columns());
        let samples = view.classes().flat_map(|(found, class, io)| {
            let labels = point_labels(&run, &levels, found, class);
            of(found, io).into_iter().map(move |(more, value)| ([labels.clone(), more].concat(), value))
        });
        Self { samples: samples.collect(), ..self }
    }

    /// Empty without samples.
    pub fn write(&self, page: &mut Page) {
        if self.samples.is_empty() {
            return;
        }
        page.line(format_args!("# TYPE {} gauge", self.name));
        if !self.unit.is_empty() {
            page.line(format_args!("# UNIT {} {}", self.name, self.unit));
        }
        page.line(format_args!("# HELP {} {}", self.name, self.help));
        for (labels, value) in &self.samples {
            let labels: Vec<String> =
                labels.iter().map(|(name, text)| format!("{name}=\"{}\"", escaped(text))).collect();
            page.line(format_args!("{}{{{}}} {}", self.name, labels.join(","), figure(*value)));
        }
    }
}
/// The label that every sample of a run has.
pub(crate) fn run_label(view: &View<'_>) -> (Cow<'static, str>, String) {
    ("run".into(), view.record.header.run_id.clone())
}

fn point_labels(
    run: &(Cow<'static, str>, String),
    levels: &[(String, Class)],
    found: &PointFindings,
    class: Class,
) -> Labels {
    let levels = levels.iter().map(|(name, class)| (name.clone().into(), found.point.of(*class).to_string()));
    let mut labels = vec![run.clone()];
    labels.extend(levels);
    labels.push(("class".into(), class.to_string()));
    labels
}

/// A figure and the ends of its interval.
pub(crate) fn bounds(found: Estimate) -> Vec<(Labels, f64)> {
    let all = ["value", "lo95", "hi95"].into_iter().zip(found.columns());
    all.filter_map(|(bound, value)| Some((vec![("bound".into(), bound.to_owned())], value?))).collect()
}

/// The value of a label: printable, and with the three characters escaped that could end it or its line.
fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn figure(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        _ if value == f64::INFINITY => "+Inf".to_owned(),
        _ if value == f64::NEG_INFINITY => "-Inf".to_owned(),
        _ => format!("{value:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_early_and_figures_are_of_the_format() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\\\x0ad");
        for (value, text) in [
            (100.0, "100.0"),
            (1e-9, "1e-9"),
            (f64::INFINITY, "+Inf"),
            (f64::NEG_INFINITY, "-Inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(figure(value), text);
        }
    }
}
