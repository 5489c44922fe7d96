#!/usr/bin/env bash
# Builds the wheel, installs it into a clean environment for each Python from 3.10 to 3.13 that is there, runs the tests,
# checks types and stubs, runs the notebooks and builds the documentation, and compares the numbers between the versions.
# Skips, and says so, without Python or a package index. `ci.sh --one` does it for the newest Python alone.
#
# RANKDUEL_PROFILE=release builds what users install, for manylinux2014; the default, dev, is compiled in a fraction of
# the time. RANKDUEL_PYTHONS names the interpreters, e.g. "python3.12 /opt/python3.13/bin/python". RANKDUEL_SIM names the
# program `rankduel` of this revision, to compare with, and RANKDUEL_SERVER the program `rankduel-server`, with which the pages about
# the live server are tried.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
profile=${RANKDUEL_PROFILE:-dev}
work=${RANKDUEL_WORK:-../target/python}
mkdir -p "$work"
work=$(cd "$work" && pwd)

step() { printf '\n== [%d s] python: %s\n' "$SECONDS" "$*"; }
skip() { printf '\n== python: SKIPPED: %s\n' "$*"; exit 0; }

pythons=()
for version in 3.10 3.11 3.12 3.13; do
  for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
    # A shim of pyenv may be there without its Python.
    if "$candidate" -c "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, ${version#3.}))" 2>/dev/null; then
      pythons+=("$candidate")
      break
    fi
  done
done
[ -z "${RANKDUEL_PYTHONS:-}" ] || read -r -a pythons <<<"$RANKDUEL_PYTHONS"
[ ${#pythons[@]} -gt 0 ] || skip 'no Python from 3.10 to 3.13'
newest=${pythons[-1]}
# All that takes minutes, unless one Python is enough.
if [ "${1:-}" = --one ]; then pythons=("$newest"); else export RANKDUEL_ALL=1; fi

# An environment is made once and kept: only the wheel is installed again.
environment() { # folder, python, packages...
  local folder=$1 python=$2
  shift 2
  if [ "$(cat "$folder/.packages" 2>/dev/null)" != "$*" ]; then
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install -q "$@" || return 1
    echo "$*" >"$folder/.packages"
  fi
}

step "the wheel ($profile)"
tools=('maturin>=1.10,<2')
how=(--profile "$profile" --compatibility linux)
if [ "$profile" = release ]; then
  tools+=(ziglang)
  how=(--release --zig --compatibility manylinux2014)
fi
environment "$work/build-$profile" "$newest" "${tools[@]}" || skip 'no package index'
rm -rf "$work/wheels"
started=$SECONDS
PATH="$work/build-$profile/bin:$PATH" PYO3_PYTHON="$work/build-$profile/bin/python" \
  maturin build --quiet "${how[@]}" --out "$work/wheels"
wheel=$(echo "$work"/wheels/*.whl)
echo "$(basename "$wheel"): $(($(stat -c %s "$wheel") / 1024)) KB, built in $((SECONDS - started)) s"

# Beside a development build, which has compiled most of it.
if [ "$profile" = dev ] && cargo clippy --version >/dev/null 2>&1; then
  step 'lints'
  PYO3_PYTHON="$work/build-$profile/bin/python" cargo clippy --quiet --all-targets -- -D warnings
fi

numbers='
import hashlib, rankduel as rd
site = rd.Site("mq2008-lookalike:0.05", rankers="1,5,10,20")
study = site.live(["rucb", "mdb", "rmed1"], steps=2000, runs=3)
matrix = site.proxy(impressions_per_pair=200)
print(hashlib.sha256(study.curves.to_csv() + matrix.values.tobytes()).hexdigest())
'
# Files of tests side by side: each has servers, databases and folders of its own.
beside=(-n auto --dist loadfile)
found=()
for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  place=$work/venv-$version
  everything=
  packages=(pytest pytest-xdist hypothesis numpy pyarrow)
  if [ "$python" = "$newest" ]; then
    everything=yes
    packages+=(pandas polars duckdb sqlglot scipy ranx ir_measures matplotlib tqdm mypy "pyright[nodejs]")
  fi
  environment "$place" "$python" "${packages[@]}" || skip 'no package index'
  "$place/bin/pip" install -q --no-deps --force-reinstall "$wheel"
  if [ -n "$everything" ]; then
    step "$version: all tests, with warnings as errors"
    (cd tests && "$place/bin/python" -X dev -W error -m pytest -q -p no:cacheprovider "${beside[@]}" --ignore test_spark.py)
    step "$version: examples in docstrings, types, stubs"
    # Elsewhere: here, the sources would be imported instead of the wheel.
    installed=$(cd "$work" && "$place/bin/python" -c 'import rankduel, pathlib; print(pathlib.Path(rankduel.__file__).parent)')
    (cd "$work" && "$place/bin/python" -m pytest -q -p no:cacheprovider --doctest-modules "$installed")
    "$place/bin/python" -m mypy --config-file pyproject.toml --cache-dir "$work/mypy" rankduel
    (cd "$work" && "$place/bin/python" -m mypy.stubtest rankduel._core --concise --mypy-config-file "$here/pyproject.toml")
  else
    step "$version: lists, tables, own policies, click models and the client"
    (cd tests && "$place/bin/python" -m pytest -q -p no:cacheprovider test_client.py test_client_care.py test_clicks.py test_frames.py test_keywords.py test_lists.py test_logs.py test_own.py test_rankings.py)
  fi
  found+=("$(cd "$work" && "$place/bin/python" -c "$numbers")")
  echo "numbers on $version: ${found[-1]}"
done
for one in "${found[@]}"; do
  [ "$one" = "${found[0]}" ] || { echo 'the numbers differ between versions of Python'; exit 1; }
done
step 'Spark: a cluster of processes, an executor killed'
# Not with warnings as errors: those are of pyspark, about libraries newer than itself.
if ! command -v java >/dev/null && [ -z "${JAVA_HOME:-}" ]; then
  echo 'SKIPPED: no Java'
elif environment "$work/spark" "$newest" pytest numpy pyarrow 'pandas<3' 'pyspark>=4,<5'; then
  "$work/spark/bin/pip" install -q --no-deps --force-reinstall "$wheel"
  (cd tests && "$work/spark/bin/python" -X dev -m pytest -q -p no:cacheprovider test_spark.py)
  # The forms of a log of which Spark is one; a session of its own.
  (cd tests && "$work/spark/bin/python" -X dev -m pytest -q -p no:cacheprovider -k Spark test_forms.py test_broken_pages.py)
else
  echo 'SKIPPED: the package index lacks pyspark'
fi
step 'notebooks and documentation'
mapfile -t packages <../docs/requirements.txt
if environment "$work/docs" "$newest" "${packages[@]}"; then
  "$work/docs/bin/pip" install -q --no-deps --force-reinstall "$wheel"
  DOCS_PYTHON="$work/docs/bin/python" bash ../docs/build.sh
else
  echo 'SKIPPED: the package index lacks what the documentation needs'
fi
step 'all checks passed'
