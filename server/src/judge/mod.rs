//! A page to judge on: two answers side by side without names, for the pairs of a session in a file. `room` is what judges do there, `http`
//! how browsers reach it, `page` what they see. Not here: which pair is next, which `judges` decides.

mod address;
mod http;
mod links;
mod markdown;
mod outlook;
mod page;
mod room;

pub use address::PublicAddress;
pub use http::{Running, StartError};
pub use links::Links;
pub use room::Room;
