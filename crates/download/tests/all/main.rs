//! Integration tests, in one binary, since each test binary links everything.

mod faults;
mod stopped;
mod support;
