//! One document in every format.

use super::*;

const HOSTILE: &str = "a<b>|\"c\"";

fn document() -> Blocks {
    let rows = [(HOSTILE, 1_u64, true), ("x", 20, false)];
    let table = Table::of("row", &rows)
        .indent(1)
        .column(Column::left("name"), |(name, ..)| *name)
        .column(Column::right("count"), |(_, count, _)| *count)
        .column(Column::right("wide").width(6), |(_, count, _)| (*count > 1).then(|| count.to_string()))
        .bad(|(.., is_bad)| *is_bad)
        .below(|(name, ..)| vec![Paragraph::labelled("    ", 4, format!("of {name}")).into()])
        .done();
    vec![
        Block::Verdict { tone: Tone::Good, sentences: vec!["Good.".to_owned(), "Two.".to_owned()] },
        Block::part(Vec::new()),
        Block::section("Title", vec![table, Block::about("what it means")]),
        Block::drawn("Drawn", &["about"], vec![Chart::new("id", "Chart", "over x")]),
        Block::part(vec![Block::List(vec!["one".to_owned()]), Block::whole("run ", "rigel \"x\"")]),
        Block::part(vec![Block::Next {
            command: "rigel doctor".to_owned(),
            effect: "looks again".to_owned(),
        }]),
    ]
    .into()
}

#[test]
fn a_text_has_columns_and_an_empty_line_between_sections() {
    let told = "Good.\nTwo.\n\nTitle\n name      count   wide\n!a<b>|\"c\"      1      -\n    of a<b>|\"c\"\n x            20     20\n    of x\n\
                what it means\n\n- one\nrun rigel \"x\"\n\nNext: rigel doctor\n      looks again\n";
    assert_eq!(document().text(Style::default()), told);
}

#[test]
fn a_page_holds_no_markup_of_others_and_closes_what_it_opens() {
    let mut page = Page::default();
    html::write_all(&mut page, &document().0);
    let page = page.into_string();
    assert!(
        !page.contains("<b>|") && page.contains("<th scope=\"row\">a&lt;b&gt;|&quot;c&quot;</th>"),
        "{page}"
    );
    assert!(page.contains("<td class=\"n\">20</td>") && page.contains("id=\"id\""), "{page}");
    for tag in ["section", "table", "tr", "td", "ul", "div", "p"] {
        let open = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}: {page}");
    }
    assert_eq!(page.matches("<section").count(), 5, "none for a part without blocks: {page}");
}

#[test]
fn markdown_has_the_same_without_charts() {
    let mut page = Page::default();
    markdown::write_all(&mut page, &document().0);
    let page = page.into_string();
    for part in [
        "**Good.**\n\nTwo.\n\n## Title\n\n| name | count | wide |\n| --- | ---: | ---: |\n| a&lt;b&gt;\\|\"c\" | 1 | - **not to be used** |\n| x | 20 | 20 |\n\n",
        "- one\n\nrun `rigel \"x\"`\n\n",
    ] {
        assert!(page.contains(part), "{page}");
    }
    assert!(!page.contains("Drawn"), "{page}");
}
