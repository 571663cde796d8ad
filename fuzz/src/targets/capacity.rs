//! Files of other tools that tell of production: whatever they hold, they become tables that survive the store, or a problem with its place.

use crate::assert_printable;
use rigel_capacity::read::{Options, Reader};
use rigel_capacity::{Harvest, packed};

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    // The first byte says how the rest comes.
    let Some((&size, bytes)) = bytes.split_first() else { return };
    if let Some(table) = packed::unpack(bytes) {
        assert!(packed::unpack(&packed::pack(&table)).is_some(), "a table that was read cannot be kept");
    }
    // Reports of Oracle have local times only.
    let options = if size & 2 == 2 { Options::utc() } else { Options::default() };
    let options = Options { host: (size & 1 == 1).then(|| "h".to_owned()), ..options };
    let mut harvest = Harvest::default();
    let mut reader = Reader::new(options);
    for piece in bytes.chunks(usize::from(size).max(1)) {
        if let Err(problem) = reader.bytes(piece, &mut harvest) {
            return told(&problem);
        }
    }
    if let Err(problem) = reader.end(&mut harvest) {
        return told(&problem);
    }
    for (key, table) in harvest.take() {
        assert_printable("a host", &key.host);
        assert_printable("a subject", &key.subject.to_string());
        let rows: usize =
            table.blocks(key.source.block_ms()).iter().map(|(_, block)| block.spans().len()).sum();
        assert_eq!(rows, table.spans().len(), "blocks lose rows");
        let kept = packed::unpack(&packed::pack(&table)).expect("what was packed");
        assert_eq!(kept.spans(), table.spans());
    }
}

fn told(problem: &rigel_core::error::Problem) {
    assert_eq!(problem.kind.code(), 2);
    assert_printable("a problem", &problem.to_string());
}
