//! Rules about the pages below `docs`: the index links each of them, and a page that a source names is there. Links between
//! pages are judged by `links`.

use super::Finding;
use super::source::TextFile;
use std::collections::BTreeSet;

const FOLDER: &str = "docs/";
const INDEX: &str = "docs/README.md";

/// Findings for pages that the index misses, and for names of pages in sources that lead nowhere.
pub fn check(files: &[TextFile], names: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = not_in_index(files);
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        for (index, line) in file.text.lines().enumerate() {
            let gone = named_pages(line).filter(|page| !names.contains(*page));
            findings.extend(gone.map(|page| {
                Finding::new(
                    &file.path,
                    index + 1,
                    "page",
                    format!("there is no {page}: name the page that took its place"),
                )
            }));
        }
    }
    findings
}

fn not_in_index(files: &[TextFile]) -> Vec<Finding> {
    let Some(index) = files.iter().find(|file| file.path == INDEX) else { return Vec::new() };
    let pages = files.iter().filter(|file| file.path.starts_with(FOLDER) && file.path.ends_with(".md"));
    let missed = pages.filter(|page| {
        let below = page.path.trim_start_matches(FOLDER);
        page.path != INDEX && !index.text.contains(&format!("]({below})"))
    });
    missed.map(|page| Finding::new(&page.path, 1, "index", format!("link the page from {INDEX}"))).collect()
}

/// Every name of a page below `docs` in a line; a web address has something before it.
fn named_pages(line: &str) -> impl Iterator<Item = &str> {
    let starts = line.match_indices(FOLDER).map(|(at, _)| at);
    starts.filter_map(|at| {
        let is_part = line[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.:/".contains(c));
        let path = &line[at..];
        let end =
            path.find(|c: char| !c.is_ascii_alphanumeric() && !"_-./".contains(c)).unwrap_or(path.len());
        let path = path[..end].trim_end_matches('.');
        (!is_part && path.ends_with(".md")).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, text};
    use super::*;

    /// A path below `docs`, put together here so that this file names no page itself.
    fn page(name: &str) -> String {
        format!("{FOLDER}{name}.md")
    }

    #[test]
    fn the_index_links_every_page() {
        let index = text(INDEX, "[a](guide/a.md)\n");
        let files = [index, text(&page("guide/a"), "# A\n"), text(&page("guide/b"), "# B\n")];
        let found = check(&files, &BTreeSet::new());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, page("guide/b"));
    }

    #[test]
    fn a_source_names_pages_that_are_there() {
        let names = BTreeSet::from([page("guide/a")]);
        let judged = |line: String| places(check(&[text("crates/a/src/lib.rs", &line)], &names));
        assert_eq!(judged(format!("/// One.\n/// See {}.\n", page("guide/gone"))), [(2, "page")]);
        assert_eq!(
            judged(format!("/// See `{}`, or https://a.example/{}\n", page("guide/a"), page("b"))),
            []
        );
    }
}
