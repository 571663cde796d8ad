//! `random_page_cost`: how much longer a random page takes than the next one of a stream, and how much of that remains with caches.
//!
//! Must not assume a share of reads that caches answer without saying so.

use super::again::RepeatTarget;
use super::measured::{Source, product};
use super::{Advice, AlternativeValue, Conditions, Product, Setting, SettingAdvice, Value, usable};
use rigel_core::stats::EstimateForm;
use rigel_core::units::say::number;
use rigel_core::units::{KIB, MIB, to_f64};
use std::fmt;
use std::str::FromStr;

/// A share of reads that caches answer, exact to a hundredth of a per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitRate {
    per_10_000: u16,
}

/// BLCKSZ, unless the server was built with another one.
pub(super) const PAGE_BYTES: u64 = 8 * KIB;
const PLANNER: &str = "https://www.postgresql.org/docs/current/runtime-config-query.html";
const RANDOM_PAGE_COST: Setting = Setting::new(Product::Postgresql, "random_page_cost", PLANNER);

const ALL: u16 = 10_000;
/// The default share of hits. The manual explained the default cost of 4 with it, up to PostgreSQL 17.
const ASSUMED: HitRate = HitRate { per_10_000: 9000 };
/// The highest value that an experiment confirmed. With more, when nothing was in memory, the planner scanned whole
/// tables that it would have read faster in part: a session that reads ahead does not pay the whole latency of each
/// page (docs/method/settings.md).
const MOST: f64 = 16.0;
/// Shown if none is given.
const SHOWN: [HitRate; 3] = [HitRate { per_10_000: 0 }, ASSUMED, HitRate { per_10_000: 9900 }];

impl HitRate {
    /// The share of reads that reach the storage.
    fn missed(self) -> f64 {
        f64::from(ALL.saturating_sub(self.per_10_000)) / f64::from(ALL)
    }
}

impl fmt::Display for HitRate {
    /// `90 %`, `99.5 %`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", hundredths(f64::from(self.per_10_000) / 100.0))
    }
}

impl FromStr for HitRate {
    /// What is wrong with it, to follow the text.
    type Err = String;

    /// Reads `95%`, `95` and `0.95`: below 1 it is a share, above 1 per cent. A bare 1 could mean either.
    fn from_str(text: &str) -> Result<Self, String> {
        let bare = text.parse::<f64>();
        if bare == Ok(1.0) {
            return Err("is ambiguous: write 1% or 100%".to_owned());
        }
        let percent = text.strip_suffix('%').map_or(text, str::trim_end).parse::<f64>();
        let share = match bare {
            Ok(share) if share < 1.0 => Ok(share),
            _ => percent.map(|percent| percent / 100.0),
        };
        match share {
            Ok(share) if (0.0..=1.0).contains(&share) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "it is 0 to 10,000"
                )]
                let per_10_000 = (share * f64::from(ALL)).round() as u16;
                Ok(Self { per_10_000 })
            }
            _ => Err("is not a share of reads, which is 0% to 100%".to_owned()),
        }
    }
}

/// The ratio of the two times, and what a hit rate leaves of it. A page that a cache has costs as much at random as in sequence: the
/// manual advises equal costs where everything is cached. One that no cache has costs the ratio.
pub fn advice(source: &Source<'_>, conditions: Conditions) -> Advice {
    let streams = || source.one_stream().into_iter().rev().map(|(_, found)| found);
    let stream = streams().min_by_key(usable::doubtfulness);
    let (Some(random), Some(stream)) = (source.latency_alone(PAGE_BYTES), stream) else {
        return RANDOM_PAGE_COST.unmeasured(
            "no record of reads has both the latency of one random read of 8 KiB and the rate of one sequential stream of I/Os of \
             128 KiB or more",
            "measure both",
            source.calibrate(RepeatTarget::Target, ""),
        );
    };
    // Pages per microsecond of the stream.
    let pages = stream.figure.scaled(to_f64(MIB) / to_f64(PAGE_BYTES) / 1e6);
    let ratio = product(random.figure, pages);
    let rate = conditions.hit_rate.unwrap_or(ASSUMED);
    let value = cost(ratio, rate);
    let assumed = if conditions.hit_rate.is_none() {
        "an assumption, not measured; give yours, as in --hit-rate 99%"
    } else {
        "--hit-rate"
    };
    let is_bounded = unbounded(ratio.value, rate.missed()) > MOST;
    let bound = if is_bounded {
        " Values above 16 are not advised: in an experiment, they made queries slower."
    } else {
        ""
    };
    let floor = if ratio.value < 1.0 { " A random page is never cheaper than the next one." } else { "" };
    let range =
        ratio.ends().map_or_else(String::new, |(lo, hi)| format!(" ({} to {})", number(lo), number(hi)));
    let why = format!(
        "A random page takes {} us, a page of one stream {} us: {} times as long{range}. A cached page costs the \
         same either way, so with a hit rate h the cost is 1 + ({} - 1) x (1 - h). h is {rate} \
         ({assumed}).{floor}{bound} seq_page_cost stays 1.",
        number(random.figure.value),
        number(1.0 / pages.value),
        number(ratio.value),
        number(ratio.value.max(1.0)),
    );
    let basis = if conditions.hit_rate.is_none() {
        format!("{rate} of random reads from caches is an assumption: give yours, as in --hit-rate 99%.")
    } else {
        format!("The value is for the {rate} of random reads from caches that --hit-rate gives.")
    };
    let remark = format!(
        "A random read of a page takes {} times as long as that of the next page{range}. {basis}{}",
        number(ratio.value),
        if is_bounded {
            " That would give more than 16, which made queries slower in an experiment."
        } else {
            ""
        }
    );
    let shown = SHOWN.iter().filter(|_| conditions.hit_rate.is_none());
    let otherwise =
        shown.map(|&rate| AlternativeValue { when: format!("hit rate {rate}"), value: cost(ratio, rate) });
    let given = SettingAdvice::new(value, vec![random, stream], why);
    RANDOM_PAGE_COST.is(Ok(SettingAdvice { otherwise: otherwise.collect(), remark: Some(remark), ..given }))
}

fn cost(ratio: EstimateForm, rate: HitRate) -> Value {
    Value::of(ratio, |ratio| hundredths(exact(ratio, rate.missed())))
}

/// What a share of misses leaves of the ratio, up to the limit of the experiments, with two decimals as in the advice.
pub fn at(ratio: f64, missed: f64) -> f64 {
    (exact(ratio, missed) * 100.0).round() / 100.0
}

fn exact(ratio: f64, missed: f64) -> f64 {
    unbounded(ratio, missed).min(MOST)
}

fn unbounded(ratio: f64, missed: f64) -> f64 {
    1.0 + (ratio.max(1.0) - 1.0) * missed
}

/// With at most two decimals: `4`, `2.13`.
fn hundredths(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
