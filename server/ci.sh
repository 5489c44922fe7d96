#!/usr/bin/env bash
# Format, lint, documentation and tests of the server; nothing of it is compiled by `cargo test --workspace` in the folder above.
set -euo pipefail
cd "$(dirname "$0")"
# Beside the workspace above, with whose profiles dependencies are compiled once.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

step() { printf '\n== [%d s] server: %s\n' "$SECONDS" "$*"; }

step 'format'
cargo fmt --check
step 'lint'
cargo clippy --locked --all-targets -- -D warnings
step 'documentation'
RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps
step 'tests'
cargo test --locked
step 'all checks passed'
