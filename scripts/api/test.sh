#!/usr/bin/env bash
# Holds a running crier against its own description with schemathesis: every operation, by
# the description's examples, its bounds, at random, and in sequences along its links.
#
#	scripts/api/test.sh EXAMPLES [SCHEMATHESIS OPTION…]
#
# It needs Python 3.10 or later. schemathesis is installed once, into the cache folder. crier
# runs with everything embedded in a temporary folder, and is called with a test key, which
# reaches simulators only.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../python.sh"

examples="${1:?how many examples an operation}"
shift

work="$(mktemp -d)"
chmod 755 "$work" # PostgreSQL runs as another user where this is root
finish() {
	code=$?
	trap - EXIT
	if [ -n "${crier:-}" ]; then
		kill "$crier" 2>/dev/null || true
		wait "$crier" 2>/dev/null || true
	fi
	if [ "$code" != 0 ] && [ -f "$work/log" ]; then
		grep '"level":"ERROR"' "$work/log" | tail -n 5 | cut -c1-2000 >&2 || true
	fi
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

python_tools api "$here/requirements.txt" "schemathesis (about 40 MB, once)"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

listen="127.0.0.1:$(free_port)"
admin="127.0.0.1:$(free_port)"
# An upload of any size that is asked for has its room, whatever disk is here.
export CRIER_MEDIA_DISK=65536
# A test key cannot buy, so that Stripe itself is never called.
export CRIER_STRIPE_KEY=sk_test_none CRIER_STRIPE_WEBHOOK_SECRET=whsec_none CRIER_STRIPE_PRICES=team=price_none
"$here/../../bin/crier" serve --data "$work/data" --listen "$listen" --admin-listen "$admin" --allow-registration >"$work/log" 2>&1 &
crier=$!
for _ in $(seq 300); do
	curl -sf "http://$admin/readyz" >/dev/null && break
	kill -0 "$crier" || { cat "$work/log" >&2; exit 1; }
	sleep 0.5
done
CRIER_API_KEY="$("$here/../../bin/crier" keys create --data "$work/data" --workspace api --test)"
CRIER_API_KEY_ID="$(curl -sf -H "Authorization: Bearer $CRIER_API_KEY" "http://$listen/api/v1/keys" | grep -o 'key_[0-9a-z]*' | head -n 1)"
CRIER_API_URL="http://$listen/api/v1"
export CRIER_API_KEY CRIER_API_KEY_ID CRIER_API_URL

cd "$here" # where schemathesis.toml is
HYPOTHESIS_STORAGE_DIRECTORY="$work/hypothesis" PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 "$tools/bin/schemathesis" run "$CRIER_API_URL/openapi.json" \
	--max-examples "$examples" "$@"
