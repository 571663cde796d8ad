//! The rules. The first broken one is reported.
//!
//! A new rule is a row here. Must not contain code.

use super::Goes::{Never, NotWith, OnlyWith};
use super::{Commands, Rule, Words};

/// The commands whose load is a level or a file.
const RUN: Commands = &["run", "versus", "orion"];
/// The same without ORION's command line, which has only its own levels.
const HERE: Commands = &["run", "versus"];
/// The commands with `--matrix`.
const SHAPED: Commands = &["run", "versus", "orion", "sql"];
const SQL: Commands = &["sql"];
/// The commands that measure a server.
const SERVER: Commands = &["sql", "sql prove"];
/// The commands that make a scratch file where no target is named.
const SCRATCH: Commands = &["run", "calibrate", "slo", "soak", "capacity fit"];
/// The commands that sum the history of hosts or databases.
const WHOSE: Commands = &["capacity list", "capacity show", "capacity forecast", "capacity replay"];
const SHAPE: Words = &[
    "--matrix",
    "--num-small",
    "--num-large",
    "--size-small",
    "--size-large",
    "--type",
    "--stream-ios",
    "--simulate",
    "--stripe",
];
const OWN_LOAD: &str = "the level has its own load";
const FILE: &str = "the file says what is loaded";
const LEAVE_OUT: &str = "leave out {option}";
const COUNTS: &str =
    "point and max take both counts, col the small one, row the large one, basic and detailed none";
const ADD_COUNT: &str = "add the number, or choose another matrix";
/// Levels of `rigel sql` that look rows up, and those with reports.
const LOOK_UPS: Words = &["simple", "normal", "oltp", "users"];
const REPORTS: Words = &["normal", "dss", "users"];

/// Options of some commands that cannot be combined with some words, why, and what to do instead.
const fn not(
    commands: Commands,
    options: Words,
    words: Words,
    because: &'static str,
    next: &'static str,
) -> Rule {
    Rule { commands, options, goes: NotWith(words), because, next }
}

/// Options that can only be combined with one of some words.
const fn only(
    commands: Commands,
    options: Words,
    words: Words,
    because: &'static str,
    next: &'static str,
) -> Rule {
    Rule { commands, options, goes: OnlyWith(words), because, next }
}

/// Options that all others have, and these commands have no use for.
const fn never(commands: Commands, options: Words, because: &'static str, next: &'static str) -> Rule {
    Rule { commands, options, goes: Never, because, next }
}

pub const RULES: &[Rule] = &[
    // Commands that have no use for what others have.
    never(
        &["versus"],
        &["--duration"],
        "two sides take turns for many rounds, and a fixed time per data point leaves one",
        "leave out --duration; --for limits the time",
    ),
    never(
        &["versus"],
        &["--levels auto"],
        "the levels that suit A need not suit B, and both get the same load",
        "leave it out; --num-disks sets the load, --matrix with the level advanced single loads",
    ),
    never(
        SERVER,
        &["--engine", "--workers", "--cpus"],
        "the server does the I/O, in its own processes",
        "leave out {option}; `rigel run` does I/O without a server",
    ),
    never(
        SERVER,
        &["--destroy-data"],
        "nothing is written but its own table",
        "leave out {option}; --create-in allows the table on a server that is there",
    ),
    never(SERVER, &["--share"], "runs on one server are distinguished by its table", LEAVE_OUT),
    never(
        &["sql prove"],
        &["--io-timeout", "--tui"],
        "the experiment has its own queries and sessions",
        LEAVE_OUT,
    ),
    // A load in a file.
    not(
        RUN,
        &[
            "--num-disks",
            "--write",
            "--matrix",
            "--num-small",
            "--num-large",
            "--size-small",
            "--size-large",
            "--type",
            "--stream-ios",
            "--simulate",
            "--stripe",
            "--levels",
            "--span",
        ],
        &["--load"],
        FILE,
        "set it in the file, and leave out {option}; docs/reference/load-files.md has the keys",
    ),
    not(
        &["slo"],
        &["--write", "--size", "--arrivals", "--max-outstanding"],
        &["--load"],
        FILE,
        "set it in the file, and leave out {option}",
    ),
    not(&["soak"], &["--write"], &["--load"], FILE, "set it in the file, and leave out {option}"),
    // Levels of a run.
    not(
        RUN,
        SHAPE,
        &["simple", "normal", "oltp", "dss"],
        "the level has its own load shape",
        "use `rigel run advanced`, or leave out {option}; the nearest shape is --matrix basic of simple, --matrix detailed of normal, \
         --matrix row --num-large 0 of oltp, --matrix col --num-small 0 of dss",
    ),
    not(
        RUN,
        &["--matrix", "--num-small", "--num-large", "--type", "--stream-ios", "--simulate", "--stripe"],
        &["commit", "open", "zones", "streams"],
        OWN_LOAD,
        LEAVE_OUT,
    ),
    not(
        RUN,
        &["--matrix", "--num-small", "--num-large", "--simulate", "--stripe"],
        &["scaling", "through"],
        OWN_LOAD,
        LEAVE_OUT,
    ),
    not(
        RUN,
        &["--matrix", "--num-small", "--num-large", "--type", "--stream-ios", "--simulate", "--stripe"],
        &["burst"],
        OWN_LOAD,
        LEAVE_OUT,
    ),
    not(
        RUN,
        &["--levels", "--num-disks", "--cache-size"],
        &["burst"],
        "its load is the most that the storage can take",
        "give the outstanding I/Os with --per-target",
    ),
    not(
        RUN,
        &["--precision", "--fast", "--duration"],
        &["burst"],
        "a burst lasts until the rate has fallen and stayed low",
        "limit the time with --for",
    ),
    not(
        RUN,
        &[
            "--matrix",
            "--num-small",
            "--num-large",
            "--size-large",
            "--type",
            "--stream-ios",
            "--simulate",
            "--stripe",
        ],
        &["working-set"],
        OWN_LOAD,
        LEAVE_OUT,
    ),
    not(
        RUN,
        &["--levels", "--num-disks", "--cache-size", "--span"],
        &["working-set"],
        "the sizes say what is read",
        "give the sizes with --sizes or --max-size",
    ),
    not(
        RUN,
        &["--precision", "--fast", "--duration"],
        &["working-set"],
        "a working set is read until its rate is steady",
        "limit the time with --for",
    ),
    not(RUN, &["--write"], &["working-set"], "the level only reads", LEAVE_OUT),
    not(
        HERE,
        &["--max-size"],
        &["--sizes"],
        "the last of the sizes is the largest one",
        "leave out one of them",
    ),
    only(
        HERE,
        &["--sizes", "--max-size"],
        &["working-set"],
        "only the level 'working-set' has sizes of what is read",
        "use `rigel run working-set {typed}`, or leave out {option}",
    ),
    only(
        HERE,
        &["--large"],
        &["burst"],
        "the other levels have their own small and large I/O",
        "use `rigel run burst --large`, or leave out {option}",
    ),
    not(
        RUN,
        &["--levels", "--num-disks"],
        &["scaling"],
        "the number of targets says what is measured",
        LEAVE_OUT,
    ),
    only(
        HERE,
        &["--per-target"],
        &["scaling", "burst", "working-set"],
        "only the levels 'scaling', 'burst' and 'working-set' have a load for each target",
        "use `rigel run scaling {typed}`, or leave out {option}",
    ),
    not(RUN, &["--size-small"], &["commit", "streams"], OWN_LOAD, LEAVE_OUT),
    not(RUN, &["--size-large", "--type", "--stream-ios"], &["through"], OWN_LOAD, LEAVE_OUT),
    not(RUN, &["--size-large"], &["commit", "open"], OWN_LOAD, LEAVE_OUT),
    not(
        RUN,
        &["--num-disks", "--levels"],
        &["commit"],
        "it is about small and large I/O",
        "give the writers with --writers",
    ),
    not(
        RUN,
        &["--write"],
        &["commit"],
        "it is about small and large I/O",
        "commits only write; --beside-reads adds reads",
    ),
    not(RUN, &["--cache-size"], &["commit"], "it is about small and large I/O", LEAVE_OUT),
    not(
        RUN,
        &["--levels", "--num-disks", "--cache-size"],
        &["open", "through"],
        "the rates say what is measured",
        LEAVE_OUT,
    ),
    not(
        &["run"],
        &["--duration", "--precision", "--fast"],
        &["through"],
        "the load lasts as long as --for says, whatever happens",
        "give the time with --for, and leave out {option}",
    ),
    only(
        &["run"],
        &["--require"],
        &["through"],
        "only the level 'through' has limits to meet",
        "`rigel slo` and `rigel compare` judge other runs; leave out {option}",
    ),
    not(RUN, &["--levels", "--num-disks"], &["zones"], "the places say what is measured", LEAVE_OUT),
    not(RUN, &["--levels", "--num-disks"], &["streams"], "--readers says what is measured", LEAVE_OUT),
    not(RUN, &["--write"], &["zones", "streams"], "the level only reads", LEAVE_OUT),
    only(
        HERE,
        &["--rate *m", "--rate *g", "--rate *b"],
        &["open", "through"],
        "fio's --rate counts bytes per second, while here I/Os arrive at a rate, and only at the level 'open'",
        "divide it by the size of an I/O, as in `rigel run open --rate 1000`, or leave out {option}",
    ),
    only(
        HERE,
        &["--rate"],
        &["open", "through"],
        "only the I/O of the levels 'open' and 'through' arrives at a given rate",
        "use `rigel run open {typed}`, or leave out {option}",
    ),
    only(
        HERE,
        &["--arrivals", "--max-outstanding"],
        &["open", "through"],
        "only the I/O of the levels 'open' and 'through' arrives at a given rate",
        "use `rigel run open --rate 1000 {typed}`, or leave out {option}",
    ),
    only(
        HERE,
        &["--places"],
        &["zones"],
        "only the level 'zones' goes from place to place",
        "use `rigel run zones {typed}`, or leave out {option}",
    ),
    only(
        HERE,
        &["--readers"],
        &["streams"],
        "only the level 'streams' has several readers at a time",
        "use `rigel run streams {typed}`, or leave out {option}",
    ),
    only(
        HERE,
        &["--sync", "--writers", "--commit-size", "--beside-reads"],
        &["commit"],
        "the other levels have no writers that commit",
        "use `rigel run commit {typed}`, or leave out {option}",
    ),
    // The shape of a load.
    only(SHAPED, &["--matrix point", "--matrix max", "--matrix col"], &["--num-small"], COUNTS, ADD_COUNT),
    only(SHAPED, &["--matrix point", "--matrix max", "--matrix row"], &["--num-large"], COUNTS, ADD_COUNT),
    only(
        SHAPED,
        &["--num-small"],
        &["--matrix point", "--matrix col", "--matrix max"],
        COUNTS,
        "leave out {option}, or choose another matrix",
    ),
    only(
        SHAPED,
        &["--num-large"],
        &["--matrix point", "--matrix row", "--matrix max"],
        COUNTS,
        "leave out {option}, or choose another matrix",
    ),
    only(
        RUN,
        &["--stream-ios"],
        &["--type seq"],
        "random I/O has no streams",
        "add --type seq, or leave out {option}",
    ),
    only(
        RUN,
        &["--stripe"],
        &["--simulate raid0"],
        "a concatenation has no stripes",
        "add --simulate raid0, or leave out {option}",
    ),
    // How long, and how sure.
    not(
        RUN,
        &["--precision", "--for", "--fast", "--levels auto"],
        &["--duration"],
        "a fixed time is spent on each data point, however precise its number is by then",
        "leave out --duration or {option}",
    ),
    not(
        SQL,
        &["--precision", "--for"],
        &["--duration"],
        "a fixed time is spent on each data point, however precise its number is by then",
        "leave out --duration or {option}",
    ),
    not(
        RUN,
        &["--num-disks"],
        &["--levels auto"],
        "the number of disks sets ORION's load levels; these are searched on the device",
        "leave out {option} or --levels auto",
    ),
    // Targets.
    not(
        SCRATCH,
        &["--lun"],
        &["TARGET"],
        "the targets come from one place",
        "name the targets, or list all of them in the file",
    ),
    not(
        SCRATCH,
        &["--scratch-size", "--keep-scratch"],
        &["--lun"],
        "a scratch file is made in a directory, and the file lists targets",
        "leave out {option}, or name directories instead of --lun",
    ),
    // What is shown.
    not(
        RUN,
        &["--verbose"],
        &["--quiet"],
        "one asks for more messages, the other for none",
        "give one of them",
    ),
    not(
        HERE,
        &["--tui"],
        &["--quiet", "--verbose"],
        "a live view takes the whole terminal, so nothing else may be written to it",
        "give one of them",
    ),
    not(
        &["calibrate", "slo", "capacity fit", "soak", "sql", "sql resume"],
        &["--tui"],
        &["--quiet"],
        "a live view takes the whole terminal, so nothing else may be written to it",
        "give one of them",
    ),
    // Levels of a load through a database.
    only(
        SQL,
        &["--probe"],
        LOOK_UPS,
        "only simple, normal, oltp and users look rows up",
        "leave out {option}, or choose one of these levels",
    ),
    only(
        SQL,
        &["--sessions"],
        &["simple", "normal", "oltp", "users", "commit"],
        "the sessions of dss run reports",
        "give --report-sessions, or choose another level",
    ),
    only(
        SQL,
        &["--num-disks"],
        &["simple", "normal", "oltp", "dss", "users"],
        "the sessions of commit do not depend on the number of disks",
        "give --sessions, or leave out {option}",
    ),
    only(
        SQL,
        &["--report-sessions"],
        &["normal", "dss"],
        "only normal and dss have sessions for reports alone",
        "leave out {option}, or choose one of these levels",
    ),
    only(
        SQL,
        &["--report-by", "--report-size"],
        REPORTS,
        "only normal, dss and users run reports",
        "leave out {option}, or choose one of these levels",
    ),
    only(
        SQL,
        &["--report-share"],
        &["users"],
        "only users mixes both kinds of sessions by share",
        "leave out {option}, or choose the level users",
    ),
    only(
        SQL,
        &["--matrix"],
        &["normal"],
        "only normal has pairs of both kinds of sessions",
        "leave out {option}, or choose the level normal",
    ),
    not(
        SQL,
        &["--size"],
        &["commit"],
        "its table has a row for each commit, and is removed after the run",
        LEAVE_OUT,
    ),
    // Whose history.
    not(
        WHOSE,
        &["--all"],
        &["--host", "--database"],
        "it sums all hosts, and the other names some",
        LEAVE_OUT,
    ),
    not(
        &["capacity forecast", "capacity replay"],
        &["--disk"],
        &["--database"],
        "a database is summed over its instances, not over disks",
        LEAVE_OUT,
    ),
    // Not of a run.
    only(
        &["advise"],
        &["--server-version"],
        &["--database postgresql"],
        "the page and the document show since which version a setting exists, but the other files do not",
        "add --database postgresql, or leave out {option}",
    ),
];
