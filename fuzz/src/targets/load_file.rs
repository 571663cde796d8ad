//! Load files: any bytes are a load, or a problem with a line and a column. A load can be written and read again, and can be planned
//! or is refused.

use crate::assert_printable;
use rigel_core::facts::{HostFacts, TargetFacts};
use rigel_core::load::file;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::plan::Plan;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::sim::SimLaw;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let refused = |problem: rigel_core::error::Problem| {
        assert_eq!(problem.kind.code(), 2);
        assert_printable("a problem", &problem.to_string());
    };
    let load = match file::read("x.toml", bytes) {
        Ok(load) => load,
        Err(problem) => {
            assert!(problem.place.as_ref().is_some_and(|place| place.starts_with("x.toml:")), "{problem}");
            return refused(problem);
        }
    };
    let text = load.text("again");
    assert_printable("a load file", &text);
    assert_eq!(file::read("x.toml", text.as_bytes()).as_ref(), Ok(&load), "{text}");
    let engine = EngineRequest::Sim(SimLaw::default());
    let asked = Request { engine, ..Request::new(RunLevel::Load).paced(Pace::Adaptive(Adaptive::default())) };
    match load.request(asked) {
        Err(problem) => refused(problem),
        Ok(request) => {
            if let Err(problem) =
                Plan::new(&request, &HostFacts::default(), &[TargetFacts::simulated(1 << 30)])
            {
                assert_printable("a problem", &problem.to_string());
            }
        }
    }
}
