//! Where commands stand in a text, in a document of JSON and in a page.
//!
//! Must not judge them.

use super::{Mark, Offer, PROGRAMS};

/// Every command of a plain text or of a page in Markdown.
pub fn in_text(text: &str) -> Vec<Offer> {
    let text = without_colours(text);
    let mut offers = Vec::new();
    let rest = without_lines(&text, &mut offers);
    let rest = without_quoted(&rest, CODE, &mut offers);
    let rest = without_quoted(&rest, BACKTICK, &mut offers);
    bare(&rest, &mut offers);
    offers
}

const BACKTICK: char = '`';
/// In the place of the tags around code of a page: no text has it.
const CODE: char = '\u{1}';

/// Every command of a string that is a value on its own.
pub fn in_string(text: &str) -> Vec<Offer> {
    if !text.lines().all(|line| begins_with_program(line.trim())) {
        return in_text(text);
    }
    let whole = |(line, text): (usize, &str)| Offer { mark: Mark::Whole, text: text.trim().to_owned(), line };
    (1..).zip(text.lines()).map(whole).collect()
}

/// Every command in the strings of a document of JSON. Only strings are read, wherever they stand.
pub fn in_json(document: &str) -> Vec<Offer> {
    let mut offers = Vec::new();
    let mut rest = document;
    while let Some((_, after)) = rest.split_once('"') {
        let mut end = 0;
        let bytes = after.as_bytes();
        while end < bytes.len() && bytes[end] != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let string = &after[..end.min(after.len())];
        if PROGRAMS.iter().any(|program| string.contains(program)) {
            offers.extend(in_string(&unescaped(string)));
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    offers
}

fn unescaped(string: &str) -> String {
    let mut text = String::new();
    let mut signs = string.chars();
    while let Some(sign) = signs.next() {
        match (sign, if sign == '\\' { signs.next() } else { None }) {
            (_, Some('n')) => text.push('\n'),
            (_, Some('u')) => {
                let code: String = signs.by_ref().take(4).collect();
                text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
            }
            (_, Some(sign)) | (sign, None) => text.push(sign),
        }
    }
    text
}

/// Every command of a page: what stands in `code` is marked, in `pre` it has lines of its own. The figures in its scripts are JSON.
pub fn in_html(page: &str) -> Vec<Offer> {
    let mut offers = Vec::new();
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        rest = behind;
        let name = tag.trim_start_matches('/').split(|sign: char| !sign.is_ascii_alphanumeric()).next();
        match (name.unwrap_or_default(), tag.starts_with('/')) {
            (script @ ("script" | "style"), false) => {
                let (inside, behind) = rest.split_once(&format!("</{script}>")).unwrap_or((rest, ""));
                if tag.contains("json") {
                    offers.extend(in_json(inside));
                }
                rest = behind;
            }
            ("code" | "kbd", _) => text.push(CODE),
            ("b" | "i" | "em" | "strong" | "span" | "a" | "sup" | "sub" | "abbr", _) => {}
            // What stands there alone is a command as a whole.
            ("pre" | "td" | "dd", false) => text.push_str("\n\n    "),
            _ => text.push_str("\n\n"),
        }
    }
    text.push_str(rest);
    for (entity, sign) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, sign);
    }
    offers.extend(in_text(&text));
    offers
}

/// Takes the commands out that have lines of their own, and those behind colons that have quotation marks: within those any sign is a part of
/// a name. The rest stays line for line.
fn without_lines(text: &str, offers: &mut Vec<Offer>) -> String {
    let mut prose = String::new();
    let mut is_continued = false;
    let mut is_fenced = false;
    for (line, text) in (1..).zip(text.lines()) {
        let trimmed = text.trim();
        is_fenced ^= trimmed.starts_with("```");
        match (is_continued, own_line(text, is_fenced)) {
            (true, _) => {
                if let Some(last) = offers.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(trimmed);
                }
            }
            (false, Some((mark, command))) => {
                let text = command.to_owned();
                offers.push(Offer { mark, text, line });
            }
            (false, None) if is_fenced => {}
            (false, None) => prose.push_str(&without_hostile(text, line, offers)),
        }
        is_continued = trimmed.ends_with('\\') && (is_continued || own_line(text, is_fenced).is_some());
        prose.push('\n');
    }
    prose
}

/// Takes the commands behind colons out that have quotation marks.
fn without_hostile(text: &str, line: usize, offers: &mut Vec<Offer>) -> String {
    let (mut rest, mut prose) = (text, String::new());
    while let Some(at) =
        rest.find(": rigel ").map(|at| at + 2).filter(|at| !rest[..*at].contains([BACKTICK, CODE]))
    {
        let Some((end, command)) = behind_colon(rest, at) else { break };
        prose.push_str(&rest[..at]);
        if command.contains('\'') {
            offers.push(Offer { mark: Mark::Whole, text: command, line });
        } else {
            prose.push_str(&rest[at..end]);
        }
        rest = &rest[end..];
    }
    prose + rest
}

/// Fewer blanks are those of a list.
const INDENT: usize = 2;

/// The command of a line that holds nothing else: after a prompt, or indented, or in a block of code. A form of use is not a command.
fn own_line(line: &str, is_fenced: bool) -> Option<(Mark, &str)> {
    let trimmed = line.trim();
    if let Some(form) = trimmed.strip_prefix("Usage: ").filter(|form| names_program(form)) {
        return Some((Mark::Quoted, form));
    }
    // A comment of a file of settings.
    let below = line.strip_prefix('#').filter(|_| !is_fenced).unwrap_or(line);
    let behind_prompt = trimmed.strip_prefix("$ ");
    let behind_other = trimmed.strip_prefix("# ").filter(|_| is_fenced);
    let is_indented = below.len() - below.trim_start().len() >= INDENT;
    let command =
        behind_prompt.or(behind_other).or_else(|| (is_indented || is_fenced).then_some(below.trim()))?;
    // `cd there && rigel ..`, `sudo rigel ..`, `sadf .. | rigel ..`: with a prompt they may begin with any program.
    let others = ["cd ", "sudo ", "ssh ", "mpirun ", "srun ", "sadf ", "nohup ", "scp "];
    let begins_otherwise = behind_prompt.is_some() || others.iter().any(|other| command.starts_with(other));
    (begins_with_program(command) || (begins_otherwise && names_program(command)))
        .then_some((Mark::Line, command))
}

fn begins_with_program(text: &str) -> bool {
    // `rigel 0.2.0` is what the program answers.
    let is_version = |rest: &str| rest.trim_start().starts_with(|sign: char| sign.is_ascii_digit());
    let is_end = |rest: &str| rest.is_empty() || (rest.starts_with(' ') && !is_version(rest));
    let begins = |program: &str| text.strip_prefix(program).is_some_and(is_end);
    PROGRAMS.iter().any(|program| begins(program))
}

/// Whether the program is a word of a line.
fn names_program(line: &str) -> bool {
    line.split(|sign: char| sign.is_whitespace() || "|;&'\"".contains(sign))
        .any(|word| PROGRAMS.contains(&word))
}

/// Takes what is quoted out, paragraph by paragraph, and adds its commands.
fn without_quoted(prose: &str, sign: char, offers: &mut Vec<Offer>) -> String {
    let mut rest = String::new();
    let mut line = 1;
    for paragraph in prose.split_inclusive("\n\n") {
        let mut number = line;
        line += paragraph.matches('\n').count();
        let parts: Vec<&str> = paragraph.split(sign).collect();
        // The last backtick of an odd number opens nothing.
        let quoted = (parts.len() - 1) / 2 * 2;
        for (place, part) in parts.iter().enumerate() {
            let breaks = part.matches('\n').count();
            if place % 2 == 1 && place < quoted {
                let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
                if names_program(&text) {
                    offers.push(Offer { mark: Mark::Quoted, text, line: number });
                }
                rest.push_str("..");
                rest.push_str(&"\n".repeat(breaks));
            } else {
                rest.push_str(part);
            }
            number += breaks;
        }
    }
    rest
}

/// Adds the commands behind colons, and the names of commands without a mark.
fn bare(prose: &str, offers: &mut Vec<Offer>) {
    let mut last = "";
    for (line, text) in (1..).zip(prose.lines()) {
        let mut from = 0;
        while let Some(at) = text[from..].find("rigel").map(|at| from + at) {
            from = at + "rigel".len();
            let rest = &text[from..];
            let is_program = rest.starts_with(' ') || rest.starts_with("-mpi ");
            let is_part =
                text[..at].ends_with(|sign: char| sign.is_alphanumeric() || "-_./$~<\"'=@".contains(sign));
            let before = text[..at].split_whitespace().next_back().unwrap_or(last);
            if !is_program || is_part || OWNERS.contains(&before.to_ascii_lowercase().as_str()) {
                continue;
            }
            if let Some((end, text)) = behind_colon(text, at) {
                offers.push(Offer { mark: Mark::Whole, text, line });
                from = end;
            } else {
                offers.push(Offer { mark: Mark::Bare, text: text[at..].to_owned(), line });
            }
        }
        last = text.split_whitespace().next_back().unwrap_or(last);
    }
}

/// What is called so in a database.
const OWNERS: [&str; 2] = ["schema", "extension"];

/// The command that begins there after a colon, and where it ends: with the line, or at a semicolon that is in no quotation marks.
fn behind_colon(line: &str, at: usize) -> Option<(usize, String)> {
    let is_outside = |end: &usize| line[at..at + end].matches('\'').count().is_multiple_of(2);
    let end = line[at..].match_indices("; ").map(|(end, _)| end).find(is_outside);
    let end = end.map_or(line.len(), |end| at + end);
    line[..at].ends_with(": ").then(|| (end, line[at..end].trim_end().trim_end_matches('.').to_owned()))
}

/// The text without escapes of a terminal.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.split_once('m').map_or(part, |(_, rest)| rest))
}
