//! The figures that outputs tell, by what they are about: readers of each format.
//!
//! A key is a quantity and its part: `5,0 small iops lo95`, `most small value`. Latencies are in microseconds.

use serde_json::Value;
use std::collections::BTreeMap;

/// A figure as an output tells it, and by how much it may be off because the output has few digits.
struct Figure {
    source: &'static str,
    value: f64,
    tolerance: f64,
}

#[derive(Default)]
pub struct OutputNumbers(BTreeMap<String, Vec<Figure>>);

const PARTS: [&str; 3] = ["value", "lo95", "hi95"];

impl OutputNumbers {
    /// Every figure that occurs more than once is the same everywhere.
    pub fn agree(&self) {
        let mut wrong = Vec::new();
        for (key, figures) in &self.0 {
            for (place, one) in figures.iter().enumerate() {
                for other in &figures[place + 1..] {
                    if (one.value - other.value).abs() > one.tolerance + other.tolerance {
                        wrong.push(format!(
                            "{key}: {} in {}, {} in {}",
                            one.value, one.source, other.value, other.source
                        ));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// A figure is told by so many outputs or more: a reader that finds nothing shows nothing.
    pub fn is_told_by(&self, key: &str, outputs: usize) {
        let mut sources: Vec<&str> = self.0.get(key).into_iter().flatten().map(|one| one.source).collect();
        sources.dedup();
        assert!(sources.len() >= outputs, "{key} is told by {sources:?}");
    }

    fn add(&mut self, source: &'static str, key: &str, part: &str, value: f64, tolerance: f64) {
        let figure = Figure { source, value, tolerance };
        self.0.entry(format!("{key} {part}")).or_default().push(figure);
    }

    /// A value and its ends with all digits, `factor` to the unit of the key.
    fn exact(&mut self, source: &'static str, key: &str, figures: [&Value; 3], factor: f64) {
        for (part, figure) in PARTS.into_iter().zip(figures) {
            if let Some(value) = figure.as_f64() {
                self.add(source, key, part, value * factor, (value * factor).abs() * 1e-9);
            }
        }
    }

    /// `3,952 ±1.9 %`, `1.012 ms`: four figures, and half the width in per cent.
    fn written(&mut self, source: &'static str, key: &str, text: &str) {
        let (value, width) = text.split_once('±').map_or((text, None), |(value, width)| (value, Some(width)));
        if let Some(value) = number(value) {
            self.add(source, key, "value", value, value.abs() * 6e-4);
        }
        if let Some(width) = width {
            self.width(source, key, width);
        }
    }

    fn width(&mut self, source: &'static str, key: &str, text: &str) {
        let text = text.trim().trim_end_matches(['%', '*', ' ']);
        let Ok(width) = text.parse::<f64>() else { return };
        self.add(source, key, "width", width, if width < 9.95 { 0.051 } else { 0.51 });
    }

    pub fn json(&mut self, text: &str) {
        let document: Value = serde_json::from_str(text).unwrap();
        for point in document["points"].as_array().unwrap() {
            for class in ["small", "large"] {
                let io = &point["classes"][class];
                let key = |what: &str| {
                    format!("{},{} {class} {what}", point["levels"]["small"], point["levels"]["large"])
                };
                for rate in ["iops", "mbps"] {
                    let rates = &io[rate];
                    self.exact("json", &key(rate), PARTS.map(|part| &rates[part]), 1.0);
                }
                let us = &io["latency_us"];
                for what in ["mean", "p50", "p90", "p99"] {
                    self.exact("json", &key(what), PARTS.map(|part| &us[what][part]), 1.0);
                }
            }
        }
        let dsync =
            document["points"].as_array().unwrap().iter().filter(|point| point["levels"]["dsync"] == 1);
        for us in dsync.map(|point| &point["classes"]["dsync"]["latency_us"]) {
            self.exact("json", "1 dsync mean", PARTS.map(|part| &us["mean"][part]), 1.0);
        }
        let most = &document["best"]["dsync"]["rate"];
        self.exact("json", "most commits", [&most["value"], &most["lo95"], &most["hi95"]], 1.0);
        for (name, key, what) in [
            ("/small/rate", "most small", "small iops"),
            ("/large/rate", "most large", "large mbps"),
            ("/small/latency_us", "least latency", "small mean"),
        ] {
            let best = &document["best"].pointer(name).unwrap_or(&Value::Null);
            let figures = [&best["value"], &best["lo95"], &best["hi95"]];
            self.exact("json", key, figures, 1.0);
            // The best is the figure of its point.
            self.exact(
                "json",
                &format!("{},{} {what}", best["levels"]["small"], best["levels"]["large"]),
                figures,
                1.0,
            );
            self.place("json", key, best["levels"]["small"].as_f64().unwrap());
        }
    }

    /// The outstanding small I/Os of the point.
    fn place(&mut self, source: &'static str, key: &str, small: f64) {
        self.add(source, key, "at", small, 0.0);
    }

    pub fn csv(&mut self, source: &'static str, text: &str) {
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        for line in lines {
            let row: BTreeMap<&str, &str> = names.iter().copied().zip(line.split(',')).collect();
            for (column, what) in [
                ("iops", "iops"),
                ("mbps", "mbps"),
                ("latency_mean_us", "mean"),
                ("latency_p50_us", "p50"),
                ("latency_p90_us", "p90"),
                ("latency_p99_us", "p99"),
            ] {
                let class = row["class"];
                let key = match row.get(format!("level_{class}").as_str()) {
                    Some(level) => format!("{level} {class} {what}"),
                    None => format!("{},{} {class} {what}", row["small"], row["large"]),
                };
                for (part, ending) in PARTS.into_iter().zip(["", "_lo95", "_hi95"]) {
                    let field = row.get(format!("{column}{ending}").as_str()).copied().unwrap_or_default();
                    if let Ok(value) = field.parse::<f64>() {
                        self.add(source, &key, part, value, value.abs() * 1e-9);
                    }
                }
            }
        }
    }

    pub fn openmetrics(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let label = |name: &str| between(line, &format!("{name}=\""), "\"").unwrap_or_default();
            let (what, factor) = match line.split('{').next().unwrap() {
                "rigel_iops" => ("iops".to_owned(), 1.0),
                "rigel_throughput_bytes_per_second" => ("mbps".to_owned(), 1.0 / 1_048_576.0),
                "rigel_latency_mean_seconds" => ("mean".to_owned(), 1e6),
                "rigel_latency_seconds" => (format!("p{}", label("percentile")), 1e6),
                _ => continue,
            };
            let class = label("class");
            let key = match label(&format!("level_{class}")) {
                "" => format!("{},{} {class} {what}", label(",small"), label("large")),
                level => format!("{level} {class} {what}"),
            };
            let value = line.rsplit(' ').next().unwrap().parse::<f64>().unwrap() * factor;
            self.add("openmetrics", &key, label("bound"), value, value.abs() * 1e-9);
        }
    }

    pub fn page(&mut self, text: &str) {
        let block = between(text, "<script type=\"application/json\" id=\"findings\">", "</script>").unwrap();
        let document: Value = serde_json::from_str(block).unwrap();
        for point in document["points"].as_array().unwrap() {
            for class in ["small", "large"] {
                let rate = if class == "small" { "iops" } else { "mbps" };
                for (field, what) in [("rate", rate), ("mean", "mean"), ("p50", "p50"), ("p99", "p99")] {
                    let levels = &point["levels"];
                    let key = format!("{},{} {class} {what}", levels["small"], levels["large"]);
                    let figures = &point["ios"][class][field];
                    for (place, part) in PARTS.into_iter().enumerate() {
                        if let Some(value) = figures[place].as_f64() {
                            self.add("page's charts", &key, part, value, value.abs() * 6e-6);
                        }
                    }
                }
            }
        }
        // A number keeps its unit beside it.
        for card in text.replace('\u{a0}', " ").split("<div class=\"card\">").skip(1) {
            let Some(key) = headline(between(card, "<h3>", "</h3>").unwrap()) else { continue };
            let value = between(card, "<div class=\"value\">", "</div>").unwrap();
            self.written("page", key, value);
            if let Some(interval) = between(card, "<div class=\"unit\">±", " (95 %") {
                let (width, ends) = interval.split_once(" %: ").unwrap();
                self.width("page", key, width);
                let (lo, hi) = ends.split_once(" to ").unwrap();
                for (part, end) in [("lo95", lo), ("hi95", hi)] {
                    let end = number(end).unwrap();
                    self.add("page", key, part, end, end.abs() * 6e-4);
                }
            }
            let with = between(card, "<div class=\"unit\">with ", "<").unwrap();
            let small = with.split(" and ").find(|words| words.contains("small") || words.contains("writer"));
            let small = small.and_then(|words| words.split(' ').next()).unwrap_or("0");
            self.place("page", key, small.parse().unwrap());
        }
    }

    pub fn markdown(&mut self, text: &str) {
        let verdict = between(text, " reached ", " small I/Os per second").unwrap();
        self.written("verdict", "most small", verdict);
        if let Some(commit) = between(text, " A commit takes ", ".\n") {
            self.written("verdict", "1 dsync mean", &commit.replace(" (", " "));
        }
        if let Some((before, _)) = text.split_once(" MB per second of large I/O") {
            self.written("verdict", "most large", before.rsplit(' ').next().unwrap());
        }
        for line in text.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            if let (Some(key), [_, value, ..]) = (headline(cells[0]), cells.as_slice()) {
                self.written("markdown", key, value);
                self.place("markdown", key, level(cells.last().unwrap()));
            } else if let [small, large, class @ ("small" | "large"), figures @ ..] = cells.as_slice() {
                for (what, figure) in ["iops", "mbps", "mean", "p50", "p99"].into_iter().zip(figures) {
                    self.written("markdown", &format!("{small},{large} {class} {what}"), figure);
                }
            }
        }
    }

    pub fn terminal(&mut self, text: &str) {
        // Long lines go on below, two columns to the right.
        for line in text.replace("\n  ", " ").lines() {
            let Some((name, rest)) = line.split_once(": ") else { continue };
            let Some(key) = headline(name) else { continue };
            let (figure, at) = rest.split_once(" @ Small=").unwrap();
            self.written("terminal", key, figure.split(" (95 %").next().unwrap());
            self.place("terminal", key, at.split(' ').next().unwrap().parse().unwrap());
        }
        for line in text.lines() {
            let cells: Vec<&str> = line.trim_start_matches('!').split_whitespace().collect();
            let [small, large, iops, iops_width, mbps, mbps_width, mean, mean_width, p99, p99_width, _] =
                cells.as_slice()
            else {
                continue;
            };
            if small.parse::<u32>().is_err() || large.parse::<u32>().is_err() {
                continue;
            }
            let class = if *small == "0" { "large" } else { "small" };
            for (class, what, value, width) in [
                ("small", "iops", iops, iops_width),
                ("large", "mbps", mbps, mbps_width),
                (class, "mean", mean, mean_width),
                (class, "p99", p99, p99_width),
            ] {
                let key = format!("{small},{large} {class} {what}");
                if let Some(value) = number(value) {
                    self.add("terminal", &key, "value", value, value.abs() * 6e-4 + 0.51);
                }
                self.width("terminal", &key, width);
            }
        }
    }

    pub fn compare(&mut self, document: &[u8]) {
        let document: Value = serde_json::from_slice(document).unwrap();
        for row in document["rows"].as_array().unwrap() {
            let point = format!("{},{}", row["point"]["small"], row["point"]["large"]);
            let key = match row["metric"].as_str().unwrap() {
                "max_small_iops" => "most small".to_owned(),
                "max_large_mbps" => "most large".to_owned(),
                "min_small_latency" => "least latency".to_owned(),
                "max_iops" => "within".to_owned(),
                "commit_latency" => "1 dsync mean".to_owned(),
                "commit_fdatasync" => "1 fdatasync mean".to_owned(),
                "max_commits" => "most commits".to_owned(),
                "max_pmbps" => "one stream".to_owned(),
                "latency_at_1" => "1,0 small mean".to_owned(),
                "commit_unsynced" => "1 unsynced mean".to_owned(),
                _ if row["point"].is_null() => continue,
                metric => {
                    let (class, what) = metric.split_once('_').unwrap();
                    let what = what.replace("latency", "mean").replace("per_s", "iops");
                    match class {
                        "small" | "large" => format!("{point} {class} {what}"),
                        _ => format!("{} {class} {what}", row["point"][class]),
                    }
                }
            };
            for side in [&row["base"], &row["new"]] {
                self.exact("compare", &key, [&side["value"], &side["lo95"], &side["hi95"]], 1.0);
            }
        }
    }

    pub fn advice(&mut self, document: &[u8]) {
        let document: Value = serde_json::from_slice(document).unwrap();
        let advice = document["advice"].as_array().unwrap().iter();
        for measured in advice.flat_map(|advice| advice["measured"].as_array().unwrap()) {
            let what = measured["what"].as_str().unwrap();
            let key = match what {
                _ if what.starts_with("highest rate of random") => "most small",
                _ if what.starts_with("highest rate of streams") => "most large",
                _ if what.starts_with("one stream") => "one stream",
                _ if what.contains(" within a ") || what.contains(" at about a ") => "within",
                "latency of these reads" => "within latency",
                _ if what.starts_with("latency of a random read") => "1,0 small mean",
                _ => continue,
            };
            self.exact("advice", key, PARTS.map(|part| &measured[part]), 1.0);
        }
    }

    /// The document of a calibration.
    pub fn calibration(&mut self, document: &[u8]) {
        let document: Value = serde_json::from_slice(document).unwrap();
        for (name, key, factor) in [
            ("max_iops", "within", 1.0),
            ("actual_latency_ms", "within latency", 1000.0),
            ("unbounded_iops", "most small", 1.0),
            ("max_mbps", "most large", 1.0),
            ("max_pmbps", "one stream", 1.0),
            ("max_pmbps", "0,1 large mbps", 1.0),
            ("latency_at_1_us", "1,0 small mean", 1.0),
            ("commit_latency_us", "1 dsync mean", 1.0),
            ("commit_fdatasync_us", "1 fdatasync mean", 1.0),
            ("max_commits", "most commits", 1.0),
        ] {
            let found = &document[name];
            self.exact("calibration's json", key, [&found["value"], &found["lo95"], &found["hi95"]], factor);
        }
        self.place("calibration's json", "within", document["outstanding"].as_f64().unwrap());
    }

    /// The text of a calibration.
    pub fn answers(&mut self, text: &str) {
        for line in text.lines() {
            let cells: Vec<&str> = line.split_whitespace().collect();
            let [name, value, rest @ ..] = cells.as_slice() else { continue };
            let factor = if rest.iter().any(|unit| ["ms", "ms,"].contains(unit)) { 1000.0 } else { 1.0 };
            let (key, factor) = match *name {
                "max_iops" => ("within", 1.0),
                "actual_latency" => ("within latency", factor),
                "unbounded_iops" => ("most small", 1.0),
                "max_mbps" => ("most large", 1.0),
                "max_pmbps" => ("one stream", 1.0),
                "latency_at_1" => ("1,0 small mean", factor),
                "commit_latency" => ("1 dsync mean", factor),
                "with_fdatasync" => ("1 fdatasync mean", factor),
                "max_commits" => ("most commits", 1.0),
                _ => continue,
            };
            let Ok(number) = value.parse::<f64>() else { continue };
            let decimals = value.split_once('.').map_or(0, |(_, digits)| digits.len());
            let tolerance = 0.51 * factor * 0.1f64.powi(i32::try_from(decimals).unwrap());
            self.add("calibration", key, "value", number * factor, tolerance);
            if let Some(width) = rest.iter().find_map(|width| width.strip_prefix('±')) {
                self.width("calibration", key, width);
            }
        }
    }
}

fn headline(name: &str) -> Option<&'static str> {
    match name {
        _ if name.starts_with("Highest small IOPS within") => Some("within"),
        _ if name.starts_with("Highest small IOPS at about") => Some("within"),
        _ if name.starts_with("At that rate, ") => Some("within latency"),
        "Highest small IOPS" => Some("most small"),
        "Highest large MBPS" => Some("most large"),
        "MBPS of one large stream" => Some("one stream"),
        "Lowest mean latency of small I/O" | "Lowest small latency" => Some("least latency"),
        "Mean latency of a commit, one writer (dsync)" => Some("1 dsync mean"),
        "Mean latency of a commit, one writer (fdatasync)" => Some("1 fdatasync mean"),
        "Highest commits/s (dsync)" => Some("most commits"),
        _ => None,
    }
}

/// The load level of a point: that of the class that it has most of, `Small=4, Large=0`, `Dsync=1`.
fn level(text: &str) -> f64 {
    let level = text.split('=').nth(1).unwrap();
    level.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// `3,952`, `1.012 ms`, `87.25 us`.
fn number(text: &str) -> Option<f64> {
    let mut parts = text.split_whitespace();
    let value: f64 = parts.next()?.replace(',', "").parse().ok()?;
    let factor = match parts.next() {
        Some("s") => 1e6,
        Some("ms") => 1e3,
        _ => 1.0,
    };
    Some(value * factor)
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    rest.split_once(after).map(|(found, _)| found)
}
