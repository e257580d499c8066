#!/bin/sh
# Fuzzes each target for the given time, 60s by default. What breaks one is written to
# testdata/fuzz beside it; kept there, it is a case of `make test` from then on.
set -u
cd "$(dirname "$0")/.." || exit 1
grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | {
	failed=0
	while IFS=: read -r file target; do
		target=${target#func }
		echo "== $target"
		go test -tags nomsgpack,nodynamic -run '^$' -fuzz "^$target\$" -fuzztime "${1:-60s}" "$(dirname "$file")" </dev/null || failed=1
	done
	exit "$failed"
}
