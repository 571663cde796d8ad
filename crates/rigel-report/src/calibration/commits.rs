//! Why a calibration has no figures of commits, in words.
//!
//! Must not decide whether they are measured.

use rigel_core::load::commits::NoCommits;

/// The reason, as what follows "none, because".
pub(crate) const fn reason(reason: NoCommits) -> &'static str {
    match reason {
        NoCommits::LeftOut => "they were left out with --no-commits",
        NoCommits::NoConsent => {
            "nothing may be written to the targets; `rigel run commit` in a directory on that storage measures them on a scratch file"
        }
        NoCommits::NoFlush => "the simulated device has no flush; flush=200us gives it one",
        NoCommits::Engine => "the engine cannot wait for writes to be durable; the others can",
        NoCommits::Kernel => {
            "this kernel is too old (Linux 4.18 can); `rigel run commit --engine threads --sync fdatasync` may work"
        }
        NoCommits::NotYet => "the run ended before their turn came",
        NoCommits::NoTime => "the time was up before; a longer --budget measures them",
    }
}

/// The same, unless whoever asked for the calibration has said so.
pub(crate) const fn news(why: NoCommits) -> Option<&'static str> {
    match why {
        NoCommits::LeftOut | NoCommits::NoFlush => None,
        NoCommits::NoConsent
        | NoCommits::Engine
        | NoCommits::Kernel
        | NoCommits::NoTime
        | NoCommits::NotYet => Some(reason(why)),
    }
}
