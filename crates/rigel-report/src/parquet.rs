//! `_findings.parquet`: the tidy table with typed columns. Must not choose the columns; [`crate::table`] does.
//!
//! Only with the feature `parquet`: the library takes as long to build as much of Rigel, and few need it.

use crate::view::View;
use rigel_core::error::Problem;

#[cfg(feature = "parquet")]
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    write::table(view).map_err(|error| crate::output_file::unwritable("the findings", "Parquet", &error))
}

/// A build without the library says how to get one with it.
#[cfg(not(feature = "parquet"))]
pub(crate) fn table(_view: &View<'_>) -> Result<Vec<u8>, Problem> {
    Err(not_built_in())
}

#[cfg(any(test, not(feature = "parquet")))]
fn not_built_in() -> Problem {
    Problem::usage("this build of Rigel cannot write Parquet")
        .because("it was built without the feature parquet")
        .next("build it with `cargo build --release --features parquet`, or take --format csv: it is the same table")
}

#[cfg(feature = "parquet")]
mod write {
    use crate::table::{Cell, Kind, columns, rows};
    use crate::view::View;
    use parquet::basic::{LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
    use parquet::errors::{ParquetError, Result};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use parquet::schema::types::{Type, TypePtr};
    use std::sync::Arc;

    /// All rows in one group, not compressed: hundreds of rows are the most there are.
    pub(super) fn table(view: &View<'_>) -> Result<Vec<u8>> {
        let rows: Vec<Vec<Cell>> = rows(view).collect();
        let properties = WriterProperties::builder().set_created_by("rigel".to_owned()).build();
        let columns = columns(view);
        let mut writer = SerializedFileWriter::new(Vec::new(), schema(&columns)?, Arc::new(properties))?;
        if !rows.is_empty() {
            let mut group = writer.next_row_group()?;
            for (index, &(_, kind)) in columns.iter().enumerate() {
                let column = group.next_column()?;
                let mut column =
                    column.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
                let cells = rows.iter().filter_map(|row| row.get(index));
                fill(&mut column, kind, cells)?;
                column.close()?;
            }
            group.close()?;
        }
        writer.into_inner()
    }

    /// Every column may be empty somewhere, so that a reader of several runs need not care which are.
    fn schema(columns: &[(String, Kind)]) -> Result<TypePtr> {
        let column = |(name, kind): &(String, Kind)| {
            let (physical, logical) = match kind {
                Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Kind::Count => (Physical::INT64, None),
                Kind::Number => (Physical::DOUBLE, None),
                Kind::Truth => (Physical::BOOLEAN, None),
            };
            let builder = Type::primitive_type_builder(name, physical);
            builder.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
        };
        let columns = columns.iter().map(column).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(Type::group_type_builder("findings").with_fields(columns).build()?))
    }

    fn fill<'c>(
        column: &mut SerializedColumnWriter<'_>,
        kind: Kind,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Result<()> {
        match kind {
            Kind::Text => put::<ByteArrayType>(column, cells, |cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text.as_str())),
                _ => None,
            }),
            Kind::Count => put::<Int64Type>(column, cells, |cell| match cell {
                // A count that no run can reach stays at the largest.
                Cell::Count(count) => Some(i64::try_from(*count).unwrap_or(i64::MAX)),
                _ => None,
            }),
            Kind::Number => put::<DoubleType>(column, cells, |cell| match cell {
                Cell::Number(number) => Some(*number),
                _ => None,
            }),
            Kind::Truth => put::<BoolType>(column, cells, |cell| match cell {
                Cell::Truth(truth) => Some(*truth),
                _ => None,
            }),
        }
    }

    /// Values, and for each row whether it has one.
    fn put<'c, T: DataType>(
        column: &mut SerializedColumnWriter<'_>,
        cells: impl Iterator<Item = &'c Cell>,
        value: fn(&Cell) -> Option<T::T>,
    ) -> Result<()> {
        let cells: Vec<Option<T::T>> = cells.map(value).collect();
        let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<T::T> = cells.into_iter().flatten().collect();
        column.typed::<T>().write_batch(&values, Some(&levels), None)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_it_says_how_to_get_one_with_it() {
        let problem = not_built_in();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.to_string().contains("--features parquet"), "{problem}");
    }
}
