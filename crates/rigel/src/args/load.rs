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
    /// The number sets the load range: the levels go up to 5 small and 2 large outstanding I/Os per disk (oltp: 20 small, dss: 15 large). It need not
    /// match the hardware: flash and arrays can take many times the number of devices that the host sees.
    #[arg(long, value_name = "N", help_heading = LOAD)]
    pub num_disks: Option<u64>,

    /// Share of writes in per cent, 0 to 100 [default: 0]
    ///
    /// Random I/O draws a coin per I/O; of sequential streams, that share is write-only. Whatever is written destroys
    /// what the target held, so a target that may hold something has to be named with --destroy-data.
    #[arg(long, value_name = "PERCENT", value_parser = values::per_cent, help_heading = LOAD)]
    pub write: Option<u64>,

    /// Measure each point once, for a time such as 60s [default: see --precision]
    ///
    /// That is how ORION measures; fractions such as 500ms work, too. The interval then only shows what varied inside the one visit.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = LOAD)]
    pub duration: Option<Nanos>,

    /// Bytes of warm-up before each large sequential data point, 0 for none [default: 2 minutes of it]
    ///
    /// Random large I/O that is not measured replaces what an array's cache remembers of the point before.
    #[arg(long, value_name = "SIZE", help_heading = LOAD, hide_short_help = true)]
    pub cache_size: Option<Bytes>,

    /// The part of every target that is used, in per cent such as 0-33% [default: 0-100%]
    ///
    /// Short stroking: on a disk the outer part is faster, and heads that stay in a part move less.
    #[arg(long, value_name = "A-B", value_parser = values::span, help_heading = LOAD, hide_short_help = true)]
    pub span: Option<Span>,

    /// Pairs of small and large load: basic, detailed, point, col, row or max [default: basic]
    ///
    /// basic: small alone, then large alone. detailed: every pair. point: one pair (--num-small and --num-large). col:
    /// --num-small fixed, large varies. row: --num-large fixed, small varies. max: every pair up to both counts.
    #[arg(long, value_name = "MATRIX", ignore_case = true, hide_possible_values = true, hide_short_help = true, value_parser = words::parser::<MatrixShape>(), help_heading = SHAPE)]
    pub matrix: Option<MatrixShape>,

    /// Outstanding small I/Os, for the matrices point, col and max
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

    /// Large I/O at random places or in sequential streams [default: rand]
    ///
    /// Small I/O is always random.
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = words::parser::<Pattern>(), help_heading = SHAPE, hide_short_help = true)]
    pub pattern: Option<Pattern>,

    /// Outstanding I/Os of each sequential stream, with --type seq [default: 4]
    #[arg(long, value_name = "N", help_heading = SHAPE, hide_short_help = true)]
    pub stream_ios: Option<u64>,

    /// How the targets form the volume that streams walk [default: concat]
    ///
    /// concat: one target after the other. raid0: striped over all targets.
    #[arg(long, value_name = "LAYOUT", ignore_case = true, value_parser = words::parser::<Layout>(), help_heading = SHAPE, hide_short_help = true)]
    pub simulate: Option<Layout>,

    /// Stripe depth, with --simulate raid0 [default: 1M]
    #[arg(long, value_name = "SIZE", help_heading = SHAPE, hide_short_help = true)]
    pub stripe: Option<Bytes>,
}
