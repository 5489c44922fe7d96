//! Facts about the machine: they go into timings, never into results. And its memory: what is left, and the refusal of
//! work that needs more (`memory`).

pub mod memory;

/// The name of the processor, where the system reports it.
#[must_use]
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'))?.1;
    Some(name.trim().to_owned())
}

/// Peak memory of this process in bytes, where the system reports it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kibibytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
