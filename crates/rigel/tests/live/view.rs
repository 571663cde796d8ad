//! The live view in a real terminal: what is seen, and that it ends as cleanly as a run without it.

use crate::support::Place;
use rigel_core::record::{MarkContent, Record};
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, TestTerminal, needs};
use std::time::{Duration, Instant};

const UTF_8: [(&str, &str); 2] = [("LC_ALL", "C.UTF-8"), ("NO_COLOR", "")];
/// A device so fast that a run of it takes a while, most of it behind the first look at the intervals, and so uneven that none is narrow enough soon.
const SIM: &str =
    "--engine sim:servers=8,service=300us,rate=0,spread=exponential,between=20% --seed 5 --name live";

/// A terminal in the directory of a test that has started the program with these arguments.
fn started(
    place: &Place,
    size: (u16, u16),
    variables: &[(&str, &str)],
    line: &str,
) -> Result<TestTerminal, MissingNeed> {
    let terminal = TestTerminal::open(place.path(), size, variables)?;
    terminal.type_line(&format!("'{}' {line}; echo code=$?.", env!("CARGO_BIN_EXE_rigel")));
    Ok(terminal)
}

/// The main screen is back, with a cursor and with echo and lines; gives what is on it.
fn restored(terminal: &TestTerminal, code: u8) -> String {
    let screen = terminal.wait_for(&format!("code={code}."));
    assert_eq!(terminal.state("#{alternate_on} #{cursor_flag}"), "0 1", "{screen}");
    terminal.type_line(
        "clear; stty -a | tr ' ' '\\n' | grep -xE -e '-?(icanon|echo|isig|opost);?' | tr '\\n' ' '",
    );
    let settings = terminal.wait_until(|screen| screen.contains("opost") && !screen.contains("grep"));
    assert!(
        !settings.contains("-icanon") && !settings.contains("-echo") && !settings.contains("-isig"),
        "{settings}"
    );
    assert!(!settings.contains("-opost") && settings.contains("icanon"), "{settings}");
    screen
}

fn record(place: &Place) -> Record {
    Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap()
}

#[test]
fn q_ends_a_run_that_was_watched_in_a_small_terminal() {
    let place = Place::new();
    let name = "q_ends_a_run_that_was_watched_in_a_small_terminal";
    let opened = started(&place, (80, 24), &UTF_8, &format!("run normal --num-disks 2 --tui {SIM}"));
    let Some(terminal) = needs(name, opened) else { return };
    let seen =
        terminal.wait_until(|screen| screen.contains(" done, widest ") && screen.contains("SIMULATED"));
    for sign in [
        "live_",
        "normal, sim",
        "of 54 points",
        " elapsed, ",
        " left",
        "IOPS",
        "MBPS",
        "Intervals in ±%: 5.0 requested",
        "small ",
        " q  end",
        "?  help",
    ] {
        assert!(seen.contains(sign), "{sign}:\n{seen}");
    }
    assert_eq!(seen.lines().count(), 24, "{seen}");
    let coloured = terminal.coloured_screen();
    assert!(coloured.contains("\u{1b}[48;5;") || coloured.contains(";48;5;"), "{coloured:?}");
    for layer in ["MBPS of large I/O", "mean latency", "half the wider interval"] {
        terminal.press("Tab");
        let _ = terminal.wait_for(layer);
    }
    for (key, is_open) in [("?", true), ("?", false), ("h", true), ("Escape", false)] {
        terminal.press(key);
        let _ = terminal.wait_until(|screen| screen.contains("end the run; the outputs have") == is_open);
    }
    terminal.press("q");
    let end = restored(&terminal, 4);
    assert!(end.contains("the run was stopped"), "{end}");
    assert!(end.contains("_report.html"), "{end}");
    let record = record(&place);
    assert_eq!(record.closing.as_ref().map(|closing| closing.complete), Some(false));
    assert!(!record.visits.is_empty() && record.torn.is_none());
    assert!(place.read("_summary.txt").contains("cut short"));
    assert!(place.read("_report.html").len() > 100_000);
}

/// A rate held on a file: `m`, a text, Enter.
#[test]
fn m_marks_the_moment_in_the_record() {
    let (place, name) = (Place::new(), "m_marks_the_moment_in_the_record");
    std::fs::write(place.path().join("data"), vec![7_u8; 16 << 20]).unwrap();
    let line = "run through data --allow-memory --rate 50 --for 5min --no-html --name held --tui";
    let Some(terminal) = needs(name, started(&place, (80, 24), &UTF_8, line)) else { return };
    let _ = terminal.wait_for("m  mark this moment");
    // The listener is there before the load begins.
    let _ = terminal.wait_until(|screen| screen.contains(" elapsed, "));
    terminal.press("m");
    let _ = terminal.wait_for("Enter marks this moment");
    ["q", "A", "BSpace", "B", "Enter"].into_iter().for_each(|key| terminal.press(key));
    let _ = terminal.wait_for("marked after ");
    terminal.press("q");
    restored(&terminal, 4);
    let marks = record(&place).marks;
    let said: Vec<&MarkContent> = marks.iter().map(|mark| &mark.marked).collect();
    assert!(said.contains(&&MarkContent::Person("qB".to_owned())), "{said:?}");
}

#[test]
fn a_large_terminal_shows_more_and_no_colour_where_none_is_wanted() {
    let place = Place::new();
    let name = "a_large_terminal_shows_more_and_no_colour_where_none_is_wanted";
    let plain = [("LC_ALL", "C.UTF-8"), ("NO_COLOR", "1")];
    let opened = started(&place, (140, 45), &plain, &format!("run normal --num-disks 3 --tui {SIM}"));
    let Some(terminal) = needs(name, opened) else { return };
    let seen = terminal.wait_until(|screen| screen.contains("Flags so far") && screen.contains("before: "));
    assert!(seen.contains("of 111 points") && seen.contains(" left"), "{seen}");
    let coloured = terminal.coloured_screen();
    // 39 and 49 are the terminal's own colours; bold and faint are none.
    let colours = ["[38;", ";38;", "[48;", ";48;", "[31m", "[32m", "[33m", "[34m", "[35m", "[36m"];
    assert!(colours.iter().all(|colour| !coloured.contains(colour)), "{coloured:?}");
    terminal.resize((60, 20));
    let _ = terminal.wait_for("needs 80 columns and 24 lines");
    terminal.resize((80, 24));
    let _ = terminal.wait_for("Flags so far");
    terminal.press("q");
    restored(&terminal, 4);
}

/// In real time: the curves of the visit that goes on.
#[test]
fn ctrl_c_does_what_q_does() {
    let place = Place::new();
    let opened = started(&place, (80, 24), &[("LC_ALL", "C")], "run oltp --engine null --duration 60s --tui");
    let Some(terminal) = needs("ctrl_c_does_what_q_does", opened) else { return };
    let is_live = |screen: &str| screen.contains(" measuring ") && screen.contains(" us ");
    let seen = terminal.wait_until(is_live);
    assert!(seen.is_ascii() && seen.contains("Now: small 1 large 0"), "{seen}");
    terminal.press("C-c");
    restored(&terminal, 4);
    assert_eq!(record(&place).closing.map(|closing| closing.complete), Some(false));
}

/// In real time; what there is, and how the run goes on, comes when the view is gone.
#[test]
fn a_calibration_can_be_watched() {
    let place = Place::new();
    let line = "calibrate --engine null --no-history --tui 2>&1";
    let opened = started(&place, (80, 40), &UTF_8, line);
    let Some(terminal) = needs("a_calibration_can_be_watched", opened) else { return };
    let is_live = |screen: &str| screen.contains(" levels: IOPS") && screen.contains("before: small ");
    let seen = terminal.wait_until(is_live);
    for sign in ["calibration_", "simple, null", " elapsed, ", "Intervals in ±%: ", "?  help"] {
        assert!(seen.contains(sign), "{sign}:\n{seen}");
    }
    terminal.press("q");
    let end = restored(&terminal, 4);
    assert!(end.contains("There are no figures yet") && end.contains("--resume"), "{end}");
}

/// Rates, bounds, turns, commits and places: each names its load, and `q` ends it with what there is.
#[test]
fn the_loads_of_databases_can_be_watched() {
    let name = "the_loads_of_databases_can_be_watched";
    for (line, signs) in [
        ("slo --p99 2ms --engine null", ["slo_", "open, null", "search"]),
        ("versus oltp --engine null --and-engine null --same", ["versus_", "oltp, null", "A and B down"]),
        ("run open --rate 1000,4000 --engine null", ["rigel_", "open, null", "4000"]),
        ("run commit --writers 1,4 --scratch-size 32M", ["rigel_", "commit, ", "fdatasync down"]),
        ("run zones --engine null", ["rigel_", "zones, null", "random across"]),
        ("run streams --engine null", ["rigel_", "streams, null", "stream across"]),
    ] {
        let place = Place::new();
        let opened = started(&place, (100, 40), &UTF_8, &format!("{line} --tui --no-html 2>&1"));
        let Some(terminal) = needs(name, opened) else { return };
        let seen = terminal.wait_until(|screen| {
            screen.contains(" elapsed, ") && signs.iter().all(|sign| screen.contains(sign))
        });
        assert!(!seen.contains("code="), "it goes on:\n{seen}");
        terminal.press("q");
        restored(&terminal, 4);
        assert_eq!(record(&place).closing.map(|closing| closing.complete), Some(false), "{line}");
    }
}

/// A visit of a soak goes on for long: wrong data is told within it, and the run goes on.
#[test]
fn a_soak_tells_wrong_data_while_it_goes_on() {
    let name = "a_soak_tells_wrong_data_while_it_goes_on";
    let spec = DeviceSpec { size_bytes: 2 << 20, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let load = "load = \"rigel.load/1\"\n[[class]]\nname = \"data\"\nsize = \"4K\"\nwrite = 10\nverify = true\narrival = { outstanding = 8 }\n\
                [[phase]]\nfor = \"1h\"\n";
    std::fs::write(place.path().join("data.toml"), load).unwrap();
    let disk = device.disk();
    let disk = disk.display();
    let line = format!("soak --load data.toml {disk} --destroy-data {disk} --every 1s --for 2h --tui");
    let Some(terminal) = needs(name, started(&place, (100, 40), &UTF_8, &line)) else { return };
    let seen = terminal.wait_until(|screen| screen.contains("phase 1") && screen.contains("IOPS"));
    assert!(!seen.contains("WRONG_DATA"), "{seen}");
    device.command("flip nth 50").unwrap();
    let seen =
        terminal.wait_until(|screen| screen.contains("WRONG_DATA") && screen.contains("1 block is wrong"));
    assert!(seen.contains(" elapsed, ") && !seen.contains("code="), "it goes on:\n{seen}");
    terminal.press("q");
    let end = restored(&terminal, 1);
    assert!(end.lines().any(|line| line.trim_end() == "Wrong blocks: 1"), "{end}");
    assert_eq!(record(&place).closing.map(|closing| closing.complete), Some(false));
}

#[test]
fn a_run_that_ends_by_itself_leaves_the_view() {
    let place = Place::new();
    let line = "run simple --engine sim --duration 1s --seed 5 --tui --json > results.json";
    let opened = started(&place, (80, 24), &UTF_8, line);
    let Some(terminal) = needs("a_run_that_ends_by_itself_leaves_the_view", opened) else { return };
    restored(&terminal, 0);
    let results = std::fs::read(place.path().join("results.json")).unwrap();
    let document: serde_json::Value = serde_json::from_slice(&results).unwrap();
    assert_eq!(document["run"]["complete"], true);
}

/// The I/O that hangs keeps the first wish from ending the run; the second one does, and leaves a good terminal.
#[test]
fn a_second_q_ends_at_once() {
    let spec = DeviceSpec {
        size_bytes: 16 << 20,
        servers: 4,
        service_us: 1000,
        mbps: None,
        exponential: false,
        flush_us: 0,
    };
    let Some(device) = needs("a_second_q_ends_at_once", TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {} --engine threads --matrix point --num-small 8 --num-large 0 --duration 5s --tui",
        device.disk().display()
    );
    let Some(terminal) = needs("a_second_q_ends_at_once", started(&place, (80, 24), &UTF_8, &line)) else {
        return;
    };
    let _ = terminal.wait_for("Now: small 8 large 0");
    device.command("hang 0 16777216").unwrap();
    while device.gauge().unwrap().in_flight < 8 {
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.press("q");
    let _ = terminal.wait_for("q again stops at once");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!terminal.screen().contains("code="), "an I/O that hangs is still waited for");
    terminal.press("q");
    // The main screen comes back at once; the process is gone for the shell only when the kernel has its I/Os back.
    let _ = terminal.wait_until(|_| terminal.state("#{alternate_on}") == "0");
    device.command("release").unwrap();
    restored(&terminal, 4);
    assert!(record(&place).closing.is_none(), "it ended at once, with the record whole up to there");
}

#[test]
fn a_terminal_that_can_do_nothing_is_refused() {
    let place = Place::new();
    let opened = TestTerminal::open(place.path(), (80, 24), &UTF_8);
    let Some(terminal) = needs("a_terminal_that_can_do_nothing_is_refused", opened) else { return };
    let rigel = env!("CARGO_BIN_EXE_rigel");
    terminal.type_line(&format!("TERM=dumb '{rigel}' run simple --engine sim --tui; echo code=$?."));
    let seen = terminal.wait_for("code=2.");
    assert!(seen.contains("TERM is dumb"), "{seen}");
    assert_eq!(place.files(), Vec::<String>::new());
}

/// A session that was closed, a connection that broke: the run ends as by any signal, and its view does not keep it.
#[test]
fn a_terminal_that_goes_away_ends_the_run() {
    let place = Place::new();
    let name = "a_terminal_that_goes_away_ends_the_run";
    let opened = started(&place, (80, 24), &UTF_8, "run oltp --engine null --duration 60s --tui --name gone");
    let Some(terminal) = needs(name, opened) else { return };
    // Before anything is measured there is nothing for a page to show.
    let _ = terminal.wait_until(|screen| screen.contains(" measuring ") && screen.contains(" us "));
    drop(terminal);
    let patience = Instant::now();
    while !place.files().iter().any(|file| file.ends_with("_report.html")) {
        assert!(patience.elapsed() < Duration::from_secs(120), "no outputs: {:?}", place.files());
        std::thread::sleep(Duration::from_millis(50));
    }
    let record = record(&place);
    assert_eq!(record.closing.as_ref().map(|closing| closing.complete), Some(false));
    assert!(place.read("_summary.txt").contains("cut short"));
}
