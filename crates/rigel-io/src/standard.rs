//! Whether standard output was closed when the program began.
//!
//! The standard library opens /dev/null in place of a closed standard stream before `main`, so what is written there is lost without an
//! error, and cannot be distinguished from a stream redirected to /dev/null. Must not write, and must not look at anything but that
//! descriptor.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set once, before `main`.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether this process started without a standard output.
pub fn is_output_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

extern "C" fn look() {
    // SAFETY: <fcntl.h>: F_GETFD takes no argument, reads the flags of a descriptor, and fails where there is none.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

/// Called by the loader before the standard library is set up.
// SAFETY: the section holds pointers to functions of the C ABI, each of which is called once; `look` needs nothing of the standard library that is
// set up before `main`, and does not unwind.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;
