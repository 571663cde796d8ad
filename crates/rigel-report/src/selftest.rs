//! The results of a self-test: a line for each case for the terminal, every figure for a page of documentation.
//!
//! Must not judge; the scores do.

use crate::document::{Block, Blocks, Column, Document, Paragraph, Room, Rows, Table};
use crate::judgement::Tone;
use rigel_core::judge::answers::Answer;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Precision;
use rigel_core::units::to_f64;
use rigel_uses::selftest::{Grade, Promise, Score, Silence, asked};

/// The title of a section, and the figures of a case; `None` for a case of another section.
type Section = (&'static str, fn(&Score) -> Option<String>);

const SECTIONS: [Section; 12] = [
    ("Runs on devices of known rates: do 95 % intervals contain the true value?", coverage),
    ("Search for the load level that saturates the device", levels),
    ("`rigel calibrate`: do the intervals of its figures contain the true values?", answers),
    ("`rigel versus`: does the interval contain the true ratio despite disturbance?", turns),
    ("`rigel slo`: does the bracket contain the highest rate within the limit?", rates),
    ("`rigel run simple`: do the highest rates match those of the device?", |score| {
        all_figures(score, RunLevel::Simple)
    }),
    ("`rigel run open`: are mean latency and p99 those of the formula?", |score| {
        all_figures(score, RunLevel::Open)
    }),
    ("`rigel run commit`: does a commit take the service and the flush?", |score| {
        all_figures(score, RunLevel::Commit)
    }),
    ("`rigel run zones`: do the measured rates of places match the device?", |score| {
        all_figures(score, RunLevel::Zones)
    }),
    ("`rigel run --load FILE`: do all classes have the rates of the model?", |score| {
        all_figures(score, RunLevel::Load)
    }),
    ("`rigel run streams`: do the measured rates of several readers match the device?", |score| {
        all_figures(score, RunLevel::Streams)
    }),
    ("Devices that a flag has to warn about", warnings),
];

/// The result of a self-test, with the seed that reproduces it.
pub struct SelfTest<'a> {
    /// A score for each case.
    pub scores: &'a [Score],
    /// The seed.
    pub seed: u64,
}

/// Narrow: the answer, then a line for each case. Wide: every figure of each case, with its device, so anyone can try it.
impl Document for SelfTest<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let scores = self.scores;
        let trials: usize = scores.iter().map(|score| score.trials.len()).sum();
        let kept = scores.iter().filter(|score| score.verdict() == Grade::Kept).count();
        let (tone, word) =
            if kept == scores.len() { (Tone::Good, "Passed") } else { (Tone::DoNotUse, "Failed") };
        let head = format!(
            "{word}: {kept} of {} promises kept in {trials} trials with seed {}.",
            scores.len(),
            self.seed
        );
        let mut all = vec![Block::Verdict { tone, sentences: vec![head] }];
        if room.is_wide() {
            all.push(Block::paragraph("A device is written as after --engine sim:."));
            all.extend(
                [coverage_table(scores), answers_table(scores), others_table(scores)].into_iter().flatten(),
            );
        } else {
            all.extend(SECTIONS.iter().map(|(title, figures)| section(scores, title, *figures)));
        }
        all.into()
    }
}

fn section(scores: &[Score], title: &str, figures: fn(&Score) -> Option<String>) -> Block {
    let rows: Vec<(&Score, String)> =
        scores.iter().filter_map(|score| Some((score, figures(score)?))).collect();
    let table = Table::of("case", &rows)
        .column(Column::left("Result"), |(score, _)| word(score))
        .column(Column::left("Case"), |(score, _)| label(score))
        .column(Column::left("Figures").gap(2), |(_, figures)| figures.clone())
        .below(|(score, _)| match score.verdict() {
            Grade::Kept => Vec::new(),
            Grade::Broken(reason) => vec![Paragraph::labelled("        ", 8, reason).into()],
        })
        .done();
    Block::section(title, if rows.is_empty() { Vec::new() } else { vec![table] })
}

fn word(score: &Score) -> &'static str {
    if score.verdict() == Grade::Kept { "ok" } else { "FAIL" }
}

/// The name of the case, with its aim if that is not the default.
fn label(score: &Score) -> String {
    let pace = score.case.pace;
    let mut label = score.case.name.to_owned();
    // What is usual is not named; a ratio is asked for more narrowly than a rate.
    let usual = if score.case.and.is_some() { Precision(20) } else { Precision::default() };
    if pace.precision != usual && score.case.slo.is_none() {
        label += &format!(", {}", pace.precision);
    }
    if pace.fast && score.case.bound.is_none() {
        label += ", 1 s";
    }
    label
}

fn coverage(score: &Score) -> Option<String> {
    held(score).filter(|_| score.case.and.is_none())
}

/// Two sides: how often the interval of their ratio contained the true value, or no difference was found if there is none.
fn turns(score: &Score) -> Option<String> {
    if let Promise::NoDifference(_) = score.case.promise {
        return Some(format!("no difference in {}", per_cent(score.alike().0)));
    }
    if let (Promise::Sooner(_), Some(share)) = (score.case.promise, score.time_share()) {
        return Some(format!("{:.0} % of the time of two runs", 100.0 * share));
    }
    held(score).filter(|_| score.case.and.is_some())
}

fn held(score: &Score) -> Option<String> {
    let Promise::Coverage { .. } = score.case.promise else { return None };
    Some(format!(
        "{} held, ±{:.1} %, {:.1} min",
        per_cent(score.coverage().0),
        100.0 * score.mean(|trial| trial.half_width),
        score.mean(|trial| trial.minutes)
    ))
}

fn levels(score: &Score) -> Option<String> {
    let Promise::Levels { .. } = score.case.promise else { return None };
    Some(format!(
        "{} in the bracket, {:+.2} % off",
        per_cent(score.bracketed().0),
        100.0 * score.mean(|trial| trial.maximum_error.unwrap_or(0.0))
    ))
}

/// All figures together, and the worst one.
fn answers(score: &Score) -> Option<String> {
    let Promise::Answers { .. } = score.case.promise else { return None };
    let shares = asked().filter_map(|asked| score.held(asked)).map(|(share, _)| share);
    let worst = shares.fold(1.0, f64::min);
    Some(format!("{} held, worst {}", per_cent(score.all_held().0), per_cent(worst)))
}

fn rates(score: &Score) -> Option<String> {
    let Promise::Rate { .. } = score.case.promise else { return None };
    let (held, width) = (per_cent(score.bracketed().0), 100.0 * score.bracket_width());
    Some(format!("{held} held, {width:.1} % wide"))
}

/// All figures together, and the one that is off most.
fn all_figures(score: &Score, level: RunLevel) -> Option<String> {
    let Promise::Figures(_) = score.case.promise else { return None };
    let off = score.known().into_iter().map(|(_, _, off)| 100.0 * off);
    let off = off.max_by(|one, other| one.abs().total_cmp(&other.abs())).unwrap_or(f64::NAN);
    let told = || format!("{} held, {off:+.2} % off", per_cent(score.all_known_held()));
    (score.case.level == level).then(told)
}

fn warnings(score: &Score) -> Option<String> {
    match score.case.promise {
        Promise::HeldOrRaises(flag, _) => Some(format!(
            "{} held or {}, {:.1} min",
            per_cent(score.held_or_raised(flag).0),
            flag.name(),
            score.mean(|trial| trial.minutes)
        )),
        Promise::Raises(flag, _) => Some(format!("{} in {}", flag.name(), per_cent(score.raised(flag).0))),
        Promise::Coverage { .. }
        | Promise::Levels { .. }
        | Promise::Answers { .. }
        | Promise::NoDifference(_)
        | Promise::Sooner(_)
        | Promise::Figures(_)
        | Promise::Rate { .. } => None,
    }
}

fn per_cent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The scores with a promise of that kind.
fn of_kind(scores: &[Score], is_of: fn(&Promise) -> bool) -> Vec<&Score> {
    scores.iter().filter(|score| is_of(&score.case.promise)).collect()
}

/// Begins a table with the case and its device.
fn with_device<'a>(scores: &'a [&'a Score]) -> Rows<'a, &'a Score> {
    Table::of("case", scores)
        .column(Column::left("Case"), |score| score.case.name)
        .column(Column::left("Device"), |score| device(score))
}

/// Ends it with the number of trials, their time and the result.
fn with_verdict(table: Rows<'_, &Score>) -> Block {
    table
        .column(Column::right("Trials"), |score| score.trials.len())
        .column(Column::right("Minutes"), |score| format!("{:.1}", score.mean(|trial| trial.minutes)))
        .column(Column::left("Result"), |score| match score.verdict() {
            Grade::Kept => "kept".to_owned(),
            Grade::Broken(reason) => reason,
        })
        .done()
}

/// Whole runs, whose intervals contain the true value.
fn coverage_table(scores: &[Score]) -> Option<Block> {
    let rows = of_kind(scores, |promise| matches!(promise, Promise::Coverage { .. }));
    let aim = |score: &&Score| {
        format!("{}{}", score.case.pace.precision, if score.case.pace.fast { ", fast" } else { "" })
    };
    let percent = |share: f64| format!("{:+.2} %", 100.0 * share);
    let table = with_device(&rows)
        .column(Column::left("Aim"), aim)
        .column(Column::right("Truth held"), |score| per_cent(score.coverage().0))
        .column(Column::right("Reached"), |score| per_cent(score.reached()))
        .column(Column::right("Kept"), |score| score.kept().map(per_cent))
        .column(Column::right("Bias"), |score| percent(score.mean(|trial| trial.bias)))
        .column(Column::right("Width"), |score| {
            format!("±{:.1} %", 100.0 * score.mean(|trial| trial.half_width))
        })
        .column(Column::right("Visits"), |score| {
            format!("{:.0}", score.mean(|trial| to_f64(trial.visits as u64)))
        })
        .column(Column::left("False alarms"), |score| alarms(score));
    (!rows.is_empty()).then(|| with_verdict(table))
}

/// The other promises, each with the share of the trials.
fn others_table(scores: &[Score]) -> Option<Block> {
    let is_of = |promise: &Promise| !matches!(promise, Promise::Coverage { .. } | Promise::Answers { .. });
    let rows = of_kind(scores, is_of);
    let table = with_device(&rows)
        .column(Column::left("Promise"), |score| promise(score).0)
        .column(Column::right("Share"), |score| per_cent(promise(score).1));
    (!rows.is_empty()).then(|| with_verdict(table))
}

/// The promise, and the share of the trials.
fn promise(score: &Score) -> (String, f64) {
    match score.case.promise {
        Promise::Coverage { .. } | Promise::Answers { .. } => (String::new(), f64::NAN),
        Promise::Levels { .. } => {
            ("bracket contains the level of saturation".to_owned(), score.bracketed().0)
        }
        Promise::Rate { .. } => {
            let width = 100.0 * score.bracket_width();
            let text = format!("bracket contains the highest rate within the limit, {width:.1} % wide");
            (text, score.bracketed().0)
        }
        Promise::Figures(_) => {
            let one = |(what, held, off): (&str, f64, f64)| {
                format!("; {what}: {} held, {:+.2} % off", per_cent(held), 100.0 * off)
            };
            let each: String = score.known().into_iter().map(one).collect();
            (format!("figures of the formula held{each}"), score.all_known_held())
        }
        Promise::HeldOrRaises(flag, _) => {
            (format!("truth held, or {}", flag.name()), score.held_or_raised(flag).0)
        }
        Promise::Raises(flag, _) => (flag.name().to_owned(), score.raised(flag).0),
        Promise::Sooner(_) => (
            "share of the time of two equally precise runs".to_owned(),
            score.time_share().unwrap_or(f64::NAN),
        ),
        Promise::NoDifference(_) => ("no difference is found".to_owned(), score.alike().0),
    }
}

/// The device, or both devices.
fn device(score: &Score) -> String {
    let and = score.case.and.as_ref().map_or_else(String::new, |b| format!(", B {b}"));
    format!("{}{and}", score.case.law)
}

/// The results for the figures of `rigel calibrate`.
fn answers_table(scores: &[Score]) -> Option<Block> {
    let rows = of_kind(scores, |promise| matches!(promise, Promise::Answers { .. }));
    let bound = |score: &&Score| {
        let bound = score.case.bound.as_ref();
        bound.map(|bound| format!("{} {}", bound.of.name(), bound.limit))
    };
    let table = with_device(&rows)
        .column(Column::left("Limit"), bound)
        .column(Column::left("Budget"), |score| score.case.pace.max_duration.map(|budget| budget.to_string()))
        .columns(asked(), |answer| Column::left(answer.label), |score, answer| figure(score, answer))
        .column(Column::right("Within"), |score| per_cent(score.within_bound().0))
        .column(Column::right("Bracket"), |score| per_cent(score.bracketed().0));
    (!rows.is_empty()).then(|| with_verdict(table))
}

/// How often its interval contained the true value, how far it was off on average, and how wide its interval was.
fn figure(score: &Score, asked: &Answer) -> Option<String> {
    let (share, _) = score.held(asked)?;
    let (bias, width) = (100.0 * score.bias(asked), 100.0 * score.half_width(asked));
    Some(format!("{}, {bias:+.2} %, ±{width:.1} %", per_cent(share)))
}

/// In how many trials flags were raised without a cause in the case.
fn alarms(score: &Score) -> String {
    let raised = |silence: &Silence| format!("{} of {}", score.alarms(silence), silence.about);
    let alarms: Vec<String> = score.case.silent.iter().map(raised).collect();
    if alarms.is_empty() { "-".to_owned() } else { alarms.join(", ") }
}
