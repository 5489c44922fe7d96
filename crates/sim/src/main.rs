//! The command line `sim`; see `sim --help`.

#[global_allocator]
static ALLOCATOR: sim::output::memory::OneLineAllocator = sim::output::memory::OneLineAllocator;

fn main() -> std::process::ExitCode {
    sim::cli::main()
}
