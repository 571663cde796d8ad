//! What rigel-io does with a real kernel, through its public interface.

mod engines;
mod engines_alloc;
mod machines;
mod targets;
mod witness;
