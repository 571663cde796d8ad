//! What short trials on the targets themselves say about the engines, and which one that leaves.
//!
//! Where a driver cannot answer without waiting, the ring hands every I/O to a thread of the kernel, and the figure is that of the hand-over.
//! Which engine is fastest then depends on the target, and no rule can know it. Must not do I/O.

use super::EngineKind;
use crate::units::say::number;
use crate::units::{Bytes, to_f64};
use serde::{Deserialize, Serialize};

/// Another engine replaces the usual one only if it does this much more in every turn.
const MUCH: f64 = 1.05;
/// The user's engine limited the storage if another one did this much more in every turn.
const MUCH_MORE: f64 = 1.10;

/// The engines that were tried in turn, with the same load of reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineTrials {
    /// Reads outstanding.
    pub outstanding: u32,
    /// Bytes of a read.
    pub io_bytes: u32,
    /// The trials; the usual engine comes first.
    pub trials: Vec<EngineTrial>,
}

/// One engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineTrial {
    /// The engine.
    pub engine: EngineKind,
    /// Reads per second, turn by turn.
    pub iops: Vec<f64>,
}

impl EngineTrial {
    fn least(&self) -> f64 {
        self.iops.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn most(&self) -> f64 {
        self.iops.iter().copied().fold(0.0, f64::max)
    }

    /// Reads per second over all turns.
    fn mean(&self) -> f64 {
        self.iops.iter().sum::<f64>() / to_f64(self.iops.len().max(1) as u64)
    }
}

impl EngineTrials {
    /// The engine to take: the usual one, unless another was clearly faster.
    pub fn best(&self) -> Option<EngineKind> {
        let usual = self.trials.first()?;
        Some(self.surely_faster(usual, MUCH).unwrap_or(usual).engine)
    }

    /// Why the usual engine stays although another one was faster on average.
    pub fn doubt(&self) -> Option<String> {
        let usual = self.trials.first()?;
        let is_better = |other: &EngineTrial| other.mean() > MUCH * usual.mean();
        let is_doubtful = self.best() == Some(usual.engine) && self.trials.iter().any(is_better);
        is_doubtful.then(|| format!("the trials differ too much to tell, so {} is kept", usual.engine.name()))
    }

    /// The trial that was clearly over 10 % faster than that of `engine`.
    pub fn faster_than(&self, engine: EngineKind) -> Option<&EngineTrial> {
        let own = self.trials.iter().find(|trial| trial.engine == engine && !trial.iops.is_empty())?;
        self.surely_faster(own, MUCH_MORE)
    }

    /// The trial whose worst turn was `factor` times the best turn of `own`; of several the fastest.
    fn surely_faster(&self, own: &EngineTrial, factor: f64) -> Option<&EngineTrial> {
        let beats = |other: &&EngineTrial| !other.iops.is_empty() && other.least() > factor * own.most();
        self.trials.iter().filter(beats).max_by(|one, other| one.mean().total_cmp(&other.mean()))
    }

    /// The engine for both sides of a comparison, from the trials of each: of those tried on both, the one whose share of the
    /// fastest, on the side where it is lower, is highest.
    pub fn best_of_both(&self, other: &Self) -> Option<EngineKind> {
        let part = |of: &Self, engine: EngineKind| {
            let most = of.trials.iter().map(EngineTrial::mean).fold(0.0, f64::max);
            let own = of.trials.iter().find(|trial| trial.engine == engine)?;
            (most > 0.0).then(|| own.mean() / most)
        };
        let of = |trial: &EngineTrial| {
            Some((trial.engine, part(self, trial.engine)?.min(part(other, trial.engine)?)))
        };
        let all = self.trials.iter().filter_map(of);
        // The usual engine comes first, and stays when no other does better.
        all.reduce(|best, one| if one.1 > best.1 { one } else { best }).map(|(engine, _)| engine)
    }

    /// `tried with 32 reads of 8 KiB outstanding: io_uring 107,024 IOPS, libaio 158,436, sync 245,077`
    pub fn sentence(&self) -> String {
        let mut unit = " IOPS";
        let of = |trial: &EngineTrial| {
            format!("{} {}{}", trial.engine.name(), number(trial.mean()), std::mem::take(&mut unit))
        };
        let all: Vec<String> = self.trials.iter().map(of).collect();
        let bytes = Bytes(self.io_bytes.into());
        let reads = if self.outstanding == 1 { "read" } else { "reads" };
        format!("tried with {} {reads} of {bytes} outstanding: {}", self.outstanding, all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(of: &[(EngineKind, &[f64])]) -> Option<EngineKind> {
        let trials = of.iter().map(|(engine, iops)| EngineTrial { engine: *engine, iops: iops.to_vec() });
        EngineTrials { outstanding: 8, io_bytes: 8192, trials: trials.collect() }.best()
    }

    #[test]
    fn both_sides_get_the_engine_that_holds_back_either_least() {
        use EngineKind::{IoUring, Libaio, Sync};
        let of = |all: &[(EngineKind, f64)]| {
            let trials = all.iter().map(|(engine, iops)| EngineTrial { engine: *engine, iops: vec![*iops] });
            EngineTrials { outstanding: 8, io_bytes: 8192, trials: trials.collect() }
        };
        let memory = of(&[(IoUring, 100.0), (Libaio, 250.0), (Sync, 400.0)]);
        // Sync is 0.5 of the most there, libaio 0.9; on the memory they are 1 and 0.625.
        let drive = of(&[(IoUring, 1000.0), (Libaio, 900.0), (Sync, 500.0)]);
        assert_eq!(memory.best_of_both(&drive), Some(Libaio));
        assert_eq!(drive.best_of_both(&memory), Some(Libaio));
        assert_eq!(memory.best_of_both(&memory), Some(Sync));
        assert_eq!(memory.best_of_both(&of(&[(IoUring, 7.0)])), Some(IoUring), "what both have tried");
        assert_eq!(memory.best_of_both(&of(&[])), None);
    }

    #[test]
    fn an_engine_is_faster_when_its_worst_turn_is_a_tenth_above_the_best_of_the_other() {
        use EngineKind::{IoUring, Libaio, Sync, Threads};
        let faster = |others: &[(EngineKind, f64)]| {
            let others = others.iter().map(|(engine, iops)| (*engine, vec![*iops, iops + 50.0]));
            let all = [(Threads, vec![90.0, 100.0])].into_iter().chain(others);
            let trials = all.map(|(engine, iops)| EngineTrial { engine, iops }).collect();
            let trials = EngineTrials { outstanding: 8, io_bytes: 8192, trials };
            trials.faster_than(Threads).map(|trial| trial.engine)
        };
        assert_eq!(faster(&[(IoUring, 110.0), (Libaio, 109.0)]), None);
        assert_eq!(faster(&[(IoUring, 110.1), (Libaio, 109.0)]), Some(IoUring));
        assert_eq!(faster(&[(IoUring, 111.0), (Sync, 245.0), (Libaio, 200.0)]), Some(Sync));
        let of_others = EngineTrials { outstanding: 8, io_bytes: 8192, trials: Vec::new() };
        assert_eq!(of_others.faster_than(Threads), None);
    }

    #[test]
    fn another_engine_is_taken_only_when_every_turn_of_it_is_better() {
        use EngineKind::{IoUring, Libaio, Sync};
        assert_eq!(best(&[]), None);
        assert_eq!(
            best(&[(IoUring, &[100.0, 110.0]), (Libaio, &[150.0, 160.0]), (Sync, &[240.0, 250.0])]),
            Some(Sync)
        );
        // Within noise the usual one stays, also where trials differ wildly.
        assert_eq!(best(&[(IoUring, &[100.0, 110.0]), (Libaio, &[114.0, 120.0])]), Some(IoUring));
        assert_eq!(best(&[(IoUring, &[100.0, 400.0]), (Sync, &[300.0, 900.0])]), Some(IoUring));
        assert_eq!(best(&[(IoUring, &[100.0, 110.0]), (Sync, &[])]), Some(IoUring), "it gave nothing");
    }

    #[test]
    fn what_keeps_the_usual_engine_against_a_better_mean_is_told() {
        use EngineKind::{IoUring, Libaio, Sync};
        let doubt = |of: &[(EngineKind, [f64; 2])]| {
            let trials = of.iter().map(|(engine, iops)| EngineTrial { engine: *engine, iops: iops.to_vec() });
            EngineTrials { outstanding: 8, io_bytes: 8192, trials: trials.collect() }.doubt()
        };
        let wild = doubt(&[(IoUring, [100.0, 1000.0]), (Libaio, [900.0, 1000.0]), (Sync, [990.0, 1010.0])]);
        assert_eq!(wild.unwrap(), "the trials differ too much to tell, so io_uring is kept");
        assert_eq!(doubt(&[(IoUring, [100.0, 1000.0]), (Sync, [1100.0, 1200.0])]), None, "sync is taken");
        assert_eq!(doubt(&[(IoUring, [990.0, 1000.0]), (Sync, [1010.0, 1020.0])]), None, "they are alike");
    }

    #[test]
    fn what_was_tried_is_told_with_its_figures() {
        let trial = |engine, iops: f64| EngineTrial { engine, iops: vec![iops, iops + 2.0] };
        let trials = vec![trial(EngineKind::IoUring, 99.0), trial(EngineKind::Sync, 200.0)];
        let told = EngineTrials { outstanding: 8, io_bytes: 8192, trials }.sentence();
        assert_eq!(told, "tried with 8 reads of 8 KiB outstanding: io_uring 100 IOPS, sync 201");
    }
}
