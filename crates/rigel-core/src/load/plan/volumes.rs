//! The volumes that the I/Os of each class are drawn from.
//!
//! Must not draw.

use super::log;
use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{LoadClass, Sizes};
use crate::load::log::Regions;
use crate::load::request::Request;
use crate::load::volume::{SizedVolumes, Volume};
use crate::load::workload::Layout;

/// See [`volumes`]. A class whose I/O fits into no target has no volume; the plan makes sure that it is idle.
#[derive(Clone, Debug)]
pub struct Volumes {
    /// For random I/O and warm-up; of a class of several sizes that of the largest.
    pub random: Option<Volume>,
    /// For random I/O of several sizes.
    pub sized: Option<SizedVolumes>,
    /// For streams.
    pub streams: Option<Volume>,
    /// For the writers of a log.
    pub log: Option<Regions>,
}

/// The volumes of the classes, in their order. Random I/O uses every chunk of every target, or of the part of it that the
/// class has, whatever the layout; streams walk the layout.
///
/// # Errors
/// When no I/O fits; a plan excludes that.
pub fn volumes(request: &Request, targets: &[TargetFacts]) -> Result<Vec<Volumes>, Problem> {
    let sizes: Vec<u64> = targets.iter().map(|target| target.size_bytes).collect();
    let of_class = |class: &LoadClass| {
        let volume = |bytes, layout| Volume::within(&sizes, class.span, bytes, layout);
        let streams = class.streams().then(|| volume(class.io_bytes(), request.layout)).transpose();
        let streams = streams.map_err(|error| Problem::usage(error.to_string()))?;
        let sized = match &class.sizes {
            Sizes::Mixed(sizes) => SizedVolumes::new(sizes, |bytes| volume(bytes, Layout::Concat)).ok(),
            Sizes::Fixed(_) | Sizes::None => None,
        };
        let log = log::regions(request, class, targets)?;
        Ok(Volumes { random: volume(class.io_bytes(), Layout::Concat).ok(), sized, streams, log })
    };
    request.classes.iter().map(of_class).collect()
}
