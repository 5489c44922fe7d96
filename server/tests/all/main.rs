//! Tests of the server as others see it: over HTTP, and by its commands.

mod support;

mod events;
mod export;
mod failures;
mod impressions;
mod restart;
mod security;
