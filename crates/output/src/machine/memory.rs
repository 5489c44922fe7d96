//! Memory: the rest of it, the refusal of work that needs more, and the error line when an allocation fails.
//!
//! A large table is predicted before it is allocated: [`ensure_room`] compares the prediction with what limits and the
//! machine leave, so that a user learns immediately what to change, and the system does not end the process half-way. The
//! sizes are stated beside the tables they predict. [`OneLineAllocator`] is the net below: whatever else cannot be
//! allocated ends in one line as well.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Result, ensure};

use crate::numbers::with_separators;

/// The share of the free memory that predicted tables may take: the rest is for everything that is not predicted.
const USABLE: f64 = 0.95;

/// Memory that this process can still allocate, and what limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes.
    pub bytes: u64,
    /// The limiting resource: `ulimit -v`, `the control group` or `the machine`.
    pub limit: &'static str,
}

/// The smallest of the address space that `ulimit -v` leaves, the memory that the control group leaves, and the free
/// memory and swap of the machine; `None` where the system reports none of them.
#[must_use]
pub fn room() -> Option<Room> {
    let room_of = |limit, bytes: Option<u64>| bytes.map(|bytes| Room { bytes, limit });
    [
        room_of("ulimit -v", address_space()),
        room_of("the control group", control_group()),
        room_of("the machine", machine_memory()),
    ]
    .into_iter()
    .flatten()
    .min_by_key(|room| room.bytes)
}

/// Work was refused because it needs more memory than there is.
#[derive(Debug)]
pub struct NoRoomError(String);

impl fmt::Display for NoRoomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRoomError {}

/// Refuses work that needs `bytes` more memory than there is.
///
/// `subject` names the need, in the plural; `remedy` says what to do about it.
///
/// # Errors
/// One line with both and with the memory that is left.
pub fn ensure_room(bytes: u64, subject: impl FnOnce() -> String, remedy: impl FnOnce() -> String) -> Result<()> {
    // Reading the free memory takes longer than most small studies.
    if bytes < 1 << 26 {
        return Ok(());
    }
    fits_into(room(), bytes, subject, remedy)
}

/// `; at most 12,000 fit`: the largest number of arms with tables (of `bytes_of` bytes) that fit into memory; empty if it is unknown.
#[must_use]
pub fn arms_that_fit(bytes_of: impl Fn(usize) -> u64) -> String {
    room()
        .map_or_else(String::new, |room| format!("; at most {} fit", with_separators(max_arms(room, bytes_of) as u64)))
}

fn max_arms(room: Room, bytes_of: impl Fn(usize) -> u64) -> usize {
    // Two digits, so that the answer holds although other memory is taken and given back meanwhile.
    let fits_memory = |arms: usize| bytes_of(arms) as f64 <= USABLE * room.bytes as f64;
    let (mut max_arms, mut digit) = (0, 1 << 32);
    while digit > 0 {
        if fits_memory(max_arms + digit) {
            max_arms += digit;
        }
        digit /= 2;
    }
    let unit = 10_usize.pow(max_arms.max(1).ilog10().saturating_sub(1));
    max_arms / unit * unit
}

fn fits_into(
    room: Option<Room>,
    bytes: u64,
    subject: impl FnOnce() -> String,
    remedy: impl FnOnce() -> String,
) -> Result<()> {
    let Some(room) = room else { return Ok(()) };
    ensure!(
        bytes as f64 <= USABLE * room.bytes as f64,
        NoRoomError(format!(
            "{} need {} of memory, but {} leaves {}; {}",
            subject(),
            size(bytes),
            room.limit,
            size(room.bytes),
            remedy()
        ))
    );
    Ok(())
}

/// Bytes for a reader: `512 MB`, `10.8 GB`, `7.2 TB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        _ if bytes >= 999.5e15 => "more than 1000 PB".to_owned(),
        _ if bytes >= 999.5e12 => format!("{:.1} PB", bytes / 1e15),
        _ if bytes >= 999.5e9 => format!("{:.1} TB", bytes / 1e12),
        _ if bytes >= 999.5e6 => format!("{:.1} GB", bytes / 1e9),
        _ => format!("{:.0} MB", bytes / 1e6),
    }
}

/// The bytes left by `ulimit -v`; `None` without a limit.
pub(super) fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(proc_bytes("/proc/self/status", "VmSize:")?))
}

/// The bytes left by the control group of this process and its ancestors, of version 2 or 1.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let of_line = |line: &str| -> Option<u64> {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (root, limit, used) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|controller| controller == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            return None;
        };
        let remaining_bytes = |folder: &Path| -> Option<u64> {
            let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
            let stat = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let stat = |name: &str| {
                stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok()).unwrap_or(0)
            };
            // The cache of files is given up when memory is needed.
            let cache = stat("total_inactive_file ").max(stat("inactive_file "));
            Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(cache)))
        };
        // In a container the path may be the host's, so that only the root is there.
        let inside = Path::new(path.trim_start_matches('/'));
        inside.ancestors().filter_map(|folder| remaining_bytes(&Path::new(root).join(folder))).min()
    };
    groups.lines().filter_map(of_line).min()
}

/// The memory of the machine.
fn machine_memory() -> Option<u64> {
    let bytes_of = |key| proc_bytes("/proc/meminfo", key);
    Some(bytes_of("MemAvailable:")? + bytes_of("SwapFree:").unwrap_or(0))
}

/// The value of a line such as `VmSize:  1234 kB`, in bytes.
fn proc_bytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// The allocator of the system, but for allocations that fail: these end the process with one line and exit code 1
/// instead of an abort with a backtrace. The program `rankduel` installs it; the library does not.
pub struct OneLineAllocator;

impl OneLineAllocator {
    #[inline]
    fn checked(block: *mut u8, bytes: usize) -> *mut u8 {
        if block.is_null() {
            Self::exit_out_of_memory(bytes);
        }
        block
    }

    #[cold]
    fn exit_out_of_memory(bytes: usize) -> ! {
        // Formatting numbers and writing to standard error allocate nothing.
        let (size, unit) = whole_units(bytes);
        let _ = writeln!(
            std::io::stderr(),
            "error: out of memory: another {size} {unit} could not be allocated; use fewer rankers, runs or threads, \
             smaller data, or more memory",
        );
        std::process::exit(1);
    }
}

/// Bytes in the largest unit that makes at least ten. Allocates nothing.
fn whole_units(bytes: usize) -> (usize, &'static str) {
    match bytes {
        0..10_000 => (bytes, "bytes"),
        10_000..10_000_000 => (bytes / 1000, "kB"),
        10_000_000..10_000_000_000 => (bytes / 1_000_000, "MB"),
        _ => (bytes / 1_000_000_000, "GB"),
    }
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by definition; this one passes every call to that of the system"
)]
// SAFETY: every method has the contract of the same method of `System`, and returns its result.
unsafe impl GlobalAlloc for OneLineAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for; so below.
        Self::checked(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        Self::checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        Self::checked(unsafe { System.realloc(block, layout, bytes) }, bytes)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_refused_with_what_is_needed_what_is_left_and_what_to_do() {
        let ask = |bytes: u64| {
            let room = Room { bytes: 6_000_000_000, limit: "ulimit -v" };
            let remedy = || "choose fewer with --rankers".to_owned();
            fits_into(Some(room), bytes, || "the counts of 450,000,000 pairs".to_owned(), remedy)
        };
        assert!(ask(5_600_000_000).is_ok());
        assert_eq!(
            ask(10_800_000_000).expect_err("too much").to_string(),
            "the counts of 450,000,000 pairs need 10.8 GB of memory, but ulimit -v leaves 6.0 GB; choose fewer with \
             --rankers"
        );
        // Where nothing is known of the system, nothing is refused.
        assert!(fits_into(None, u64::MAX, String::new, String::new).is_ok());
    }

    #[test]
    fn the_most_arms_that_fit_are_found() {
        let most = |bytes, per_pair: u64| {
            max_arms(Room { bytes, limit: "ulimit -v" }, |arms| {
                (arms as u64).saturating_pow(2).saturating_mul(per_pair)
            })
        };
        // 0.95 * 6e9 / 12 is 21,794 squared.
        assert_eq!((most(6_000_000_000, 12), most(0, 12), most(200, 1)), (21_000, 0, 13));
    }

    #[test]
    fn what_could_not_be_allocated_is_never_nothing() {
        let units = [1, 9_999, 65_536, 999_999_999, 12_345_678_901].map(whole_units);
        assert_eq!(units, [(1, "bytes"), (9_999, "bytes"), (65, "kB"), (999, "MB"), (12, "GB")]);
    }

    #[test]
    fn sizes_have_units() {
        let sizes = [70_000_000, 999_000_000, 999_600_000, 10_800_000_000, 7_200_000_000_000, 3 << 50, u64::MAX];
        let texts = ["70 MB", "999 MB", "1.0 GB", "10.8 GB", "7.2 TB", "3.4 PB", "more than 1000 PB"];
        assert_eq!(sizes.map(size), texts);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_what_is_left() {
        let room = room().expect("Linux reports free memory");
        assert!(room.bytes > 0 && room.bytes <= machine_memory().expect("the machine's"), "{room:?}");
    }
}
