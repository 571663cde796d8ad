//! The page for a ticket, rendered by a library of CommonMark with the tables of GitHub.

use super::{FormatRun, HOSTILE, printed, python};

const READ: &str = "
import json, sys
from markdown_it import MarkdownIt
html = MarkdownIt('commonmark', {'linkify': False}).enable('table').render(open(sys.argv[1]).read())
from html.parser import HTMLParser
class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.title, self.open = set(), [], '', []
    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.open.append(tag)
        if tag == 'tr':
            self.rows.append([])
        if tag in ('td', 'th'):
            self.rows[-1].append('')
    def handle_endtag(self, tag):
        self.open.remove(tag)
    def handle_data(self, data):
        if 'h1' in self.open:
            self.title += data
        if 'td' in self.open or 'th' in self.open:
            self.rows[-1][-1] += data
reader = Reader()
reader.feed(html)
print(json.dumps({'tags': sorted(reader.tags), 'rows': reader.rows, 'title': reader.title}))
";

#[test]
fn markdown_is_tables_and_names_stay_names() {
    let Some(python) = python("markdown_is_tables_and_names_stay_names", &["markdown-it-py==4.3.0"]) else {
        return;
    };
    let ran = FormatRun::calibration().renamed(HOSTILE);
    let findings = ran.findings();
    let page = printed(python.command("python").args(["-c", READ]).arg(ran.file("markdown")));
    let known = ["code", "h1", "h2", "li", "p", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"];
    for tag in page["tags"].as_array().unwrap() {
        assert!(known.contains(&tag.as_str().unwrap()), "{tag}");
    }
    // A bar needs its backslash within a table only.
    let name = findings["run"]["name"].as_str().unwrap();
    assert_eq!(page["title"].as_str().unwrap(), format!("Storage measurement {}", name.replace('|', "\\|")));
    let rows = page["rows"].as_array().unwrap();
    let points = rows.iter().filter(|row| row.as_array().unwrap().len() == 10).count();
    assert_eq!(points, 1 + 5 + 2 + 2 * 10, "a heading, then a row per point and class");
    let row = rows.iter().find(|row| row[0] == "3" && row[1] == "2" && row[2] == "small").unwrap();
    assert!(row[3].as_str().unwrap().contains(" ±"), "{row}");
}
