//! The classes of a load and how many of each arrive, so operations and bytes in both directions match the source.
//!
//! A source knows how large I/Os were on average. Two sizes with the right shares have that mean, whatever it is; more sizes keep them close to it
//! as it changes from phase to phase. Must not know time.

use super::gather::Flow;
use rigel_core::load::class::{Arrival, Class, LoadClass, MOST_CLASSES, Shape};
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::WritePercent;
use rigel_core::stats::rates::whole;
use rigel_core::units::{KIB, MIB, to_f64};

/// The smallest I/O: many devices refuse smaller ones.
pub const SMALLEST: u64 = 4 * KIB;
/// The largest one: no kernel passes a larger one on in one piece.
pub const LARGEST: u64 = 16 * MIB;
/// A mean this close to a size means that size: the store rounds operations and bytes by nearly as much.
const NEAR: f64 = 0.01;
/// Most sizes of a direction.
const MOST_SIZES: u32 = 3;
/// Memory of the buffers of a class.
const BUFFERS: u64 = 64 * MIB;
/// Most outstanding I/Os of a class.
const MOST_OUTSTANDING: u32 = 1024;

/// The sizes of a direction, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes(Vec<u64>);

impl Sizes {
    /// Sizes around the means of all phases.
    pub fn around(flows: impl Iterator<Item = Flow>) -> Self {
        let means: Vec<f64> = flows.filter_map(Flow::mean_bytes).collect();
        let (low, high) = means
            .iter()
            .map(|&mean| around(mean))
            .fold((u32::MAX, 0), |(low, high), one| (low.min(one.0), high.max(one.1)));
        if low > high {
            return Self::default();
        }
        let few = (high - low + 1).min(MOST_SIZES);
        let place = |number: u32| low + (high - low) * number / (few - 1).max(1);
        Self((0..few).map(|number| 1_u64 << place(number)).collect())
    }

    /// How many operations per second of each size there are, as whole numbers.
    fn deal(&self, flow: Flow) -> Vec<u32> {
        let mut counts = vec![0; self.0.len()];
        let Some(mean) = flow.mean_bytes() else { return counts };
        let all = rounded(flow.ops);
        let size = |at: usize| to_f64(self.0[at]);
        let is_near = |at: &usize| (mean / size(*at) - 1.0).abs() <= NEAR;
        let at = (0..self.0.len()).find(is_near);
        // The largest size that is not above the mean, and the next.
        let below = self.0.iter().rposition(|&bytes| to_f64(bytes) <= mean).unwrap_or(0);
        match at {
            Some(at) => counts[at] = all,
            None if below + 1 < self.0.len() && mean > size(below) => {
                let share = (mean - size(below)) / (size(below + 1) - size(below));
                let larger = rounded(flow.ops * share).min(all);
                counts[below] = all - larger;
                counts[below + 1] = larger;
            }
            None => counts[below] = all,
        }
        counts
    }
}

/// The nearest whole number, 0 included.
fn rounded(rate: f64) -> u32 {
    if rate < 0.5 { 0 } else { whole(rate) }
}

/// The powers of two below and above a mean, as exponents; the same twice for one that is near.
fn around(mean: f64) -> (u32, u32) {
    let mean = mean.clamp(to_f64(SMALLEST), to_f64(LARGEST));
    let below = (SMALLEST.ilog2()..=LARGEST.ilog2()).rfind(|&power| to_f64(1 << power) <= mean);
    let below = below.unwrap_or(SMALLEST.ilog2());
    let is_near = |power: u32| (mean / to_f64(1 << power) - 1.0).abs() <= NEAR;
    match below {
        _ if is_near(below) => (below, below),
        _ if below < LARGEST.ilog2() && is_near(below + 1) => (below + 1, below + 1),
        _ => (below, (below + 1).min(LARGEST.ilog2())),
    }
}

/// The classes of both directions.
#[derive(Clone, Debug)]
pub struct Mix {
    reads: Sizes,
    writes: Sizes,
    /// The classes of a load; also one that no phase has.
    pub classes: Vec<LoadClass>,
}

impl Mix {
    /// For phases with these reads and writes.
    pub fn of(reads: impl Iterator<Item = Flow>, writes: impl Iterator<Item = Flow>) -> Self {
        let (reads, writes) = (Sizes::around(reads), Sizes::around(writes));
        let all = |sizes: &Sizes, word: &'static str, share: u8| -> Vec<LoadClass> {
            sizes.0.iter().filter_map(|&bytes| class(word, bytes, share)).collect()
        };
        let classes =
            all(&reads, "reads", 0).into_iter().chain(all(&writes, "writes", 100)).take(MOST_CLASSES);
        let classes = classes.collect();
        Self { reads, writes, classes }
    }

    /// How many of each class arrive per second.
    pub fn point(&self, reads: Flow, writes: Flow) -> Point {
        let counts = self.reads.deal(reads).into_iter().chain(self.writes.deal(writes));
        self.classes
            .iter()
            .zip(counts)
            .fold(Point::default(), |point, (class, count)| point.with(class.name, count))
    }
}

fn class(word: &str, bytes: u64, percent: u8) -> Option<LoadClass> {
    let size = if bytes < MIB { format!("{}k", bytes / KIB) } else { format!("{}m", bytes / MIB) };
    let most = u32::try_from(BUFFERS / bytes).unwrap_or(MOST_OUTSTANDING).min(MOST_OUTSTANDING);
    Some(LoadClass {
        write_percent: WritePercent::new(percent)?,
        arrival: Arrival::Open { shape: Shape::Poisson, most_outstanding: most },
        ..LoadClass::random(Class::named(&format!("{word}_{size}"))?, bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(ops: f64, mean: f64) -> Flow {
        Flow { ops, bytes: ops * mean }
    }

    /// Operations and bytes of a point.
    fn sums(mix: &Mix, point: Point) -> (f64, f64) {
        mix.classes.iter().fold((0.0, 0.0), |(ops, bytes), class| {
            let own = f64::from(point.of(class.name));
            (ops + own, bytes + own * class.mean_bytes())
        })
    }

    #[test]
    fn operations_and_bytes_are_kept_whatever_the_mean_size() {
        let means = [8192.0, 9000.0, 50_000.0, 300_000.0, 1_500_000.0];
        let flows = || means.into_iter().map(|mean| flow(2000.0, mean));
        let mix = Mix::of(flows(), std::iter::empty());
        let names: Vec<&str> = mix.classes.iter().map(|class| class.name.name()).collect();
        assert_eq!(names, ["reads_8k", "reads_128k", "reads_2m"]);
        for mean in means {
            let (ops, bytes) = sums(&mix, mix.point(flow(2000.0, mean), Flow::default()));
            // A half of an operation of the next size is what rounding may cost.
            assert!(
                (ops - 2000.0).abs() < 1e-9 && (bytes - 2000.0 * mean).abs() <= 1_000_000.0,
                "{mean} {bytes}"
            );
        }
    }

    #[test]
    fn one_size_is_one_class_and_what_is_outside_has_the_nearest() {
        let one = |reads: f64, writes: f64| {
            let mix = Mix::of([flow(9.0, reads)].into_iter(), [flow(5.0, writes)].into_iter());
            let point = mix.point(flow(9.0, reads), flow(5.0, writes));
            let told = mix.classes.iter().map(|class| (class.name.name().to_owned(), point.of(class.name)));
            told.collect::<Vec<_>>()
        };
        assert_eq!(one(8200.0, 512.0), [("reads_8k".to_owned(), 9), ("writes_4k".to_owned(), 5)]);
        assert_eq!(
            one(12_288.0, 1e9),
            [("reads_8k".to_owned(), 4), ("reads_16k".to_owned(), 5), ("writes_16m".to_owned(), 5)]
        );
        let mix = Mix::of([Flow::default()].into_iter(), [Flow::default()].into_iter());
        assert!(mix.classes.is_empty());
    }
}
