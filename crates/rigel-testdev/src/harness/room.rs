//! Room on the disk of the tests' directories. Without it, what a test asks for is rightly refused.
//!
//! Must not keep the room: what others write meanwhile counts as well.

use super::needs::Unavailable;
use std::env;

/// Whether so many bytes are free where temporary directories are made.
///
/// # Errors
///
/// When fewer are.
pub fn room(bytes: u64) -> Result<(), Unavailable> {
    let place = env::temp_dir();
    let disk = rustix::fs::statvfs(&place).map_err(Unavailable::new)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if free >= bytes {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    let place = place.display();
    Err(Unavailable::new(format!("{} MiB are needed in {place}, and {} are free", mib(bytes), mib(free))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_any_disk_has_is_not_there() {
        assert_eq!(room(0), Ok(()));
        let reason = room(u64::MAX).unwrap_err().to_string();
        assert!(reason.starts_with("17592186044415 MiB are needed in "), "{reason}");
    }
}
