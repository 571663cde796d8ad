//! What a witness kept, line by line, and blocks judged by it: those that the lines speak of, changed by what follows an empty line.

use crate::assert_printable;
use rigel_report::document::Document as _;
use rigel_report::durability::{DurabilityReport, json};
use rigel_report::text::Style;
use rigel_uses::durability::{Acks, Judge, Line, Traces};

/// A larger region takes long and says no more.
const MOST_BYTES: u64 = 1 << 18;

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    let cut = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (lines, changes) = bytes.split_at(cut);
    let mut lines = lines.split(|&byte| byte == b'\n');
    let mut acks = match Acks::begin(lines.next().unwrap_or_default()) {
        Ok(acks) => acks,
        Err(problem) => return assert_printable("a problem", &problem.to_string()),
    };
    assert_printable("a target", &acks.head().target);
    for line in lines {
        let _ = Line::run_of(line);
        if let Err(problem) = acks.add(line) {
            assert_eq!(problem.kind.code(), 2);
            assert_printable("a problem", &problem.to_string());
        }
    }
    if acks.rings().bytes() <= MOST_BYTES {
        judge(&acks, changes);
    }
}

fn judge(acks: &Acks, changes: &[u8]) {
    let mut image = image(acks);
    let whole = image.clone();
    for change in changes.chunks_exact(4) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]]));
        let at = place * 512 % image.len();
        match change[2] % 3 {
            0 => image[at] ^= change[3],
            1 => image[at..at + 512].fill(change[3]),
            _ => {
                let from = usize::from(change[3]) * 512 % whole.len();
                image[at..at + 512].copy_from_slice(&whole[from..from + 512]);
            }
        }
    }
    let mut traces = Traces::new(acks);
    let blocks = || image.chunks(4096).zip((0..).step_by(4096));
    blocks().for_each(|(block, at)| traces.look(acks, at, block));
    if let Err(problem) = traces.check(acks) {
        assert_printable("a problem", &problem.to_string());
    }
    let mut judge = Judge::new(acks, &traces);
    blocks().for_each(|(block, at)| judge.block(at, Ok(block)));
    let found = judge.done().expect("both looks saw the same");
    assert!(found.kept <= found.judged);
    // Lines that were heard bind; nothing is gone that nobody changed.
    assert!(found.is_clean() || image != whole, "{found:?}");
    let checked = DurabilityReport { acks, found: &found, target: "target", notes: &[] };
    assert_printable("a text", &checked.text(Style::default()));
    json(&checked).expect("a document");
}

/// What the acknowledged writes left.
fn image(acks: &Acks) -> Vec<u8> {
    let rings = acks.rings();
    let shape = rings.shape();
    let block = usize::try_from(shape.block_bytes).expect("a block is small");
    let mut image = vec![0; usize::try_from(rings.bytes()).expect("checked before")];
    rings.label(&mut image[..block]);
    for writer in 0..shape.writers {
        for number in acks.of(writer).saturating_sub(rings.slots())..acks.of(writer) {
            let (offset, generation) = rings.place(writer, number);
            let at = usize::try_from(offset).expect("within the image");
            rings.fill(offset, generation, &mut image[at..at + block]);
        }
    }
    image
}
