//! The anchors of a Markdown page, as GitHub and GitLab make them of its headings. Must not judge a link.

use std::collections::{BTreeMap, BTreeSet};

/// The anchor of every heading. Of headings with the same text, the second ends in `-1`, the third in `-2`.
pub fn of(page: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    let mut in_code = false;
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let Some(heading) = heading(line).filter(|_| !in_code) else { continue };
        let anchor = slug(heading);
        let earlier = seen.entry(anchor.clone()).or_default();
        anchors.insert(if *earlier == 0 { anchor } else { format!("{anchor}-{earlier}") });
        *earlier += 1;
    }
    anchors
}

/// The text of `# Text` with up to six number signs.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim())
}

/// Letters and digits in lower case, spaces as hyphens, no other punctuation. Of a link only its text counts.
fn slug(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let text: String = without_targets(heading).chars().filter(|&c| kept(c)).collect();
    text.to_lowercase().replace(' ', "-")
}

/// `[text](target)` as `[text]`.
fn without_targets(heading: &str) -> String {
    let mut parts = heading.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors() {
        let page =
            "# One page\n## `HOST_LIMITED`: no time, left\n### See [a page](there.md)!\n#not a heading\n";
        assert_eq!(
            of(page),
            ["host_limited-no-time-left", "one-page", "see-a-page"].map(str::to_owned).into()
        );
    }

    #[test]
    fn the_same_heading_twice_is_counted_and_code_has_none() {
        let page = "## Files\n```\n# a comment\n```\n## Files\n";
        assert_eq!(of(page), ["files", "files-1"].map(str::to_owned).into());
    }
}
