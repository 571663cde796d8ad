//! What a server's own cache kept of the table, from the fill or from an earlier run: look-ups would find it there.
//!
//! Must not know how a product pushes it out.

use crate::patience::asked;
use crate::server::Server;
use crate::table::Table;
use rigel_core::error::Problem;

/// Pushes it out part by part, where the product can. `go_on` is asked before each part, with its number.
///
/// # Errors
/// Those of `go_on`, when the table cannot be read, and when the server does not answer.
pub fn push_out(
    mut server: Box<dyn Server>,
    table: &Table,
    mut go_on: impl FnMut(u32) -> Result<(), Problem>,
) -> Result<Box<dyn Server>, Problem> {
    for part in 0.. {
        go_on(part)?;
        let of = table.clone();
        let (answered, more) = asked(server, move |server| server.push_out(&of, part))?;
        server = answered;
        if !more {
            break;
        }
    }
    Ok(server)
}
