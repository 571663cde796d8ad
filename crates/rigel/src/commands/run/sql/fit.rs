//! How a query load fits the server and its table: the sessions that it allows, parts of the table that are long enough.
//!
//! Must not change anything on the server.

use super::reach;
use crate::args::{RunOptions, ServerSource};
use rigel_core::error::Problem;
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::load::sql;
use rigel_core::load::task::Task;
use rigel_core::units::Bytes;
use rigel_sql::server::Words;

/// Connections that stay free: for the one that watches, for counters, and for a session that is just about to end.
const SPARE_CONNECTIONS: u32 = 3;

/// The same run with as many users as an existing server has room for; `None` if that is all of them, or the number was given.
pub fn to_server(options: &RunOptions, source: &ServerSource) -> Result<Option<RunOptions>, Problem> {
    let (Some(share), Some(dsn)) = (source.users, &source.dsn) else { return Ok(None) };
    let free = reach(source.product, dsn)?.open(0)?.facts().free_connections;
    let most = users_beside(free);
    if most == 0 || most >= super::sessions(&options.request) {
        return Ok(None);
    }
    let mut options = options.clone();
    options.notes.push(format!(
        "up to {most} users: the server has {free} free connections, and Rigel uses at most half; set more with --sessions"
    ));
    fit(&mut options.request, most, share);
    Ok(Some(options))
}

/// This many users take no more than half of the free connections.
const fn users_beside(free: u32) -> u32 {
    let (half, rest) = (free / 2, free.saturating_sub(SPARE_CONNECTIONS));
    if half < rest { half } else { rest }
}

/// The load of users up to this number, that percentage of which makes reports.
fn fit(request: &mut Request, most: u32, share: u8) {
    let points = sql::shared(&sql::users(most), share);
    request.classes.retain(|class| points.iter().any(|point| point.of(class.name) > 0));
    let mut named = Vec::new();
    match request.classes.as_mut_slice() {
        // Few users may have no reports among them, though the usual ones do.
        [class] => {
            class.levels = points.iter().map(|point| point.of(class.name)).collect();
        }
        _ => named = points,
    }
    if let Task::Load { points, .. } = &mut request.task {
        *points = named;
    }
}

/// Refuses a table that has no separate part for each session with reports.
pub fn check_reports(request: &Request, table_bytes: u64) -> Result<(), Problem> {
    let Some(report) = request.class(Class::REPORT) else { return Ok(()) };
    let block_bytes = request.product().block_bytes();
    let sessions = request.most_of_own().of(Class::REPORT).max(1);
    let [_, part] = request.table_parts(u32::try_from(table_bytes / block_bytes).unwrap_or(u32::MAX));
    let own = u64::from((part.end - part.start) / sessions) * block_bytes;
    if own >= report.io_bytes() && report.io_bytes() >= block_bytes {
        return Ok(());
    }
    let halves = if request.class(Class::SIMPLE).is_some() { 2 } else { 1 };
    let least = (report.io_bytes() + block_bytes).saturating_mul(u64::from(sessions)).saturating_mul(halves);
    Err(Problem::usage(format!(
        "a table of {} is too small for {sessions} sessions with reports",
        Bytes(table_bytes)
    ))
    .at("--size")
    .because(format!("each has its own part of the table, and a report reads {}", Bytes(report.io_bytes())))
    .next(format!("give {} or more, fewer sessions, or a smaller --report-size", Bytes(least))))
}

/// What to know about a table that caches may hold.
pub fn in_caches(table_bytes: u64, cache_bytes: u64) -> Option<String> {
    (table_bytes <= cache_bytes).then(|| {
        format!(
            "the table of {} is no larger than the caches below it ({}): they may answer look-ups without a \
            read, and above 1 % the numbers are flagged UNVERIFIED",
            Bytes(table_bytes),
            Bytes(cache_bytes)
        )
    })
}

/// Why the table of a private server is as large as that.
pub fn for_all_memory(words: &Words, table_bytes: u64) -> String {
    format!(
        "the table has {}, four times this host's memory, because no control group limits the server's \
        caching (that takes root, or a group that this user may write to); {}, and \
        --size sets another size",
        Bytes(table_bytes),
        words.small_cache
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::matrix::RunLevel;
    use rigel_core::load::pace::Pace;

    #[test]
    fn users_leave_half_of_the_free_connections_and_three_at_least() {
        let found = [0, 3, 4, 5, 6, 7, 97].map(users_beside);
        assert_eq!(found, [0, 0, 1, 2, 3, 3, 48]);
    }

    #[test]
    fn users_that_are_fewer_have_no_points_but_their_own() {
        let fitted = |most| {
            let mut request = Request {
                classes: vec![sql::simple(sql::Product::Postgresql, Vec::new()), sql::reports(8 << 20)],
                ..Request::of(Task::named(RunLevel::Sql, sql::shared(&sql::users(500), 10), Pace::ORION))
            };
            fit(&mut request, most, 10);
            request.check().unwrap();
            request
        };
        let both = fitted(48);
        assert_eq!((both.classes.len(), both.points().as_slice()), (2, &*sql::shared(&sql::users(48), 10)));
        // A tenth of 3 users is none.
        let few = fitted(3);
        assert_eq!((few.classes.len(), super::super::sessions(&few)), (1, 3));
        assert_eq!((few.classes[0].levels.as_slice(), few.points().as_slice()), (&[1, 2, 3][..], &[][..]));
    }
}
