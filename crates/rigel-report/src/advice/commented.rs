//! Comments in the file of a product: which runs the values come from, and how each value was derived.
//!
//! Shared by all products whose files may hold comments. Must not write a setting.

use super::{Advisory, grouped, kept_back, names, range, title, withheld};
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_uses::advice::{Advice, Kind, Product, Refusal, SettingAdvice};

/// A file under construction, whose comments begin with a sign.
pub(super) struct CommentedFile {
    pub(super) page: Page,
    sign: &'static str,
}

impl CommentedFile {
    /// The head of the file of a product: which runs, and what to know about them.
    pub(super) fn new(advisory: &Advisory<'_>, product: Product, sign: &'static str) -> Self {
        let mut file = Self { page: Page::default(), sign };
        file.comment(&format!("{}: advised by Rigel from what these runs measured", title(product)));
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

    /// The same, indented further.
    pub(super) fn comment_below(&mut self, text: &str) {
        wrapped(&mut self.page, &format!("{}   ", self.sign), &format!("{}     ", self.sign), text);
    }

    /// A line that the product would read if it were not a comment; it is never broken.
    pub(super) fn comment_out(&mut self, line: &str) {
        self.page.line(format_args!("{} {line}", self.sign));
    }

    /// The reasons for a value, above it: each fact once. The page explains how a remark is derived.
    pub(super) fn explanation(&mut self, advice: &Advice, given: &SettingAdvice) {
        let range = range(&given.value).map(|range| format!("{range} over the 95 % intervals. "));
        if let Some(rough) = &given.rough {
            self.comment_below(&format!("{}: {}", kept_back(rough.kind), printable(&rough.because)));
        }
        let reason = given.remark.as_ref().unwrap_or(&given.why);
        self.comment_below(&format!("{}{}", range.unwrap_or_default(), printable(reason)));
        let others: Vec<String> =
            given.otherwise.iter().map(|other| format!("{}: {}", other.when, other.value.text)).collect();
        if !others.is_empty() {
            self.comment_below(&printable(&others.join("; ")));
        }
        for measured in &given.measured {
            self.comment_below(&printable(&format!("{}: {}", measured.what, measured.told())));
        }
        self.comment_below(advice.source);
    }

    /// The settings without a value, those with the same reason together.
    pub(super) fn refusals(&mut self, advice: &[&Advice]) {
        for kind in [Kind::InDoubt, Kind::Missing] {
            let all = withheld(advice.iter().copied(), kind);
            for remedy in grouped(&all, |refusal| (&refusal.next, &refusal.command)) {
                self.page.blank();
                for reason in grouped(&remedy, |refusal| &refusal.because) {
                    let because = reason.first().map_or("", |(_, refusal)| refusal.because.as_str());
                    let kept_back = kept_back(kind);
                    self.comment(&format!("{kept_back}: {}: {}", names(&reason), printable(because)));
                }
                remedy.first().iter().for_each(|(_, refusal)| self.remedy(refusal));
            }
        }
    }

    fn remedy(&mut self, refusal: &Refusal) {
        self.comment_below(&format!("to have a value: {}", printable(&refusal.next)));
        if let Some(place) = refusal.place() {
            self.comment_below(&format!("{place}:"));
        }
        if let Some(command) = &refusal.command {
            self.comment_out(&format!("    {}", printable(command)));
        }
    }
}

/// The value of a setting, where there is one.
pub(super) fn value<'a>(advice: &[&'a Advice], setting: &str) -> Option<&'a str> {
    let found = advice.iter().find(|advice| advice.setting == setting)?;
    found.outcome.as_ref().ok().map(|given| given.value.text.as_str())
}
