//! What a case may ask of the document of a run. Pure: a document in, figures or an error out.
//!
//! Nothing here asks how fast the emulation is: only lower bounds of latency, upper bounds of a rate, and laws that hold
//! at any speed.

use super::outcome::Outcome;
use anyhow::Context as _;
use serde_json::Value;

/// The figures of the small I/O of a run with one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// I/Os per second.
    pub iops: f64,
    /// Mean latency in microseconds.
    pub latency_us: f64,
    /// Reads that were counted.
    pub reads: u64,
    /// Writes that were counted.
    pub writes: u64,
    /// I/Os that failed.
    pub errors: u64,
    /// Outstanding I/Os as planned.
    pub planned: f64,
    /// Mean number in flight, from when they were submitted and reaped.
    pub in_flight: f64,
    /// Code and text of every flag of the point.
    pub flags: Vec<(String, String)>,
}

/// Exit code of a run that measured, and whose check failed (docs/reference/commands.md).
const CHECK_FAILED: i32 = 1;
/// The flags of a run that does not measure storage: the machine's devices are memory, and contain zeros, and its clock stops at times.
const NO_STORAGE: &str = "error: measured, but no number is usable";

/// The figures of a step that has to have measured, with the engine.
///
/// # Errors
/// When it did not, or its document lacks something.
pub fn run(outcome: &Outcome, step: &str, engine: &str) -> anyhow::Result<Figures> {
    figures(&document(outcome, step)?, engine).with_context(|| step.to_owned())
}

/// The document of a step that has to have measured.
///
/// # Errors
/// When it did not.
pub fn document(outcome: &Outcome, step: &str) -> anyhow::Result<Value> {
    let told = outcome.step(step)?;
    let told =
        if told.stderr.contains(NO_STORAGE) { told.ended_with(CHECK_FAILED)? } else { told.ended_with(0)? };
    told.document()
}

fn figures(document: &Value, engine: &str) -> anyhow::Result<Figures> {
    let used = &document["run"]["engine"];
    anyhow::ensure!(used == engine, "the engine was {used}, not {engine}");
    anyhow::ensure!(document["run"]["complete"] == true, "the run is not complete");
    let [point] = document["points"].as_array().map_or(&[][..], Vec::as_slice) else {
        anyhow::bail!("not one point in the document");
    };
    let io = &point["classes"]["small"];
    let number = |value: &Value, what: &str| value.as_f64().with_context(|| format!("no {what}: {io}"));
    let count = |what: &str| io[what].as_u64().with_context(|| format!("no {what}: {io}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let flags = point["flags"].as_array().context("no list of flags")?;
    Ok(Figures {
        iops: number(&io["iops"]["value"], "rate")?,
        latency_us: number(&io["latency_us"]["mean"]["value"], "latency")?,
        reads: count("reads")?,
        writes: count("writes")?,
        errors: count("errors")?,
        planned: number(&io["outstanding"]["planned"], "outstanding I/Os")?,
        in_flight: number(&io["outstanding"]["mean"], "number in flight")?,
        flags: flags.iter().map(|flag| (text(&flag["code"]), text(&flag["text"]))).collect(),
    })
}

impl Figures {
    /// Reads were counted, and nothing failed.
    ///
    /// # Errors
    /// When that is not so; the same for all that follow.
    pub fn only_reads(self) -> anyhow::Result<Self> {
        let Self { reads, writes, errors, .. } = self;
        anyhow::ensure!(
            reads > 0 && writes == 0 && errors == 0 && !self.has_flag("ERRORS", ""),
            "{reads} reads, {writes} writes, {errors} errors where only reads should be: {self:?}"
        );
        Ok(self)
    }

    /// The mean latency is not below that.
    pub fn latency_at_least_us(self, least: f64) -> anyhow::Result<Self> {
        anyhow::ensure!(self.latency_us >= least, "a mean latency of {} us, below {least}", self.latency_us);
        Ok(self)
    }

    /// Rate x latency is the number in flight, within a tenth: what a slow machine does between its readings of the
    /// clock, and at the edges of the window, is in only one of the two. It is never more than planned. How far below
    /// it stays depends on the machine.
    pub fn obeys_little(self) -> anyhow::Result<Self> {
        let Self { iops, latency_us, planned, in_flight, .. } = self;
        let outstanding = iops * latency_us / 1e6;
        anyhow::ensure!(
            (outstanding / in_flight - 1.0).abs() <= 0.1,
            "{iops} IOPS x {latency_us} us is {outstanding:.3} outstanding, not {in_flight}"
        );
        anyhow::ensure!(
            in_flight <= planned * 1.001 && in_flight >= planned * 0.5,
            "{in_flight} in flight of {planned} planned"
        );
        Ok(self)
    }

    /// The rate is between the two.
    pub fn iops_within(self, least: f64, most: f64) -> anyhow::Result<Self> {
        anyhow::ensure!((least..=most).contains(&self.iops), "{} IOPS, not {least} to {most}", self.iops);
        Ok(self)
    }

    /// I/Os failed with that error number, others did not, and both are reported; returns the byte of the first failure.
    pub fn failed_with(&self, errno: i32) -> anyhow::Result<u64> {
        let told = self.flags.iter().find(|(code, _)| code == "ERRORS");
        let (_, text) = told.with_context(|| format!("no flag ERRORS: {self:?}"))?;
        anyhow::ensure!(self.errors > 0 && self.reads > 0, "not both failures and reads: {self:?}");
        anyhow::ensure!(text.contains(&format!("errno {errno}")), "not errno {errno}: {text}");
        let place = text.split("at byte ").nth(1).and_then(|rest| rest.split(' ').next());
        place.and_then(|digits| digits.parse().ok()).with_context(|| format!("no place in: {text}"))
    }

    /// Whether a flag with that code contains these words.
    pub fn has_flag(&self, code: &str, words: &str) -> bool {
        self.flags.iter().any(|(found, text)| found == code && text.contains(words))
    }

    /// Rate and latency for a reader.
    pub fn shown(&self) -> String {
        format!("{:.0} IOPS {:.2} ms", self.iops, self.latency_us / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document(iops: f64, latency_us: f64, errors: u64) -> Value {
        let flags = if errors == 0 {
            json!([])
        } else {
            let text = "small: 4 failed; the first, a read at byte 2383872 of /dev/sda, errno 61";
            json!([{ "code": "BIMODAL", "text": "" }, { "code": "ERRORS", "text": text }])
        };
        json!({
            "run": { "engine": "libaio", "complete": true },
            "points": [{
                "classes": { "small": {
                    "iops": { "value": iops }, "latency_us": { "mean": { "value": latency_us } },
                    "reads": 100, "writes": 0, "errors": errors, "outstanding": { "planned": 8, "mean": 7.9 },
                } },
                "flags": flags,
            }],
        })
    }

    fn of(iops: f64, latency_us: f64, errors: u64) -> Figures {
        figures(&document(iops, latency_us, errors), "libaio").unwrap()
    }

    #[test]
    fn the_right_document_passes_every_check() {
        let seen = of(8000.0, 1001.0, 0).only_reads().and_then(|seen| seen.latency_at_least_us(1000.0));
        let seen = seen.and_then(Figures::obeys_little).and_then(|seen| seen.iops_within(7999.0, 8001.0));
        assert_eq!(seen.unwrap().shown(), "8000 IOPS 1.00 ms");
    }

    #[test]
    fn every_check_can_fail() {
        assert!(of(8000.0, 1001.0, 1).only_reads().is_err());
        assert!(of(8000.0, 999.0, 0).latency_at_least_us(1000.0).is_err());
        assert!(of(8000.0, 880.0, 0).obeys_little().is_err());
        assert!(of(8000.0, 1100.0, 0).obeys_little().is_err());
        let beyond = Figures { planned: 7.0, ..of(8000.0, 1000.0, 0) };
        assert!(beyond.obeys_little().unwrap_err().to_string().contains("7.9 in flight of 7 planned"));
        let idle = Figures { planned: 16.0, ..of(8000.0, 1000.0, 0) };
        assert!(idle.obeys_little().is_err());
        assert!(of(8000.0, 1000.0, 0).iops_within(1.0, 7999.0).is_err());
        assert!(of(8000.0, 1000.0, 0).iops_within(8001.0, 9000.0).is_err());
        assert!(of(8000.0, 1000.0, 0).failed_with(61).is_err());
        assert!(of(8000.0, 1000.0, 4).failed_with(5).is_err());
        assert_eq!(of(8000.0, 1000.0, 4).failed_with(61).unwrap(), 2_383_872);
    }

    #[test]
    fn another_engine_or_an_unfinished_run_is_no_answer() {
        let good = document(1.0, 1.0, 0);
        assert!(figures(&good, "io_uring").unwrap_err().to_string().contains("not io_uring"));
        let mut cut = good.clone();
        cut["run"]["complete"] = json!(false);
        assert!(figures(&cut, "libaio").is_err());
        let mut empty = good.clone();
        empty["points"] = json!([]);
        assert!(figures(&empty, "libaio").is_err());
        let mut hole = good;
        hole["points"][0]["classes"]["small"]["latency_us"]["mean"]["value"] = Value::Null;
        assert!(figures(&hole, "libaio").unwrap_err().to_string().contains("no latency"));
    }
}
