//! Rules about attributes: lints are expected with a reason and never allowed, no test is ignored, unsafe is forbidden.

use super::Finding;
use super::source::RustFile;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The one crate that may hold unsafe code.
const MAY_BE_UNSAFE: &str = "rigel-io";

/// Examines tokens, so that attributes inside macros are seen too.
pub fn check(file: &RustFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    walk(&file.tokens, &mut |line, attribute| {
        if names(attribute, "allow") {
            let to_do = "use `#[expect(.., reason = \"..\")]`: it fails once it is no longer needed";
            findings.push(Finding::new(file.path, line, "allow", to_do));
        }
        if names(attribute, "ignore") {
            let to_do = "let the test say what it lacks with `rigel_testdev::needs`: skips are counted, ignores are not";
            findings.push(Finding::new(file.path, line, "ignore", to_do));
        }
    });
    if is_crate_root(file) && !forbids_unsafe(file) {
        let to_do = format!("add `#![forbid(unsafe_code)]`: unsafe code belongs into {MAY_BE_UNSAFE}");
        findings.push(Finding::new(file.path, 1, "forbid-unsafe", to_do));
    }
    findings
}

/// Calls `visit` with the line and the content of every attribute.
fn walk(tokens: &TokenStream, visit: &mut impl FnMut(usize, &TokenStream)) {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = tokens[..index].iter().rev();
        let mut signs = before.map_while(|token| match token {
            TokenTree::Punct(sign) => Some(sign.as_char()),
            _ => None,
        });
        let opened = match signs.next() {
            Some('!') => signs.next() == Some('#'),
            sign => sign == Some('#'),
        };
        if opened && group.delimiter() == Delimiter::Bracket {
            visit(group.span_open().start().line, &group.stream());
        }
        walk(&group.stream(), visit);
    }
}

/// Whether an attribute is `name`, or is it under a condition: `cfg_attr(test, name)`.
fn names(attribute: &TokenStream, name: &str) -> bool {
    let mut tokens = attribute.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(first)), _) if first == name => true,
        (Some(TokenTree::Ident(first)), Some(TokenTree::Group(group))) if first == "cfg_attr" => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            inner.split(is_comma).skip(1).any(|part| names(&part.iter().cloned().collect(), name))
        }
        _ => false,
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',')
}

fn is_crate_root(file: &RustFile) -> bool {
    let name = file.path.rsplit_once("/src/").map_or("", |(_, name)| name);
    // A binary is a file in `bin`, or a directory there with a `main.rs`.
    let is_binary = |rest: &str| !rest.contains('/') || rest.ends_with("/main.rs");
    file.is_module()
        && file.crate_name() != Some(MAY_BE_UNSAFE)
        && (name == "lib.rs" || name == "main.rs" || name.strip_prefix("bin/").is_some_and(is_binary))
}

fn forbids_unsafe(file: &RustFile) -> bool {
    let forbids = file.syntax.attrs.iter().filter_map(|attribute| attribute.meta.require_list().ok());
    forbids
        .filter(|list| list.path.is_ident("forbid"))
        .any(|list| list.tokens.clone().into_iter().any(|token| token.to_string() == "unsafe_code"))
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, rust};
    use super::*;

    fn found(path: &str, content: &str) -> Vec<(usize, &'static str)> {
        places(check(&rust(path, content)))
    }

    #[test]
    fn allow_is_found_outside_inside_and_under_a_condition() {
        assert_eq!(found("a.rs", "#![allow(dead_code)]\n"), [(1, "allow")]);
        assert_eq!(found("a.rs", "\n#[allow(dead_code, reason = \"x\")]\nfn a() {}\n"), [(2, "allow")]);
        assert_eq!(found("a.rs", "#[cfg_attr(test, allow(dead_code))]\nfn a() {}\n"), [(1, "allow")]);
        assert_eq!(found("a.rs", "make! {\n#[allow(dead_code)]\nfn a() {}\n}\n"), [(2, "allow")]);
    }

    #[test]
    fn expect_and_mere_words_are_fine() {
        assert_eq!(found("a.rs", "#[expect(dead_code, reason = \"allow\")]\nfn a() {}\n"), []);
        assert_eq!(
            found("a.rs", "/// `#[allow(x)]` and #[ignore]\nfn allow() -> &str { \"#[allow(x)]\" }\n"),
            []
        );
    }

    #[test]
    fn ignored_tests_are_found() {
        assert_eq!(found("a.rs", "#[test]\n#[ignore]\nfn a() {}\n"), [(2, "ignore")]);
        assert_eq!(found("a.rs", "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n"), [(2, "ignore")]);
    }

    #[test]
    fn every_root_but_the_one_of_rigel_io_forbids_unsafe() {
        let without = "//! a\n#![forbid(missing_docs)]\n";
        for path in [
            "crates/rigel/src/main.rs",
            "crates/rigel-run/src/lib.rs",
            "crates/a/src/bin/b.rs",
            "crates/a/src/bin/b/main.rs",
        ] {
            assert_eq!(found(path, without), [(1, "forbid-unsafe")], "{path}");
            assert_eq!(found(path, "//! a\n#![forbid(unsafe_code)]\n"), []);
        }
        assert_eq!(found("crates/rigel-io/src/lib.rs", without), []);
        assert_eq!(found("crates/rigel-run/src/worker.rs", without), []);
        assert_eq!(found("crates/a/src/bin/b/part.rs", without), []);
    }
}
