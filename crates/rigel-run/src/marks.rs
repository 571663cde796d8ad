//! Marks on their way into the record: sources put them here, and the walk takes them out and writes them.
//!
//! Must not know the sources, nor write a line itself.

use rigel_core::record::MarkContent;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Most that wait; the walk takes them several times a second.
const MOST_WAITING: usize = 256;
/// Most of a run, so no program that marks in a loop fills the record.
const MOST: u64 = 10_000;
/// Not in the record yet.
const WAITS: u64 = u64::MAX;

/// The marks of a run that were not written yet.
#[derive(Clone, Debug, Default)]
pub struct Marks(Arc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Vec<WaitingMark>>,
    heard: AtomicU64,
}

/// A mark that was not written yet.
#[derive(Debug)]
pub struct WaitingMark {
    /// When it was received.
    pub since: Instant,
    /// The content of the mark.
    pub marked: MarkContent,
    kept: Arc<AtomicU64>,
}

/// Shows whether a mark is in the record.
#[derive(Debug)]
pub struct Receipt(Arc<AtomicU64>);

impl Receipt {
    /// The run time of the mark, once it is in the record.
    pub fn run_ns(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Acquire)).filter(|&ns| ns != WAITS)
    }
}

impl WaitingMark {
    /// It is in the record, at that time of the run.
    pub fn is_kept(&self, run_ns: u64) {
        self.kept.store(run_ns.min(WAITS - 1), Ordering::Release);
    }
}

impl Marks {
    /// A mark of this moment. `None`: there were too many.
    pub fn put(&self, marked: MarkContent) -> Option<Receipt> {
        let since = Instant::now();
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST_WAITING || self.0.heard.fetch_add(1, Ordering::Relaxed) >= MOST {
            return None;
        }
        let kept = Arc::new(AtomicU64::new(WAITS));
        waiting.push(WaitingMark { since, marked, kept: Arc::clone(&kept) });
        Some(Receipt(kept))
    }

    /// The waiting marks, in order of arrival.
    pub fn take(&self) -> Vec<WaitingMark> {
        std::mem::take(&mut *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_taken_once_and_its_receipt_tells_where_it_is() {
        let marks = Marks::default();
        let receipt = marks.put(MarkContent::Person("path A pulled".into())).unwrap();
        assert_eq!(receipt.run_ns(), None);
        let taken = marks.take();
        taken.iter().for_each(|mark| mark.is_kept(7));
        assert_eq!((taken.len(), receipt.run_ns()), (1, Some(7)));
        assert!(marks.take().is_empty());
    }

    #[test]
    fn a_program_that_marks_in_a_loop_is_refused() {
        let marks = Marks::default();
        let mut put = 0;
        for _ in 0..MOST + 10 {
            put += u64::from(marks.put(MarkContent::Person("again".into())).is_some());
            marks.take();
        }
        assert_eq!(put, MOST);
        let full = Marks::default();
        let waiting =
            (0..MOST_WAITING + 1).filter(|_| full.put(MarkContent::Person("x".into())).is_some()).count();
        assert_eq!(waiting, MOST_WAITING);
    }
}
