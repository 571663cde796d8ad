//! How rates of one run compare, on a simulated device that is slow or fast for minutes.

use super::*;
use rigel_core::judge::findings::PointFindings;
use rigel_core::sim::SimNoise;
use rigel_core::stats::Interval;

/// One station, whose rates beside each other are known, and whose speed remembers for five minutes.
const LAW: &str =
    "servers=1,service=1ms,rate=200M,spread=lognormal:20%,white=2%,between=1%,noise=ar:300s:10%";

/// Rates of small and large I/O of a point without the noise.
fn truth(record: &Record, found: &PointFindings, class: Class) -> f64 {
    let law = SimLaw { noise: SimNoise::default(), ..SimLaw::parse(LAW).unwrap() };
    let request = &record.header.request;
    let bytes = [Class::SMALL, Class::LARGE].map(|class| request.io_bytes(class));
    let [small, large] = law.truth_mixed_iops([found.point.small(), found.point.large()], bytes).unwrap();
    if class == Class::SMALL { small } else { large }
}

#[derive(Default)]
struct Score {
    held: usize,
    all: usize,
    /// Sums of half-widths: in rounds, and of two means that are taken as independent.
    widths: [f64; 2],
}

impl Score {
    fn add(&mut self, ratio: Interval, truth: f64, apart: f64) {
        self.held += usize::from(ratio.lo95 <= truth && truth <= ratio.hi95);
        self.all += 1;
        self.widths[0] += ratio.relative_half_width;
        self.widths[1] += apart;
    }
}

/// What is slow for a whole round is in no ratio.
#[test]
fn what_compares_within_a_run_is_surer_than_its_rates() {
    let (mut alone, mut highest) = (Score::default(), Score::default());
    for seed in 0..12 {
        let pace = Pace::Adaptive(Adaptive { precision: Precision(20), ..Adaptive::default() });
        let request = Request { seed, num_disks: Some(1), ..request(RunLevel::Normal, LAW).paced(pace) };
        let record = trial(&request).unwrap();
        let found = Findings::of(&record);
        for (point, contrasts) in found.points.iter().zip(found.contrasts()) {
            for (class, contrast) in contrasts {
                let rate = |of: &PointFindings| of.io(class).unwrap().iops;
                let best = found.points.iter().find(|one| one.point == found.best.rate(class).unwrap().point);
                let bases = [found.alone(class, point.point.of(class)), best];
                let scores = [(&mut alone, contrast.of_alone), (&mut highest, contrast.of_highest)];
                for ((score, ratio), base) in scores.into_iter().zip(bases) {
                    let Some((ratio, base)) = ratio.zip(base) else { continue };
                    let apart = rate(point).half_width().unwrap().hypot(rate(base).half_width().unwrap());
                    score.add(ratio, truth(&record, point, class) / truth(&record, base, class), apart);
                }
            }
        }
    }
    for score in [alone, highest] {
        let [in_rounds, apart] = score.widths;
        assert!(score.all > 150, "{}", score.all);
        assert!(score.held * 100 >= score.all * 90, "{} of {}", score.held, score.all);
        assert!(in_rounds < 0.75 * apart, "{in_rounds} {apart}");
    }
}
