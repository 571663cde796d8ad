//! The evidence behind the numbers: flags with their figures, targets, host, settings, and how to measure the same
//! again.
//!
//! Must not hold a result.

use crate::document::{Block, Cell, Column, Kind, Table};
use crate::flag_scopes::FlagScopes;
use crate::html::ids::Ids;
use crate::html::markup::flag_words;
use crate::label;
use crate::notes;
use crate::surroundings;
use crate::text;
use crate::view::View;
use rigel_core::facts::{TargetFacts, USUAL_PAGE_BYTES};
use rigel_core::judge::flags::Flag;
use rigel_core::load::pace::Pace;
use rigel_core::load::placement::ranges;
use rigel_core::path_text::printable;
use rigel_core::record::Node;
use rigel_core::units::Bytes;

/// The section of it.
pub(super) fn block(view: &View<'_>, ids: &Ids) -> Block {
    let header = &view.record.header;
    let settings = settings(view).into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    let parts = vec![
        Block::section("Flags", vec![flags(view)]).named(ids.of("all-flags")),
        Block::section("Targets", vec![targets(&header.targets)]),
        Block::section("Settings", vec![Block::Facts(settings)]),
        Block::section("Host and engine", vec![Block::Facts(host(view))]),
    ];
    Block::section("Evidence", parts).of_kind(Kind::Evidence).named(ids.of("evidence"))
}

fn flags(view: &View<'_>) -> Block {
    let scopes = FlagScopes::of(view);
    let places = scopes.places(view);
    let rows: Vec<(&str, &Flag)> = places
        .iter()
        .flat_map(|(place, flags)| flags.iter().map(move |flag| (place.as_str(), *flag)))
        .collect();
    if rows.is_empty() {
        return Block::paragraph("None: no test raised a warning.");
    }
    Table::of("flag", &rows)
        .column(Column::left("Where"), |(place, _)| *place)
        .column(Column::left("Flag"), |(_, flag)| Cell::Badges(vec![(flag.code.name(), flag.invalid)]))
        .column(Column::long("What was seen"), |(_, flag)| flag_words(flag))
        .bad(|(_, flag)| flag.invalid)
        .done()
}

fn targets(targets: &[TargetFacts]) -> Block {
    Table::of("target", targets)
        .column(Column::long("Target"), |target| Cell::Code(label::absolute(target).to_owned()))
        .column(Column::left("Kind"), |target| target.kind.name())
        .column(Column::right("Size"), |target| Bytes(target.size_bytes).to_string())
        .column(Column::long("Lies on"), lies_on)
        .done()
}

/// Filesystem and device, with the settings of its queue.
fn lies_on(target: &TargetFacts) -> String {
    let mut parts = Vec::new();
    if let Some(filesystem) = &target.filesystem {
        let mount = target.mount_point.as_ref().map_or_else(String::new, |mount| format!(" at {mount}"));
        parts.push(format!("{filesystem}{mount}"));
    }
    if let Some(device) = &target.device {
        parts.push(device.name.clone());
        parts.extend(device.model.clone());
        parts.extend(
            device.rotational.map(|spins| if spins { "spinning" } else { "not spinning" }.to_owned()),
        );
        parts.extend(device.scheduler.as_ref().map(|name| format!("scheduler {name}")));
        parts.extend(device.nr_requests.map(|requests| format!("{requests} requests")));
        parts.extend(device.max_sectors_kb.map(|kb| format!("requests up to {kb} KiB")));
        parts.extend(device.write_cache.clone());
        if !device.made_of.is_empty() {
            parts.push(format!("made of {}", device.made_of.join(", ")));
        }
    }
    if target.direct_io == Some(false) {
        parts.push("no direct I/O".to_owned());
    }
    parts.join(", ")
}

fn settings(view: &View<'_>) -> Vec<(&'static str, String)> {
    let header = &view.record.header;
    let (request, plan) = (&header.request, &header.plan);
    let pace = match (request.pace(), request.soak()) {
        (Some(Pace::Fixed(duration)), _) => format!("one visit of {duration} to each point"),
        (None, None) => match (request.burst(), request.working_set()) {
            (Some(burst), _) => {
                format!("two bursts, the first one of at most {}, with a pause between them", burst.time)
            }
            (None, Some(asked)) => {
                format!("each working set is read until it is warm, then measured, in at most {}", asked.time)
            }
            (None, None) => "one visit to each phase of the load".to_owned(),
        },
        (None, Some(soak)) => format!("the phases of the load in rotation for {}", soak.time),
        (Some(Pace::Adaptive(adaptive)), _) => {
            let limit =
                adaptive.max_duration.map_or_else(String::new, |limit| format!(", no visit after {limit}"));
            format!("visits until every rate is known to {}{limit}", adaptive.precision)
        }
    };
    let ended = view.record.closing.as_ref().map_or("the end was not recorded", |closing| &closing.ended);
    vec![
        ("Label", request.label.clone().unwrap_or_default()),
        ("Command line", request.command_line.clone()),
        ("Run level", request.level().name().to_owned()),
        ("I/O", text::io(request, plan).join("; ")),
        ("Writes", request.write_share()),
        ("Pace", pace),
        ("Disks", plan.num_disks.to_string()),
        ("Workers", plan.workers_of(request, view.record.header.nodes.first().engine.kind).to_string()),
        ("Page cache", if request.buffered { "used, as requested" } else { "" }.to_owned()),
        ("Seed", request.seed.to_string()),
        ("Started", header.started.clone()),
        ("Ended", ended.to_owned()),
        ("Complete", notes::cut_short(view).unwrap_or_else(|| "yes".to_owned())),
        (
            "Versions",
            format!(
                "Rigel {}, record {}.{}",
                header.program_version, header.rigel_record.major, header.rigel_record.minor
            ),
        ),
    ]
}

/// The facts of every node; if there are several, their names say which.
fn host(view: &View<'_>) -> Vec<(String, String)> {
    let nodes = view.record.header.nodes.all();
    let named = |(number, node): (usize, &Node)| {
        let whose = match &node.member {
            _ if nodes.len() == 1 => String::new(),
            Some(member) => format!("{}: ", printable(&member.name)),
            None => format!("Node {number}: "),
        };
        let cpus = surroundings::cpus_of(view, number).map(surroundings::cpus_in_words);
        of_node(node)
            .into_iter()
            .chain([("CPU time", cpus.unwrap_or_default())])
            .map(move |(name, text)| (format!("{whose}{name}"), text))
            .collect::<Vec<_>>()
    };
    nodes.iter().enumerate().flat_map(named).collect()
}

fn of_node(node: &Node) -> Vec<(&'static str, String)> {
    let Node { host, engine, buffers, .. } = node;
    let mut how = vec![engine.kind.name().to_owned()];
    let features = [
        (engine.polled, "polled completions"),
        (engine.registered_buffers, "registered buffers"),
        (engine.registered_files, "registered files"),
        (engine.single_issuer, "single issuer"),
        (engine.defer_taskrun, "deferred task work"),
    ];
    how.extend(features.into_iter().filter(|(has, _)| *has).map(|(_, name)| name.to_owned()));
    how.extend(engine.reason.clone());
    vec![
        ("Kernel", format!("{} {}", host.kernel, host.machine)),
        ("CPU", host.cpu_model.clone().unwrap_or_default()),
        ("CPUs", host.cpus.to_string()),
        ("Machine", host.guest().unwrap_or_default()),
        ("Limits", surroundings::limits(host).unwrap_or_default()),
        ("Priority", host.priority.told().unwrap_or_default()),
        ("Memory", host.memory_bytes.map_or_else(String::new, |bytes| Bytes(bytes).to_string())),
        (
            "Pages",
            host.page_bytes
                .filter(|bytes| *bytes != USUAL_PAGE_BYTES)
                .map_or_else(String::new, |bytes| Bytes(bytes).to_string()),
        ),
        (
            "Huge pages",
            host.transparent_huge_pages
                .as_ref()
                .map_or_else(String::new, |word| format!("transparent: {word}")),
        ),
        ("Engine", how.join(", ")),
        ("Remarks", engine.notes.join("; ")),
        (
            "Workers on",
            if engine.cpus.is_empty() { String::new() } else { format!("CPU {}", ranges(&engine.cpus)) },
        ),
        ("Buffers", Bytes(buffers.bytes).to_string()),
    ]
}
