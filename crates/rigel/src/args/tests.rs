mod alike;

use super::names::Opt;
use super::*;
use rigel_core::error::Problem;
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, Pace, Precision};
use rigel_core::load::request::{CacheWarmUp, EngineRequest};
use rigel_core::load::task::Task;
use rigel_core::load::workload::{Layout, WritePercent};
use rigel_core::sim::SimLaw;
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::{MIB, Nanos};
use rigel_report::Format;
use rigel_uses::advice::Product;
use std::os::unix::ffi::OsStringExt as _;

/// The words of a line as the shell would pass them; no word holds a blank.
fn argv(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn read_line(line: &str) -> Result<Invocation, Problem> {
    read(&argv(line), &Environment::default())
}

fn run(line: &str) -> RunOptions {
    match read_line(line) {
        Ok(Invocation::Run(options)) => *options,
        other => panic!("{line}: {other:?}"),
    }
}

fn refused(line: &str) -> String {
    let problem = read_line(line).expect_err(line);
    assert_eq!(problem.kind.code(), 2, "{line}");
    problem.to_string()
}

/// `rigel run` with Rigel's duration and the seed of the test.
fn request(level: RunLevel, command_line: &str) -> Request {
    Request {
        name: "rigel".into(),
        command_line: command_line.into(),
        seed: 7,
        ..Request::new(level).paced(Pace::Adaptive(Adaptive::default()))
    }
}

#[test]
fn the_definition_is_sound_and_every_option_has_help() {
    command().debug_assert();
}

#[test]
fn every_option_is_spelled_as_it_is_defined() {
    let cli = command();
    let run = cli.find_subcommand("run").unwrap();
    for opt in Opt::ALL {
        let name = opt.spelled(Front::Rigel);
        let known = match name.strip_prefix("--") {
            Some(long) => run.get_arguments().any(|arg| arg.get_long() == Some(long)),
            None => run.get_positionals().any(|arg| arg.get_value_names().unwrap()[0] == name),
        };
        assert!(known, "{name}");
    }
}

#[test]
fn a_bare_level_measures_a_scratch_file() {
    let found = run("rigel run simple --seed 7");
    let expected = RunOptions {
        front: Front::Rigel,
        request: request(RunLevel::Simple, "simple --seed 7 "),
        targets: TargetSource::Scratch { dirs: vec![".".into()], size: None, keep: false },
        out_dir: ".".into(),
        destroy: vec![],
        dry_run: false,
        load: None,
        compress: None,
        as_load: false,
        own_writes: None,
        history: false,
        commits: false,
        force: false,
        display: Display {
            json: false,
            no_html: false,
            quiet: false,
            verbose: false,
            tui: false,
            orion_version: OrionVersion::V19,
        },
        versus: Versus::default(),
        notes: vec![],
    };
    assert_eq!(found, expected);
}

#[test]
fn every_option_arrives() {
    let line = "advanced /dev/a /dev/b --name t --label old-san --out o --num-disks 3 --size-small 16K --size-large 512k \
                --type seq --stream-ios 2 --simulate RAID0 --stripe 2M --write 30 --cache-size 1G --duration 1500ms \
                --matrix max --num-small 4 --num-large 5 --engine libaio --workers 2 --seed 7 --buffered \
                --destroy-data /dev/a --destroy-data /dev/b --dry-run --json --force --orion-version 11.2 -v";
    let found = run(&format!("rigel run {line}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut wanted = Request {
        name: "t".into(),
        label: Some("old-san".into()),
        task: Task::advanced(MatrixShape::Max { small: 4, large: 5 }),
        num_disks: Some(3),
        layout: Layout::Raid0 { stripe_bytes: 2 * MIB },
        cache: CacheWarmUp::Bytes(1 << 30),
        engine: EngineRequest::Only(EngineKind::Libaio),
        workers: Some(2),
        buffered: true,
        ..request(RunLevel::Advanced, &(words.join(" ") + " "))
    }
    .paced(Pace::Fixed(Nanos::from_millis(1500)));
    wanted.set_size(Class::SMALL, 16 << 10);
    wanted.set_size(Class::LARGE, 512 << 10);
    wanted.set_large(Pattern::Streams { ios_per_stream: 2 });
    wanted.set_writes(WritePercent::new(30).unwrap());
    assert_eq!(found.request, wanted);
    let devices: Vec<PathBuf> = vec!["/dev/a".into(), "/dev/b".into()];
    assert_eq!(found.targets, TargetSource::Named(devices.clone()));
    assert_eq!((found.destroy, found.out_dir), (devices, "o".into()));
    assert!(
        found.dry_run && found.display.json && found.force && found.display.verbose && !found.display.quiet
    );
    assert_eq!(found.display.orion_version, OrionVersion::V11_2);
}

#[test]
fn targets_come_from_one_place() {
    assert_eq!(run("rigel run oltp --lun a.lun").targets, TargetSource::LunFile("a.lun".into()));
    let scratch = TargetSource::Scratch { dirs: vec![".".into()], size: Some(Bytes(1 << 30)), keep: true };
    assert_eq!(run("rigel run oltp --scratch-size 1G --keep-scratch").targets, scratch);
    let there = TargetSource::Scratch { dirs: vec!["/mnt/a".into()], size: None, keep: true };
    assert_eq!(run("rigel calibrate /mnt/a --keep-scratch").targets, there);
    for engine in ["sim", "null", "sim:servers=8"] {
        let found = run(&format!("rigel run oltp --engine {engine}"));
        assert_eq!(found.targets, TargetSource::Simulated, "{engine}");
    }
    let law = SimLaw::parse("servers=8").unwrap();
    assert_eq!(run("rigel run oltp --engine sim:servers=8").request.engine, EngineRequest::Sim(law));
}

/// Wrong command lines, and what the message has to name.
#[test]
fn every_refusal_names_the_option() {
    for (line, named) in [
        ("measure", "measure"),
        ("run", "LEVEL"),
        ("run simpel", "LEVEL"),
        ("run simple --wirte 5", "--write"),
        ("run simple --write", "--write"),
        ("run simple --write 101", "--write"),
        ("run simple --write -1", "-1"),
        ("run simple --write 5 --write 5", "--write"),
        ("run simple --dry-run --dry-run", "--dry-run"),
        ("run simple --num-disks 0", "--num-disks"),
        ("run simple --num-disks 5000000000", "--num-disks"),
        ("run simple --num-disks many", "--num-disks"),
        ("run simple --duration 10x", "--duration"),
        ("run simple --duration 1ms", "--duration"),
        ("run simple --duration 9999h", "--duration"),
        ("run simple --duration 10", "10s or 10m"),
        ("run simple --levels aut", "--levels auto"),
        ("run simple --workers 0", "--workers"),
        ("run simple --seed 9007199254740992", "--seed"),
        ("run simple --engine posix", "--engine"),
        ("run simple --engine sim:servers=0", "--engine"),
        ("run simple --orion-version 9.2", "--orion-version"),
        ("run simple --cache-size 5Q", "--cache-size"),
        ("run simple --name a/b", "--name"),
        ("run simple --quiet -v", "--verbose"),
        ("run simple --lun a.lun /dev/b", "--lun"),
        ("run simple --lun a.lun --keep-scratch", "--keep-scratch"),
        ("run simple --scratch-size 1000", "--scratch-size"),
        ("run simple --scratch-size 0", "--scratch-size"),
        ("run simple /dev/b --engine sim", "--engine"),
        ("run simple --lun a.lun --engine sim", "--engine"),
        ("run simple --scratch-size 1G --engine null", "--engine"),
        ("run simple --destroy-data /dev/b --write 5", "--destroy-data"),
        ("run simple --destroy-data /dev/b --engine sim", "--destroy-data"),
        ("run advanced --matrix triangle", "--matrix"),
        ("run advanced --matrix max --num-small 1", "--num-large"),
        ("run advanced --matrix point --num-large 1", "--num-small"),
        ("run advanced --matrix col --num-small 1 --num-large 1", "--num-large"),
        ("run advanced --matrix row", "--num-large"),
        ("run advanced --matrix row --num-small 1", "--num-large"),
        ("run advanced --matrix detailed --num-small 1", "--num-small"),
        ("run advanced --num-small 1", "--num-small"),
        ("run advanced --matrix point --num-small 0 --num-large 0", "--num-small, --num-large"),
        ("run advanced --matrix col --num-small 70000", "--num-small"),
        ("run advanced --size-small 1000", "--size-small"),
        ("run advanced --size-large 1G", "--size-large"),
        ("run advanced --type random", "--type"),
        ("run advanced --stream-ios 2", "--stream-ios"),
        ("run advanced --type rand --stream-ios 2", "--stream-ios"),
        ("run advanced --type seq --stream-ios 0", "--stream-ios"),
        ("run advanced --stripe 1M", "--stripe"),
        ("run advanced --simulate concat --stripe 1M", "--stripe"),
        ("run advanced --simulate raid0 --type seq --stripe 1000K", "--stripe"),
        ("report a.jsonl --format pdf", "--format"),
        ("report a.jsonl --format json --html", "--html"),
        ("report --format json", "RECORD"),
        ("completions", "SHELL"),
        ("completions tcsh", "SHELL"),
        ("man walk", "walk"),
        ("man run --out d", "--out"),
        ("man --force", "--out"),
    ] {
        let told = refused(&format!("rigel {line}"));
        assert!(told.contains(named), "{line}: {told}");
    }
}

#[test]
fn load_shape_belongs_to_advanced() {
    for level in ["simple", "normal", "oltp", "dss"] {
        for option in [
            "--matrix basic",
            "--num-small 1",
            "--num-large 1",
            "--size-small 8K",
            "--size-large 1M",
            "--type rand",
            "--stream-ios 4",
            "--simulate concat",
            "--stripe 1M",
        ] {
            let told = refused(&format!("rigel run {level} {option}"));
            let name = option.split(' ').next().unwrap();
            assert!(told.contains(name) && told.contains(level), "{told}");
            assert!(told.contains("rigel run advanced"), "{told}");
        }
        run(&format!("rigel run {level} --num-disks 2 --write 0 --duration 1s --cache-size 0"));
    }
}

#[test]
fn the_program_is_orion_under_orions_name() {
    let names = ["orion", "/opt/bin/orion", "orion_linux_x86-64", "./orion_linux_em64t", "orion_lnx"];
    for program in ["rigel orion"].into_iter().chain(names) {
        let line = &format!("{program} -run simple");
        let found = run(line);
        assert_eq!(found.front, Front::Orion, "{line}");
        assert_eq!(found.request.command_line, "-run simple ", "{line}");
    }
}

#[test]
fn help_and_version_are_answers() {
    for line in [
        "rigel -h",
        "rigel run --help",
        "rigel help orion",
        "rigel help",
        "rigel help run",
        "rigel man -h",
        "rigel help completions",
        "rigel report -h",
        "rigel --version",
    ] {
        let Ok(Invocation::Show(text)) = read_line(line) else {
            panic!("{line}");
        };
        assert!(text.contains("rigel"), "{line}: {text}");
        assert!(!text.contains('\u{1b}'), "{line}: no colours");
    }
}

#[test]
fn a_paragraph_behind_the_options_is_one_line_and_commands_are_not() {
    let text = "Examples:\n  rigel a\n      one,\n      two\n  rigel b\n  rigel c\n\nIt ends\nhere.";
    let flowing = "Examples:\n  rigel a\n      one, two\n  rigel b\n  rigel c\n\nIt ends here.";
    assert_eq!(cli::joined(text), flowing);
}

/// Ends of a summary and of the long help.
#[test]
fn a_summary_is_short_and_help_is_long() {
    let shown = |line: &str| match read_line(line) {
        Ok(Invocation::Show(text)) => text,
        other => panic!("{line}: {other:?}"),
    };
    for command in command().get_subcommands().map(|command| command.get_name().to_owned()) {
        let long = shown(&format!("rigel help {command}"));
        assert!(long.contains("Examples:"), "{long}");
        if command != "orion" {
            let short = shown(&format!("rigel {command} -h"));
            assert_eq!(long, shown(&format!("rigel {command} --help")), "{command}");
            assert_eq!(long, shown(&format!("rigel {command} help")), "{command}");
            assert!(short.lines().count() <= long.lines().count(), "{short}");
            assert!(short.contains("-h, --help"), "{short}");
            // Examples first.
            let [example, option] = ["Examples:", "--help"].map(|part| long.find(part));
            assert!(
                example < option || ["capacity", "durability", "load"].contains(&command.as_str()),
                "{long}"
            );
        }
    }
    let (short, long) = (shown("rigel run -h"), shown("rigel help run"));
    for (option, in_summary) in
        [("--precision", true), ("--destroy-data", true), ("--stripe", false), ("--cpus", false)]
    {
        assert!(long.contains(option), "{option}");
        assert_eq!(short.contains(option), in_summary, "{option}");
    }
    assert!(long.contains("Random I/O mixes reads") && !short.contains("Random I/O mixes reads"));
    let (short, long) = (shown("rigel orion -help"), shown("rigel help orion"));
    assert!(long.len() > short.len() && short.contains("rigel help orion"), "{short}");
    for part in ["mytest.lun", "_DATE_TIME_", "ci.csv", "one_visit"] {
        assert!(long.contains(part) && !short.contains(part), "{part}");
    }
    // `rigel run` has another default than this command.
    assert!(short.contains("[default: one visit per point, no interval]") && !short.contains("of rigel run"));
    assert!(short.contains("[default: warm up for 2 minutes]"), "{short}");
    let first = shown("rigel");
    for same in ["rigel help", "rigel -h", "rigel --help"] {
        assert_eq!(first, shown(same), "{same}");
    }
    assert!(first.contains("calibrate") && first.contains("`rigel help COMMAND`"), "{first}");
    assert!(shown("rigel capacity").contains("forecast") && shown("rigel durability").contains("witness"));
    assert_eq!(shown("rigel --version"), shown("rigel version"));
    assert_eq!(shown("rigel -V"), shown("rigel -v"));
    assert!(shown("rigel --version").starts_with(&shown("rigel -V")));
}

/// Old names of an option stay, and mean the same.
#[test]
fn time_and_product_have_one_name_and_the_old_ones_stay() {
    for (old, new) in [
        ("run oltp --max-duration 3m --seed 1", "run oltp --for 3m --seed 1"),
        ("calibrate --budget 30s --seed 1", "calibrate --for 30s --seed 1"),
        ("slo --p99 2ms --duration 5m --seed 1", "slo --p99 2ms --for 5m --seed 1"),
        ("slo --p999 2ms --max-outstanding 9 --seed 1", "slo --p99.9 2ms --qd 9 --seed 1"),
        ("sql simple --max-duration 3m --seed 1", "sql simple --for 3m --seed 1"),
        ("sql simple --seed 1", "sql simple --database postgresql --seed 1"),
        ("advise --last --for oracle", "advise --last --database oracle"),
    ] {
        // Only the echo of what was typed differs.
        let shown = |line: &str| match read_line(&format!("rigel {line}")).unwrap() {
            Invocation::Run(options) | Invocation::Sql(options) => {
                let request = Request { command_line: String::new(), ..options.request.clone() };
                format!("{:?}", RunOptions { request, ..*options })
            }
            other => format!("{other:?}"),
        };
        assert_eq!(shown(old), shown(new), "{old}");
    }
    let told = refused("rigel sql simple --database oracle");
    assert!(told.contains("only postgresql and mysql can"), "{told}");
    assert!(told.contains("`rigel run --load oracle`"), "{told}");
    for (line, part) in
        [("dss --report-by join", "cannot join"), ("dss --report-size 80K", "a multiple of 32K")]
    {
        let told = refused(&format!("rigel sql {line} --database mariadb"));
        assert!(told.contains(part), "{told}");
    }
}

#[test]
fn man_pages_and_completions_are_asked_for() {
    assert_eq!(read_line("rigel man"), Ok(Invocation::Man(ManOptions::One(None))));
    assert_eq!(read_line("rigel man run"), Ok(Invocation::Man(ManOptions::One(Some("run".into())))));
    let all = ManOptions::All { out: "d".into(), force: true };
    assert_eq!(read_line("rigel man --out d --force"), Ok(Invocation::Man(all)));
    assert_eq!(read_line("rigel completions ZSH"), Ok(Invocation::Completions(Shell::Zsh)));
}

#[test]
fn a_report_is_asked_for() {
    let text = read_line("rigel report a_record.jsonl");
    assert!(matches!(text, Ok(Invocation::Report(options)) if options.format == Format::Text));
    let found = read_line("rigel report a_record.jsonl --format ORION --orion-version 11.1 --force");
    let expected = ReportOptions {
        records: vec!["a_record.jsonl".into()],
        format: Format::Orion(OrionVersion::V11_1),
        out: None,
        force: true,
        explain: false,
        size: None,
    };
    assert_eq!(found, Ok(Invocation::Report(expected)));
    for line in ["rigel report a --html", "rigel report a --format html"] {
        let found = read_line(line);
        assert!(matches!(found, Ok(Invocation::Report(options)) if options.format == Format::Html), "{line}");
    }
}

#[test]
fn the_environment_is_asked_last() {
    let environment = Environment { orion_version: Some("11.1".into()) };
    let found = read(&argv("rigel report a --format orion"), &environment);
    assert!(
        matches!(found, Ok(Invocation::Report(options)) if options.format == Format::Orion(OrionVersion::V11_1))
    );
    let wrong = Environment { orion_version: Some("8i".into()) };
    let problem = read(&argv("rigel run simple"), &wrong).unwrap_err();
    assert!(problem.place.unwrap().contains("RIGEL_ORION_VERSION"));
}

#[test]
fn foreign_text_is_printable_before_it_is_kept_or_told() {
    let hostile = OsString::from_vec(b"\x1b[2J\xff".to_vec());
    let arguments = |rest: &[&OsString]| -> Vec<OsString> {
        let start = argv("rigel run simple");
        start.into_iter().chain(rest.iter().copied().cloned()).collect()
    };
    let name = OsString::from("--name");
    let Ok(Invocation::Run(options)) = read(&arguments(&[&name, &hostile]), &Environment::default()) else {
        panic!("any name will do");
    };
    assert_eq!(options.request.name, "\\x1b[2J\\xff");
    assert_eq!(options.request.command_line, "simple --name '\\x1b[2J\\xff' ");
    let seed = OsString::from("--seed");
    let escape = OsString::from("\u{1b}[31m");
    let problem = read(&arguments(&[&seed, &escape]), &Environment::default()).unwrap_err();
    assert!(!problem.to_string().contains('\u{1b}'), "{problem:?}");
}

#[test]
fn consent_to_a_run_that_only_reads_is_remarked() {
    let found = run("rigel run simple /dev/b --destroy-data /dev/b");
    assert_eq!(found.notes.len(), 1);
    assert!(run("rigel run simple /dev/b --destroy-data /dev/b --write 1").notes.is_empty());
}

#[test]
fn names_leave_room_for_what_follows() {
    refused(&format!("rigel run simple --name {}", "n".repeat(181)));
    run(&format!("rigel run simple --name {}", "n".repeat(180)));
    let empty = ["rigel", "run", "simple", "--name", ""].map(OsString::from);
    assert!(read(&empty, &Environment::default()).is_err());
    let empty = ["rigel", "run", "simple", ""].map(OsString::from);
    assert!(read(&empty, &Environment::default()).is_err());
}

#[test]
fn a_live_view_has_the_terminal_for_itself() {
    assert!(run("rigel run simple --tui").display.tui);
    assert!(run("rigel run simple --tui --json").display.tui, "JSON comes when the view is gone");
    assert!(!run("rigel run simple").display.tui);
    assert!(run("rigel calibrate --tui").display.tui && !run("rigel calibrate").display.tui);
    for (command, other) in [("run simple", "--quiet"), ("run simple", "--verbose"), ("calibrate", "--quiet")]
    {
        let told = refused(&format!("rigel {command} --tui {other}"));
        assert!(told.contains(&format!("--tui cannot be combined with {other}")), "{told}");
    }
}

#[test]
fn a_precision_or_a_fixed_time() {
    let pace = |line: &str| run(line).request.pace().unwrap();
    let adaptive = |precision, max_duration, fast| Pace::Adaptive(Adaptive { precision, max_duration, fast });
    assert_eq!(pace("rigel run oltp"), adaptive(Precision(50), None, false));
    let limit = Some(Nanos::from_secs(300));
    assert_eq!(
        pace("rigel run oltp --precision 2% --max-duration 5m --fast"),
        adaptive(Precision(20), limit, true)
    );
    assert_eq!(pace("rigel run oltp --duration 60s"), Pace::Fixed(Nanos::from_secs(60)));
    assert_eq!(pace("orion -run oltp"), Pace::Fixed(Nanos::from_secs(60)), "as ORION measures");
    assert_eq!(pace("orion -run oltp --precision 1%"), adaptive(Precision(10), None, false));
    assert!(run("rigel run normal --levels auto").request.searches_levels());
    for (line, part) in [
        ("rigel run oltp --duration 10s --precision 5%", "--precision cannot be combined with --duration"),
        ("orion -run oltp -duration 10 --fast", "--fast cannot be combined with -duration"),
        ("rigel run oltp --precision 50%", "0.5% to 20%"),
        ("rigel run oltp --max-duration 10ms", "too short"),
        ("rigel run advanced --levels auto", "custom matrix"),
        ("rigel run oltp --levels auto --duration 5s", "--levels auto cannot be combined with --duration"),
        ("rigel run oltp --levels auto --num-disks 2", "--num-disks cannot be combined with --levels auto"),
    ] {
        let told = refused(line);
        assert!(told.contains(part), "{line}: {told}");
    }
}

#[test]
fn advice_is_from_records_or_the_last_calibration() {
    let advise = |line: &str| match read_line(line) {
        Ok(Invocation::Advise(options)) => options,
        other => panic!("{line}: {other:?}"),
    };
    let page = advise("rigel advise a_record.jsonl b_record.jsonl");
    assert_eq!((page.records.len(), page.product, page.json, page.server_version), (2, None, false, 13));
    assert_eq!((page.conditions.hit_rate, page.explain), (None, false));
    let file = advise("rigel advise --last --for PostgreSQL --server-version 18 --hit-rate 50%");
    assert!(file.records.is_empty());
    assert_eq!((file.product, file.server_version), (Some(Product::Postgresql), 18));
    assert_eq!(file.conditions.hit_rate, Some("50%".parse().unwrap()));
    for (line, part) in [
        ("rigel advise", "RECORD"),
        ("rigel advise a --last", "--last"),
        ("rigel advise a --for db2", "db2"),
        ("rigel advise a --for mysql --json", "--json"),
        ("rigel advise a --for mysql --server-version 15", "--server-version"),
        ("rigel advise a --server-version 15", "--server-version"),
        ("rigel advise a --for postgresql --server-version 12", "12"),
        ("rigel advise a --hit-rate 101%", "101"),
    ] {
        let told = refused(line);
        assert!(told.contains(part), "{line}: {told}");
    }
}

/// What the self-test tries is what the command asks for.
#[test]
fn the_calibrations_of_the_self_test_are_those_of_the_command() {
    let cases = rigel_uses::selftest::thorough().into_iter();
    for case in cases.filter(|case| case.bound.is_some()) {
        let (bound, budget) = (case.bound.unwrap(), case.pace.max_duration.unwrap());
        let line = format!(
            "rigel calibrate --engine sim:{} --max-latency {}us --percentile {} --budget {}s --seed 7",
            case.law,
            bound.limit.0 / 1000,
            bound.of.name(),
            budget.0 / 1_000_000_000
        );
        let wanted = run(&line).request;
        let names = Request {
            name: wanted.name.clone(),
            command_line: wanted.command_line.clone(),
            ..case.request(7).unwrap()
        };
        assert_eq!(names, wanted, "{}", case.name);
    }
}

/// What an interrupted run was asked for is in its record; an option that is forgotten here would be taken and ignored.
#[test]
fn a_run_that_goes_on_takes_no_option_of_the_load() {
    let mut cli = command();
    cli.build();
    let run = cli.find_subcommand("run").unwrap();
    let resume = run.get_arguments().find(|option| option.get_id() == "resume").unwrap();
    let conflicts: Vec<&str> =
        run.get_arg_conflicts_with(resume).iter().map(|option| option.get_id().as_str()).collect();
    let taken: Vec<&str> = run
        .get_arguments()
        .map(|option| option.get_id().as_str())
        .filter(|option| !conflicts.contains(option) && *option != "resume")
        .collect();
    assert_eq!(
        taken,
        ["destroy_data", "dry_run", "json", "no_html", "quiet", "orion_version", "verbose", "tui", "help"]
    );
    let Ok(Invocation::Resume(options)) =
        read_line("rigel run --resume a_record.jsonl --json --destroy-data x")
    else {
        panic!("not read");
    };
    assert!(options.display.json && options.record.ends_with("a_record.jsonl") && options.destroy.len() == 1);
    assert!(
        refused("rigel run --resume a_record.jsonl --quiet --tui")
            .contains("--tui cannot be combined with --quiet")
    );
}

/// What calibrates without a command line, such as a database, makes the same request.
#[test]
fn a_calibration_from_within_is_the_one_of_the_command_line() {
    let options =
        run("rigel calibrate /t --no-commits --max-latency 20ms --num-disks 3 --budget 40s --seed 7");
    let bound = LatencyBound { limit: Nanos::from_millis(20), of: LatencyOf::Mean };
    let wanted = Request {
        num_disks: Some(3),
        seed: 7,
        command_line: options.request.command_line.clone(),
        ..Request::calibration(bound, Nanos::from_secs(40))
    };
    assert_eq!(options.request, wanted);
}
