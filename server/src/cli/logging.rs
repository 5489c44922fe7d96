//! Log lines on standard error.

use tracing::level_filters::LevelFilter;

use crate::settings::{LogFormat, LogLevel};

/// Starts logging. Lines never hold keys, units, queries or documents.
pub(super) fn start(format: LogFormat, level: LogLevel) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    match format {
        LogFormat::Text => lines.with_ansi(false).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}
