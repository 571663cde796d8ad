use super::*;
use proptest::prelude::*;

fn table(values: &[f64], metric: Metric) -> Table {
    let start = 1_795_543_800_000_i64;
    let spans = (0..).step_by(60_000).map(|ms| Span { start_ms: start + ms, length_ms: 60_000 });
    Table::of_column(metric, spans.take(values.len()).collect(), values.to_vec()).unwrap()
}

#[test]
fn a_regular_day_is_small_and_comes_back() {
    let values: Vec<f64> = (0..1_440).map(|minute| f64::from(minute % 97) * 13.7).collect();
    let day = table(&values, Metric::ReadBytes);
    let bytes = pack(&day);
    assert!(bytes.len() < 1_440 * 5 / 4, "{} bytes", bytes.len());
    let back = unpack(&bytes).unwrap();
    assert_eq!(back.spans(), day.spans());
    for (kept, value) in back.column(Metric::ReadBytes).unwrap().iter().zip(&values) {
        assert!((kept - value).abs() <= value / 250.0, "{value} became {kept}");
    }
}

#[test]
fn levels_and_small_whole_numbers_are_exact() {
    let levels = [1_234_567_890_123.0, f64::NAN, 1_234_567_890_124.0, 0.0];
    let back = unpack(&pack(&table(&levels, Metric::UsedBytes))).unwrap();
    let kept = back.column(Metric::UsedBytes).unwrap();
    assert!(kept[1].is_nan() && kept[0] == levels[0] && kept[2] == levels[2] && kept[3] == 0.0);
    let small: Vec<f64> = (0..=256).map(f64::from).collect();
    assert_eq!(
        unpack(&pack(&table(&small, Metric::ReadOps))).unwrap().column(Metric::ReadOps).unwrap(),
        small
    );
}

#[test]
fn packing_again_changes_nothing() {
    let values: Vec<f64> = (0..500).map(|row| f64::from(row) * 1.234).collect();
    let once = unpack(&pack(&table(&values, Metric::Busy))).unwrap();
    assert_eq!(unpack(&pack(&once)).unwrap(), once);
}

#[test]
fn an_empty_table_is_one() {
    assert!(unpack(&pack(&Table::default())).unwrap().is_empty());
}

proptest! {
    #[test]
    fn any_flow_comes_back_but_for_its_rounding(values in prop::collection::vec(prop_oneof![Just(f64::NAN), Just(0.0), 1e-6..1e13_f64], 1..200)) {
        for (metric, part) in [(Metric::WriteBytes, 1.0 / 250.0), (Metric::ReadTime, 1.0 / 60.0)] {
            let back = unpack(&pack(&table(&values, metric))).unwrap();
            for (kept, value) in back.column(metric).unwrap().iter().zip(&values) {
                prop_assert!(kept.is_nan() == value.is_nan());
                prop_assert!(value.is_nan() || (kept - value).abs() <= value * part, "{} became {}", value, kept);
            }
        }
    }

    #[test]
    fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0_usize..300, flip in 1_u8..) {
        let _ = unpack(&bytes);
        let mut real = pack(&table(&[1.0, 2.0, 3.0], Metric::ReadOps));
        let at = at % real.len();
        real[at] ^= flip;
        let _ = unpack(&real);
    }
}
