//! What a session asks. Must not know how a product asks it.

use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::Class;
use rigel_core::load::request::Request;
use rigel_core::load::sql::{Probe, ReportBy};
use rigel_core::load::workload::Direction;

/// A kind of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Rows, by their places.
    LookUp(Probe),
    /// All rows of a range of blocks.
    Report(ReportBy),
    /// A row that is made durable.
    Commit,
}

impl Query {
    /// What the sessions of a class query.
    ///
    /// # Errors
    /// When the class is not one for databases.
    pub fn of(request: &Request, class: Class) -> Result<Self, Problem> {
        let bug = || Problem::new(ExitKind::Bug, "the request has no database load");
        let sql = request.sql().ok_or_else(bug)?;
        match class.sided().map_or(class, |(plain, _)| plain) {
            Class::SIMPLE => Ok(Self::LookUp(sql.probe)),
            Class::REPORT => Ok(Self::Report(sql.report)),
            Class::COMMIT => Ok(Self::Commit),
            _ => Err(bug()),
        }
    }

    /// The queries of all classes.
    ///
    /// # Errors
    /// As [`Query::of`].
    pub fn all(request: &Request) -> Result<Vec<Self>, Problem> {
        request.classes.iter().map(|class| Self::of(request, class.name)).collect()
    }

    /// Whether a statement has many of them.
    pub const fn is_batch(self) -> bool {
        matches!(self, Self::LookUp(probe) if probe.is_batch())
    }

    /// Whether it reads or writes.
    pub const fn direction(self) -> Direction {
        match self {
            Self::LookUp(_) | Self::Report(_) => Direction::Read,
            Self::Commit => Direction::Write,
        }
    }
}
