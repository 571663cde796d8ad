//! The word that was probably meant by an unknown one: close in spelling, or a part of it. No suggestion is better than a wrong one.
//!
//! Must not know what is named: options, keys of a file.

use strsim::osa_distance;

/// Fewer letters occur in too many words.
const LEAST_PART: usize = 3;
/// A part of a word that is this many times as long is no shorter form of it: `out` of `outstanding`.
const LONGEST_OF_PART: usize = 3;

/// The known word nearest to what was typed; `None` if none is near.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = plain(typed);
    let near = known.into_iter().filter_map(|word| Some((distance(&typed, &plain(word))?, word)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// Whether a word is another one with a single typing slip.
pub fn is_slip(typed: &str, word: &str) -> bool {
    osa_distance(&plain(typed), &plain(word)) <= 1
}

/// Case, dashes and underscores do not make another word.
fn plain(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// In longer words a different letter is a slip; in shorter ones it usually makes another word.
const SHORT: usize = 5;

/// Edits between two words, of which one letter in three may be wrong; then whether the first letter is wrong, how much
/// longer one word is, and whether it is the typed one: an end is left out more often than made up. `None` if another word
/// was meant: one with a different number, such as p95 for p99, or a short one with a letter from elsewhere on the keyboard.
fn distance(typed: &str, word: &str) -> Option<(usize, bool, usize, bool)> {
    let numbers = [digits(typed), digits(word)];
    let is_other_number = numbers[0] != numbers[1] && numbers.iter().all(|number| !number.is_empty());
    if is_other_number || is_another(typed, word) {
        return None;
    }
    let (longer, is_too_long) = (typed.len().abs_diff(word.len()), typed.len() > word.len());
    let starts_otherwise = typed.chars().next() != word.chars().next();
    let (short, long) = if typed.len() < word.len() { (typed, word) } else { (word, typed) };
    let changes = osa_distance(typed, word);
    let is_part =
        short.len() >= LEAST_PART && long.len() <= LONGEST_OF_PART * short.len() && long.contains(short);
    if changes > 1 && is_part {
        return Some((1, starts_otherwise, longer, is_too_long));
    }
    (changes <= (long.len() / 3).max(1)).then_some((changes, starts_otherwise, longer, is_too_long))
}

fn digits(word: &str) -> String {
    word.chars().filter(char::is_ascii_digit).collect()
}

/// Whether two short words differ in letters that are not neighbours on a keyboard: mssql is not a slip of mysql. Swapped
/// letters are always a slip.
fn is_another(typed: &str, word: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_replaced = typed.len() == word.len() && word.len() <= SHORT && letters(typed) != letters(word);
    is_replaced
        && typed.chars().zip(word.chars()).any(|(one, other)| one != other && !are_neighbours(one, other))
}

const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

fn are_neighbours(one: char, other: char) -> bool {
    let place =
        |key| KEYBOARD.iter().enumerate().find_map(|(row, keys)| keys.find(key).map(|column| (row, column)));
    let is_near = |((row, column), (other_row, other_column)): ((usize, usize), (usize, usize))| {
        row.abs_diff(other_row) <= 1 && column.abs_diff(other_column) <= 1
    };
    place(one).zip(place(other)).is_some_and(is_near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_a_part_or_another_spelling() {
        let engines = ["auto", "io_uring", "nvme", "libaio", "sync", "threads", "null", "nop", "sim"];
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

    #[test]
    fn a_slip_is_one_letter() {
        for (typed, word, is) in [
            ("wirte", "write", true),
            ("--writ", "write", true),
            ("destroydata", "destroy-data", true),
            ("overwrite", "write", false),
            ("write_lat_log", "write", false),
            ("destroy", "destroy-data", false),
        ] {
            assert_eq!(is_slip(typed, word), is, "{typed}");
        }
    }

    #[test]
    fn no_word_is_better_than_a_wrong_one() {
        for (typed, known, meant) in [
            ("p95", &["mean", "p99"][..], None),
            ("p999", &["p50", "p99", "p999"], Some("p999")),
            ("raid5", &["concat", "raid0"], None),
            ("raid", &["concat", "raid0"], Some("raid0")),
            ("mssql", &["postgresql", "mysql", "oracle"], None),
            ("mysqk", &["postgresql", "mysql", "oracle"], Some("mysql")),
            ("mysqll", &["postgresql", "mysql", "oracle"], Some("mysql")),
            ("msyql", &["postgresql", "mysql", "oracle"], Some("mysql")),
            ("raw", &["basic", "col", "row", "max"], None),
            ("rpw", &["basic", "col", "row", "max"], Some("row")),
            ("calibrete", &["calibrate"], Some("calibrate")),
            ("outstandin", &["out"], None),
            ("outpu", &["out"], Some("out")),
            ("writer", &["write", "writers"], Some("writers")),
        ] {
            assert_eq!(nearest(typed, known.iter().copied()), meant, "{typed}");
        }
    }
}
