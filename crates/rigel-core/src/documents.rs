//! How fields of findings appear in documents: what `serde(serialize_with)` names.
//!
//! Must not be used by types of the record, which are read back.

use crate::load::class::PerClass;
use crate::load::matrix::Point;
use crate::path_text;
use crate::units::{Nanos, to_f64, us_from_ns};
use serde::{Serialize, Serializer};

/// Nanoseconds in seconds.
///
/// # Errors
/// When the serializer fails.
pub fn seconds<S: Serializer>(time: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.seconds())
}

/// A number of nanoseconds in seconds.
///
/// # Errors
/// When the serializer fails.
pub fn ns_in_seconds<S: Serializer>(ns: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(Nanos(*ns).seconds())
}

/// Nanoseconds in microseconds.
///
/// # Errors
/// When the serializer fails.
pub fn micros<S: Serializer>(time: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(us_from_ns(to_f64(time.0)))
}

/// A number counted from 0, shown counted from 1.
///
/// # Errors
/// When the serializer fails.
pub fn from_one<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(number.saturating_add(1))
}

/// Foreign text.
///
/// # Errors
/// When the serializer fails.
pub fn printable<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text::printable(text))
}

/// The load level of each class.
///
/// # Errors
/// When the serializer fails.
pub fn levels<S: Serializer>(point: &Point, serializer: S) -> Result<S::Ok, S::Error> {
    point.shown().collect::<PerClass<u32>>().serialize(serializer)
}
