//! The memory that each algorithm declares, against its allocations: callers refuse work by the former. A binary of
//! its own, because it counts every allocation of the process. For a single algorithm:
//!
//! ```sh
//! ALGORITHM=rucb cargo test -p bandits --test memory
//! ```

#[path = "all/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use bandits::problems::utilities::arith;
use bandits::registry::{PolicyVisitor, Spec};
use bandits::{Generators, Memory, Policy, RunState, UtilityArena, play_in_step};

/// Counts the bytes that are allocated, and their maximum.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by definition; this one passes every call to that of the system"
)]
// SAFETY: both methods have the contract of those of `System`, and return their results; the others are made of them.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller gives the guarantees that `System` needs; so below.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Plays some steps, in which tables are made that are not made at the start.
struct Play {
    arms: usize,
}

impl PolicyVisitor for Play {
    type Output = ();

    fn visit<P: Policy + Clone + Send>(self, policy: P) {
        let arena = UtilityArena::new(arith(self.arms)).expect("utilities");
        let mut state = [RunState::new(policy, arena, Generators::from_seed(1), ())];
        play_in_step(&mut state, 2_000);
    }
}

/// The most bytes that a run among this number of arms takes at any time.
fn measured(spec: &Spec, arms: usize) -> f64 {
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    spec.visit(arms, Some(1_000_000), Play { arms }).expect("a policy");
    (MOST.load(Ordering::Relaxed) - before) as f64
}

/// Rounded up, where that much is more than noise.
fn rounded(bytes: f64) -> f64 {
    if bytes < 0.25 { 0.0 } else { (bytes - 0.05).ceil() }
}

#[test]
fn algorithms_take_the_memory_that_they_declare() {
    let mut wrong = Vec::new();
    for entry in common::algorithms() {
        let spec: Spec = entry.name.parse().expect("a registered name");
        // The first run of a process makes the data that all runs share.
        measured(&spec, 8);
        let arms = 600;
        let (found, declared) = (measured(&spec, arms), entry.memory.bytes(arms) as f64);
        if found > 1.1 * declared || found < 0.6 * declared {
            // Two sizes separate the memory per pair from that per arm.
            let fewer = arms / 3;
            let per_pair = (found / arms as f64 - measured(&spec, fewer) / fewer as f64) / (arms - fewer) as f64;
            let per_arm = found / arms as f64 - per_pair * arms as f64;
            let Memory { per_pair: pairs, per_arm: arms } = entry.memory;
            wrong.push(format!(
                "{}: declared {pairs} bytes per pair and {arms} per arm, found {per_pair:.2} and {per_arm:.0}; write in \
                 src/registry/memory.rs\n    (\"{}\", ({:.0}, {:.0})),",
                entry.name,
                entry.name,
                rounded(per_pair),
                rounded(per_arm)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
