# What the scripts of this folder share; sourced, not run.
set -euo pipefail
export CARGO_TERM_COLOR=never
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=${RANKDUEL_WORK:-$top/target/release-tools}

step() { printf '\n== [%d s] release: %s\n' "$SECONDS" "$*"; }

# An environment of Python with what builds and checks wheels; made once.
tools() {
  if [ ! -d "$work/tools" ]; then
    "${RANKDUEL_PYTHON:-python3}" -m venv "$work/tools"
    "$(bin)/pip" install -q 'maturin>=1.10,<2' ziglang twine
    # Of libraries on Linux alone.
    [ "$(uname)" != Linux ] || "$(bin)/pip" install -q auditwheel abi3audit
  fi
  PATH="$(bin):$PATH"
  export PATH
}

bin() { if [ -d "$work/tools/Scripts" ]; then echo "$work/tools/Scripts"; else echo "$work/tools/bin"; fi; }

# The folder as it is from everywhere, made if it is not there.
folder() { mkdir -p "$1" && (cd "$1" && pwd); }
