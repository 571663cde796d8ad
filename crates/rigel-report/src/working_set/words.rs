//! What working sets found, in sentences.
//!
//! Must not compute a figure.

use crate::view::View;
use rigel_core::judge::findings::{Forecast, ForecastCase, SizeFindings, WorkingSetFindings};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::stats::working_set::{Cache, CacheVerdict, Level, SetDoubt, Warmth};
use rigel_core::units::say::{
    figure, number, percent, rough_size, size_unit, time, trimmed, unit_of_two_figures,
};
use rigel_core::units::{Bytes, to_f64};

/// The result; of numbers that must not be used only that they say nothing.
pub(crate) fn reached(view: &View<'_>, usable: bool) -> Option<String> {
    let unusable = || "These numbers do not show what a cache is worth.".to_owned();
    sentence(view).map(|found| if usable { found } else { unusable() })
}

/// `A cache of about 8.02 GiB (7.9 to 8.1) that answers in 110 us, behind it 5.2 ms. ..` `None` for another run.
pub(crate) fn sentence(view: &View<'_>) -> Option<String> {
    let found = view.findings.working_set.as_ref()?;
    let told = match &found.found {
        CacheVerdict::Caches(caches, levels) => caches_told(found, caches, levels),
        CacheVerdict::NoCache { upto } => no_cache(found, *upto),
        CacheVerdict::AtLeast { bytes, is_all } => at_least(view, *bytes, *is_all),
        CacheVerdict::Undecided(doubt) => doubted(found, *doubt),
    };
    Some([vec![told], cold(found).into_iter().collect()].concat().join(" "))
}

/// Sizes whose latencies are certainly no more than so far apart take equally long.
const ALIKE: f64 = 0.05;

/// What larger sizes take is not far above what the smallest one takes, but may be above it.
fn no_cache(found: &WorkingSetFindings, upto: f64) -> String {
    let mean = |one: &SizeFindings| one.latency_us.mean;
    let last = found.sizes.iter().rev().find(|one| to_f64(one.bytes) <= upto).map(mean);
    let none = "No cache within the sizes tried";
    if let (Some(low), Some(high)) = (found.sizes.first().map(mean), last)
        && high.value > (1.0 + ALIKE) * low.value
        && high.lo95() > low.hi95()
    {
        return format!(
            "{none} makes much of a difference: reads of {} take {}, {} % longer than those of {}, {}.",
            size(upto),
            time(high.value),
            percent(high.value / low.value - 1.0),
            first(found),
            time(low.value)
        );
    }
    format!(
        "{none}: reads of {} take as long as those of {}, {}.",
        size(upto),
        first(found),
        found.sizes.first().map_or_else(String::new, |one| time(mean(one).value))
    )
}

fn at_least(view: &View<'_>, bytes: f64, is_all: bool) -> String {
    let asked = view.record.header.request.working_set();
    let is_limited = asked.is_some_and(|asked| asked.max_size.is_some() || !asked.sizes.is_empty());
    let cause = match (is_all, is_limited) {
        (false, _) => {
            "larger working sets could not be warmed up in the time of the run (--for), so its size is undecided"
        }
        (true, true) => {
            "everything requested fits into it, so its size is undecided; a larger --max-size would show it"
        }
        (true, false) => {
            "the whole target fits into it, so its size is undecided; a larger target would show it"
        }
    };
    format!(
        "A cache of at least {}: reads got faster when the same blocks were read again, but {cause}.",
        size(bytes)
    )
}

fn caches_told(found: &WorkingSetFindings, caches: &[Cache], levels: &[Level]) -> String {
    let one = |(cache, level): (&Cache, &Level)| {
        let (lo, hi) = ends(cache);
        format!(
            "of about {} ({lo} to {hi}) that answers in {}",
            size(cache.bytes.mean),
            about_time(level.median_us)
        )
    };
    let each: Vec<String> = caches.iter().zip(levels).map(one).collect();
    let behind = levels.last().map_or_else(String::new, |level| about_time(level.median_us));
    let told = match each.as_slice() {
        [only] => format!("A cache {only}, behind it {behind}."),
        several => format!(
            "{} caches: one {}; behind them {behind}.",
            count(several.len()),
            several.join(", and one ")
        ),
    };
    let rate = |size: &SizeFindings| format!("{} {}", number(size.rate.value), printable(found.load.unit()));
    let ends = found.sizes.first().zip(found.largest_warm());
    let Some((small, large)) = ends.filter(|(small, large)| small.bytes < large.bytes) else { return told };
    let hits = large
        .hits
        .last()
        .map_or_else(String::new, |hits| format!(", where {} % are hits", percent(hits.value)));
    let twice =
        found.forecasts.iter().find(|one| one.what == ForecastCase::Caches && (one.times - 2.0).abs() < 0.1);
    let twice = twice.map_or_else(String::new, |one| {
        let whose = if caches.len() == 1 { "the cache" } else { "both" };
        format!(" Twice {whose} would give {} there ({} % hits).", number(one.rate), percent(one.hits))
    });
    format!(
        "{told} Reads of {} reach {}, those of {} {}{hits}.{twice}",
        Bytes(small.bytes),
        rate(small),
        Bytes(large.bytes),
        rate(large)
    )
}

fn doubted(found: &WorkingSetFindings, doubt: SetDoubt) -> String {
    match doubt {
        SetDoubt::TooFew { warm } => {
            let warm = if warm == 0 {
                "no working set was".to_owned()
            } else {
                format!("only {} was", first(found))
            };
            format!(
                "Undecided: {warm} read until its rate was steady. More time (--for), larger reads \
                 (--size-small) or smaller sizes (--sizes) would help."
            )
        }
        SetDoubt::Drift { first_us, again_us } => format!(
            "Undecided: reads of {} took {} at first and {} at the end, so the storage changed over time, \
             not only with the size. Run it again when nothing else uses the storage.",
            first(found),
            time(first_us),
            time(again_us)
        ),
        SetDoubt::Uneven { low_us, high_us } => format!(
            "Undecided: latency goes up and down from size to size, from {} to {}, so something other than \
             the size changes it. Run it again when nothing else uses the storage.",
            time(low_us),
            time(high_us)
        ),
        SetDoubt::OnlyLargest { bytes, slow } => format!(
            "Undecided: only reads of {} are slower, {} % of them, as with a cache that holds nearly all of it, \
             or with other users in the meantime. A larger target, or more sizes just below it (--sizes), would show it.",
            size(bytes),
            percent(slow)
        ),
        SetDoubt::NotACache { small_us, large_us } => format!(
            "Undecided: reads of larger working sets are slower ({} against {}), but not as with one or two \
             caches. Longer head movements of a disk, a tier that moves data slowly and other users do this.",
            time(large_us),
            time(small_us)
        ),
    }
}

/// Which of the sizes the answer ignores.
fn cold(found: &WorkingSetFindings) -> Option<String> {
    let not_measured = found.asked.saturating_sub(found.sizes.len());
    let were = if not_measured == 1 { "was" } else { "were" };
    let missing =
        (not_measured > 0).then(|| format!("{not_measured} of {} sizes {were} not measured.", found.asked));
    let cold: Vec<&SizeFindings> = found.sizes.iter().filter(|size| size.warmth != Warmth::Steady).collect();
    let told = match cold.as_slice() {
        [] => None,
        [one] => Some(format!(
            "{} was not warm and is not included: more time (--for) would show more.",
            Bytes(one.bytes)
        )),
        [first, .., last] => Some(format!(
            "{} sizes, {} to {}, were not warm and are not included: more time (--for) would show more.",
            cold.len(),
            Bytes(first.bytes),
            Bytes(last.bytes)
        )),
    };
    let all: Vec<String> = told.into_iter().chain(missing).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

fn first(found: &WorkingSetFindings) -> String {
    found.sizes.first().map_or_else(String::new, |size| Bytes(size.bytes).to_string())
}

const fn count(caches: usize) -> &'static str {
    if caches == 2 { "Two" } else { "Several" }
}

/// The meaning of the columns.
pub(super) fn about(found: &WorkingSetFindings) -> String {
    let half =
        |size: &SizeFindings| size.hits.iter().filter_map(Estimate::ends).map(half_of).fold(0.0, f64::max);
    let most = found.sizes.iter().map(half).fold(0.0, f64::max);
    let share = |column: &str, cache: &str| {
        format!(" {column}: the share of these reads that were as fast as {cache} answers{}.", within(most))
    };
    let hits = match found.caches().len() {
        0 => String::new(),
        1 => share("hits", "the cache"),
        _ => share("cache 1, cache 2", "that cache, or the one before it,"),
    };
    format!(
        "{}: random reads of {} with {} outstanding. mean, p50, p99: latency of one read at a time, \
         measured separately, so each has its own hits.{hits} ±%: half of a 95 % interval that \
         shows only variation within the one visit to each size. warm: yes when the working set was read at least once before and its rate had stopped rising; \
         rising when it was still rising; no when there was no time to read all of it once, so a large \
         cache would still be cold.",
        printable(found.load.unit()),
        found.load.size_text(),
        found.each
    )
}

/// Half of an interval of a share.
fn half_of((low, high): (f64, f64)) -> f64 {
    (high - low) / 2.0
}

/// ` (±1.7 percentage points or less)`; empty if no share has an interval worth mentioning.
fn within(half: f64) -> String {
    if half >= 0.0005 { format!(" (±{} percentage points or less)", percent(half)) } else { String::new() }
}

/// The basis of the forecasts.
pub(super) fn of_forecasts(found: &WorkingSetFindings) -> String {
    let (caches, does) = if found.caches().len() > 1 { ("caches", "do") } else { ("cache", "does") };
    let most = found.forecasts.iter().filter_map(|one| Some(one.halves?.hits)).fold(0.0, f64::max);
    format!(
        "hits: those of the {caches}{}. Taken from the rows above, interpolated if necessary, with their \
         intervals: with uniform reads, twice the {caches} \
         {does} for a working set what the {caches} {does} for half of it. \
         A database reads some blocks more often than others, so it has more hits and gains less from a \
         larger cache.",
        within(most)
    )
}

/// Whether a size is warm.
pub(super) const fn warmth(warmth: Warmth) -> &'static str {
    match warmth {
        Warmth::Steady => "yes",
        Warmth::Rising => "rising",
        Warmth::NoPass => "no",
    }
}

/// `a working set of 16.1 GiB, twice the cache`
pub(super) fn forecast(found: &WorkingSetFindings, one: &Forecast) -> String {
    let times = if (one.times - 2.0).abs() < 0.1 {
        "twice".to_owned()
    } else {
        format!("{} times", trimmed(one.times))
    };
    let is_one = found.caches().len() < 2;
    match one.what {
        ForecastCase::WorkingSet(_) if is_one => {
            format!("a working set of {}, {times} the cache", size(one.bytes))
        }
        ForecastCase::WorkingSet(number) => {
            format!("a working set of {}, {times} cache {}", size(one.bytes), number + 1)
        }
        ForecastCase::Caches if is_one => format!("{times} the cache, all {} read", size(one.bytes)),
        ForecastCase::Caches => format!("{times} both caches, all {} read", size(one.bytes)),
    }
}

/// Both ends of the size of a cache, with its unit after the second one only.
pub(super) fn ends(cache: &Cache) -> (String, String) {
    let (unit, name) = size_unit(1.0005 * cache.bytes.mean);
    let unit = to_f64(unit);
    (figure_of(cache.bytes.lo95 / unit), format!("{} {name}", figure_of(cache.bytes.hi95 / unit)))
}

/// A size of three digits: `8.02 GiB`, `257 MiB`.
pub(super) fn size(bytes: f64) -> String {
    rough_size(bytes)
}

/// A latency in two digits: those of histograms have no more.
pub(super) fn about_time(us: f64) -> String {
    let unit = unit_of_two_figures(us.max(1e-3));
    time((us / unit).round() * unit)
}

/// Three digits, without trailing zeros.
fn figure_of(value: f64) -> String {
    let text = figure(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::units::{GIB, MIB};

    #[test]
    fn shares_have_points() {
        assert_eq!(
            (within(0.017).as_str(), within(0.0)),
            (" (±1.7 percentage points or less)", String::new())
        );
    }

    #[test]
    fn a_latency_has_two_digits() {
        assert_eq!([199.7, 5014.0, 99.84, 1234.0].map(about_time), [200.0, 5000.0, 100.0, 1200.0].map(time));
    }

    #[test]
    fn sizes_have_three_digits_and_a_unit_that_fits() {
        let gib = to_f64(GIB);
        for (bytes, wanted) in [
            (8.0 * gib, "8 GiB"),
            (8.017 * gib, "8.02 GiB"),
            (0.9999 * gib, "1 GiB"),
            (257.3 * to_f64(MIB), "257 MiB"),
            (2500.0 * gib, "2.44 TiB"),
            (512.0 * 1024.0, "512 KiB"),
        ] {
            assert_eq!(size(bytes), wanted);
        }
    }
}
