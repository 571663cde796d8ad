//! The options of the load: one field per option, empty when the option was not given.
//!
//! clap fills them for `rigel run`; the other commands fill them by hand. They hold what was typed, in bytes and
//! nanoseconds. Must not judge whether it makes sense; [`super::shaping`] does.

use super::{values, words};
use rigel_core::load::class::{Pattern, Span};
use rigel_core::load::matrix::MatrixShape;
use rigel_core::load::workload::Layout;
use rigel_core::units::{Bytes, Nanos};

const LOAD: &str = "Load";
const SHAPE: &str = "Load shape (only with 'advanced')";

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct LoadArgs {
    /// Disks behind the targets [default: number of targets]
    ///
    /// Sets the load range: up to 5 small and 2 large outstanding I/Os per disk (oltp: 20 small, dss: 15 large). It need not match the hardware: flash
    /// and arrays need many times the number of devices that the host sees.
    #[arg(long, value_name = "N", help_heading = LOAD)]
    pub num_disks: Option<u64>,

    /// Percentage of writes, 0 to 100 [default: 0]
    ///
    /// Random I/O mixes reads and writes; of sequential streams, this percentage only writes. Writing destroys the data on the target, so a target
    /// that may hold data has to be named with --destroy-data.
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    pub write: Option<u64>,

    /// Measure each data point once for TIME, such as 60s, as ORION does [default: see --precision]
    ///
    /// The time of each data point; --for limits the whole run. The interval then only covers variation within that one measurement.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD, hide_short_help = true)]
    pub duration: Option<Nanos>,

    /// Bytes to warm up before each large sequential data point, 0 for none [default: 2 minutes]
    ///
    /// Random large I/O, which is not measured, replaces what an array has cached from the previous data point.
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    pub cache_size: Option<Bytes>,

    /// Use only a part of each target, such as 0-33% [default: 0-100%]
    ///
    /// Short stroking: the outer part of a disk is faster, and the heads move less within it.
    #[arg(long, value_name = "A-B", value_parser = values::span, help_heading = LOAD, hide_short_help = true)]
    pub span: Option<Span>,

    /// Combinations of small and large load: basic, detailed, point, col, row or max [default: basic]
    ///
    /// basic: small alone, then large alone. detailed: all combinations. point: one combination (--num-small and --num-large). col: --num-small fixed,
    /// large varies. row: --num-large fixed, small varies. max: all combinations up to both numbers.
    #[arg(long, value_name = "MATRIX", ignore_case = true, hide_possible_values = true, hide_short_help = true, value_parser = words::parser::<MatrixShape>(), help_heading = SHAPE)]
    pub matrix: Option<MatrixShape>,

    /// Outstanding small I/Os, for the matrices point, col and max; --qd N alone measures that one data point
    #[arg(long, value_name = "N", help_heading = SHAPE, hide_short_help = true)]
    pub num_small: Option<u64>,

    /// Outstanding large I/Os (streams with --type seq), for the matrices point, row and max
    #[arg(long, value_name = "N", help_heading = SHAPE, hide_short_help = true)]
    pub num_large: Option<u64>,

    /// Size of a small I/O [default: 8K]
    #[arg(long, value_name = "SIZE", help_heading = SHAPE, hide_short_help = true)]
    pub size_small: Option<Bytes>,

    /// Size of a large I/O [default: 1M]
    #[arg(long, value_name = "SIZE", help_heading = SHAPE, hide_short_help = true)]
    pub size_large: Option<Bytes>,

    /// Large I/O at random offsets or in sequential streams [default: rand]
    ///
    /// Small I/O is always random.
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = words::parser::<Pattern>(), help_heading = SHAPE, hide_short_help = true)]
    pub pattern: Option<Pattern>,

    /// Outstanding I/Os of each sequential stream, with --type seq [default: 4]
    #[arg(long, value_name = "N", help_heading = SHAPE, hide_short_help = true)]
    pub stream_ios: Option<u64>,

    /// How the targets form the volume that streams read [default: concat]
    ///
    /// concat: one target after the other. raid0: striped over all targets.
    #[arg(long, value_name = "LAYOUT", ignore_case = true, value_parser = words::parser::<Layout>(), help_heading = SHAPE, hide_short_help = true)]
    pub simulate: Option<Layout>,

    /// Stripe depth, with --simulate raid0 [default: 1M]
    #[arg(long, value_name = "SIZE", help_heading = SHAPE, hide_short_help = true)]
    pub stripe: Option<Bytes>,
}
