#!/usr/bin/env bash
# A copy of the workspace under the names that are published, checked, and with --publish published: crates.sh FOLDER [--publish]
. "$(dirname "$0")/common.sh"
[ $# -ge 1 ] || { echo 'usage: crates.sh FOLDER [--publish]' >&2; exit 2; }
# The copy is made from another folder than it is checked in.
copy=$(realpath -m "$1")
step 'the copy'
repository=()
[ -z "${RANKDUEL_REPOSITORY:-}" ] || repository=(--repository "$RANKDUEL_REPOSITORY")
(cd "$top" && cargo xtask publishable "${repository[@]}" "$copy")
cd "$copy"
# The names of packages changed, and nothing else of the lock file.
cargo update --workspace --offline
step 'examples of the documentation, under the published names'
cargo test --workspace --doc
step 'every package, as it would be published'
cargo publish --workspace --dry-run --locked
if [ "${2:-}" = --publish ]; then
  step 'published'
  cargo publish --workspace --locked
fi
