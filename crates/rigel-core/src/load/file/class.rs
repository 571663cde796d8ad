//! A class of a load file.
//!
//! Must not know points or phases.

use super::reader::{Table, Value};
use crate::error::Problem;
use crate::load::class::{
    Arrival, Class, FEWEST_PLACES, Figure, LoadClass, MAX_OUTSTANDING, MAX_RATE, MOST_PLACES, Pattern, Shape,
    Sizes, Span, Spread, Sync,
};
use crate::load::request::DEFAULT_STREAM_IOS;
use crate::load::workload::WritePercent;
use crate::path_text::printable;
use crate::units::Bytes;

/// The keys of a class.
pub const KEYS: [&str; 12] = [
    "name",
    "size",
    "pattern",
    "stream_ios",
    "write",
    "sync",
    "span",
    "places",
    "per_target",
    "verify",
    "arrival",
    "unit",
];
/// The keys of an arrival.
pub const ARRIVAL_KEYS: [&str; 6] = ["outstanding", "streams", "writers", "rate", "shape", "max_outstanding"];
/// Default limit of outstanding I/Os of an open loop.
pub const DEFAULT_MAX_OUTSTANDING: u32 = 1024;
/// Most sizes of a class.
pub const MOST_SIZES: usize = 16;

const SIZE: &str =
    r#"a size such as "8K", or sizes with their shares in per cent such as { "8K" = 80, "64K" = 20 }"#;
const ARRIVAL: &str =
    r#"{ outstanding = 16 }, or { rate = 5000, shape = "poisson" } for arrivals per second"#;
const SHAPE: &str = r#""poisson", "even" or { bursty = 4 }"#;
const NAME: &str = "1 to 15 lowercase letters, digits and _, starting with a letter";

/// A class, and its load level unless points give it.
pub struct Read<'a> {
    pub class: LoadClass,
    pub level: Option<u32>,
    /// Its table in the file.
    pub table: Table<'a>,
}

pub fn read(value: Value<'_>) -> Result<Read<'_>, Problem> {
    let table = Table::within(value, "a class", &KEYS, "[[class]] before the keys of each class")?;
    let name = table.need("name", r#"name = "reads""#)?.read(Class::named, NAME)?;
    let pattern = pattern(table)?;
    let (arrival, level) =
        table.get("arrival").map_or(Ok((Arrival::Closed, None)), |value| arrival(value, pattern))?;
    let class = LoadClass {
        sizes: sizes(table.need("size", r#"size = "8K""#)?)?,
        pattern,
        write_percent: table.get("write").map_or(Ok(WritePercent::default()), write_percent)?,
        sync: table.get("sync").map_or(Ok(Sync::None), |value| value.word(&SYNC))?,
        span: table.get("span").map_or(Ok(Span::Whole), span)?,
        places: table.get("places").map(places).transpose()?,
        per_target: table.get("per_target").map(|value| value.number(1..=MAX_OUTSTANDING)).transpose()?,
        verify: table.get("verify").map_or(Ok(false), Value::truth)?,
        arrival,
        figure: table.get("unit").map_or_else(|| Ok(default_figure(pattern)), figure)?,
        ..LoadClass::random(name, 0)
    };
    let named = |problem: Problem| Problem { what: format!("class '{name}': {}", problem.what), ..problem };
    class.check().map_err(|problem| table.place(named(problem)))?;
    Ok(Read { class, level, table })
}

/// The words for a sync method.
pub const SYNC: [(&str, Sync); 3] =
    [("none", Sync::None), ("dsync", Sync::Dsync), ("fdatasync", Sync::Fdatasync)];

/// The figure that reports show of a class without one.
pub fn default_figure(pattern: Pattern) -> Figure {
    match pattern {
        Pattern::Streams { .. } => Figure::Mbps,
        Pattern::Random | Pattern::Log | Pattern::Sessions => Figure::Rate("IOPS".into()),
    }
}

fn pattern(table: Table<'_>) -> Result<Pattern, Problem> {
    let ios = table.get("stream_ios");
    let ios_per_stream = ios.map_or(Ok(DEFAULT_STREAM_IOS), |value| value.number(1..=MAX_OUTSTANDING))?;
    let words =
        [("random", Pattern::Random), ("stream", Pattern::Streams { ios_per_stream }), ("log", Pattern::Log)];
    let pattern = table.get("pattern").map_or(Ok(Pattern::Random), |value| value.word(&words))?;
    match (pattern, ios) {
        (Pattern::Streams { .. }, _) | (_, None) => Ok(pattern),
        (_, Some(ios)) => Err(ios
            .wrong("'stream_ios' is the depth of a stream, but the class has no streams")
            .next("add pattern = \"stream\", or leave it out")),
    }
}

fn sizes(value: Value<'_>) -> Result<Sizes, Problem> {
    let bytes = |text: &str| text.parse::<Bytes>().ok().filter(|bytes| bytes.0 > 0).map(|bytes| bytes.0);
    let Some(all) = value.open_table() else {
        return value.read(bytes, SIZE).map(Sizes::Fixed);
    };
    let mut sizes = Vec::new();
    for share in all {
        let Some(bytes) = bytes(share.key) else {
            let what = format!("'{}' is not a size", printable(share.key));
            return Err(share.wrong(what).next(format!("write {SIZE}")));
        };
        let percent = u8::try_from(share.number(1..=100)?).unwrap_or(100);
        sizes.push((bytes, percent));
    }
    let sum: u32 = sizes.iter().map(|size| u32::from(size.1)).sum();
    if sum != 100 {
        return Err(value
            .wrong(format!("the shares of the sizes add up to {sum} per cent"))
            .because("each I/O has one of the sizes")
            .next("give shares that add up to 100"));
    }
    if sizes.len() > MOST_SIZES {
        return Err(value
            .wrong(format!("{} sizes is too many", sizes.len()))
            .next(format!("write at most {MOST_SIZES}")));
    }
    sizes.sort_unstable();
    Ok(match sizes[..] {
        [(bytes, _)] => Sizes::Fixed(bytes),
        _ => Sizes::Mixed(sizes),
    })
}

fn write_percent(value: Value<'_>) -> Result<WritePercent, Problem> {
    let percent = value.number(0..=100)?;
    Ok(u8::try_from(percent).ok().and_then(WritePercent::new).unwrap_or_default())
}

fn span(value: Value<'_>) -> Result<Span, Problem> {
    value.read(|text| text.parse().ok(), "a part of each target in per cent, such as \"0-25%\"")
}

fn places(value: Value<'_>) -> Result<u8, Problem> {
    let places = value.number(u32::from(FEWEST_PLACES)..=u32::from(MOST_PLACES))?;
    Ok(u8::try_from(places).unwrap_or(MOST_PLACES))
}

fn figure(value: Value<'_>) -> Result<Figure, Problem> {
    let figure = |text: &str| {
        Some(match text {
            "" => return None,
            _ if text.eq_ignore_ascii_case("mbps") => Figure::Mbps,
            _ if text.eq_ignore_ascii_case("iops") => Figure::Rate("IOPS".into()),
            _ => Figure::Rate(text.to_owned()),
        })
    };
    value.read(figure, "the unit of its rate: \"IOPS\", \"MBPS\" or your own word")
}

/// How the I/Os begin, and the level given there.
fn arrival(value: Value<'_>, pattern: Pattern) -> Result<(Arrival, Option<u32>), Problem> {
    let table = Table::within(value, "an arrival", &ARRIVAL_KEYS, ARRIVAL)?;
    let counted = ["outstanding", "streams", "writers"].map(|key| table.get(key));
    let at_rate = |value: &Value<'_>| matches!(pattern, Pattern::Streams { .. }) && value.key == "streams";
    let is_open = table.get("rate").or_else(|| table.get("shape")).is_some();
    let closed = counted.into_iter().flatten().find(|value| !(is_open && at_rate(value)));
    let open = ["rate", "shape", "max_outstanding"].map(|key| table.get(key)).into_iter().flatten().next();
    match (closed, open) {
        (Some(_), Some(open)) => Err(open
            .wrong(format!("'{}' cannot be combined with a fixed number outstanding", open.key))
            .because("I/Os either arrive at a rate, or each one starts when another ends")
            .next(format!("write {ARRIVAL}"))),
        (Some(level), None) => closed_level(level, counted.into_iter().flatten().count(), pattern),
        (None, _) => open_arrival(table, pattern),
    }
}

fn closed_level(level: Value<'_>, given: usize, pattern: Pattern) -> Result<(Arrival, Option<u32>), Problem> {
    let right = count_key(pattern);
    if given > 1 || level.key != right {
        return Err(level
            .wrong(format!("a class of this pattern counts its {}", pattern.counted()))
            .next(format!("write arrival = {{ {right} = 4 }}")));
    }
    Ok((Arrival::Closed, Some(level.number(1..=MAX_OUTSTANDING)?)))
}

/// The key of a class's level in a closed loop.
pub const fn count_key(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Random | Pattern::Sessions => "outstanding",
        Pattern::Streams { .. } => "streams",
        Pattern::Log => "writers",
    }
}

fn open_arrival(table: Table<'_>, pattern: Pattern) -> Result<(Arrival, Option<u32>), Problem> {
    let shape = table.get("shape").map_or(Ok(Shape::Poisson), shape)?;
    let most_outstanding = match pattern {
        Pattern::Streams { ios_per_stream } => outstanding_of_streams(table, ios_per_stream)?,
        _ => table
            .get("max_outstanding")
            .map_or(Ok(DEFAULT_MAX_OUTSTANDING), |value| value.number(1..=MAX_OUTSTANDING))?,
    };
    let rate = table.get("rate").map(|value| value.number(1..=MAX_RATE)).transpose()?;
    if rate.is_none() && table.get("shape").is_none() {
        return Err(table.wrong("an arrival without a number").next(format!("write {ARRIVAL}")));
    }
    Ok((Arrival::Open { shape, most_outstanding }, rate))
}

/// Most outstanding I/Os of streams whose I/Os arrive at a rate: the sum over the streams.
fn outstanding_of_streams(table: Table<'_>, ios_per_stream: u32) -> Result<u32, Problem> {
    if let Some(most) = table.get("max_outstanding") {
        return Err(most
            .wrong("'max_outstanding' is not for streams")
            .because("'stream_ios' sets how many I/Os a stream has outstanding at most")
            .next("write stream_ios = 8 and arrival = { rate = 500, streams = 2 }"));
    }
    let Some(streams) = table.get("streams") else { return Ok(ios_per_stream) };
    streams.number(1..=MAX_OUTSTANDING / ios_per_stream.max(1)).map(|count| count * ios_per_stream)
}

/// The distribution of arrivals.
pub fn shape(value: Value<'_>) -> Result<Shape, Problem> {
    if value.as_text().is_some() {
        return value.word(&[("poisson", Shape::Poisson), ("even", Shape::Even)]);
    }
    let table = Table::within(value, "a shape", &["bursty"], SHAPE)?;
    let ends = Spread::LEAST.get()..=Spread::MOST.get();
    let spread =
        table.need("bursty", SHAPE)?.decimal(ends, "a squared coefficient of variation from 1.01 to 1000")?;
    Ok(Spread::new(spread).map_or(Shape::Poisson, Shape::Bursty))
}
