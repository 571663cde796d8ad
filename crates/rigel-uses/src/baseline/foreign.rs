//! Files that people give as a side of a comparison and that cannot be one: what they are, and what to give in their place.
//!
//! Must not read a number.

/// How a kind is recognised: its first bytes contain all of these.
type Signs = &'static [&'static str];
/// What it is, and what to do; `None`: one of the formats that are read.
type Kind = (Signs, &'static str, Option<&'static str>);

const JSON: Option<&str> = Some("run fio again with --output-format=json, or json+, and --output=FILE");
const IMPORT: Option<&str> =
    Some("rigel capacity import FILE reads it; to compare storages, give what measured them");

const KINDS: [Kind; 21] = [
    (&["(g=0): rw="], "it is fio's output for people, not its JSON", JSON),
    (&["Run status group 0 (all jobs)"], "it is fio's output for people, not its JSON", JSON),
    (&[";fio-"], "it is fio's terse output, which does not say what the load was", JSON),
    (&["fio: "], "it is an error message of fio, without a result", JSON),
    (
        &["Input parameters:", "timespan:"],
        "it is diskspd's output for people, not its XML",
        Some("run diskspd again with -Rxml"),
    ),
    (
        &["Command Line: ", "diskspd"],
        "it is diskspd's output for people, not its XML",
        Some("run diskspd again with -Rxml"),
    ),
    (
        &["OPERATION", "RESULT TYPE", "LAST DONE"],
        "it is elbencho's output for people, not its CSV",
        Some("run elbencho again with --csvfile FILE"),
    ),
    (&["ran (small)"], ORION_TRACE, ORION),
    (&["ran (large)"], ORION_TRACE, ORION),
    (&["# of IOs (read)"], "it is a histogram of ORION (_hist.txt), without rates", ORION),
    (&["WORKLOAD REPOSITORY"], "it shows what a database did, not what its storage can do", IMPORT),
    (&["STATSPACK report"], "it shows what a database did, not what its storage can do", IMPORT),
    (&["\"sysstat\""], "it shows what a host did, not what its storage can do", IMPORT),
    (&["Device", "r/s", "w/s"], "it shows what a host did, not what its storage can do", IMPORT),
    (
        &["price", "= \""],
        "it is a sheet of offers",
        Some("give it with --offers FILE, in addition to the storages"),
    ),
    (&["sysbench ", "File operations"], "it is a result of sysbench, which is not read", None),
    (&["Iozone: Performance Test"], "it is a result of IOzone, which is not read", None),
    (&["Vdbench"], "it is a result of Vdbench, which is not read", None),
    (&["CrystalDiskMark"], "it is a result of CrystalDiskMark, which is not read", None),
    (&["Timing buffered disk reads"], "it is a result of hdparm, which is not read", None),
    (&["records in", "records out"], "it is a result of dd, which is not read", None),
];
const ORION: Option<&str> =
    Some("give the _summary.txt of the run, or its _iops.csv, _mbps.csv and _lat.csv in one directory");
const ORION_TRACE: &str = "it is ORION's trace (_trace.txt), which is not read";

/// What a file with this beginning is, and what to give instead.
pub fn cause(head: &str) -> Option<(&'static str, Option<&'static str>)> {
    let is = |kind: &&Kind| kind.0.iter().all(|sign| head.contains(sign));
    KINDS.iter().find(is).map(|(_, cause, next)| (*cause, *next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_side_are_named() {
        for (text, word) in [
            ("a: (g=0): rw=randread, bs=(R) 8192B-8192B\n", "for people"),
            ("3;fio-3.33;a;0;0;426392;425966;53245\n", "terse"),
            ("fio: rate and rate_iops are mutually exclusive\n", "error message"),
            ("Command Line: diskspd -b8K -L test.dat\n", "diskspd"),
            ("OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n", "elbencho"),
            ("ran (small): my 1 oth 0 iops 2270\n", "trace"),
            ("WORKLOAD REPOSITORY report for\n", "what a database did"),
            ("[array-a]\nprice = \"48000 EUR\"\n", "sheet of offers"),
            ("1024+0 records in\n1024+0 records out\n", "dd"),
        ] {
            assert!(cause(text).unwrap().0.contains(word), "{text}");
        }
        assert_eq!(cause("hello\n"), None);
    }
}
