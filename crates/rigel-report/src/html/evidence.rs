//! The evidence behind the numbers: flags with their figures, targets, host, settings, and how to measure the same
//! again.
//!
//! Must not hold a result.

use super::ids::Ids;
use super::markup::{Text, badge, close_table, list, open_table, said};
use crate::flag_scopes::FlagScopes;
use crate::label;
use crate::notes;
use crate::page::Page;
use crate::surroundings;
use crate::text;
use crate::view::View;
use rigel_core::facts::TargetFacts;
use rigel_core::judge::flags::Flag;
use rigel_core::load::pace::Pace;
use rigel_core::load::placement::ranges;
use rigel_core::path_text::printable;
use rigel_core::record::{Header, Node};
use rigel_core::units::Bytes;

/// Longer tables are folded.
const MOST_FLAGS: usize = 60;
const MOST_TARGETS: usize = 20;

/// The sections of it.
pub(super) fn section(page: &mut Page, view: &View<'_>, ids: &Ids) {
    let header = &view.record.header;
    page.line(format_args!(
        "<section id=\"{}\">\n<h2>Evidence</h2>\n<h3 id=\"{}\">Flags</h3>",
        ids.of("evidence"),
        ids.of("all-flags")
    ));
    flags(page, view);
    page.line("<h3>Targets</h3>");
    targets(page, &header.targets);
    page.line("<h3>Settings</h3>");
    list(page, &settings(view));
    page.line("<h3>Host and engine</h3>");
    list(page, &host(header));
    page.line("</section>");
}

fn flags(page: &mut Page, view: &View<'_>) {
    let scopes = FlagScopes::of(view);
    let places = scopes.places(view);
    let rows: Vec<(&str, &Flag)> = places
        .iter()
        .flat_map(|(place, flags)| flags.iter().map(move |flag| (place.as_str(), *flag)))
        .collect();
    if rows.is_empty() {
        page.line("<p>None: no test found anything that speaks against the numbers.</p>");
        return;
    }
    let columns = [("Where", false), ("Flag", false), ("What was seen", false)];
    open_table(page, &columns, rows.len(), MOST_FLAGS, "flag");
    for (place, flag) in rows {
        page.line(format_args!(
            "<tr{}><td>{}</td><td>{}</td><td class=\"text\">{}</td></tr>",
            if flag.invalid { " class=\"bad\"" } else { "" },
            Text(place),
            badge(flag.code, flag.invalid),
            said(flag)
        ));
    }
    close_table(page);
}

fn targets(page: &mut Page, targets: &[TargetFacts]) {
    let columns = [("Target", false), ("Kind", false), ("Size", true), ("Lies on", false)];
    open_table(page, &columns, targets.len(), MOST_TARGETS, "target");
    for target in targets {
        page.line(format_args!(
            "<tr><td class=\"text\"><code>{}</code></td><td>{}</td><td class=\"n\">{}</td><td class=\"text\">{}</td></tr>",
            Text(label::absolute(target)),
            target.kind.name(),
            Bytes(target.size_bytes),
            Text(&lies_on(target))
        ));
    }
    close_table(page);
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
    let pace = match request.pace {
        Pace::Fixed(duration) => format!("one visit of {duration} to each point"),
        Pace::Phases => "one visit to each phase of the load".to_owned(),
        Pace::Soak(soak) => format!("the phases of the load in turns for {}", soak.time),
        Pace::Adaptive(adaptive) => {
            let limit =
                adaptive.max_duration.map_or_else(String::new, |limit| format!(", no visit after {limit}"));
            format!("visits until every rate is known to {}{limit}", adaptive.precision)
        }
    };
    let ended = view.record.closing.as_ref().map_or("the end was not recorded", |closing| &closing.ended);
    vec![
        ("Label", request.label.clone().unwrap_or_default()),
        ("Command line", request.command_line.clone()),
        ("Run level", request.level.name().to_owned()),
        ("I/O", text::io(request, plan).join("; ")),
        ("Writes", request.write_share()),
        ("Pace", pace),
        ("Disks", plan.num_disks.to_string()),
        ("Workers", plan.workers_of(view.record.header.nodes.first().engine.kind).to_string()),
        ("Page cache", if request.buffered { "used, as asked" } else { "" }.to_owned()),
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

/// The facts of every node; their names say of which, when there are several.
fn host(header: &Header) -> Vec<(String, String)> {
    let nodes = header.nodes.all();
    let named = |(number, node): (usize, &Node)| {
        let whose = match &node.member {
            _ if nodes.len() == 1 => String::new(),
            Some(member) => format!("{}: ", printable(&member.name)),
            None => format!("Node {number}: "),
        };
        of_node(node)
            .into_iter()
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
        ("Machine", surroundings::guest(host).unwrap_or_default()),
        ("Limits", surroundings::limits(host).unwrap_or_default()),
        ("Priority", host.priority.told().unwrap_or_default()),
        ("Memory", host.memory_bytes.map_or_else(String::new, |bytes| Bytes(bytes).to_string())),
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
