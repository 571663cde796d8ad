use super::*;
use proptest::prelude::*;

fn span(start: i64, length: u32) -> Span {
    Span { start_ms: start * 1_000, length_ms: length * 1_000 }
}

/// Rows of a minute, from a minute on, with a value each.
fn minutes(first: i64, values: &[f64], metric: Metric) -> Table {
    let spans = (first..).take(values.len()).map(|minute| span(minute * 60, 60)).collect();
    Table::of_column(metric, spans, values.to_vec()).unwrap()
}

#[test]
fn a_second_time_adds_nothing() {
    let mut table = minutes(0, &[100.0, 200.0, 300.0], Metric::ReadOps);
    let again = table.clone();
    let merged = table.merge(&again);
    assert_eq!((merged.added, merged.known, merged.differing), (0, 3, 0));
    assert_eq!(table, again);
}

/// Found by fuzzing: a store keeps columns, so a row without any would be lost there.
#[test]
fn a_row_without_a_value_is_none() {
    let mut table = Table::default();
    assert!(table.push(span(0, 60), &[]) && table.push(span(60, 60), &[(Metric::ReadOps, f64::NAN)]));
    assert!(table.is_empty());
    assert!(table.push(span(60, 60), &[(Metric::ReadOps, 1.0)]));
    assert_eq!(table, crate::packed::unpack(&crate::packed::pack(&table)).unwrap());
}

#[test]
fn another_metric_and_other_times_are_added() {
    let mut table = minutes(0, &[100.0, 200.0], Metric::ReadOps);
    assert_eq!(table.merge(&minutes(0, &[10.0, 20.0], Metric::WriteOps)).added, 2);
    assert_eq!(table.merge(&minutes(1, &[200.0, 300.0], Metric::ReadOps)).added, 1);
    assert_eq!(table.column(Metric::ReadOps).unwrap(), [100.0, 200.0, 300.0]);
    let writes = table.column(Metric::WriteOps).unwrap();
    assert!(writes[..2] == [10.0, 20.0] && writes[2].is_nan());
}

#[test]
fn another_value_of_the_same_time_is_told_and_the_first_stays() {
    let mut table = minutes(5, &[100.0, 200.0], Metric::ReadOps);
    let merged = table.merge(&minutes(5, &[100.3, 900.0], Metric::ReadOps));
    assert_eq!((merged.known, merged.differing), (1, 1));
    assert_eq!(merged.first_differing_ms, Some(360_000));
    assert_eq!(table.column(Metric::ReadOps).unwrap(), [100.0, 200.0]);
}

#[test]
fn an_interval_across_others_is_left_out_and_a_second_is_rounding() {
    let mut table = minutes(0, &[1.0, 2.0], Metric::ReadOps);
    let across = Table::of_column(Metric::ReadOps, vec![span(30, 60)], vec![9.0]).unwrap();
    assert_eq!(table.merge(&across).overlapping, 1);
    let near = Table::of_column(Metric::ReadOps, vec![span(119, 60)], vec![3.0]).unwrap();
    assert_eq!(table.merge(&near).added, 1);
    assert_eq!(table.column(Metric::ReadOps).unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn coarser_rows_are_means_and_last_levels_and_need_half_of_the_time() {
    let mut table = minutes(0, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], Metric::ReadOps);
    table.merge(&minutes(0, &[10.0, 20.0, 30.0, 40.0, 50.0], Metric::UsedBytes));
    let coarse = table.coarser(300_000);
    assert_eq!(coarse.spans(), [span(0, 300)], "two minutes of five are too few");
    assert_eq!(coarse.column(Metric::ReadOps).unwrap(), [3.0]);
    assert_eq!(coarse.column(Metric::UsedBytes).unwrap(), [50.0]);
    // NaN is not equal to itself, but is written alike.
    let text = |table: &Table| format!("{table:?}");
    assert_eq!(text(&table.coarser(60_000)), text(&table), "as fine as it was");
    assert_eq!(text(&table.coarser(1_000)), text(&table), "longer intervals stay");
}

#[test]
fn blocks_are_cut_where_a_row_begins() {
    let table = minutes(1_438, &[1.0, 2.0, 3.0, 4.0], Metric::ReadOps);
    let blocks = table.blocks(86_400_000);
    let rows: Vec<(i64, usize)> = blocks.iter().map(|(at, table)| (*at, table.spans().len())).collect();
    assert_eq!(rows, [(0, 2), (86_400_000, 2)]);
    let mut joined = blocks[0].1.clone();
    joined.merge(&blocks[1].1);
    assert_eq!(joined, table);
}

proptest! {
    /// Whatever the order in which parts come, no row is twice, none overlaps, and each value is one that was given.
    #[test]
    fn parts_in_any_order_are_one_table(parts in prop::collection::vec((0_i64..40, 1_usize..12, 1_u32..4), 1..8)) {
        let mut table = Table::default();
        let mut given = 0;
        for (first, rows, minutes) in parts {
            let spans = (0..rows).map(|row| {
                let row = i64::try_from(row).unwrap();
                span((first + row * i64::from(minutes)) * 60, minutes * 60)
            });
            let values = vec![f64::from(minutes); rows];
            let part = Table::of_column(Metric::ReadOps, spans.collect(), values).unwrap();
            given += rows;
            let merged = table.merge(&part);
            prop_assert_eq!(merged.differing, 0);
            let placed = merged.added + merged.known + merged.overlapping;
            prop_assert_eq!(placed, u64::try_from(rows).unwrap());
        }
        prop_assert!(table.spans().len() <= given);
        for pair in table.spans().windows(2) {
            prop_assert!(pair[0] < pair[1] && !pair[0].overlaps(pair[1]));
        }
        for sample in table.samples(Metric::ReadOps) {
            prop_assert_eq!(sample.value * 60_000.0, f64::from(sample.span.length_ms));
        }
    }
}
