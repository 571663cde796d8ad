//! Sources in which each mutation is behind a switch: `(if is(3) { BROKEN } else { AS IT WAS })`. One build is then enough for all.
//!
//! Must not write a file.

use super::list::Mutation;
use super::site::{self, Site};
use anyhow::Context as _;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The variable that says which mutation is on, by its number in the list.
pub const VARIABLE: &str = "RIGEL_MUTANT";
/// The crate that has the switches, which all others are built on.
const HOME: &str = "rigel-stats";
/// The module that says which is on, and the file that has to name it.
const MODULE: (&str, &str) = ("crates/rigel-stats/src/mutation.rs", "crates/rigel-stats/src/lib.rs");
const MODULE_TEXT: &str = "\
//! Which mutation is on. Written by `cargo xtask mutants`; the product never has it.

use std::env;
use std::sync::OnceLock;

/// Whether it is the one with that number.
pub fn is(number: usize) -> bool {
    static ON: OnceLock<Option<usize>> = OnceLock::new();
    *ON.get_or_init(|| env::var(\"RIGEL_MUTANT\").ok()?.parse().ok()) == Some(number)
}
";
const MODULE_NAME: &str = "\n#[doc(hidden)]\npub mod mutation;\n";

/// The files that differ from those of the repository, with their text.
pub fn sources(root: &Path, mutations: &[Mutation]) -> anyhow::Result<BTreeMap<String, String>> {
    let mut changed = BTreeMap::new();
    let mut stale = Vec::new();
    for (file, own) in by_file(mutations) {
        match switched(root, file, &own)? {
            Ok(text) => _ = changed.insert(file.to_owned(), text),
            Err(reasons) => stale.extend(reasons),
        }
    }
    anyhow::ensure!(stale.is_empty(), "the list of mutations is stale:\n  {}", stale.join("\n  "));
    let (module, home) = MODULE;
    let text = match changed.remove(home) {
        Some(text) => text,
        None => read(root, home)?,
    };
    changed.insert(home.to_owned(), text + MODULE_NAME);
    changed.insert(module.to_owned(), MODULE_TEXT.to_owned());
    Ok(changed)
}

fn read(root: &Path, file: &str) -> anyhow::Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}

/// The mutations of each file, with their numbers.
fn by_file(mutations: &[Mutation]) -> BTreeMap<&str, Vec<(usize, &Mutation)>> {
    let mut files: BTreeMap<&str, Vec<(usize, &Mutation)>> = BTreeMap::new();
    for (number, mutation) in mutations.iter().enumerate() {
        files.entry(&mutation.file).or_default().push((number, mutation));
    }
    files
}

/// A file with its switches; otherwise why some of its mutations have no place in it.
fn switched(
    root: &Path,
    file: &str,
    mutations: &[(usize, &Mutation)],
) -> anyhow::Result<Result<String, Vec<String>>> {
    if !root.join(file).is_file() {
        let gone = |(_, one): &(usize, &Mutation)| format!("{}: {}: there is no {file}", one.place, one.name);
        return Ok(Err(mutations.iter().map(gone).collect()));
    }
    let text = read(root, file)?;
    let syntax = syn::parse_file(&text).with_context(|| format!("{file} is no Rust"))?;
    let mut switches = Vec::new();
    let mut stale = Vec::new();
    for (number, mutation) in mutations {
        match place(&text, &syntax, mutation) {
            Ok(site) => switches.push(Switch { number: *number, site, broken: &mutation.replace }),
            Err(why) => stale.push(format!("{}: {}: {why}", mutation.place, mutation.name)),
        }
    }
    let path = match mutations.first().map(|(_, one)| one.package()) {
        Some(HOME) => "crate",
        Some("rigel-core") => "rigel_stats",
        _ => "rigel_core::stats",
    };
    Ok(if stale.is_empty() { Ok(written(&text, path, &mut switches)) } else { Err(stale) })
}

fn place(text: &str, syntax: &syn::File, mutation: &Mutation) -> Result<Site, String> {
    if site::are_alike(&mutation.find, &mutation.replace)? {
        return Err("it changes nothing".to_owned());
    }
    site::only(text, syntax, &mutation.find).map_err(|why| format!("{} {why}", mutation.file))
}

struct Switch<'a> {
    number: usize,
    site: Site,
    broken: &'a str,
}

/// Puts the switches into a text. One may be inside another, or at the same place.
fn written(text: &str, path: &str, switches: &mut [Switch<'_>]) -> String {
    // What ends at a place comes before what begins there, and an outer switch begins before an inner one.
    switches.sort_by_key(|one| (one.site.range.start, Reverse(one.site.range.end), one.number));
    let begin = |one: &Switch<'_>| {
        let Switch { number, broken, .. } = one;
        format!("(if {path}::mutation::is({number}) {{ {broken} }} else {{ ")
    };
    let ends = switches.iter().map(|one| (one.site.range.end..one.site.range.end, " })".to_owned()));
    let begins = switches.iter().map(|one| (one.site.range.start..one.site.range.start, begin(one)));
    let mut constants: Vec<_> = switches.iter().filter_map(|one| one.site.constant.clone()).collect();
    constants.sort_by_key(|range| range.start);
    constants.dedup();
    let constants = constants.into_iter().map(|range| (range, String::new()));
    let mut edits: Vec<(std::ops::Range<usize>, String)> = ends.chain(begins).chain(constants).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(2 * text.len());
    let mut at = 0;
    for (range, new) in edits {
        out += &text[at..range.start];
        out += &new;
        at = range.end;
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutation(find: &str, replace: &str) -> Mutation {
        let text = str::to_owned;
        Mutation {
            name: text("n"),
            file: text("crates/rigel-stats/src/lib.rs"),
            find: text(find),
            replace: text(replace),
            what: text("w"),
            tests: Vec::new(),
            it: Vec::new(),
            place: text("m.toml:1"),
        }
    }

    /// The text with switches, or the first reason why it has none.
    fn with(text: &str, mutations: &[Mutation]) -> Result<String, String> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("crates/rigel-stats/src")).unwrap();
        fs::write(root.path().join("crates/rigel-stats/src/lib.rs"), text).unwrap();
        let sources = sources(root.path(), mutations).map_err(|error| error.to_string())?;
        assert_eq!(sources[MODULE.0], MODULE_TEXT);
        Ok(sources[MODULE.1].strip_suffix(MODULE_NAME).unwrap().to_owned())
    }

    #[test]
    fn switches_stand_beside_and_inside_one_another() {
        let mutations = [mutation("a + b * c", "0"), mutation("b * c", "b"), mutation("b * c", "c")];
        let found = with("fn f() -> u8 { a + b * c }\n", &mutations).unwrap();
        let flat = "fn f() -> u8 { (if crate::mutation::is(0) { 0 } else { a + (if crate::mutation::is(1) { b } else { \
                    (if crate::mutation::is(2) { c } else { b * c }) }) }) }\n";
        assert_eq!(found, flat);
        syn::parse_file(&found).unwrap();
    }

    #[test]
    fn a_function_with_a_switch_is_not_const() {
        let mutations = [mutation("self.0 < 7", "true"), mutation("7", "8")];
        let found = with(
            "impl S {\n    pub const fn is(&self) -> bool {\n        self.0 < 7\n    }\n}\n",
            &mutations,
        );
        assert!(found.unwrap().starts_with("impl S {\n    pub  fn is(&self) -> bool {\n        (if crate::"));
    }

    #[test]
    fn a_stale_list_says_what_and_where() {
        let refused = |find: &str, replace: &str| {
            with("fn f() -> u8 { a + a }\n", &[mutation(find, replace)]).unwrap_err()
        };
        let stale = "the list of mutations is stale:\n  m.toml:1: n: crates/rigel-stats/src/lib.rs has";
        assert!(refused("b", "c").starts_with(&format!("{stale} no expression `b`")));
        assert!(refused("a", "c").starts_with(&format!("{stale} the expression `a` in the lines 1, 1")));
        assert!(refused("a + a", "a+a").contains("m.toml:1: n: it changes nothing"));
        assert!(refused("a + a", "let").contains("`let` is no expression"));
        let elsewhere = Mutation { file: "crates/rigel-stats/src/gone.rs".to_owned(), ..mutation("a", "b") };
        assert!(with("", &[elsewhere]).unwrap_err().contains("there is no crates/rigel-stats/src/gone.rs"));
    }

    /// So the list cannot become stale: this looks at the sources as they are.
    #[test]
    fn every_mutation_of_the_list_has_its_place() {
        let root = crate::workspace_root().unwrap();
        let mutations = super::super::list::read(&root).unwrap();
        assert!(mutations.len() >= 60, "{}", mutations.len());
        let sources = sources(&root, &mutations).unwrap();
        for (file, text) in sources {
            assert!(syn::parse_file(&text).is_ok(), "{file}");
        }
    }
}
