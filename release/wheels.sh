#!/usr/bin/env bash
# The wheels of `rankduel` and `rankduel-server` for a platform: wheels.sh TARGET TAG FOLDER
. "$(dirname "$0")/common.sh"
[ $# = 3 ] || { echo 'usage: wheels.sh TARGET (manylinux2014|musllinux_1_2|native) FOLDER' >&2; exit 2; }
target=$1 tag=$2 out=$(folder "$3")
tools
rustup target add "$target"
how=(--release --locked --target "$target" --out "$out")
case $tag in
  native) ;;
  manylinux* | musllinux*) how+=(--zig --compatibility "$tag") ;;
  *) echo "the tag $tag is none of manylinux2014, musllinux_1_2 and native" >&2; exit 2 ;;
esac

for package in python server; do
  step "$package for $target ($tag)"
  # With what only takes long to compile: users of a wheel have no cargo. These take the place of the features in pyproject.toml.
  more=()
  [ "$package" != python ] || more=(--features pyo3/extension-module,parquet,zstd)
  (cd "$top/$package" && maturin build --quiet "${how[@]}" ${more[@]+"${more[@]}"})
done
step 'checks'
twine check --strict "$out"/*.whl
if command -v abi3audit >/dev/null; then
  # The extension promises the stable interface of 3.10; abi3audit reads what it really uses.
  abi3audit --strict --report "$out"/rankduel-[0-9]*.whl >/dev/null || abi3audit --strict "$out"/rankduel-[0-9]*.whl
fi
ls -l "$out"
