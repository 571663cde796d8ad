//! The results of a self-test, as a table for the terminal or for a page of documentation.
//!
//! Must not judge; the scores do.

use crate::page::Page;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Precision;
use rigel_core::units::to_f64;
use rigel_core::uses::selftest::{Asked, Grade, Promise, Score, Silence};

/// The lines above a section, and the figures of a case; `None` for a case of another section.
type Section = (&'static [&'static str], fn(&Score) -> Option<String>);

const SECTIONS: [Section; 12] = [
    (
        &[
            "Whole runs of 17 points on simulated devices whose rates are known.",
            "Do the 95 % intervals hold the truth?",
        ],
        coverage,
    ),
    (&["Searches for the load level that saturates the device."], levels),
    (&["`rigel calibrate`: do the intervals of its figures hold the truth?"], answers),
    (
        &["`rigel versus`: do the intervals of the ratio hold the truth, while both sides", "are disturbed?"],
        turns,
    ),
    (&["`rigel slo`: does the bracket hold the highest rate within the bound?"], rates),
    (&["`rigel run simple`: are the highest rates of many levels those of the device?"], |score| {
        known(score, RunLevel::Simple)
    }),
    (&["`rigel run open`: are mean latency and p99 those of the formula?"], |score| {
        known(score, RunLevel::Open)
    }),
    (&["`rigel run commit`: does a commit take the service and the flush?"], |score| {
        known(score, RunLevel::Commit)
    }),
    (&["`rigel run zones`: is every place as fast as it is?"], |score| known(score, RunLevel::Zones)),
    (&["`rigel run --load FILE`: have all classes the rates of the law?"], |score| {
        known(score, RunLevel::Load)
    }),
    (&["`rigel run streams`: are so many readers as fast as they are?"], |score| {
        known(score, RunLevel::Streams)
    }),
    (&["Devices about which a flag has to warn."], warnings),
];

/// Columns for the names of the cases; a section with a longer name has as many more.
const USUAL_LABEL: usize = 36;

/// A line per case, 80 columns wide, then what was tried and what is promised.
pub fn selftest(scores: &[Score], seed: u64) -> String {
    let mut page = Page::default();
    for (lines, figures) in SECTIONS {
        let rows: Vec<(&Score, String)> =
            scores.iter().filter_map(|score| Some((score, figures(score)?))).collect();
        if !rows.is_empty() {
            page.blank();
            lines.iter().for_each(|line| page.line(line));
        }
        let longest = rows.iter().map(|(score, _)| label(score).chars().count()).max().unwrap_or(0);
        rows.iter().for_each(|(score, figures)| line(&mut page, score, figures, longest.max(USUAL_LABEL)));
    }
    page.blank();
    let trials: usize = scores.iter().map(|score| score.trials.len()).sum();
    let broken = scores.iter().filter(|score| score.verdict() != Grade::Kept).count();
    page.line(format_args!(
        "{trials} trials with seed {seed}: {} of {} promises kept",
        scores.len() - broken,
        scores.len()
    ));
    page.into_string()
}

fn line(page: &mut Page, score: &Score, what: &str, width: usize) {
    match score.verdict() {
        Grade::Kept => page.line(format_args!("  ok    {:<width$} {what}", label(score))),
        Grade::Broken(reason) => {
            page.line(format_args!("  FAIL  {:<width$} {what}", label(score)));
            page.line(format_args!("        {reason}"));
        }
    }
}

/// The name of the case, with what it aims at where that is not the default.
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

/// Two sides: how often the interval of their ratio held the truth, or no difference was found where there is none.
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

/// All figures together, and the one that comes off worst.
fn answers(score: &Score) -> Option<String> {
    let Promise::Answers { .. } = score.case.promise else { return None };
    let shares = Asked::ALL.into_iter().filter_map(|asked| score.held(asked)).map(|(share, _)| share);
    let worst = shares.fold(1.0, f64::min);
    Some(format!("{} held, worst {}", per_cent(score.all_held().0), per_cent(worst)))
}

fn rates(score: &Score) -> Option<String> {
    let Promise::Rate { .. } = score.case.promise else { return None };
    let (held, width) = (per_cent(score.bracketed().0), 100.0 * score.bracket_width());
    Some(format!("{held} held, {width:.1} % wide"))
}

/// All figures together, and the one that is off most.
fn known(score: &Score, level: RunLevel) -> Option<String> {
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

/// The same as tables in Markdown, with the device of each case, so that anybody can try it.
pub fn selftest_markdown(scores: &[Score], seed: u64) -> String {
    let mut page = Page::default();
    page.line(format_args!("Seed {seed}. A device is what stands behind `--engine sim:`."));
    coverage_markdown(&mut page, scores);
    answers_markdown(&mut page, scores);
    others_markdown(&mut page, scores);
    page.into_string()
}

/// The scores of a table, with its head above them where there are any.
fn with_head<'a>(
    page: &mut Page,
    scores: &'a [Score],
    is_of: fn(&Promise) -> bool,
    head: &[&str],
) -> Vec<&'a Score> {
    let found: Vec<&Score> = scores.iter().filter(|score| is_of(&score.case.promise)).collect();
    if !found.is_empty() {
        page.blank();
        head.iter().for_each(|line| page.line(line));
    }
    found
}

/// Whole runs, whose intervals hold the truth.
fn coverage_markdown(page: &mut Page, scores: &[Score]) {
    let head = [
        "| device | aim | trials | truth held | reached | kept | bias | width | minutes | visits | false alarms | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ];
    for score in with_head(page, scores, |promise| matches!(promise, Promise::Coverage { .. }), &head) {
        let kept = score.kept().map_or_else(|| "-".to_owned(), per_cent);
        page.line(format_args!(
            "| {}<br>`{}` | {}{} | {} | {} | {} | {kept} | {:+.2} % | ±{:.1} % | {:.1} | {:.0} | {} | {} |",
            score.case.name,
            device(score),
            score.case.pace.precision,
            if score.case.pace.fast { ", fast" } else { "" },
            score.trials.len(),
            per_cent(score.coverage().0),
            per_cent(score.reached()),
            100.0 * score.mean(|trial| trial.bias),
            100.0 * score.mean(|trial| trial.half_width),
            score.mean(|trial| trial.minutes),
            score.mean(|trial| to_f64(trial.visits as u64)),
            alarms(score),
            verdict(score)
        ));
    }
}

/// What else is promised, a share of the trials each.
fn others_markdown(page: &mut Page, scores: &[Score]) {
    let head = ["| device | promise | trials | share | minutes | |", "| --- | --- | --- | --- | --- | --- |"];
    let is_of = |promise: &Promise| !matches!(promise, Promise::Coverage { .. } | Promise::Answers { .. });
    for score in with_head(page, scores, is_of, &head) {
        let (promise, share) = match score.case.promise {
            Promise::Coverage { .. } | Promise::Answers { .. } => continue,
            Promise::Levels { .. } => {
                ("bracket holds the level of saturation".to_owned(), score.bracketed().0)
            }
            Promise::Rate { .. } => {
                let width = 100.0 * score.bracket_width();
                (
                    format!("bracket holds the highest rate within the bound, {width:.1} % wide"),
                    score.bracketed().0,
                )
            }
            Promise::Figures(_) => {
                let told = |(what, held, off): (&str, f64, f64)| {
                    format!("<br>{what}: {} held, {:+.2} % off", per_cent(held), 100.0 * off)
                };
                let each: String = score.known().into_iter().map(told).collect();
                (format!("figures of the formula held{each}"), score.all_known_held())
            }
            Promise::HeldOrRaises(flag, _) => {
                (format!("truth held, or {}", flag.name()), score.held_or_raised(flag).0)
            }
            Promise::Raises(flag, _) => (flag.name().to_owned(), score.raised(flag).0),
            Promise::Sooner(_) => {
                ("share of the time of two runs as sure".to_owned(), score.time_share().unwrap_or(f64::NAN))
            }
            Promise::NoDifference(_) => ("no difference is found".to_owned(), score.alike().0),
        };
        page.line(format_args!(
            "| {}<br>`{}` | {promise} | {} | {} | {:.1} | {} |",
            score.case.name,
            device(score),
            score.trials.len(),
            per_cent(share),
            score.mean(|trial| trial.minutes),
            verdict(score)
        ));
    }
}

/// The device, or both of two.
fn device(score: &Score) -> String {
    let and = score.case.and.as_ref().map_or_else(String::new, |b| format!("`, B `{b}"));
    format!("{}{and}", score.case.law)
}

/// What came of the figures of `rigel calibrate`.
fn answers_markdown(page: &mut Page, scores: &[Score]) {
    let names: Vec<&str> = Asked::ALL.into_iter().map(Asked::name).collect();
    let head = [
        &format!(
            "| device | bound | budget | trials | {} | within | bracket | minutes | |",
            names.join(" | ")
        )[..],
        &format!("| --- | --- | --- | --- | {}--- | --- | --- | --- |", "--- | ".repeat(names.len())),
    ];
    for score in with_head(page, scores, |promise| matches!(promise, Promise::Answers { .. }), &head) {
        let (bound, budget) = (score.case.bound.as_ref(), score.case.pace.max_duration);
        let figures: Vec<String> = Asked::ALL.into_iter().map(|asked| figure(score, asked)).collect();
        page.line(format_args!(
            "| {}<br>`{}` | {} | {} | {} | {} | {} | {} | {:.1} | {} |",
            score.case.name,
            score.case.law,
            bound.map_or_else(String::new, |bound| format!("{} {}", bound.of.name(), bound.limit)),
            budget.map_or_else(String::new, |budget| budget.to_string()),
            score.trials.len(),
            figures.join(" | "),
            per_cent(score.within_bound().0),
            per_cent(score.bracketed().0),
            score.mean(|trial| trial.minutes),
            verdict(score)
        ));
    }
}

/// How often its interval held the truth, how far it was off on average, and how wide its interval was.
fn figure(score: &Score, asked: Asked) -> String {
    score.held(asked).map_or_else(
        || "-".to_owned(),
        |(share, _)| {
            let (bias, width) = (100.0 * score.bias(asked), 100.0 * score.half_width(asked));
            format!("{}<br>{bias:+.2} %<br>±{width:.1} %", per_cent(share))
        },
    )
}

/// In how many trials the flags were raised that the case gives no cause for.
fn alarms(score: &Score) -> String {
    let raised = |silence: &Silence| format!("{} of {}", score.alarms(silence), silence.about);
    let alarms: Vec<String> = score.case.silent.iter().map(raised).collect();
    if alarms.is_empty() { "-".to_owned() } else { alarms.join(", ") }
}

fn verdict(score: &Score) -> String {
    match score.verdict() {
        Grade::Kept => "kept".to_owned(),
        Grade::Broken(reason) => format!("**{reason}**"),
    }
}
