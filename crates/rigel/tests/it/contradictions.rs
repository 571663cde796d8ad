//! Searches for a rate, two sides and soaks of simulated devices by chance, in every output: no sentence says what a figure of its own document does not.
//!
//! The rules are written down here once more, from the figures alone. Commands that outputs offer have a test of their own.

use crate::support::{EPOCH, Place, flat, tell};
use serde_json::Value;
use std::collections::BTreeMap;

/// Choices from a seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        all[usize::try_from((mixed ^ (mixed >> 31)) % all.len() as u64).unwrap()]
    }

    fn law(&mut self) -> String {
        let servers = self.of(&[1, 2, 4, 8]);
        let service = self.of(&["900us", "1ms", "1010us", "4ms"]);
        let noise = self.of(&["between=0.2%", "between=5%", "between=20%", "spread=exponential"]);
        format!("sim:servers={servers},service={service},rate=0,{noise}")
    }
}

/// What a run by chance says.
struct RunOutputs {
    line: String,
    /// The document of its kind.
    json: Value,
    /// The outputs for people, each on one line, by their names.
    texts: Vec<(&'static str, String)>,
}

impl RunOutputs {
    fn of(line: &str) -> Self {
        let place = Place::in_memory();
        let run = |arguments: &str| {
            let told = tell(place.command().args(shell(arguments)).env("SOURCE_DATE_EPOCH", EPOCH));
            assert!([0, 1].contains(&told.code), "{arguments}: {}", told.stderr);
            told
        };
        let first = run(&format!("{line} --quiet"));
        let record = place.only("_record.jsonl").display().to_string();
        let is_versus = line.starts_with("versus");
        let json = match is_versus {
            true => run(&format!("versus --record {record} --json")).json(),
            false => run(&format!("report {record} --format json")).json(),
        };
        let page = if is_versus { place.read("_versus.html") } else { place.read("_report.html") };
        let text = |format: &str| flat(&run(&format!("report {record} --format {format}")).stdout);
        let texts = vec![
            ("terminal", flat(&first.stdout)),
            ("text", text("text")),
            ("markdown", unescaped(&text("markdown"))),
            ("page", flat(&unescaped(&without_tags(page.split("<script").next().unwrap())))),
        ];
        Self { line: line.to_owned(), json, texts }
    }

    /// A sentence of the document stands in these outputs.
    fn is_everywhere(&self, sentence: &str, but: &[&str]) {
        for (name, text) in self.texts.iter().filter(|(name, _)| !but.contains(name)) {
            assert!(text.contains(&flat(sentence)), "{}: {name} lacks '{sentence}': {text}", self.line);
        }
    }

    fn tone(&self) -> &str {
        self.json["verdict"]["tone"].as_str().unwrap()
    }
}

/// The words of a command, of which some are quoted.
fn shell(line: &str) -> Vec<String> {
    rigel_testdev::offers::shell::commands(line).unwrap().remove(0)
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for sign in html.chars() {
        match sign {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            _ => text.push(sign),
        }
    }
    text
}

fn unescaped(text: &str) -> String {
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    signs.iter().fold(text.to_owned(), |text, (escaped, sign)| text.replace(escaped, sign))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// How often each word was said: a test that never saw one says nothing of it.
#[derive(Default)]
struct WordCounts(BTreeMap<String, usize>);

impl WordCounts {
    fn say(&mut self, word: &str) {
        *self.0.entry(word.to_owned()).or_default() += 1;
    }

    fn has_all(&self, words: &[&str]) {
        assert!(words.iter().all(|word| self.0.contains_key(*word)), "{:?}", self.0);
    }
}

#[test]
fn a_search_for_a_rate_says_what_its_figures_say_in_every_output() {
    let mut seen = WordCounts::default();
    for seed in 0..10 {
        let mut draw = Draw(seed);
        let law = draw.law();
        let required = [
            draw.of(&["p99 < 5ms @ 100", "p99 < 4600us @ 100", "p95 < 5ms @ 6000"]),
            draw.of(&["mean < 1100us @ 100", "p99 < 10ms @ 1100", "mean < 30ms @ 9000"]),
        ];
        let bound = draw.of(&["", "--bound 'p99 < 8ms'"]);
        let [one, other] = required;
        let told = RunOutputs::of(&format!(
            "slo --engine {law} --seed {seed} --require '{one}' --require '{other}' {bound} --duration 6m"
        ));
        required_agrees(&told, &mut seen);
        rate_agrees(&told);
        seen.say(told.tone());
    }
    seen.has_all(&["yes", "no", "undecided"]);
}

fn required_agrees(told: &RunOutputs, seen: &mut WordCounts) {
    let sentences = told.json["told"].as_str().unwrap();
    for one in told.json["required"].as_array().unwrap() {
        let (kept, cause) = (one["kept"].as_str().unwrap(), &one["cause"]);
        seen.say(kept);
        let name = one["requirement"].as_str().unwrap();
        let (_, said) = sentences.split_once(&format!("Required {name}: ")).expect(sentences);
        let by_word = match said {
            _ if said.starts_with("met") => "yes",
            _ if said.starts_with("NOT met") => "no",
            _ => "undecided",
        };
        assert_eq!(by_word, kept, "{}: {sentences}", told.line);
        // Where the numbers may not be used, nothing is decided by them.
        let is_plain = kept == "undecided" || cause.is_string();
        assert!(
            told.tone() != "do_not_use" || is_plain,
            "{}: {one} beside {}",
            told.line,
            told.json["verdict"]
        );
        let Some(figure) = one["seen"].as_object() else { continue };
        let allowed = number(&figure["allowed"]);
        let by_interval = match (number(&figure["lo95"]), figure["hi95"].as_f64()) {
            (low, _) if low > allowed => "no",
            (_, Some(high)) if high <= allowed => "yes",
            _ => "undecided",
        };
        let is_by_others = cause == "rates_around";
        assert!(
            is_by_others || kept == by_interval || kept == "undecided" && cause.is_string(),
            "{}: {one}",
            told.line
        );
    }
    told.is_everywhere(sentences.split(". ").next().unwrap(), &[]);
}

/// The ends of the bracket are in order, and no row that is certain lies on the wrong side of both.
fn rate_agrees(told: &RunOutputs) {
    let rate = &told.json["rate"];
    if rate.is_null() {
        return;
    }
    let ends: Vec<f64> =
        ["lower", "estimate", "upper"].iter().filter_map(|end| rate[*end].as_f64()).collect();
    assert!(ends.is_sorted(), "{}: {rate}", told.line);
    let said = told.json["verdict"]["reached"].as_str().unwrap();
    assert!(told.tone() != "do_not_use" || said.starts_with("As measured: "), "{}: {said}", told.line);
    told.is_everywhere(said, &[]);
}

#[test]
fn two_sides_say_what_their_figures_say_in_every_output() {
    let mut seen = WordCounts::default();
    for seed in 0..10 {
        let mut draw = Draw(100 + seed);
        let (a, b) = (draw.law(), draw.law());
        let kind = draw.of(&["simple", "oltp", "open --rate 200", "open --rate 1900"]);
        let time = draw.of(&["100s", "200s", "4m"]);
        let gate = draw.of(&["", "--fail-if 'small_p99 < -5%'", "--fail-if 'open_p99 > 5ms'"]);
        let is_of_kind = kind.starts_with("open") == gate.contains("open");
        let gate = if is_of_kind { gate } else { "" };
        let told = RunOutputs::of(&format!(
            "versus {kind} --engine {a} --and-engine {b} --seed {seed} --max-duration {time} {gate}"
        ));
        let sentences: Vec<&str> =
            told.json["sentences"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        let all = sentences.join(" ");
        for row in told.json["rows"].as_array().unwrap() {
            row_agrees(&told, row, &mut seen);
        }
        let effects: Vec<&str> = told.json["overall"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["effect"].as_str().unwrap())
            .collect();
        let is_directed = effects.iter().any(|effect| ["better", "worse"].contains(effect));
        let says_so = ["faster than A (", "slower than A (", "latency than A (", "lower (", "higher ("];
        assert!(is_directed || !says_so.iter().any(|word| all.contains(word)), "{}: {all}", told.line);
        let is_alike = effects.contains(&"alike");
        assert!(is_alike || !all.to_lowercase().contains("no difference"), "{}: {all}", told.line);
        assert!(told.tone() != "do_not_use" || !is_directed, "{}: {all}", told.line);
        told.is_everywhere(sentences[0], &["text"]);
    }
    seen.has_all(&["better", "worse", "undecided"]);
}

fn row_agrees(told: &RunOutputs, row: &Value, seen: &mut WordCounts) {
    let verdict = row["verdict"].as_str().unwrap();
    seen.say(verdict);
    let change = &row["change"];
    if change.is_null() {
        assert!(!["better", "worse", "alike"].contains(&verdict), "{}: {row}", told.line);
        return;
    }
    let (low, high) = (number(&change["lo"]), number(&change["hi"]));
    assert!(low <= high, "{}: {row}", told.line);
    match verdict {
        "better" | "worse" => assert!(low > 0.0 || high < 0.0, "{}: {row}", told.line),
        "alike" => assert!(low >= -0.05 && high <= 0.05, "{}: {row}", told.line),
        _ => assert!(low <= 0.0 && high >= 0.0, "{}: {row}", told.line),
    }
}

#[test]
fn a_soak_says_what_its_figures_say_in_every_output() {
    let mut seen = WordCounts::default();
    for seed in 0..10 {
        let mut draw = Draw(200 + seed);
        let law = draw.law();
        let fall = draw.of(&["", "", ",fall=0.1:9s:14s", ",fall=0.05:20s:40s", ",lost=500"]);
        let more = draw.of(&["", "--write 30", "--every 5s"]);
        let told = RunOutputs::of(&format!("soak --engine {law}{fall} --for 60s {more} --seed {seed}"));
        soak_agrees(&told, &mut seen);
        let is_slow = fall.starts_with(",fall");
        let has_spells = !told.json["slow_spells"].as_array().unwrap().is_empty();
        // Where I/Os are lost, those that are left have the device for themselves until the others are given up.
        let is_steady = !fall.starts_with(",lost");
        assert!(!is_steady || has_spells == is_slow, "{}: {}", told.line, told.json["slow_spells"]);
    }
    seen.has_all(&["slow", "steady"]);
}

fn soak_agrees(told: &RunOutputs, seen: &mut WordCounts) {
    let json = &told.json;
    let verdict = json["told"][0].as_str().unwrap();
    let is_faulty = json["faulty"].as_bool().unwrap();
    assert_eq!(verdict.starts_with("Something is wrong"), is_faulty, "{}: {verdict}", told.line);
    let spells = json["slow_spells"].as_array().unwrap();
    seen.say(if spells.is_empty() { "steady" } else { "slow" });
    assert!(is_faulty || verdict.contains("far slower than usual") != spells.is_empty(), "{verdict}");
    let is_clean = json["errors"] == 0 && spells.is_empty() && json["longest"].is_null();
    assert!(is_clean || !verdict.contains("Nothing wrong was found"), "{}: {verdict}", told.line);
    let course = json["course"].as_array().unwrap();
    for spell in spells {
        let (from, until) = (number(&spell["at_s"]), number(&spell["at_s"]) + number(&spell["lasted_s"]));
        let (mean, usual) = (number(&spell["latency_mean_us"]), number(&spell["usual_us"]));
        assert!(mean >= 4.0 * usual, "{}: {spell}", told.line);
        // Something of that time has a mean above what is usual.
        let class = spell["class"].as_str().unwrap();
        let touches = |moment: &&Value| {
            number(&moment["at_s"]) < until && number(&moment["at_s"]) + number(&moment["lasted_s"]) > from
        };
        let mut means =
            course.iter().filter(touches).filter_map(|one| one["classes"][class]["latency_mean_us"].as_f64());
        assert!(means.any(|mean| mean > usual), "{}: {spell}", told.line);
    }
    if let Some(us) = json["longest"]["latency_us"].as_f64() {
        let phases = json["phases"].as_array().unwrap().iter();
        let classes = phases.flat_map(|phase| phase["classes"].as_object().unwrap().values());
        let most = classes.filter_map(|io| io["latency_max_us"].as_f64()).fold(0.0, f64::max);
        assert!(us <= most * 1.001, "{}: {us} {most}", told.line);
    }
    told.is_everywhere(verdict, &["markdown"]);
}
