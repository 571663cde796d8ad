//! `_flags.csv`: every flag with its figures, a row each: of the run, then of its points, then of the curves of a search.
//!
//! A table without flags has its header line only. Must not merge flags that several points share.

use super::write;
use crate::flag_scopes::columns;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::FlagScope;
use rigel_core::judge::flags::Flag;
use rigel_core::path_text::printable;

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let run_id = printable(&view.record.header.run_id);
    let levels = view.level_columns();
    let place = columns(&levels, FlagScope::Run).into_iter().map(|(name, _)| name);
    let names = std::iter::once("run_id").chain(place).chain(["code", "invalid", "note", "text"]);
    let names: Vec<String> = names.map(str::to_owned).collect();
    let row = |(scope, flag): (FlagScope, &Flag)| {
        let mut row = vec![run_id.to_string()];
        row.extend(columns(&levels, scope).into_iter().map(|(_, text)| text));
        row.extend([
            flag.code.name().to_owned(),
            flag.invalid.to_string(),
            flag.note.to_string(),
            printable(&flag.text).into_owned(),
        ]);
        row
    };
    write(names, view.findings.flags_by_scope().map(row))
}
