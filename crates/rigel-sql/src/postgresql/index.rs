//! The index of the table, for look-ups through a b-tree: created only if a run asks for it.
//!
//! Its key is the number of the row, which is that of its block. Must not choose which rows are looked up.

use crate::postgresql::BLOCK_BYTES;
use crate::postgresql::database::Database;
use crate::postgresql::failure;
use crate::postgresql::plan;
use crate::query::Query;
use crate::table::Table;
use postgres::{Client, Statement};
use rigel_core::error::Problem;
use rigel_core::load::sql::Probe;

/// The index, with its schema.
pub const NAME: &str = "rigel.big_id";
/// The statement that makes it.
pub const MAKE: &str = "create unique index big_id on rigel.big (id)";
/// The one that removes it.
pub const REMOVE: &str = "drop index rigel.big_id";
/// Its size, if it belongs to the table and is complete.
const SIZE: &str = "select pg_relation_size(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid \
    where i.indrelid = 'rigel.big'::regclass and c.relname = 'big_id' and i.indisvalid";
/// Rows between two look-ups so that every leaf is read: a leaf built from sorted rows has more.
const WITHIN_LEAF: usize = 256;
/// An index with more leaves takes too long to read beforehand, and hardly any server keeps all of it.
const MOST_LEAVES: u32 = 4096;
/// Look-ups of a statement.
const AT_ONCE: usize = 100;

/// Its blocks; `None` if there is none.
pub fn look(client: &mut Client) -> Result<Option<u32>, postgres::Error> {
    let size = client.query_opt(SIZE, &[])?.map(|row| u64::try_from(row.get::<_, i64>(0)).unwrap_or(0));
    Ok(size.map(|bytes| u32::try_from(bytes / BLOCK_BYTES).unwrap_or(u32::MAX)))
}

/// Looks up rows that have these blocks; returns how many were found.
pub fn look_up(client: &mut Client, statement: &Statement, blocks: &[u32]) -> Result<i64, postgres::Error> {
    let ids: Vec<i32> = blocks.iter().map(|block| block.cast_signed()).collect();
    client.query_one(statement, &[&ids]).map(|row| row.get(0))
}

/// Lets the server read the whole index, if its own cache may keep it: otherwise the first visits would read it and later ones would not.
///
/// # Errors
/// When the server does not answer as it should.
pub fn warm(database: &mut Database, table: &Table) -> Result<(), Problem> {
    let kept = database.facts.shared_buffers / 2;
    let fits = |leaves: &u32| *leaves <= MOST_LEAVES && u64::from(*leaves) * BLOCK_BYTES <= kept;
    if table.index_blocks.is_none_or(|leaves| !fits(&leaves)) {
        return Ok(());
    }
    let refused = |error| failure::statement("the index cannot be read", &error);
    let client = &mut database.client;
    let statement = client.prepare(&plan::statement(Query::LookUp(Probe::Index))).map_err(refused)?;
    let rows: Vec<u32> = (0..table.blocks).step_by(WITHIN_LEAF).collect();
    for some in rows.chunks(AT_ONCE) {
        look_up(client, &statement, some).map_err(refused)?;
    }
    Ok(())
}
