#!/usr/bin/env bash
# An archive with the programs for a platform, completions, man pages, licences, and its checksum: programs.sh TARGET FOLDER
. "$(dirname "$0")/common.sh"
[ $# = 2 ] || { echo 'usage: programs.sh TARGET FOLDER' >&2; exit 2; }
target=$1 out=$(folder "$2")
rustup target add "$target"
cargo=(cargo build --release --locked --target "$target")
case $target in
  *-linux-*)
    tools
    "$(bin)/pip" install -q cargo-zigbuild
    cargo=(cargo-zigbuild build --release --locked --target "$target")
    ;;
esac
built=${CARGO_TARGET_DIR:-$top/target}
export CARGO_TARGET_DIR=$built
step "programs for $target"
# With what only takes long to compile: users of an archive have no cargo.
(cd "$top" && "${cargo[@]}" -p sim --features sim/fetch -p click-logs --features click-logs/parquet,click-logs/zstd)
(cd "$top/server" && "${cargo[@]}")

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$top/Cargo.toml" | head -1)
name=rankduel-$version-$target
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
mkdir -p "$aside/$name/completions" "$aside/$name/man"
suffix=
case $target in *windows*) suffix=.exe ;; esac
for program in rankduel click-logs rankduel-server; do
  cp "$built/$target/release/$program$suffix" "$aside/$name/"
done
cp "$top/LICENSE-MIT" "$top/LICENSE-APACHE" "$top/README.md" "$top/CHANGELOG.md" "$aside/$name/"
step 'completions and man pages'
# Made by a program that this machine can run: the same text on every platform.
rankduel=$built/$target/release/rankduel$suffix
if ! "$rankduel" --version >/dev/null 2>&1; then
  (cd "$top" && cargo build --release --locked -p sim --features fetch)
  rankduel=$built/release/rankduel
fi
for shell in bash zsh fish powershell elvish; do
  "$rankduel" completions "$shell" >"$aside/$name/completions/rankduel.$shell"
done
"$rankduel" man "$aside/$name/man" >/dev/null
step 'archive'
(
  cd "$aside"
  case $target in
    *windows*) python3 -m zipfile -c "$out/$name.zip" "$name" && file=$name.zip ;;
    *)
      # The same bytes from the same files, where tar is GNU's.
      same=()
      ! tar --version | grep -q GNU || same=(--sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}")
      tar ${same[@]+"${same[@]}"} -czf "$out/$name.tar.gz" "$name" && file=$name.tar.gz
      ;;
  esac
  cd "$out"
  if command -v sha256sum >/dev/null; then sha256sum "$file" >"$file.sha256"; else shasum -a 256 "$file" >"$file.sha256"; fi
)
ls -l "$out"
