//! The meaning of I/O errors, in words.
//!
//! The numbers are Linux's own (<asm-generic/errno.h>), the meanings those that its block layer gives them
//! (`blk_errors` in block/blk-core.c). Must not ask the system: a record is read on any host.

/// `errno 61 (medium error)`; the number alone if it has no special meaning for storage.
pub fn text(errno: i32) -> String {
    match meaning(errno) {
        Some(meaning) => format!("errno {errno} ({meaning})"),
        None => format!("errno {errno}"),
    }
}

const fn meaning(errno: i32) -> Option<&'static str> {
    Some(match errno {
        1 | 13 => "this user lacks permission",
        4 => "interrupted",
        5 => "I/O error",
        6 | 19 => "the device has disappeared",
        9 => "the file is closed",
        11 => "temporarily out of resources",
        12 => "out of memory",
        16 => "busy",
        22 => "the device rejects the size, offset or alignment of the request",
        27 => "beyond the largest file",
        28 => "no space left, or beyond the end",
        30 => "read-only",
        52 => "reservation conflict",
        61 => "medium error",
        67 => "transport error: the path to the device failed",
        84 => "protection information mismatch",
        95 => "the device or its driver does not support the operation",
        110 => "timed out",
        116 => "the file has disappeared",
        121 => "the target failed",
        122 => "quota exceeded",
        125 => "cancelled",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown_numbers() {
        assert_eq!(text(61), "errno 61 (medium error)");
        assert_eq!(text(5), "errno 5 (I/O error)");
        assert_eq!((text(4095), text(-1)), ("errno 4095".to_owned(), "errno -1".to_owned()));
    }
}
