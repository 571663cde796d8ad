//! `rigel capacity`: what production did, from other tools and our own recorder.
//!
//! Must not read a format; `rigel_capacity` does.

mod forecast;
mod guests;
mod hosts;
mod import;
mod record;
mod replay;
mod shared;
mod show;
mod twins;
mod uncertain;

use crate::args::Capacity;
use crate::streams::Streams;
use rigel_core::error::Problem;

pub fn capacity(capacity: &Capacity, streams: &Streams) -> Result<(), Problem> {
    match capacity {
        Capacity::Import(options) => import::import(options, streams),
        Capacity::Record(options) => record::record(options, streams),
        Capacity::List(options) => show::list(options, streams),
        Capacity::Show(options) => show::show(options, streams),
        Capacity::Forecast(options) => forecast::forecast(options, streams),
        Capacity::Replay(options) => replay::replay(options, streams),
    }
}
