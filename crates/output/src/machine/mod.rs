//! Facts about the machine: they go into timings, never into results. Its memory: the rest of it, and the refusal of work that needs more
//! (`memory`). Its threads: as many as can be started (`threads`). The process: the name of its program (`program`).

pub mod memory;
pub mod program;
pub mod threads;

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

/// Seconds of processor time that this process has used on all cores, to a hundredth, where the system reports them.
#[must_use]
pub fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may contain anything but ends with the last parenthesis: the 14th and 15th field of all.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u32>().ok();
    // Linux gives them in hundredths of a second, whatever its clock.
    Some((f64::from(ticks(11)?) + f64::from(ticks(12)?)) / 100.0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn processor_time_passes_while_something_is_computed() {
        let before = processor_seconds().unwrap();
        let mut sum = 0_u64;
        for _ in 0..2_000 {
            (0..100_000_u64).for_each(|number| sum = std::hint::black_box(sum.wrapping_mul(31) ^ number));
            if processor_seconds().unwrap() > before + 0.02 {
                return;
            }
        }
        panic!("{sum}: a second of work at least, and no time has passed since {before}");
    }
}
