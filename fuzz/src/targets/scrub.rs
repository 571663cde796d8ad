//! What a scrub reads beside the copies: a list of extents and a state that was kept. And the pages that it judges: the bytes are two
//! copies, half and half.

use crate::assert_printable;
use rigel_uses::scrub::judge::judge;
use rigel_uses::scrub::window::Window;
use rigel_uses::scrub::{BLOCK_BYTES, Map, State, extents};

/// Takes any input; a panic is a failure.
pub fn target(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        match extents::parse(text, 1 << 20) {
            Ok(listed) => chunks(&listed.map),
            Err(problem) => {
                assert_eq!(problem.kind.code(), 2);
                assert_printable("a problem", &problem.to_string());
            }
        }
        match State::parse(text) {
            Ok(state) => assert!(state.check(&Map::default(), &[]).is_err() || state.pending.is_empty()),
            Err(problem) => assert_printable("a problem", &problem.to_string()),
        }
    }
    let (a, b) = bytes.split_at(bytes.len() / 2);
    let b = &b[..a.len()];
    let block = usize::try_from(BLOCK_BYTES).expect("a block is small");
    let range = (a.len() / 2 / block * block)..a.len();
    for in_file in [None, Some((8192, 1))] {
        let window = Window { at: 0, copies: vec![Some(a), Some(b)], range: range.clone(), in_file };
        let judged = judge(&window);
        assert!(range.is_empty() || !judged.is_empty());
        judged.iter().for_each(|judged| assert_printable("a judgement", &judged.why));
    }
}

/// A chunk after the other, from one end to the other; of large maps some.
fn chunks(map: &Map) {
    let mut at = 0;
    for _ in 0..64 {
        let Some(chunk) = map.chunk(at) else {
            assert_eq!(at, map.total());
            return;
        };
        assert!(chunk.at == at && chunk.len > 0 && chunk.copies.len() > 1);
        at += chunk.len;
    }
}
