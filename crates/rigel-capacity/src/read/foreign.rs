//! Files of other tools, which people who look for the load of a disk have as well: what they are, and what can be read in their place.
//!
//! Must not read samples.

/// Lines that are checked.
const MOST_LINES: usize = 40;

/// How a kind is recognised.
enum Sign {
    /// The file begins so, whether in capitals or not.
    Begin(&'static str),
    /// One of its first lines contains all of these.
    Line(&'static [&'static str]),
    /// The first bytes have all of these.
    All(&'static [&'static str]),
}

/// What it is, and what to do.
type Kind = (&'static [Sign], &'static str, &'static str);

const IOSTAT: &str = "record it with: S_TIME_FORMAT=ISO iostat -x -t -o JSON 60";
const SADF: &str = "create it again: sadf -j FILE -- -b -d";
const QUERY: &str =
    "save the answer of the data source: Prometheus's /api/v1/query_range, or the cloud's command line";
const CSV: &str =
    "export the rows as CSV: SET MARKUP CSV ON QUOTE ON in SQL*Plus, SET SQLFORMAT CSV in SQLcl";
const QUERIES: &str =
    "query DBA_HIST_SYSMETRIC_SUMMARY or DBA_HIST_SYSSTAT: docs/reference/capacity.md has the queries";
const OTHER_OS: &str = "of iostat, only that of Linux is read; nmon is read on AIX, too";
const OTHER_SAR: &str = "of sar, only that of Linux is read";
const WINDOWS: &str = "query the counters of Linux hosts; for SQL Server there is no reader";

const KINDS: [Kind; 35] = [
    (
        &[
            Sign::All(&["MIME-Version:", "quoted-printable"]),
            Sign::All(&["MIME-Version:", "multipart/related"]),
        ],
        "it is a web page that a browser saved as MHT, with line breaks within its numbers",
        "save the page as HTML only, or use the file that awrrpt.sql wrote",
    ),
    (
        &[Sign::Begin("#group,"), Sign::Begin("#datatype,"), Sign::Line(&[",result,table,"])],
        "it is annotated CSV of InfluxDB",
        IOSTAT,
    ),
    (&[Sign::Begin("diskio,")], "it is the line protocol of InfluxDB, as Telegraf writes it", IOSTAT),
    (
        &[Sign::All(&["\"frames\"", "\"schema\""])],
        "it is an answer that Grafana made from that of its data source",
        QUERY,
    ),
    (&[Sign::Begin("Time,\"disk.")], "it is CSV of pmrep (PCP)", IOSTAT),
    (
        &[Sign::Line(&["(PDH-CSV", "vmhba"]), Sign::Line(&["(PDH-CSV", "Physical Disk Adapter"])],
        "it is CSV of esxtop",
        IOSTAT,
    ),
    (&[Sign::Line(&["(PDH-CSV"])], "it is CSV of the Performance Monitor of Windows", WINDOWS),
    (
        &[Sign::Line(&["Dstat ", " CSV output"])],
        "it is CSV of dstat, which rounds and does not name its zone",
        IOSTAT,
    ),
    (&[Sign::Begin("ATOP - "), Sign::All(&["RESET\n", "\nSEP\n"])], "it comes from atop", IOSTAT),
    (
        &[Sign::Line(&["swpd", "free", "buff", "cache"])],
        "it comes from vmstat, which counts the host's blocks but no operations",
        IOSTAT,
    ),
    (&[Sign::Line(&["asvc_t", "%b"]), Sign::Line(&["svc_t", "%b"])], "it is iostat of Solaris", OTHER_OS),
    (
        &[Sign::Line(&["ms/r", "qlen"]), Sign::Line(&["kr/s", "svc_t", "qlen"])],
        "it is iostat of FreeBSD",
        OTHER_OS,
    ),
    (&[Sign::Line(&["System configuration:", "lcpu="])], "it is iostat or vmstat of AIX", OTHER_OS),
    (&[Sign::Begin("SunOS ")], "it is sar of Solaris", OTHER_SAR),
    (&[Sign::Begin("HP-UX ")], "it is sar of HP-UX", OTHER_SAR),
    (
        &[Sign::All(&["# Collectl:", "\n>>> "])],
        "it is a raw file of collectl",
        "let collectl convert it: collectl -p FILE -sD -P -f DIRECTORY",
    ),
    (&[Sign::Line(&["capacity", "operations", "bandwidth"])], "it is zpool iostat of ZFS", IOSTAT),
    (
        &[Sign::All(&["\"njmon_"]), Sign::All(&["\"nimon_"])],
        "it is JSON of njmon",
        "record it with nmon -f, or iostat",
    ),
    (&[Sign::All(&["compute.googleapis.com/"])], "it is an answer of Google Cloud Monitoring", IOSTAT),
    (&[Sign::All(&["<!DOCTYPE sysstat"])], "it is XML of sadf -x", SADF),
    (
        &[Sign::All(&["<!DOCTYPE svg"]), Sign::Begin("<svg")],
        "it is a picture (SVG), as sadf -g draws it",
        SADF,
    ),
    (
        &[Sign::Line(&["; major;", "; DEV;"]), Sign::Line(&["; tps;", "; rtps;"])],
        "it is the raw data of sadf -r",
        SADF,
    ),
    (
        &[Sign::Begin("System activity data file:")],
        "it is what sadf -H says of a file, without its data",
        SADF,
    ),
    (
        &[Sign::Line(&["UID", "PID", "Command"]), Sign::Line(&["Total DISK READ"])],
        "it comes from pidstat or iotop, which report processes, not disks",
        IOSTAT,
    ),
    (&[Sign::Begin("Insert into "), Sign::Begin("REM INSERTING into")], "it is SQL that inserts rows", CSV),
    (&[Sign::All(&["\"results\"", "\"columns\"", "\"items\""])], "it is JSON of SQLcl", CSV),
    (&[Sign::All(&["<RESULTS>", "<COLUMN NAME="])], "it is XML of SQL Developer or SQLcl", CSV),
    (&[Sign::Begin("LOAD DATA")], "it is a control file of SQL*Loader with rows", CSV),
    (&[Sign::All(&["EXPORT:V"])], "it is a dump of Oracle's exp or expdp", QUERIES),
    (
        &[
            Sign::Line(&["SNAP_ID", "PHYRDS"]),
            Sign::Line(&["SNAP_ID", "FUNCTION_NAME"]),
            Sign::Line(&["SNAP_ID", "FILETYPE_NAME"]),
            Sign::Line(&["SNAP_ID", "EVENT_NAME"]),
            Sign::Line(&["SNAP_ID", "SQL_ID"]),
        ],
        "it is an AWR view that Rigel does not read: of files, functions, events or statements",
        QUERIES,
    ),
    (
        &[
            Sign::Line(&["Datapoints:"]),
            Sign::Line(&["MetricDataResults:"]),
            Sign::Begin("DATAPOINTS\t"),
            Sign::Begin("METRICDATARESULTS\t"),
            Sign::Line(&["|", "GetMetric"]),
        ],
        "aws wrote it as YAML, text or a table",
        "ask again with --output json",
    ),
    (
        &[Sign::Line(&["} =>"]), Sign::Line(&[" @[1"])],
        "it is what promtool query prints",
        "save the answer of /api/v1/query_range",
    ),
    (&[Sign::Begin("-[ RECORD ")], "it is the expanded output of psql (\\x)", "ask again with psql --csv"),
    (
        &[Sign::Begin("\"Time\",\""), Sign::Begin("\"Time\",")],
        "it is CSV of a chart, as Grafana and the portal of Azure export it: its columns are plotted \
         values, not counters",
        QUERY,
    ),
    (
        &[Sign::Begin("<html"), Sign::Begin("<!doctype html")],
        "it is an HTML page that awrrpt.sql did not write: a table of SQL*Plus, a Performance Hub or \
         another report",
        "create a report with awrrpt.sql; SQL*Plus writes tables as CSV after SET MARKUP CSV ON QUOTE ON",
    ),
];
/// The last of these may be the page of a report that is read; the others are never.
const PAGES: usize = 1;

/// Columns of `/proc/diskstats` at least, and the place of the name among them.
const DISKSTATS: (usize, usize) = (14, 2);

/// What a file with this beginning is, and what to do; `None` for one that may be read.
pub fn cause(head: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some(found) = is_of_carriage_returns(head) {
        return Some(found);
    }
    // A log of several tools has a table of disks among others.
    let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
    if has(b"\nDevice") || has(b" DEV ") {
        return None;
    }
    of(&KINDS[..KINDS.len() - PAGES], head).or_else(|| is_diskstats(head))
}

/// The same for a page that is not a report.
pub fn page(head: &[u8]) -> Option<(&'static str, &'static str)> {
    of(&KINDS[KINDS.len() - PAGES..], head)
}

fn of(kinds: &[Kind], head: &[u8]) -> Option<(&'static str, &'static str)> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let has = |bytes: &[u8], word: &&str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let is_it = |sign: &Sign| match sign {
        Sign::Begin(begin) => {
            head.get(..begin.len()).is_some_and(|part| part.eq_ignore_ascii_case(begin.as_bytes()))
        }
        Sign::Line(words) => {
            let mut lines = head.split(|&byte| byte == b'\n').take(MOST_LINES);
            lines.any(|line| words.iter().all(|word| has(line, word)))
        }
        Sign::All(words) => words.iter().all(|word| has(head, word)),
    };
    let (_, cause, next) = kinds.iter().find(|(signs, ..)| signs.iter().any(is_it))?;
    Some((cause, next))
}

fn is_diskstats(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let line = str::from_utf8(head.split(|&byte| byte == b'\n').next()?).ok()?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |(at, word): (usize, &&str)| at == DISKSTATS.1 || word.parse::<u64>().is_ok();
    let is_it = words.len() >= DISKSTATS.0
        && words[DISKSTATS.1].starts_with(|sign: char| sign.is_ascii_alphabetic())
        && words.iter().enumerate().all(is_number);
    is_it.then_some((
        "it is /proc/diskstats, whose counters have no time",
        "record this host: rigel capacity record",
    ))
}

/// Line ends of old Macs, which make one long line for others.
fn is_of_carriage_returns(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let returns = head.iter().filter(|byte| **byte == b'\r').count();
    (returns > 2 && !head.contains(&b'\n'))
        .then_some(("its lines end with carriage returns alone", "change them: tr '\\r' '\\n' < FILE > NEW"))
}

#[cfg(test)]
mod tests {
    use super::super::field::utc;
    use super::super::tests::try_read;

    /// The first lines of each tool.
    #[test]
    fn files_of_other_tools_are_named() {
        for (text, name) in [
            (
                "From: <Saved>\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\n<h1>WORKLOAD REPOSITORY report for</h1>",
                "MHT",
            ),
            ("#group,false\n#datatype,string,long\n#default,mean,\n,result,table,_time,_value\n", "InfluxDB"),
            ("diskio,host=db1,name=sda reads=1000i 1780000000000000000\n", "line protocol"),
            ("{\"results\":{\"A\":{\"status\":200,\"frames\":[{\"schema\":{}}]}}}", "Grafana"),
            ("Time,\"disk.dev.read-sda\"\n", "pmrep"),
            ("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\e\\Physical Disk Adapter(vmhba0)\\Reads/sec\"\n", "esxtop"),
            ("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\S\\PhysicalDisk(0 C:)\\Disk Reads/sec\"\n", "Windows"),
            ("\"Dstat 0.7.3 CSV output\"\n", "dstat"),
            ("RESET\nDSK db1 1780000000 2026/06/10 08:00:00 600 sda 1 2 3 4 5\nSEP\n", "atop"),
            ("procs ---memory---\n r  b   swpd   free   buff  cache   si\n", "vmstat"),
            (
                "   extended device statistics\n r/s w/s kr/s kw/s wait actv wsvc_t asvc_t  %w  %b device\n",
                "Solaris",
            ),
            (
                "   extended device statistics\ndevice r/s w/s kr/s kw/s  ms/r  ms/w qlen  %b\nada0 1 2 16.0 32.0 1 1 0 0\n",
                "FreeBSD",
            ),
            ("\nSystem configuration: lcpu=8 drives=4\n", "AIX"),
            ("\nSunOS db1 5.11 11.3 sun4v    05/26/2017\n\n08:00:00    %usr    %sys\n", "sar of Solaris"),
            ("HP-UX db1 B.11.31 U ia64    03/21/18\n\n00:00:01    %usr    %sys\n", "sar of HP-UX"),
            (
                "####\n# Collectl:   V4.3.1-1  HiRes: 1\n####\n>>> 1796124190.001 <<<\ndisk  254  0 vda 1 2 3\n",
                "collectl -p FILE -sD -P",
            ),
            ("   capacity     operations     bandwidth\n", "zpool"),
            ("{\"identity\":{\"njmon_command\":\"njmon\"}}", "njmon"),
            ("{\"timeSeries\":[{\"metric\":{\"type\":\"compute.googleapis.com/instance/disk\"}}]}", "Google"),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE sysstat PUBLIC>\n", "sadf -x"),
            ("<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC>\n", "SVG"),
            ("22:44:59 UTC; major; 7; minor; 0; DEV; loop0; tps; 2; 2;\n", "sadf -r"),
            ("System activity data file: sa01 (0x2175)\n", "sadf -H"),
            (
                "Linux 6.1 (db1) \t06/10/26 \t_x86_64_\t(2 CPU)\n\n08:00:00      UID       PID   kB_rd/s  Command\n",
                "pidstat",
            ),
            (
                "REM INSERTING into X\nInsert into X (METRIC_NAME,AVERAGE) values ('Redo Writes Per Sec',1);\n",
                "inserts rows",
            ),
            ("{\"results\":[{\"columns\":[],\"items\":[{\"metric_name\":\"x\"}]}]}", "SQLcl"),
            (
                "<?xml version='1.0'?>\n<RESULTS>\n<ROW>\n<COLUMN NAME=\"AVERAGE\">1</COLUMN></ROW></RESULTS>\n",
                "SQL Developer",
            ),
            ("LOAD DATA\nINFILE *\nBEGINDATA\ndb1,ORCL,Redo Writes Per Sec,1\n", "SQL*Loader"),
            ("\u{3}\u{1}EXPORT:V11.02.00\n", "expdp"),
            ("SNAP_ID,DBID,INSTANCE_NUMBER,FILE#,PHYRDS,PHYWRTS\n1,1,1,1,100,200\n", "an AWR view"),
            ("PK\u{3}\u{4}\u{14} awrrpt.html<h1>WORKLOAD REPOSITORY report for</h1>", "unzip"),
            ("Datapoints:\n- Sum: 30000.0\nLabel: VolumeReadOps\n", "--output json"),
            ("node_disk_reads_completed_total{device=\"sda\"} =>\n1000 @[1781337600]\n", "promtool"),
            ("-[ RECORD 1 ]--\nat | 2026\n", "psql --csv"),
            ("\"Time\",\"db1 sda\"\n2026-06-10 08:00:00,1000\n", "Grafana"),
            ("<html>\n<head><title>Performance Hub</title></head>", "HTML page"),
            ("   8       0 sda 60000 0 960000 60000 30000 0 480000 15000 0 50000 75000\n", "/proc/diskstats"),
            ("Linux 6.1 (db1)\r\r08:00:00 DEV tps\r08:10:00 sda 1\r", "carriage returns"),
        ] {
            let problem = try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
            assert!(problem.contains(name), "{name}: {problem}");
        }
    }
}
