//! The file of each product, whole.

use super::{SERVER, calibrated, made, reads};
use rigel_core::units::{KIB, MIB};
use rigel_core::uses::advice::Product;

#[test]
fn postgresql_gets_what_its_version_knows() {
    insta::assert_snapshot!(made(&[reads()], Product::Postgresql, SERVER).unwrap(), @r"
    # PostgreSQL: advised by rigel from what these runs measured
    #   reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb
    # SLOW_NOISE: visits are alike, by rank correlation: visits to different points
    #   that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p 0.000,
    #   27 pairs); intervals may be too narrow

    random_page_cost = 13.7
    #   13.27 to 14.13 over the 95 % intervals. A random read of a page takes 128
    #     times as long as that of the next page (123.7 to 132.3). 90 % of random
    #     reads from caches is an assumption: give yours, as in --hit-rate 99%.
    #   hit rate 0 %: 16; hit rate 90 %: 13.7; hit rate 99 %: 2.27
    #   latency of a random read of 8 KiB, one outstanding: 100 us (98.32 to 101.7)
    #   one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
    #   https://www.postgresql.org/docs/current/runtime-config-query.html

    # io_method = io_uring
    #   Only for version 18 and later, so it is a comment (--server-version).
    #   5 reads or more in flight saturate the storage, and 4 I/O workers, the most
    #     that the CPUs of this host carry (io_workers), keep fewer; this host's
    #     kernel allowed io_uring to Rigel. A server that was built without io_uring
    #     does not start with it: SELECT enumvals FROM pg_settings WHERE name =
    #     'io_method' tells. Bitmap scans of cold tables were 1.4 to 1.7 times as
    #     fast by sync on 2 CPUs; rigel sql prove tells what is right for a server.
    #   random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
    #   https://www.postgresql.org/docs/current/runtime-config-resource.html

    # io_workers = 4
    #   Only for version 18 and later, so it is a comment (--server-version).
    #   A worker has one read in flight, so 5 of them saturate the storage; a worker
    #     that copies and checks what it read needs a CPU, so there are no more of
    #     them than CPUs: this host gives 4, and 32 workers are the most there may
    #     be; the CPUs are the bound here. Only with io_method = worker. Where
    #     queries wait for the storage, more than CPUs may be better: on 2 CPUs, 8
    #     to 16 workers read cold tables 1.4 to 3.2 times as fast as 2. rigel sql
    #     prove tells what is right for a server.
    #   random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
    #   https://www.postgresql.org/docs/current/runtime-config-resource.html

    # withheld: effective_io_concurrency, maintenance_io_concurrency: random reads
    #   of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it still rose at
    #   the most that was tried (NOT_SATURATED), so the storage may do more
    #   to have a value: search further
    #     rigel calibrate /dev/sdb --num-disks 16 --budget 5m

    # not measured: io_combine_limit: streams of two sizes from 128 KiB to 1 MiB or
    #   more have to be compared, and the records have less
    #   to have a value: measure one record for each size (128K, 256K, 512K), and
    #     name them all
    #     rigel calibrate /dev/sdb --size-large 128K
    ");
    let newer = made(&[reads()], Product::Postgresql, 18).unwrap();
    assert!(
        newer.contains("\n# io_workers = 4\n") && !newer.contains("\neffective_io_concurrency"),
        "{newer}"
    );
}

#[test]
fn mysql_gets_a_section_of_its_option_file() {
    let writes = calibrated("writes_20260101_1210", 100, 16 * KIB, MIB);
    insta::assert_snapshot!(made(&[reads(), writes], Product::Mysql, SERVER).unwrap(), @r"
    # MySQL and MariaDB (InnoDB): advised by rigel from what these runs measured
    #   reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb
    #   writes_20260101_1210, 2026-01-01T12:00:00+01:00, writes to /dev/sdb
    # SLOW_NOISE: visits are alike, by rank correlation: visits to different points
    #   that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p 0.000,
    #   27 pairs); intervals may be too narrow
    [mysqld]

    innodb_io_capacity = 20000
    #   Half of 49,162, the lower end of the interval: the other half is left to
    #     reads, to the log and to the doublewrite buffer. The manual has 100 as the
    #     least, and does not recommend more than 20,000.
    #   highest rate of random writes of 16 KiB: 50,000 IOPS (49,162 to 50,838)
    #   https://dev.mysql.com/doc/refman/8.4/en/innodb-configuring-io-capacity.html

    innodb_io_capacity_max = 49161
    #   49161 to 50838 over the 95 % intervals. The storage does not write more
    #     pages than 49,162 a second, the lower end of the interval: too high a
    #     value throws pages out of the buffer pool too early.
    #   highest rate of random writes of 16 KiB: 50,000 IOPS (49,162 to 50,838)
    #   https://dev.mysql.com/doc/refman/8.4/en/innodb-configuring-io-capacity.html

    innodb_flush_method = O_DIRECT
    #   Direct I/O works on the filesystem of the target: InnoDB caches pages
    #     itself, and a second copy in the page cache is wasted. MariaDB has it as
    #     default from 10.6 on, and under other names from 11.0 on
    #     (innodb_data_file_buffering).
    #   https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html

    # withheld: innodb_read_io_threads: random reads of 8 KiB that saturate, at
    #   least, 5 outstanding (5 to 5): it still rose at the most that was tried
    #   (NOT_SATURATED), so the storage may do more
    #   to have a value: search further
    #     rigel calibrate /dev/sdb --num-disks 16 --budget 5m
    ");
}

#[test]
fn oracle_gets_a_script_that_only_resets_by_itself() {
    insta::assert_snapshot!(made(&[reads()], Product::Oracle, SERVER).unwrap(), @r"
    SET DEFINE OFF
    -- Oracle Database: advised by rigel from what these runs measured
    --   reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb
    -- SLOW_NOISE: visits are alike, by rank correlation: visits to different points
    --   that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p
    --   0.000, 27 pairs); intervals may be too narrow

    -- What DBMS_RESOURCE_MANAGER.CALIBRATE_IO would have left in
    --   DBA_RSRC_IO_CALIBRATE:
    --   MAX_IOPS = 50000
    --   49162 to 50838 over the 95 % intervals. As CALIBRATE_IO has it: within a
    --     mean latency of 10 ms.
    --   random reads of 8 KiB within a mean latency of 10 ms: 50,000 IOPS (49,162
    --     to 50,838)
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html
    --   MAX_MBPS = 20000
    --   19665 to 20335 over the 95 % intervals. All streams together.
    --   highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html
    --   MAX_PMBPS = 10000
    --   9832 to 10168 over the 95 % intervals. One stream: what one process of a
    --     parallel query can have.
    --   one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html
    --   LATENCY = 0
    --   In whole milliseconds, as CALIBRATE_IO has it: less than half of one is 0.
    --   latency of these reads: 100 us (98.32 to 101.7)
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html
    --   NUM_PHYSICAL_DISKS = 1
    --   The number given with --num-disks, or that of the targets.
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html

    -- Optional, and not supported by Oracle, whose only way to fill that row is
    --   CALIBRATE_IO itself: what is practised instead, as SYS, before a restart of
    --   the instance. Take out the signs of comment to use it.
    -- DELETE FROM sys.resource_io_calibrate$;
    -- INSERT INTO sys.resource_io_calibrate$
    --   VALUES (CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 50000, 20000, 10000, 0, 1);
    -- COMMIT;

    -- db_file_multiblock_read_count: not set
    --   Left alone, Oracle reads 1 MiB at once, which gave 10,000 MBPS here, and
    --     counts with fewer blocks when it compares plans. A value would change
    --     both.
    --   one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
    --   https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DB_FILE_MULTIBLOCK_READ_COUNT.html
    BEGIN
      EXECUTE IMMEDIATE 'ALTER SYSTEM RESET db_file_multiblock_read_count SCOPE = SPFILE';
    EXCEPTION
      WHEN OTHERS THEN
        -- ORA-32010: it was not set.
        IF SQLCODE != -32010 THEN RAISE; END IF;
    END;
    /
    ");
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
    insta::assert_snapshot!(made(&all, Product::Seastar, SERVER).unwrap(), @r#"
    # Seastar and ScyllaDB (io_properties.yaml): advised by rigel from what these
    #   runs measured
    #   a, 2026-01-01T12:00:00+01:00, reads of /dev/sdb
    #   b, 2026-01-01T12:00:00+01:00, writes to /dev/sdb
    # SLOW_NOISE: visits are alike, by rank correlation: visits to different points
    #   that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p 0.000,
    #   27 pairs); intervals may be too narrow
    # mountpoint:
    #   Where the filesystem of the target is mounted.
    #   https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md
    # read_iops:
    #   49161 to 50838 over the 95 % intervals. The lower end of the interval: the
    #     scheduler would fill queues in the disk if it expected more than that.
    #   highest rate of random reads of 4 KiB: 50,000 IOPS (49,162 to 50,838)
    #   https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md
    # read_bandwidth:
    #   20619999992 to 21323040007 over the 95 % intervals. The lower end of the
    #     interval: the scheduler would fill queues in the disk if it expected more
    #     than that.
    #   highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
    #   https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md
    # write_iops:
    #   49161 to 50838 over the 95 % intervals. The lower end of the interval: the
    #     scheduler would fill queues in the disk if it expected more than that.
    #   highest rate of random writes of 4 KiB: 50,000 IOPS (49,162 to 50,838)
    #   https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md
    # write_bandwidth:
    #   20619999992 to 21323040007 over the 95 % intervals. The lower end of the
    #     interval: the scheduler would fill queues in the disk if it expected more
    #     than that.
    #   highest rate of streams of 1 MiB writes: 20,000 MBPS (19,665 to 20,335)
    #   https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md
    disks:
      - mountpoint: "/srv/data"
        read_iops: 49161
        read_bandwidth: 20619999992
        write_iops: 49161
        write_bandwidth: 20619999992
    "#);
}
