//! Rules about names: a type is a noun, so that grep finds it and a reader knows what it holds.
//!
//! Must not judge functions and fields, which may be verbs and adjectives.

use super::Finding;
use super::source::RustFile;
use syn::visit::{self, Visit};
use syn::{Ident, ItemEnum, ItemStruct, ItemTrait, ItemType};

/// Participles, adjectives and prepositions that once named several types each.
const NO_NOUNS: &[&str] = &[
    "At", "Before", "Behind", "Beside", "Between", "Both", "Brings", "By", "Came", "Drawn", "Found", "Given",
    "Heard", "Kept", "Known", "Made", "Most", "Other", "Seen", "Shown", "Standing", "Taken", "Told", "Whole",
    "Wish", "Within", "Written",
];
/// Nouns that end like participles.
const NOUNS: &[&str] = &["Bed", "Feed", "Need", "Seed", "Speed"];

/// Every type whose only word is no noun.
pub fn check(file: &RustFile) -> Vec<Finding> {
    let mut types = Types { names: Vec::new() };
    types.visit_file(&file.syntax);
    let finding = |(line, name): (usize, String)| {
        let to_do = format!(
            "name `{name}` by a noun that says what it holds, such as `QueryOutcome` or `SoakReport`"
        );
        Finding::new(file.path, line, "type-name", to_do)
    };
    types.names.into_iter().filter(|(_, name)| is_no_noun(name)).map(finding).collect()
}

fn is_no_noun(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    let is_participle = name.ends_with("ed") && !NOUNS.contains(&name);
    is_one_word && (is_participle || NO_NOUNS.contains(&name))
}

struct Types {
    /// With their lines.
    names: Vec<(usize, String)>,
}

impl Types {
    fn add(&mut self, name: &Ident) {
        self.names.push((name.span().start().line, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.add(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.add(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.add(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.add(&item.ident);
        visit::visit_item_type(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::super::snippet::rust;
    use super::*;

    #[test]
    fn participles_are_no_names_of_types() {
        let text = "struct Told;\nfn f() {\n    enum Judged { Kept }\n}\nstruct Seed;\ntrait Beside {}\ntype KeptLine = u8;\n";
        let findings = check(&rust("crates/rigel/src/a.rs", text));
        let found: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(found, [1, 3, 6], "{findings:?}");
    }
}
