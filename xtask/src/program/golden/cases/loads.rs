//! Loads of one's own: files, presets, phases, streams, places, commits.

use super::super::simulated::{on_disk, once, own, request, rounds};
use super::Case;
use anyhow::Context as _;
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern, Sync};
use rigel_core::load::commits;
use rigel_core::load::file::{self, Preset};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, Request};
use rigel_core::record::Record;

const SLOW: &str = "servers=4,service=20ms,rate=100M,spread=lognormal:20%,between=1%";

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("load-mixed-sizes", || load(MIXED, rounds(100))),
        Case::of("load-points-fixed", || load(MIXED, once(1))),
        Case::of("load-phases", || load(PHASES, Pace::Adaptive(Adaptive::default()))),
        Case::of("preset-postgresql", || preset("postgresql")),
        Case::of("preset-mysql", || preset("mysql")),
        Case::of("preset-oracle", || preset("oracle")),
        Case::of("streams", streams),
        Case::of("zones-slope", || zones(",slope=50%", rounds(100))),
        Case::of("zones-even", || zones("", rounds(100))),
        Case::of("zones-slow-part", || zones(",region=0.5:50%:100%", once(2))),
        Case::of("commit-flush", || commit("flush=10ms,")),
        Case::of("commit-flush-free", || commit("")),
    ]
}

/// Classes with several sizes, streams and a closed loop that writes, alone and together.
const MIXED: &str = r#"
load = "rigel.load/1"
points = [ { mixed = 2 }, { mixed = 4 }, { scans = 1 }, { mixed = 2, scans = 1, pages = 3 } ]
[[class]]
name = "mixed"
size = { "8K" = 80, "64K" = 20 }
[[class]]
name = "scans"
size = "256K"
pattern = "stream"
stream_ios = 2
[[class]]
name = "pages"
size = "16K"
write = 30
span = "0-50%"
"#;

/// A day in four phases of seconds, two of them alike.
const PHASES: &str = r#"
load = "rigel.load/1"
[[class]]
name = "pages"
size = "8K"
write = 10
arrival = { rate = 40, shape = "poisson" }
[[class]]
name = "scans"
size = "128K"
pattern = "stream"
stream_ios = 2
arrival = { streams = 1 }
[[phase]]
for = "3s"
scale = 0.5
[[phase]]
for = "2s"
scale = 3
[[phase]]
for = "2s"
scale = { pages = 2, scans = 0 }
[[phase]]
for = "2s"
scale = 0.5
"#;

fn load(text: &str, pace: Pace) -> anyhow::Result<Record> {
    of_file(SLOW, "golden.toml", text, pace)
}

/// Mixed sizes on a device whose I/Os take this many milliseconds.
pub fn mixed(service_ms: u32) -> anyhow::Result<Record> {
    let law = format!("servers=4,service={service_ms}ms,rate=100M,spread=lognormal:20%,between=1%");
    of_file(&law, "golden.toml", MIXED, rounds(100))
}

/// The loads that come with the program, on a device that is just fast enough.
fn preset(name: &str) -> anyhow::Result<Record> {
    let preset = Preset::named(name).with_context(|| format!("no preset {name}"))?;
    of_file("servers=32,service=10ms,rate=0,spread=lognormal:20%,flush=2ms", name, preset.text, once(1))
}

fn of_file(law: &str, name: &str, text: &str, pace: Pace) -> anyhow::Result<Record> {
    let load = file::read(name, text.as_bytes())?;
    let command_line = format!("load {name} /dev/sdb --destroy-data /dev/sdb ");
    let asked = Request { cache: CacheWarmUp::Off, command_line, ..request(RunLevel::Load).paced(pace) };
    on_disk(law, load.request(asked)?)
}

fn streams() -> anyhow::Result<Record> {
    let class = LoadClass {
        pattern: Pattern::Streams { ios_per_stream: 1 },
        figure: Figure::Mbps,
        levels: vec![1, 4, 16],
        ..LoadClass::random(Class::STREAM, DEFAULT_LARGE.0)
    };
    let asked = own(RunLevel::Streams, vec![class]);
    on_disk(SLOW, Request { cache: CacheWarmUp::Off, ..asked.paced(rounds(100)) })
}

/// Random I/O and streams at eight places of a device whose speed differs from place to place.
fn zones(by_place: &str, pace: Pace) -> anyhow::Result<Record> {
    let at_places = |class: LoadClass| LoadClass { places: Some(8), levels: (1..=8).collect(), ..class };
    let stream = LoadClass {
        pattern: Pattern::Streams { ios_per_stream: 4 },
        figure: Figure::Mbps,
        ..LoadClass::random(Class::STREAM, DEFAULT_LARGE.0)
    };
    let classes = [LoadClass::random(Class::RANDOM, DEFAULT_SMALL.0), stream].map(at_places);
    let asked = own(RunLevel::Zones, classes.into());
    let law = format!("servers=4,service=10ms,rate=100M,between=1%{by_place}");
    on_disk(&law, Request { cache: CacheWarmUp::Off, ..asked.paced(pace) })
}

/// Writers whose writes are durable in each way, on a device whose flush takes this long.
fn commit(flush: &str) -> anyhow::Result<Record> {
    let class = |sync| commits::class(sync, DEFAULT_SMALL.0, &[1, 4]);
    let asked = own(RunLevel::Commit, [Sync::Dsync, Sync::Fdatasync, Sync::None].map(class).into());
    let law = format!("servers=4,service=10ms,rate=0,{flush}between=1%,spread=lognormal:20%");
    on_disk(&law, asked.paced(rounds(100)))
}
