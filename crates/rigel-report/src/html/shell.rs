//! The frame of every HTML page: head, policy, heading, footer, library, script.
//!
//! A page that is put into it needs no network and no other file, and runs nothing but the script of its kind. Must not know
//! what a page is about.

use super::assets::{self, Script};
use super::markup::{Text, in_a_block};
use crate::page::Page;

/// Room for the library, the script and a few tables.
const USUAL_BYTES: usize = 1 << 19;

/// A page under construction.
pub(crate) struct Shell<'a> {
    /// The title of the window, not escaped yet.
    pub title: &'a str,
    /// The top of the page, as HTML.
    pub heading: String,
    /// Its source, in the footer: `the record of the run`.
    pub made_from: &'a str,
    /// The script that draws the charts; `None` for a page that runs nothing.
    pub script: Option<&'a Script>,
    /// The figures for the script, each an id and one JSON document.
    pub figures: &'a [(String, String)],
}

impl Shell<'_> {
    /// The whole page; `fill` writes the part between heading and footer.
    pub fn page(&self, fill: impl FnOnce(&mut Page)) -> Vec<u8> {
        let figures: usize = self.figures.iter().map(|(_, json)| json.len()).sum();
        let mut page = Page::with_capacity(USUAL_BYTES + figures);
        self.head(&mut page);
        page.line("<body>");
        page.line(format_args!(
            "<header><div>{}</div><button type=\"button\" id=\"theme\" hidden>Colours: auto</button></header>\n<main>",
            self.heading
        ));
        fill(&mut page);
        page.line("</main>");
        self.end(&mut page);
        page.into_string().into_bytes()
    }

    fn head(&self, page: &mut Page) {
        page.line("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
        page.line(format_args!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
            assets::content_security_policy(self.script)
        ));
        page.line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        page.line(format_args!("<title>{} - Rigel</title>", Text(self.title)));
        page.line(format_args!("<style>{}</style>\n</head>", assets::STYLE));
    }

    fn end(&self, page: &mut Page) {
        let Some(script) = self.script else {
            page.line(format_args!(
                "<footer>Made by Rigel from {}; 1 MB is 2<sup>20</sup> bytes.</footer>\n</body>\n</html>",
                self.made_from
            ));
            return;
        };
        page.line(format_args!(
            "<footer>Made by Rigel from {}; 1 MB is 2<sup>20</sup> bytes. Charts: Apache ECharts {}, Copyright The Apache \
             Software Foundation, Apache License 2.0.</footer>",
            self.made_from,
            assets::LIBRARY_VERSION
        ));
        page.line("<div id=\"spoken\" class=\"spoken\" aria-live=\"polite\"></div>");
        for (id, json) in self.figures {
            let json = in_a_block(json);
            page.line(format_args!("<script type=\"application/json\" id=\"{id}\">{json}</script>"));
        }
        page.line(format_args!("<script type=\"text/plain\" id=\"library\">{}</script>", assets::library()));
        page.line(format_args!("<script>{}</script>", script.text));
        page.line("</body>\n</html>");
    }
}
