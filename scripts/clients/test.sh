#!/usr/bin/env bash
# Builds the TypeScript and the Python client and puts each into an empty project, beside one of Go.
# There the documents' programs are run, and the contract of all clients is held against each.
#
# It needs Node 20.3 and Python 3.10, or later. What the packages are made and checked with is
# installed once: of Python into the cache folder, of Node beside the package.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
. "$here/../python.sh"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

python_tools clients "$here/requirements.txt" "what the Python client needs (about 90 MB, once)"

typescript() {
	cd "$root/clients/typescript"
	if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
		npm ci --no-audit --no-fund --loglevel error
	fi
	mkdir "$work/typescript"
	npm pack --silent --pack-destination "$work" >/dev/null
	cd "$work/typescript"
	cp "$root/clients/typescript/contract/driver.js" driver.mjs
	echo '{"type": "module"}' >package.json
	npm install --no-audit --no-fund --no-package-lock --loglevel error --offline "$work"/crier-client-*.tgz >/dev/null
	cp "$root"/clients/typescript/tests/*.mjs .
	node --test >tests.log || { cat tests.log; return 1; }
	local modules="$root/clients/typescript/node_modules"
	make_command driver "exec node '$work/typescript/driver.mjs'"
	make_command run "'$modules/.bin/tsc' --strict --module nodenext --target es2022 --typeRoots '$modules/@types' --types node \"\$1\"
exec node \"\${1%.ts}.js\""
}

python() {
	cd "$root/clients/python"
	"$tools/bin/python" scripts/generate.py
	git diff --exit-code --stat -- src contract
	"$tools/bin/mypy" --cache-dir "$work/mypy"
	"$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$work" .
	mkdir "$work/python"
	"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$work/python/installed" "$work"/crier-*.whl
	export PYTHONPATH="$work/python/installed" PYTHONDONTWRITEBYTECODE=1
	(cd tests && "$tools/bin/python" -m unittest -b)
	(cd examples && "$tools/bin/python" -W ignore -m unittest -b test_receivers)
	cp contract/*.py "$work/python/"
	cd "$work/python"
	make_command driver "export PYTHONPATH='$PYTHONPATH'; exec '$tools/bin/python' '$work/python/driver.py' \"\$@\""
	make_command run "export PYTHONPATH='$PYTHONPATH'; exec '$tools/bin/python' \"\$1\""
}

go_project() {
	mkdir "$work/go"
	cd "$work/go"
	cp "$root/go.sum" .
	printf 'module example\n\ngo %s\n' "$(cd "$root" && go list -m -f '{{.GoVersion}}')" >go.mod
	go mod edit -require crier@v0.0.0 -replace "crier=$root"
	make_command run "exec go run -mod=mod \"\$@\""
}

# make_command NAME TEXT makes a command in the folder of now.
make_command() {
	printf '#!/bin/sh\nset -e\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

(typescript)
(python)
(go_project)
cd "$root"
CRIER_CLIENT_PROJECTS="$work" go test -tags nomsgpack,nodynamic,clients -count 1 -run 'InOtherLanguages|OfTheDocuments|OfTheReference' ./client/contract
