//! Points in time: from the text in a record to the numbers of other formats.
//!
//! Must not read a clock.

use jiff::Timestamp;

/// Milliseconds from the start of 1970 to a time in RFC 3339; `None` if the text is not one.
pub(crate) fn epoch_ms(rfc3339: &str) -> Option<i64> {
    Some(rfc3339.parse::<Timestamp>().ok()?.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_and_nonsense_is_no_moment() {
        assert_eq!(epoch_ms("2026-01-01T12:00:00+01:00"), Some(1_767_265_200_000));
        assert_eq!(epoch_ms("2026-01-01T11:00:00.25Z"), Some(1_767_265_200_250));
        for wrong in ["", "yesterday", "2026-01-01", "2026-13-01T00:00:00Z", "\u{1b}[2J"] {
            assert_eq!(epoch_ms(wrong), None, "{wrong}");
        }
    }
}
