# The cache folder of downloaded binaries, for scripts to source; it must be the one of
# CacheDir in compose/embedded/cache.go.
cache_dir() {
	if [ -n "${CRIER_CACHE:-}" ]; then
		echo "$CRIER_CACHE"
	elif [ "$(id -u)" = 0 ]; then
		echo /var/cache/crier
	elif [ "$(uname -s)" = Darwin ]; then
		echo "$HOME/Library/Caches/crier"
	else
		echo "${XDG_CACHE_HOME:-$HOME/.cache}/crier"
	fi
}
