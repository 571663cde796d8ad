//! The cases: a device, an engine, a size, how much is outstanding. Must not run anything.

/// What the I/Os go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchTarget {
    /// Nothing: an engine that completes immediately, without a system call.
    Nothing,
    /// The kernel's ring, which answers NOPs.
    Ring,
    /// Memory that was never written, behind the block layer.
    Zram,
    /// The same with random data, which takes it time: no I/O is answered without waiting.
    FilledZram,
    /// A loop device with direct I/O, on a file of random data.
    Loop,
    /// A FUSE device of 8 stations, each 200 us: 40,000 IOPS by its law.
    Fuse,
    /// A file of random data on the storage.
    File,
    /// This many files, of 6.25 GiB together.
    Files(u32),
    /// Two files of the same random data.
    Twins,
    /// A file that is written.
    Written,
}

/// Rigel chooses; the peer comes with each of its engines.
pub const AUTO: &str = "auto";
/// Not an engine: two files are compared once, as `rigel scrub` does it.
pub const COMPARED: &str = "scrub";

/// One comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Short and unique.
    pub name: String,
    /// Where.
    pub on: BenchTarget,
    /// Rigel's name for it.
    pub engine: &'static str,
    /// Bytes of one I/O.
    pub io_bytes: u64,
    /// I/Os outstanding; of arrivals at a rate the most.
    pub outstanding: u32,
    /// Poisson arrivals per second instead of a fixed number outstanding.
    pub rate: Option<u32>,
    /// Blocks that say what they are, with that share of writes in per cent.
    pub verified: Option<u32>,
    /// Writes that are durable before the next one begins, one at a time for each writer.
    pub commits: bool,
}

const SMALL: u64 = 8 << 10;
const PAGE: u64 = 4 << 10;
const LARGE: u64 = 1 << 20;

impl Case {
    fn new(
        name: impl Into<String>,
        on: BenchTarget,
        engine: &'static str,
        io_bytes: u64,
        outstanding: u32,
    ) -> Self {
        Self {
            name: name.into(),
            on,
            engine,
            io_bytes,
            outstanding,
            rate: None,
            verified: None,
            commits: false,
        }
    }

    /// Whether this is a large I/O in Rigel's words.
    pub const fn is_large(&self) -> bool {
        self.io_bytes >= LARGE
    }
}

/// All of them, cheap ones first.
pub fn all() -> Vec<Case> {
    let mut cases = vec![
        Case::new("null, 4 KiB, 128 outstanding", BenchTarget::Nothing, "null", PAGE, 128),
        Case::new("NOP ring, 128 outstanding", BenchTarget::Ring, "nop", PAGE, 128),
        Case::new("zram, 4 KiB, 128 outstanding", BenchTarget::Zram, "io_uring", PAGE, 128),
        Case::new("zram, 8 KiB, 128 outstanding", BenchTarget::Zram, "io_uring", SMALL, 128),
    ];
    for outstanding in [1, 10, 100, 1000, 10_000] {
        let name = format!("null, 8 KiB, {outstanding} outstanding");
        cases.push(Case::new(name, BenchTarget::Nothing, "null", SMALL, outstanding));
    }
    for outstanding in [1, 8, 32, 128, 1000] {
        let name = format!("file, 8 KiB, {outstanding} outstanding");
        cases.push(Case::new(name, BenchTarget::File, "io_uring", SMALL, outstanding));
    }
    for outstanding in [1, 2, 4] {
        let name = format!("file, 1 MiB, {outstanding} outstanding");
        cases.push(Case::new(name, BenchTarget::File, "io_uring", LARGE, outstanding));
    }
    cases.extend(engines());
    for rate in [100, 1000, 10_000, 100_000] {
        let name = format!("null, 8 KiB, {rate} arrivals per second");
        cases.push(Case { rate: Some(rate), ..Case::new(name, BenchTarget::Nothing, "null", SMALL, 64) });
    }
    for rate in [1000, 10_000] {
        let name = format!("file, 8 KiB, {rate} arrivals per second");
        cases.push(Case { rate: Some(rate), ..Case::new(name, BenchTarget::File, "io_uring", SMALL, 64) });
    }
    for (files, outstanding) in [(400, 400), (1000, 10_000)] {
        let name = format!("{files} files, 8 KiB, {outstanding} outstanding");
        cases.push(Case::new(name, BenchTarget::Files(files), "io_uring", SMALL, outstanding));
    }
    for writes in [10, 50] {
        let name = format!("verified blocks on a file, 8 KiB, 32 outstanding, {writes} % writes");
        cases.push(Case {
            verified: Some(writes),
            ..Case::new(name, BenchTarget::Written, "io_uring", SMALL, 32)
        });
    }
    cases.push(Case::new("two files of 2 GiB, compared", BenchTarget::Twins, COMPARED, LARGE, 16));
    cases
}

/// Every way to do the same I/O: none of them may be the limit.
fn engines() -> Vec<Case> {
    let case = |(device, on): (&str, BenchTarget), engine: &'static str, outstanding: u32| {
        let name = format!("{device}, 8 KiB, {outstanding} outstanding, {engine}");
        Case::new(name, on, engine, SMALL, outstanding)
    };
    let (zram, looped, file) =
        (("filled zram", BenchTarget::FilledZram), ("loop", BenchTarget::Loop), ("file", BenchTarget::File));
    let fuse = ("FUSE device", BenchTarget::Fuse);
    let mut cases = Vec::new();
    for outstanding in [8, 128] {
        cases.extend(["io_uring", "libaio", AUTO].map(|engine| case(zram, engine, outstanding)));
    }
    cases.extend([2, 8, 32, 128, 1000].map(|outstanding| case(zram, "sync", outstanding)));
    cases.extend(["io_uring", "libaio", "sync", AUTO].map(|engine| case(looped, engine, 32)));
    cases.extend(["io_uring", "libaio", "sync", AUTO].map(|engine| case(fuse, engine, 32)));
    cases.extend(["libaio", "threads", "sync", AUTO].map(|engine| case(file, engine, 32)));
    cases.extend(["io_uring", "sync"].map(|engine| {
        let name = format!("commits to a file, 8 KiB, 1 writer, {engine}");
        Case { commits: true, ..Case::new(name, BenchTarget::Written, engine, SMALL, 1) }
    }));
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<String> = all().into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), all().len());
    }
}
