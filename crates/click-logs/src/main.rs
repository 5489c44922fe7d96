//! The command line `click-logs`; see `click-logs --help`.

#[global_allocator]
static ALLOCATOR: output::memory::OneLineAllocator = output::memory::OneLineAllocator;

fn main() -> std::process::ExitCode {
    click_logs::cli::main()
}
