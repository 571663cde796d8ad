//! The rule that the pure crates do no I/O and read no clock, as far as names of the standard library show it; tests may
//! do both. Methods such as `Path::exists` are for clippy's list of disallowed methods.

use super::Finding;
use super::crates::PURE;
use super::source::{RustFile, is_for_tests};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{ItemFn, ItemImpl, ItemMod, ItemUse, Macro, Path, UseTree};

const OUTSIDE_WORLD: [&str; 13] = [
    "std::env",
    "std::fs",
    "std::io::stderr",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::os::fd",
    "std::os::unix::fs",
    "std::os::unix::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Finds uses of the outside world in the pure crates.
pub fn check(file: &RustFile) -> Vec<Finding> {
    let pure = file.crate_name().is_some_and(|name| PURE.contains(&name));
    if !pure || !file.is_module() || file.is_test() {
        return Vec::new();
    }
    let mut scan = Scan::default();
    // The second time all names are known, also those that are imported below their use.
    scan.visit_file(&file.syntax);
    scan.visit_file(&file.syntax);
    let to_do = |path: &str| {
        format!(
            "`{path}` reaches outside: take what it gives as an argument; I/O is rigel-io's, time is rigel-run's"
        )
    };
    scan.hits.iter().map(|(line, path)| Finding::new(file.path, *line, "purity", to_do(path))).collect()
}

#[derive(Default)]
struct Scan {
    /// What an imported name stands for.
    imports: BTreeMap<String, String>,
    hits: BTreeSet<(usize, String)>,
}

impl Scan {
    fn judge(&mut self, line: usize, names: &[String]) {
        let Some((first, rest)) = names.split_first() else {
            return;
        };
        let head = self.imports.get(first).unwrap_or(first);
        let path = rest.iter().fold(head.clone(), |path, name| format!("{path}::{name}"));
        if reaches_outside(&path) {
            self.hits.insert((line, path));
        }
    }

    fn import(&mut self, line: usize, prefix: &str, tree: &UseTree) {
        let under = |name: &str| {
            if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") }
        };
        let (name, path) = match tree {
            UseTree::Path(path) => return self.import(line, &under(&path.ident.to_string()), &path.tree),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.import(line, prefix, item));
            }
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.rsplit("::").next().unwrap_or_default().to_owned(), prefix.to_owned())
            }
            UseTree::Name(name) => (name.ident.to_string(), under(&name.ident.to_string())),
            UseTree::Rename(rename) if rename.ident == "self" => {
                (rename.rename.to_string(), prefix.to_owned())
            }
            UseTree::Rename(rename) => (rename.rename.to_string(), under(&rename.ident.to_string())),
            UseTree::Glob(_) => ("*".to_owned(), under("*")),
        };
        if reaches_outside(&path) {
            self.hits.insert((line, path.clone()));
        }
        self.imports.insert(name, path);
    }

    /// Macros are not parsed: every `a::b::c` among their tokens counts.
    fn judge_tokens(&mut self, tokens: TokenStream) {
        let mut names: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.judge(line, &names);
                        names.clear();
                    }
                    line = name.span().start().line;
                    names.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                other => {
                    self.judge(line, &names);
                    names.clear();
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.judge_tokens(group.stream());
                    }
                }
            }
        }
        self.judge(line, &names);
    }
}

impl<'ast> Visit<'ast> for Scan {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_for_tests(&item.attrs) {
            self.import(item.use_token.span.start().line, "", &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.judge(line, &names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.judge_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

/// Also true for a glob over a module that contains a way outside.
fn reaches_outside(path: &str) -> bool {
    let glob = path.strip_suffix('*');
    OUTSIDE_WORLD.iter().any(|outside| {
        let inside = path.strip_prefix(outside).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        inside || glob.is_some_and(|module| outside.starts_with(module))
    })
}

#[cfg(test)]
mod tests;
