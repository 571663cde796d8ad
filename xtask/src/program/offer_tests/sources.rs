//! The commands in the strings of the sources: errors, hints and remarks, whether or not a test makes them appear.

use super::*;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::fs;
use std::path::{Path, PathBuf};

/// Every file of a folder that holds more than tests.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_test = name == "tests" || name.ends_with("_tests");
        match path.extension() {
            _ if is_test => {}
            None if path.is_dir() => files(&path, all),
            Some(end) if end == "rs" => all.push(path),
            _ => {}
        }
    }
}

/// Every string of a program text but comments and tests, with its line.
fn strings(tokens: TokenStream, all: &mut Vec<(usize, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut is_for_tests = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = tokens.peek()
                    && attribute.delimiter() == Delimiter::Bracket
                {
                    let text = attribute.to_string().replace(' ', "");
                    is_for_tests |= text == "[cfg(test)]" || text == "[test]";
                    if text.starts_with("[doc=") || is_for_tests {
                        tokens.next();
                    }
                }
            }
            TokenTree::Punct(sign) if sign.as_char() == ';' => is_for_tests = false,
            TokenTree::Group(group) if is_for_tests => is_for_tests = group.delimiter() != Delimiter::Brace,
            TokenTree::Group(group) => strings(Group::stream(&group), all),
            TokenTree::Literal(literal) if !is_for_tests => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    all.push((literal.span().start().line, text.value()));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_command_of_an_error_or_a_hint_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut paths = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        files(&entry.unwrap().path().join("src"), &mut paths);
    }
    let mut refused = RefusedOffers::default();
    for path in paths {
        let tokens: TokenStream = fs::read_to_string(&path).unwrap().parse().unwrap();
        let mut all = Vec::new();
        strings(tokens, &mut all);
        let shown = path.strip_prefix(root).unwrap().display();
        for (line, text) in all.iter().filter(|(_, text)| text.contains("rigel")) {
            refused.check(&format!("{shown}:{line}"), in_string(text));
        }
    }
    refused.conclude(300);
}
