//! Tests of the server as others see it: over HTTP, and by its commands.

mod support;

mod apply;
mod broken;
mod commands;
mod damage;
mod demo;
mod drive;
mod events;
mod export;
mod failures;
mod false_alarms;
mod files;
mod impressions;
mod interface;
mod judging;
mod limits;
mod nodes;
mod notify;
mod outcomes;
mod pages;
mod postgres;
mod random;
mod restart;
mod schedules;
mod security;
mod segments;
mod shares;
mod shipping;
#[cfg(target_os = "linux")]
mod situations;
mod units;
mod years;
