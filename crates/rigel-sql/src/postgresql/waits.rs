//! What sessions wait for, according to a PostgreSQL server. Must not judge.

use postgres::{Client, Statement};

/// A function of the server that reads no table: its reads would be counted with the look-ups.
const ASK: &str = "select coalesce(wait_event_type || ':' || wait_event, 'CPU'), count(*) from pg_stat_get_activity(null) \
    where pid = any($1) and state = 'active' group by 1";

/// Lets the server read what it needs to answer, before anything is counted. `None` if it does not say.
pub fn prepare(client: &mut Client) -> Option<Statement> {
    let statement = client.prepare(ASK).ok()?;
    sample(client, &statement, &[])?;
    Some(statement)
}

/// How many of these sessions are in which state.
pub fn sample(client: &mut Client, statement: &Statement, processes: &[i32]) -> Option<Vec<(String, u64)>> {
    let rows = client.query(statement, &[&processes]).ok()?;
    Some(rows.iter().map(|row| (row.get(0), u64::try_from(row.get::<_, i64>(1)).unwrap_or(0))).collect())
}
