//! The volumes of a class whose I/Os have several sizes: one for each size, so each I/O lies at a multiple of its own.
//!
//! Must not know classes.

use super::{Volume, VolumeError};

/// Sizes, each with its share and the volume that its I/Os are drawn from.
#[derive(Clone, Debug)]
pub struct SizedVolumes(Vec<SizedVolume>);

#[derive(Clone, Debug)]
struct SizedVolume {
    /// Sum of the shares of this size and the preceding ones, in per cent.
    upto: u64,
    bytes: u32,
    volume: Volume,
}

impl SizedVolumes {
    /// Volumes for sizes with their shares in per cent, 100 in total; `volume` makes the volume of a size.
    ///
    /// # Errors
    /// When a size has no volume.
    pub fn new(
        sizes: &[(u64, u8)],
        volume: impl Fn(u64) -> Result<Volume, VolumeError>,
    ) -> Result<Self, VolumeError> {
        let mut upto = 0;
        let sized = |&(bytes, share): &(u64, u8)| {
            upto += u64::from(share);
            // Checked to be far below 4 GiB.
            Ok(SizedVolume { upto, bytes: u32::try_from(bytes).unwrap_or(u32::MAX), volume: volume(bytes)? })
        };
        sizes.iter().map(sized).collect::<Result<_, _>>().map(Self)
    }

    /// The size at this percentage of the shares: its bytes and its volume.
    #[inline]
    pub fn at_share(&self, drawn: u64) -> (u32, &Volume) {
        let sized = self.0.iter().find(|sized| drawn < sized.upto).unwrap_or(&self.0[0]);
        (sized.bytes, &sized.volume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::draw::Generator;
    use crate::load::workload::Layout;

    #[test]
    fn sizes_come_by_their_shares_each_at_multiples_of_itself() {
        let volume = |bytes| Volume::new(&[1 << 20], bytes, Layout::Concat);
        let sizes = SizedVolumes::new(&[(8192, 80), (65_536, 20)], volume).unwrap();
        let mut generator = Generator::new(1, &[]);
        let mut large = 0_u32;
        for _ in 0..10_000 {
            let (bytes, volume) = sizes.at_share(generator.below(100));
            let place = volume.place(generator.below(volume.chunks()));
            assert!(
                place.offset.is_multiple_of(u64::from(bytes)) && place.offset + u64::from(bytes) <= 1 << 20
            );
            large += u32::from(bytes == 65_536);
        }
        // 2000 are expected, with a standard deviation of 40.
        assert!((1840..=2160).contains(&large), "{large}");
        assert!(SizedVolumes::new(&[(8192, 80), (1 << 21, 20)], volume).is_err(), "none that fits");
    }
}
