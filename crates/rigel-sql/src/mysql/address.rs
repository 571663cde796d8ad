//! Where a private server is: its socket. Must not ask the server for anything.

use mysql::{Conn, OptsBuilder};
use rigel_core::path_text;
use std::path::Path;

/// Whom a private server knows.
const LEADER: &str = "root";

/// The socket of a server.
#[derive(Clone, Debug)]
pub struct Address {
    socket: String,
    shown: String,
}

impl Address {
    /// The private server of this socket.
    pub fn private(socket: &Path) -> Self {
        Self {
            socket: socket.to_string_lossy().into_owned(),
            shown: format!("socket={}", path_text::encode(socket)),
        }
    }

    /// For people and for records.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// A new session.
    pub(super) fn connect(&self) -> Result<Conn, mysql::Error> {
        let options = OptsBuilder::new().socket(Some(self.socket.clone())).user(Some(LEADER));
        // Without it the server is asked for its socket, to connect again.
        Conn::new(options.prefer_socket(false))
    }
}
