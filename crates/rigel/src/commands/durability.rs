//! `rigel durability`: writes whose acknowledgements a witness keeps, the witness, and the check after the power was cut.
//!
//! Must not judge what is found; `rigel_uses::durability` does.

mod check;
mod run;
mod witness;

use crate::args::Durability;
use crate::streams::Streams;
use rigel_core::error::Problem;

pub fn durability(options: &Durability, streams: &Streams) -> Result<(), Problem> {
    match options {
        Durability::Run(options) => run::run(options, streams),
        Durability::Witness(options) => witness::witness(options, streams),
        Durability::Check(options) => check::check(options, streams),
    }
}
