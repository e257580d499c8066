package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"crier/connectors/catalog"
	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// partitions of each topic: enough for two processes, and cheaper to keep than 32.
const partitions = "8"

// rolesOfTwo are those of which two processes share the work.
var rolesOfTwo = []string{"gateway", "delay", "publish", "comment", "notify", "analytics", "listening"}

// makeCriers prepares two processes of each role, and one sandbox.
func (c *cluster) makeCriers() error {
	for _, role := range rolesOfTwo {
		for n := range 2 {
			if err := c.makeCrier(role, n+1); err != nil {
				return err
			}
		}
	}
	return c.makeCrier("sandbox", 1)
}

func (c *cluster) makeCrier(role string, n int) error {
	name := fmt.Sprintf("%s-%d", role, n)
	folder, err := c.folderOf(name)
	if err != nil {
		return err
	}
	listen, err := c.address()
	if err != nil {
		return err
	}
	admin, err := c.address()
	if err != nil {
		return err
	}
	if role == "gateway" {
		c.gateways = append(c.gateways, "http://"+listen)
	}
	c.admins = append(c.admins, admin)
	c.criers = append(c.criers, &process{
		name: name, folder: folder, ends: syscall.SIGTERM,
		arguments: []string{
			c.binary, "serve", "--roles", role, "--data", filepath.Join(folder, "data"), "--listen", listen, "--admin-listen", admin,
			"--partitions", partitions, "--allow-private-webhooks", "--log-level", "warn",
		},
		environment: c.settings(),
		ready:       answers("http://" + admin + "/readyz"),
	})
	return nil
}

// settings are what all processes of crier are told alike.
func (c *cluster) settings() []string {
	all := []string{
		"CRIER_POSTGRES=" + c.bothPostgres(),
		"CRIER_KAFKA=" + strings.Join(c.kafka, ","),
		"CRIER_CLICKHOUSE=" + c.clickhouse,
		"CRIER_KEYSET=" + filepath.Join(c.folder, "keyset.json"),
		"CRIER_MEDIA_S3=s3://" + c.bucket + "/crier?tls=false",
		"AWS_ACCESS_KEY_ID=crier", "AWS_SECRET_ACCESS_KEY=crier-on-this-machine",
		"CRIER_SANDBOX_LISTEN=" + c.sandbox, "CRIER_SANDBOX_URL=http://" + c.sandbox,
		"CRIER_PUBLIC_URL=" + c.public,
		"CRIER_JETSTREAM=" + c.simulated + "/bluesky", // this machine's, not the world's
	}
	for _, simulator := range catalog.Simulators() {
		of := "CRIER_" + strings.ToUpper(strings.ReplaceAll(simulator.Platform.String(), "-", "_"))
		all = append(all, of+"_URL="+c.simulated+"/"+simulator.Platform.String())
		if simulator.Platform != schema.Mastodon && simulator.Platform != schema.Bluesky && simulator.Platform != schema.Telegram {
			all = append(all, of+"_CLIENT_ID="+simulation.AppID, of+"_CLIENT_SECRET="+simulation.AppSecret)
		}
	}
	return all
}

// crier runs a command of crier with the cluster's settings, and returns what it says.
func (c *cluster) crier(ctx context.Context, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, c.binary, arguments...)
	command.Env = append(os.Environ(), c.settings()...)
	command.Dir = c.folder
	var failure strings.Builder
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("crier %s: %w: %s", arguments[0], err, failure.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// key makes a key of a workspace, or of its sandbox.
func (c *cluster) key(ctx context.Context, workspace string, test bool) (string, error) {
	line := []string{"keys", "create", "--workspace", workspace}
	if test {
		line = append(line, "--test")
	}
	return c.crier(ctx, line...)
}
