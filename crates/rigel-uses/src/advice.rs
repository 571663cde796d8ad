//! Advice: settings of databases and of the kernel, derived from what runs measured.
//!
//! Pure: records with their findings in, settings out, each with the figures behind it, their intervals, how it was derived and
//! where its meaning is written down. What the records do not hold is refused, with what to measure. Must not guess, and
//! must not lay out a file; `rigel-report` does.

pub mod again;
mod cgroup;
mod commits;
mod figure;
mod measured;
pub mod mysql;
mod oracle;
mod page_cost;
mod postgresql;
mod same;
mod seastar;
mod usable;

pub use figure::MeasuredFigure;
pub use page_cost::{HitRate, at as page_cost_at};

use crate::compare::Run;
use measured::Source;
use rigel_core::error::Problem;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::path_text::printable;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// The reader of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// PostgreSQL 13 to 18.
    Postgresql,
    /// `InnoDB` of `MySQL` and `MariaDB`.
    Mysql,
    /// Oracle Database.
    Oracle,
    /// Linux: the cost model of a disk, `io.cost.model` of the root cgroup.
    Cgroup,
    /// Linux: limits of a cgroup on a disk, `io.max`.
    CgroupMax,
    /// Programs on Seastar, such as ScyllaDB: `io_properties.yaml`.
    Seastar,
}

rigel_core::named!(Product {
    Postgresql: "postgresql",
    Mysql: "mysql",
    Oracle: "oracle",
    Cgroup: "cgroup",
    CgroupMax: "cgroup-max",
    Seastar: "seastar"
});

impl Product {
    fn advice(self, source: &Source<'_>, conditions: Conditions) -> Vec<Advice> {
        match self {
            Self::Postgresql => postgresql::advice(source, conditions),
            Self::Mysql => mysql::advice(source),
            Self::Oracle => oracle::advice(source),
            Self::Cgroup => cgroup::cost_model(source),
            Self::CgroupMax => cgroup::limits(source),
            Self::Seastar => seastar::advice(source),
        }
    }
}

/// Conditions that records do not contain and the reader has to give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Share of random reads that caches answer; `None`: not given.
    pub hit_rate: Option<HitRate>,
}

/// A value as the product reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The advised one.
    pub text: String,
    /// The value at both ends of the underlying intervals; `None` if there is no interval, or none applies.
    pub ends: Option<(String, String)>,
}

/// The value under another condition than the one that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternativeValue {
    /// The condition, as a phrase.
    pub when: String,
    /// The value then.
    pub value: Value,
}

/// A setting that the records support.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingAdvice {
    /// The value.
    pub value: Value,
    /// Values under other conditions, and the sentence that says which one was chosen; empty if none was.
    pub otherwise: Vec<AlternativeValue>,
    /// What to know before using the value, as a sentence.
    pub remark: Option<String>,
    /// The underlying figures.
    pub measured: Vec<MeasuredFigure>,
    /// How the value follows from them, as a sentence.
    pub why: String,
    /// Whether the product accepts it, or benefits from it, depends on what no record contains: it is a comment in the file.
    pub is_hint: bool,
    /// No experiment has confirmed its rule on every version of the product: it is a comment in the file.
    pub is_unproven: bool,
    /// Why it is only rough, and what measures it better; `None` for a value that is good enough.
    pub rough: Option<Box<Refusal>>,
}

impl SettingAdvice {
    fn new(value: Value, measured: Vec<MeasuredFigure>, why: impl Into<String>) -> Self {
        Self {
            value,
            otherwise: Vec::new(),
            remark: None,
            measured,
            why: why.into(),
            is_hint: false,
            is_unproven: false,
            rough: None,
        }
    }
}

/// What keeps a setting back, or makes its value rough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "")]
pub enum Kind {
    /// The records lack the necessary figures.
    Missing,
    /// The records contain the figures, but not precisely enough for any value.
    InDoubt,
    /// There is a value, but only a rough one.
    Rough,
}

/// Why a setting is not advised, or is only rough; printable sentences.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(description = "")]
pub struct Refusal {
    /// missing: the records lack the necessary figures; in_doubt: they contain them, but not precisely enough for any value; rough: the value is
    /// only rough.
    pub kind: Kind,
    /// What is missing, or the most serious doubt about the figures, in a few words.
    pub because: String,
    /// The figures with all doubts about them; null if nothing was measured.
    pub details: Option<String>,
    /// What to do.
    pub next: String,
    /// The command line for this; null if there is none.
    pub command: Option<String>,
    /// The value that would follow from the figures, which must not be used.
    #[serde(skip)]
    pub withheld: Option<Box<SettingAdvice>>,
}

impl Refusal {
    /// The records lack something.
    fn missing(because: impl Into<String>, next: impl Into<String>, command: Option<String>) -> Self {
        let because = printable(&because.into()).into_owned();
        Self { kind: Kind::Missing, because, details: None, next: next.into(), command, withheld: None }
    }

    /// What to do and the command line, in one sentence.
    pub fn step(&self) -> String {
        match &self.command {
            Some(command) if again::goes_elsewhere(command) => {
                format!("{}; {}: {command}", self.next, again::THERE)
            }
            Some(command) => format!("{}: {command}", self.next),
            None => self.next.clone(),
        }
    }

    /// Where its command line has to be typed, if that matters.
    pub fn place(&self) -> Option<&'static str> {
        self.command.as_deref().filter(|command| again::goes_elsewhere(command)).map(|_| again::THERE)
    }
}

/// One setting of one product.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// The product.
    pub product: Product,
    /// Its name.
    pub setting: &'static str,
    /// The first major version that has it; `None` for all that are supported.
    pub since: Option<u32>,
    /// The last major version that benefits from it, as far as experiments show; `None` for all supported versions.
    pub until: Option<u32>,
    /// The advice, or why there is none.
    pub outcome: Result<SettingAdvice, Refusal>,
    /// Where its meaning is documented.
    pub source: &'static str,
}

/// The advice from all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct AdviceReport {
    /// The settings, grouped by product.
    pub advice: Vec<Advice>,
    /// Remarks on the runs and on the figures behind the values; only the first of several flags with the same code.
    pub flags: Vec<Flag>,
    /// Whether the numbers are of a device that exists only in memory.
    pub is_simulated: bool,
}

impl AdviceReport {
    /// The advice from runs of one target: for one product, or for all.
    ///
    /// # Errors
    /// When the runs are not of one target, or mix reads and writes.
    pub fn of(runs: &[Run<'_>], conditions: Conditions, wanted: Option<Product>) -> Result<Self, Problem> {
        same::check(runs)?;
        let source = Source::new(runs)?;
        let products = Product::ALL.into_iter().filter(|product| wanted.is_none_or(|only| only == *product));
        let advice = products.flat_map(|product| product.advice(&source, conditions));
        let advice: Vec<Advice> = advice.map(usable::judged).collect();
        let mut all = runs.iter().flat_map(|run| run.findings.all_flags());
        let is_simulated = all.any(|flag| flag.code == FlagCode::Simulated);
        Ok(Self { flags: flags(runs, &advice), advice, is_simulated })
    }

    /// Whether something was measured for a setting, and none of it is good enough.
    pub fn is_all_in_doubt(&self) -> bool {
        let rests = |advice: &Advice| advice.outcome.as_ref().is_ok_and(|given| !given.measured.is_empty());
        let in_doubt = |advice: &Advice| advice.refused(Kind::InDoubt).is_some();
        self.advice.iter().any(in_doubt) && !self.advice.iter().any(rests)
    }

    /// The advice for a product.
    pub fn of_product(&self, product: Product) -> impl Iterator<Item = &Advice> {
        self.advice.iter().filter(move |advice| advice.product == product)
    }
}

impl Advice {
    /// Why it is withheld or rough, if for that kind of reason.
    pub fn refused(&self, kind: Kind) -> Option<&Refusal> {
        let found = match &self.outcome {
            Ok(given) => given.rough.as_deref(),
            Err(refusal) => Some(refusal),
        };
        found.filter(|refusal| refusal.kind == kind)
    }
}

/// The flags of the runs as a whole, and those of the figures that values are based on. Flags of other points do not matter here.
fn flags(runs: &[Run<'_>], advice: &[Advice]) -> Vec<Flag> {
    let of_runs = runs.iter().flat_map(|run| &run.findings.flags);
    let given = advice.iter().flat_map(|advice| &advice.outcome);
    let of_figures = given.flat_map(|given| &given.measured).flat_map(|measured| &measured.flags);
    let mut codes = BTreeSet::new();
    of_runs.chain(of_figures).filter(|flag| codes.insert(flag.code)).cloned().collect()
}

/// A setting in the making.
#[derive(Clone, Copy)]
struct Setting {
    product: Product,
    name: &'static str,
    source: &'static str,
    since: Option<u32>,
    until: Option<u32>,
}

impl Setting {
    const fn new(product: Product, name: &'static str, source: &'static str) -> Self {
        Self { product, name, source, since: None, until: None }
    }

    const fn since(self, major: u32) -> Self {
        Self { since: Some(major), ..self }
    }

    const fn until(self, major: u32) -> Self {
        Self { until: Some(major), ..self }
    }

    fn given(self, value: Value, measured: Vec<MeasuredFigure>, why: impl Into<String>) -> Advice {
        self.is(Ok(SettingAdvice::new(value, measured, why)))
    }

    /// The same, if the product may not accept it, or may not benefit from it.
    fn hint(self, value: Value, measured: Vec<MeasuredFigure>, why: impl Into<String>) -> Advice {
        self.is(Ok(SettingAdvice { is_hint: true, ..SettingAdvice::new(value, measured, why) }))
    }

    /// The same, if experiments tried its rule and did not confirm it on every version.
    fn unproven(self, value: Value, measured: Vec<MeasuredFigure>, why: impl Into<String>) -> Advice {
        self.is(Ok(SettingAdvice { is_unproven: true, ..SettingAdvice::new(value, measured, why) }))
    }

    /// What no command can measure.
    fn refused(self, because: impl Into<String>, next: impl Into<String>) -> Advice {
        self.is(Err(Refusal::missing(because, next, None)))
    }

    /// What a command measures.
    fn unmeasured(self, because: impl Into<String>, next: impl Into<String>, command: String) -> Advice {
        self.is(Err(Refusal::missing(because, next, Some(command))))
    }

    fn is(self, outcome: Result<SettingAdvice, Refusal>) -> Advice {
        let Self { product, name: setting, source, since, until } = self;
        Advice { product, setting, since, until, outcome, source }
    }
}

#[cfg(test)]
mod tests;
