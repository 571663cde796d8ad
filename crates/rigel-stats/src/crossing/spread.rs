//! The factor by which visits to a queue vary more than chance explains: it grows towards saturation, where a queue has a longer memory.
//!
//! Must not know the curve but for its slope.

use super::{Law, RatioPoint, chance};
use crate::sample::count;

/// The logarithm of the factor, as a line over the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    centre: f64,
    level: f64,
    /// From the centre to twice its rate.
    growth: f64,
    least: f64,
    /// What the memory of a queue makes of it at least, and how that grows.
    memory: [f64; 3],
}

/// The growth over the slope of the curve: what queues do, and how certain that is.
const USUAL_GROWTH: f64 = 1.5;
const GROWTH_DEVIATION: f64 = 1.0;
/// It is between 0 and this.
const MOST_GROWTH: f64 = 3.0;
const GROWTH_STEPS: u32 = 60;

/// The visits to one rate.
#[derive(Clone, Copy, Debug)]
struct Level {
    place: f64,
    /// Visits less one.
    freedom: f64,
    /// Squared deviations from their mean over those of chance.
    spread: f64,
}

impl Spread {
    /// Chance alone.
    pub const ONE: Self = Self { centre: 1.0, level: 1.0, growth: 0.0, least: 0.0, memory: [0.0; 3] };

    /// That of the visits, each compared with the mean of its rate; `slope` is that of the curve at `centre`.
    pub fn of(visits: &[RatioPoint], law: Law, centre: f64, slope: f64) -> Self {
        let levels = levels(visits, law, centre);
        let freedom: f64 = levels.iter().map(|level| level.freedom).sum();
        // The most likely growth, the spread of each rate being that of a sample of normal deviates.
        let tried = (0..=GROWTH_STEPS).map(|step| {
            let share = f64::from(step) / f64::from(GROWTH_STEPS) * MOST_GROWTH;
            let growth = share * slope;
            let shrunk = levels.iter().map(|one| one.freedom * one.spread * (-growth * one.place).exp());
            let level = shrunk.sum::<f64>() / freedom.max(1.0);
            let places: f64 = levels.iter().map(|one| one.freedom * growth * one.place).sum();
            let likely = -0.5 * (freedom * level.ln() + places)
                - 0.5 * ((share - USUAL_GROWTH) / GROWTH_DEVIATION).powi(2);
            (likely, level, growth)
        });
        let best = tried.filter(|one| one.0.is_finite()).max_by(|one, other| one.0.total_cmp(&other.0));
        let least = law.least_spread;
        best.map_or(Self::ONE, |(_, level, growth)| Self { centre, level, growth, least, ..Self::ONE })
    }

    /// The same, and at least that of a memory that grows.
    pub fn with_memory(self, centre: f64, memory: [f64; 3]) -> Self {
        Self { centre, memory, ..self }
    }

    /// The factor at a rate.
    pub fn at(&self, rate: f64) -> f64 {
        let place = rate / self.centre - 1.0;
        let own = self.level * (self.growth * place).exp();
        let [level, above, below] = self.memory;
        let remembered = level * (if place > 0.0 { above } else { below } * place).clamp(-50.0, 50.0).exp();
        own.max(remembered).max(self.least).max(f64::MIN_POSITIVE)
    }

    /// So many times as large, and at least so large.
    pub fn scaled(self, factor: f64, least: f64) -> Self {
        let memory = [self.memory[0] * factor.max(1.0), self.memory[1], self.memory[2]];
        Self { level: self.level * factor, least, memory, ..self }
    }
}

fn levels(visits: &[RatioPoint], law: Law, centre: f64) -> Vec<Level> {
    let mut rates: Vec<f64> = visits.iter().map(|seen| seen.rate).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let level = |rate: f64| {
        let own = || visits.iter().filter(move |seen| seen.rate == rate);
        let weight: f64 = own().map(|seen| seen.weight).sum();
        let mean = own().map(|seen| seen.weight * seen.ratio).sum::<f64>() / weight;
        let of =
            |seen: &RatioPoint| (seen.weight * (seen.ratio - mean)).powi(2) / chance(seen.weight, mean, law);
        let freedom = count(own().count()) - 1.0;
        let spread = own().map(of).sum::<f64>() / freedom;
        (spread.is_finite() && freedom > 0.0).then_some(Level { place: rate / centre - 1.0, freedom, spread })
    };
    rates.into_iter().filter_map(level).collect()
}
