//! The rule that a relative link in Markdown leads to a file. Links into the web are not followed.

use super::Finding;
use super::source::TextFile;
use std::collections::BTreeSet;

/// Findings for links that lead nowhere; they may lead to any of `names`, also to what is no text.
pub fn check(files: &[TextFile], names: &BTreeSet<String>) -> Vec<Finding> {
    let known: BTreeSet<&str> = names.iter().flat_map(|name| with_folders(name)).collect();
    let pages = files.iter().filter(|file| file.path.ends_with(".md"));
    let broken = |page: &TextFile| {
        let dangling = |(_, target): &(usize, &str)| !known.contains(resolve(&page.path, target).as_str());
        let say = |(line, target)| {
            Finding::new(
                &page.path,
                line,
                "link",
                format!("`{target}` is not in the repository: mend the link"),
            )
        };
        links(&page.text).into_iter().filter(dangling).map(say).collect::<Vec<_>>()
    };
    pages.flat_map(broken).collect()
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
    !target.starts_with('#') && !target.contains("://") && !target.starts_with("mailto:")
}

/// The path that a link on `page` means, relative to the repository; a leading `/` is its root.
fn resolve(page: &str, target: &str) -> String {
    let target = target.trim_start_matches('<').trim_end_matches('>');
    let target = target.split(['#', '?']).next().unwrap_or_default();
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
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, text};
    use super::*;

    fn found(page: &str, content: &str) -> Vec<(usize, &'static str)> {
        let names = [page, "docs/design.md", "docs/schemas/a.json", "docs/a.png"].map(str::to_owned);
        places(check(&[text(page, content)], &BTreeSet::from(names)))
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        assert_eq!(found("README.md", "one\n[a](docs/gone.md) and [b](docs/design.md)\n"), [(2, "link")]);
        assert_eq!(found("README.md", "[a]: gone.md \"title\"\n"), [(1, "link")]);
        assert_eq!(found("docs/page.md", "[a](docs/design.md)\n"), [(1, "link")]);
        assert_eq!(found("docs/page.md", "[a](../../docs/design.md)\n"), [(1, "link")]);
    }

    #[test]
    fn links_to_files_folders_and_sections_are_fine() {
        assert_eq!(
            found(
                "README.md",
                "[a](docs/design.md#part \"t\") ![b](./docs) [c](#here) [d](/docs/schemas/)\n"
            ),
            []
        );
        assert_eq!(found("docs/page.md", "[a](design.md) [b](../README.md)\n").len(), 1);
        assert_eq!(found("docs/page.md", "[a](schemas/a.json) [b](..) [c](<design.md>) ![d](a.png)\n"), []);
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
