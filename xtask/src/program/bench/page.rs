//! Results as lines, as a page and as JSON. Must not measure.

use super::BenchCase;
use super::ratio::{self, Ratio};
use super::sample::Sample;
use super::tools::Tool;
use rigel_core::units::{MIB, to_f64};
use serde_json::{Value, json};
use std::fmt::Write as _;

const HEAD: &str = "\
# Performance

How fast Rigel is and what it costs, compared with other tools that alternate with it on the same device, within minutes.
`cargo xtask bench --write` writes this page. It needs fio, and accepts `--t-io-uring PATH`, the path of `t/io_uring` built from
fio's sources. `--only zram` runs a part, `--dir` uses another storage. Machines differ and drift, so look at the ratios. Each is
Rigel's figure divided by that of the other tool, a geometric mean over the rounds with its 95 % interval. For IOPS more than 1 is
better, for CPU time less.

Rigel counts every I/O in a full latency histogram and in a time bucket of 10 ms. fio runs one job with its defaults plus `--direct=1
--thread --norandommap`. t/io_uring measures no latency. CPU is user and system time of the whole process per I/O. *Beside* is the
time of the process before and after the load. [Another page](engines.md) compares the engines.

";

/// A case as a line for the terminal.
pub fn row(measured: &BenchCase) -> String {
    let mut text = String::new();
    let ours = samples(measured, 0);
    for (tool, theirs) in measured.tools.iter().skip(1) {
        let rate = pairs(ours, theirs, |sample| sample.iops);
        let cpu = pairs(ours, theirs, Sample::cpu_us);
        let _ = writeln!(text, "  rigel / {}: IOPS {}, CPU per I/O {}", tool.name(), shown(rate), shown(cpu));
    }
    if text.is_empty() {
        let _ = writeln!(text, "  rigel: {:.0} IOPS", middle(ours, |sample| sample.iops));
    }
    text
}

/// The page of the documentation.
pub fn page(measured: &[BenchCase], rounds: u32, seconds: u64) -> String {
    HEAD.to_owned() + &tables(measured, rounds, seconds)
}

/// The measurements, without the description of the tools.
pub fn tables(measured: &[BenchCase], rounds: u32, seconds: u64) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{rounds} rounds of {seconds} s.\n\n## Ratios\n");
    let _ = writeln!(text, "| case | beside | IOPS | CPU per I/O |\n| --- | --- | --- | --- |");
    for found in measured {
        for (tool, theirs) in found.tools.iter().skip(1) {
            let ours = samples(found, 0);
            let rate = shown(pairs(ours, theirs, |sample| sample.iops));
            let cpu = shown(pairs(ours, theirs, Sample::cpu_us));
            let _ = writeln!(text, "| {} | {} | {rate} | {cpu} |", found.case.name, tool.name());
        }
    }
    let _ = writeln!(text, "\n## Figures\n\nMedians over the rounds.\n");
    let _ = writeln!(
        text,
        "| case | tool | IOPS | MBPS | user us | system us | p50 us | p99 us | MiB | beside s |"
    );
    let _ = writeln!(text, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for found in measured {
        for (tool, samples) in &found.tools {
            let _ = writeln!(text, "| {} | {} | {} |", found.case.name, tool.name(), figures(found, samples));
        }
    }
    text + &growth(measured) + &arrivals(measured)
}

/// How late the tool itself was, and what it measured as a result.
fn arrivals(measured: &[BenchCase]) -> String {
    let mut rows = String::new();
    for found in measured.iter().filter(|found| found.case.rate.is_some()) {
        for (tool, samples) in &found.tools {
            let rate = middle(samples, |sample| sample.iops);
            let (lag, p99) =
                (known(samples, |sample| sample.lag_p99_us), known(samples, |sample| sample.p99_us));
            let _ = writeln!(rows, "| {} | {} | {rate:.0} | {lag} | {p99} |", found.case.name, tool.name());
        }
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "\n## Arrivals at a rate\n\nPoisson arrivals, at most 64 outstanding. The lag is how late the tool itself began an I/O; fio does not \
         tell its own.\n\n| case | tool | arrivals/s | lag p99 us | latency p99 us |\n| --- | --- | ---: | ---: | ---: |\n{rows}"
    )
}

/// How the cost of an I/O grows with the outstanding I/Os when nothing else is measured.
fn growth(measured: &[BenchCase]) -> String {
    let null = measured
        .iter()
        .filter(|found| found.case.name.starts_with("null, 8 KiB") && !found.case.name.contains("arrivals"));
    let costs: Vec<(f64, f64)> = null
        .map(|found| (f64::from(found.case.outstanding), middle(samples(found, 0), Sample::cpu_us) * 1000.0))
        .collect();
    let (Some(first), Some(last)) = (costs.first(), costs.last()) else {
        return String::new();
    };
    if costs.len() < 3 {
        return String::new();
    }
    format!(
        "\nThe null engine shows only Rigel's own work: {:.1} ns of CPU per I/O with {:.0} outstanding, {:.1} ns with {:.0}; a line through all \
         counts grows by {:+.1} ns for each tenfold count.\n",
        first.1,
        first.0,
        last.1,
        last.0,
        slope(&costs)
    )
}

/// Least squares of cost over the decimal logarithm of the count.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = f64::from(u32::try_from(points.len()).unwrap_or(1));
    let mean_x = points.iter().map(|(n, _)| n.log10()).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, cost)| cost).sum::<f64>() / count;
    let of_x = |n: f64| n.log10() - mean_x;
    let both = points.iter().map(|&(n, cost)| of_x(n) * (cost - mean_y)).sum::<f64>();
    both / points.iter().map(|&(n, _)| of_x(n).powi(2)).sum::<f64>()
}

fn figures(found: &BenchCase, samples: &[Sample]) -> String {
    [
        format!("{:.0}", middle(samples, |sample| sample.iops)),
        format!("{:.0}", middle(samples, |sample| sample.mbps(found.case.io_bytes))),
        format!("{:.3}", middle(samples, |sample| sample.user_us)),
        format!("{:.3}", middle(samples, |sample| sample.system_us)),
        known(samples, |sample| sample.p50_us),
        known(samples, |sample| sample.p99_us),
        format!("{:.0}", middle(samples, |sample| to_f64(sample.peak_bytes) / to_f64(MIB))),
        format!("{:.2}", middle(samples, |sample| sample.beside_s)),
    ]
    .join(" | ")
}

/// The median of what a tool may not say.
fn known(samples: &[Sample], figure: fn(&Sample) -> Option<f64>) -> String {
    let known: Vec<f64> = samples.iter().filter_map(figure).collect();
    if known.is_empty() { "-".to_owned() } else { digits(ratio::median(known)) }
}

/// Every sample, and the ratios.
pub fn json(measured: &[BenchCase]) -> Value {
    let cases = measured.iter().map(|found| {
        let tools = found.tools.iter().map(|(tool, samples)| {
            let ours = self::samples(found, 0);
            let ratio_of = |figure: fn(&Sample) -> f64| {
                let found = if *tool == found.tools[0].0 { None } else { pairs(ours, samples, figure) };
                found.map(|ratio| json!({"mean": ratio.mean, "lo95": ratio.lo95, "hi95": ratio.hi95}))
            };
            let all: Vec<Value> = samples.iter().map(sample).collect();
            json!({
                "tool": tool.name(), "samples": all,
                "rigel_iops_over_this": ratio_of(|sample| sample.iops), "rigel_cpu_over_this": ratio_of(Sample::cpu_us),
            })
        });
        json!({
            "case": found.case.name, "engine": found.case.engine, "io_bytes": found.case.io_bytes,
            "outstanding": found.case.outstanding, "rate": found.case.rate, "tools": tools.collect::<Vec<_>>(),
        })
    });
    json!({"schema": "rigel.bench/1", "cases": cases.collect::<Vec<_>>()})
}

fn sample(sample: &Sample) -> Value {
    json!({
        "iops": sample.iops, "user_us": sample.user_us, "system_us": sample.system_us, "p50_us": sample.p50_us,
        "p99_us": sample.p99_us, "lag_p99_us": sample.lag_p99_us, "peak_bytes": sample.peak_bytes, "beside_s": sample.beside_s,
    })
}

fn samples(measured: &BenchCase, tool: usize) -> &[Sample] {
    measured.tools.get(tool).map_or(&[], |(_, samples): &(Tool, Vec<Sample>)| samples)
}

fn pairs(ours: &[Sample], theirs: &[Sample], figure: impl Fn(&Sample) -> f64) -> Option<Ratio> {
    ratio::of(ours.iter().zip(theirs).map(|(ours, theirs)| (figure(ours), figure(theirs))))
}

fn middle(samples: &[Sample], figure: impl Fn(&Sample) -> f64) -> f64 {
    ratio::median(samples.iter().map(figure).collect())
}

fn shown(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(
        || "-".into(),
        |ratio| format!("{:.2} ({:.2} to {:.2})", ratio.mean, ratio.lo95, ratio.hi95),
    )
}

/// Three digits at least.
fn digits(figure: f64) -> String {
    if figure < 10.0 { format!("{figure:.2}") } else { format!("{figure:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_costs() {
        assert!((slope(&[(1.0, 50.0), (10.0, 52.0), (100.0, 54.0)]) - 2.0).abs() < 1e-9);
        assert!(slope(&[(1.0, 30.0), (100.0, 30.0), (10_000.0, 30.0)]).abs() < 1e-9);
    }
}
