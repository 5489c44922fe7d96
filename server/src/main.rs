//! The program `rankduel-server`; see `rankduel-server --help`.

fn main() -> std::process::ExitCode {
    rankduel_server::cli::main()
}
