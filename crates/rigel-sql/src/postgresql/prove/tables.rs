//! The tables of the experiment, in the schema `rigel`: one for the queries, and one that empties the server's own cache.
//!
//! Eight short rows lie in each block, because blocks are filled to a tenth only, and their keys are shuffled: a key leads to any place. Both are
//! removed afterwards. Must not touch an existing schema, except that of `calibrate_io()`.

use crate::postgresql::BLOCK_BYTES;
use crate::postgresql::database::Database;
use crate::postgresql::failure;
use crate::postgresql::table;
use crate::postgresql::table::standing::OpenTransaction;
use crate::prove::{Progress, ProofRequest, ProofStep, ended, shuffled};
use postgres::{Client, Transaction};
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows of a block: a tenth of it holds no more.
pub const ROWS_PER_BLOCK: u32 = 8;
const PAD_BYTES: usize = 59;
/// The other table has this many blocks for each of the server's own cache: a block that was used often leaves late.
const SWEEPS: u64 = 3;
/// An entry of an index has 20 bytes, and what is sorted for it as much; a block of a table has eight.
const TABLE_TO_INDEX: u64 = 16;
/// Reads every block of the other table in a way that takes the place of other blocks.
pub const SWEEP: &str = "select count(pad) from rigel.proof_sweep where k >= 0";
/// Unlogged, as what they hold would go to every replica and archive of the server otherwise.
const MAKE: &str = "create unlogged table rigel.proof (k int not null, pad text) using heap \
    with (fillfactor = 10, autovacuum_enabled = false); \
    create unlogged table rigel.proof_sweep (k int not null, pad text) using heap \
    with (fillfactor = 10, autovacuum_enabled = false); \
    alter table rigel.proof alter k set statistics 1000";
const FINISH: [&str; 4] = [
    "create index proof_k on rigel.proof (k)",
    "create index proof_sweep_k on rigel.proof_sweep (k)",
    "vacuum (freeze, analyze) rigel.proof",
    "vacuum (freeze, analyze) rigel.proof_sweep",
];
/// What a session needs for [`SWEEP`].
pub const SWEEPS_BY: &str = "set enable_seqscan = off; set enable_bitmapscan = off; set jit = off; set max_parallel_workers_per_gather = 0";
const AT_ONCE: usize = 1024;

/// Where the table is.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Rows of the table, with the keys from 0 on.
    pub rows: u32,
    /// Its first file.
    pub file: PathBuf,
    /// The first file of its index.
    pub index: PathBuf,
}

/// What is written in addition to the table of that size: the other table, and the indexes of both.
pub fn more_bytes(table_bytes: u64, shared_buffers: u64) -> u64 {
    let sweep = u64::from(sweep_blocks(shared_buffers)) * BLOCK_BYTES;
    sweep.saturating_add(table_bytes.saturating_add(sweep) / TABLE_TO_INDEX)
}

fn sweep_blocks(shared_buffers: u64) -> u32 {
    let blocks = shared_buffers.saturating_mul(SWEEPS) / BLOCK_BYTES;
    u32::try_from(blocks).unwrap_or(u32::MAX).min(u32::MAX / ROWS_PER_BLOCK)
}

/// Makes the schema and fills both tables: all of it, or nothing. Returns the number of rows.
pub fn fill(
    database: &mut Database,
    wanted: ProofRequest,
    progress: Progress<'_>,
    stop: &AtomicBool,
) -> Result<u32, Problem> {
    let rows = wanted.blocks.saturating_mul(ROWS_PER_BLOCK);
    let sweep = sweep_blocks(database.facts.shared_buffers) * ROWS_PER_BLOCK;
    let mut draw = Generator::new(wanted.seed, &[0]);
    let address = database.address.clone();
    let (client, creation) = database.for_making()?;
    let refused = |error| failure::statement("the tables cannot be created", &error);
    let mut transaction = client.transaction().map_err(refused)?;
    transaction.batch_execute(&format!("{creation} {MAKE}")).map_err(refused)?;
    let total = u64::from(rows) + u64::from(sweep);
    let mut done = 0;
    let mut fill = |name: &str, keys: Vec<u32>| {
        let standing = OpenTransaction::of(&mut transaction, &address)?;
        copy(&mut transaction, standing, name, &keys, &mut |more| {
            done += more;
            progress(
                ProofStep::Filling,
                done * BLOCK_BYTES / u64::from(ROWS_PER_BLOCK),
                total * BLOCK_BYTES / u64::from(ROWS_PER_BLOCK),
            );
            if stop.load(Ordering::Relaxed) { Err(ended()) } else { Ok(()) }
        })
    };
    fill("rigel.proof", shuffled((0..rows).collect(), &mut draw))?;
    fill("rigel.proof_sweep", (0..sweep).collect())?;
    transaction.commit().map_err(refused)?;
    Ok(rows)
}

/// Makes the indexes, and has the server know the tables.
pub fn finish(database: &mut Database, rows: u32) -> Result<Tables, Problem> {
    let directory = database.facts.directory.clone().unwrap_or_default();
    let client = &mut database.client;
    for statement in FINISH.into_iter().chain([SWEEPS_BY]) {
        client
            .batch_execute(statement)
            .map_err(|error| failure::statement("the tables cannot be created", &error))?;
    }
    // The user may have no right to it. What is not written by then is written when its files are made durable.
    let _ = client.batch_execute("checkpoint");
    Ok(Tables {
        rows,
        file: path(client, &directory, "rigel.proof")?,
        index: path(client, &directory, "rigel.proof_k")?,
    })
}

fn path(client: &mut Client, directory: &Path, name: &str) -> Result<PathBuf, Problem> {
    let asked = client.query_one("select pg_relation_filepath($1::text::regclass)", &[&name]);
    let row = asked.map_err(|error| failure::statement("the file of a table cannot be found", &error))?;
    Ok(directory.join(row.get::<_, String>(0)))
}

fn copy(
    transaction: &mut Transaction<'_>,
    mut standing: OpenTransaction,
    name: &str,
    keys: &[u32],
    heard: &mut dyn FnMut(u64) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let refused = |error: &postgres::Error| failure::statement("the tables cannot be filled", error);
    let statement = format!("copy {name} from stdin (format binary, freeze)");
    let mut server = transaction.copy_in(&statement).map_err(|error| refused(&error))?;
    let lost = |error: std::io::Error| match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(told) => refused(told),
        None => Problem::refused("the tables cannot be filled").because(error.to_string()),
    };
    server.write_all(table::BEGIN).map_err(lost)?;
    let mut bytes = Vec::new();
    for some in keys.chunks(AT_ONCE) {
        bytes.clear();
        some.iter().for_each(|key| put_row(&mut bytes, *key));
        server.write_all(&bytes).map_err(lost)?;
        if standing.is_over() {
            // The end of the rows is answered with what went wrong.
            break;
        }
        heard(some.len() as u64)?;
    }
    server.write_all(table::END).map_err(lost)?;
    server.finish().map(drop).map_err(|error| refused(&error))
}

/// A row in the binary form: the count of its fields, then each with its length.
fn put_row(bytes: &mut Vec<u8>, key: u32) {
    let pad = format!("{key:0>PAD_BYTES$}");
    bytes.extend_from_slice(&2_i16.to_be_bytes());
    bytes.extend_from_slice(&4_i32.to_be_bytes());
    bytes.extend_from_slice(&key.cast_signed().to_be_bytes());
    bytes.extend_from_slice(&i32::try_from(pad.len()).unwrap_or(i32::MAX).to_be_bytes());
    bytes.extend_from_slice(pad.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_rows_are_a_tenth_of_a_block() {
        let mut bytes = Vec::new();
        put_row(&mut bytes, 5);
        assert_eq!(bytes.len(), 2 + 4 + 4 + 4 + PAD_BYTES);
        assert!(bytes.ends_with(b"0005"));
        // The header of the row, the key, the pad with one byte of length; then an item in the block.
        let row = (24 + 4 + 1 + PAD_BYTES).next_multiple_of(8) + 4;
        let (free, rows) = (8192 * 9 / 10, ROWS_PER_BLOCK as usize);
        let left = |rows: usize| 8192 - 24 - rows * row;
        assert!(left(rows - 1) >= row + free && left(rows) < row + free, "{row}");
    }
}
