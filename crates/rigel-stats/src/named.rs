//! Words for the variants of an enum.
//!
//! Must not know an enum.

/// Gives an enum a word for each variant, as outputs, records and command lines have it, and a list of them in the order of the rows. A
/// variant without a row does not compile.
///
/// ```text
/// #[derive(Clone, Copy)]
/// enum Side {
///     Left,
///     Right,
/// }
///
/// rigel_core::named!(Side { Left: "left", Right: "right" });
///
/// assert_eq!(Side::ALL.map(Side::name), ["left", "right"]);
/// ```
#[macro_export]
macro_rules! named {
    ($enum:ident { $($variant:ident: $name:literal),+ $(,)? }) => {
        impl $enum {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The word for it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}
