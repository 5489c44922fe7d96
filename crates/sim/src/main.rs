//! The command line `rankduel`; see `rankduel --help`.

#[global_allocator]
static ALLOCATOR: output::memory::OneLineAllocator = output::memory::OneLineAllocator;

fn main() -> std::process::ExitCode {
    sim::cli::main()
}
