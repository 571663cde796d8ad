//! A picture as SVG, with the colours of the page and, where a reader drops its style, with those of a light page.
//!
//! Must not run or load anything, and must not choose a figure.

use super::picture::{Bar, Bars, Dot, Lines, Panel, Picture, Shape};
use crate::html::markup::Prose;
use crate::page::Page;

/// Width in the drawing's own units; on a phone about two of three become pixels.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
/// Margins around the lines.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;
/// Height of a bar with its name above it.
const BAR: f64 = 46.0;
/// Approximate width of a letter.
const LETTER: f64 = 7.5;
/// Fewest marks of an axis.
const MARKS: f64 = 4.0;
/// Colours of a light page; the style sheet has others for a dark one.
const INKS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#b0508c"];

/// The panels of a picture.
pub(super) fn write(page: &mut Page, picture: &Picture) {
    page.line("<figure class=\"hero\">");
    picture.0.iter().for_each(|panel| write_panel(page, panel));
    page.line("</figure>");
}

fn write_panel(page: &mut Page, panel: &Panel) {
    let height = match &panel.shape {
        Shape::Lines(_) => HEIGHT,
        Shape::Bars(bars) => TOP + BAR * count(bars.bars.len()) + BOTTOM / 2.0,
    };
    let title = Prose(&panel.title);
    page.line(format_args!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\" font-size=\"14\" \
         font-family=\"system-ui, sans-serif\" fill=\"currentColor\">"
    ));
    text(page, 4.0, 18.0, "start", "title", &panel.title);
    match &panel.shape {
        Shape::Lines(lines) => write_lines(page, lines),
        Shape::Bars(bars) => write_bars(page, bars),
    }
    page.line("</svg>");
}

/// Positions of values on an axis.
struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// An axis that fits all values; a linear one begins at 0 if that costs little.
    fn of(values: impl Iterator<Item = f64>, is_log: bool, from: f64, to: f64) -> Self {
        let usable = values.filter(|value| value.is_finite() && (!is_log || *value > 0.0));
        let (low, high) =
            usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let (low, high) = match is_log {
            true if high > low => (low, high),
            true => (low / 2.0, high * 2.0),
            false if high > low => (low, high),
            false => (low.min(0.0), if high > 0.0 { high } else { 1.0 }),
        };
        Self { low, high, is_log, from, to }
    }

    /// The same, extended to its next mark.
    fn rounded(mut self) -> Self {
        if !self.is_log {
            let step = self.step();
            self.high = (self.high / step).ceil() * step;
        }
        self
    }

    fn place(&self, value: f64) -> f64 {
        let along = |value: f64| if self.is_log { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let share = (along(value) - along(self.low)) / (along(self.high) - along(self.low));
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// The step between marks: 1, 2 or 5 times a power of ten.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / MARKS;
        let power = 10_f64.powf(rough.log10().floor());
        [1.0, 2.0, 5.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * power)
    }

    fn marks(&self) -> Vec<f64> {
        if !self.is_log {
            let step = self.step();
            let first = (self.low / step).ceil();
            let marks = std::iter::successors(Some(first), |mark| Some(mark + 1.0));
            return marks
                .map(|mark| mark * step)
                .take_while(|mark| *mark <= self.high + step * 1e-9)
                .collect();
        }
        let power = 10_f64.powf(self.low.log10().floor());
        let powers = std::iter::successors(Some(power), |power| Some(power * 10.0));
        let all: Vec<f64> = powers.take_while(|power| *power <= self.high).collect();
        let factors: &[f64] = if count(all.len()) > MARKS { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let marks = all.iter().flat_map(|power| factors.iter().map(move |factor| factor * power));
        // A power of ten that was found by a logarithm may miss its end by the last digit.
        let (low, high) = (self.low * (1.0 - 1e-9), self.high * (1.0 + 1e-9));
        marks.filter(|mark| (low..=high).contains(mark)).collect()
    }
}

fn write_lines(page: &mut Page, found: &Lines) {
    let dots = || found.lines.iter().flat_map(|line| &line.dots);
    let heights = dots().flat_map(|dot| {
        let (low, high) = dot.ends.unwrap_or((dot.up, dot.up));
        [dot.up, low, high]
    });
    let heights = heights.chain(found.limit.iter().map(|limit| limit.0));
    let heights = heights.chain((!found.up.is_log).then_some(0.0));
    let up = Scale::of(heights, found.up.is_log, HEIGHT - BOTTOM, TOP + 12.0).rounded();
    let ends =
        found.band.iter().flat_map(|band| [band.0, band.1]).chain(found.marks.iter().map(|mark| mark.0));
    let across = Scale::of(
        dots().map(|dot| dot.across).chain(ends),
        found.across.is_log,
        LEFT + 8.0,
        WIDTH - RIGHT - 8.0,
    );
    if let Some((low, high, name)) = &found.band {
        let (from, to) = (across.place(*low), across.place(*high));
        page.line(format_args!(
            "<rect class=\"band\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" fill-opacity=\"0.12\"/>",
            (to - from).max(1.0),
            HEIGHT - BOTTOM - TOP
        ));
        let (middle, half) = (0.5 * (from + to), 0.5 * LETTER * count(name.chars().count()));
        text(page, middle.clamp(LEFT + half, WIDTH - half), TOP + 12.0, "middle", "muted", name);
    }
    axes(page, found, &across, &up);
    if let Some((at, name)) = &found.limit {
        let y = up.place(*at);
        page.line(format_args!(
            "<line class=\"limit\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#b3261e\" stroke-dasharray=\"6 4\"/>",
            WIDTH - RIGHT
        ));
        text(page, LEFT + 6.0, y - 5.0, "start", "limit", name);
    }
    write_marks(page, &found.marks, &across);
    for (place, line) in found.lines.iter().enumerate() {
        write_line(page, place, &line.dots, &across, &up);
    }
    if found.lines.len() > 1 {
        names(page, found);
    }
}

/// Marks with their numbers; a number too close to its neighbour is left out.
fn write_marks(page: &mut Page, marks: &[(f64, String)], across: &Scale) {
    let mut free = 0.0;
    for (place, (at, name)) in marks.iter().enumerate() {
        let (x, bottom) = (across.place(*at), HEIGHT - BOTTOM);
        page.line(format_args!(
            "<g class=\"mark\"><title>{}</title><line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#b3261e\" stroke-dasharray=\"2 3\"/></g>",
            Prose(name),
            TOP + 16.0
        ));
        if x >= free {
            text(page, x + 2.0, bottom - 4.0, "start", "muted", &(place + 1).to_string());
            free = x + 2.0 * LETTER;
        }
    }
}

/// Grid, marks and names of both axes.
fn axes(page: &mut Page, found: &Lines, across: &Scale, up: &Scale) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for mark in up.marks() {
        let y = up.place(mark);
        page.line(format_args!(
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/>"
        ));
        text(page, LEFT - 6.0, y + 5.0, "end", "muted", &(found.up.write)(mark));
    }
    page.line(format_args!(
        "<line x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"currentColor\" stroke-opacity=\"0.5\"/>"
    ));
    let mut free = 0.0;
    for mark in places(found, across) {
        let (x, label) = (across.place(mark), (found.across.write)(mark));
        let half = 0.5 * LETTER * count(label.chars().count()) + 2.0;
        if x - half >= free {
            text(page, x, bottom + 18.0, "middle", "muted", &label);
            free = x + half;
        }
    }
    text(page, 0.5 * (LEFT + right), HEIGHT - 8.0, "middle", "muted", &found.across.name);
}

/// Positions of the numbers below the lines: the measured ones if they are few, unless they are fractions of a linear axis, such as times.
fn places(found: &Lines, across: &Scale) -> Vec<f64> {
    const MOST: usize = 12;
    let mut own: Vec<f64> = found.lines.iter().flat_map(|line| &line.dots).map(|dot| dot.across).collect();
    own.sort_by(f64::total_cmp);
    own.dedup();
    if found.across.is_binary {
        let each = own.len().div_ceil(MOST).max(1);
        return own.into_iter().step_by(each).collect();
    }
    let is_round = found.across.is_log || own.iter().all(|at| at.fract() == 0.0);
    if own.len() <= MOST && is_round { own } else { across.marks() }
}

fn write_line(page: &mut Page, place: usize, dots: &[Dot], across: &Scale, up: &Scale) {
    /// With more points only the line is drawn.
    const MOST_MARKED: usize = 60;
    let ink = INKS[place % INKS.len()];
    let at = |dot: &Dot| format!("{:.1},{:.1}", across.place(dot.across), up.place(dot.up));
    let course: Vec<String> = dots.iter().map(at).collect();
    page.line(format_args!(
        "<g class=\"c{place}\" stroke=\"{ink}\" fill=\"{ink}\"><polyline fill=\"none\" stroke-width=\"2\" points=\"{}\"/>",
        course.join(" ")
    ));
    for dot in dots.iter().take(if dots.len() > MOST_MARKED { 0 } else { dots.len() }) {
        let (x, y) = (across.place(dot.across), up.place(dot.up));
        if let Some((low, high)) = dot.ends {
            page.push(format_args!(
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke-width=\"1.5\"/>",
                up.place(low),
                up.place(high)
            ));
        }
        page.push(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"));
    }
    page.line("</g>");
}

/// The names of several lines, right of the title.
fn names(page: &mut Page, found: &Lines) {
    let mut right = WIDTH - RIGHT;
    for (place, line) in found.lines.iter().enumerate().rev() {
        let ink = INKS[place % INKS.len()];
        page.push(format_args!("<g class=\"c{place}\" fill=\"{ink}\">"));
        text(page, right, 18.0, "end", "", &format!("● {}", line.name));
        page.line("</g>");
        right -= LETTER * (count(line.name.chars().count()) + 3.5);
    }
}

fn write_bars(page: &mut Page, found: &Bars) {
    let values = found.bars.iter().flat_map(|bar| {
        let (low, high) = bar.ends.unwrap_or((bar.value, bar.value));
        [bar.value, low, high]
    });
    let values = values.chain([found.from]).chain(found.limit.iter().map(|limit| limit.0));
    let scale = Scale::of(values, found.is_log, 4.0, WIDTH - RIGHT);
    let end = TOP + BAR * count(found.bars.len());
    for (place, bar) in found.bars.iter().enumerate() {
        write_bar(page, bar, TOP + BAR * count(place), &scale, found.from);
    }
    if let Some((at, name)) = &found.limit {
        let x = scale.place(*at);
        page.line(format_args!(
            "<line class=\"limit\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{end}\" stroke=\"#b3261e\" stroke-dasharray=\"6 4\"/>"
        ));
        let half = 0.5 * LETTER * count(name.chars().count());
        text(page, x.clamp(half, WIDTH - half), end + 15.0, "middle", "limit", name);
    }
}

/// Name and value above the bar, the interval on it.
fn write_bar(page: &mut Page, bar: &Bar, top: f64, scale: &Scale, from: f64) {
    let (begin, end) = (scale.place(from), scale.place(bar.value));
    let (class, ink) = if bar.is_bad { ("bad", "#b3261e") } else { ("c0", INKS[0]) };
    text(page, 4.0, top + 16.0, "start", "", &bar.name);
    text(page, WIDTH - RIGHT, top + 16.0, "end", "value", &bar.text);
    let y = top + 22.0;
    page.push(format_args!(
        "<g class=\"{class}\" stroke=\"{ink}\" fill=\"{ink}\"><rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"14\" fill-opacity=\"0.55\" \
         stroke=\"none\"/>",
        begin.min(end),
        (end - begin).abs().max(1.0)
    ));
    if let Some((low, high)) = bar.ends {
        let y = y + 7.0;
        page.push(format_args!(
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke-width=\"3\"/>",
            scale.place(low),
            scale.place(high)
        ));
    }
    page.line("</g>");
}

fn text(page: &mut Page, x: f64, y: f64, anchor: &str, class: &str, words: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    page.line(format_args!(
        "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        Prose(words)
    ));
}

/// A small number of things as a coordinate.
fn count(things: usize) -> f64 {
    u32::try_from(things).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::picture::{Axis, Line};
    use rigel_core::units::say::{rough_size, short};

    fn drawn(panel: Panel) -> String {
        let mut page = Page::default();
        write(&mut page, &Picture(vec![panel]));
        page.into_string()
    }

    #[test]
    fn marks_are_round_and_inside() {
        let scale = |low: f64, high: f64, is_log| Scale::of([low, high].into_iter(), is_log, 0.0, 1.0);
        assert_eq!(scale(0.0, 203.0, false).rounded().marks(), [0.0, 100.0, 200.0, 300.0]);
        assert_eq!(scale(1.0, 256.0, true).marks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]);
        assert_eq!(scale(7.0, 7.0, false).place(7.0), 1.0);
        assert_eq!(scale(f64::NAN, f64::NAN, false).place(0.5), 0.5);
    }

    #[test]
    fn numbers_below_are_whole_times_and_binary_sizes() {
        let drawn_at = |across: Axis, places: Vec<f64>| {
            let dots = places.into_iter().map(|across| Dot { across, up: 1.0, ends: None }).collect();
            let lines = Lines {
                across,
                up: Axis::linear("IOPS", short),
                lines: vec![Line { name: String::new(), dots }],
                limit: None,
                band: None,
                marks: Vec::new(),
            };
            drawn(Panel { title: "t".to_owned(), shape: Shape::Lines(lines) })
        };
        let times = drawn_at(Axis::linear("minutes", short), vec![2.51, 50.2, 119.9]);
        assert!(times.contains(">50</text>") && !times.contains("2.51"), "{times}");
        let axis = Axis { name: "size".into(), is_log: true, is_binary: true, write: rough_size };
        let sizes = drawn_at(axis, (26..46).map(|power| 2_f64.powi(power)).collect());
        assert!(
            sizes.contains(">64\u{a0}MiB<") && sizes.contains("GiB<") && !sizes.contains(">95.4"),
            "{sizes}"
        );
    }

    #[test]
    fn a_drawing_holds_no_markup_of_others_and_every_dot() {
        let dot = |across, up| Dot { across, up, ends: Some((0.9 * up, 1.1 * up)) };
        let lines = Lines {
            across: Axis::linear("</svg><script>", short),
            up: Axis::linear("IOPS", short),
            lines: vec![Line { name: "\"a\"".to_owned(), dots: vec![dot(1.0, 50.0), dot(2.0, 90.0)] }],
            limit: Some((80.0, "bound".to_owned())),
            band: Some((1.2, 1.5, "answer".to_owned())),
            marks: vec![(1.7, "<b>pulled".to_owned())],
        };
        let told = drawn(Panel { title: "x<y".to_owned(), shape: Shape::Lines(lines) });
        assert!(!told.contains("<script") && told.contains("x&lt;y"), "{told}");
        assert_eq!((told.matches("<circle").count(), told.matches("</svg>").count()), (2, 1), "{told}");
        assert!(!told.contains("NaN") && told.contains("bound") && told.contains("answer"), "{told}");
        assert!(told.contains("&lt;b&gt;pulled") || told.contains("&lt;b>pulled"), "{told}");
    }

    #[test]
    fn a_bar_begins_where_all_do() {
        let bar = Bar { name: "p99".into(), value: 50.0, ends: None, text: "50 us".into(), is_bad: true };
        let bars = Bars { bars: vec![bar], from: 0.0, limit: Some((100.0, "bound".into())), is_log: false };
        let told = drawn(Panel { title: "t".to_owned(), shape: Shape::Bars(bars) });
        assert!(
            told.contains("<rect x=\"4.0\" y=\"52.0\" width=\"230.0\"") && told.contains("50\u{a0}µs"),
            "{told}"
        );
    }
}
