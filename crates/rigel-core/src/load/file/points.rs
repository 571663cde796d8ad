//! The points of a load file.
//!
//! Must not know phases.

use super::class::{Read, count_key};
use super::reader::Value;
use crate::error::Problem;
use crate::load::class::{Arrival, Class, LevelKind, LoadClass, MAX_OUTSTANDING, MAX_RATE};
use crate::load::matrix::{MAX_POINTS, Point};
use crate::path_text::printable;

const POINT: &str = "{ small = 4 }, or { small = 4, large = 1 }: a number per class";

/// The points that a file lists; they then determine how much of each class there is.
pub fn read(value: Value<'_>, classes: &[Read<'_>]) -> Result<Vec<Point>, Problem> {
    let mut points = Vec::new();
    let mut named: Vec<Class> = Vec::new();
    for point in value.list(&format!("a list of points such as [ {POINT} ]"))? {
        let mut read = Point::default();
        for level in point.open_table().ok_or_else(|| point.expected(POINT))? {
            let class = of(level, classes)?;
            read = read.with(class.name, level.number(0..=most(class))?);
            named.push(class.name);
        }
        if read.sum() == 0 {
            return Err(point.wrong("a point without load measures nothing").next(format!("write {POINT}")));
        }
        points.push(read);
        if points.len() > MAX_POINTS {
            return Err(point
                .wrong("the load has too many points")
                .next(format!("write at most {MAX_POINTS}")));
        }
    }
    if points.is_empty() {
        return Err(value
            .wrong("the list of points is empty")
            .next(format!("write a point such as {POINT}")));
    }
    classes.iter().try_for_each(|class| check_class(class, &named))?;
    Ok(points)
}

/// The class that a key names.
pub fn of<'c>(value: Value<'_>, classes: &'c [Read<'_>]) -> Result<&'c LoadClass, Problem> {
    let mut all = classes.iter().map(|read| &read.class);
    all.find(|class| class.name.name() == value.key).ok_or_else(|| {
        let known: Vec<&str> = classes.iter().map(|read| read.class.name.name()).collect();
        let problem = value
            .wrong(format!("there is no class '{}'", printable(value.key)))
            .because(format!("the classes are {}", known.join(", ")));
        match crate::nearest::nearest(value.key, known) {
            Some(near) => problem.next(format!("did you mean '{near}'?")),
            None => problem.next("name a class of the file"),
        }
    })
}

/// The highest level of a class.
pub const fn most(class: &LoadClass) -> u32 {
    match class.places {
        Some(places) => places as u32,
        None if class.is_open() => MAX_RATE,
        None => MAX_OUTSTANDING,
    }
}

/// With points, a class has its levels only there.
fn check_class(read: &Read<'_>, named: &[Class]) -> Result<(), Problem> {
    let name = read.class.name;
    if read.level.is_some() {
        return Err(read
            .table
            .wrong(format!("class '{name}' has its own load in addition to the points"))
            .because("the points set how much of each class runs")
            .next(format!("leave out '{}', or the points", level_key(&read.class))));
    }
    if !named.contains(&name) {
        return Err(read
            .table
            .wrong(format!("no point has the class '{name}'"))
            .next(format!("add it to a point, as in {{ {name} = 4 }}, or remove the class")));
    }
    Ok(())
}

const fn level_key(class: &LoadClass) -> &'static str {
    match class.arrival {
        Arrival::Open { .. } => "rate",
        Arrival::Closed => count_key(class.pattern),
    }
}

/// All classes at their arrivals.
pub fn together(classes: &[Read<'_>]) -> Result<Point, Problem> {
    classes.iter().try_fold(Point::default(), |point, read| {
        let class = &read.class;
        let of_points = match class.level_kind() {
            LevelKind::WorkingSet { .. } => {
                Some(("working sets, but nothing says which to measure", "working set"))
            }
            LevelKind::Place => Some(("places, but nothing says which to measure", "place")),
            LevelKind::Targets { .. } => {
                Some(("per_target, but nothing says how many targets to load", "number of targets"))
            }
            LevelKind::Load | LevelKind::Rate { .. } => None,
        };
        if let Some((lacks, each)) = of_points {
            return Err(read.table.wrong(format!("class '{}' has {lacks}", class.name)).next(format!(
                "add points = [{{ {0} = 1 }}, {{ {0} = 2 }}], one for each {each}",
                class.name
            )));
        }
        let level = read.level.ok_or_else(|| {
            let example = if class.is_open() { 5000 } else { 4 };
            read.table
                .wrong(format!("nothing says how much of class '{}' to run", class.name))
                .next(format!("add arrival = {{ {} = {example} }}, or points", level_key(class)))
        })?;
        Ok(point.with(class.name, level))
    })
}
