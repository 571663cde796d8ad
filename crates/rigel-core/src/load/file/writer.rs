//! The text of a load file.
//!
//! What it writes reads as the same load. Must not judge a load.

use super::class::{DEFAULT_MAX_OUTSTANDING, SYNC, count_key, default_figure};
use super::{FORM, LoadFile, phases};
use crate::load::class::{Arrival, Figure, LoadClass, Pattern, Shape, Sizes, Span, Sync};
use crate::load::matrix::Point;
use crate::load::request::DEFAULT_STREAM_IOS;
use crate::load::workload::Layout;
use crate::path_text::printable;
use crate::units::say::{typed_size, typed_time};
use std::fmt::{Arguments, Display};

/// Comments for people: at the head of the file, and above each phase.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// Lines at the head.
    pub head: Vec<String>,
    /// A line for each phase, where there is one.
    pub phases: Vec<String>,
}

pub fn text(load: &LoadFile, comments: &Comments) -> String {
    let mut page = Page(String::new());
    comments.head.iter().for_each(|line| page.comment(line));
    page.line(format_args!("load = \"{FORM}\""));
    if let Layout::Raid0 { stripe_bytes } = load.layout {
        page.line(format_args!("layout = {{ raid0 = \"{}\" }}", typed_size(stripe_bytes)));
    }
    if !load.node_share.is_empty() {
        page.line(format_args!("node_share = {:?}", load.node_share));
    }
    if !load.what_if.is_empty() {
        let quoted =
            |text: &String| format!("\"{}\"", printable(text).replace('\\', "\\\\").replace('"', "\\\""));
        let all: Vec<String> = load.what_if.iter().map(quoted).collect();
        page.line(format_args!("what_if = [{}]", all.join(", ")));
    }
    // What a class has where it has most; phases are parts of it.
    let usual = load.points.iter().fold(Point::default(), |most, point| {
        point.classes().fold(most, |most, (class, level)| most.with(class, most.of(class).max(level)))
    });
    if load.phases.is_empty() {
        points(&mut page, load);
    }
    for one in &load.classes {
        let level = (!load.phases.is_empty()).then(|| usual.of(one.name).max(1));
        class(&mut page, one, level);
    }
    for (number, phase) in load.phases.iter().enumerate() {
        page.line(format_args!(""));
        if let Some(line) = comments.phases.get(number) {
            page.comment(line);
        }
        page.line(format_args!("[[phase]]"));
        page.line(format_args!("for = \"{}\"", typed_time(phase.time)));
        let factor = |class: &LoadClass| {
            let factor = phases::factor_of(phase.point.of(class.name), usual.of(class.name));
            format!("{} = {factor}", class.name)
        };
        let factors: Vec<String> = load.classes.iter().map(factor).collect();
        page.line(format_args!("scale = {{ {} }}", factors.join(", ")));
        if let Some(shape) = phase.shape {
            page.pair("shape", arrives(shape));
        }
    }
    page.0
}

struct Page(String);

impl Page {
    fn line(&mut self, line: Arguments<'_>) {
        self.0 += &line.to_string();
        self.0.push('\n');
    }

    /// A comment line; an empty one stays empty.
    fn comment(&mut self, line: &str) {
        self.line(format_args!("{}", format!("# {}", printable(line)).trim_end()));
    }

    fn pair(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }
}

/// Every class in every point, even with 0, so that each class occurs.
fn points(page: &mut Page, load: &LoadFile) {
    page.line(format_args!("points = ["));
    for point in &load.points {
        let level = |class: &LoadClass| format!("{} = {}", class.name, point.of(class.name));
        let levels: Vec<String> = load.classes.iter().map(level).collect();
        page.line(format_args!("  {{ {} }},", levels.join(", ")));
    }
    page.line(format_args!("]"));
}

fn class(page: &mut Page, class: &LoadClass, level: Option<u32>) {
    page.line(format_args!("\n[[class]]"));
    page.pair("name", quoted(class.name));
    page.pair("size", sizes(&class.sizes));
    page.pair("pattern", quoted(pattern(class.pattern)));
    if let Pattern::Streams { ios_per_stream } = class.pattern
        && ios_per_stream != DEFAULT_STREAM_IOS
    {
        page.pair("stream_ios", ios_per_stream);
    }
    if class.write_percent.writes() {
        page.pair("write", class.write_percent.get());
    }
    if class.sync != Sync::None {
        let word = SYNC.iter().find(|(_, sync)| *sync == class.sync).map_or("none", |(word, _)| word);
        page.pair("sync", quoted(word));
    }
    if class.span != Span::Whole {
        page.pair("span", quoted(class.span));
    }
    if let Some(places) = class.places {
        page.pair("places", places);
    }
    if let Some(each) = class.per_target {
        page.pair("per_target", each);
    }
    if class.verify {
        page.pair("verify", true);
    }
    if let Some(arrival) = arrival(class, level) {
        page.pair("arrival", arrival);
    }
    if class.figure != default_figure(class.pattern) {
        match &class.figure {
            Figure::Mbps => page.pair("unit", quoted("MBPS")),
            Figure::Rate(unit) => page.pair("unit", quoted(unit)),
        }
    }
}

/// Names, units and words contain nothing that needs escaping.
fn quoted(text: impl Display) -> String {
    format!("\"{text}\"")
}

const fn pattern(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Random | Pattern::Sessions => "random",
        Pattern::Streams { .. } => "stream",
        Pattern::Log => "log",
    }
}

fn sizes(sizes: &Sizes) -> String {
    match sizes {
        Sizes::Fixed(bytes) => quoted(typed_size(*bytes)),
        Sizes::Mixed(sizes) => {
            let one = |(bytes, share): &(u64, u8)| format!("\"{}\" = {share}", typed_size(*bytes));
            format!("{{ {} }}", sizes.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Sizes::None => quoted(0),
    }
}

fn arrival(class: &LoadClass, level: Option<u32>) -> Option<String> {
    let Arrival::Open { shape, most_outstanding } = class.arrival else {
        return Some(format!("{{ {} = {} }}", count_key(class.pattern), level?));
    };
    let rate = level.map_or_else(String::new, |rate| format!("rate = {rate}, "));
    let shape = arrives(shape);
    let most = match (class.pattern, most_outstanding) {
        (Pattern::Streams { .. }, _) => match class.stream_count(1) {
            1 => String::new(),
            streams => format!(", streams = {streams}"),
        },
        (_, DEFAULT_MAX_OUTSTANDING) => String::new(),
        (_, most) => format!(", max_outstanding = {most}"),
    };
    Some(format!("{{ {rate}shape = {shape}{most} }}"))
}

fn arrives(shape: Shape) -> String {
    match shape {
        Shape::Even => quoted("even"),
        Shape::Poisson => quoted("poisson"),
        Shape::Bursty(spread) => format!("{{ bursty = {spread} }}"),
    }
}
