//! `rigel sql users` on a server that is there: as many sessions as it has room for beside others, and no more.

use crate::sql::{place, refused, visits};
use crate::support::{Place, ProgramOutput, tell};
use rigel_testdev::{MissingNeed, PostgresDatabase, PostgresServer, needs};
use serde_json::Value;
use std::process::{Child, Stdio};

/// Of 20 connections, 5 are those of superusers.
const FEW: &str = "max_connections = 20\nsuperuser_reserved_connections = 5\n";

fn users(place: &Place, dsn: &str, more: &[&str]) -> ProgramOutput {
    let line =
        ["sql", "users", "--dsn", dsn, "--create-in", "postgres", "--size", "16M", "--duration", "300ms"];
    tell(place.command().args(line).args(more).arg("--no-html"))
}

/// Others who are connected, until they are killed.
fn others(server: &PostgresServer, count: usize) -> Vec<Child> {
    let mut sleeping = server.client("postgres", "postgres");
    sleeping.args(["-c", "select pg_sleep(600)"]).stdout(Stdio::null()).stderr(Stdio::null());
    let all = (0..count).map(|_| sleeping.spawn().unwrap()).collect();
    let there = "select count(*) from pg_stat_activity where query = 'select pg_sleep(600)'";
    assert_eq!(server.ask_until(there, |found| found == count.to_string()), count.to_string());
    all
}

fn sessions(visits: &[Value]) -> Vec<u64> {
    visits.iter().map(|visit| visit["point"]["simple"].as_u64().unwrap()).collect()
}

#[test]
fn users_take_half_of_the_connections_that_are_free() {
    let name = "users_take_half_of_the_connections_that_are_free";
    let Some(server) = needs(name, PostgresServer::start(FEW)) else { return };
    let dsn = server.dsn();
    // Nothing is made for sessions that nobody gets: not those of superusers, whose name the connection has.
    let told = users(&place(), &dsn, &["--sessions", "15"]);
    refused(
        told,
        3,
        &["too few connections", "15 are free, but 15 sessions and one monitoring session are needed"],
    );
    assert_eq!(server.ask("select count(*) from pg_namespace where nspname = 'rigel'").unwrap(), "0");
    let first = place();
    let told = users(&first, &dsn, &[]);
    assert!([0, 1].contains(&told.code), "{}", told.stderr);
    let note = "up to 7 users: the server has 15 free connections, and Rigel uses at most half";
    assert!(told.stderr.contains(note), "{}", told.stderr);
    let mut all = sessions(&visits(&first, "sql"));
    all.sort_unstable();
    assert_eq!(all, [1, 2, 4, 7]);
    // Six are taken by others: 9 are free.
    let mut six = others(&server, 6);
    let second = place();
    let told = users(&second, &dsn, &[]);
    assert!(told.stderr.contains("up to 4 users: the server has 9 free connections"), "{}", told.stderr);
    // Most roles do not see of what kind the sessions of others are.
    server.ask("create role plain login").unwrap();
    let plain = dsn.replace("user=postgres", "user=plain");
    let told = users(&place(), &plain, &["--dry-run"]);
    assert!(told.stderr.contains("up to 4 users: the server has 9 free connections"), "{}", told.stderr);
    let told = users(&place(), &dsn, &["--sessions", "9"]);
    refused(
        told,
        3,
        &["9 are free, but 9 sessions and one monitoring session are needed", "max_connections"],
    );
    for other in &mut six {
        other.kill().unwrap();
        other.wait().unwrap();
    }
    assert_eq!(sessions(&visits(&second, "sql")).into_iter().max(), Some(4));
}

/// The roles for which version 16 and later keep some, too.
#[test]
fn connections_that_are_reserved_for_roles_stay_free() {
    let name = "connections_that_are_reserved_for_roles_stay_free";
    let reserved = format!("{FEW}reserved_connections = 4\n");
    let needed = PostgresDatabase::create().and_then(|database| {
        let number = database.ask("select current_setting('server_version_num')::int / 10000").unwrap();
        if number.parse::<u32>().unwrap() >= 16 {
            PostgresServer::start(&reserved)
        } else {
            Err(MissingNeed::new("PostgreSQL 16 or later".to_owned()))
        }
    });
    let Some(server) = needs(name, needed) else { return };
    let told = users(&place(), &server.dsn(), &["--dry-run"]);
    assert!(told.stderr.contains("the server has 11 free connections"), "{}", told.stderr);
}
