//! `rigel capacity forecast` of a storage that `rigel run burst` found to be a token bucket: the history goes through it minute by minute.

use crate::support::Place;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;

/// Thirty days by the minute, as `S_TIME_FORMAT=ISO iostat -x -t 60` writes them: from 2:00 to 3:00 of each night so many I/Os per second, else `quiet`; a sixth of them
/// are writes.
fn iostat(peak: f64, quiet: f64) -> String {
    let mut text = "Linux 6.1.0 (db1) \t11/01/2026 \t_x86_64_\t(4 CPU)\n\n".to_owned();
    for minute in 0..30 * 24 * 60 {
        let (day, hour, minute) = (minute / 1440 + 1, minute / 60 % 24, minute % 60);
        // A report is about the time before it.
        let is_peak = (hour == 2 && minute > 0) || (hour == 3 && minute == 0);
        let rate = if is_peak { peak } else { quiet };
        let [reads, writes] = [rate * 5.0 / 6.0, rate / 6.0];
        writeln!(text, "2026-11-{day:02}T{hour:02}:{minute:02}:00+0000").unwrap();
        writeln!(text, "Device r/s rkB/s r_await rareq-sz w/s wkB/s w_await wareq-sz aqu-sz %util").unwrap();
        let (read_kb, write_kb) = (reads * 8.0, writes * 8.0);
        writeln!(
            text,
            "sda {reads:.2} {read_kb:.2} 0.50 8.00 {writes:.2} {write_kb:.2} 0.50 8.00 0.10 10.00\n"
        )
        .unwrap();
    }
    text
}

/// A bucket of 540,000 I/Os that refills at 300 a second and gives 3,000, and a history.
fn place(peak: f64, quiet: f64) -> Place {
    let place = Place::new();
    place
        .line("run burst --engine sim:servers=3,service=1ms,rate=0,bucket=300:540000 --seed 1 --name gp2 --no-html --quiet")
        .expect_code(0);
    fs::rename(place.only("_record.jsonl"), place.path().join("gp2.jsonl")).unwrap();
    fs::write(place.path().join("iostat.log"), iostat(peak, quiet)).unwrap();
    place.line("capacity import iostat.log --store s.sqlite").expect_code(0);
    place
}

fn near(value: &Value, right: f64, share: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - right).abs() <= share * right)
}

/// A peak of 900 uses up 600 of credit a second, which is all of it after 15 minutes; the rest of the hour waits, and is served at 300 while 180 arrive.
#[test]
fn a_nightly_peak_empties_a_token_bucket_every_night() {
    let place = place(900.0, 180.0);
    let told = place.line("capacity forecast gp2.jsonl --store s.sqlite --json").expect_code(0);
    let document = told.json();
    let storage = &document["storages"][0];
    let credits = &storage["credits"];
    assert_eq!((&credits["spells"], &credits["step_s"]), (&30.into(), &60.into()), "{credits}");
    let night_s = 45.0 * 60.0 + 600.0 * 45.0 * 60.0 / 120.0;
    assert!(near(&credits["longest"]["lasted_s"], night_s, 0.02), "{credits}");
    assert!(near(&credits["empty_s"], 30.0 * night_s, 0.02), "{credits}");
    let begins_s = credits["longest"]["from_s"].as_f64().unwrap().rem_euclid(86_400.0);
    assert!((begins_s - 135.0 * 60.0).abs() < 60.0, "{credits}");
    assert!(near(&credits["enough_size"], 600.0 * 3600.0, 0.02), "{credits}");
    assert!(near(&credits["enough_refill"], 750.0, 0.02), "{credits}");
    assert!(near(&credits["times"]["value"], 0.5, 0.02), "{credits}");
    // Half of today's load is the limit, so that a busy day uses twice of it.
    let ends = &storage["resources"][0];
    assert!(near(&ends["used"], 2.0, 0.02), "{ends}");
    let text = place.line("capacity forecast gp2.jsonl --store s.sqlite").expect_code(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in ["already used up", "ran empty 30 times", "I/Os of credits it would not have run empty"] {
        assert!(words.contains(said), "{said}: {text}");
    }
    assert!(!words.contains("never ran empty") && !words.contains("busiest minutes"), "{text}");
}

#[test]
fn a_bucket_that_holds_says_how_much_more_load_it_takes() {
    let place = place(400.0, 100.0);
    let forecast = |more: &str| place.line(&format!("capacity forecast gp2.jsonl --store s.sqlite {more}"));
    let document = forecast("--json").expect_code(0).json();
    let credits = &document["storages"][0]["credits"];
    assert_eq!(credits["spells"], 0, "{credits}");
    // 100 a second for an hour of 540,000 leave a third; 450 a second for an hour use up all.
    assert!(
        near(&credits["least_left"], 1.0 / 3.0, 0.03) && near(&credits["times"]["value"], 1.125, 0.02),
        "{credits}"
    );
    let text = forecast("").expect_code(0).stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("never ran empty") && words.contains("1.12"), "{text}");
    // More load at once is through the bucket, too.
    let more = forecast("--json --grow 30%").expect_code(0).json();
    assert_eq!(more["storages"][0]["credits"]["spells"], 30, "{more}");
}

#[test]
fn a_rate_that_does_not_fall_is_a_limit_and_has_no_credits() {
    let place = place(400.0, 100.0);
    place
        .line(
            "run burst --engine sim:servers=3,service=1ms --for 2min --seed 1 --name flat --no-html --quiet",
        )
        .expect_code(0);
    let record = place.only_of("flat", "_record.jsonl").display().to_string();
    let document =
        place.line(&format!("capacity forecast {record} --store s.sqlite --json")).expect_code(0).json();
    let storage = &document["storages"][0];
    assert!(storage["credits"].is_null(), "{storage}");
    assert!(near(&storage["resources"][0]["limit"]["value"], 3000.0, 0.02), "{storage}");
    assert_eq!(storage["resources"][0]["limit_from"], "the rate that did not fall");
}
