//! The real binary, as a user meets it.

mod bad_input;
mod device;
mod faults;
mod orion;
mod outputs;
mod safety;
mod scale;
mod sim;
mod stop;
mod support;
