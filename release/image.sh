#!/usr/bin/env bash
# An image of the live server from the archive of its programs, as an OCI archive beside it: image.sh TARGET FOLDER
# Needs buildah; no base image is fetched.
. "$(dirname "$0")/common.sh"
[ $# = 2 ] || { echo 'usage: image.sh TARGET FOLDER' >&2; exit 2; }
target=$1 dist=$(cd "$2" && pwd)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$top/Cargo.toml" | head -1)
name=rankduel-$version-$target
case $target in
  x86_64-*-musl) arch=amd64 ;;
  aarch64-*-musl) arch=arm64 ;;
  *) echo "the image is empty but for the server, so $target must be one of the musl targets" >&2; exit 2 ;;
esac
aside=$(mktemp -d)
trap 'rm -rf "$aside"' EXIT
tar -xzf "$dist/$name.tar.gz" -C "$aside"
mkdir "$aside/data"
step "image for $arch"
buildah build --isolation chroot --platform "linux/$arch" --timestamp "${SOURCE_DATE_EPOCH:-0}" --build-arg "ARCHIVE=$name" \
  --tag "rankduel-server:$version-$arch" --file "$top/release/recipes/Containerfile" "$aside"
buildah push "rankduel-server:$version-$arch" "oci-archive:$dist/rankduel-server-$version-$arch.oci.tar"
ls -l "$dist/rankduel-server-$version-$arch.oci.tar"
