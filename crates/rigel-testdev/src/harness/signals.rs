//! Signals that a shell ignores on behalf of a job in the background, which every program that it starts would ignore as well.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::AtomicBool;

/// Lets programs that are started from now on stop on SIGINT, SIGTERM and SIGHUP, wherever this one was started (`nohup`, `&` in a script). A
/// signal that is handled, and not ignored, is set back to its usual effect when a program starts; here it keeps that effect.
pub fn restore_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // One that cannot be handled has its usual effect.
            let _ = signal_hook::flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true)));
        }
    });
}
