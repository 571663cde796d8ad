//! An honest storage is never accused, whatever the witness heard and wherever the power cut came; any write taken back is found.

use super::*;
use proptest::prelude::*;
use rigel_core::load::class::Sync;
use rigel_core::load::draw::Generator;
use rigel_core::verify::Fault;
use rigel_core::verify::block::SECTOR_BYTES;

const SEED: u64 = 77;
const BLOCK: usize = 4096;

fn head(shape: Shape, before: EarlierContents) -> Head {
    Head {
        schema: SCHEMA.to_owned(),
        run: run_name(SEED),
        seed: SEED,
        program: "0.1.0".to_owned(),
        began: "2026-01-01T12:00:00Z".to_owned(),
        boot: None,
        target: "/dev/sdx".to_owned(),
        size_bytes: 1 << 30,
        is_device: true,
        device: Some(Device { name: "sdx".to_owned(), model: None }),
        shape,
        sync: Sync::Dsync,
        before,
    }
}

/// A run on an honest storage in memory.
struct Model {
    rings: Rings,
    image: Vec<u8>,
    /// Of each writer.
    next: Vec<u64>,
    lines: Vec<String>,
}

impl Model {
    fn new(shape: Shape) -> Self {
        let rings = Rings::new(SEED, shape).unwrap();
        let mut image = vec![0; usize::try_from(shape.region_bytes).unwrap()];
        Generator::new(5, &[]).fill(&mut image);
        let sample = |at: u64| fingerprint(&image[usize::try_from(at).unwrap()..][..BLOCK]);
        let before = EarlierContents {
            label: None,
            samples: EarlierContents::offsets(shape.region_bytes).map(sample).collect(),
        };
        let lines = vec![head(shape, before).line().unwrap()];
        let block_bytes = usize::try_from(shape.block_bytes).unwrap();
        rings.label(&mut image[..block_bytes]);
        Self { rings, image, next: vec![0; shape.writers.into()], lines }
    }

    fn at(&mut self, offset: u64) -> &mut [u8] {
        let len = usize::try_from(self.rings.shape().block_bytes).unwrap();
        &mut self.image[usize::try_from(offset).unwrap()..][..len]
    }

    fn bytes(&self, offset: u64, generation: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(self.rings.shape().block_bytes).unwrap()];
        self.rings.fill(offset, generation, &mut bytes);
        bytes
    }

    /// A write that is acknowledged.
    fn write(&mut self, writer: u16) {
        let number = self.next[usize::from(writer)];
        let (offset, generation) = self.rings.place(writer, number);
        let bytes = self.bytes(offset, generation);
        self.at(offset).copy_from_slice(&bytes);
        let mut line = String::new();
        Ack { writer, offset, generation, at_us: 1 }.write(&run_name(SEED), &mut line);
        self.lines.push(line);
        self.next[usize::from(writer)] += 1;
    }

    /// A write that is in flight when the power goes: sectors of it are there, in any order, and perhaps one is half a sector.
    fn cut(&mut self, writer: u16, draw: &mut Generator) {
        let (offset, generation) = self.rings.place(writer, self.next[usize::from(writer)]);
        let bytes = self.bytes(offset, generation);
        let share = draw.below(3);
        for (old, new) in self.at(offset).chunks_mut(SECTOR_BYTES).zip(bytes.chunks(SECTOR_BYTES)) {
            match (share, draw.below(2)) {
                (0, _) | (1, 1) => old.copy_from_slice(new),
                _ => {}
            }
        }
        if draw.below(4) == 0 && generation > 1 {
            self.at(offset)[100] ^= 4;
        }
    }

    /// The acknowledgements that a witness has who heard this many lines.
    fn heard(&self, lines: usize) -> Acks {
        let text: Vec<&[u8]> = self.lines.iter().map(|line| line.trim_end().as_bytes()).collect();
        let mut acks = Acks::begin(text[0]).unwrap();
        text[1..].iter().take(lines).for_each(|line| acks.add(line).unwrap());
        acks
    }

    fn traces(&self, acks: &Acks) -> Traces {
        let mut traces = Traces::new(acks);
        for (block, at) in self.image.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            traces.look(acks, at, block);
        }
        traces
    }

    fn judged(&self, acks: &Acks) -> DurabilityFindings {
        let traces = self.traces(acks);
        traces.check(acks).unwrap();
        let mut judge = Judge::new(acks, &traces);
        for (block, at) in self.image.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            judge.block(at, Ok(block));
        }
        judge.done().expect("nobody writes meanwhile")
    }
}

fn shapes() -> impl Strategy<Value = Shape> {
    (0_u32..3, 1_u16..5, 2_u64..9).prop_map(|(power, writers, slots)| {
        let block_bytes = 4096 << power;
        Shape { region_bytes: (1 + slots * u64::from(writers)) * block_bytes + 4096, block_bytes, writers }
    })
}

fn run(shape: Shape, writes: u64, draw: &mut Generator) -> Model {
    let mut model = Model::new(shape);
    for _ in 0..writes {
        model.write(u16::try_from(draw.below(shape.writers.into())).unwrap());
    }
    model
}

proptest! {
    #[test]
    fn a_storage_that_keeps_its_word_is_never_accused(
        shape in shapes(), writes in 1_u64..120, heard in 0.0..=1.0_f64, seed: u64,
    ) {
        let mut draw = Generator::new(seed, &[]);
        let mut model = run(shape, writes, &mut draw);
        (0..shape.writers).for_each(|writer| model.cut(writer, &mut draw));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of at most 120")]
        let acks = model.heard((heard * writes as f64) as usize);
        let found = model.judged(&acks);
        prop_assert!(found.is_clean(), "{found:?}");
        prop_assert_eq!(found.acknowledged, acks.count());
        prop_assert!(found.acknowledged + found.unwitnessed <= writes);
        prop_assert_eq!(found.judged, found.kept);
    }

    #[test]
    fn what_is_taken_back_is_found_and_nothing_else(
        shape in shapes(), writes in 1_u64..120, seed: u64,
    ) {
        let mut draw = Generator::new(seed, &[]);
        let mut model = run(shape, writes, &mut draw);
        let acks = model.heard(usize::try_from(writes).unwrap());
        let clean = model.judged(&acks);
        prop_assert!(clean.is_clean() && clean.unwitnessed == 0);
        let mut taken = Vec::new();
        for writer in 0..shape.writers {
            let done = model.next[usize::from(writer)];
            // The last write to each place, but for the one whose next write may have been in flight.
            for number in done.saturating_sub(model.rings.slots() - 1)..done {
                if draw.below(3) > 0 {
                    continue;
                }
                let (offset, generation) = model.rings.place(writer, number);
                let kind = [Kind::Lost, Kind::Lost, Kind::Torn, Kind::Corrupt][usize::try_from(draw.below(4)).unwrap()];
                let other = match kind {
                    Kind::Lost if draw.below(2) == 0 || generation == 1 => vec![0; model.at(offset).len()],
                    Kind::Lost => model.bytes(offset, draw.below(generation - 1) + 1),
                    Kind::Torn => {
                        let mut bytes = model.at(offset).to_vec();
                        let older = if generation == 1 { vec![0; bytes.len()] } else { model.bytes(offset, generation - 1) };
                        bytes[512..1024].copy_from_slice(&older[512..1024]);
                        bytes
                    }
                    _ => {
                        let mut bytes = model.at(offset).to_vec();
                        bytes[77] ^= 1;
                        bytes
                    }
                };
                model.at(offset).copy_from_slice(&other);
                taken.push((offset, kind, number + 1 < done));
            }
        }
        taken.sort_unstable_by_key(|taken| taken.0);
        let found = model.judged(&acks);
        prop_assert_eq!(found.gone(), taken.len() as u64);
        prop_assert_eq!(found.kept + found.gone(), found.judged);
        for (loss, (offset, kind, _)) in found.losses.iter().zip(&taken) {
            prop_assert_eq!((loss.offset, loss.kind), (*offset, *kind));
            prop_assert!(loss.witnessed && loss.writer.is_some() && loss.writes_ago > 0, "{:?}", loss);
        }
    }

    #[test]
    fn no_line_makes_the_reader_panic(lines: Vec<Vec<u8>>, writes in 0_u64..10) {
        let shape = Shape { region_bytes: 40_960, block_bytes: 4096, writers: 2 };
        let model = run(shape, writes, &mut Generator::new(1, &[]));
        let mut acks = model.heard(usize::MAX);
        for line in lines {
            prop_assert!(acks.add(&line).is_err() && Acks::begin(&line).is_err());
        }
        prop_assert_eq!(acks.count(), writes);
    }
}

const TWO: Shape = Shape { region_bytes: 9 * 4096, block_bytes: 4096, writers: 2 };

fn model(writes: &[u16]) -> Model {
    let mut model = Model::new(TWO);
    writes.iter().for_each(|&writer| model.write(writer));
    model
}

#[test]
fn the_end_of_a_run_may_be_gone_in_order_or_out_of_order() {
    // Eight writes of one writer: each of its four places has generation 2.
    let mut in_order = model(&[0; 8]);
    let acks = in_order.heard(8);
    let mut out_of_order = model(&[0; 8]);
    for number in 6..8 {
        let (offset, _) = in_order.rings.place(0, number);
        let bytes = in_order.bytes(offset, 1);
        in_order.at(offset).copy_from_slice(&bytes);
    }
    let found = in_order.judged(&acks);
    assert_eq!((found.lost, found.reordered, found.most_writes_ago, found.kept), (2, 0, 2, 3));
    assert_eq!(found.losses[0].fault, Fault::Stale { generation: 1, age: 1 });
    for number in [4, 5] {
        let (offset, _) = out_of_order.rings.place(0, number);
        out_of_order.at(offset).fill(0);
    }
    let found = out_of_order.judged(&acks);
    assert_eq!((found.lost, found.reordered, found.most_writes_ago), (2, 2, 4));
}

#[test]
fn a_later_write_proves_those_that_the_witness_did_not_hear_of() {
    let mut model = model(&[1; 4]);
    let acks = model.heard(1);
    let found = model.judged(&acks);
    assert_eq!((found.acknowledged, found.unwitnessed, found.judged, found.kept), (1, 2, 4, 4));
    let (offset, _) = model.rings.place(1, 1);
    model.at(offset).fill(0);
    let found = model.judged(&acks);
    let loss = &found.losses[0];
    assert_eq!((found.lost, loss.witnessed, loss.reordered, loss.writer), (1, false, true, Some(1)));
}

#[test]
fn a_write_that_lies_elsewhere_is_named_with_both_places() {
    let mut model = model(&[0, 1]);
    let acks = model.heard(2);
    let [(from, _), (to, _)] = [model.rings.place(0, 0), model.rings.place(1, 0)];
    let bytes = model.bytes(from, 1);
    model.at(to).copy_from_slice(&bytes);
    let found = model.judged(&acks);
    assert_eq!((found.gone(), found.misdirected), (1, 1));
    let misdirected = Fault::Misdirected { from_target: 0, from_offset: from, generation: 1 };
    assert_eq!((found.losses[0].offset, found.losses[0].fault), (to, misdirected));
}

#[test]
fn the_label_is_a_write_as_well() {
    let mut model = model(&[0, 1]);
    model.at(0).fill(0);
    let found = model.judged(&model.heard(2));
    assert_eq!((found.lost, found.judged, found.kept), (1, 3, 2));
    assert_eq!((found.losses[0].writer, found.losses[0].generation), (None, 1));
}

#[test]
fn a_place_that_cannot_be_read_is_a_loss_unless_it_was_being_written() {
    let model = model(&[0, 0, 1]);
    let acks = model.heard(3);
    let traces = model.traces(&acks);
    let unreadable = |number| {
        let (at, _) = model.rings.place(0, number);
        let mut judge = Judge::new(&acks, &traces);
        for (block, offset) in model.image.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            judge.block(offset, if offset == at { Err(5) } else { Ok(block) });
        }
        judge.done().unwrap()
    };
    let [gone, in_flight, never] = [unreadable(1), unreadable(2), unreadable(3)];
    assert_eq!((gone.unreadable, gone.kept), (1, 3));
    assert_eq!((in_flight.gone(), in_flight.in_flight_damaged), (0, 1));
    assert_eq!((never.gone(), never.in_flight_damaged), (0, 0));
}

#[test]
fn a_target_that_is_still_written_is_noticed() {
    let mut model = model(&[0; 5]);
    let acks = model.heard(5);
    let traces = model.traces(&acks);
    (0..4).for_each(|_| model.write(0));
    let mut judge = Judge::new(&acks, &traces);
    for (block, offset) in model.image.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
        judge.block(offset, Ok(block));
    }
    assert_eq!(judge.done(), None);
}

#[test]
fn other_targets_and_other_runs_are_refused() {
    let refused = |model: &Model, acks: &Acks| model.traces(acks).check(acks).unwrap_err().to_string();
    let mut own = model(&[0; 3]);
    let acks = own.heard(3);
    own.image.fill(9);
    assert!(refused(&own, &acks).contains("neither the run's data"), "another target");
    rigel_core::verify::block::fill(
        78,
        rigel_core::load::volume::Place { target: 0, offset: 0 },
        1,
        &mut own.image[..BLOCK],
    );
    assert!(refused(&own, &acks).contains("label of another run"), "written since");
    // Everything is gone, and what was there before is there again: the worst that a storage can do, and no other target.
    Generator::new(5, &[]).fill(&mut own.image);
    assert_eq!(own.judged(&acks).lost, 4);
}

#[test]
fn lines_say_what_is_wrong_with_them() {
    let run = model(&[0, 1, 0, 0]);
    let mut acks = run.heard(1);
    let refused = |acks: &mut Acks, line: &str| acks.add(line.as_bytes()).unwrap_err().to_string();
    assert!(refused(&mut acks, &run.lines[4]).contains("lines are missing"));
    assert!(refused(&mut acks, "hello").contains("was not written by"));
    assert!(
        refused(&mut acks, &run.lines[2].replace(&run_name(SEED), "\\u001bother")).contains("to the run \\")
    );
    assert!(refused(&mut acks, &ended(&run_name(SEED), 3)).contains("of 3 acknowledgements, but 1"));
    acks.add(run.lines[2].trim_end().as_bytes()).unwrap();
    acks.add(ended(&run_name(SEED), 2).trim_end().as_bytes()).unwrap();
    assert!(acks.is_ended() && refused(&mut acks, &run.lines[3]).contains("after the end"));
    for (from, to) in [
        ("acks/1", "acks/9"),
        ("\"seed\":77", "\"seed\":78"),
        ("\"dsync\"", "\"none\""),
        ("\"writers\":2", "\"writers\":0"),
    ] {
        let line = run.lines[0].replace(from, to);
        assert!(line != run.lines[0] && Acks::begin(line.trim_end().as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn a_run_that_ended_by_itself_has_nothing_in_flight() {
    let model = model(&[0, 1, 0]);
    let mut acks = model.heard(3);
    assert_eq!(model.judged(&acks).in_flight, 2, "one of each writer");
    acks.add(ended(&run_name(SEED), 3).trim_end().as_bytes()).unwrap();
    assert_eq!(model.judged(&acks).in_flight, 0);
}
