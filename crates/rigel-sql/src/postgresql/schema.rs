//! The schema `rigel` of a database: whose it is, and what may be made or removed in it.
//!
//! The table of a run makes it on its own, or shares it with `calibrate_io()`, which then stays. Must not change anything.

use crate::postgresql::failure;
use postgres::GenericClient;
use rigel_core::error::Problem;

/// Marks a schema as ours.
pub(crate) const MARK: &str = "made by Rigel to measure; rigel sql drop removes it";
/// Marks the schema of `calibrate_io()`.
pub(crate) const OF_CALIBRATE_IO: &str = "calibrate_io() of Rigel";

/// Whose the schema of that name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    None,
    /// The schema of the table, which is removed with it.
    Ours,
    /// That of `calibrate_io()`; whether it also contains tables of ours.
    Shared {
        has_tables: bool,
    },
    Other,
}

impl Schema {
    /// Ours has our comment and belongs to the user of the connection: others' objects may run their code with our
    /// privileges. A superuser could do that anyway.
    pub(crate) fn of(client: &mut impl GenericClient) -> Result<Self, Problem> {
        const ASK: &str = "select obj_description(n.oid, 'pg_namespace'), r.rolname = current_user, r.rolsuper, \
            exists (select from pg_class c where c.relnamespace = n.oid and c.relname in ('big', 'proof', 'proof_sweep', 'commits')) \
            from pg_namespace n join pg_roles r on r.oid = n.nspowner where n.nspname = 'rigel'";
        let row = client.query_opt(ASK, &[]);
        let Some(row) = row.map_err(|error| failure::statement("the schemas cannot be listed", &error))?
        else {
            return Ok(Self::None);
        };
        let (is_users, is_superusers, has_tables) = (row.get(1), row.get::<_, bool>(2), row.get(3));
        Ok(match row.get::<_, Option<&str>>(0) {
            Some(MARK) if is_users => Self::Ours,
            Some(OF_CALIBRATE_IO) if is_users || is_superusers => Self::Shared { has_tables },
            _ => Self::Other,
        })
    }

    /// The statements before those that create a table; `None` if there are tables already, or the schema belongs to somebody else.
    pub(crate) fn creation(self) -> Option<String> {
        match self {
            Self::None => Some(format!("create schema rigel; comment on schema rigel is '{MARK}';")),
            Self::Shared { has_tables: false } => Some(String::new()),
            Self::Shared { has_tables: true } | Self::Ours | Self::Other => None,
        }
    }
}
