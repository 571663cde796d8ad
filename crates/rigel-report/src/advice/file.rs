//! The file that a product reads, as text.
//!
//! Must not write a file without the settings that the product requires.

use super::commented::{CommentedFile, value};
use super::{Advisory, sql, title};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::printable;
use rigel_uses::advice::{Advice, Kind, Product, Refusal};
use std::fmt::Write as _;

/// The file. `server_version` is the major version of the server that will read it: settings added later are comments, and so
/// are those that experiments did not confirm for it.
///
/// # Errors
/// When the runs support none of its settings, or not all if the product needs all.
pub fn file(advisory: &Advisory<'_>, product: Product, server_version: u32) -> Result<String, Problem> {
    let advice: Vec<&Advice> = advisory.advised.of_product(product).collect();
    let given = advice.iter().filter(|advice| advice.outcome.is_ok()).count();
    let is_enough = match product {
        Product::Cgroup | Product::Seastar => given == advice.len(),
        // The number of the disk is no setting.
        Product::CgroupMax => given > 1 && value(&advice, "device").is_some(),
        Product::Postgresql | Product::Mysql | Product::Oracle => given > 0,
    };
    if !is_enough {
        return Err(unsupported(product, &advice));
    }
    Ok(match product {
        Product::Postgresql => options(advisory, product, &advice, "", server_version),
        Product::Mysql => options(advisory, product, &advice, "[mysqld]", u32::MAX),
        Product::Oracle => sql::script(advisory, &advice),
        Product::Cgroup => nested_keys(&advice, " ctrl=user model=linear"),
        Product::CgroupMax => nested_keys(&advice, ""),
        Product::Seastar => yaml(advisory, &advice),
    })
}

/// The reason is what most settings lack, figures in doubt first: they were measured, and must be measured again. Every step is listed once.
fn unsupported(product: Product, advice: &[&Advice]) -> Problem {
    let mut missing: Vec<(&Refusal, Vec<&str>)> = Vec::new();
    for advice in advice {
        let Err(refusal) = &advice.outcome else { continue };
        match missing.iter_mut().find(|(known, _)| known.because == refusal.because) {
            Some((_, settings)) => settings.push(advice.setting),
            None => missing.push((refusal, vec![advice.setting])),
        }
    }
    // What was measured and is in doubt is no mistake of the command line.
    let in_doubt = missing.iter().any(|(refusal, _)| refusal.kind == Kind::InDoubt);
    let kind = if in_doubt { ExitKind::GateFailed } else { ExitKind::Usage };
    missing.retain(|(refusal, _)| !in_doubt || refusal.kind == Kind::InDoubt);
    let mut next: Vec<String> = Vec::new();
    for step in missing.iter().map(|(refusal, _)| refusal.step()) {
        if !next.contains(&step) {
            next.push(step);
        }
    }
    let most = missing.iter().rev().max_by_key(|(_, settings)| settings.len());
    let why = most.map_or_else(String::new, |(refusal, _)| printable(&refusal.because).into_owned());
    Problem::new(kind, format!("the records do not support the file for {}", title(product)))
        .at(format!("--database {}", product.name()))
        .because(why)
        .next(printable(&format!(
            "{}; then name all records. Without --database each setting is listed with its reason",
            next.join("; ")
        )))
}

/// `name = value` lines below a section, as PostgreSQL and `MySQL` read them.
fn options(
    advisory: &Advisory<'_>,
    product: Product,
    advice: &[&Advice],
    section: &str,
    server_version: u32,
) -> String {
    let mut file = CommentedFile::new(advisory, product, "#");
    if !section.is_empty() {
        file.page.line(section);
    }
    for advice in advice {
        let Ok(given) = &advice.outcome else { continue };
        file.page.blank();
        let line = format!("{} = {}", advice.setting, given.value.text);
        let newer = advice.since.filter(|major| *major > server_version);
        let unproven = advice.until.filter(|major| *major < server_version);
        let is_aside = given.is_hint || given.is_unproven || given.rough.is_some();
        if newer.is_some() || unproven.is_some() || is_aside {
            file.comment_out(&line)
        } else {
            file.page.line(&line)
        }
        if let Some(major) = newer {
            file.comment_below(&format!(
                "Only for version {major} and later, so it is a comment (--server-version)."
            ));
        } else if let Some(major) = unproven {
            file.comment_below(&format!(
                "Not confirmed for versions after {major}, so it is a comment; rigel sql prove tries it."
            ));
        } else if given.is_hint {
            file.comment_below("Not for every server, so it is a comment.");
        } else if given.is_unproven {
            file.comment_below("Not confirmed on every version, so it is a comment.");
        }
        file.explanation(advice, given);
    }
    file.refusals(advice);
    file.page.into_string()
}

/// One line of the kernel's nested keys: `8:0 rbps=1 ..`. It has no comments.
fn nested_keys(advice: &[&Advice], constant: &str) -> String {
    let mut line = value(advice, "device").unwrap_or_default().to_owned() + constant;
    for advice in advice.iter().filter(|advice| advice.setting != "device") {
        if let Ok(given) = &advice.outcome {
            // Writing to a String cannot fail.
            let _ = write!(line, " {}={}", advice.setting, given.value.text);
        }
    }
    line + "\n"
}

/// The list of disks. It has one entry.
fn yaml(advisory: &Advisory<'_>, advice: &[&Advice]) -> String {
    let mut file = CommentedFile::new(advisory, Product::Seastar, "#");
    for advice in advice {
        if let Ok(given) = &advice.outcome {
            file.comment(&format!("{}:", advice.setting));
            file.explanation(advice, given);
        }
    }
    file.page.line("disks:");
    for (place, advice) in advice.iter().enumerate() {
        let start = if place == 0 { "  - " } else { "    " };
        let value = value(&[advice], advice.setting).unwrap_or_default();
        // A string of JSON is one of YAML as well, whatever is in it.
        let value = match advice.setting {
            "mountpoint" => serde_json::Value::from(value).to_string(),
            _ => value.to_owned(),
        };
        file.page.line(format_args!("{start}{}: {value}", advice.setting));
    }
    file.page.into_string()
}
