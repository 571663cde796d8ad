//! What clouds measured about disks, as their command lines return it: CloudWatch (`get-metric-data`, `get-metric-statistics`) and Azure Monitor
//! (`az monitor metrics list`).
//!
//! CloudWatch does not say which statistic and period an answer has; sums over the time between two samples become rates. Must not guess the
//! volume: the label or the name of the file has it.

mod answer;
mod names;
mod torn;

use super::differences::Run;
use super::seen::{shown, wrong};
use super::{Format, Room, SampleSink};
use crate::layers::{ALL_LUNS, ALL_VOLUMES};
use crate::{Key, Kind, MS_PER_S, Metric, Source, Span, Subject};
use answer::{Answer, MetricData, Sample};
use names::{Meant, Of};
use rigel_core::error::Problem;

/// Bytes of an answer. CloudWatch returns 100,800 samples in one answer, Azure far fewer.
const MOST_BYTES: usize = 256 << 20;

/// A reader of it.
pub struct Cloud {
    format: Format,
    text: Vec<u8>,
}

impl Cloud {
    /// A reader for a file.
    pub const fn new(format: Format) -> Self {
        Self { format, text: Vec::new() }
    }
}

impl Room for Cloud {
    fn bytes(&mut self, bytes: &[u8], _out: &mut SampleSink<'_>) -> Result<(), Problem> {
        self.text.extend_from_slice(bytes);
        if self.text.len() > MOST_BYTES {
            return Err(wrong(1, "the answer is larger than 256 MiB")
                .next("request a shorter time range or fewer metrics at once"));
        }
        Ok(())
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        // Answers of several calls may follow one another.
        let mut answers = serde_json::Deserializer::from_slice(&self.text).into_iter::<Answer>();
        while let Some(answer) = answers.next() {
            let answer = match answer {
                Err(error) if error.is_eof() => return self.part(answers.byte_offset(), &error, out),
                answer => answer.map_err(|error| self.unreadable(&error))?,
            };
            self.take(&answer, out)?;
        }
        Ok(())
    }
}

impl Cloud {
    fn take(&self, answer: &Answer, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        match self.format {
            Format::Azure => answer.value.iter().try_for_each(|metric| azure(metric, out)),
            _ => cloud_watch(answer, out),
        }
    }

    /// The complete part of a truncated answer.
    fn part(&self, from: usize, error: &serde_json::Error, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let whole = torn::closed(&self.text[from..]).and_then(|text| serde_json::from_slice(&text).ok());
        if let Some(answer) = whole {
            self.take(&answer, out)?;
        }
        out.takes_what_is_whole(
            Err(self.unreadable(error)),
            "the file ends in the middle: only complete metrics and samples are used",
        )
    }

    fn unreadable(&self, error: &serde_json::Error) -> Problem {
        let line = u64::try_from(error.line()).unwrap_or(1);
        let problem = wrong(
            line,
            format!("this is not an answer from {}: {}", self.format.name(), shown(&error.to_string())),
        );
        if error.is_eof() {
            problem.because("it was cut off").next("ask again; nothing of this file was imported")
        } else {
            problem
                .because("it is damaged, or was written with an --output other than json")
                .next("ask again with --output json")
        }
    }
}

/// Both forms of an answer.
fn cloud_watch(answer: &Answer, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    if !answer.datapoints.is_empty() {
        return of_cloud_watch(&answer.label, &answer.datapoints, None, out);
    }
    let all: Vec<Vec<Sample>> = answer.results.iter().map(samples).collect();
    let shortest_ms = all.iter().filter_map(|samples| grid_ms(&times(samples))).min();
    answer.results.iter().zip(&all).try_for_each(|(result, samples)| {
        if result.status == "PartialData" {
            out.seen.notes.insert("CloudWatch has more results: request the next page (--next-token)");
        }
        of_cloud_watch(&result.label, samples, shortest_ms, out)
    })
}

/// The samples of a result of `get-metric-data`.
fn samples(result: &MetricData) -> Vec<Sample> {
    let samples = result.timestamps.iter().zip(&result.values);
    samples.map(|(at, value)| Sample::of_value(at, *value)).collect()
}

/// When samples were taken, in order, even without a value: they use the same clock.
fn times(samples: &[Sample]) -> Vec<i64> {
    let mut times: Vec<i64> = samples.iter().filter_map(Sample::at_ms).collect();
    times.sort_unstable();
    times.dedup();
    times
}

/// The time between samples: the shortest one if nearly all have it, as after an answer that begins off the grid;
/// otherwise the one that all distances are a multiple of.
fn grid_ms(times: &[i64]) -> Option<i64> {
    const NEARLY_ALL: (usize, usize) = (4, 5);
    let divisor = |mut one: i64, mut other: i64| {
        while other != 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    let distances: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let shortest = distances.iter().copied().min()?;
    let count = distances.iter().filter(|distance| **distance == shortest).count();
    let is_usual = count * NEARLY_ALL.1 >= distances.len() * NEARLY_ALL.0;
    if is_usual { Some(shortest) } else { distances.into_iter().reduce(divisor) }
}

/// The period of a series whose label does not say it. An idle volume has occasional samples, on the grid of other series.
fn period_ms(times: &[i64], shortest_ms: Option<i64>) -> Option<i64> {
    const FEWEST_REGULAR: usize = 3;
    let Some(grid_ms) = grid_ms(times) else { return shortest_ms };
    let is_regular =
        times.len() >= FEWEST_REGULAR && times.windows(2).all(|pair| pair[1] - pair[0] == grid_ms);
    let of_others = shortest_ms.filter(|shortest| !is_regular && grid_ms % shortest == 0);
    Some(of_others.unwrap_or(grid_ms))
}

fn of_cloud_watch(
    label: &str,
    samples: &[Sample],
    shortest_ms: Option<i64>,
    out: &mut SampleSink<'_>,
) -> Result<(), Problem> {
    let words: Vec<&str> = label.split_whitespace().collect();
    let Some((name, meant)) = words.iter().find_map(|word| Some((*word, names::of_cloud_watch(word)?)))
    else {
        samples.iter().for_each(|_| out.seen.leaves_out(label));
        return Ok(());
    };
    if let Some(first) = samples.first().filter(|_| samples.iter().all(|sample| sample.at_ms().is_none())) {
        return Err(wrong(1, format!("'{}' is not a time with an offset from UTC", shown(&first.told())))
            .because("the answer was changed, or was not written by aws")
            .next("ask again with --output json"));
    }
    let is_of_instance = matches!(meant, Meant::SumOfVolumes(_) | Meant::SumOfStore(_));
    let host = Some(())
        .filter(|()| is_of_instance)
        .and_then(|()| names::instance(&words, out.options.file.as_deref()));
    let host = host.unwrap_or_default();
    out.check_host(&host, 1)?;
    if !host.is_empty() {
        out.seen.tells_of(&host, &host);
    }
    let statistic = words.iter().find(|word| names::STATISTICS.contains(word));
    let wanted = if matches!(meant, Meant::Mean(_)) { "Average" } else { "Sum" };
    let is_other = statistic.is_some_and(|statistic| *statistic != wanted)
        || samples.iter().any(|sample| sample.is_other_than(wanted));
    if is_other {
        return Err(wrong(1, format!("{} has a statistic other than {wanted}", shown(name)))
            .because("rates come from the sum over a period, means from the average")
            .next(format!("ask again with the statistic {wanted}")));
    }
    let subject = match meant {
        Meant::SumOfVolumes(_) => out.disk("ebs", ALL_VOLUMES),
        Meant::SumOfStore(_) => out.disk("instance-store", ""),
        _ => subject(name, meant, &words, out)?,
    };
    let key = out.key(&host, subject, Source::CloudWatch);
    let of_label =
        words.iter().find_map(|word| word.parse::<i64>().ok()).and_then(|s| s.checked_mul(MS_PER_S));
    let of_label = of_label.filter(|period| *period > 0);
    let period_ms = of_label.or_else(|| period_ms(&times(samples), shortest_ms));
    write(&Series { key, meant, statistic: wanted, period_ms }, samples, out);
    Ok(())
}

/// The volume or the database of a label.
fn subject(name: &str, meant: Meant, words: &[&str], out: &SampleSink<'_>) -> Result<Subject, Problem> {
    let is_database = matches!(meant, Meant::Mean(_));
    // No name of a file is that of a database.
    let file = out.options.file.as_deref().filter(|_| !is_database);
    let Some(subject) = names::volume(words, name, file) else {
        let (what, ask, label, of_file) = match is_database {
            true => ("database", "ask with get-metric-data, and ", "DBInstanceIdentifier", ""),
            false => ("volume", "", "VolumeId", ", or put vol-.. into the file name"),
        };
        return Err(wrong(1, format!("{} does not say which {what} it is about", shown(name)))
            .because("CloudWatch names it in the label only if the query does")
            .next(format!(
                "{ask}set the label to ${{PROP('Dim.{label}')}} ${{PROP('MetricName')}}{of_file}"
            )));
    };
    Ok(match is_database {
        true => Subject::named(Kind::Database, &subject),
        false => out.disk(&subject, ""),
    })
}

/// A metric of a virtual machine or of a managed disk.
fn azure(metric: &answer::AzureMetric, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    // Of one that was cut off before its series, nothing is known, not even its host.
    if metric.series.is_empty() {
        return Ok(());
    }
    let name = metric.name.value.as_str();
    let samples = || metric.series.iter().flat_map(|series| &series.data);
    let Some((of, meant)) = names::of_azure(name) else {
        samples().for_each(|_| out.seen.leaves_out(name));
        return Ok(());
    };
    let host = names::resource(&metric.id, "virtualMachines").unwrap_or_default();
    out.check_host(&host, 1)?;
    if !host.is_empty() {
        out.seen.tells_of(&host, &host);
    }
    let wanted = if matches!(meant, Meant::Sum(_)) { "total" } else { "average" };
    if samples().any(|sample| sample.is_other_than(wanted)) {
        return Err(wrong(1, format!("{} has another aggregation than {wanted}", shown(name)))
            .because("az was started with --aggregation, and a highest or lowest value is not a mean")
            .next(format!("ask again with --aggregation {wanted}")));
    }
    for series in &metric.series {
        if of == Of::Data && series.is_nameless() {
            out.seen
                .notes
                .insert("the last series ends in the middle, before it names its disk, and is left out");
            continue;
        }
        let name = match (of, series.lun()) {
            (Of::Data, Some(lun)) => format!("lun{lun}"),
            (Of::Data, None) => "data".to_owned(),
            (Of::System, _) => "os".to_owned(),
            (Of::ManagedDisk, _) => names::resource(&metric.id, "disks").unwrap_or_default(),
            // The sum does not count beside what it is of.
            (Of::All, _) => "ALL".to_owned(),
        };
        let is_all_luns = of == Of::Data && series.lun().is_none();
        if is_all_luns {
            out.seen.notes.insert(
                "the data disks cannot be distinguished, and Azure may have returned their mean: ask again \
                 with --dimension LUN",
            );
        }
        let subject = out.disk(&name, if is_all_luns { ALL_LUNS } else { "" });
        let key = out.key(&host, subject, Source::Azure);
        write(&Series { key, meant, statistic: wanted, period_ms: None }, &series.data, out);
    }
    Ok(())
}

/// What samples are about.
struct Series {
    key: Key,
    meant: Meant,
    /// The cloud's name for the statistic.
    statistic: &'static str,
    /// From the label, if it says so.
    period_ms: Option<i64>,
}

/// Each sample is on the time up to the next one that could be.
fn write(series: &Series, samples: &[Sample], out: &mut SampleSink<'_>) {
    let mut known: Vec<(i64, f64)> =
        samples.iter().filter_map(|sample| sample.of(series.statistic)).collect();
    known.sort_by_key(|(at_ms, _)| *at_ms);
    let without_time = samples.iter().filter(|sample| sample.at_ms().is_none()).count();
    out.seen.unusable += u64::try_from(without_time).unwrap_or_default();
    let Some(period_ms) = series.period_ms.or_else(|| period_ms(&times(samples), None)) else {
        if !known.is_empty() {
            out.seen.notes.insert("a series has one sample, and no period in its label: it is left out");
        }
        return;
    };
    let mut run = Run::default();
    for (at_ms, value) in known {
        let Some(span) = Span::between(at_ms, at_ms.saturating_add(period_ms)) else { continue };
        let seconds = f64::from(span.length_ms) / 1_000.0;
        let (metric, value) = match series.meant {
            Meant::Sum(metric) | Meant::SumOfVolumes(metric) | Meant::SumOfStore(metric) => {
                (metric, value / seconds)
            }
            Meant::Idle => (Metric::Busy, (1.0 - value / seconds).max(0.0)),
            Meant::Mean(metric) | Meant::Rate(metric) => (metric, value),
        };
        run.take(&series.key, metric, span, value, out);
    }
    run.end(out);
}

#[cfg(test)]
mod tests;
