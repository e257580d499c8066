// Package deploytest holds the files that crier is set up with (Dockerfile, compose, Helm chart,
// systemd unit) against the tools that read them: compose-go, helm's engine and linter, the
// types of Kubernetes, BuildKit's parser, systemd-analyze. What they tell crier is held against
// crier itself, which `crier config check` and `crier config show` are for. It is a module of
// its own, so that nothing of crier needs any of it.
//
// CRIER_BINARY names the binary; make test-deploy builds it.
package deploytest
