//! What another session will show, from sessions of the past.
//!
//! A session is a separate run, on another day or at another hour. A single one does not show how much they differ. Must not
//! know where the figures come from.

use super::sample::{count, variance};
use super::special::student_t_quantile;

/// Fewer sessions show too little about how much they differ.
pub const FEWEST_SESSIONS: usize = 5;

/// How much sessions of one storage differ in one quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sessions {
    /// How many.
    pub count: usize,
    /// Standard deviation of the logarithms of their figures.
    pub log_sd: f64,
}

impl Sessions {
    /// Of the figures of sessions; `None` for fewer than [`FEWEST_SESSIONS`], or where one has no figure.
    pub fn of(figures: &[f64]) -> Option<Self> {
        let logs: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
        let known = logs.len() >= FEWEST_SESSIONS && logs.iter().all(|log| log.is_finite());
        known.then(|| Self { count: logs.len(), log_sd: variance(&logs).sqrt() })
    }

    /// How far another session may be from the mean of these, relative, in 95 of 100: `t s sqrt(1 + 1 / m)` on logarithms, the
    /// longer side.
    pub fn another(&self) -> f64 {
        let sessions = count(self.count);
        (student_t_quantile(0.975, sessions - 1.0) * self.log_sd * (1.0 + 1.0 / sessions).sqrt()).exp_m1()
    }

    /// Variance of the logarithm of one session, and its degrees of freedom.
    pub fn variance(&self) -> (f64, f64) {
        (self.log_sd * self.log_sd, count(self.count) - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Noise;

    #[test]
    fn five_sessions_by_hand() {
        // Logarithms 0, 1, 2, 3, 4 hundredths: s = 0.015811, t(0.975, 4) = 2.7764, sqrt(1.2) = 1.0954.
        let figures: Vec<f64> = (0..5).map(|log| 1000.0 * (f64::from(log) / 100.0).exp()).collect();
        let found = Sessions::of(&figures).unwrap();
        assert!((found.log_sd - 0.015_811).abs() < 1e-6 && found.count == 5);
        assert!((found.another().ln_1p() - 2.776_445 * 0.015_811 * 1.095_445).abs() < 1e-5);
        assert_eq!(Sessions::of(&figures[..4]), None);
        assert_eq!(Sessions::of(&[1.0, 2.0, 3.0, 4.0, 0.0]), None);
    }

    #[test]
    fn another_session_is_within_it_in_95_of_100() {
        let mut noise = Noise::new(31);
        let mut held = 0;
        for _ in 0..2000 {
            let logs: Vec<f64> = (0..7).map(|_| 0.05 * noise.normal()).collect();
            let figures: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
            let another = 0.05 * noise.normal();
            let middle = logs.iter().sum::<f64>() / 7.0;
            held +=
                usize::from((another - middle).abs() <= Sessions::of(&figures).unwrap().another().ln_1p());
        }
        assert!((1860..=1940).contains(&held), "{held} of 2000");
    }
}
