//! Comments in the file of a product: which runs the values come from, and how each value was derived.
//!
//! Shared by all products whose files may hold comments. Must not write a setting.

use super::{Advisory, kept_back, range, title};
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_core::uses::advice::{Advice, Given, Product, Refusal};

/// A file in the making, whose comments begin with a sign.
pub(super) struct Commented {
    pub(super) page: Page,
    sign: &'static str,
}

impl Commented {
    /// The head of the file of a product: which runs, and what to know about them.
    pub(super) fn new(advisory: &Advisory<'_>, product: Product, sign: &'static str) -> Self {
        let mut file = Self { page: Page::default(), sign };
        file.comment(&format!("{}: advised by rigel from what these runs measured", title(product)));
        for run in advisory.runs() {
            file.comment_below(&run);
        }
        advisory.notes().iter().for_each(|note| file.comment(note));
        file
    }

    /// A comment, broken where it is long.
    pub(super) fn comment(&mut self, text: &str) {
        wrapped(&mut self.page, &format!("{} ", self.sign), &format!("{}   ", self.sign), text);
    }

    /// The same, further in.
    pub(super) fn comment_below(&mut self, text: &str) {
        wrapped(&mut self.page, &format!("{}   ", self.sign), &format!("{}     ", self.sign), text);
    }

    /// A line that the product would read if it were no comment; it is never broken.
    pub(super) fn comment_out(&mut self, line: &str) {
        self.page.line(format_args!("{} {line}", self.sign));
    }

    pub(super) fn explanation(&mut self, advice: &Advice, given: &Given) {
        let range =
            range(&given.value).map_or_else(String::new, |range| format!(" ({range} over the intervals)"));
        self.comment(&format!("{}{range}: {}", advice.setting, printable(&given.why)));
        if let Some(remark) = &given.remark {
            self.comment_below(&printable(remark));
        }
        for other in &given.otherwise {
            self.comment_below(&printable(&format!("{}: {}", other.when, other.value.text)));
        }
        for measured in &given.measured {
            self.comment_below(&printable(&format!("{}: {}", measured.what, measured.told())));
        }
        self.comment_below(advice.source);
    }

    pub(super) fn refusal(&mut self, advice: &Advice, refusal: &Refusal) {
        let kept_back = kept_back(refusal);
        self.comment(&format!("{} is {kept_back}: {}", advice.setting, printable(&refusal.because)));
        self.comment_below(&printable(&refusal.next));
        if let Some(command) = &refusal.command {
            self.comment_out(&format!("    {}", printable(command)));
        }
    }
}
