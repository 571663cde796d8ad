//! The clock of all latencies.
//!
//! Must not be the wall clock, which can be set during a run.

use rigel_core::units::NS_PER_S;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::num::NonZeroU64;
use std::thread;
use std::time::Duration;

/// A sleep ends this long before the intended time; the remainder is spent polling the clock.
const AWAKE_NS: u64 = 200_000;

/// Nanoseconds since an origin that all workers of a run share.
pub trait Clock {
    /// The time now; never less than before.
    fn now_ns(&self) -> u64;

    /// Comes back as soon after that time as can be. Virtual time does not pass by waiting for it.
    fn wait_until(&self, _at_ns: u64) {}
}

/// `CLOCK_MONOTONIC`, read through the vDSO without a system call. Copies share the origin.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin_ns: u64,
}

impl MonotonicClock {
    /// A clock that shows 0 now.
    pub fn start() -> Self {
        Self::at(0)
    }

    /// A clock that shows `now_ns` now.
    pub fn at(now_ns: u64) -> Self {
        // Wraps when the machine is up for a shorter time; differences to later readings are still right.
        Self { origin_ns: monotonic_ns().wrapping_sub(now_ns) }
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        // The kernel keeps this clock monotonic across CPUs, so the difference cannot wrap.
        monotonic_ns().wrapping_sub(self.origin_ns)
    }

    fn wait_until(&self, at_ns: u64) {
        let sleep_ns = at_ns.saturating_sub(self.now_ns()).saturating_sub(AWAKE_NS);
        if sleep_ns > 0 {
            thread::sleep(Duration::from_nanos(sleep_ns));
        }
        while self.now_ns() < at_ns {
            // Others that wait on this CPU for the same moment look at the clock in between.
            thread::yield_now();
        }
    }
}

/// Nanoseconds since the host was started, those during which it was suspended among them. Whoever sets the time of day does not move it.
pub fn since_boot_ns() -> u64 {
    ns_of(clock_gettime(ClockId::Boottime))
}

/// CPU time that the calling thread has used, user and system, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    ns_of(clock_gettime(ClockId::ThreadCPUTime))
}

/// Asks the kernel to end the waits of this thread on time. Otherwise it may end them up to 50 us late, to save power. Where it
/// refuses, waits end later.
pub fn exact_timers() {
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// CPU time that all threads of this process have used, including those that ended, in nanoseconds. It is exact, unlike
/// the kernel's tables, which have steps of 10 ms.
pub(crate) fn process_cpu_ns() -> u64 {
    ns_of(clock_gettime(ClockId::ProcessCPUTime))
}

#[inline]
fn monotonic_ns() -> u64 {
    ns_of(clock_gettime(ClockId::Monotonic))
}

#[inline]
fn ns_of(time: Timespec) -> u64 {
    // All clocks count from a moment in the past: never negative.
    time.tv_sec.cast_unsigned().wrapping_mul(NS_PER_S).wrapping_add(time.tv_nsec.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn copies_share_the_origin_and_never_go_back() {
        let clock = MonotonicClock::start();
        let copy = clock;
        let mut last_ns = 0;
        for _ in 0..10_000 {
            let now_ns = clock.now_ns();
            let copied_ns = copy.now_ns();
            assert!(last_ns <= now_ns && now_ns <= copied_ns);
            last_ns = copied_ns;
        }
    }

    #[test]
    fn a_wait_is_never_over_before_its_time() {
        let clock = MonotonicClock::start();
        for ns in [0, 1000, 3 * AWAKE_NS] {
            let at_ns = clock.now_ns() + ns;
            clock.wait_until(at_ns);
            assert!(clock.now_ns() >= at_ns);
        }
    }

    #[test]
    fn a_clock_can_begin_later_than_the_machine() {
        let late_ns = u64::MAX / 2;
        let clock = MonotonicClock::at(late_ns);
        let now_ns = clock.now_ns();
        assert!(now_ns >= late_ns && now_ns < late_ns + 3_600_000_000_000, "{now_ns}");
    }

    #[test]
    fn a_nanosecond_is_a_nanosecond() {
        let (clock, reference) = (MonotonicClock::start(), Instant::now());
        thread::sleep(Duration::from_millis(5));
        let (now_ns, elapsed) = (clock.now_ns(), reference.elapsed());
        // The clock was started first and read first, each a moment before the reference.
        assert!(now_ns >= 5_000_000);
        assert!(u128::from(now_ns).abs_diff(elapsed.as_nanos()) < 1_000_000_000, "{now_ns} ns, {elapsed:?}");
    }
}
