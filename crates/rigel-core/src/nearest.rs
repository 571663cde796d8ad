//! The word that was probably meant where one is not known: near in spelling, or a part of it.
//!
//! Must not know what is named: options, keys of a file.

use strsim::osa_distance;

/// Fewer letters are a part of too many words.
const LEAST_PART: usize = 3;

/// The known word that is nearest to what was typed; `None` when none is near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = plain(typed);
    let near = known.into_iter().filter_map(|word| Some((distance(&typed, &plain(word))?, word)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// Case, dashes and underscores make no other word.
fn plain(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Letters to change, of which every third may be wrong; then whether the first one is wrong, and how much longer one
/// is than the other.
fn distance(typed: &str, word: &str) -> Option<(usize, bool, usize)> {
    let longer = typed.len().abs_diff(word.len());
    let starts_otherwise = typed.chars().next() != word.chars().next();
    let (short, long) = if typed.len() < word.len() { (typed, word) } else { (word, typed) };
    let changes = osa_distance(typed, word);
    if changes > 1 && short.len() >= LEAST_PART && long.contains(short) {
        return Some((1, starts_otherwise, longer));
    }
    (changes <= (long.len() / 3).max(1)).then_some((changes, starts_otherwise, longer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_a_part_or_another_spelling() {
        let engines = ["auto", "io_uring", "nvme", "libaio", "threads", "null", "nop", "sim"];
        for (typed, meant) in [
            ("aio", Some("libaio")),
            ("LIBAIO", Some("libaio")),
            ("io-uring", Some("io_uring")),
            ("uring", Some("io_uring")),
            ("thread", Some("threads")),
            ("simulated", Some("sim")),
            ("warp", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, engines), meant, "{typed}");
        }
        let commands = ["run", "calibrate", "report", "compare", "completions", "man"];
        for (typed, meant) in
            [("rnu", "run"), ("calbirate", "calibrate"), ("comp", "compare"), ("reprot", "report")]
        {
            assert_eq!(nearest(typed, commands), Some(meant), "{typed}");
        }
        assert_eq!(nearest("rwo", ["basic", "col", "row", "max"]), Some("row"));
        assert_eq!(nearest("bsh", ["bash", "fish", "zsh"]), Some("bash"));
        assert_eq!(nearest("jsn", ["json", "hlog", "html"]), Some("json"));
    }
}
