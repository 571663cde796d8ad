//! `rigel capacity`: what production did, out of other tools and by our own recorder.
//!
//! Must not read a format; `rigel_core::uses::capacity` does.

mod forecast;
mod hosts;
mod import;
mod record;
mod replay;
mod show;

use crate::args::Capacity;
use rigel_core::error::Problem;

pub fn capacity(capacity: &Capacity) -> Result<(), Problem> {
    match capacity {
        Capacity::Import(options) => import::import(options),
        Capacity::Record(options) => record::record(options),
        Capacity::List(options) => show::list(options),
        Capacity::Show(options) => show::show(options),
        Capacity::Forecast(options) => forecast::forecast(options),
        Capacity::Replay(options) => replay::replay(options),
    }
}
