//! Which sizes the table of `rigel sql` may have. Must not look at a disk.

use rigel_core::error::Problem;
use rigel_core::load::sql::Product;
use rigel_core::units::{Bytes, MIB};

/// A smaller table is read before anything is measured.
const LEAST_SIZE: u64 = MIB;
/// Places of rows have 32 bits, and one value means no place.
const MOST_BLOCKS: u64 = u32::MAX as u64 - 1;

/// Refuses a size that no table has.
///
/// # Errors
/// With what to give instead.
pub fn check(product: Product, size: Option<Bytes>) -> Result<(), Problem> {
    let Some(size) = size else { return Ok(()) };
    let block = product.block_bytes();
    if (LEAST_SIZE..=MOST_BLOCKS * block).contains(&size.0) {
        return Ok(());
    }
    Err(Problem::usage(format!("a table of {size} cannot be made"))
        .at("--size")
        .because(format!(
            "a table has at most 2^32 blocks of {}, and a very small one is in every cache",
            Bytes(block)
        ))
        .next(format!("give {} to {}, such as 10G", Bytes(LEAST_SIZE), Bytes(MOST_BLOCKS * block))))
}
