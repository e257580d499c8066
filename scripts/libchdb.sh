#!/usr/bin/env bash
# Installs libchdb, ClickHouse's engine as a library, from its npm package into the
# cache folder. What is installed already is left alone.
set -euo pipefail
. "$(dirname "$0")/cache.sh"

version=26.7.3-stable.1 # the same as chdbVersion in compose/embedded/cache.go
target="$(cache_dir)/libchdb-$version"
if [ -e "$target/libchdb.so" ]; then
	exit 0
fi

# npm checks what it downloads against what its registry says of it; a sum pinned here
# holds even if the registry were to change its mind.
case "$(uname -s)-$(uname -m)" in
Linux-x86_64)
	platform=linux-x64-gnu
	integrity=sha512-XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==
	;;
# Where no sum is pinned yet, npm's own check is all there is, and the script says so:
# `npm view @chdb/lib-PLATFORM@VERSION dist.integrity` is the sum.
Linux-aarch64) platform=linux-arm64-gnu integrity= ;;
Darwin-arm64) platform=darwin-arm64 integrity= ;;
Darwin-x86_64) platform=darwin-x64 integrity= ;;
*)
	echo "libchdb: there is no package for $(uname -s) on $(uname -m); use --clickhouse URL" >&2
	exit 1
	;;
esac

mkdir -p "$(dirname "$target")"
work="$(mktemp -d "$target.XXXXXX")"
trap 'rm -rf "$work"' EXIT

echo "libchdb: downloading $version for $platform (about 180 MB, once)" >&2
tarball="$work/$(cd "$work" && npm pack --loglevel=error --ignore-scripts "@chdb/lib-$platform@$version")"

if [ -n "$integrity" ]; then
	echo "libchdb: checking" >&2
	actual="sha512-$(node -e '
		const hash = require("crypto").createHash("sha512")
		require("fs").createReadStream(process.argv[1]).pipe(hash)
			.on("finish", () => console.log(hash.digest("base64")))' "$tarball")"
	if [ "$actual" != "$integrity" ]; then
		echo "libchdb: the package is not the one expected: it has $actual, not $integrity" >&2
		exit 1
	fi
else
	echo "libchdb: no sum is pinned for $platform: npm has checked what it downloaded against its registry alone" >&2
fi

echo "libchdb: unpacking (about 570 MB)" >&2
mkdir "$work/library"
tar -xzf "$tarball" -C "$work/library" --strip-components=1 package/libchdb.so
chmod -R a+rX "$work/library"
# The rename makes it appear whole; where two installed at once, the first stays.
if [ ! -e "$target" ]; then
	mv "$work/library" "$target"
fi
echo "libchdb: installed in $target" >&2
