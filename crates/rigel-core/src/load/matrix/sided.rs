//! Points of two alternating sides.
//!
//! Must not know which points a run has.

use super::Point;
use crate::load::class::{Class, LoadClass};
use crate::load::sides::Side;

impl Point {
    /// The same load on a side. `self` is a point without sides, or of the other side.
    #[must_use]
    pub fn on(self, side: Side) -> Self {
        let sided = |class: Class| class.sided().map_or(class, |(plain, _)| plain).on(side);
        self.classes()
            .filter_map(|(class, level)| Some((sided(class)?, level)))
            .fold(Self::default(), |point, (class, level)| point.with(class, level))
    }

    /// Its side, from its first class; `None` without sides.
    pub fn side(self) -> Option<Side> {
        self.classes().next()?.0.sided().map(|(_, side)| side)
    }

    /// Its side in a run of these classes, with the levels by plain names; `None` without sides.
    fn sided(self, classes: &[LoadClass]) -> Option<(Side, Vec<(LoadClass, u32)>)> {
        let level = |class: &LoadClass| Some(self.of(class.name)).filter(|&level| level > 0);
        let own: Vec<_> = classes.iter().filter_map(|class| Some((class, level(class)?))).collect();
        let side = own.first()?.0.side?;
        Some((side, own.into_iter().map(|(class, level)| (class.plain(), level)).collect()))
    }

    /// The same with the load in words: `4 outstanding small I/Os`.
    pub fn side_in_words(self, classes: &[LoadClass]) -> Option<(Side, String)> {
        let (side, own) = self.sided(classes)?;
        let words: Vec<_> = own.iter().map(|(class, level)| class.level_words(*level)).collect();
        Some((side, words.join(" and ")))
    }

    /// As [`Self::named`], with `A: Small=4` if there are sides.
    pub fn named_of(self, classes: &[LoadClass], between: &str) -> String {
        let Some((side, own)) = self.sided(classes) else { return self.named(between) };
        let named: Vec<_> =
            own.iter().map(|(class, level)| format!("{}={level}", class.name.label())).collect();
        format!("{}: {}", side.name(), named.join(between))
    }

    /// As [`Self::words`], with `A: small 4` if there are sides.
    pub fn words_of(self, classes: &[LoadClass]) -> String {
        let Some((side, own)) = self.sided(classes) else { return self.words() };
        let words: Vec<_> = own.iter().map(|(class, level)| format!("{} {level}", class.name)).collect();
        format!("{}: {}", side.name(), words.join(" "))
    }

    /// The same load without its side.
    #[must_use]
    pub fn plain(self) -> Self {
        let plain = |class: Class| class.sided().map_or(class, |(plain, _)| plain);
        self.classes().fold(Self::default(), |point, (class, level)| point.with(plain(class), level))
    }
}
