//! The verdict on a run, and the command that it names.

use crate::support::{MINUTE, Run, SPREAD, file_of};
use rigel_core::facts::DeviceFacts;
use rigel_core::judge::findings::{LoadResult, WorkingPoint};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, Pace};
use rigel_core::load::request::Request;
use rigel_core::stats::Estimate;
use rigel_report::{Conclusion, Format, Tone, View};

/// One point, with flags.
fn flagged(flags: &[Flag], command_line: &str, target: &str) -> Conclusion {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[(target, 1 << 34)]);
    run.small(1, 100);
    run.record.header.request.command_line = command_line.into();
    let mut view = View::of(&run.record);
    view.findings.points[0].flags = flags.to_vec();
    Conclusion::of(&view)
}

fn next(flag: FlagCode, command_line: &str) -> Option<String> {
    flagged(&[Flag::new(flag, "figures")], command_line, "/dev/sdb").next.map(|next| next.command)
}

#[test]
fn every_flag_but_that_of_a_simulation_asks_for_care_and_says_what_to_do() {
    for code in FlagCode::ALL {
        let care = flagged(&[Flag::new(code, "figures")], "oltp /dev/sdb ", "/dev/sdb");
        if code == FlagCode::Simulated {
            assert_eq!((care.tone, care.causes.len()), (Tone::Good, 0));
            continue;
        }
        assert_eq!(care.tone, Tone::UseWithCare, "{code:?}");
        let [cause] = care.causes.as_slice() else { panic!("{:?}", care.causes) };
        assert_eq!(
            (cause.means.as_str(), cause.remedy.as_str()),
            (code.meaning().means, code.meaning().remedy)
        );
        assert_eq!((cause.figures.as_str(), cause.place.as_str()), ("figures", "1 outstanding small I/O"));
        let bad = flagged(&[Flag::new(code, "figures").invalidating()], "oltp /dev/sdb ", "/dev/sdb");
        assert_eq!((bad.tone, bad.head.as_str()), (Tone::DoNotUse, "Do not use these numbers."));
    }
}

#[test]
fn a_note_is_told_and_speaks_against_nothing() {
    let note = Flag::new(FlagCode::Foreign, "0.4 of 16 CPUs").noting();
    let found = flagged(std::slice::from_ref(&note), "oltp /dev/sdb ", "/dev/sdb");
    assert_eq!((found.tone, found.causes.len()), (Tone::Good, 0));
    assert_eq!(
        found.notes,
        [
            "To know: Other programs used the CPUs or the device during the measurement. FOREIGN, 1 outstanding small I/O: 0.4 of 16 CPUs."
        ]
    );
    // Where the same speaks against another point, that tells it.
    let both = flagged(&[note, Flag::new(FlagCode::Foreign, "1.4 of 2 CPUs")], "oltp /dev/sdb ", "/dev/sdb");
    assert_eq!((both.tone, both.causes.len(), both.notes.len()), (Tone::UseWithCare, 1, 0));
    assert_eq!(both.causes[0].figures, "1.4 of 2 CPUs");
}

#[test]
fn what_a_run_ran_in_stands_in_every_output_for_people() {
    let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
    run.small(1, 100);
    assert_eq!(Conclusion::of(&View::of(&run.record)).surroundings, None);
    let host = &mut run.record.header.nodes.first_mut().host;
    host.hypervisor = Some("KVM".into());
    host.cgroup.cpu_max_millis = Some(1500);
    let view = View::of(&run.record);
    let limited = "Its control group was limited to 1.5 of 4 CPUs.";
    assert_eq!(Conclusion::of(&view).surroundings.as_deref(), Some(limited));
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(rigel_report::text::explained(&view, rigel_report::text::Style::default(), &[]));
    for output in
        [text, file_of(&view, Format::Html, "_report.html"), file_of(&view, Format::Markdown, "_report.md")]
    {
        for told in [limited, "a KVM virtual machine", "GUEST"] {
            assert!(output.contains(told), "{told}: {output}");
        }
    }
    assert!(file_of(&view, Format::Csv, "_findings.csv").contains(",GUEST\n"));
    let orion = Format::Orion(rigel_report::OrionVersion::V19);
    let fio = rigel_report::render(Format::Fio, &view).unwrap();
    let fio = String::from_utf8_lossy(&fio[0].bytes).into_owned();
    let outputs = [
        file_of(&view, orion, "_flags.csv"),
        file_of(&view, Format::Json, "_findings.json"),
        file_of(&view, Format::OpenMetrics, "_metrics.prom"),
        fio,
    ];
    for output in outputs {
        assert!(output.contains("GUEST") && output.contains("a KVM virtual machine"), "{output}");
    }
    let brief = flat(rigel_report::text::report(&view, rigel_report::text::Style::default(), &[]));
    assert!(
        brief.contains("It ran in a KVM virtual machine, whose host may cache and limit its I/O."),
        "{brief}"
    );
}

/// Where the rate still rises, nothing is known of what more than was tried would give.
#[test]
fn nothing_is_claimed_beyond_the_most_that_was_tried() {
    let run = Run::visited(RunLevel::Simple, &SPREAD);
    let mut view = View::of(&run.record);
    let most = view.findings.points.iter().map(|found| found.point.small()).max().unwrap();
    let load = |outstanding: u32| LoadResult {
        outstanding,
        rate: Estimate::bare(1000.0),
        latency_us: 1000.0 * f64::from(outstanding),
    };
    let working = |highest| WorkingPoint { at: load(1), highest: load(highest) };
    for (is_rising, highest, wanted) in [
        (false, most, format!("{most} outstanding give no more, at ")),
        (true, most, format!("{most} outstanding, the most tried, give as much, at ")),
        (true, most - 1, format!("{} outstanding give as much, at ", most - 1)),
    ] {
        view.findings.working = [(Class::SMALL, working(highest))].into_iter().collect();
        view.findings.still_rising = is_rising.then_some(Class::SMALL).into_iter().collect();
        let told = Conclusion::of(&view).working.unwrap();
        assert!(told.contains(&wanted), "{told}");
    }
}

#[test]
fn what_makes_numbers_invalid_comes_first() {
    let flags = [Flag::new(FlagCode::Buffers, "a"), Flag::new(FlagCode::Zeros, "b").invalidating()];
    let verdict = flagged(&flags, "oltp /dev/sdb ", "/dev/sdb");
    let codes: Vec<_> = verdict.causes.iter().map(|cause| cause.code.unwrap()).collect();
    assert_eq!(codes, [FlagCode::Zeros, FlagCode::Buffers]);
    assert_eq!(verdict.next.unwrap().command, "rigel calibrate", "a scratch file has data");
}

#[test]
fn the_next_command_mends_the_cause_or_uses_the_numbers() {
    let good = flagged(&[], "oltp /dev/sdb ", "/dev/sdb");
    assert_eq!(
        good.next.unwrap().command,
        "rigel advise orion_20260101_1200_record.jsonl --database postgresql"
    );
    let line = "oltp /dev/sdb --engine libaio ";
    assert_eq!(next(FlagCode::Foreign, line).unwrap(), "rigel run oltp /dev/sdb --engine libaio");
    assert_eq!(next(FlagCode::Throttled, line).unwrap(), "rigel doctor /dev/sdb");
    let orion = "-run oltp -testname mytest ";
    assert_eq!(next(FlagCode::Foreign, orion).unwrap(), "rigel orion -run oltp -testname mytest");
}

#[test]
fn more_time_is_asked_for_by_the_option_that_was_given() {
    for line in ["simple /dev/sdb --max-duration 30s ", "simple --max-duration=30s /dev/sdb "] {
        let mut run = Run::visited(RunLevel::Simple, &SPREAD);
        run.record.header.request.command_line = line.into();
        let max_duration = Some(rigel_core::units::Nanos(MINUTE / 2));
        run.record.header.request.set_pace(Pace::Adaptive(Adaptive { max_duration, ..Adaptive::default() }));
        let mut view = View::of(&run.record);
        view.findings.flags = vec![Flag::new(FlagCode::NotReached, "wide")];
        let next = Conclusion::of(&view).next.unwrap().command;
        assert!(next.starts_with("rigel run simple"), "{next}");
        assert!(next.ends_with(" --for 1m") && !next.contains("max-duration"), "{next}");
    }
}

#[test]
fn what_cannot_be_typed_again_is_no_command() {
    let foreign = [Flag::new(FlagCode::Foreign, "x")];
    for target in ["/u01/two words", "/u01/$(id)", "/u01/a;b"] {
        let verdict = flagged(&foreign, &format!("oltp {target} "), target);
        assert_eq!(verdict.next, None, "{target}");
    }
    let quoted = flagged(&foreign, "oltp /dev/sdb --name `id` ", "/dev/sdb");
    assert_eq!(quoted.next, None);
    let open = flagged(&foreign, "oltp /dev/sdb --name 'id ", "/dev/sdb");
    assert_eq!(open.next, None);
    let whole = flagged(&foreign, "oltp '/u01/two words' ", "/u01/two words");
    assert_eq!(whole.next.unwrap().command, "rigel run oltp '/u01/two words'");
}

/// Limits that bind are named without being asked for, and those on other devices are not.
#[test]
fn the_first_screen_names_the_limits_of_the_control_group() {
    let screen = |io: &[&str], millis| {
        let mut run = Run::new(Request::new(RunLevel::Oltp), &[("/dev/sdb", 1 << 34)]);
        run.small(1, 100);
        let device = DeviceFacts { number: Some((8, 16)), ..DeviceFacts::default() };
        run.record.header.targets[0].device = Some(device);
        let group = &mut run.record.header.nodes.first_mut().host.cgroup;
        group.io_max = io.iter().map(|&line| line.to_owned()).collect();
        group.cpu_max_millis = millis;
        let view = View::of(&run.record);
        let text = rigel_report::text::report(&view, rigel_report::text::Style::default(), &[]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let both = screen(&["8:16 rbps=max wbps=max riops=500 wiops=max"], Some(200));
    assert!(
        both.contains(
            "! Rigel ran limited by its control group to 0.2 of 4 CPUs and I/O (8:16 riops=500): start it \
             outside of that to measure the storage; rigel doctor shows how."
        ),
        "{both}"
    );
    for none in [screen(&[], None), screen(&["8:0 riops=500"], Some(4000))] {
        assert!(!none.contains("control group"), "{none}");
    }
}
