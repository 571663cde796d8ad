//! Columns of Oracle's views under the names that queries of other people give them.
//!
//! Must not read a row.

/// Our name of a column, and the columns that replace it if it is missing.
type Synonyms = (&'static str, &'static [&'static str]);

const OF_ALL: [Synonyms; 3] = [
    ("host_name", &["host"]),
    ("db_name", &["database_name", "dbname"]),
    ("instance_number", &["inst_id", "instance_num", "inst_num"]),
];
/// `DBA_HIST_SYSMETRIC_SUMMARY`, and the histories of metrics in memory and on disk.
const OF_MEANS: [Synonyms; 3] = [
    ("average", &["avg", "average_value", "avg_value", "value"]),
    ("begin_time", &["begin_interval_time"]),
    ("end_time", &["end_interval_time"]),
];
/// `DBA_HIST_SYSSTAT` with `DBA_HIST_SNAPSHOT`: a value is that at the end of its interval.
const OF_COUNTERS: [Synonyms; 2] = [
    ("name", &["stat_name", "statistic_name"]),
    ("snap_time", &["end_interval_time", "snapshot_time", "end_time"]),
];

/// The names of columns as they are called here, of those that a file has.
pub fn ours(mut names: Vec<String>) -> Vec<String> {
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    let rows: &[Synonyms] = if has(&names, "metric_name") {
        &OF_MEANS
    } else if has(&names, "value") || has(&names, "used_bytes") {
        &OF_COUNTERS
    } else {
        return names;
    };
    for (ours, others) in OF_ALL.iter().chain(rows) {
        if has(&names, ours) {
            continue;
        }
        let other = others.iter().find_map(|other| names.iter().position(|known| known == other));
        if let Some(at) = other {
            (*ours).clone_into(&mut names[at]);
        }
    }
    names
}

/// The column without which rows of AWR cannot be read, if the file has the others.
pub fn missing(names: &[String]) -> Option<&'static str> {
    let has = |name: &str| names.iter().any(|known| known == name);
    let is_of_counters = has("name") && (has("snap_id") || has("startup_time") || has("begin_interval_time"));
    if has("metric_name") && !has("average") {
        Some("AVERAGE")
    } else if is_of_counters && has("value") && !has("snap_time") {
        Some("SNAP_TIME or END_INTERVAL_TIME")
    } else if has("snap_time") && has("stat_name") && !has("value") {
        Some("VALUE")
    } else if has("snap_time") && has("db_name") && names.iter().any(|name| name.starts_with("used_")) {
        Some("USED_BYTES")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::field::utc;
    use super::super::super::tests::{read, try_read};

    #[test]
    fn views_of_oracle_are_read_as_other_queries_name_their_columns() {
        let means = |names: &str| {
            format!(
                "{names}\n1,db1,PROD,2026-06-13 08:00:00,2026-06-13 09:00:00,Redo Writes Per Sec,10.5\n\
                 1,db1,PROD,2026-06-13 09:00:00,2026-06-13 10:00:00,Redo Writes Per Sec,20.5\n"
            )
        };
        let same = read(
            means("INSTANCE_NUMBER,HOST_NAME,DB_NAME,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE").as_bytes(),
            utc(),
        );
        assert_eq!(same.0.values, 2);
        for names in [
            "inst_id,host,database_name,begin_time,end_time,metric_name,value",
            "INSTANCE_NUMBER,HOST_NAME,DB_NAME,BEGIN_INTERVAL_TIME,END_INTERVAL_TIME,METRIC_NAME,AVG",
        ] {
            assert_eq!(read(means(names).as_bytes(), utc()), same, "{names}");
        }
        let counters = |names: &str| {
            format!(
                "{names}\ndb1,PROD,1,2026-06-13 08:00:00,2026-06-01 00:00:00,redo writes,1000\n\
                 db1,PROD,1,2026-06-13 09:00:00,2026-06-01 00:00:00,redo writes,37000\n"
            )
        };
        let same = read(
            counters("HOST_NAME,DB_NAME,INSTANCE_NUMBER,SNAP_TIME,STARTUP_TIME,NAME,VALUE").as_bytes(),
            utc(),
        );
        assert_eq!(same.0.values, 1);
        let other = "HOST_NAME,DB_NAME,INSTANCE_NUMBER,END_INTERVAL_TIME,STARTUP_TIME,STAT_NAME,VALUE";
        assert_eq!(read(counters(other).as_bytes(), utc()), same);
        let told = |text: String| try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
        for (text, lacks) in [
            (means("INST_ID,HOST_NAME,DB_NAME,BEGIN_TIME,END_TIME,METRIC_NAME,MAXVAL"), "AVERAGE"),
            (
                counters(
                    "HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_INTERVAL_TIME,STARTUP_TIME,STAT_NAME,VALUE",
                ),
                "SNAP_TIME or END_INTERVAL_TIME",
            ),
        ] {
            let told = told(text);
            assert!(
                told.contains(&format!("has no column {lacks}"))
                    && told.contains("query in the documentation"),
                "{told}"
            );
        }
        let told = told(means("INSTANCE_NUMBER,HOST_NAME,DB_NAME,SNAP_ID,END_TIME,METRIC_NAME,AVERAGE"));
        assert!(told.contains("there is no column BEGIN_TIME"), "{told}");
    }
}
