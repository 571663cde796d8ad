//! `rigel durability`: writes whose acknowledgements a witness keeps, the witness, and the check after the power was cut.
//!
//! Must not judge what is found; `rigel_core::uses::durability` does.

mod check;
mod run;
mod witness;

use crate::args::Durability;
use rigel_core::error::Problem;

pub fn durability(options: &Durability) -> Result<(), Problem> {
    match options {
        Durability::Run(options) => run::run(options),
        Durability::Witness(options) => witness::witness(options),
        Durability::Check(options) => check::check(options),
    }
}
