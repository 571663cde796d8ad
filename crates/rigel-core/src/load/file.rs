//! Load files, `rigel.load/1`: custom loads in TOML, read with the line and column of errors, and written.
//!
//! [`read`] knows the text and what belongs together in it; what is impossible is refused by [`Request::check`]. Must not
//! open a file.

mod class;
mod phases;
mod points;
mod presets;
pub mod reader;
mod schema;
mod writer;

pub use presets::Preset;
pub use schema::schema;
pub use writer::Comments;

use crate::error::Problem;
use crate::load::class::{LoadClass, MOST_CLASSES};
use crate::load::matrix::{Point, RunLevel};
use crate::load::pace::{Adaptive, Pace};
use crate::load::phase::{self, Phase};
use crate::load::plan::Plan;
use crate::load::request::Request;
use crate::load::slo::{ScaledPhases, Slo};
use crate::load::task::Task;
use crate::load::team::{MOST_SHARE, check_shares};
use crate::load::workload::Layout;
use crate::units::{Bytes, Nanos};
use class::Read;
use reader::{Source, Table, Value};

/// Name and version of the format; every load file has it.
pub const FORM: &str = "rigel.load/1";
/// A larger file is not a load.
pub const MOST_BYTES: u64 = 8 << 20;
/// The keys of a file.
const KEYS: [&str; 7] = ["load", "class", "points", "layout", "phase", "node_share", "what_if"];
/// Most sentences about how a load differs from production, and most bytes of each. They contain names of files.
const MOST_SENTENCES: usize = 256;
const MOST_SENTENCE: usize = 4096;

/// The contents of a load file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFile {
    /// The load classes.
    pub classes: Vec<LoadClass>,
    /// The points; with phases, the points of the phases.
    pub points: Vec<Point>,
    /// How streams walk the targets.
    pub layout: Layout,
    /// One after another; usually none.
    pub phases: Vec<Phase>,
    /// The share of the load of each node; empty: equal shares.
    pub node_share: Vec<u32>,
    /// Assumptions that differ from production, in sentences; every result says them first.
    pub what_if: Vec<String>,
}

/// Reads a load; `name` is the printable name of its file.
///
/// # Errors
/// A usage problem with line and column, and what is expected there.
pub fn read(name: &str, bytes: &[u8]) -> Result<LoadFile, Problem> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let valid = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Source::new(name, valid)
            .wrong(valid.len(), "the file is not UTF-8 text")
            .next("give the file that describes the load, as text")
    })?;
    let source = Source::new(name, text);
    let parsed = source.parse()?;
    let table = Table::of(source, parsed.get_ref(), 0, "a load file", &KEYS)?;
    let form = format!("load = \"{FORM}\"");
    table.need("load", &form)?.read(|text| (text == FORM).then_some(()), &format!("\"{FORM}\""))?;
    let classes = classes(table)?;
    let layout = table.get("layout").map_or(Ok(Layout::Concat), layout)?;
    let (points, phases) = match (table.get("points"), table.get("phase")) {
        (Some(_), Some(phase)) => {
            return Err(phase
                .wrong("phases cannot be combined with points")
                .because("phases scale the arrival rates of the classes")
                .next("give each class its arrival and leave out 'points', or leave out the phases"));
        }
        (Some(points), None) => (points::read(points, &classes)?, Vec::new()),
        (None, phases) => {
            let together = points::together(&classes)?;
            let phases = phases.map_or(Ok(Vec::new()), |phases| phases::read(phases, &classes, together))?;
            let points = if phases.is_empty() { vec![together] } else { phase::distinct(&phases) };
            (points, phases)
        }
    };
    let node_share = table.get("node_share").map_or(Ok(Vec::new()), node_share)?;
    let what_if = table.get("what_if").map_or(Ok(Vec::new()), what_if)?;
    let classes = classes.into_iter().map(|read| read.class).collect();
    Ok(LoadFile { classes, points, layout, phases, node_share, what_if })
}

fn classes(table: Table<'_>) -> Result<Vec<Read<'_>>, Problem> {
    let expected = "[[class]] before the keys of each class";
    let all = table.need("class", expected)?.list(expected)?;
    let mut classes: Vec<Read<'_>> = Vec::new();
    for value in all {
        let read = class::read(value)?;
        if classes.iter().any(|other| other.class.name == read.class.name) {
            let what = format!("two classes are named '{}'", read.class.name);
            return Err(value.wrong(what).next("give each class a name of its own"));
        }
        classes.push(read);
        if classes.len() > MOST_CLASSES {
            return Err(value
                .wrong(format!("{} classes is too many", classes.len()))
                .next(format!("write at most {MOST_CLASSES}")));
        }
    }
    if classes.is_empty() {
        return Err(table.wrong("the load has no class").next(format!("write {expected}")));
    }
    Ok(classes)
}

fn layout(value: Value<'_>) -> Result<Layout, Problem> {
    let expected = r#""concat" or { raid0 = "1M" }"#;
    if value.as_text().is_some() {
        return value
            .word(&[("concat", Layout::Concat)])
            .map_err(|problem| problem.next(format!("write {expected}")));
    }
    let raid0 = Table::within(value, "a layout", &["raid0"], expected)?.need("raid0", expected)?;
    let stripe = |text: &str| text.parse::<Bytes>().ok().filter(|bytes| bytes.0 > 0);
    let stripe = raid0.read(stripe, "the stripe depth, such as \"1M\"")?;
    Ok(Layout::Raid0 { stripe_bytes: stripe.0 })
}

fn node_share(value: Value<'_>) -> Result<Vec<u32>, Problem> {
    let expected = "a share per node, such as [2, 1, 1]";
    let shares: Vec<u32> =
        value.list(expected)?.map(|share| share.number(0..=MOST_SHARE)).collect::<Result<_, _>>()?;
    if shares.is_empty() {
        return Err(value.wrong("no node has a share").next(format!("write {expected}, or leave it out")));
    }
    check_shares(&shares).map_err(|problem| Problem { place: value.wrong("").place, ..problem })?;
    Ok(shares)
}

fn what_if(value: Value<'_>) -> Result<Vec<String>, Problem> {
    let expected = "what the load assumes, in sentences, such as [\"one node fails\"]";
    let text = |value: Value<'_>| {
        let text = value.as_text().filter(|text| text.len() <= MOST_SENTENCE);
        text.map(str::to_owned).ok_or_else(|| value.expected(expected))
    };
    let all: Vec<String> = value.list(expected)?.map(text).collect::<Result<_, _>>()?;
    if all.len() > MOST_SENTENCES {
        return Err(value
            .wrong(format!("{} sentences is too many", all.len()))
            .next(format!("write at most {MOST_SENTENCES}")));
    }
    Ok(all)
}

/// A sentence that [`read`] accepts.
fn shortened(mut sentence: String) -> String {
    const MORE: &str = " ..";
    if sentence.len() > MOST_SENTENCE {
        let most = MOST_SENTENCE - MORE.len();
        let end = (0..=most).rev().find(|&at| sentence.is_char_boundary(at)).unwrap_or(0);
        sentence.truncate(end);
        sentence.push_str(MORE);
    }
    sentence
}

/// A point with its rates changed by this many thousandths; what does not arrive at a rate stays.
fn grown(classes: &[LoadClass], point: Point, more: Option<i32>) -> Point {
    let Some(more) = more else { return point };
    let thousandths = u64::try_from(1000 + i64::from(more)).unwrap_or(0);
    let rate = |rate: u32| {
        let grown = (u64::from(rate) * thousandths + 500) / 1000;
        u32::try_from(grown).unwrap_or(u32::MAX).max(u32::from(rate > 0))
    };
    let open = classes.iter().filter(|class| class.is_open());
    open.fold(point, |all, class| match point.of(class.name) {
        0 => all,
        own => all.with(class.name, rate(own)),
    })
}

impl LoadFile {
    /// The load of a run, for a file. Levels that are searched for are unknown beforehand.
    ///
    /// # Errors
    /// When the load levels are searched for.
    pub fn of(request: &Request, plan: &Plan) -> Result<Self, Problem> {
        if plan.searches() {
            return Err(Problem::usage("searched load levels cannot be written to a file")
                .at("--as-load")
                .because("they are only known after the measurement")
                .next("leave out --as-load, or --levels auto"));
        }
        let points = plan.grid.points.clone();
        let plain = |class: &LoadClass| LoadClass { levels: Vec::new(), ..class.clone() };
        Ok(Self {
            classes: request.classes.iter().map(plain).collect(),
            points,
            layout: request.layout,
            phases: request.phases().to_vec(),
            node_share: request.node_share.clone(),
            what_if: Vec::new(),
        })
    }

    /// Adds assumptions about the load, in sentences. Those that [`read`] would refuse are shortened; excess ones are counted.
    pub fn assume(&mut self, sentences: Vec<String>) {
        let count = sentences.len();
        let kept = if count > MOST_SENTENCES { MOST_SENTENCES - 1 } else { count };
        self.what_if = sentences.into_iter().take(kept).map(shortened).collect();
        if count > kept {
            self.what_if.push(format!("What if: {} more assumptions", count - kept));
        }
    }

    /// The text of a file with this load; `comment` is its first line.
    pub fn text(&self, comment: &str) -> String {
        self.commented(&Comments { head: vec![comment.to_owned()], phases: Vec::new() })
    }

    /// The same with comments for people.
    pub fn commented(&self, comments: &Comments) -> String {
        writer::text(self, comments)
    }

    /// The same load in less time: each phase this many times shorter, at the same rates.
    ///
    /// # Errors
    /// When it has no phases, or one would be too short to measure.
    pub fn compressed(mut self, times: f64) -> Result<Self, Problem> {
        let refused = |what: String| Problem::usage(what).at("--compress");
        let Some(shortest) = self.phases.iter().map(|phase| phase.time).min() else {
            return Err(refused("a load without phases cannot be compressed".into())
                .because("--compress shortens phases without changing rates")
                .next("leave it out; `rigel capacity replay` makes loads with phases"));
        };
        for phase in &mut self.phases {
            phase.time = phase::shortened(phase.time, times);
        }
        let least = phase::shortened(shortest, times);
        if least < phase::SHORTEST {
            let most = shortest.seconds() / phase::SHORTEST.seconds();
            return Err(refused(format!("a phase of {shortest} would last only {least}"))
                .because(format!("a phase shorter than {} ends before the load settles", phase::SHORTEST))
                .next(format!("give {} or less", crate::units::say::trimmed(most.floor()))));
        }
        Ok(self)
    }

    /// A run with this as its load.
    ///
    /// # Errors
    /// What no run can do, and times that contradict the phases.
    pub fn request(self, asked: Request) -> Result<Request, Problem> {
        if let Task::Rate { slo: slo @ Slo { scaled: Some(_), .. }, pace, .. } = &asked.task {
            let search = (slo.clone(), *pace);
            return self.scaled(asked, search);
        }
        let task = self.task(&asked)?;
        let Self { classes, layout, node_share, .. } = self;
        let request = Request { task, classes, layout, node_share, ..asked };
        request.check()?;
        Ok(request)
    }

    /// A search for the largest scale of all phases together; the request has those that decide.
    fn scaled(self, asked: Request, (slo, pace): (Slo, Adaptive)) -> Result<Request, Problem> {
        let all = match (self.phases.as_slice(), self.points.as_slice()) {
            ([], &[point]) => vec![Phase { time: phase::SHORTEST, point, shape: None }],
            ([], _) => {
                return Err(Problem::usage("a load with several points has no single scale")
                    .at("--load")
                    .because("all rates of a load are scaled together")
                    .next("leave out the points, and give each class its arrival; phases may be several"));
            }
            (phases, _) => phases.to_vec(),
        };
        let more = slo.scaled.as_ref().and_then(|one| one.more);
        let grown = |phase: Phase| Phase { point: grown(&self.classes, phase.point, more), ..phase };
        let all: Vec<Phase> = all.into_iter().map(grown).collect();
        let found = ScaledPhases::of(&self.classes, &all);
        let deciding =
            found.phases.iter().filter_map(|&number| all.get(usize::try_from(number).ok()?).copied());
        let phases: Vec<Phase> = deciding.collect();
        let points = phase::distinct(&phases);
        let has = |class: &LoadClass| points.iter().any(|point| point.of(class.name) > 0);
        let classes = self.classes.into_iter().filter(has).collect();
        let required = slo.scaled.and_then(|one| one.required);
        let scaled = ScaledPhases { required, more, what_if: self.what_if, ..found };
        let slo = Slo { scaled: Some(scaled), ..slo };
        let max_duration = match pace.max_duration {
            None => Some(slo.unasked_duration()?),
            given => given,
        };
        let pace = Adaptive { max_duration, ..pace };
        let task = Task::Rate { level: RunLevel::Load, slo, base: None, phases, pace };
        let mut request =
            Request { task, classes, layout: self.layout, node_share: self.node_share, ..asked };
        request.require_scale();
        request.check()?;
        Ok(request)
    }

    /// The requested task with this load.
    fn task(&self, asked: &Request) -> Result<Task, Problem> {
        let (level, points, phases) = (RunLevel::Load, self.points.clone(), self.phases.clone());
        match &asked.task {
            // A load without phases is one that lasts.
            Task::Soak { soak, rest_dirs, .. } => {
                let phases = if phases.is_empty() { soak.as_phases(&points) } else { phases };
                Ok(Task::Soak { soak: *soak, phases, rest_dirs: rest_dirs.clone() })
            }
            Task::Burst { .. } => Err(Problem::usage("a burst has its own load").at("--load").next(
                "run `rigel run burst` without it; --size-small, --write and --per-target shape its load",
            )),
            Task::WorkingSet(_) => Err(Problem::usage("working sets have their own load").at("--load").next(
                "run `rigel run working-set` without it; --size-small, --per-target and --sizes shape its load",
            )),
            Task::Rate { slo, pace, .. } => {
                let base = Some(self.rates_of_all()?);
                Ok(Task::Rate { level, slo: slo.clone(), base, phases: Vec::new(), pace: *pace })
            }
            Task::Matrix { .. } | Task::Load { .. } | Task::Calibrate { .. } | Task::Phases(_) => {
                match asked.pace() {
                    Some(pace) if phases.is_empty() => Ok(Task::named(level, points, pace)),
                    pace => {
                        pace.map_or(Ok(()), |pace| self.check_pace(pace))?;
                        Ok(Task::Phases(phases))
                    }
                }
            }
        }
    }

    /// The one point whose rates are scaled together.
    fn rates_of_all(&self) -> Result<Point, Problem> {
        if !self.phases.is_empty() {
            return Err(Problem::usage("rigel slo cannot use a load with phases")
                .at("--load")
                .because("it searches for one rate, but each phase has its own")
                .next("`rigel capacity fit --load` scales all phases together; `rigel run --load` measures them"));
        }
        match self.points.as_slice() {
            &[point] => Ok(point),
            _ => Err(Problem::usage("a load with phases or several points has no single rate")
                .at("--load")
                .because("all rates of the load are scaled together")
                .next("leave out the phases and points, and give each class its arrival")),
        }
    }

    /// Refuses a pace that contradicts the phases.
    fn check_pace(&self, asked: Pace) -> Result<(), Problem> {
        let contradicts = |option: &str| {
            Problem::usage(format!("{option} cannot be combined with a load that has phases"))
                .at(option)
                .because("each phase has its own length and is measured once")
                .next(format!("leave out {option}, or the phases"))
        };
        let whole = Nanos(self.phases.iter().map(|phase| phase.time.0).fold(0, u64::saturating_add));
        match asked {
            Pace::Fixed(_) => Err(contradicts("--duration")),
            Pace::Adaptive(Adaptive { fast: true, .. }) => Err(contradicts("--fast")),
            Pace::Adaptive(Adaptive { precision, .. }) if precision != Adaptive::default().precision => {
                Err(contradicts("--precision"))
            }
            Pace::Adaptive(Adaptive { max_duration: Some(limit), .. }) if limit < whole => {
                Err(Problem::usage(format!(
                    "the phases take {whole} in total, more than the {limit} allowed for the run"
                ))
                .at("--for")
                .next("allow more time, or shorten the phases"))
            }
            Pace::Adaptive(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
