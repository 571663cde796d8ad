//! The name of a load class, by which it is known everywhere above the bench.
//!
//! Must not know what the class does.

use crate::load::sides::Side;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// Most bytes of a name.
pub(super) const NAME_BYTES: usize = 15;

/// The name of a load class: 1 to 15 lower-case letters, digits and `_`, the first one a letter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class([u8; NAME_BYTES]);

impl Class {
    /// The class of a side; `None` when the name would be too long.
    pub fn on(self, side: Side) -> Option<Self> {
        Self::named(&format!("{self}{}", side.ending()))
    }

    /// The side of a sided class, and its name without it.
    pub fn sided(self) -> Option<(Self, Side)> {
        let of = |side: Side| Some((Self::named(self.name().strip_suffix(side.ending())?)?, side));
        Side::BOTH.into_iter().find_map(of)
    }
}

impl Class {
    /// The small I/Os of ORION's columns.
    pub const SMALL: Self = Self::constant("small");
    /// The large I/Os of ORION's rows.
    pub const LARGE: Self = Self::constant("large");

    /// Simple queries: look-ups of single rows in a database.
    pub const SIMPLE: Self = Self::constant("simple");
    /// Reports: queries that read long parts of a table in a database.
    pub const REPORT: Self = Self::constant("report");
    /// Transactions of a database, each made durable.
    pub const COMMIT: Self = Self::constant("commit");
    /// Commits: writes that are durable on their own.
    pub const DSYNC: Self = Self::constant("dsync");
    /// Commits: writes, each followed by a flush.
    pub const FDATASYNC: Self = Self::constant("fdatasync");
    /// The same writes without durability.
    pub const UNSYNCED: Self = Self::constant("unsynced");

    /// Sequential streams, by place or several simultaneously.
    pub const STREAM: Self = Self::constant("stream");
    /// The same on each of several targets, whose number is the level.
    pub const TARGETS: Self = Self::constant("targets");
    /// Random reads by place.
    pub const RANDOM: Self = Self::constant("random");

    /// A name in the source, for a `const`.
    ///
    /// # Panics
    /// When it is not a valid class name; a `const` then does not compile.
    pub const fn constant(name: &str) -> Self {
        Self::named(name).expect("a name of a load class")
    }

    /// `None` if it is not a valid class name.
    pub const fn named(name: &str) -> Option<Self> {
        let (name, mut bytes) = (name.as_bytes(), [0; NAME_BYTES]);
        if name.is_empty() || name.len() > NAME_BYTES || !name[0].is_ascii_lowercase() {
            return None;
        }
        let mut at = 0;
        while at < name.len() {
            let byte = name[at];
            if !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_') {
                return None;
            }
            bytes[at] = byte;
            at += 1;
        }
        Some(Self(bytes))
    }

    /// The name.
    pub fn name(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        // Only ASCII is let in.
        str::from_utf8(&self.0[..length]).unwrap_or("?")
    }

    /// Whether it is one of ORION's pair.
    pub fn is_of_pair(self) -> bool {
        [Self::SMALL, Self::LARGE].contains(&self)
    }

    /// Whether it writes a log, durable or not.
    pub fn is_of_commits(self) -> bool {
        [Self::DSYNC, Self::FDATASYNC, Self::UNSYNCED].contains(&self)
    }

    /// The name as the first word of a label.
    pub fn label(&self) -> String {
        let (first, rest) = self.name().split_at(1);
        first.to_ascii_uppercase() + rest
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Ord for Class {
    /// Small, large, then the others by name.
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |class: &Self| match *class {
            Self::SMALL => 0,
            Self::LARGE => 1,
            _ => 2,
        };
        rank(self).cmp(&rank(other)).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Class {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::custom(format!("'{name}' is not a valid load class name")))
    }
}

impl JsonSchema for Class {
    fn schema_name() -> Cow<'static, str> {
        "Class".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "description": "Name of a load class, such as small or large." })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::PerClass;

    #[test]
    fn a_name_is_short_and_plain() {
        assert_eq!(Class::named("small"), Some(Class::SMALL));
        assert_eq!(Class::named("log_writer_1").unwrap().name(), "log_writer_1");
        assert_eq!(Class::named("abcdefghijklmno").unwrap().label(), "Abcdefghijklmno");
        for bad in ["", "Small", "a b", "a-b", "1st", "_a", "abcdefghijklmnop", "\0", "é"] {
            assert_eq!(Class::named(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_pair_of_orion_comes_first() {
        let mut names = ["log", "large", "commit", "small"].map(|name| Class::named(name).unwrap());
        names.sort_unstable();
        assert_eq!(names.map(|class| class.to_string()), ["small", "large", "commit", "log"]);
        let text = serde_json::to_string(&PerClass::from([(Class::LARGE, 2), (Class::SMALL, 1)])).unwrap();
        assert_eq!(text, r#"{"small":1,"large":2}"#);
        assert!(serde_json::from_str::<PerClass<u32>>(r#"{"No":1}"#).is_err());
    }
}
