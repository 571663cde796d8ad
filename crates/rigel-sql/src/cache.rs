//! What a server's own cache kept of the table, from the fill or from an earlier run: look-ups would find it there.
//!
//! Must not know how a product pushes it out.

use crate::patience::asked;
use crate::server::Server;
use crate::table::Table;
use rigel_core::error::Problem;

/// Pushes it out part by part, where the product can. `progress` hears bytes of all bytes after each part.
///
/// # Errors
/// Those of `progress`, when the table cannot be read, and when the server does not answer.
pub fn push_out(
    mut server: Box<dyn Server>,
    table: &Table,
    mut progress: impl FnMut(u64, u64) -> Result<(), Problem>,
) -> Result<Box<dyn Server>, Problem> {
    for part in 0.. {
        let of = table.clone();
        let (answered, bytes) = asked(server, move |server| server.push_out(&of, part))?;
        server = answered;
        let Some((done, all)) = bytes else { break };
        progress(done, all)?;
    }
    Ok(server)
}
