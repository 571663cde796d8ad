//! Measures files and functions against the sizes that are still easy to read. Whether one that is larger may stay is
//! judged in `exceptions`.

use super::source::RustFile;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

/// Lines of a file; files of tests may be longer, since nobody reads them from end to end.
pub const FILE_LINES: usize = 600;
/// Lines of a function, from `fn` to its closing brace; a text of many lines in it is data and counts as one.
pub const FUNCTION_LINES: usize = 70;

/// A file or function that is longer than it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oversize {
    pub path: String,
    pub line: usize,
    /// The name of the function; none for the file as a whole.
    pub function: Option<String>,
    pub lines: usize,
}

impl Oversize {
    /// Its name in the list of exceptions.
    pub fn name(&self) -> String {
        match &self.function {
            Some(function) => format!("{}::{function}", self.path),
            None => self.path.clone(),
        }
    }

    pub fn limit(&self) -> usize {
        if self.function.is_some() { FUNCTION_LINES } else { FILE_LINES }
    }
}

/// Everything in `file` that is above the limits.
pub fn measure(file: &RustFile) -> Vec<Oversize> {
    let mut functions = Functions { found: Vec::new(), data_lines: file.literal_lines().0 };
    functions.visit_file(&file.syntax);
    let oversize = |line, function, lines| Oversize { path: file.path.to_owned(), line, function, lines };
    let mut found: Vec<Oversize> = functions
        .found
        .into_iter()
        .filter(|(_, _, lines)| *lines > FUNCTION_LINES)
        .map(|(line, name, lines)| oversize(line, Some(name), lines))
        .collect();
    let lines = file.text.lines().count();
    if lines > FILE_LINES && !file.is_test() {
        found.push(oversize(1, None, lines));
    }
    found
}

struct Functions {
    /// Line, name and length of every function.
    found: Vec<(usize, String, usize)>,
    /// Lines that begin inside a literal.
    data_lines: BTreeSet<usize>,
}

impl Functions {
    fn add(&mut self, signature: &Signature, block: &Block) {
        let first = signature.fn_token.span.start().line;
        let last = block.brace_token.span.close().end().line;
        let data = self.data_lines.range(first..=last).count();
        self.found.push((first, signature.ident.to_string(), last + 1 - first - data));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::super::snippet::rust;
    use super::*;

    /// A function of `lines` lines.
    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    fn measured(path: &str, text: &str) -> Vec<(String, usize, usize)> {
        measure(&rust(path, text)).iter().map(|found| (found.name(), found.line, found.lines)).collect()
    }

    #[test]
    fn a_function_may_have_70_lines_and_no_more() {
        assert_eq!(measured("a.rs", &function("f", 70)), []);
        assert_eq!(measured("a.rs", &function("f", 71)), [("a.rs::f".to_owned(), 1, 71)]);
    }

    #[test]
    fn functions_are_found_in_impls_traits_functions_and_modules() {
        let long = function("f", 71);
        for outer in ["impl A", "trait A", "mod a", "fn a()"] {
            let text = format!("{outer} {{\n{long}}}\n");
            let found = measured("a.rs", &text);
            assert!(found.contains(&("a.rs::f".to_owned(), 2, 71)), "{outer}: {found:?}");
        }
    }

    #[test]
    fn comments_and_attributes_above_a_function_do_not_count() {
        assert_eq!(measured("a.rs", &format!("/// Doc.\n#[test]\n{}", function("f", 70))), []);
    }

    #[test]
    fn a_long_text_is_data() {
        let text =
            format!("fn f() {{\n    x(\"{}\");\n{}}}\n", "line\n".repeat(100), "    x();\n".repeat(67));
        assert_eq!(measured("a.rs", &text), []);
        let one_more = text.replacen("    x();", "    x();\n    x();", 1);
        assert_eq!(measured("a.rs", &one_more), [("a.rs::f".to_owned(), 1, 71)]);
    }

    #[test]
    fn a_file_may_have_600_lines_unless_it_holds_tests() {
        assert_eq!(measured("crates/a/src/b.rs", &"// x\n".repeat(600)), []);
        let long = "// x\n".repeat(601);
        assert_eq!(measured("crates/a/src/b.rs", &long), [("crates/a/src/b.rs".to_owned(), 1, 601)]);
        assert_eq!(measured("crates/a/src/b/tests.rs", &long), []);
    }
}
