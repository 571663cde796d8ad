//! The list of mutations in `xtask/mutations`: a file for each area, a table for each mutation. Must not know Rust.

use anyhow::Context as _;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The crates whose unit tests have to find mutations, each after those that it is built on.
pub const PACKAGES: [&str; 6] =
    ["rigel-stats", "rigel-core", "rigel-uses", "rigel-capacity", "rigel-report", "rigel"];
const FOLDER: &str = "xtask/mutations";
/// The key of the tables.
const TABLES: &str = "mutation";
const KEYS: [&str; 7] = ["name", "file", "find", "replace", "what", "tests", "it"];

/// One way to break the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    pub name: String,
    /// The source file, from the root of the repository.
    pub file: String,
    /// An expression of that file.
    pub find: String,
    /// The expression that takes its place.
    pub replace: String,
    /// What a user would suffer.
    pub what: String,
    /// Unit tests of the crate that are tried first: pieces of their names.
    pub tests: Vec<String>,
    /// Tests of the real binary that are tried, too: pieces of their names.
    pub it: Vec<String>,
    /// Where it is in the list.
    pub place: String,
}

impl Mutation {
    /// The crate that it is in.
    pub fn package(&self) -> &str {
        self.file.strip_prefix("crates/").and_then(|rest| rest.split('/').next()).unwrap_or_default()
    }

    /// Whether its name, or that of its file in the list, contains that.
    pub fn is_called(&self, part: &str) -> bool {
        let list = self.place.strip_prefix(FOLDER).and_then(|place| place.split_once(".toml"));
        self.name.contains(part) || list.is_some_and(|(list, _)| list.contains(part))
    }
}

/// All mutations, by file and in the order of each file.
pub fn read(root: &Path) -> anyhow::Result<Vec<Mutation>> {
    let folder = root.join(FOLDER);
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {FOLDER}"))?;
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let name = entry.with_context(|| format!("cannot read {FOLDER}"))?.file_name();
        names.extend(name.to_str().filter(|name| name.ends_with(".toml")).map(str::to_owned));
    }
    names.sort();
    let mut all = Vec::new();
    for name in names {
        let path = format!("{FOLDER}/{name}");
        let text = fs::read_to_string(root.join(&path)).with_context(|| format!("cannot read {path}"))?;
        all.extend(parse(&path, &text)?);
    }
    check(&all)?;
    Ok(all)
}

/// `--only` and the report use the name of a mutation; the tests of other crates are not run.
fn check(all: &[Mutation]) -> anyhow::Result<()> {
    let mut known = BTreeSet::new();
    for mutation in all {
        let Mutation { name, place, file, .. } = mutation;
        let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_0123456789".contains(&byte));
        anyhow::ensure!(is_plain && !name.is_empty(), "{place}: '{name}' is no name: write a-z, 0-9 and _");
        anyhow::ensure!(known.insert(name), "{place}: another mutation has the name {name}");
        let is_seen = PACKAGES.contains(&mutation.package());
        anyhow::ensure!(is_seen, "{place}: {name}: {file} lies in none of {}", PACKAGES.join(", "));
    }
    Ok(())
}

/// The mutations of one file, which messages call by `path`.
fn parse(path: &str, text: &str) -> anyhow::Result<Vec<Mutation>> {
    let line = |at: usize| text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        anyhow::anyhow!("{path}:{}: no TOML: {}", line(at), error.message())
    })?;
    let mut all = Vec::new();
    for (key, value) in document.get_ref() {
        let place = format!("{path}:{}", line(key.span().start));
        let (TABLES, DeValue::Array(tables)) = (key.get_ref().as_ref(), value.get_ref()) else {
            anyhow::bail!("{place}: '{}' is none of the tables [[{TABLES}]]", key.get_ref());
        };
        for table in tables {
            let place = format!("{path}:{}", line(table.span().start));
            let DeValue::Table(table) = table.get_ref() else { anyhow::bail!("{place}: no table") };
            all.push(mutation(&place, table)?);
        }
    }
    Ok(all)
}

fn mutation(place: &str, table: &DeTable<'_>) -> anyhow::Result<Mutation> {
    let unknown = table.keys().find(|key| !KEYS.contains(&key.get_ref().as_ref()));
    if let Some(key) = unknown {
        anyhow::bail!("{place}: a mutation has no key '{}', only {}", key.get_ref(), KEYS.join(", "));
    }
    let text = |key: &str| match table.get(key).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) if !text.trim().is_empty() => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(anyhow::anyhow!("{place}: '{key}' must be a text")),
        None => Ok(None),
    };
    let need = |key: &str| text(key)?.with_context(|| format!("{place}: the mutation has no '{key}'"));
    let pieces = |key: &str| {
        let pieces = text(key)?.unwrap_or_default();
        anyhow::Ok(pieces.split_whitespace().map(str::to_owned).collect())
    };
    Ok(Mutation {
        name: need("name")?,
        file: need("file")?,
        find: need("find")?,
        replace: need("replace")?,
        what: need("what")?,
        tests: pieces("tests")?,
        it: pieces("it")?,
        place: place.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The full names that the functions of a file would have as tests: in the module of the file, or in `tests` of it.
    fn test_names(src: &Path, file: &Path) -> Vec<String> {
        let path = file.strip_prefix(src).unwrap().with_extension("");
        let parts = path.iter().map(|part| part.to_str().unwrap());
        let module: Vec<&str> = parts.filter(|part| !matches!(*part, "lib" | "main")).collect();
        let text = fs::read_to_string(file).unwrap();
        let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn ")?.split('(').next());
        let full = |name: &str| {
            let plain = [module.as_slice(), &[name]].concat().join("::");
            [plain, [module.as_slice(), &["tests", name]].concat().join("::")]
        };
        names.flat_map(full).collect()
    }

    fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files = paths.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
        files.filter(|path| path.extension().is_some_and(|end| end == "rs")).collect()
    }

    /// Only a build knows for sure, but tests that were moved leave the list stale for as long as nobody hunts.
    #[test]
    fn modules_and_tests_that_mutations_name_are_in_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let of = |package: &str| -> Vec<String> {
            let src = root.join("crates").join(package).join("src");
            rust_files(&src).iter().flat_map(|file| test_names(&src, file)).collect()
        };
        let names: std::collections::BTreeMap<&str, Vec<String>> =
            PACKAGES.iter().map(|package| (*package, of(package))).collect();
        let mut stale = Vec::new();
        for mutation in read(root).unwrap() {
            let known = &names[mutation.package()];
            let missing =
                mutation.tests.iter().filter(|piece| !known.iter().any(|name| name.contains(*piece)));
            stale.extend(missing.map(|piece| format!("{}: {}: {piece}", mutation.place, mutation.name)));
        }
        assert!(stale.is_empty(), "no test of the crate is called so:\n{}", stale.join("\n"));
    }

    const ONE: &str = "# why\n[[mutation]]\nname = 'a_1'\nfile = 'crates/rigel-report/src/a.rs'\nfind = 'a < b'\n\
                       replace = '''a\n  > b'''\nwhat = 'it hurts'\ntests = 'x::y z'\n";

    fn refusal(text: &str) -> String {
        format!("{:#}", parse("m.toml", text).and_then(|all| check(&all)).unwrap_err())
    }

    #[test]
    fn a_mutation_is_read_with_its_place() {
        let all = parse("m.toml", ONE).unwrap();
        let [one] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(
            (one.name.as_str(), one.place.as_str(), one.package()),
            ("a_1", "m.toml:2", "rigel-report")
        );
        assert_eq!((one.find.as_str(), one.replace.as_str()), ("a < b", "a\n  > b"));
        let listed = Mutation { place: "xtask/mutations/gates.toml:2".to_owned(), ..one.clone() };
        let called = ["a_", "gate", "", "toml", "mutations"].map(|part| listed.is_called(part));
        assert_eq!(called, [true, true, true, false, false]);
        assert_eq!((one.tests.as_slice(), one.it.len()), (&["x::y".to_owned(), "z".to_owned()][..], 0));
    }

    #[test]
    fn what_is_no_mutation_says_where_and_why() {
        for (text, why) in [
            ("name = 1\n", "m.toml:1: 'name' is none of the tables [[mutation]]"),
            ("[[mutation]]\nname = \n", "m.toml:2: no TOML"),
            (&ONE.replace("what", "why"), "m.toml:2: a mutation has no key 'why'"),
            (&ONE.replace("what = 'it hurts'\n", ""), "m.toml:2: the mutation has no 'what'"),
            (&ONE.replace("'a < b'", "7"), "m.toml:2: 'find' must be a text"),
            (&ONE.replace("'a < b'", "' '"), "m.toml:2: 'find' must be a text"),
            (&ONE.replace("a_1", "A 1"), "m.toml:2: 'A 1' is no name"),
            (&[ONE, ONE].concat(), "m.toml:11: another mutation has the name a_1"),
            (
                &ONE.replace("-report", "-io"),
                "m.toml:2: a_1: crates/rigel-io/src/a.rs lies in none of rigel-stats",
            ),
        ] {
            let told = refusal(text);
            assert!(told.starts_with(why), "{told}");
        }
    }
}
