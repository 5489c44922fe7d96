//! Progress of a download on the terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// Receives the progress of a download.
pub trait Watch {
    /// The download of `file` starts; `have` bytes of `total` are already here.
    fn start(&mut self, file: &str, have: u64, total: Option<u64>);
    /// `bytes` more have arrived.
    fn advance(&mut self, bytes: u64);
    /// A message for the user.
    fn note(&mut self, text: &str);
}

/// Ignores everything.
impl Watch for () {
    fn start(&mut self, _file: &str, _have: u64, _total: Option<u64>) {}
    fn advance(&mut self, _bytes: u64) {}
    fn note(&mut self, _text: &str) {}
}

/// A bar with speed and estimate on a terminal; notes on standard error anywhere.
#[derive(Debug, Default)]
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Watch for Bar {
    fn start(&mut self, file: &str, have: u64, total: Option<u64>) {
        let bar = match total {
            Some(total) => ProgressBar::new(total)
                .with_style(style("{msg} {bar:32} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left")),
            None => ProgressBar::new_spinner().with_style(style("{msg} {spinner} {bytes}, {binary_bytes_per_sec}")),
        };
        let bar = bar.with_message(file.to_owned());
        bar.set_position(have);
        bar.reset_eta();
        self.bar = Some(bar);
    }

    fn advance(&mut self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
    }

    fn note(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a constant").progress_chars("━╸ ")
}
