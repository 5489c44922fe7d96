//! A page to judge on: two answers side by side without names, for the pairs of a session in a file. `room` has the actions of judges,
//! `http` the routes, `page` the HTML. Not here: the choice of the next pair, which `judges` makes.

mod address;
mod http;
mod links;
mod markdown;
mod outlook;
mod page;
mod room;

pub use address::PublicAddress;
pub use http::{JudgeServer, StartError};
pub use links::Links;
pub use room::Room;
