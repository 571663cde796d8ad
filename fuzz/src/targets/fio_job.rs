//! Job files of fio: any text is a load, or a problem with its line. The load can be written as a load file and read again.

use crate::assert_printable;
use rigel_core::load::{file, fio};

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let _ = fio::is_job_file(text);
    match fio::read("x.fio", text) {
        Ok(found) => {
            let remarks: String = found.remarks.iter().map(|remark| format!("{remark}\n")).collect();
            assert_printable("a remark", &remarks);
            let written = found.load.text("again");
            assert_printable("a load file", &written);
            assert_eq!(file::read("x.toml", written.as_bytes()).as_ref(), Ok(&found.load), "{written}");
        }
        Err(problem) => {
            assert_eq!(problem.kind.code(), 2);
            assert!(problem.place.as_ref().is_some_and(|place| place.starts_with("x.fio")), "{problem}");
            assert_printable("a problem", &problem.to_string());
        }
    }
}
