//! What leaves a required rate undecided, in words, and the step that removes it.
//!
//! Must not judge; the findings do.

use rigel_core::judge::findings::{RequiredRate, SloOpen};
use rigel_core::stats::share::BoundVerdict;
use rigel_core::units::say::{thousands, trimmed};

/// The name in documents.
pub(super) const fn name(open: SloOpen) -> &'static str {
    match open {
        SloOpen::NotVisited => "not_visited",
        SloOpen::Overload => "overload",
        SloOpen::Busy => "busy_host",
        SloOpen::Late => "late",
        SloOpen::Few => "few_ios",
        SloOpen::AtBound(_) => "at_bound",
        SloOpen::Unusable(_) => "unusable",
        SloOpen::Around => "rates_around",
        SloOpen::Rests(_) => "rests",
    }
}

/// The cause, as a clause after `because` or `;`.
fn clause(open: SloOpen) -> String {
    let clause = match open {
        SloOpen::Unusable(code) => {
            return format!("the numbers there are not those of the storage ({})", code.name());
        }
        SloOpen::Rests(mean) => {
            return format!(
                "in short visits: the load of the whole run was {} per second on average, so burst credit could come back \
                 in between; require this rate alone, and the load keeps up",
                thousands(mean)
            );
        }
        SloOpen::NotVisited => "no visit to that rate was completed",
        SloOpen::Overload => {
            "more arrives there than is served (OVERLOAD), and the visits ended before the backlog reached the limit"
        }
        SloOpen::Busy => "the host was busy: others used its CPUs or devices meanwhile (FOREIGN)",
        SloOpen::Late => "Rigel itself began I/Os late (PACING_LATE), as this host had no CPU time for it",
        SloOpen::Few => "too few I/Os or visits were seen",
        SloOpen::AtBound(Some(_)) => "the limit lies within the interval",
        SloOpen::AtBound(None) => "the latency there is at the limit",
        SloOpen::Around => "the rates around it decide, though its own visits leave it open",
    };
    clause.to_owned()
}

/// The result of a requirement: `met`, `NOT met`, `NOT met as measured, though the host was busy`, `undecided because ..`.
pub(super) fn verdict(found: &RequiredRate) -> String {
    match (found.kept, found.open) {
        (BoundVerdict::Yes, Some(SloOpen::Around)) => format!("met ({})", clause(SloOpen::Around)),
        (BoundVerdict::Yes, Some(open)) => format!("met as measured ({})", clause(open)),
        (BoundVerdict::Yes, None) => "met".to_owned(),
        (BoundVerdict::No, None) => "NOT met".to_owned(),
        (BoundVerdict::No, Some(SloOpen::Around)) => format!("NOT met ({})", clause(SloOpen::Around)),
        (BoundVerdict::No, Some(open)) => format!("NOT met as measured ({})", clause(open)),
        (BoundVerdict::Undecided, Some(open)) => format!("undecided because {}", clause(open)),
        (BoundVerdict::Undecided, None) => "undecided".to_owned(),
    }
}

/// The same in a word or two.
pub(crate) const fn word(found: &RequiredRate) -> &'static str {
    match (found.kept, found.open) {
        (BoundVerdict::Yes, None | Some(SloOpen::Around)) => "met",
        (BoundVerdict::Yes, Some(_)) => "met as measured",
        (BoundVerdict::No, None | Some(SloOpen::Around)) => "not met",
        (BoundVerdict::No, Some(_)) => "not met as measured",
        (BoundVerdict::Undecided, _) => "undecided",
    }
}

/// The reason, as a sentence; `None` if the number says it all.
pub(crate) fn why(found: &RequiredRate) -> Option<String> {
    let clause = clause(found.open?);
    let (first, others) = clause.split_at_checked(1)?;
    Some(format!("{}{others}.", first.to_ascii_uppercase()))
}

/// How to remove the cause; `None` if it is decided.
pub(super) fn step(open: SloOpen) -> Option<String> {
    Some(match open {
        SloOpen::Around | SloOpen::Rests(_) => return None,
        SloOpen::Unusable(code) => format!("see what raised {}, and measure again", code.name()),
        SloOpen::NotVisited => "give the run more time: give it more time with --for".to_owned(),
        SloOpen::Overload => "require a lower rate".to_owned(),
        SloOpen::Busy => "stop what else uses this host, or wait until it is quiet, and measure again".to_owned(),
        SloOpen::Late => {
            "see what else uses the CPUs of this host, and measure again; or give Rigel CPUs of its own (--cpus)"
                .to_owned()
        }
        SloOpen::Few => "measure longer with --for".to_owned(),
        SloOpen::AtBound(Some(times)) => format!(
            "measure about {} times as long with --for, or ask for a rate or a limit further away",
            trimmed(times.ceil().max(2.0))
        ),
        SloOpen::AtBound(None) => {
            "ask for a rate or a latency farther from what the storage does there: more time would barely \
             help"
                .to_owned()
        }
    })
}
