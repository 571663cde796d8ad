//! The gates of a request: those typed as such, and bounds required at a rate, as in `rigel slo`.
//!
//! Must not judge.

use super::{BreachSide, Gate, GateBound};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::request::Request;
use rigel_core::load::slo::{LatencyCriterion, Requirement};
use rigel_core::path_text::printable;
use rigel_core::units::{to_f64, us_from_ns};

/// The 99th percentile: of a million I/Os this many may take longer.
const P99: LatencyCriterion = LatencyCriterion::Beyond(10_000);

/// The gates of a request, each on a quantity of its load.
///
/// # Errors
/// A usage problem when one cannot be read, or is about a quantity that the load does not have.
pub fn demanded(request: &Request) -> Result<Vec<Gate>, Problem> {
    let demands = &request.demands;
    let is_measured = |load: &&LoadClass| request.points().iter().any(|point| point.of(load.name) > 0);
    let measured: Vec<LoadClass> = request.classes.iter().filter(is_measured).cloned().collect();
    let typed = demands.fail_if.iter().map(|text| {
        let gate = Gate::read(text)?;
        gate.check(&measured)?;
        Ok(gate)
    });
    typed.chain(demands.required.iter().map(|one| required(one, request))).collect()
}

/// A latency limit of what arrives at a rate, as a gate on that load.
fn required(one: &Requirement, request: &Request) -> Result<Gate, Problem> {
    let wrong = |what: String| Problem::usage(what).at(format!("--require '{one}'"));
    let mut open = request.classes.iter().filter(|load| load.is_open());
    // Each class is there on both sides.
    let names = || request.classes.iter().filter(|load| load.is_open()).map(LoadClass::plain_name);
    let Some(load) = open.next() else {
        return Err(wrong("no class of the load has an arrival rate".to_owned()).next(
            "use the level open (--rate), or gate on the latency of the load with --fail-if, such as 'small_p99 > 2ms'",
        ));
    };
    let class = load.plain_name();
    if let Some(other) = names().find(|name| *name != class) {
        return Err(wrong(format!("it does not name the class: {} or {}", named(class), named(other)))
            .next(format!("gate on one with --fail-if, such as '{class}_p99 > {}'", one.bound.limit)));
    }
    let [_, mean, p99] = Quantity::of_class(load, class);
    let quantity = match one.bound.judged {
        LatencyCriterion::Mean => mean,
        P99 => p99,
        other @ LatencyCriterion::Beyond(_) => {
            return Err(wrong(format!("{other} is not compared"))
                .because("two sides are compared by their mean latency and their p99")
                .next("require one of these; `rigel slo --require` judges any percentile of one storage"));
        }
    };
    if !request.points().iter().any(|point| point.plain().of(class) == one.rate) {
        let rates: Vec<String> = rates(request, class).iter().map(u32::to_string).collect();
        return Err(wrong(format!("the load has no {} per second", one.rate))
            .because(format!("{} arrives at {} per second", named(class), rates.join(", ")))
            .next("require one of these rates, or measure the other as well"));
    }
    Ok(Gate {
        quantity,
        beyond: BreachSide::Above,
        bound: GateBound::Value(us_from_ns(to_f64(one.bound.limit.0))),
        text: one.to_string(),
        level: Some(one.rate),
        required: true,
    })
}

fn named(class: Class) -> String {
    printable(class.name()).into_owned()
}

/// The rates at which a class arrives, ascending.
fn rates(request: &Request, class: Class) -> Vec<u32> {
    let mut rates: Vec<u32> = request.points().iter().map(|point| point.plain().of(class)).collect();
    rates.retain(|rate| *rate > 0);
    rates.sort_unstable();
    rates.dedup();
    rates
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::{Arrival, Shape};
    use rigel_core::load::matrix::{Point, RunLevel};
    use rigel_core::load::pace::{Adaptive, Pace};
    use rigel_core::load::task::Task;

    #[test]
    fn a_required_bound_is_a_gate_in_microseconds_at_its_rate() {
        let arrival = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
        let open = LoadClass { arrival, ..LoadClass::random(Class::constant("open"), 8192) };
        let points = vec![Point::alone(open.name, 5000)];
        let mut request =
            Request::of(Task::named(RunLevel::Open, points, Pace::Adaptive(Adaptive::default())));
        request.classes = vec![open];
        let mut gates = |text: &str| {
            request.demands.required = vec![text.parse().unwrap()];
            demanded(&request)
        };
        let [gate]: [Gate; 1] = gates("p99 < 2ms @ 5000").unwrap().try_into().unwrap();
        assert_eq!(
            (gate.bound, gate.beyond, gate.level),
            (GateBound::Value(2000.0), BreachSide::Above, Some(5000))
        );
        assert!(gate.required);
        assert_eq!(gates("mean < 300us @ 5000").unwrap()[0].bound, GateBound::Value(300.0));
        assert!(gates("p99.9 < 2ms @ 5000").unwrap_err().what.contains("is not compared"));
        assert!(gates("p99 < 2ms @ 6000").unwrap_err().what.contains("no 6000 per second"));
    }
}
