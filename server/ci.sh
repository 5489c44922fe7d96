#!/usr/bin/env bash
# Format, lint, documentation and tests of the server; nothing of it is compiled by `cargo test --workspace` in the folder above.
set -euo pipefail
cd "$(dirname "$0")"
# In the folder of the workspace above: dependencies are compiled once for both.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

step() { printf '\n== [%d s] server: %s\n' "$SECONDS" "$*"; }

step 'format'
cargo fmt --check
step 'lint'
cargo clippy --locked --all-targets -- -D warnings
step 'without the feature drive: no simulation'
cargo clippy --locked --no-default-features -- -D warnings
if cargo tree --locked --no-default-features -e normal | grep -E ' (simulation|zip) v'; then
  echo 'a server without `drive` has what only simulated users need'
  exit 1
fi
step 'with TLS to the database'
cargo clippy --locked --all-targets --features tls -- -D warnings
step 'documentation'
RUSTDOCFLAGS='-D warnings' cargo doc --locked --no-deps
step 'tests'
# Most of them wait: for seconds to pass, and for a database.
RUST_TEST_THREADS=$((2 * $(getconf _NPROCESSORS_ONLN))) cargo test --locked --features tls
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  step 'killed under load, and attacked'
  python3 -B tests/outside/kills.py "$CARGO_TARGET_DIR/debug/rankduel-server" 5
  python3 -B tests/outside/orders.py "$CARGO_TARGET_DIR/debug/rankduel-server" 5
  python3 -B tests/outside/security.py "$CARGO_TARGET_DIR/debug/rankduel-server" 500
  step 'judges at a page that is killed'
  python3 -B tests/outside/judges.py "$CARGO_TARGET_DIR/debug/rankduel-server" 5
  step 'single bits that change, users who are forgotten, a machine that is lost'
  python3 -B tests/outside/flips.py "$CARGO_TARGET_DIR/debug/rankduel-server" 12
  python3 -B tests/outside/forget.py "$CARGO_TARGET_DIR/debug/rankduel-server" 10
  python3 -B tests/outside/standby.py "$CARGO_TARGET_DIR/debug/rankduel-server" --seconds 4 --every 1
  step 'messages passed on to Slack and by mail'
  python3 -B tests/outside/relay.py
  step 'behind nginx'
  # 77: skipped, which it says.
  python3 -B tests/outside/proxy.py "$CARGO_TARGET_DIR/debug/rankduel-server" || [ $? = 77 ]
  step 'two servers with one store in PostgreSQL'
  # 77: skipped, which it says.
  python3 -B tests/outside/nodes.py "$CARGO_TARGET_DIR/debug/rankduel-server" --kills 1 --stops 1 --between 1 --databases 1 --drains 1 ||
    [ $? = 77 ]
  python3 -B tests/outside/equal.py "$CARGO_TARGET_DIR/debug/rankduel-server" --impressions 500 --every 100 --policies rucb,sparring ||
    [ $? = 77 ]
  python3 -B tests/outside/balanced.py "$CARGO_TARGET_DIR/debug/rankduel-server" || [ $? = 77 ]
  python3 -B tests/outside/pooler.py "$CARGO_TARGET_DIR/debug/rankduel-server" || [ $? = 77 ]
  step 'a disk that holds, fails or is full; a clock that jumps'
  # 77: skipped, which it says.
  python3 -B tests/outside/disk.py "$CARGO_TARGET_DIR/debug/rankduel-server" --seconds 2 || [ $? = 77 ]
  step 'killed while days close and are forgotten'
  python3 -B tests/outside/days.py "$CARGO_TARGET_DIR/debug/rankduel-server" 4 --day 2 || [ $? = 77 ]
else
  step 'no Python 3.9: the scripts of tests/outside are skipped'
fi
# `NODE_PATH` is where playwright-core and axe-core are.
chromium=${CHROMIUM:-/usr/bin/chromium}
if [ -x "$chromium" ] && node -e 'for (const name of ["playwright-core", "axe-core"]) require.resolve(name)' 2>/dev/null; then
  step 'clicks from pages of other origins'
  node tests/outside/beacon.mjs "$CARGO_TARGET_DIR/debug/rankduel-server"
  step 'pages in a browser'
  shots=$(mktemp -d)
  node tests/outside/page.mjs "$CARGO_TARGET_DIR/debug/rankduel-server" "$shots"
  node tests/outside/judge.mjs "$CARGO_TARGET_DIR/debug/rankduel-server" "$shots"
  rm -rf "$shots"
  step 'the shop, used by a person'
  bash examples/shop/test.sh "$CARGO_TARGET_DIR/debug/rankduel-server"
else
  step 'no Chromium, or no playwright-core and axe-core in NODE_PATH: pages and shop are not looked at'
fi
step 'all checks passed'
