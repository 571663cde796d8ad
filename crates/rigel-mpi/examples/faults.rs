//! A program over the same line that fails as it is told: what becomes of the other nodes then. For the tests of rigel-mpi.
#![forbid(unsafe_code)]

use rigel_cluster::Cluster as _;
use rigel_mpi::World;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

fn main() -> ExitCode {
    let how = std::env::args().nth(1).unwrap_or_default();
    let world = World::begin().expect("MPI");
    let mut link = world.link();
    std::panic::set_hook(Box::new(|_| World::abort_for_panic()));
    if link.rank() == 1 {
        thread::sleep(Duration::from_millis(300));
        match how.as_str() {
            "panic" => panic!("on purpose"),
            "exit" => std::process::exit(3),
            // Until somebody ends it.
            "stay" => thread::sleep(Duration::MAX),
            other => panic!("no way to fail is called {other}"),
        }
    }
    if how == "stay" {
        let names = ["node 0 (db0)", "node 1 (db1)", "node 2 (db2)"].map(str::to_owned);
        world.end(std::env::args().nth(2).and_then(|code| code.parse().ok()).unwrap_or(0), &names);
        return ExitCode::SUCCESS;
    }
    // For a message that never comes.
    while link.poll().expect("MPI").is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    ExitCode::SUCCESS
}
