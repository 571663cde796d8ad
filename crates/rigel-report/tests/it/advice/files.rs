//! The file of each product: what it sets, and the figures behind that.

use super::{SERVER, calibrated, made, reads};
use crate::support::in_this_order;
use rigel_core::units::{KIB, MIB};
use rigel_uses::advice::Product;

/// The lines that set something, and those that would if they were no comments.
fn settings(file: &str) -> Vec<&str> {
    let is_one = |line: &&str| {
        let name = line.strip_prefix("# ").unwrap_or(line).split_once(" = ").map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    file.lines().filter(is_one).collect()
}

/// A file as one line, without the signs of comments.
fn flat(file: &str) -> String {
    let words = file.lines().flat_map(|line| line.trim_start_matches(['#', '-']).split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn postgresql_gets_what_its_version_knows() {
    let file = made(&[reads()], Product::Postgresql, SERVER).unwrap();
    let lines = ["random_page_cost = 13.7", "# io_method = io_uring", "# io_workers = 4"];
    assert_eq!(settings(&file), lines);
    in_this_order(
        &flat(&file),
        &[
            " reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb SLOW_NOISE: ",
            " random_page_cost = 13.7 13.27 to 14.13 over ",
            " 128 times ",
            "(123.7 to 132.3)",
            " hit rate 0 %: 16; hit rate 90 %: 13.7; hit rate 99 %: 2.27 ",
            " 100 us (98.32 to 101.7) ",
            " 10,000 MBPS (9,832 to 10,168) https://",
            " io_method = io_uring Only for version 18 ",
            " 5 outstanding (5 to 5) https://",
            " io_workers = 4 Only for version 18 ",
            " withheld: effective_io_concurrency, maintenance_io_concurrency: ",
            " rigel calibrate /dev/sdb --num-disks 16 --for 5m ",
            "not measured: io_combine_limit: ",
            " rigel calibrate /dev/sdb --size-large 128K",
        ],
    );
    let newer = made(&[reads()], Product::Postgresql, 18).unwrap();
    assert_eq!(settings(&newer), lines, "not every server has them");
    assert!(!newer.contains("Only for version"), "{newer}");
}

#[test]
fn mysql_gets_a_section_of_its_option_file() {
    let writes = calibrated("writes_20260101_1210", 100, 16 * KIB, MIB);
    let file = made(&[reads(), writes], Product::Mysql, SERVER).unwrap();
    let lines = [
        "# innodb_io_capacity = 20000",
        "# innodb_io_capacity_max = 49161",
        "innodb_flush_method = O_DIRECT",
    ];
    assert_eq!(settings(&file), lines, "no experiment confirms the others on every version");
    assert_eq!(file.lines().find(|line| !line.starts_with('#')), Some("[mysqld]"), "{file}");
    in_this_order(
        &flat(&file),
        &[
            " reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb ",
            "writes_20260101_1210, 2026-01-01T12:00:00+01:00, writes to /dev/sdb SLOW_NOISE: ",
            " innodb_io_capacity = 20000 Not confirmed on every version, so it is a comment. ",
            " 49,162,",
            " 50,000 IOPS (49,162 to 50,838) https://",
            " innodb_io_capacity_max = 49161 Not confirmed on every version, so it is a comment. 49161 to 50838 over ",
            " 49,162 ",
            " 50,000 IOPS (49,162 to 50,838) https://",
            " innodb_flush_method = O_DIRECT ",
            " withheld: innodb_read_io_threads: ",
            " rigel calibrate /dev/sdb --num-disks 16 --for 5m",
        ],
    );
}

#[test]
fn oracle_gets_a_script_that_only_resets_by_itself() {
    let script = made(&[reads()], Product::Oracle, SERVER).unwrap();
    let run: Vec<&str> = script.lines().filter(|line| !line.is_empty() && !line.starts_with("--")).collect();
    assert_eq!(
        run,
        [
            "SET DEFINE OFF",
            "BEGIN",
            "  EXECUTE IMMEDIATE 'ALTER SYSTEM RESET db_file_multiblock_read_count SCOPE = SPFILE';",
            "EXCEPTION",
            "  WHEN OTHERS THEN",
            "    -- ORA-32010: it was not set.",
            "    IF SQLCODE != -32010 THEN RAISE; END IF;",
            "END;",
            "/",
        ]
    );
    in_this_order(
        &flat(&script),
        &[
            " reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb SLOW_NOISE: ",
            " MAX_IOPS = 50000 49162 to 50838 over ",
            " 50,000 IOPS (49,162 to 50,838) https://",
            " MAX_MBPS = 20000 19665 to 20335 over ",
            " 20,000 MBPS (19,665 to 20,335) https://",
            " MAX_PMBPS = 10000 9832 to 10168 over ",
            " 10,000 MBPS (9,832 to 10,168) https://",
            " LATENCY = 0 ",
            " 100 us (98.32 to 101.7) https://",
            " NUM_PHYSICAL_DISKS = 1 ",
            " DELETE FROM sys.resource_io_calibrate$; INSERT INTO sys.resource_io_calibrate$ ",
            "VALUES (CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 50000, 20000, 10000, 0, 1); COMMIT; ",
            "db_file_multiblock_read_count: not set ",
            " 10,000 MBPS (9,832 to 10,168) https://",
            " BEGIN ",
        ],
    );
}

#[test]
fn no_name_makes_a_script_of_oracle_ask() {
    let mut named = reads();
    named.header.targets[0].path = "/mnt/r&d".into();
    let script = made(&[named], Product::Oracle, SERVER).unwrap();
    let (before, _) = script.split_once("/mnt/r&d").unwrap();
    assert!(before.starts_with("SET DEFINE OFF\n") && !before.contains('&'), "{script}");
}

#[test]
fn the_kernel_gets_one_line() {
    let all = [
        calibrated("a", 0, 4 * KIB, MIB),
        calibrated("b", 0, 4 * KIB, 4 * KIB),
        calibrated("c", 100, 4 * KIB, MIB),
        calibrated("d", 100, 4 * KIB, 4 * KIB),
    ];
    let model = made(&all, Product::Cgroup, SERVER).unwrap();
    assert_eq!(
        model,
        "259:0 ctrl=user model=linear rbps=20971520000 rseqiops=20000 rrandiops=50000 wbps=20971520000 wseqiops=20000 wrandiops=50000\n"
    );
    // 2^20 bytes of each; the lower ends.
    let limits = made(&all[2..3], Product::CgroupMax, SERVER).unwrap();
    assert_eq!(limits, "259:0 wbps=20619999992 wiops=49161\n");
}

#[test]
fn seastar_gets_a_list_of_one_disk() {
    let all = [calibrated("a", 0, 4 * KIB, MIB), calibrated("b", 100, 4 * KIB, MIB)];
    let file = made(&all, Product::Seastar, SERVER).unwrap();
    let disks = file.find("disks:\n").unwrap();
    let (above, list) = file.split_at(disks);
    assert_eq!(
        list.lines().collect::<Vec<_>>(),
        [
            "disks:",
            "  - mountpoint: \"/srv/data\"",
            "    read_iops: 49161",
            "    read_bandwidth: 20619999992",
            "    write_iops: 49161",
            "    write_bandwidth: 20619999992",
        ]
    );
    assert!(above.lines().all(|line| line.starts_with('#')), "{file}");
    let [ios, bytes] = [" 50,000 IOPS (49,162 to 50,838) ", " 20,000 MBPS (19,665 to 20,335) "];
    in_this_order(
        &flat(above),
        &[
            " a, 2026-01-01T12:00:00+01:00, reads of /dev/sdb ",
            "b, 2026-01-01T12:00:00+01:00, writes to /dev/sdb SLOW_NOISE: ",
            " mountpoint: ",
            " read_iops: 49161 to 50838 over ",
            ios,
            " read_bandwidth: 20619999992 to 21323040007 over ",
            bytes,
            " write_iops: 49161 to 50838 over ",
            ios,
            " write_bandwidth: 20619999992 to 21323040007 over ",
            bytes,
        ],
    );
}
