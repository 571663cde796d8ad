//! The first part of the summary: who wrote it, the command line, what it means, the matrix, the targets.
//!
//! Must not hold a measured number.

use super::{OrionVersion, has_content};
use crate::page::Page;
use crate::view::View;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::pace::Pace;
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::load::workload::Layout;
use rigel_core::path_text::printable;
use rigel_core::record::Header;
use rigel_core::units::{KIB, MIB, Nanos, to_f64};

/// Up to the number of files, as in published output of 11.1.0.7 and 11.2.0.2; 12.2 and 19 kept the words of 11.2.
/// From the word "layout" on, line 1 is ours.
pub(super) fn render(version: OrionVersion, view: &View<'_>) -> String {
    let header = &view.record.header;
    let mut page = Page::default();
    if !has_content(&header.request, "_summary.txt") {
        without_its_classes(&mut page, header);
        return page.into_string();
    }
    page.line(format_args!(
        "ORION VERSION {} layout, written by Rigel {}; 1 MB is 2^20 bytes",
        version.full_name(),
        printable(&header.program_version)
    ));
    page.blank();
    if version.is_before_11_2() {
        settings_11_1(&mut page, header);
    } else {
        settings_11_2(&mut page, header);
    }
    matrix_and_targets(&mut page, version, header);
    page.into_string()
}

/// The heading of a run that has neither small nor large I/O.
fn without_its_classes(page: &mut Page, header: &Header) {
    page.line(format_args!("Written by Rigel {}; 1 MB is 2^20 bytes", printable(&header.program_version)));
    page.blank();
    page.line("Command line:");
    page.line(printable(&header.request.command_line));
    page.blank();
    for target in &header.targets {
        page.line(format_args!("Name: {}\tSize: {}", printable(&target.path), target.size_bytes));
    }
}

/// Published output of 11.1.0.7 for random I/O. The lines of streams and of raid0 are from memory of output of 10.2.
fn settings_11_1(page: &mut Page, header: &Header) {
    let request = &header.request;
    page.line("Commandline:");
    page.line(printable(&request.command_line));
    page.blank();
    page.line("This maps to this test:");
    test_and_sizes(page, request);
    match request.large_pattern() {
        Pattern::Random | Pattern::Log | Pattern::Sessions => {
            page.line("IO Types: Small Random IOs, Large Random IOs");
        }
        Pattern::Streams { ios_per_stream } => {
            page.line("IO Types: Small Random IOs, Large Sequential Streams");
            page.line(format_args!("Number of Concurrent IOs Per Stream: {ios_per_stream}"));
            page.line("Force streams to separate disks: No");
        }
    }
    match request.layout {
        Layout::Concat => page.line("Simulated Array Type: CONCAT"),
        Layout::Raid0 { stripe_bytes } => {
            page.line("Simulated Array Type: RAID 0");
            page.line(format_args!("Stripe Depth: {} KB", scaled(stripe_bytes, KIB)));
        }
    }
    page.line(format_args!("Write: {}%", write_percent(request)));
    page.line(format_args!("Cache Size: {}", cache_size(request.cache, "Not Entered")));
    page.line(format_args!("Duration for each Data Point: {} seconds", duration(header).seconds()));
}

/// The share of writes of ORION's classes; it has one for both.
fn write_percent(request: &Request) -> u8 {
    let pair = [Class::SMALL, Class::LARGE].into_iter().filter_map(|class| request.class(class));
    pair.map(|class| class.write_percent.get()).max().unwrap_or(0)
}

/// Published output of 11.2.0.2 for random I/O; the wording for raid0 is from memory. The space after "per stream" is
/// theirs. The stripe depth and the I/Os of a stream are added for streams only, because a rate means nothing without.
fn settings_11_2(page: &mut Page, header: &Header) {
    let request = &header.request;
    page.line("Command line:");
    page.line(printable(&request.command_line));
    page.blank();
    page.line("These options enable these settings:");
    test_and_sizes(page, request);
    let sequential = match request.large_pattern() {
        Pattern::Streams { ios_per_stream } => Some(ios_per_stream),
        Pattern::Random | Pattern::Log | Pattern::Sessions => None,
    };
    match sequential {
        None => page.line("IO types: small random IOs, large random IOs"),
        Some(ios) => {
            page.line("IO types: small random IOs, large sequential streams");
            page.line(format_args!("Number of concurrent IOs per stream: {ios}"));
        }
    }
    match request.layout {
        Layout::Concat => page.line("Sequential stream pattern: one LUN per stream "),
        Layout::Raid0 { stripe_bytes } => {
            page.line("Sequential stream pattern: RAID-0 striping for all streams ");
            if sequential.is_some() {
                page.line(format_args!("Stripe depth: {} KB", scaled(stripe_bytes, KIB)));
            }
        }
    }
    page.line(format_args!("Writes: {}%", write_percent(request)));
    page.line(format_args!("Cache size: {}", cache_size(request.cache, "not specified")));
    page.line(format_args!("Duration for each data point: {} seconds", duration(header).seconds()));
}

/// The time of each visit; an adaptive run makes several, as the notes say.
fn duration(header: &Header) -> Nanos {
    match (header.request.pace(), header.plan.steps.first()) {
        (Some(Pace::Fixed(duration)), _) => duration,
        (Some(Pace::Adaptive(_)) | None, Some(step)) => step.measure,
        (Some(Pace::Adaptive(_)) | None, None) => {
            header.plan.search.as_ref().map_or(Nanos(0), |search| search.measure)
        }
    }
}

fn test_and_sizes(page: &mut Page, request: &Request) {
    page.line(format_args!("Test: {}", printable(&request.name)));
    // A run may have other classes only.
    for class in [Class::SMALL, Class::LARGE].into_iter().filter_map(|class| request.class(class)) {
        page.line(format_args!("{} IO size: {} KB", class.name.label(), scaled(class.io_bytes(), KIB)));
    }
}

fn matrix_and_targets(page: &mut Page, version: OrionVersion, header: &Header) {
    let grid = &header.plan.grid;
    let printed = |class| grid.printed.get(&class).map_or(&[][..], Vec::as_slice);
    page.line(format_args!("Small Columns:{}", level_cells(printed(Class::SMALL))));
    page.line(format_args!("Large Columns:{}", level_cells(printed(Class::LARGE))));
    page.line(format_args!("Total Data Points: {}", grid.total_points));
    page.blank();
    for target in &header.targets {
        page.line(format_args!("Name: {}\tSize: {}", printable(&target.path), target.size_bytes));
    }
    let files = if version.is_before_11_2() { "FILEs" } else { "files" };
    page.line(format_args!("{} {files} found.", header.targets.len()));
}

fn level_cells(levels: &[u32]) -> String {
    levels.iter().map(|level| format!(",{level:>7}")).collect()
}

fn cache_size(cache: CacheWarmUp, not_given: &str) -> String {
    match cache {
        CacheWarmUp::Default => not_given.to_owned(),
        CacheWarmUp::Off => "0 MB".to_owned(),
        CacheWarmUp::Bytes(bytes) => format!("{} MB", scaled(bytes, MIB)),
    }
}

/// A whole number if possible, otherwise with its decimals; ORION itself knows whole KB and MB only.
fn scaled(bytes: u64, unit: u64) -> f64 {
    to_f64(bytes) / to_f64(unit)
}
