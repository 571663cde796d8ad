//! The first bytes of a target and the trailer of a scratch file: evidence about a file of any contents, with libblkid.
//!
//! The input is a list of pieces: where (a 32-bit number), how long (16 bits), and the bytes; between them the file has holes.

use crate::assert_printable;
use rigel_core::guard::scratch::Header;
use rigel_io::targets::inspect::{Scan, Snapshot, inspect};
use rigel_report::document::Document as _;
use rigel_report::targets::{TargetCheck, TargetList, json};
use rigel_report::text::Style;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::AtomicBool;

/// A trailer and something before it.
const FILE_BYTES: u64 = 3 << 20;

thread_local! {
    /// Who has files open here is asked once: it has nothing to do with the input.
    static SNAPSHOT: Snapshot = Snapshot::take();
}

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(Header::decode(&header.encode()), Ok(header));
    }
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("rigel-scratch.dat");
    let file = File::create(&path).expect("a file");
    file.set_len(FILE_BYTES).expect("holes");
    pieces(bytes, &file);
    SNAPSHOT.with(|snapshot| {
        let inspected = inspect(&path, snapshot).expect("a file of some size");
        let found = inspected.evidence(snapshot, Scan::Sample, &mut |_, _| (), &AtomicBool::new(false));
        let evidence = found.expect("a file can be read").to_vec();
        let all = [TargetCheck { facts: inspected.into_facts(), evidence, trouble: None, closed: None }];
        assert_printable("the table of targets", &TargetList(&all).text(Style::default()));
        json(&all).expect("memory takes it");
    });
}

fn pieces(mut bytes: &[u8], file: &File) {
    while let Some((head, rest)) = bytes.split_first_chunk::<6>() {
        let offset = u64::from(u32::from_le_bytes([head[0], head[1], head[2], head[3]])) % FILE_BYTES;
        let len = usize::from(u16::from_le_bytes([head[4], head[5]])).min(rest.len());
        let room = usize::try_from(FILE_BYTES - offset).unwrap_or(usize::MAX);
        file.write_all_at(&rest[..len.min(room)], offset).expect("room for it");
        bytes = &rest[len..];
    }
}
