//! The list of targets: any bytes are a list of paths without blanks at their ends, or a problem with a line.

use crate::assert_printable;
use rigel_core::path_text;
use rigel_io::targets::lun_list::{at_line, parse};
use std::path::Path;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    match parse(bytes) {
        Ok(entries) => {
            assert!(!entries.is_empty() && entries.is_sorted_by(|a, b| a.line < b.line));
            for entry in &entries {
                let text = path_text::encode(&entry.path);
                assert!(!text.is_empty() && path_text::decode(&text) == entry.path, "{text}");
            }
            let problem = rigel_core::error::Problem::refused("it is missing");
            assert_printable("a problem", &at_line(Path::new("x\n.lun"), &entries[0], problem).to_string());
        }
        Err(problem) => {
            assert_eq!(problem.kind.code(), 2);
            assert_printable("a problem", &problem.to_string());
        }
    }
}
