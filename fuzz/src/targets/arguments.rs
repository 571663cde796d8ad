//! Both command lines: whatever the arguments, they are understood or told to be wrong, in time and in printable words. The arguments
//! are parted by NUL bytes, as the kernel parts them; the first is the program's name.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let argv: Vec<OsString> =
        bytes.split(|&byte| byte == 0).map(|argument| OsString::from_vec(argument.to_vec())).collect();
    if let Err(problem) = rigel::understand(&argv) {
        assert_ne!(problem.kind.code(), 5, "{problem}");
    }
}
