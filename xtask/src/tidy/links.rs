//! The rule that a relative link in Markdown leads to a file, and its anchor to a section of that page. Links into the web
//! are not followed.

use super::Finding;
use super::anchors;
use super::source::TextFile;
use std::collections::{BTreeMap, BTreeSet};

/// Findings for dead links; they may lead to any of `names`, also to what is not text.
pub fn check(files: &[TextFile], names: &BTreeSet<String>) -> Vec<Finding> {
    let known: BTreeSet<&str> = names.iter().flat_map(|name| with_folders(name)).collect();
    let pages: Vec<&TextFile> = files.iter().filter(|file| file.path.ends_with(".md")).collect();
    let anchors: Anchors<'_> =
        pages.iter().map(|page| (page.path.as_str(), anchors::of(&page.text))).collect();
    pages.iter().flat_map(|page| broken(page, &known, &anchors)).collect()
}

/// The anchors of each page, by its path.
type Anchors<'a> = BTreeMap<&'a str, BTreeSet<String>>;

fn broken(page: &TextFile, known: &BTreeSet<&str>, anchors: &Anchors<'_>) -> Vec<Finding> {
    let wrong = |(line, target): (usize, &str)| {
        let (path, anchor) = resolve(&page.path, target);
        let missing = if !known.contains(path.as_str()) {
            "is not in the repository"
        } else if anchors
            .get(path.as_str())
            .is_some_and(|known| !anchor.is_empty() && !known.contains(anchor))
        {
            "names a section that the page does not have"
        } else {
            return None;
        };
        Some(Finding::new(&page.path, line, "link", format!("`{target}` {missing}: mend the link")))
    };
    links(&page.text).into_iter().filter_map(wrong).collect()
}

/// A path and every folder above it.
fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.chain([path, ""])
}

/// Line and target of every relative link outside code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let targets = inline_targets(line).chain(definition_target(line));
            found.extend(targets.filter(|target| is_relative(target)).map(|target| (index + 1, target)));
        }
    }
    found
}

/// The targets of `[text](target)`; code between backticks is skipped.
fn inline_targets(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, sign)| {
        let in_code = line[..at].matches('`').count() % 2 == 1;
        let rest = &line[at + sign.len()..];
        let end = rest.find(')')?;
        (!in_code).then(|| rest[..end].split_whitespace().next()).flatten()
    })
}

/// The target of `[name]: target`.
fn definition_target(line: &str) -> Option<&str> {
    let (name, target) = line.strip_prefix('[')?.split_once("]: ")?;
    (!name.starts_with('^')).then(|| target.split_whitespace().next()).flatten()
}

fn is_relative(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:")
}

/// The path that a link on `page` means, relative to the repository, and its anchor. A leading `/` is the root of the
/// repository; an anchor alone is on the same page.
fn resolve<'a>(page: &str, target: &'a str) -> (String, &'a str) {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let (target, anchor) = target.split_once('#').unwrap_or((target, ""));
    let target = target.split('?').next().unwrap_or_default();
    if target.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { page.split('/').collect() };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if !matches!(parts.last(), None | Some(&"..")) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    (parts.join("/"), anchor)
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, text};
    use super::*;

    fn found(page: &str, content: &str) -> Vec<(usize, &'static str)> {
        let names = [page, "pages/design.md", "pages/schemas/a.json", "pages/a.png"].map(str::to_owned);
        places(check(&[text(page, content)], &BTreeSet::from(names)))
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        assert_eq!(found("README.md", "one\n[a](pages/gone.md) and [b](pages/design.md)\n"), [(2, "link")]);
        assert_eq!(found("README.md", "[a]: gone.md \"title\"\n"), [(1, "link")]);
        assert_eq!(found("pages/page.md", "[a](pages/design.md)\n"), [(1, "link")]);
        assert_eq!(found("pages/page.md", "[a](../../pages/design.md)\n"), [(1, "link")]);
    }

    #[test]
    fn links_to_files_and_folders_are_fine() {
        assert_eq!(
            found("README.md", "[a](pages/design.md#part \"t\") ![b](./pages) [c](/pages/schemas/)\n"),
            []
        );
        assert_eq!(found("pages/page.md", "[a](design.md) [b](../README.md)\n").len(), 1);
        assert_eq!(found("pages/page.md", "[a](schemas/a.json) [b](..) [c](<design.md>) ![d](a.png)\n"), []);
    }

    #[test]
    fn an_anchor_is_a_section_of_its_page() {
        let other = text("pages/design.md", "# Design\n\n## The `far` part\n");
        let judged = |content: &str| {
            let page = text("pages/page.md", content);
            let names = BTreeSet::from([page.path.clone(), other.path.clone()]);
            places(check(&[page, text(&other.path, &other.text)], &names))
        };
        assert_eq!(judged("## Here\n[a](#here) [b](design.md#the-far-part) [c](design.md#)\n"), []);
        assert_eq!(judged("## Here\n[a](#there)\n[b](design.md#here)\n"), [(2, "link"), (3, "link")]);
    }

    #[test]
    fn the_web_and_code_are_not_judged() {
        assert_eq!(
            found("README.md", "[a](https://a.example/x) [b](mailto:a@a.example)\n[^1]: a note\n"),
            []
        );
        assert_eq!(found("README.md", "```\n[a](gone.md)\n```\n`b[i](x)`\n"), []);
    }
}
