//! `cargo xtask long`: tests of the suite at a size that is too much for every change.
//!
//! The tests are those of `cargo test`; variables make them larger. Must not hold a test.

use crate::cargo::cargo;
use anyhow::Context as _;
use std::path::Path;

/// How often the real binary is killed.
const KILLS: &str = "250";
/// The variable that extends the tests, and which tests they are.
const TESTS: [(&str, &str, &str); 22] = [
    ("RIGEL_KILLS", KILLS, "resume::killed_at_any_moment_it_ends_as_if_it_had_not_been"),
    ("RIGEL_SQL_KILLS", "50", "sql_kills::a_run_killed_at_any_moment_leaves_nothing"),
    (
        "RIGEL_SOAK_SECONDS",
        "3600",
        "soak::faults_of_all_classes_at_random_times_are_found_and_no_other_and_memory_stays",
    ),
    ("RIGEL_BESIDE_SECONDS", "30", "clock::soak_beside::others_hardly_feel_it"),
    ("RIGEL_SOAK_KILLS", "400", "soak::killed_again_and_again_it_accuses_nobody"),
    ("RIGEL_POWER_CUTS", "200", "durability::a_cache_that_keeps_what_it_flushed_is_never_accused"),
    ("RIGEL_POWER_CUTS", "200", "durability::a_cache_that_lies_about_flushes_is_found_every_time"),
    ("RIGEL_EVERY_BYTE", "1", "output_faults::the_disk_is_full_at_every_byte"),
    ("RIGEL_DD_ROUNDS", "12", "clock::dd_agreement::on_real_storage_rigel_and_dd_agree"),
    ("RIGEL_COMMIT_ROUNDS", "12", "clock::commit_agreement::on_real_storage_all_tools_agree"),
    ("RIGEL_SAME_RUNS", "40", "clock::versus::the_same_disk_twice_has_no_difference"),
    ("RIGEL_VERSUS_SECONDS", "60", "clock::versus::two_devices_whose_service_differs_by_a_tenth"),
    ("RIGEL_VERSUS_SECONDS", "60", "clock::versus::two_caps_a_twentieth_apart"),
    ("RIGEL_OPEN_SECONDS", "60", "clock::open_known::a_device_has_the_latency_of_the_formula_at_every_load"),
    ("RIGEL_REPLAY_SECONDS", "900", "capacity_replay::on_a_real_device_iostat_sees_what_the_source_did"),
    ("RIGEL_SQL_ROUNDS", "6", "clock::sql_agreement::on_real_storage_rigel_sql_and_pgbench_agree"),
    ("RIGEL_SQL_ROUNDS", "6", "clock::sql_agreement::a_table_is_filled_at_half_the_rate_of_copy_or_faster"),
    ("RIGEL_SQL_SECONDS", "180", "clock::beside_known::a_capped_disk_is_seen_by_both_ways"),
    ("RIGEL_SQL_SECONDS", "180", "clock::beside_known::the_law_of_a_device_is_seen_by_both_ways"),
    ("RIGEL_STALL_SECONDS", "20", "stalls::a_freeze_is_told_with_its_length_in_every_engine"),
    ("RIGEL_STALL_SECONDS", "20", "stalls::a_freeze_is_told_with_its_length_by_every_kind_of_run"),
    ("RIGEL_IMPORT_WEEKS", "52", "capacity_year::a_year_of_minutes_of_50_disks_is_imported_within_a_minute"),
];

/// Tests with many nodes.
const OF_NODES: [(&str, &str, &str); 2] = [
    ("RIGEL_SKEW_SECONDS", "25", "figures::what_it_costs_to_begin_together"),
    ("RIGEL_CAP_SECONDS", "10", "figures::the_rates_of_capped_devices_add_up"),
];

/// Tests on devices whose answer is known.
const OF_DEVICES: [(&str, &str, &str); 5] = [
    ("RIGEL_EVERY_LEVEL", "1", "a_cap_of_777_iops_is_found_at_every_level"),
    ("RIGEL_EVERY_LEVEL", "1", "a_cap_of_12345_iops_is_found_at_every_level"),
    ("RIGEL_EVERY_LEVEL", "1", "a_cap_of_200_mib_per_second_is_found_at_every_level"),
    ("RIGEL_EVERY_LEVEL", "1", "two_caps_a_twentieth_apart_are_told_apart"),
    ("RIGEL_EVERY_LEVEL", "1", "three_and_eight_and_sixteen_stations_are_found"),
];

/// Tests on targets with data.
const OF_TARGETS: [(&str, &str, &str); 1] =
    [("RIGEL_EVERY_ATTEMPT", "1", "every_byte_of_every_target_survives")];

/// Tests that need a release build, because the program's own cost matters.
const OF_RELEASE: [&str; 3] = ["RIGEL_SQL_ROUNDS", "RIGEL_IMPORT_WEEKS", "RIGEL_SKEW_SECONDS"];

/// Runs each; whether all passed.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let mut good = true;
    let all = TESTS.iter().map(|one| (["rigel", "it"], one));
    let of_devices = OF_DEVICES.iter().map(|one| (["rigel", "known_answers"], one));
    let of_nodes = OF_NODES.iter().map(|one| (["rigel-mpi", "mpi"], one));
    let of_targets = OF_TARGETS.iter().map(|one| (["rigel", "corpus"], one));
    for ([package, suite], (variable, value, test)) in all.chain(of_devices).chain(of_nodes).chain(of_targets)
    {
        println!("long: {variable}={value} {test}");
        let of = |more: &str| {
            let profile = if OF_RELEASE.contains(variable) { "release" } else { "dev" };
            let build = ["test", "--locked", "--profile", profile, "-p", package, "--test", suite];
            cargo(root, &[&build[..], &[test, "--", "--exact", more]].concat())
        };
        let listed = of("--list").output().context("cannot start cargo")?;
        let known = String::from_utf8_lossy(&listed.stdout).contains(&format!("{test}: test"));
        anyhow::ensure!(known, "there is no test {test}");
        good &= of("--nocapture").env(variable, value).status()?.success();
    }
    Ok(good)
}
