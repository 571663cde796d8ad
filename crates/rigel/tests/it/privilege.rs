//! Whose rights the program runs with.

use crate::support::{Place, tell};
use rigel_testdev::{MissingNeed, needs};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::PathBuf;
use std::process::Command;

/// The program in a file that is another user's, and runs with that user's rights.
fn set_uid(place: &Place) -> Result<PathBuf, MissingNeed> {
    let program = place.path().join("rigel");
    fs::copy(env!("CARGO_BIN_EXE_rigel"), &program).map_err(MissingNeed::new)?;
    let somebody = 4711;
    chown(&program, Some(somebody), None).map_err(MissingNeed::new)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).map_err(MissingNeed::new)?;
    // A process that was told to take no new rights ignores the bit.
    let status = fs::read_to_string("/proc/self/status").map_err(MissingNeed::new)?;
    let takes_rights = status.lines().any(|line| line.split_whitespace().eq(["NoNewPrivs:", "0"]));
    if takes_rights { Ok(program) } else { Err(MissingNeed::new("this process takes no new rights")) }
}

#[test]
fn rights_that_the_caller_does_not_have_are_refused() {
    let place = Place::new();
    let Some(program) = needs("rights_that_the_caller_does_not_have_are_refused", set_uid(&place)) else {
        return;
    };
    for arguments in [&["doctor"][..], &["run", "simple", "--engine", "sim"], &["--version"]] {
        let told = tell(Command::new(&program).args(arguments).current_dir(place.path())).expect_code(3);
        assert!(told.stderr.contains("set-uid") && told.stdout.is_empty(), "{told:?}");
    }
    assert_eq!(place.files(), ["rigel"], "nothing was written");
}
