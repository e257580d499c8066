# Made by scripts/generate.py of _async.
