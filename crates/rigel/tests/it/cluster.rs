//! Databases whose load and space are known, as the documented queries for AWR give them.

use std::fmt::Write as _;

/// An instance of an Oracle database, and the share that it has of the load.
#[derive(Clone, Copy)]
pub struct Instance {
    pub host: &'static str,
    pub database: &'static str,
    /// Empty for a file that does not tell it.
    pub dbid: &'static str,
    pub number: u32,
    /// Minutes past the hour of its snapshots.
    pub minute: u32,
    /// Of 300 reads and 100 writes a second of 8 KiB in the office hours of the first days, which double within a year by a line.
    pub share: f64,
}

/// Both instances of PROD, at different minutes: 60 and 40 % of the load.
pub const PROD: [Instance; 2] = [
    Instance { host: "rac1", database: "PROD", dbid: "2718281828", number: 1, minute: 0, share: 0.6 },
    Instance { host: "rac2", database: "PROD", dbid: "2718281828", number: 2, minute: 7, share: 0.4 },
];
/// Another database, a quarter of that.
pub const DB7: Instance =
    Instance { host: "db7", database: "DB7", dbid: "1618033988", number: 1, minute: 30, share: 0.25 };

/// `2026-03-01 04:07:00` for the day of 2026 from 0 on.
fn local(day: u32, hour: u32, minute: u32) -> String {
    const DAYS: [u32; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let all = day + hour / 24;
    let (mut day, year) = (all % 365, 2026 + all / 365);
    let month = DAYS
        .iter()
        .take_while(|days| {
            day >= **days && {
                day -= **days;
                true
            }
        })
        .count();
    format!("{year}-{:02}-{:02} {:02}:{minute:02}:00", month + 1, day + 1, hour % 24)
}

/// Days of instances as the documented query for AWR gives them.
pub fn awr(instances: &[Instance], days: std::ops::Range<u32>) -> String {
    let mut text =
        String::from("HOST_NAME,DB_NAME,DBID,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n");
    for &Instance { host, database, dbid, number, minute, share } in instances {
        for (name, of) in [
            ("Physical Read Total IO Requests Per Sec", 300.0),
            ("Physical Write Total IO Requests Per Sec", 100.0),
            ("Physical Read Total Bytes Per Sec", 300.0 * 8192.0),
            ("Physical Write Total Bytes Per Sec", 100.0 * 8192.0),
        ] {
            for (day, hour) in days.clone().flat_map(|day| (0..24).map(move |hour| (day, hour))) {
                let busy = if (9..18).contains(&hour) { 1.0 } else { 0.3 };
                let rate = share * of * busy * (1.0 + f64::from(day) / 365.0);
                let (begin, end) = (local(day, hour, minute), local(day, hour + 1, minute));
                let _ = writeln!(text, "{host},{database},{dbid},{number},{begin},{end},{name},{rate:.2}");
            }
        }
    }
    text
}

/// Days of the space of a database, as the documented query gives them: `gib` on the first day, and a hundredth of it more each day.
pub fn space(of: Instance, days: u32, gib: f64) -> String {
    let mut text = String::from("HOST_NAME,DB_NAME,DBID,INSTANCE_NUMBER,SNAP_ID,SNAP_TIME,USED_BYTES\n");
    for day in 0..days {
        let bytes = gib * (1.0 + f64::from(day) / 100.0) * 1024.0_f64.powi(3);
        let Instance { host, database, dbid, number, .. } = of;
        let _ = writeln!(text, "{host},{database},{dbid},{number},{day},{},{bytes:.0}", local(day, 1, 0));
    }
    text
}
