use super::*;

/// A program with two commands, one of a group, and one option.
fn judge() -> Judge<'static> {
    fn understand(argv: &[String]) -> Result<(), String> {
        match argv.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["rigel"] => Err("a command is missing".into()),
            ["rigel", "show"] | ["rigel", "show", "--all"] | ["rigel", "keep", "list"] => Ok(()),
            ["rigel", "show", file] if !file.starts_with('-') => Ok(()),
            ["rigel", "show", "--for", time] if time.starts_with(|sign: char| sign.is_ascii_digit()) => {
                Ok(())
            }
            _ => Err("refused".into()),
        }
    }
    fn help(words: &[&str]) -> Option<String> {
        match words {
            [] => Some("Commands:\n".into()),
            ["show"] => Some("--all --for TIME".into()),
            ["keep"] => Some("\nCommands:\n  list".into()),
            ["keep", "list"] => Some(String::new()),
            _ => None,
        }
    }
    Judge { understand: &understand, help: &help }
}

fn refused(text: &str) -> Vec<String> {
    in_text(text)
        .iter()
        .filter_map(|offer| judge().check(offer).err())
        .map(|refusal| refusal.command)
        .collect()
}

fn texts(offers: &[Offer]) -> Vec<(Mark, &str, usize)> {
    offers.iter().map(|offer| (offer.mark, offer.text.as_str(), offer.line)).collect()
}

#[test]
fn commands_are_found_by_their_marks() {
    let text = "To see it:\n  rigel show a.jsonl\n\nSay `rigel show\n  --all`, or so: rigel show --for 5m; rigel keeps it.\n$ cd x && rigel show b";
    assert_eq!(
        texts(&in_text(text)),
        [
            (Mark::Line, "rigel show a.jsonl", 2),
            (Mark::Line, "cd x && rigel show b", 6),
            (Mark::Quoted, "rigel show --all", 4),
            (Mark::Whole, "rigel show --for 5m", 5),
            (Mark::Bare, "rigel keeps it.", 5),
        ]
    );
    for (text, found) in [
        ("\u{1b}[1m  rigel show\u{1b}[0m", 1),
        ("```\nrigel show\n```\n", 1),
        ("rigel_20260101_record.jsonl, librigel, target/rigel x", 0),
        ("`cargo test -p rigel`", 1),
        ("a ` alone, and rigel show", 1),
        ("$ rigel show \\\n    b\n", 1),
    ] {
        assert_eq!(in_text(text).len(), found, "{text}");
    }
}

#[test]
fn what_cannot_be_typed_is_refused() {
    for sound in [
        "  rigel show",
        "`rigel show --for`",
        "`rigel show`",
        "rigel show tells it",
        "`rigel show ..`",
        "so: rigel show FILE",
        "  rigel show --for TIME",
        "`sudo -u x rigel show`",
        "rigel keep list, or",
        "rigel 0.2.0",
        "`apt install rigel`",
        "  rigel show a   what it is for",
        "  rigel show a | rigel show b > c",
        "  ssh other rigel show",
    ] {
        assert_eq!(refused(sound), Vec::<String>::new(), "{sound}");
    }
    for (text, command) in [
        ("  rigel shwo", "rigel shwo"),
        ("  rigel show --for", "rigel show --for"),
        ("`rigel show --far`", "rigel show --far"),
        ("rigel keep lost, or", "rigel keep lost, or"),
        ("rigel show --all tells it", "rigel show --all tells it"),
        ("so: rigel show --for long", "rigel show --for long"),
        ("`rigel show --nothing ..`", "rigel show --nothing .."),
        ("  rigel show 'a", "rigel show 'a"),
        ("  rigel show a | rigel list", "rigel show a | rigel list"),
        ("rigel lists it", "rigel lists it"),
    ] {
        assert_eq!(refused(text), [command], "{text}");
    }
}

#[test]
fn strings_of_json_and_parts_of_pages_are_texts() {
    let json = "{\"a\": [\"say `rigel show`\\nor:\\n  rigel show \\\"b\\\"\"], \"r\": 1}";
    assert_eq!(texts(&in_json(json)), [(Mark::Line, "rigel show \"b\"", 3), (Mark::Quoted, "rigel show", 1)]);
    let page = "<style>rigel x</style><p>Say <code>rigel show &lt;FILE&gt;</code></p><pre>rigel show a</pre>\
                <script type=\"application/json\">{\"x\": \"`rigel show c`\"}</script><script>rigel.y()</script>";
    let found: Vec<String> = in_html(page).into_iter().map(|offer| offer.text).collect();
    assert_eq!(found, ["rigel show c", "rigel show a", "rigel show <FILE>"]);
}

#[test]
fn a_line_becomes_words_as_a_shell_makes_them() {
    let words = |line: &str| {
        shell::commands(line).map(|all| all.iter().map(|words| words.join("|")).collect::<Vec<_>>())
    };
    for (line, expected) in [
        ("a 'b c' \"d\\\"e\" f\\ g", vec!["a|b c|d\"e|f g"]),
        ("a b > c 2>&1 && d <<EOF; e", vec!["a|b", "d", "e"]),
        ("a b   a caption", vec!["a|b"]),
        ("a b    | c", vec!["a|b", "c"]),
        ("a # b", vec!["a"]),
        ("a \\\n  b", vec!["a|b"]),
        ("a <FILE> < b", vec!["a|<FILE>"]),
    ] {
        assert_eq!(
            words(line).as_deref(),
            Ok(&expected.iter().map(|&one| one.to_owned()).collect::<Vec<_>>()[..]),
            "{line}"
        );
    }
    assert!(words("a 'b").is_err());
}
