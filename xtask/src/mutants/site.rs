//! Where the expression of a mutation stands in a source file. Expressions are compared by their tokens, so that the list outlives
//! rustfmt.
//!
//! Must not find one in a test, in a macro, or where the compiler has to know its value.

use crate::tidy::is_for_tests;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::ops::Range;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{
    Expr, ImplItemConst, ImplItemFn, ItemConst, ItemFn, ItemImpl, ItemMod, ItemStatic, Pat, Signature,
    TraitItemConst, Type, Variant,
};

/// An expression, by its bytes in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub range: Range<usize>,
    /// The word `const` of the function that it is in: what reads a switch cannot be one.
    pub constant: Option<Range<usize>>,
}

/// The only occurrence of an expression in a text; otherwise why there is none.
pub fn only(text: &str, syntax: &syn::File, expression: &str) -> Result<Site, String> {
    let wanted = words(parse(expression)?.to_token_stream());
    let mut scan = Scan { wanted, sites: Vec::new(), constant: None };
    scan.visit_file(syntax);
    let line = |site: &Site| text[..site.range.start].matches('\n').count() + 1;
    match scan.sites.as_slice() {
        [site] => Ok(site.clone()),
        [] => Err(format!("has no expression `{expression}` outside of tests, macros and constants")),
        many => {
            let lines: Vec<String> = many.iter().map(|site| line(site).to_string()).collect();
            Err(format!("has the expression `{expression}` in the lines {}", lines.join(", ")))
        }
    }
}

/// Whether two expressions are the same.
pub fn are_alike(one: &str, other: &str) -> Result<bool, String> {
    Ok(words(parse(one)?.to_token_stream()) == words(parse(other)?.to_token_stream()))
}

fn parse(expression: &str) -> Result<Expr, String> {
    syn::parse_str(expression).map_err(|error| format!("`{expression}` is no expression: {error}"))
}

struct Scan {
    wanted: String,
    sites: Vec<Site>,
    constant: Option<Range<usize>>,
}

impl Scan {
    /// Visits a function, unless it is a test.
    fn function(&mut self, signature: &Signature, look: impl FnOnce(&mut Self)) {
        let constant = signature.constness.as_ref().map(|word| word.span.byte_range());
        let outer = std::mem::replace(&mut self.constant, constant);
        look(self);
        self.constant = outer;
    }
}

impl<'ast> Visit<'ast> for Scan {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if words(expression.to_token_stream()) == self.wanted {
            let range = expression.span().byte_range();
            self.sites.push(Site { range, constant: self.constant.clone() });
        }
        visit::visit_expr(self, expression);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.function(&item.sig, |scan| visit::visit_item_fn(scan, item));
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.function(&item.sig, |scan| visit::visit_impl_item_fn(scan, item));
        }
    }

    // The compiler computes what stands in these.
    fn visit_item_const(&mut self, _: &'ast ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast TraitItemConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_variant(&mut self, _: &'ast Variant) {}

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(guarded) = pattern {
            self.visit_expr(&guarded.guard);
        }
    }
}

/// Tokens as text, without the commas that rustfmt adds at the end of a list that it breaks.
fn words(tokens: TokenStream) -> String {
    let mut text = String::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("( ", ") "),
                    Delimiter::Brace => ("{ ", "} "),
                    Delimiter::Bracket => ("[ ", "] "),
                    Delimiter::None => ("", ""),
                };
                text += open;
                text += &words(group.stream());
                text += close;
            }
            TokenTree::Punct(sign) if sign.as_char() == ',' && tokens.peek().is_none() => {}
            other => text += &format!("{other} "),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "const LIMIT: u64 = 1 + 2;\n\
                        struct Sum([u64; 1 + 2]);\n\
                        impl Sum {\n\
                        \x20   const fn all(&self) -> u64 { self.0[0] + 7 }\n\
                        \x20   fn many(&self) -> u64 { call(\n        self.0[1],\n        7,\n    ) + self.0[2] + 7 }\n\
                        }\n\
                        fn twice(a: u64) -> u64 { print!(\"{}\", a * 9); (a * 5) + a * 5 }\n\
                        fn guard(a: u64) -> bool { match a { b if b * 6 == a => true, _ => false } }\n\
                        #[cfg(test)]\nmod tests { fn f() -> u64 { a * 8 } }\n\
                        #[test]\nfn t() { a * 8; }\n";

    fn found(expression: &str) -> Result<(&str, Option<&str>), String> {
        let syntax = syn::parse_file(TEXT).unwrap();
        let site = only(TEXT, &syntax, expression)?;
        Ok((&TEXT[site.range], site.constant.map(|range| &TEXT[range])))
    }

    #[test]
    fn an_expression_is_found_by_its_tokens_whatever_its_lines() {
        assert_eq!(found("call(self.0[1],7)").unwrap().0, "call(\n        self.0[1],\n        7,\n    )");
        assert_eq!(
            found("self.0[0]+7"),
            Ok(("self.0[0] + 7", Some("const"))),
            "and that its function is const"
        );
        assert_eq!(found("self.0[2]"), Ok(("self.0[2]", None)));
        assert_eq!(found("b * 6 == a"), Ok(("b * 6 == a", None)));
    }

    #[test]
    fn what_is_no_operand_is_not_found() {
        // It reads as if it stood there, but 7 is added to the sum.
        assert!(found("self.0[2] + 7").unwrap_err().starts_with("has no expression `self.0[2] + 7`"));
    }

    #[test]
    fn constants_macros_and_tests_do_not_count() {
        for expression in ["1 + 2", "a * 9", "a * 8"] {
            assert!(found(expression).unwrap_err().contains("outside of tests"), "{expression}");
        }
    }

    #[test]
    fn an_expression_that_is_there_twice_and_what_is_none_are_told() {
        assert_eq!(found("a * 5").unwrap_err(), "has the expression `a * 5` in the lines 10, 10");
        assert!(found("a <").unwrap_err().starts_with("`a <` is no expression"));
    }
}
