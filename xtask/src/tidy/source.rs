//! The files that the rules look at: what git knows or would add, and the Rust files parsed once.

use super::Finding;
use anyhow::Context as _;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use syn::Attribute;

/// A text of the repository; the path is relative to its root.
pub struct TextFile {
    pub path: String,
    pub text: String,
}

/// A Rust file, as text, as tokens and as syntax.
pub struct RustFile<'a> {
    pub path: &'a str,
    pub text: &'a str,
    pub tokens: TokenStream,
    pub syntax: syn::File,
}

impl<'a> RustFile<'a> {
    pub fn parse(path: &'a str, text: &'a str) -> Result<Self, (usize, String)> {
        let place = |line| move |error: String| (line, error);
        let tokens: TokenStream = text
            .parse()
            .map_err(|error: proc_macro2::LexError| place(error.span().start().line)(error.to_string()))?;
        let syntax = syn::parse2(tokens.clone())
            .map_err(|error: syn::Error| place(error.span().start().line)(error.to_string()))?;
        Ok(Self { path, text, tokens, syntax })
    }

    /// The crate's folder under `crates`, if the file is in one.
    pub fn crate_name(&self) -> Option<&'a str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Whether the file is a module of a crate, not one of its integration tests or build scripts.
    pub fn is_module(&self) -> bool {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.nth(1) == Some("src"),
            Some("fuzz" | "xtask") => parts.next() == Some("src"),
            _ => false,
        }
    }

    /// Whether the file holds nothing but tests.
    pub fn is_test(&self) -> bool {
        let name = self.path.trim_end_matches(".rs");
        name.split('/').any(|part| part == "tests" || part.ends_with("_tests"))
    }

    /// Lines that begin, and lines that end, inside a literal: their content is data, not layout.
    pub fn literal_lines(&self) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut begin = BTreeSet::new();
        let mut end = BTreeSet::new();
        for_each_token(&self.tokens, &mut |token| {
            if let TokenTree::Literal(literal) = token {
                let (first, last) = (literal.span().start().line, literal.span().end().line);
                begin.extend(first + 1..=last);
                end.extend(first..last);
            }
        });
        (begin, end)
    }
}

/// Calls `visit` with every token, those inside brackets included.
pub fn for_each_token(tokens: &TokenStream, visit: &mut impl FnMut(&TokenTree)) {
    for token in tokens.clone() {
        visit(&token);
        if let TokenTree::Group(group) = &token {
            for_each_token(&group.stream(), visit);
        }
    }
}

/// Whether attributes say that an item is there for tests only.
pub fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.meta.require_list().is_ok_and(|list| {
                list.path.is_ident("cfg")
                    && list.tokens.clone().into_iter().any(|token| token.to_string() == "test")
            })
    })
}

/// The name of every file that is committed or would be.
pub fn names(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let output = Command::new("git")
        // A checkout may belong to another user, as in a container; only names are read here.
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot start git, which says what belongs to the repository")?;
    anyhow::ensure!(
        output.status.success(),
        "git ls-files: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let names = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    // Git still lists what was deleted but not committed.
    let is_there = |name: &&str| root.join(name).is_file();
    Ok(names.split_terminator('\0').filter(is_there).map(str::to_owned).collect())
}

/// Every text among them; files that are not UTF-8 are left out.
pub fn read(root: &Path, names: &BTreeSet<String>) -> anyhow::Result<Vec<TextFile>> {
    let mut files = Vec::new();
    for name in names {
        let bytes = fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(TextFile { path: name.clone(), text });
        }
    }
    Ok(files)
}

/// The Rust files among `files`, and a finding for each that cannot be parsed.
pub fn parse<'a>(files: impl Iterator<Item = &'a TextFile>) -> (Vec<RustFile<'a>>, Vec<Finding>) {
    let mut rust = Vec::new();
    let mut findings = Vec::new();
    for file in files.filter(|file| file.path.ends_with(".rs")) {
        match RustFile::parse(&file.path, &file.text) {
            Ok(parsed) => rust.push(parsed),
            Err((line, error)) => findings.push(Finding::new(&file.path, line, "syntax", error)),
        }
    }
    (rust, findings)
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{rust, text};
    use super::*;

    #[test]
    fn what_is_no_rust_is_a_finding_with_its_line() {
        let files = [text("crates/a/src/lib.rs", "fn a() {}\nfn fn\n"), text("README.md", "fn fn")];
        let (rust, findings) = parse(files.iter());
        assert!(rust.is_empty());
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].line, findings[0].rule), (2, "syntax"));
    }

    #[test]
    fn paths_say_what_a_file_is() {
        let module = rust("crates/rigel-io/src/uring.rs", "");
        assert_eq!(
            (module.crate_name(), module.is_module(), module.is_test()),
            (Some("rigel-io"), true, false)
        );
        assert!(rust("xtask/src/main.rs", "").is_module());
        assert!(rust("crates/rigel-io/src/uring/tests.rs", "").is_test());
        assert!(rust("crates/rigel-io/src/engine_tests/depth.rs", "").is_test());
        let integration = rust("crates/rigel-io/tests/it/main.rs", "");
        assert_eq!((integration.is_module(), integration.is_test()), (false, true));
    }

    #[test]
    fn a_repository_is_read_without_what_git_ignores() {
        let root = tempfile::tempdir().unwrap();
        let git = Command::new("git").args(["init", "--quiet"]).current_dir(root.path()).status().unwrap();
        assert!(git.success());
        fs::write(root.path().join(".gitignore"), "*.orig\n").unwrap();
        fs::write(root.path().join("a.orig"), "ignored").unwrap();
        fs::write(root.path().join("b.md"), "read").unwrap();
        fs::write(root.path().join("c.bin"), b"\xff\xfe").unwrap();
        let all = names(root.path()).unwrap();
        assert!(all.contains("c.bin"), "{all:?}");
        let files = read(root.path(), &all).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, [".gitignore", "b.md"]);
    }
}
