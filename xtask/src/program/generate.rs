//! `cargo xtask gen`: files of the repository that the program itself writes, so that they cannot differ from it.
//! A new one is a line in `generated`. It must not write anything that depends on the machine or the day.

use super::golden;
use anyhow::Context as _;
use clap_complete::Shell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Whether to write, and what.
#[derive(clap::Args)]
pub struct Options {
    /// Write nothing; fail if a file is not what would be written
    #[arg(long)]
    check: bool,
    /// Write every document of the golden corpus whole below this directory, and nothing else: once before a change and once after it, for `diff -r`
    #[arg(long, value_name = "DIR", conflicts_with = "check")]
    golden: Option<PathBuf>,
}

/// Writes the files or checks them; whether all are as they should be.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    match &options.golden {
        Some(dir) => golden::Corpus::make()?.write_below(dir).map(|()| true),
        None if options.check => check(root, &generated()?),
        None => write(root),
    }
}

struct GeneratedFile {
    path: String,
    text: String,
}

const SCHEMAS: &str = "docs/reference/schemas";
const MAN: &str = "docs/reference/man";
const COMPLETIONS: &str = "completions";
/// Folders with nothing else in them: a file of a removed command is stale, too.
const FOLDERS: [&str; 4] = [SCHEMAS, MAN, COMPLETIONS, golden::FOLDER];

fn generated() -> anyhow::Result<Vec<GeneratedFile>> {
    let schema = |name, text| GeneratedFile { path: format!("{SCHEMAS}/{name}"), text };
    let mut files = vec![
        schema("rigel.advice-1.json", rigel_report::advice::schema()),
        schema("rigel.calibration-1.json", rigel_report::calibration::schema()),
        schema("rigel.slo-1.json", rigel_report::slo::schema()),
        schema("rigel.capacity-1.json", rigel_report::headroom::schema()),
        schema("rigel.comparison-1.json", rigel_report::compare::schema()),
        schema("rigel.doctor-1.json", rigel_report::doctor::schema()),
        schema("rigel.durability-1.json", rigel_report::durability::schema()),
        schema("rigel.findings-1.json", rigel_report::json::schema()),
        schema("rigel.load-1.json", rigel_core::load::file::schema()),
        schema("rigel.proof-1.json", rigel_report::proof::schema()),
        schema("rigel.rank-1.json", rigel_report::rank::schema()),
        schema("rigel.soak-1.json", rigel_report::soak::schema()),
        schema("rigel.scrub-1.json", rigel_report::scrub::schema()),
        schema("rigel.sql-1.json", rigel_report::beside::schema()),
        schema("rigel.targets-1.json", rigel_report::targets::schema()),
        schema("rigel.through-1.json", rigel_report::through::schema()),
        schema("rigel.transfer-1.json", rigel_report::transfer::schema()),
        schema("rigel.versus-1.json", rigel_report::versus::schema()),
    ];
    files.push(GeneratedFile {
        path: "docs/reference/option-rules.md".to_owned(),
        text: rigel::option_rules(),
    });
    let pages = rigel::pages()?.into_iter();
    files.extend(pages.map(|page| GeneratedFile { path: format!("{MAN}/{}", page.file), text: page.text }));
    // Named as each shell looks for them.
    for (shell, file) in [(Shell::Bash, "rigel.bash"), (Shell::Fish, "rigel.fish"), (Shell::Zsh, "_rigel")] {
        let path = format!("{COMPLETIONS}/{file}");
        files.push(GeneratedFile { path, text: rigel::completions(shell) });
    }
    let of_corpus = golden::Corpus::make()?.files()?.into_iter();
    files.extend(of_corpus.map(|(path, text)| GeneratedFile { path, text }));
    Ok(files)
}

/// Writes the files that differ from the program's output, and removes those that it no longer has.
fn write(root: &Path) -> anyhow::Result<bool> {
    let all = generated()?;
    for file in stale(root, &all)? {
        let path = root.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, &file.text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("gen: wrote {}", file.path);
    }
    for path in left_over(root, &all)? {
        fs::remove_file(root.join(&path)).with_context(|| format!("cannot remove {path}"))?;
        println!("gen: removed {path}");
    }
    println!("gen: {} files are fresh", all.len());
    Ok(true)
}

/// Whether every file is what would be written, and none too many.
fn check(root: &Path, all: &[GeneratedFile]) -> anyhow::Result<bool> {
    let (stale, left_over) = (stale(root, all)?, left_over(root, all)?);
    for GeneratedFile { path, text } in &stale {
        println!("{path}:1: gen: differs from what the program says; run `cargo xtask gen` and commit it");
        if path == golden::DIGESTS {
            tell_documents(&fs::read_to_string(root.join(path)).unwrap_or_default(), text);
        }
    }
    for path in &left_over {
        println!("{path}:1: gen: the program does not write this; run `cargo xtask gen` and commit it");
    }
    Ok(stale.is_empty() && left_over.is_empty())
}

/// Which documents of the golden corpus have changed.
fn tell_documents(committed: &str, made: &str) {
    for (document, what) in golden::differing(committed, made) {
        println!("  {document} {what}");
    }
    println!(
        "  to see how: `cargo xtask gen --golden DIR` writes every document whole; do it before the change and after it, then `diff -r`"
    );
}

fn stale<'a>(root: &Path, generated: &'a [GeneratedFile]) -> anyhow::Result<Vec<&'a GeneratedFile>> {
    let mut stale = Vec::new();
    for file in generated {
        let present = match fs::read(root.join(&file.path)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.path)),
        };
        if present != file.text.as_bytes() {
            stale.push(file);
        }
    }
    Ok(stale)
}

/// Files in the folders of generated files that are not among them.
fn left_over(root: &Path, generated: &[GeneratedFile]) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let entries = match fs::read_dir(root.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read {folder}")),
        };
        for entry in entries {
            let name = entry.with_context(|| format!("cannot read {folder}"))?.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            if generated.iter().all(|file| file.path != path) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    /// Made once for all tests, as the corpus takes seconds.
    static ALL: LazyLock<Vec<GeneratedFile>> = LazyLock::new(|| generated().unwrap());

    fn hello() -> Vec<GeneratedFile> {
        vec![GeneratedFile { path: "completions/hello".to_owned(), text: "hello\n".to_owned() }]
    }

    #[test]
    fn what_is_committed_is_what_the_program_says() {
        assert!(
            check(&crate::workspace_root().unwrap(), &ALL).unwrap(),
            "run `cargo xtask gen` and commit what it wrote"
        );
    }

    #[test]
    fn a_missing_and_a_changed_file_are_stale() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(COMPLETIONS)).unwrap();
        assert_eq!(stale(root.path(), &hello()).unwrap().len(), 1);
        fs::write(root.path().join("completions/hello"), "hello").unwrap();
        assert_eq!(stale(root.path(), &hello()).unwrap().len(), 1);
        fs::write(root.path().join("completions/hello"), "hello\n").unwrap();
        assert_eq!(stale(root.path(), &hello()).unwrap().len(), 0);
    }

    #[test]
    fn a_file_too_many_is_found() {
        let root = tempfile::tempdir().unwrap();
        assert!(left_over(root.path(), &hello()).unwrap().is_empty());
        fs::create_dir(root.path().join(COMPLETIONS)).unwrap();
        fs::write(root.path().join("completions/hello"), "hello\n").unwrap();
        fs::write(root.path().join("completions/hullo"), "").unwrap();
        assert_eq!(left_over(root.path(), &hello()).unwrap(), ["completions/hullo"]);
    }

    #[test]
    fn no_two_files_have_one_path_and_none_depends_on_the_call() {
        let again = generated().unwrap();
        for (index, file) in ALL.iter().enumerate() {
            assert!(ALL.iter().skip(index + 1).all(|other| other.path != file.path), "{}", file.path);
            assert!(again[index].text == file.text, "{}", file.path);
        }
    }
}
