//! What the user's terminal can show, according to the environment.
//!
//! Must not write to the terminal.

use rigel_report::text::Style;
use std::env;
use std::ffi::OsString;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    pub term: Option<OsString>,
    /// `NO_COLOR` (<https://no-color.org>).
    pub no_color: Option<OsString>,
    /// The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set: the one that counts (POSIX, 8.2).
    pub locale: Option<OsString>,
    /// An MPI launcher forwards the output. It may give its processes terminals of their own, wherever their output goes.
    pub carried: bool,
}

impl Abilities {
    /// From this process. An empty variable counts as unset.
    pub fn of_process() -> Self {
        let var = |name| env::var_os(name).filter(|text| !text.is_empty());
        Self {
            term: var("TERM"),
            no_color: var("NO_COLOR"),
            locale: var("LC_ALL").or_else(|| var("LC_CTYPE")).or_else(|| var("LANG")),
            // PMIx of Open MPI and of Slurm, and the older interface of MPICH.
            carried: var("PMIX_RANK").or_else(|| var("PMI_RANK")).is_some(),
        }
    }

    /// A terminal that can do nothing but print lines.
    pub fn is_dumb(&self) -> bool {
        self.term.as_ref().is_some_and(|term| term == "dumb")
    }

    /// Whether only ASCII is safe: without a locale that says UTF-8 (POSIX, "C"), other bytes may be shown as anything.
    pub fn is_ascii(&self) -> bool {
        let locale = self.locale.as_ref().map(|locale| locale.to_string_lossy().to_ascii_lowercase());
        self.is_dumb() || !locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"))
    }

    /// Whether to use colours, if they can be shown.
    pub fn has_colour(&self) -> bool {
        self.no_color.is_none() && !self.is_dumb() && !self.carried
    }

    pub fn style(&self, is_terminal: bool) -> Style {
        Style { colour: is_terminal && self.has_colour(), ascii: self.is_ascii() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abilities(term: &str, locale: &str) -> Abilities {
        Abilities { term: Some(term.into()), no_color: None, locale: Some(locale.into()), carried: false }
    }

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let good = abilities("xterm-256color", "en_GB.UTF-8");
        assert_eq!(good.style(true), Style { colour: true, ascii: false });
        assert_eq!(good.style(false), Style { colour: false, ascii: false });
        let plain = Abilities { no_color: Some("1".into()), ..good.clone() };
        let carried = Abilities { carried: true, ..good };
        for without in [plain, carried] {
            assert_eq!(without.style(true), Style { colour: false, ascii: false });
        }
    }

    #[test]
    fn only_utf_8_is_more_than_ascii() {
        for (locale, ascii) in
            [("C.utf8", false), ("de_DE.UTF-8", false), ("C", true), ("de_DE.ISO-8859-1", true)]
        {
            assert_eq!(abilities("xterm", locale).is_ascii(), ascii, "{locale}");
        }
        assert!(Abilities::default().is_ascii(), "POSIX without a locale");
        assert_eq!(abilities("dumb", "C.UTF-8").style(true), Style { colour: false, ascii: true });
    }
}
