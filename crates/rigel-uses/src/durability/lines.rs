//! The lines that a run leaves with its witness: a header, a line for each acknowledged write, and one when it ends normally.
//!
//! Each is JSON and says which run it is of, because a pipe may carry other things. Must not judge their order.

use super::rings::Shape;
use rigel_core::error::Problem;
use rigel_core::load::class::Sync;
use rigel_core::path_text;
use rigel_core::verify::block::{BLOCK_BYTES, Head as SectorHead, SECTOR_BYTES};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use twox_hash::XxHash3_64;

/// Name and version of the lines' form.
pub const SCHEMA: &str = "rigel.acks/1";
/// A longer line is not ours.
pub const MOST_LINE_BYTES: usize = 64 << 10;
/// Number of blocks whose earlier contents the head records.
pub const SAMPLES: u64 = 16;

/// The name of a run in its lines.
pub fn run_name(seed: u64) -> String {
    format!("{seed:016x}")
}

/// Represents the contents of a block before the run.
pub fn fingerprint(block: &[u8]) -> String {
    format!("{:016x}", XxHash3_64::oneshot(block))
}

/// The run of Rigel in the first block of a target.
pub fn label_of(block: &[u8]) -> Option<u64> {
    block.chunks_exact(SECTOR_BYTES).find_map(SectorHead::of).map(|head| head.seed)
}

/// What was on the target before the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierContents {
    /// The run of Rigel that the first block was of.
    pub label: Option<u64>,
    /// [`fingerprint`] of blocks of 4 KiB, evenly over the region.
    pub samples: Vec<String>,
}

impl EarlierContents {
    /// Offsets of the samples in a region of this many bytes; none in the first block.
    pub fn offsets(region_bytes: u64) -> impl Iterator<Item = u64> {
        let block = BLOCK_BYTES as u64;
        let blocks = region_bytes / block;
        let count = SAMPLES.min(blocks.saturating_sub(1));
        let step = u128::from(blocks.saturating_sub(1));
        (0..count).map(move |number| {
            let at = step * u128::from(number) / u128::from(count.max(1));
            (1 + u64::try_from(at).unwrap_or(0)) * block
        })
    }
}

/// The block device under the target, as it names itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Kernel name.
    pub name: String,
    /// Model.
    pub model: Option<String>,
}

/// The first line: everything that a check has to know. Texts are printable ([`rigel_core::path_text`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// [`SCHEMA`].
    pub schema: String,
    /// [`run_name`] of the seed.
    pub run: String,
    /// The seed of the run, which is in every block that it writes.
    pub seed: u64,
    /// Version of the program.
    pub program: String,
    /// When it began, RFC 3339.
    pub began: String,
    /// The boot of the host, if known.
    pub boot: Option<String>,
    /// The target as the user named it.
    pub target: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Whether it is a block device.
    pub is_device: bool,
    /// The device under it.
    pub device: Option<Device>,
    /// What is written where.
    #[serde(flatten)]
    pub shape: Shape,
    /// When a write counts as durable.
    pub sync: Sync,
    /// What was there before.
    pub before: EarlierContents,
}

impl Head {
    /// Reads the first line.
    ///
    /// # Errors
    /// When it is not one, or of another version of the form.
    pub fn parse(line: &[u8]) -> Result<Self, Problem> {
        let refused = |cause: String| {
            Problem::usage("these are not acknowledgements from `rigel durability run`").because(cause).next(
                "give the file that `rigel durability witness` wrote, or what `rigel durability run` prints",
            )
        };
        let head: Self = serde_json::from_slice(line).map_err(|error| {
            refused(format!("the first line is not a header: {}", path_text::printable(&error.to_string())))
        })?;
        if head.schema != SCHEMA {
            let schema = path_text::printable(&head.schema);
            return Err(refused(format!("it has the format {schema}, this program knows {SCHEMA}")));
        }
        if head.run != run_name(head.seed) || head.sync == Sync::None {
            return Err(refused("the header contradicts itself".to_owned()));
        }
        head.shape.check().map_err(|problem| refused(problem.what))?;
        if head.shape.region_bytes > head.size_bytes {
            return Err(refused("the header contradicts itself: it writes beyond the end".to_owned()));
        }
        Ok(Self { target: path_text::printable(&head.target).into_owned(), ..head })
    }

    /// The line, with its end.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

/// An acknowledged write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The writer.
    pub writer: u16,
    /// Where, in bytes.
    pub offset: u64,
    /// The number of writes to this place, this one included.
    pub generation: u64,
    /// Microseconds of the run.
    pub at_us: u64,
}

impl Ack {
    /// Adds the line, with its end.
    pub fn write(&self, run: &str, out: &mut String) {
        let Self { writer, offset, generation, at_us } = self;
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            r#"{{"run":"{run}","writer":{writer},"offset":{offset},"generation":{generation},"at_us":{at_us}}}"#
        );
    }
}

/// The line of a run that ended by itself, with its end.
pub fn ended(run: &str, acknowledged: u64) -> String {
    format!("{{\"run\":\"{run}\",\"ended\":true,\"acknowledged\":{acknowledged}}}\n")
}

/// A line after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// A write was acknowledged.
    Ack(Ack),
    /// The run ended by itself, after this many.
    Ended(u64),
}

/// All fields that a line can have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    run: std::borrow::Cow<'a, str>,
    writer: Option<u16>,
    offset: Option<u64>,
    generation: Option<u64>,
    at_us: Option<u64>,
    ended: Option<bool>,
    acknowledged: Option<u64>,
}

impl Line {
    /// Reads a line of a run after its head, without its end; `None` if it is not such a line.
    pub fn parse(run: &str, line: &[u8]) -> Option<Self> {
        let fields: Fields<'_> = serde_json::from_slice(line).ok()?;
        if fields.run != run {
            return None;
        }
        match fields {
            Fields {
                writer: Some(writer),
                offset: Some(offset),
                generation: Some(generation),
                at_us: Some(at_us),
                ended: None,
                acknowledged: None,
                ..
            } => Some(Self::Ack(Ack { writer, offset, generation, at_us })),
            Fields { writer: None, ended: Some(true), acknowledged: Some(acknowledged), .. } => {
                Some(Self::Ended(acknowledged))
            }
            _ => None,
        }
    }

    /// The run that a line names, whatever else it says.
    pub fn run_of(line: &[u8]) -> Option<String> {
        let value: serde_json::Value = serde_json::from_slice(line).ok()?;
        Some(path_text::printable(value.get("run")?.as_str()?).into_owned())
    }
}
