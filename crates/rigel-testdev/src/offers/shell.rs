//! A line for a shell, as the words of its commands.
//!
//! Must not know Rigel, and must not expand anything.

/// The words of each command of a line, without quotes, redirections and comments. Operators end a command, as a caption does that stands
/// behind two or more blanks.
///
/// # Errors
/// A quote that nobody closes.
pub fn commands(line: &str) -> Result<Vec<Vec<String>>, String> {
    let mut reader = Reader { rest: line, commands: vec![Vec::new()], is_redirected: false };
    while reader.step()? {}
    Ok(reader.commands.into_iter().filter(|words| !words.is_empty()).collect())
}

struct Reader<'a> {
    rest: &'a str,
    commands: Vec<Vec<String>>,
    /// The next word is a file that is written or read.
    is_redirected: bool,
}

const OPERATORS: [&str; 5] = ["&&", "||", "|", ";", "&"];
const REDIRECTIONS: [&str; 7] = ["2>&1", ">&-", "2>", ">>", ">", "<<", "<"];
/// Blanks between the words of a command; more of them come before a caption.
const CAPTION: &str = "  ";

impl Reader<'_> {
    /// Takes the next word, operator or blanks; whether there may be more.
    fn step(&mut self) -> Result<bool, String> {
        let has_words = self.commands.last().is_some_and(|words| !words.is_empty());
        if self.rest.starts_with(CAPTION) && has_words && !self.is_continued() {
            return Ok(false);
        }
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() || self.rest.starts_with('#') {
            return Ok(false);
        }
        if let Some(rest) = self.rest.strip_prefix("\\\n") {
            self.rest = rest.trim_start();
            return Ok(true);
        }
        let placeholder = self.rest.starts_with('<') && placeholder(self.rest).is_some();
        if let Some(sign) = REDIRECTIONS.iter().find(|sign| !placeholder && self.rest.starts_with(**sign)) {
            self.rest = &self.rest[sign.len()..];
            self.is_redirected = !sign.contains('&');
        } else if let Some(sign) = OPERATORS.iter().find(|sign| self.rest.starts_with(**sign)) {
            self.rest = &self.rest[sign.len()..];
            self.commands.push(Vec::new());
        } else {
            let word = self.word()?;
            if !std::mem::take(&mut self.is_redirected)
                && let Some(words) = self.commands.last_mut()
            {
                words.push(word);
            }
        }
        Ok(true)
    }

    /// Whether an operator or a continued line comes behind the blanks.
    fn is_continued(&self) -> bool {
        let next = self.rest.trim_start();
        next.starts_with("\\\n") || OPERATORS.iter().any(|sign| next.starts_with(sign))
    }

    fn word(&mut self) -> Result<String, String> {
        if let Some(word) = placeholder(self.rest) {
            self.rest = &self.rest[word.len()..];
            return Ok(word.to_owned());
        }
        let mut word = String::new();
        let mut quote = None;
        // `$'..'`, whose escapes stay as they are written.
        let mut is_escaped = false;
        let mut signs = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, sign)) = signs.next() {
            match (quote, sign) {
                (None, '$') if self.rest[at..].starts_with("$'") => is_escaped = true,
                (None, '\'' | '"') => quote = Some(sign),
                (Some('\''), '\\') if is_escaped => {
                    word.push(sign);
                    word.extend(signs.next().map(|(_, sign)| sign));
                }
                (Some(open), _) if open == sign => {
                    quote = None;
                    is_escaped = false;
                }
                (None | Some('"'), '\\') => word.extend(signs.next().map(|(_, sign)| sign)),
                (None, _) if sign.is_whitespace() || "|;&<>".contains(sign) => {
                    end = at;
                    break;
                }
                _ => word.push(sign),
            }
        }
        if quote.is_some() {
            return Err(format!("a quote is not closed: {}", self.rest));
        }
        self.rest = &self.rest[end..];
        Ok(word)
    }
}

/// `<FILE>`, as a usage has it.
fn placeholder(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.split_once('>')?.0;
    let is_name = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_');
    is_name.then(|| &text[..name.len() + 2])
}
