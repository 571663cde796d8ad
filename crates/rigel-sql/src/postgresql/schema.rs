//! The schema `rigel` of a database: whose it is, and what may be made or removed in it.
//!
//! The table of a run makes it on its own, or shares it with `calibrate_io()`, which then stays. Must not change anything.

use crate::postgresql::failure;
use postgres::GenericClient;
use rigel_core::error::Problem;

/// By this a schema is known as ours.
pub(crate) const MARK: &str = "made by Rigel to measure; rigel sql drop removes it";
/// The same of the schema of `calibrate_io()`.
pub(crate) const OF_CALIBRATE_IO: &str = "calibrate_io() of Rigel";

/// Whose the schema of that name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schema {
    None,
    /// That of the table, which goes with it.
    Ours,
    /// That of `calibrate_io()`; whether there are tables of ours as well.
    Shared {
        has_tables: bool,
    },
    Other,
}

impl Schema {
    /// Ours has our comment and belongs to the user of the connection: what others own may run their code with our rights. A superuser
    /// could do so anyway.
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

    /// The statements before those that make a table; `None` when there are tables already, or the schema is somebody else's.
    pub(crate) fn creation(self) -> Option<String> {
        match self {
            Self::None => Some(format!("create schema rigel; comment on schema rigel is '{MARK}';")),
            Self::Shared { has_tables: false } => Some(String::new()),
            Self::Shared { has_tables: true } | Self::Ours | Self::Other => None,
        }
    }
}
