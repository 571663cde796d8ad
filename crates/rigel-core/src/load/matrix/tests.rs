use super::*;

fn grid(level: RunLevel, nd: u32) -> Grid {
    Grid::new(level, MatrixShape::Basic, nd)
}

fn advanced(shape: MatrixShape) -> Grid {
    Grid::new(RunLevel::Advanced, shape, 1)
}

/// Totals of published runs (E1 to E14 of the record of real ORION outputs).
#[test]
fn published_totals() {
    for (case, level, nd, total) in [
        ("E1 11.2 normal, 1 file", RunLevel::Normal, 1, 18),
        ("E2 11.2 simple, 1 LUN", RunLevel::Simple, 1, 8),
        ("E3 11.1 simple, 1 LUN", RunLevel::Simple, 1, 8),
        ("E4 10.2 simple, 4 disks", RunLevel::Simple, 4, 29),
        ("E5 11.1 simple, 8 disks", RunLevel::Simple, 8, 38),
        ("E6 12.2 simple, 2 files", RunLevel::Simple, 2, 15),
        ("E7 19.3 simple, 6 files", RunLevel::Simple, 6, 43),
        ("E8 12.1 oltp, 1 disk", RunLevel::Oltp, 1, 21),
        ("E9 11.2 oltp, 1 disk", RunLevel::Oltp, 1, 21),
        ("E10 11.2.0.4 oltp, 3 devices", RunLevel::Oltp, 3, 23),
        ("E12 dss, 1 disk", RunLevel::Dss, 1, 16),
        ("E14 19.3 normal, 1 disk", RunLevel::Normal, 1, 18),
    ] {
        let grid = grid(level, nd);
        assert_eq!(grid.total_points, total, "{case}");
        assert_eq!(grid.points.len() as u64, total - 1, "{case}: (0,0) is counted and not run");
    }
}

#[test]
fn e11_oltp_levels_of_four_disks_are_multiples_of_four() {
    let small = grid(RunLevel::Oltp, 4).levels.remove(&Class::SMALL).unwrap();
    assert!(small.contains(&68) && small.contains(&4));
    assert_eq!(small.last(), Some(&80));
}

#[test]
fn e13_max_four_by_four() {
    let grid = advanced(MatrixShape::Max { small: 4, large: 4 });
    assert_eq!(grid.total_points, 25);
    assert_eq!(grid.points.len(), 24);
    assert_eq!(grid.levels[&Class::SMALL], [0, 1, 2, 3, 4]);
}

#[test]
fn e1_prints_and_orders_like_the_original() {
    let grid = grid(RunLevel::Normal, 1);
    assert_eq!(grid.printed[&Class::SMALL], [0, 1, 2, 3, 4, 5]);
    assert_eq!(grid.printed[&Class::LARGE], [0, 1, 2]);
    assert_eq!(grid.points[0], Point::pair(1, 0));
    assert_eq!(grid.points[5], Point::pair(0, 1));
    assert_eq!(grid.points.last(), Some(&Point::pair(5, 2)));
}

#[test]
fn e3_simple_prints_column_zero_only() {
    let grid = grid(RunLevel::Simple, 1);
    assert_eq!(grid.printed[&Class::SMALL], [0]);
    assert_eq!(grid.printed[&Class::LARGE], [0, 1, 2]);
    assert_eq!(grid.levels[&Class::SMALL], [0, 1, 2, 3, 4, 5]);
    assert_eq!(grid.points[4], Point::pair(5, 0));
    assert_eq!(grid.points[5], Point::pair(0, 1));
}

#[test]
fn e8_oltp_prints_no_idle_column() {
    let grid = grid(RunLevel::Oltp, 1);
    assert_eq!(grid.printed[&Class::SMALL], (1..=20).collect::<Vec<_>>());
    assert_eq!(grid.printed[&Class::LARGE], [0]);
}

#[test]
fn the_ends_are_the_lowest_and_the_highest_load_of_each_class() {
    let ends = |level| grid(level, 1).ends().points;
    assert_eq!(
        ends(RunLevel::Simple),
        [(1, 0), (5, 0), (0, 1), (0, 2)].map(|(small, large)| Point::pair(small, large))
    );
    assert_eq!(ends(RunLevel::Oltp), [1, 20].map(|small| Point::pair(small, 0)));
    let all = ends(RunLevel::Normal);
    assert_eq!(all.len(), 8, "three by three without the idle one: {all:?}");
    assert!(all.contains(&Point::pair(5, 2)) && !all.contains(&Point::pair(3, 0)));
    let one = advanced(MatrixShape::Point { small: 4, large: 0 }).ends().points;
    assert_eq!(one, [Point::pair(4, 0)]);
}

#[test]
fn one_dimensional_matrices() {
    let row = advanced(MatrixShape::Row { large: 2 });
    assert_eq!(row.points.len(), 6, "small 0..5 beside two large");
    let col = advanced(MatrixShape::Col { small: 0 });
    assert_eq!((col.points.len(), col.total_points), (2, 3));
    let point = advanced(MatrixShape::Point { small: 1000, large: 0 });
    assert_eq!((point.points.as_slice(), point.total_points), (&[Point::pair(1000, 0)][..], 1));
}
