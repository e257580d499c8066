# Environments of Python programs, for scripts to source.
. "$(dirname "${BASH_SOURCE[0]}")/cache.sh"

# python_tools NAME REQUIREMENTS WHAT sets $tools to the folder of an environment with the packages of a
# file, which says WHAT when it is made: once, in the cache folder. It is named after what is in it, and
# appears whole or not at all.
python_tools() {
	tools="$(cache_dir)/$1-$(cksum <"$2" | cut -d' ' -f1)"
	if [ ! -e "$tools/ready" ]; then
		echo "$1: installing $3" >&2
		rm -rf "$tools"
		python3 -m venv "$tools"
		"$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2"
		touch "$tools/ready"
	fi
}
