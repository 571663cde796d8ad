//! The row as SQLcl and SQL Developer export it: JSON, XML, HTML and INSERT statements.
//!
//! Must not read a table that is drawn in text.

use super::super::cells::csv;
use super::{Values, column, row, value};
use serde_json::Value;

/// The remark on more than one row.
const MORE: &str = "further rows: one calibration is one row";
/// Deeper documents are not searched.
const DEEPEST: usize = 8;

/// The values of an export; `None` of another text.
pub fn values(text: &str, passed_over: &mut Vec<String>) -> Option<Values> {
    let start = text.trim_start();
    let mut rows = if start.starts_with(['{', '[']) {
        of_json(start)
    } else if start.contains("<COLUMN NAME=") {
        of_xml(start)
    } else if has_tag(start, "<td") {
        of_html(start)
    } else {
        of_inserts(start)
    };
    rows.retain(|row| !row.is_empty());
    if rows.len() > 1 {
        passed_over.push(MORE.to_owned());
    }
    (!rows.is_empty()).then(|| rows.swap_remove(0))
}

fn of_json(text: &str) -> Vec<Values> {
    let mut rows = Vec::new();
    if let Some(Ok(whole)) = serde_json::Deserializer::from_str(text).into_iter::<Value>().next() {
        objects(&whole, 0, &mut rows);
    }
    rows
}

fn objects(json: &Value, depth: usize, rows: &mut Vec<Values>) {
    if depth > DEEPEST {
        return;
    }
    match json {
        Value::Array(all) => all.iter().for_each(|one| objects(one, depth + 1, rows)),
        Value::Object(members) => {
            let known = members.iter().filter_map(|(name, found)| {
                let column = column(name)?;
                let text = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
                Some((column, value(column, &text)?))
            });
            let known: Values = known.collect();
            if known.is_empty() {
                members.values().for_each(|one| objects(one, depth + 1, rows));
            } else {
                rows.push(known);
            }
        }
        _ => {}
    }
}

/// `<COLUMN NAME="MAX_IOPS"><![CDATA[11518]]></COLUMN>` in a `ROW`.
fn of_xml(text: &str) -> Vec<Values> {
    let cell = |part: &str| {
        let (name, rest) = part.split_once('"')?;
        let (_, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once("</")?;
        let text = text.trim().trim_start_matches("<![CDATA[").trim_end_matches("]]>");
        let column = column(name)?;
        Some((column, value(column, text)?))
    };
    let of_row = |part: &str| part.split("<COLUMN NAME=\"").skip(1).filter_map(cell).collect();
    text.split("<ROW>").skip(1).map(of_row).collect()
}

fn has_tag(text: &str, tag: &str) -> bool {
    text.to_ascii_lowercase().contains(tag)
}

/// Rows of a table of HTML, the first with names.
fn of_html(text: &str) -> Vec<Values> {
    let lower = text.to_ascii_lowercase();
    // Lower case has the same bytes in the same places.
    let starts: Vec<usize> = lower.match_indices("<tr").map(|(at, _)| at).collect();
    let rows = starts.iter().enumerate().map(|(number, &start)| {
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        cells(&text[start..end])
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let is_header = |cells: &Vec<String>| cells.iter().filter_map(|cell| column(cell)).count() > 1;
    let Some(at) = rows.iter().position(is_header) else {
        // A name and its value in each row.
        let pair = |cells: &Vec<String>| {
            let [name, text] = cells.as_slice() else { return None };
            let column = column(name)?;
            Some((column, value(column, text)?))
        };
        return vec![rows.iter().filter_map(pair).collect()];
    };
    rows[at + 1..].iter().map(|cells| row(&rows[at], cells)).collect()
}

/// The texts of the complete cells of a row.
fn cells(text: &str) -> Vec<String> {
    let parts = text.split('<').filter_map(|part| {
        let (tag, text) = part.split_once('>')?;
        let name = tag.split_whitespace().next()?.to_ascii_lowercase();
        Some((name, text.trim().to_owned()))
    });
    let (mut cells, mut open): (Vec<String>, Option<String>) = (Vec::new(), None);
    for (name, text) in parts {
        match name.as_str() {
            "td" | "th" => open = Some(text),
            "/td" | "/th" => cells.extend(open.take()),
            // Bold, and the like.
            _ => open.iter_mut().for_each(|cell| cell.push_str(&text)),
        }
    }
    cells
}

/// `Insert into X (MAX_IOPS,..) values (11518,..);`
fn of_inserts(text: &str) -> Vec<Values> {
    let lower = text.to_ascii_lowercase();
    let statements = lower.match_indices("insert into ").filter_map(|(at, _)| {
        let (names, rest) = text[at..].split_once('(')?.1.split_once(')')?;
        let (_, rest) = rest.split_once('(')?;
        Some(row(&csv(names, ','), &arguments(rest)?))
    });
    statements.collect()
}

/// The values up to the closing parenthesis; `None` if it is missing. Commas within quotes and functions do not separate values.
fn arguments(text: &str) -> Option<Vec<String>> {
    let (mut found, mut depth, mut is_quoted) = (vec![String::new()], 0u32, false);
    for sign in text.chars() {
        is_quoted ^= sign == '\'';
        match sign {
            '\'' if depth == 0 => {}
            ')' if !is_quoted && depth == 0 => {
                return Some(found.iter().map(|text| text.trim().to_owned()).collect());
            }
            ',' if !is_quoted && depth == 0 => found.push(String::new()),
            other => {
                depth = match other {
                    '(' if !is_quoted => depth.saturating_add(1),
                    ')' if !is_quoted => depth.saturating_sub(1),
                    _ => depth,
                };
                found.last_mut().into_iter().for_each(|last| last.push(other));
            }
        }
    }
    None
}
