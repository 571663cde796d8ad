//! Man pages and completions as the binary writes them, judged by the programs that they are for.

use crate::support::{Place, tell};
use crate::within;
use rigel_testdev::{MissingNeed, needs};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that this machine may lack.
fn program(name: &str) -> Result<PathBuf, MissingNeed> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.ok_or_else(|| MissingNeed::new(format!("{name} is not installed")))
}

/// The script for a shell, in a file.
fn script(place: &Place, shell: &str) -> PathBuf {
    let path = place.path().join(shell);
    std::fs::write(&path, within::line(&format!("completions {shell}")).expect_code(0).stdout).unwrap();
    path
}

#[test]
fn bash_completes_an_option_and_a_word() {
    let place = Place::new();
    let Some(bash) = needs("bash_completes_an_option_and_a_word", program("bash")) else { return };
    let script = script(&place, "bash");
    tell(Command::new(&bash).arg("-n").arg(&script)).expect_code(0);
    let completed = |words: &str| {
        let ask = format!(
            "source '{}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _rigel rigel \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        tell(Command::new(&bash).args(["--norc", "-c", &ask])).expect_code(0).stdout
    };
    assert_eq!(completed("rigel run --prec"), "--precision\n");
    assert_eq!(completed("rigel repo"), "report\n");
    assert!(completed("rigel run ol").contains("oltp"));
    // Presets beside files.
    for command in ["run", "slo", "versus", "soak"] {
        assert_eq!(completed(&format!("rigel {command} --load mys")), "mysql\n");
    }
    assert_eq!(
        completed(&format!("rigel run --load {}", place.path().join("ba").display())),
        format!("{}\n", script.display())
    );
    assert!(!completed("rigel run --resume mys").contains("mysql"));
}

#[test]
fn zsh_reads_the_script() {
    let place = Place::new();
    let Some(zsh) = needs("zsh_reads_the_script", program("zsh")) else { return };
    let script = script(&place, "zsh");
    let told = tell(Command::new(zsh).args(["-f", "-n"]).arg(&script)).expect_code(0);
    assert_eq!(told.stderr, "");
    let text = std::fs::read_to_string(&script).unwrap();
    let mut loads = text.lines().filter(|line| line.starts_with("'--load="));
    assert!(
        loads.all(|line| line.contains("(postgresql mysql oracle)") && line.contains("_files")),
        "{text}"
    );
}

#[test]
fn fish_completes_an_option() {
    let place = Place::new();
    let Some(fish) = needs("fish_completes_an_option", program("fish")) else { return };
    let script = script(&place, "fish");
    let ask = format!("source '{}'; complete -C 'rigel run --prec'", script.display());
    // It keeps its settings where HOME says.
    let told =
        tell(Command::new(fish).env("HOME", place.path()).args(["--no-config", "-c", &ask])).expect_code(0);
    assert!(told.stdout.starts_with("--precision"), "{}{}", told.stdout, told.stderr);
    let text = std::fs::read_to_string(&script).unwrap();
    let line =
        text.lines().find(|line| line.contains("subcommand run") && line.contains("-l load ")).unwrap();
    assert!(line.ends_with("-r -F -a 'postgresql mysql oracle'"), "{line}");
}

/// What is formatted, and every warning that there is.
fn formatted(groff: &Path, page: &Path) -> String {
    let told = tell(Command::new(groff).args(["-man", "-Tascii", "-ww", "-P-cbou"]).arg(page)).expect_code(0);
    assert_eq!(told.stderr, "", "{}", page.display());
    told.stdout
}

#[test]
fn the_man_pages_are_sound() {
    let place = Place::new();
    let Some(groff) = needs("the_man_pages_are_sound", program("groff")) else { return };
    let out = place.path().join("man");
    std::fs::create_dir(&out).unwrap();
    let told = place.line("man --out man").expect_code(0);
    let pages: Vec<&str> = told.stdout.lines().collect();
    for name in ["rigel.1", "rigel-run.1", "rigel-orion.1", "rigel-report.1", "rigel-man.1"] {
        assert!(pages.iter().any(|page| page.ends_with(&format!("/{name}"))), "{name}: {pages:?}");
    }
    for page in &pages {
        let text = formatted(&groff, &place.path().join(page));
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"] {
            assert!(text.contains(section), "{section} in {page}:\n{text}");
        }
        // What may not be broken is told on a line of its own, so no line is wider than a terminal but these.
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.len() < 8, "{wide:#?}");
    }
    place.line("man --out man").expect_code(3);
    place.line("man --out man --force").expect_code(0);
    let run = place.line("man run").expect_code(0).stdout;
    assert_eq!(run, std::fs::read_to_string(out.join("rigel-run.1")).unwrap());
    let text = formatted(&groff, &out.join("rigel-run.1"));
    assert!(text.contains("--precision <PERCENT>") && text.contains("EXAMPLES"), "{text}");
    assert!(formatted(&groff, &out.join("rigel-orion.1")).contains("-num_streamIO"));
}

/// One screen, also of an old terminal.
#[test]
fn a_summary_fits_on_a_screen() {
    let place = Place::new();
    for (columns, most) in [("100", 44), ("80", 50)] {
        for command in ["run", "calibrate", "report", "compare", "advise"] {
            let told = tell(place.command().env("COLUMNS", columns).args([command, "-h"])).expect_code(0);
            assert!(told.stdout.lines().count() <= most, "{columns} columns:\n{}", told.stdout);
        }
    }
}
