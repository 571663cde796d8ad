//! The table as Parquet, read back by the library; without it the way to get it.

use crate::support::Run;
#[cfg(feature = "parquet")]
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_report::{Format, View};

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_it_says_how_to_get_one_with_it() {
    let run = Run::adaptive(RunLevel::Simple);
    let problem = rigel_report::render(Format::Parquet, &View::of(&run.record)).unwrap_err();
    assert_eq!(problem.kind.code(), 2);
    assert!(problem.to_string().contains("--features parquet"), "{problem}");
}

#[cfg(feature = "parquet")]
mod built {
    use super::*;
    use crate::support::{SPREAD, rows};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use std::io::Write as _;

    fn bytes(run: &Run) -> Vec<u8> {
        rigel_report::render(Format::Parquet, &View::of(&run.record)).unwrap().remove(0).bytes
    }

    /// Rows of name and field.
    fn read(bytes: &[u8]) -> Vec<Vec<(String, Field)>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows = reader.get_row_iter(None).unwrap();
        rows.map(|row| {
            row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), field.clone())).collect()
        })
        .collect()
    }

    /// What stands in the CSV for it.
    fn in_csv(field: &Field) -> String {
        match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            Field::Long(count) => count.to_string(),
            Field::Double(number) => number.to_string(),
            Field::Bool(truth) => truth.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn parquet_holds_the_table_of_the_csv() {
        let mut run = Run::visited(RunLevel::Normal, &SPREAD);
        run.record.header.run_id = "a,\"b\"\n\u{202e}c".into();
        run.record.visits[3].tallies.get_mut(&Class::SMALL).into_iter().for_each(|small| small.reads.clear());
        let csv = rows(&run.file(Format::Csv, "_findings.csv"));
        let parquet = read(&bytes(&run));
        assert_eq!((parquet.len(), parquet[0].len()), (5 + 2 + 2 * 10, 40));
        for (row, expected) in parquet.iter().zip(&csv) {
            for (name, field) in row {
                assert_eq!(in_csv(field), expected[name], "{name} of {expected:?}");
            }
        }
        assert!(
            parquet[0]
                .contains(&("run_id".to_owned(), Field::Str("a,\"b\"\\x0a\\xe2\\x80\\xaec".to_owned())))
        );
        assert!(parquet[0].iter().any(|(name, field)| name == "iops" && matches!(field, Field::Double(_))));
    }

    #[test]
    fn parquet_of_a_run_without_points_is_an_empty_table() {
        assert_eq!(read(&bytes(&Run::adaptive(RunLevel::Simple))).len(), 0);
    }
}
