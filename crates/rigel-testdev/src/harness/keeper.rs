//! Starts daemons from one thread that lives as long as the process and does nothing else.
//!
//! The kernel sends the death signal of a child at the end of the *thread* that started it. From a test's
//! own thread it would come too early (a device kept for several tests) or never: a thread that waits for
//! an answer held by `hang` cannot die before the daemon does. It must not touch a mounted file.

use std::io;
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::sync::mpsc::{Sender, channel};
use std::thread;

struct Order {
    command: Command,
    started: Sender<io::Result<Child>>,
}

static KEEPER: LazyLock<io::Result<Sender<Order>>> = LazyLock::new(|| {
    let (sender, orders) = channel::<Order>();
    thread::Builder::new().name("keeper".to_owned()).spawn(move || {
        for mut order in orders {
            let _ = order.started.send(order.command.spawn());
        }
    })?;
    Ok(sender)
});

/// Starts the command as a child that gets its death signal when this process ends.
pub(super) fn spawn(command: Command) -> io::Result<Child> {
    let gone = || io::Error::other("the thread that starts daemons is gone");
    let (started, child) = channel();
    let keeper = KEEPER.as_ref().map_err(|error| io::Error::other(error.to_string()))?;
    keeper.send(Order { command, started }).map_err(|_| gone())?;
    child.recv().map_err(|_| gone())?
}
