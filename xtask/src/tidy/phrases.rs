//! Rules about phrases: marks of translation that no native engineer writes, in strings, help texts and pages.
//!
//! Must not judge identifiers, tests or comments of code; a phrase with a legitimate use needs a narrower pattern.

use super::Finding;
use super::source::{RustFile, TextFile, for_each_token, is_for_tests};
use proc_macro2::{TokenStream, TokenTree};
use syn::Item;
use syn::spanned::Spanned as _;

/// What to look for, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("gone on with", "resumed"),
    ("goes on behind", "resumes after"),
    ("speaks against", "a warning"),
    ("speak against", "warnings"),
    ("stands beside", "is shown with"),
    ("tells of", "reports"),
    ("tell of", "report"),
    ("cannot be had", "is not available"),
    ("no number of", "not a valid number of"),
    ("makes no number", "cannot be combined"),
    ("make no number", "cannot be combined"),
    ("hardly longer", "barely longer"),
    ("hardly slower", "barely slower"),
    ("as far as it goes", "so far"),
    ("need it no more", "no longer need it"),
    ("did not come back", "did not complete"),
    ("came back for", "completed for"),
    ("is no regular file", "is not a regular file"),
    ("is no directory", "is not a directory"),
    ("is no record", "is not a record"),
    ("is no text", "is not text"),
    ("is no whole number", "is not a whole number"),
    ("is no storage", "is not storage"),
    ("looked at again", "checked again"),
    ("kernel's log", "kernel log"),
    ("per cent together", "add up to"),
    ("stands for itself", "is taken literally"),
    ("start it again; when", "start it again; if"),
    ("surely", "certainly, or clearly"),
    ("has no say", "does not count"),
    ("goes on with", "resumes"),
    ("went on with", "resumed"),
    ("nobody tells", "is unknown"),
    ("is no error", "is not an error"),
    ("is no failure", "is not a failure"),
    ("is no device", "is not a device"),
    ("hold the truth", "contain the true value"),
    ("holds the truth", "contains the true value"),
    ("does not go with", "cannot be combined with"),
    ("were looked at", "were checked"),
    ("asked for, for", "requested, for"),
    ("is told even", "is reported even"),
    ("that shall ", "that should"),
    ("was looked at", "was checked"),
    ("be looked at", "be checked"),
    ("Looked at ", "Checked"),
    ("searched for first", "searching for it first"),
    ("have not both", "do not have both"),
    ("has not both", "does not have both"),
    ("is no mean", "is not a mean"),
    ("is no parabola", "is not a parabola"),
    ("are no repetition", "are not repetitions"),
    ("' is no option", "is not an option"),
    ("hardly move", "barely move"),
    ("in some minutes", "in a few minutes"),
    ("one from which on", "one from which"),
    ("stands behind", "follows"),
    ("stand behind", "follow"),
    ("may stand beside", "may appear with"),
    ("is called so", "has this name"),
    ("are called so", "have this name"),
    ("as fast as it goes", "at full speed"),
    ("what becomes of", "what happens to"),
    ("came to nothing", "failed"),
    ("lies beside", "is next to"),
    ("belongs behind", "belongs after"),
    (":00 gone", "elapsed"),
    ("more surely", "with more certainty"),
];

/// Every phrase in the strings of a program, tests left out.
pub fn check_rust(file: &RustFile) -> Vec<Finding> {
    if !file.is_module() || file.is_test() || file.path.starts_with("xtask/") {
        return Vec::new();
    }
    let tests: Vec<_> = file.syntax.items.iter().filter(|item| is_test_module(item)).map(lines).collect();
    let mut findings = Vec::new();
    let source: Vec<&str> = file.text.lines().collect();
    // A comment of documentation is a literal, too; those of options are help texts.
    let is_code = |line: usize| {
        file.path.starts_with("crates/rigel/src/args") || !source[line - 1].trim_start().starts_with("//")
    };
    for_each_literal(&file.tokens, &mut |line, text| {
        if is_code(line) && !tests.iter().any(|&(first, last)| (first..=last).contains(&line)) {
            findings.extend(find(file.path, line, text));
        }
    });
    findings
}

/// Every phrase in the pages that people write.
pub fn check_page(file: &TextFile) -> Vec<Finding> {
    let is_page = file.path == "README.md" || file.path.starts_with("docs/") && file.path.ends_with(".md");
    let is_made = file.path.contains("/man/") || file.path.ends_with("option-rules.md");
    if !is_page || is_made {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate();
    lines.flat_map(|(index, line)| find(&file.path, index + 1, line)).collect()
}

fn find(path: &str, line: usize, text: &str) -> Vec<Finding> {
    let finding = |(phrase, better): &(&str, &str)| {
        Finding::new(path, line, "phrase", format!("\"{phrase}\" reads translated: write \"{better}\""))
    };
    PHRASES.iter().filter(|(phrase, _)| text.contains(phrase)).map(finding).collect()
}

fn is_test_module(item: &Item) -> bool {
    matches!(item, Item::Mod(module) if is_for_tests(&module.attrs))
}

fn lines(item: &Item) -> (usize, usize) {
    (item.span().start().line, item.span().end().line)
}

/// Calls `visit` with the line and the text of every literal, its continued lines joined.
fn for_each_literal(tokens: &TokenStream, visit: &mut impl FnMut(usize, &str)) {
    for_each_token(tokens, &mut |token| {
        if let TokenTree::Literal(literal) = token {
            let text = literal.to_string();
            let joined = text
                .split("\\\n")
                .enumerate()
                .map(|(index, part)| if index == 0 { part } else { part.trim_start() });
            visit(literal.span().start().line, &joined.collect::<String>());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, rust, text};
    use super::*;

    #[test]
    fn a_phrase_is_found_in_a_string_and_over_a_continued_line() {
        let code = "fn f() -> [&'static str; 2] {\n    [\"it is no regular file\", \"a run cannot be gone \\\n     on with\"]\n}\n";
        let file = rust("crates/rigel/src/a.rs", code);
        assert_eq!(places(check_rust(&file)), [(2, "phrase"), (2, "phrase")]);
    }

    #[test]
    fn tests_and_comments_of_code_are_left_out() {
        let code = "/* it speaks against */\n#[cfg(test)]\nmod tests {\n    const A: &str = \"speaks against\";\n}\n";
        assert_eq!(places(check_rust(&rust("crates/rigel/src/a.rs", code))), []);
        let code = "const A: &str = \"speaks against\";\n";
        assert_eq!(places(check_rust(&rust("crates/rigel/src/a/tests.rs", code))), []);
    }

    #[test]
    fn pages_are_judged_unless_they_are_made() {
        let page = "one\nwhat speaks against it\n";
        assert_eq!(places(check_page(&text("docs/guide/load.md", page))), [(2, "phrase")]);
        assert_eq!(places(check_page(&text(concat!("docs/reference/man/", "a.md"), page))), []);
        assert_eq!(places(check_page(&text("CHANGELOG.md", page))), []);
    }
}
