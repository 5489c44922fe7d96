#!/usr/bin/env bash
# Recipes for Homebrew and conda-forge with the checksums of what was built: recipes.sh REPOSITORY FOLDER
# FOLDER has the archives of `programs.sh` and the source distributions of `sdist.sh`; the recipes are written into it.
. "$(dirname "$0")/common.sh"
[ $# = 2 ] || { echo 'usage: recipes.sh REPOSITORY FOLDER' >&2; exit 2; }
repository=${1%/} dist=$(cd "$2" && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$top/Cargo.toml" | head -1)

sha256() {
  [ -f "$1" ] || { echo "$1 is missing: build it first, or a recipe would promise what is not there" >&2; exit 1; }
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

for recipe in rankduel.rb recipe.yaml; do
  text=$(cat "$top/release/recipes/$recipe.in")
  text=${text//@REPOSITORY@/$repository}
  text=${text//@VERSION@/$version}
  text=${text//@MAINTAINER@/${RANKDUEL_MAINTAINER:-$(basename "$(dirname "$repository")")}}
  for wanted in $(grep -o '@SHA256:[^@]*@' <<<"$text" | sort -u); do
    target=${wanted#@SHA256:} target=${target%@}
    case $target in sdist) file=rankduel-$version.tar.gz ;; *) file=rankduel-$version-$target.tar.gz ;; esac
    sum=$(sha256 "$dist/$file")
    text=${text//$wanted/$sum}
  done
  printf '%s\n' "$text" >"$dist/$recipe.part"
  mv "$dist/$recipe.part" "$dist/$recipe"
  echo "$dist/$recipe"
done
