//! The results of a self-test, as a table for the terminal or for a page of documentation.
//!
//! Must not judge; the scores do.

use crate::page::Page;
use rigel_core::units::to_f64;
use rigel_core::uses::selftest::{Asked, Grade, Promise, Score, Silence};

/// The lines above a section, and the figures of a case; `None` for a case of another section.
type Section = (&'static [&'static str], fn(&Score) -> Option<String>);

const SECTIONS: [Section; 4] = [
    (
        &[
            "Whole runs of 17 points on simulated devices whose rates are known.",
            "Do the 95 % intervals hold the truth?",
        ],
        coverage,
    ),
    (&["Searches for the load level that saturates the device."], levels),
    (&["rigel calibrate: do the intervals of its figures hold the truth?"], answers),
    (&["Devices about which a flag has to warn."], warnings),
];

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
        rows.iter().for_each(|(score, figures)| line(&mut page, score, figures));
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

fn line(page: &mut Page, score: &Score, what: &str) {
    match score.verdict() {
        Grade::Kept => page.line(format_args!("  ok    {:<36} {what}", label(score))),
        Grade::Broken(reason) => {
            page.line(format_args!("  FAIL  {:<36} {what}", label(score)));
            page.line(format_args!("        {reason}"));
        }
    }
}

/// The name of the case, with what it aims at where that is not the default.
fn label(score: &Score) -> String {
    let pace = score.case.pace;
    let mut label = score.case.name.to_owned();
    if pace.precision != rigel_core::load::pace::Precision::default() {
        label += &format!(", {}", pace.precision);
    }
    if pace.fast && score.case.bound.is_none() {
        label += ", 1 s";
    }
    label
}

fn coverage(score: &Score) -> Option<String> {
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

fn warnings(score: &Score) -> Option<String> {
    match score.case.promise {
        Promise::HeldOrRaises(flag, _) => Some(format!(
            "{} held or {}, {:.1} min",
            per_cent(score.held_or_raised(flag).0),
            flag.name(),
            score.mean(|trial| trial.minutes)
        )),
        Promise::Raises(flag, _) => Some(format!("{} in {}", flag.name(), per_cent(score.raised(flag).0))),
        Promise::Coverage { .. } | Promise::Levels { .. } | Promise::Answers { .. } => None,
    }
}

fn per_cent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// The same as tables in Markdown, with the device of each case, so that anybody can try it.
pub fn selftest_markdown(scores: &[Score], seed: u64) -> String {
    let mut page = Page::default();
    page.line(format_args!("Seed {seed}. A device is what stands behind `--engine sim:`."));
    page.blank();
    page.line("| device | aim | trials | truth held | reached | kept | bias | width | minutes | visits | false alarms | |");
    page.line("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for score in scores.iter().filter(|score| matches!(score.case.promise, Promise::Coverage { .. })) {
        let kept = score.kept().map_or_else(|| "-".to_owned(), per_cent);
        page.line(format_args!(
            "| {}<br>`{}` | {}{} | {} | {} | {} | {kept} | {:+.2} % | ±{:.1} % | {:.1} | {:.0} | {} | {} |",
            score.case.name,
            score.case.law,
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
    answers_markdown(&mut page, scores);
    page.blank();
    page.line("| device | promise | trials | share | minutes | |");
    page.line("| --- | --- | --- | --- | --- | --- |");
    for score in scores {
        let (promise, share) = match score.case.promise {
            Promise::Coverage { .. } | Promise::Answers { .. } => continue,
            Promise::Levels { .. } => {
                ("bracket holds the level of saturation".to_owned(), score.bracketed().0)
            }
            Promise::HeldOrRaises(flag, _) => {
                (format!("truth held, or {}", flag.name()), score.held_or_raised(flag).0)
            }
            Promise::Raises(flag, _) => (flag.name().to_owned(), score.raised(flag).0),
        };
        page.line(format_args!(
            "| {}<br>`{}` | {promise} | {} | {} | {:.1} | {} |",
            score.case.name,
            score.case.law,
            score.trials.len(),
            per_cent(share),
            score.mean(|trial| trial.minutes),
            verdict(score)
        ));
    }
    page.into_string()
}

/// What came of the figures of `rigel calibrate`.
fn answers_markdown(page: &mut Page, scores: &[Score]) {
    let names: Vec<&str> = Asked::ALL.into_iter().map(Asked::name).collect();
    page.blank();
    page.line(format_args!(
        "| device | bound | budget | trials | {} | within | bracket | minutes | |",
        names.join(" | ")
    ));
    page.line(format_args!(
        "| --- | --- | --- | --- | {}--- | --- | --- | --- |",
        "--- | ".repeat(names.len())
    ));
    for score in scores.iter().filter(|score| matches!(score.case.promise, Promise::Answers { .. })) {
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
