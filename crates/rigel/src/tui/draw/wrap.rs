//! Texts in lines of a given width. A per cent sign stays with its number.
//!
//! Must not know what they are about.

/// Replaces a blank and a per cent sign while lines are broken: no text contains this control character.
const JOINED: &str = "\u{1}";

/// The lines of a text: the first at full width, the others indented by `indent` blanks. A word that is longer than a line is broken.
pub fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut is_begun = false;
    for word in text.replace(" %", JOINED).split(' ') {
        let mut rest: Vec<char> = word.replace(JOINED, " %").chars().collect();
        loop {
            let blank = usize::from(is_begun);
            let room = width.saturating_sub(line.chars().count() + blank);
            if rest.len() <= room || width <= indent {
                line.extend(is_begun.then_some(' ').into_iter().chain(rest));
                is_begun = true;
                break;
            }
            if !is_begun {
                line.extend(rest.drain(..room.clamp(1, rest.len())));
            }
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            is_begun = false;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_lost_and_no_line_too_wide() {
        assert_eq!(wrapped("one two three", 7, 2), ["one two", "  three"]);
        assert_eq!(wrapped("one", 7, 2), ["one"]);
        assert_eq!(wrapped("abcdefghij k", 6, 2), ["abcdef", "  ghij", "  k"]);
        assert_eq!(wrapped("", 7, 2), [""]);
        assert_eq!(wrapped("lost -64 % of it", 8, 2), ["lost", "  -64 %", "  of it"]);
        for width in 3..30 {
            let text = "a point of seventeen: THROTTLED (after 12.5 s, incomprehensibilities)";
            let lines = wrapped(text, width, 2);
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:?}");
            let letters = |text: &str| text.replace(' ', "");
            assert_eq!(letters(&lines.concat()), letters(text));
        }
    }
}
