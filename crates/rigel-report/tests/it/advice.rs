//! Advice: the page, the document, and the file of each product, from runs whose answers are known.

mod files;

use crate::support::{Run, SPREAD};
use rigel_core::error::Problem;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;
use rigel_core::stats::Interval;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{KIB, MIB, Nanos};
use rigel_core::uses::advice::{Advised, Conditions, Product};
use rigel_core::witness::{Counts, Witness, WitnessSample};
use rigel_report::advice::{Advisory, document, file, page};
use rigel_report::{View, compare};
use serde_json::Value;

const SERVER: u32 = 15;

/// A calibration in which one small I/O takes 100 us, up to five side by side, and a stream has 10,000 I/Os per second.
fn calibrated(name: &str, write_percent: u8, small_bytes: u64, large_bytes: u64) -> Record {
    let mut record = Run::visited(RunLevel::Simple, &SPREAD).record;
    record.header.run_id = name.into();
    record.header.targets[0].mount_point = Some("/srv/data".into());
    let request = &mut record.header.request;
    request.set_large(Pattern::Streams { ios_per_stream: 4 });
    request.bound = Some(LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean });
    request.set_writes(WritePercent::new(write_percent).unwrap());
    request.set_size(Class::SMALL, small_bytes);
    request.set_size(Class::LARGE, large_bytes);
    for visit in &mut record.visits {
        visit.tallies.get_mut(&Class::SMALL).into_iter().for_each(|tally| tally.io_bytes = small_bytes);
        visit.tallies.get_mut(&Class::LARGE).into_iter().for_each(|tally| tally.io_bytes = large_bytes);
        let counts = Counts { moved: vec![None], ..Counts::default() };
        let samples = vec![WitnessSample { at_ns: visit.began_ns + 1, counts }];
        let devices = vec![(259, 0)];
        visit.nodes[0].witness = Some(Witness {
            period_ns: 100_000_000,
            cpus: None,
            devices,
            kernel_us: None,
            began_ns: visit.began_ns,
            samples,
        });
    }
    record
}

fn reads() -> Record {
    calibrated("reads_20260101_1200", 0, 8 * KIB, MIB)
}

fn explained(told: &Advisory<'_>) -> String {
    page(told, true)
}

/// What is made of records; findings may be changed before.
fn with<T>(records: &[Record], change: impl Fn(&mut View<'_>), made: impl Fn(&Advisory<'_>) -> T) -> T {
    let mut views: Vec<View<'_>> = records.iter().map(View::of).collect();
    views.iter_mut().for_each(change);
    let advised = Advised::of(&compare::runs(&views), Conditions::default(), None).unwrap();
    made(&Advisory { views: &views, advised: &advised })
}

fn made(records: &[Record], product: Product, server: u32) -> Result<String, Problem> {
    with(records, |_| {}, |told| file(told, product, server))
}

/// A figure in doubt: one read took between nothing and twice the time.
fn in_doubt(view: &mut View<'_>) {
    let io = view.findings.points[0].ios.get_mut(&Class::SMALL).unwrap();
    let mean = &mut io.latency_us.as_mut().unwrap().mean;
    mean.interval = mean.interval.map(|known| Interval { lo95: 0.0, hi95: 242.0, ..known });
}

#[test]
fn warnings_stand_above_the_tables() {
    insta::assert_snapshot!(with(&[reads()], in_doubt, |told| page(told, false)), @r"
    Advice from 1 run of one target
      reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb

    WITHHELD: what was measured is not good enough for these settings.
      random_page_cost (postgresql)
          latency of a random read of 8 KiB, one outstanding, 100 us (0 to 242): its
          95 % interval reaches 0, so that next to nothing is known of it
      To have them: measure longer, when nothing else runs
          rigel calibrate /dev/sdb --budget 5m
      effective_io_concurrency, maintenance_io_concurrency (postgresql);
      innodb_read_io_threads (mysql)
          random reads of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it
          still rose at the most that was tried (NOT_SATURATED), so the storage may
          do more
      To have them: search further
          rigel calibrate /dev/sdb --num-disks 16 --budget 5m

    CARE: these flags stand beside what the values below rest on.
      SLOW_NOISE: visits are alike, by rank correlation: visits to different points
          that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p
          0.000, 27 pairs); intervals may be too narrow

    PostgreSQL: --for postgresql
      setting                     value     range
      random_page_cost            withheld
      effective_io_concurrency    withheld
      maintenance_io_concurrency  withheld
      io_method                   io_uring         v18, comment
      io_workers                  4                v18, comment

    MySQL and MariaDB (InnoDB): --for mysql
      setting                 value     range
      innodb_read_io_threads  withheld
      innodb_flush_method     O_DIRECT

    Oracle Database: --for oracle
      setting                        value    range
      MAX_IOPS                       50000    49162 to 50838
      MAX_MBPS                       20000    19665 to 20335
      MAX_PMBPS                      10000    9832 to 10168
      LATENCY                        0
      NUM_PHYSICAL_DISKS             1
      db_file_multiblock_read_count  not set

    Linux cgroup, cost model of a disk (io.cost.model): --for cgroup
      setting  value        range
      device   259:0
      rbps     20971520000  20619999992 to 21323040008

    Linux cgroup, limits on a disk (io.max): --for cgroup-max
      setting  value        range
      device   259:0
      rbps     20619999992  20619999992 to 21323040007
      riops    49161        49161 to 50838

    Seastar and ScyllaDB (io_properties.yaml): --for seastar
      setting         value        range
      mountpoint      /srv/data
      read_bandwidth  20619999992  20619999992 to 21323040007

    Not measured (--for PRODUCT --explain gives the commands that measure them):
      postgresql  io_combine_limit
      mysql       innodb_io_capacity, innodb_io_capacity_max
      cgroup      rseqiops, rrandiops, wbps, wseqiops, wrandiops
      cgroup-max  wbps, wiops
      seastar     read_iops, write_iops, write_bandwidth

    range: what the value would be at the ends of the 95 % intervals behind it
    v18: from that version of the server on
    comment: stands in the file as a comment, because not every server takes or
      needs it
    withheld: it was measured, and is not good enough for a value
    not measured: no record has what the setting needs
    --explain shows how each value came about; with --for PRODUCT for one product.
    ");
}

#[test]
fn a_withheld_setting_is_a_comment_with_its_reason_and_the_command() {
    let file = with(&[reads()], in_doubt, |told| file(told, Product::Postgresql, 18)).unwrap();
    assert!(!file.lines().any(|line| line.starts_with("random_page_cost")), "{file}");
    assert!(file.contains("# withheld: random_page_cost: latency of a random read of 8 KiB"), "{file}");
    assert!(file.contains("\n#     rigel calibrate /dev/sdb --budget 5m\n"), "{file}");
    assert!(
        file.lines().all(|line| line.is_empty() || line.starts_with('#') || line.contains(" = ")),
        "{file}"
    );
    let json = with(&[reads()], in_doubt, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let cost = setting(&json, "random_page_cost");
    assert!(cost["value"].is_null() && cost["lo"].is_null() && cost["derivation"].is_null(), "{cost}");
    assert_eq!(cost["refused"]["kind"], "in_doubt");
    assert!(cost["refused"]["because"].as_str().unwrap().contains("100 us (0 to 242)"), "{cost}");
    assert_eq!(cost["refused"]["command"], "rigel calibrate /dev/sdb --budget 5m");
    assert_eq!(cost["measured"][0]["lo95"], 0.0);
}

/// A script for Oracle has no line that runs for what is withheld, and a file of nothing is none.
#[test]
fn where_all_is_withheld_nothing_is_set() {
    let disturbed = |view: &mut View<'_>| {
        let foreign = Flag::new(FlagCode::Foreign, "1 of 4 visits: others used 1.0 cores");
        view.findings.points.iter_mut().for_each(|found| found.flags.push(foreign.clone()));
    };
    let script = with(&[reads()], disturbed, |told| file(told, Product::Oracle, SERVER)).unwrap();
    assert!(!script.contains("ALTER SYSTEM") && !script.contains("INSERT"), "{script}");
    let problem = with(&[reads()], disturbed, |told| file(told, Product::Postgresql, SERVER)).unwrap_err();
    assert_eq!(problem.kind.code(), 1, "measured, and not good enough: {problem}");
    assert!(problem.to_string().contains("FOREIGN"), "{problem}");
}

#[test]
fn the_page_explains_every_setting() {
    insta::assert_snapshot!(with(&[reads()], |_| {}, explained), @r"
    Advice from 1 run of one target
      reads_20260101_1200, 2026-01-01T12:00:00+01:00, reads of /dev/sdb

    WITHHELD: what was measured is not good enough for these settings.
      effective_io_concurrency, maintenance_io_concurrency (postgresql);
      innodb_read_io_threads (mysql)
          random reads of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it
          still rose at the most that was tried (NOT_SATURATED), so the storage may
          do more
      To have them: search further
          rigel calibrate /dev/sdb --num-disks 16 --budget 5m

    CARE: these flags stand beside what the values below rest on.
      SLOW_NOISE: visits are alike, by rank correlation: visits to different points
          that begin 20.0 s apart 0.80 (p 0.000, 20 pairs), neighbours -0.89 (p
          0.000, 27 pairs); intervals may be too narrow

    PostgreSQL: --for postgresql
      setting                     value         range
      random_page_cost            13.7          13.27 to 14.13
      effective_io_concurrency    withheld
      maintenance_io_concurrency  withheld
      io_method                   io_uring                      v18, comment
      io_workers                  4                             v18, comment
      io_combine_limit            not measured
      A random read of a page takes 128 times as long as that of the next page
      (123.7 to 132.3). 90 % of random reads from caches is an assumption: give
      yours, as in --hit-rate 99%.
        hit rate 0 %   16
        hit rate 90 %  13.7  (13.27 to 14.13)
        hit rate 99 %  2.27  (2.23 to 2.31)

      random_page_cost = 13.7  (13.27 to 14.13)
          A random page takes 100 us, a page of one stream 0.781 us: 128 times as
          long. A page that a cache has costs the same at random as in sequence, so
          with a share h of hits the cost is 1 + (128 - 1) x (1 - h). h is 90 % (an
          assumption, nothing measured; give yours, as in --hit-rate 99%).
          seq_page_cost stays 1.
          - latency of a random read of 8 KiB, one outstanding: 100 us (98.32 to
            101.7)
          - one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
          https://www.postgresql.org/docs/current/runtime-config-query.html
      effective_io_concurrency: WITHHELD, not to be used: 5
          random reads of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it
          still rose at the most that was tried (NOT_SATURATED), so the storage may
          do more
          With 5 reads in flight the storage gives 95 % of its rate, more only wait.
          One session keeps so many in flight, up to version 17 for bitmap scans
          only; where many sessions read at once, less is enough. With version 18
          and its default of 3 I/O workers, 4 and 16 sessions read fastest with 0:
          rigel sql prove tells what is right for a server.
          - random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
      maintenance_io_concurrency: WITHHELD, not to be used: 5
          random reads of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it
          still rose at the most that was tried (NOT_SATURATED), so the storage may
          do more
          The same 5 for VACUUM, ANALYZE and recovery, whose sessions are few and
          read for all others.
          - random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
      io_method = io_uring
          5 reads or more in flight saturate the storage, and 4 I/O workers, the
          most that the CPUs of this host carry (io_workers), keep fewer; this
          host's kernel allowed io_uring to Rigel. A server that was built without
          io_uring does not start with it: SELECT enumvals FROM pg_settings WHERE
          name = 'io_method' tells. Bitmap scans of cold tables were 1.4 to 1.7
          times as fast by sync on 2 CPUs; rigel sql prove tells what is right for a
          server.
          - random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
      io_workers = 4
          A worker has one read in flight, so 5 of them saturate the storage; a
          worker that copies and checks what it read needs a CPU, so there are no
          more of them than CPUs: this host gives 4, and 32 workers are the most
          there may be; the CPUs are the bound here. Only with io_method = worker.
          Where queries wait for the storage, more than CPUs may be better: on 2
          CPUs, 8 to 16 workers read cold tables 1.4 to 3.2 times as fast as 2.
          rigel sql prove tells what is right for a server.
          - random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
      io_combine_limit: not measured
          streams of two sizes from 128 KiB to 1 MiB or more have to be compared,
          and the records have less
          measure one record for each size (128K, 256K, 512K), and name them all
          rigel calibrate /dev/sdb --size-large 128K
          https://www.postgresql.org/docs/current/runtime-config-resource.html

    MySQL and MariaDB (InnoDB): --for mysql
      setting                 value         range
      innodb_io_capacity      not measured
      innodb_io_capacity_max  not measured
      innodb_read_io_threads  withheld
      innodb_flush_method     O_DIRECT

      innodb_io_capacity: not measured
          it bounds the writes of pages of 16 KiB, and no record has the rate of
          random writes of that size
          measure writes, on a scratch file of that filesystem
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100 --size-small 16K
      innodb_io_capacity_max: not measured
          it bounds the writes of pages of 16 KiB, and no record has the rate of
          random writes of that size
          measure writes, on a scratch file of that filesystem
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100 --size-small 16K
          https://dev.mysql.com/doc/refman/8.4/en/innodb-configuring-io-capacity.html
      innodb_read_io_threads: WITHHELD, not to be used: 4
          random reads of 8 KiB that saturate, at least, 5 outstanding (5 to 5): it
          still rose at the most that was tried (NOT_SATURATED), so the storage may
          do more
          5 reads in flight saturate the storage; the manual sees a use for more
          threads from 64 pending reads a thread on. A thread reaps native
          asynchronous I/O, so more of them add nothing to what the storage can do,
          and no more than the 4 CPUs of this host could run. MySQL 8.4 has half as
          many as CPUs by default, 4 at least: 4 here, which this would not raise.
          - random reads of 8 KiB that saturate, at least: 5 outstanding (5 to 5)
          https://dev.mysql.com/doc/refman/8.4/en/innodb-performance-multiple_io_threads.html
      innodb_flush_method = O_DIRECT
          Direct I/O works on the filesystem of the target: InnoDB caches pages
          itself, and a second copy in the page cache is wasted. MariaDB has it as
          default from 10.6 on, and under other names from 11.0 on
          (innodb_data_file_buffering).
          https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html

    Oracle Database: --for oracle
      setting                        value    range
      MAX_IOPS                       50000    49162 to 50838
      MAX_MBPS                       20000    19665 to 20335
      MAX_PMBPS                      10000    9832 to 10168
      LATENCY                        0
      NUM_PHYSICAL_DISKS             1
      db_file_multiblock_read_count  not set

      MAX_IOPS = 50000  (49162 to 50838)
          As CALIBRATE_IO has it: within a mean latency of 10 ms.
          - random reads of 8 KiB within a mean latency of 10 ms: 50,000 IOPS
            (49,162 to 50,838)
      MAX_MBPS = 20000  (19665 to 20335)
          All streams together.
          - highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
      MAX_PMBPS = 10000  (9832 to 10168)
          One stream: what one process of a parallel query can have.
          - one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
      LATENCY = 0
          In whole milliseconds, as CALIBRATE_IO has it: less than half of one is 0.
          - latency of these reads: 100 us (98.32 to 101.7)
      NUM_PHYSICAL_DISKS = 1
          The number given with --num-disks, or that of the targets.
          https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DBA_RSRC_IO_CALIBRATE.html
      db_file_multiblock_read_count = not set
          Left alone, Oracle reads 1 MiB at once, which gave 10,000 MBPS here, and
          counts with fewer blocks when it compares plans. A value would change
          both.
          - one stream of 1 MiB reads: 10,000 MBPS (9,832 to 10,168)
          https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/DB_FILE_MULTIBLOCK_READ_COUNT.html

    Linux cgroup, cost model of a disk (io.cost.model): --for cgroup
      setting    value         range
      device     259:0
      rbps       20971520000   20619999992 to 21323040008
      rseqiops   not measured
      rrandiops  not measured
      wbps       not measured
      wseqiops   not measured
      wrandiops  not measured

      device = 259:0
          The lowest device that moves every byte of the target once: its disk,
          where it is a partition or a volume on one.
      rbps = 20971520000  (20619999992 to 21323040008)
          The kernel scales the model to what the disk does, so the middle counts.
          - highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
      rseqiops: not measured
          no record has streams of reads of 4 KiB
          measure it
          rigel calibrate /dev/sdb --size-small 4K --size-large 4K
      rrandiops: not measured
          no record has random reads of 4 KiB
          measure it
          rigel calibrate /dev/sdb --size-small 4K
      wbps: not measured
          no record has streams of writes
          measure it on a scratch file of that disk
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100 --size-small 4K
      wseqiops: not measured
          no record has streams of writes of 4 KiB
          measure it on a scratch file of that disk
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100 --size-small 4K --size-large 4K
      wrandiops: not measured
          no record has random writes of 4 KiB
          measure it on a scratch file of that disk
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100 --size-small 4K
          https://docs.kernel.org/admin-guide/cgroup-v2.html

    Linux cgroup, limits on a disk (io.max): --for cgroup-max
      setting  value         range
      device   259:0
      rbps     20619999992   20619999992 to 21323040007
      riops    49161         49161 to 50838
      wbps     not measured
      wiops    not measured

      device = 259:0
          The lowest device that moves every byte of the target once: its disk,
          where it is a partition or a volume on one.
      rbps = 20619999992  (20619999992 to 21323040007)
          All that the disk does, at the lower end of the interval: a cgroup that
          may have a share of it gets that share of this number.
          - highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
      riops = 49161  (49161 to 50838)
          All that the disk does, at the lower end of the interval: a cgroup that
          may have a share of it gets that share of this number.
          - highest rate of random reads of 8 KiB: 50,000 IOPS (49,162 to 50,838)
      wbps: not measured
          no record has streams of writes
          measure it on a scratch file of that disk
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100
      wiops: not measured
          no record has random writes of up to 16 KiB
          measure it on a scratch file of that disk
          in the directory that was measured:
          cd /dev && rigel calibrate --write 100
          https://docs.kernel.org/admin-guide/cgroup-v2.html

    Seastar and ScyllaDB (io_properties.yaml): --for seastar
      setting          value         range
      mountpoint       /srv/data
      read_iops        not measured
      read_bandwidth   20619999992   20619999992 to 21323040007
      write_iops       not measured
      write_bandwidth  not measured

      mountpoint = /srv/data
          Where the filesystem of the target is mounted.
      read_iops: not measured
          it takes a record of random reads of 4 KiB and streams of reads
          measure them on a scratch file there, and name all records
          in the directory that was measured:
          cd /dev && rigel calibrate --size-small 4K
      read_bandwidth = 20619999992  (20619999992 to 21323040007)
          The lower end of the interval: the scheduler would fill queues in the disk
          if it expected more than that.
          - highest rate of streams of 1 MiB reads: 20,000 MBPS (19,665 to 20,335)
      write_iops: not measured
          it takes a record of random writes of 4 KiB and streams of writes
          measure them on a scratch file there, and name all records
          in the directory that was measured:
          cd /dev && rigel calibrate --size-small 4K --write 100
      write_bandwidth: not measured
          it takes a record of random writes of 4 KiB and streams of writes
          measure them on a scratch file there, and name all records
          in the directory that was measured:
          cd /dev && rigel calibrate --size-small 4K --write 100
          https://github.com/scylladb/seastar/blob/master/doc/io-properties-file.md

    range: what the value would be at the ends of the 95 % intervals behind it
    v18: from that version of the server on
    comment: stands in the file as a comment, because not every server takes or
      needs it
    withheld: it was measured, and is not good enough for a value
    not measured: no record has what the setting needs
    ");
}

#[test]
fn half_a_file_is_refused_with_what_to_measure() {
    for product in [Product::Seastar, Product::Cgroup] {
        let problem = made(&[reads()], product, SERVER).unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        let told = problem.to_string();
        assert!(told.contains("--write 100") && told.contains("--size-small 4K"), "{told}");
        assert!(told.contains(&format!("--for {}", product.name())), "{told}");
    }
    let mut nowhere = reads();
    nowhere.visits.iter_mut().for_each(|visit| visit.nodes[0].witness = None);
    let problem = made(&[nowhere], Product::CgroupMax, SERVER).unwrap_err();
    assert!(problem.to_string().contains("does not tell which disk"), "{problem}");
}

#[test]
fn the_level_of_a_search_is_used() {
    let mut run = Run::searched(RunLevel::Simple);
    run.rounds(&SPREAD);
    let records = [run.record];
    let file = made(&records, Product::Postgresql, SERVER).unwrap();
    assert!(file.contains("\neffective_io_concurrency = 8\n"), "{file}");
    let newer = made(&records, Product::Postgresql, 18).unwrap();
    let comment =
        "\n# effective_io_concurrency = 8\n#   Not confirmed for versions after 17, so it is a comment";
    assert!(newer.contains(comment), "{newer}");
    let json = with(&records, |_| {}, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    let found = setting(&json, "effective_io_concurrency");
    assert_eq!(found["until"].as_u64(), Some(17));
    assert_eq!((found["value"].as_str(), found["measured"][0]["mean"].as_f64()), (Some("8"), Some(8.0)));
}

fn setting<'a>(json: &'a Value, name: &str) -> &'a Value {
    json["advice"].as_array().unwrap().iter().find(|advice| advice["setting"] == name).unwrap()
}

#[test]
fn the_document_holds_values_figures_and_refusals() {
    let json = with(&[reads()], |_| {}, document).unwrap();
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!((json["schema"].as_str(), json["simulated"].as_bool()), (Some("rigel.advice/1"), Some(false)));
    assert_eq!(json["runs"][0]["name"], "reads_20260101_1200");
    let cost = setting(&json, "random_page_cost");
    // 100 us against 8 KiB of 10,000 MBPS, 0.78 us: 128 times; a tenth of what is more than 1.
    let value: f64 = cost["value"].as_str().unwrap().parse().unwrap();
    assert!((value / 13.7 - 1.0).abs() < 0.01, "{cost}");
    let others = cost["otherwise"].as_array().unwrap();
    assert_eq!(
        (others.len(), others[0]["when"].as_str(), others[0]["value"].as_str()),
        (3, Some("hit rate 0 %"), Some("16"))
    );
    let end = |name: &str| cost[name].as_str().unwrap().parse::<f64>().unwrap();
    assert!(end("lo") < value && value < end("hi"), "{cost}");
    assert_eq!(cost["measured"].as_array().unwrap().len(), 2);
    assert_eq!(cost["measured"][0]["run"], "reads_20260101_1200");
    assert!(cost["refused"].is_null() && cost["source"].as_str().unwrap().starts_with("https://"));
    let capacity = setting(&json, "innodb_io_capacity");
    assert!(capacity["value"].is_null() && capacity["derivation"].is_null(), "{capacity}");
    assert!(capacity["refused"]["command"].as_str().unwrap().contains("--write 100"), "{capacity}");
}

#[test]
fn a_simulated_device_and_flags_are_told_everywhere() {
    let flags = |view: &mut View<'_>| {
        view.findings.flags.push(Flag::new(FlagCode::Simulated, "engine sim: no storage was touched"));
        view.findings.flags.push(Flag::new(FlagCode::SlowNoise, "visits are alike"));
    };
    let all = [Product::Postgresql, Product::Oracle, Product::Mysql];
    let files = all.map(|product| with(&[reads()], flags, |told| file(told, product, SERVER)).unwrap());
    for text in files.into_iter().chain([with(&[reads()], flags, explained)]) {
        assert!(text.contains("SIMULATED: no storage was touched"), "{text}");
        assert!(text.contains("SLOW_NOISE: visits are alike"), "{text}");
    }
}

/// The kernel takes a line without comments, so what they would say goes elsewhere.
#[test]
fn what_a_line_of_the_kernel_cannot_say_is_told_beside_it() {
    let flags = |view: &mut View<'_>| {
        view.findings.flags.push(Flag::new(FlagCode::Simulated, "engine sim: no storage was touched"));
        view.findings.flags.push(Flag::new(FlagCode::NotSaturated, "it may be\nmore"));
    };
    let mut cut = reads();
    cut.closing = None;
    let told = with(&[cut], flags, |told| Product::ALL.map(|product| told.beside(product)));
    let [postgresql, mysql, oracle, model, limits, seastar] = told;
    assert!([postgresql, mysql, oracle, seastar].concat().is_empty(), "they have comments");
    for parts in [
        vec!["SIMULATED: no storage was touched"],
        vec!["was not measured to its end"],
        vec!["NOT_SATURATED: it may be\\x0amore"],
        vec!["wbps is not measured", "--write 100"],
    ] {
        for notes in [&model, &limits] {
            let has = |note: &String| parts.iter().all(|part| note.contains(part));
            assert!(notes.iter().any(has), "{parts:?} in {notes:?}");
        }
    }
}

#[test]
fn pages_fit_80_columns_but_for_addresses_and_commands() {
    let writes = calibrated("writes_20260101_1210", 100, 16 * KIB, MIB);
    let text = with(&[reads(), writes], in_doubt, explained);
    let is_whole = |line: &&str| line.contains("https://") || line.contains("rigel calibrate");
    for line in text.lines().filter(|line| !is_whole(line)) {
        assert!(line.chars().count() <= 80, "{line}\n{text}");
    }
}

#[test]
fn a_name_cannot_steer_a_terminal_or_leave_a_comment() {
    let name = "x\nfsync = off\r\u{1b}[2J\u{202e}";
    let mut hostile = reads();
    hostile.header.run_id = name.into();
    hostile.header.started = name.into();
    hostile.header.targets[0].path = name.into();
    let flag = |view: &mut View<'_>| view.findings.flags.push(Flag::new(FlagCode::SlowNoise, name));
    let records = [hostile];
    let mut texts = vec![with(&records, flag, explained)];
    for product in [Product::Postgresql, Product::Mysql, Product::Oracle] {
        texts.push(with(&records, flag, |told| file(told, product, SERVER)).unwrap());
    }
    for text in texts {
        assert!(!text.contains(['\r', '\u{1b}', '\u{202e}']), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("fsync")), "{text}");
    }
    let json = String::from_utf8(with(&records, flag, document).unwrap()).unwrap();
    assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json}");
}
