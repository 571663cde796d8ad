//! Refuses to run set-uid or set-gid. Must not change the rights of the process.

use rigel_core::error::Problem;
use rustix::process::{getegid, geteuid, getgid, getuid};

/// Refuses to run with rights that its caller does not have (set-uid, set-gid).
pub fn check() -> Result<(), Problem> {
    judge((getuid().as_raw(), getgid().as_raw()), (geteuid().as_raw(), getegid().as_raw()))
}

fn judge(caller: (u32, u32), effective: (u32, u32)) -> Result<(), Problem> {
    if caller == effective {
        return Ok(());
    }
    Err(Problem::refused("Rigel refuses to run set-uid or set-gid")
        .because("it opens every file and device that its caller names, so anyone could read and write what only the owner may")
        .next("clear the bits (chmod u-s,g-s); give users access to the devices (group disk), or sudo"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::error::ExitKind;

    #[test]
    fn only_the_callers_own_rights_will_do() {
        assert!(judge((1000, 1000), (1000, 1000)).is_ok());
        assert!(judge((0, 0), (0, 0)).is_ok());
        for effective in [(0, 1000), (1000, 6), (0, 0)] {
            assert_eq!(judge((1000, 1000), effective).unwrap_err().kind, ExitKind::Refused);
        }
    }
}
