//! Both command lines, given the same options, make the same request or refuse the same option.

use super::super::words::Words;
use super::*;
use proptest::prelude::*;

const OPTIONS: [Opt; 11] = [
    Opt::NUM_DISKS,
    Opt::SIZE_SMALL,
    Opt::SIZE_LARGE,
    Opt::TYPE,
    Opt::STREAM_IOS,
    Opt::SIMULATE,
    Opt::STRIPE,
    Opt::WRITE,
    Opt::CACHE_SIZE,
    Opt::NUM_SMALL,
    Opt::NUM_LARGE,
];

fn word<T: Words>(number: u64) -> String {
    let all = T::all();
    let index = usize::try_from(number).unwrap() % all.len();
    all[index].0.to_owned()
}

/// The same value as each command line wants it: ORION's, Rigel's.
fn values(opt: Opt, number: u64) -> [String; 2] {
    let plain = number.to_string();
    let with = |unit| [plain.clone(), format!("{number}{unit}")];
    let same = |word: String| [word.to_uppercase(), word];
    match opt {
        Opt::SIZE_SMALL | Opt::SIZE_LARGE | Opt::STRIPE => with("K"),
        Opt::CACHE_SIZE => with("M"),
        Opt::DURATION => with("s"),
        Opt::TYPE => same(word::<Pattern>(number)),
        Opt::SIMULATE => same(word::<Layout>(number)),
        Opt::MATRIX => same(word::<MatrixShape>(number)),
        _ => [plain.clone(), plain],
    }
}

/// Small numbers, some of them wrong, round sizes, and large ones.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..130u64, 2 => (0..12u32).prop_map(|bits| 1 << bits), 1 => any::<u64>().prop_map(|n| n >> 10)]
}

fn options() -> impl Strategy<Value = Vec<(Opt, u64)>> {
    let some = proptest::sample::subsequence(OPTIONS.to_vec(), 0..=OPTIONS.len());
    let matrix = proptest::option::of(0..6u64);
    // Without a duration the two have different defaults.
    (some, proptest::collection::vec(number(), OPTIONS.len()), matrix, 1..100u64)
        .prop_map(|(some, numbers, matrix, seconds)| {
            let mut options: Vec<(Opt, u64)> = some.into_iter().zip(numbers).collect();
            options.push((Opt::DURATION, seconds));
            options.extend(matrix.map(|number| (Opt::MATRIX, number)));
            options
        })
        .prop_shuffle()
}

fn outcome(front: Front, line: &str) -> Result<Request, Vec<Opt>> {
    match read_line(line) {
        Ok(Invocation::Run(options)) => {
            let request = options.request;
            Ok(Request { name: String::new(), command_line: String::new(), ..request })
        }
        Ok(other) => panic!("{line}: {other:?}"),
        Err(problem) => {
            let place = problem.place.clone().unwrap_or_else(|| panic!("{line}: {problem}"));
            let named = place.split(", ");
            Err(named
                .map(|name| Opt::ALL.into_iter().find(|opt| opt.spelled(front) == name))
                .map(|opt| opt.unwrap_or_else(|| panic!("{line}: {problem}")))
                .collect())
        }
    }
}

proptest! {
    // Most combinations are refused; enough have to pass.
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn spelled_alike_is_understood_alike(level in 0..10usize, options in options(), seed in 0..1u64 << 53) {
        // Half of the lines are advanced, where most options may be given.
        let level = RunLevel::ORION.get(level).copied().unwrap_or(RunLevel::Advanced);
        let mut orion = format!("rigel orion -run {}", level.name());
        let mut rigel = format!("rigel run {}", level.name());
        for (opt, number) in options {
            let [value, ours] = values(opt, number);
            orion += &format!(" {} {value}", opt.spelled(Front::Orion));
            rigel += &format!(" {} {ours}", opt.spelled(Front::Rigel));
        }
        let own = format!(" --seed {seed} --buffered --workers 3");
        let found = outcome(Front::Orion, &(orion + &own));
        prop_assert_eq!(found, outcome(Front::Rigel, &(rigel + &own)));
    }
}
