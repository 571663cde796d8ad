//! What the flags of a run say, a line for each of them: on paper always, on a screen when somebody asks.
//!
//! Every place of a flag is in the evidence. Must not leave out a flag.

use super::markup::{Text, badge, said};
use crate::flag_scopes::FlagScopes;
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::flags::{Flag, FlagCode};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What stands in a line of the list; what makes numbers invalid comes first.
type Kind = (Reverse<bool>, FlagCode);

/// The list; nothing when there are no flags.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let scopes = FlagScopes::of(view);
    let places = scopes.places(view);
    let mut kinds: BTreeMap<Kind, Vec<(&str, &Flag)>> = BTreeMap::new();
    for (place, flags) in &places {
        for &flag in flags {
            kinds.entry((Reverse(flag.invalid), flag.code)).or_default().push((place, flag));
        }
    }
    if kinds.is_empty() {
        return;
    }
    let count = words::counted(kinds.len(), "flag");
    page.line(format_args!("<details class=\"said\"><summary>What the flags say ({count})</summary><dl>"));
    for ((Reverse(invalid), code), places) in kinds {
        let Some(((place, first), others)) = places.split_first() else { continue };
        let more = match others.len() {
            0 => String::new(),
            1 => "; also at 1 other place".to_owned(),
            many => format!("; also at {many} other places"),
        };
        let (mark, place) = (badge(code, invalid), Text(place));
        page.line(format_args!("<dt>{mark}</dt><dd>{place}: {}{more}</dd>", said(first)));
    }
    page.line("</dl></details>");
}
