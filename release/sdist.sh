#!/usr/bin/env bash
# The source distributions of `rankduel` and `rankduel-server`, and a wheel built from the first in a clean environment:
# sdist.sh FOLDER [--no-build]
. "$(dirname "$0")/common.sh"
[ $# -ge 1 ] || { echo 'usage: sdist.sh FOLDER [--no-build]' >&2; exit 2; }
out=$(folder "$1")
tools
for package in python server; do
  step "source distribution of $package"
  (cd "$top/$package" && maturin sdist --out "$out")
done
twine check --strict "$out"/*.tar.gz
for sdist in "$out"/*.tar.gz; do
  for licence in LICENSE-MIT LICENSE-APACHE; do
    tar -tzf "$sdist" | grep "/$licence\$" >/dev/null || { echo "$sdist lacks $licence" >&2; exit 1; }
  done
done
ls -l "$out"
if [ "${2:-}" != --no-build ]; then
  step 'a wheel from the source distribution alone'
  clean=$(mktemp -d)
  trap 'rm -rf "$clean"' EXIT
  "${RANKDUEL_PYTHON:-python3}" -m venv "$clean/venv"
  "$clean/venv/bin/pip" install -q "$(ls "$out"/rankduel-[0-9]*.tar.gz)"
  (cd "$clean" && venv/bin/rankduel --version)
fi
