//! Advice: a page, one JSON document, `rigel.advice/1`, and for each product the file that it reads.
//!
//! Turns the advice of the runs into bytes. Must not derive a value; [`rigel_uses::advice`] does.

mod commented;
mod file;
mod json;
mod page;
mod sql;
mod warnings;

pub use file::file;
pub use json::{SCHEMA, document, schema};
pub use page::page;

use crate::view::View;
use crate::words::ONE_VISIT;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;
use rigel_uses::advice::{Advice, AdviceReport, Kind, Product, Refusal, Value};

/// Advice, and the runs that it comes from.
pub struct Advisory<'a> {
    /// The runs.
    pub views: &'a [View<'a>],
    /// The settings that they advise.
    pub advised: &'a AdviceReport,
}

/// The remark on numbers of a simulated device.
const SIMULATED: &str =
    "SIMULATED: no storage was touched; these values are for a device that exists only in memory.";

impl Advisory<'_> {
    /// A line for each run: its name, its start, reads or writes, its targets.
    fn runs(&self) -> Vec<String> {
        let run = |view: &View<'_>| {
            let header = &view.record.header;
            let does = if header.request.write_percent().writes() { "writes to" } else { "reads of" };
            let text = format!("{}, {}, {does} {}", header.run_id, header.started, view.targets().join(", "));
            printable(&text).into_owned()
        };
        self.views.iter().map(run).collect()
    }

    /// Remarks and refusals, a sentence each, for a product whose file holds no comments. Empty for the other
    /// products: their files hold these sentences as comments.
    pub fn beside(&self, product: Product) -> Vec<String> {
        if !matches!(product, Product::Cgroup | Product::CgroupMax) {
            return Vec::new();
        }
        let advice = self.advised.of_product(product);
        let refused = advice.filter_map(|advice| {
            let refusal = advice.outcome.as_ref().map_or_else(Some, |given| given.rough.as_deref());
            Some((advice.setting, refusal?))
        });
        let refused = refused.map(|(setting, refusal)| {
            let step = refusal.step();
            format!(
                "{setting} is {}: {}; {}",
                kept_back(refusal.kind),
                printable(&refusal.because),
                printable(&step)
            )
        });
        self.notes().into_iter().chain(refused).collect()
    }

    /// Remarks and flags, a sentence each.
    fn notes(&self) -> Vec<String> {
        let flag = |flag: &Flag| format!("{}: {}", flag.code.name(), printable(&flag.text));
        self.remarks().into_iter().chain(self.advised.flags.iter().map(flag)).collect()
    }

    /// Remarks on all values, a sentence each, without the flags.
    fn remarks(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.advised.is_simulated {
            all.push(SIMULATED.to_owned());
        }
        let once = |view: &&View<'_>| !view.is_adaptive();
        all.extend(
            self.views.iter().filter(once).map(|view| {
                format!("Intervals of {} show {ONE_VISIT}.", printable(&view.record.header.run_id))
            }),
        );
        let cut = |view: &&View<'_>| !view.record.complete();
        all.extend(self.views.iter().filter(cut).map(|view| {
            let run = printable(&view.record.header.run_id);
            format!("{run} was cut short: these values are based on what was measured.")
        }));
        all
    }
}

/// The name of a product in full.
const fn title(product: Product) -> &'static str {
    match product {
        Product::Postgresql => "PostgreSQL",
        Product::Mysql => "MySQL and MariaDB (InnoDB)",
        Product::Oracle => "Oracle Database",
        Product::Cgroup => "Linux cgroup, cost model of a disk (io.cost.model)",
        Product::CgroupMax => "Linux cgroup, limits on a disk (io.max)",
        Product::Seastar => "Seastar and ScyllaDB (io_properties.yaml)",
    }
}

/// The mark of a setting without a precise value: one word for each kind, on the page and in the files.
const fn kept_back(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => "not measured",
        Kind::InDoubt => "withheld",
        Kind::Rough => "rough",
    }
}

/// The meaning of these words.
const fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => "no record has the measurements that the setting needs",
        Kind::InDoubt => "measured, but not well enough for a value",
        Kind::Rough => "the true value lies somewhere in the range; a better measurement may move it",
    }
}

/// A setting without a precise value.
type WithheldSetting<'a> = (&'a Advice, &'a Refusal);

/// The settings withheld for that kind of reason.
fn withheld<'a>(advice: impl IntoIterator<Item = &'a Advice>, kind: Kind) -> Vec<WithheldSetting<'a>> {
    advice.into_iter().filter_map(|one| Some((one, one.refused(kind)?))).collect()
}

/// Groups of settings with the same text, in the order of their first members.
fn grouped<'a, K: PartialEq>(
    all: &[WithheldSetting<'a>],
    key: impl Fn(&'a Refusal) -> K,
) -> Vec<Vec<WithheldSetting<'a>>> {
    let mut groups: Vec<(K, Vec<WithheldSetting<'a>>)> = Vec::new();
    for one in all {
        let own = key(one.1);
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, group)) => group.push(*one),
            None => groups.push((own, vec![*one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// `io_method, io_workers`.
fn names(all: &[WithheldSetting<'_>]) -> String {
    all.iter().map(|(advice, _)| advice.setting).collect::<Vec<_>>().join(", ")
}

/// `1.04 to 1.55`; `None` if both ends are equal.
fn range(value: &Value) -> Option<String> {
    let (lo, hi) = value.ends.as_ref()?;
    (lo != hi).then(|| format!("{} to {}", printable(lo), printable(hi)))
}
