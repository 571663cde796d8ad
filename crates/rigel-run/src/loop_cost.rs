//! The measuring loop alone, on an engine that completes at once, with a clock that counts its readings: the same work in
//! every run, to the instruction.
//!
//! For counting instructions and allocations (`cargo xtask instructions`, the test `no_allocation`). Must not be used to
//! measure storage.

use crate::job::{Job, JobState, Task, WorkResult, Workload};
use crate::worker::{Verifier, Worker};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::workload::WritePercent;
use rigel_core::measure::Window;
use rigel_core::units::NS_PER_US;
use rigel_io::backend::SlotLayout;
use rigel_io::clock::Clock;
use rigel_io::null::NullBackend;
use std::cell::Cell;

/// The clock is read twice for each batch and advances by this much each time.
const STEP_NS: u64 = 10 * NS_PER_US;
const SMALL_BYTES: u32 = 8192;
const VOLUME_BYTES: u64 = 1 << 40;

/// Advances by a fixed step whenever it is read.
#[derive(Debug, Default)]
struct StepClock(Cell<u64>);

impl Clock for StepClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + STEP_NS);
        self.0.get()
    }
}

/// A worker that is ready to go; everything that allocates beforehand has been done.
#[derive(Debug)]
pub struct LoopCost {
    backend: NullBackend,
    clock: StepClock,
    workload: Workload,
    layout: SlotLayout,
    shared: JobState,
    outstanding: u16,
    verifier: Option<Verifier>,
}

impl LoopCost {
    /// For this many outstanding small random reads.
    ///
    /// # Errors
    /// When there is no memory for their buffers.
    pub fn new(outstanding: u16) -> Result<Self, Problem> {
        Self::of(LoadClass::pair(SMALL_BYTES.into(), SMALL_BYTES.into()), outstanding)
    }

    /// For this many outstanding verified reads and writes. What is read is nearly always wrong, because the engine stores nothing.
    ///
    /// # Errors
    /// As [`LoopCost::new`].
    pub fn verified(outstanding: u16) -> Result<Self, Problem> {
        let half = WritePercent::new(50).unwrap_or_default();
        let class = LoadClass::random(Class::SMALL, SMALL_BYTES.into());
        Self::of(vec![LoadClass { verify: true, write_percent: half, ..class }], outstanding)
    }

    fn of(classes: Vec<LoadClass>, outstanding: u16) -> Result<Self, Problem> {
        let layout = SlotLayout::of(&[(outstanding, SMALL_BYTES)]);
        let writes = classes.iter().any(|class| class.write_percent.writes());
        let request = Request { classes, seed: 1, ..Request::new(RunLevel::Oltp) };
        let workload = Workload::new(&request, &[TargetFacts::simulated(VOLUME_BYTES)])?;
        let (backend, _, _) = NullBackend::new(&[writes], layout, workload.seed)?;
        let clock = StepClock::default();
        let shared = JobState::of(&workload);
        let verifier = Verifier::new(&workload, layout, 0, 1);
        Ok(Self { backend, clock, workload, layout, shared, outstanding, verifier })
    }

    /// Submits, reaps and records `batches` times all that is outstanding.
    ///
    /// # Errors
    /// None that the engine can have; the type is the loop's.
    pub fn run(&mut self, batches: u32) -> Result<WorkResult, Problem> {
        let start_ns = self.clock.0.get() + STEP_NS;
        let end_ns = start_ns + 2 * STEP_NS * u64::from(batches);
        let task = Task::Measure { window: Window { start_ns, end_ns }, lead_ns: 0, part_ns: u64::MAX };
        let job = Job {
            visit: 0,
            began_ns: 0,
            point: Point::pair(u32::from(self.outstanding), 0),
            task,
            shape: None,
        };
        let worker = Worker::alone(&self.workload, self.layout, &self.shared, &|_| ());
        let done = worker.run_verified(&mut self.backend, &self.clock, &job, self.verifier.as_mut());
        done.map_err(|error| Problem::new(ExitKind::Bug, format!("the null engine failed: {error}")))
    }
}
