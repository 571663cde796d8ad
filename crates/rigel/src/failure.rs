//! How the program ends when it cannot go on: one text on standard error, one exit code.
//!
//! The only place that prints problems. Must not decide what a problem is.

use crate::streams::Streams;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::panic::{self, PanicHookInfo};
use std::process::{self, ExitCode};
use std::thread;

/// Prints a problem; the exit code that it asks for.
pub fn report(problem: &Problem, streams: &Streams) -> u8 {
    streams.aside(&text(problem));
    problem.kind.code()
}

/// Ends the program immediately, from any thread: the others may be stuck in the kernel.
pub fn at_once(problem: &Problem) -> ! {
    if io::stderr().is_terminal() {
        // What shows progress has not ended its line.
        print("\n");
    }
    print(&text(problem));
    process::exit(problem.kind.code().into())
}

/// Runs the program; a panic anywhere in it ends it with the exit code of a bug.
pub fn guarded(program: impl FnOnce() -> ExitCode + panic::UnwindSafe) -> ExitCode {
    panic::set_hook(Box::new(|info| print(&bug_text(info))));
    caught(program)
}

/// Reports every panic; one of the main thread continues with `then`, because only that thread talks to other nodes, and they must not wait for it.
pub fn tell_panics(then: impl Fn() + Send + Sync + 'static) {
    let main = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        print(&bug_text(info));
        if thread::current().id() == main {
            then();
        }
    }));
}

/// Turns a panic into an exit code; the hook has printed it.
fn caught(program: impl FnOnce() -> ExitCode + panic::UnwindSafe) -> ExitCode {
    panic::catch_unwind(program).unwrap_or_else(|_| ExitCode::from(ExitKind::Bug.code()))
}

/// `error: ...` with where, likely cause and next step, ending in a line feed.
fn text(problem: &Problem) -> String {
    format!("error: {}\n", printable(&problem.to_string()))
}

fn bug_text(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map(ToString::to_string);
    let backtrace = std::backtrace::Backtrace::capture();
    let backtrace =
        (backtrace.status() == std::backtrace::BacktraceStatus::Captured).then(|| backtrace.to_string());
    let payload = info.payload();
    let message = match payload.downcast_ref::<String>() {
        Some(message) => Some(message.as_str()),
        None => payload.downcast_ref::<&str>().copied(),
    };
    bug(message, place, backtrace)
}

fn bug(message: Option<&str>, place: Option<String>, backtrace: Option<String>) -> String {
    let message = message.unwrap_or("no message");
    let mut problem = Problem::new(ExitKind::Bug, format!("this is a bug in Rigel: {message}"))
        .because("an assumption in Rigel did not hold; the targets are not to blame")
        .next(
            "please report it, with the command line and this text (RUST_BACKTRACE=1 adds where it came \
             from)",
        );
    problem.place = place;
    let mut text = text(&problem);
    if let Some(backtrace) = backtrace {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", printable(&backtrace));
    }
    text
}

/// The last guard of the terminal: nothing but line feeds may steer it.
fn printable(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(path_text::printable).collect();
    lines.join("\n")
}

/// A closed standard error is ignored: there is nowhere else to print.
fn print(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_told_whole() {
        let problem = Problem::usage("--write 101 is above 100")
            .at("--write")
            .because("per cent")
            .next("give 0 to 100");
        assert_eq!(
            text(&problem),
            "error: --write 101 is above 100\n  where: --write\n  likely cause: per cent\n  next step: give 0 to 100\n"
        );
    }

    #[test]
    fn nothing_writes_to_the_terminal_through_a_message() {
        let text = text(&Problem::refused("cannot open /dev/\u{1b}[2Jsda\u{9b}"));
        assert_eq!(text, "error: cannot open /dev/\\x1b[2Jsda\\xc2\\x9b\n");
    }

    #[test]
    fn a_panic_ends_with_the_exit_code_of_a_bug() {
        let code = |code| format!("{:?}", ExitCode::from(code));
        assert_eq!(format!("{:?}", caught(|| panic!("on purpose"))), code(5));
        assert_eq!(format!("{:?}", caught(|| ExitCode::from(4))), code(4));
    }

    #[test]
    fn a_bug_says_so_and_where_to_report_it() {
        let text = bug(Some("slot 3 is in flight"), Some("uring.rs:10:5".into()), None);
        assert!(
            text.starts_with("error: this is a bug in Rigel: slot 3 is in flight\n  where: uring.rs:10:5\n")
        );
        assert!(text.contains("please report it"));
        assert!(text.ends_with('\n'));
    }
}
