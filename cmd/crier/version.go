package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// What is built, as the linker was told: make, the Dockerfile and goreleaser do.
var (
	version = ""
	commit  = "" // whole or short
	date    = "" // of the commit, RFC 3339
)

// undated is the version of a build that nobody told which it is.
const undated = "development"

// buildVersion is the version of this build: as the linker was told, or as Go noted it.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if version != "" || !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return cmp.Or(version, undated)
	}
	return info.Main.Version
}

// showVersion is what crier --version shows.
func showVersion() string {
	text := "crier " + buildVersion()
	if of := cmp.Or(commit, noted("vcs.revision")); of != "" {
		text += ", commit " + of
	}
	if of := cmp.Or(date, noted("vcs.time")); of != "" {
		text += " of " + of
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// noted is what Go noted of the repository it built from.
func noted(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
}
