// Command cluster runs crier by role on this machine, each process of its own, beside what they
// share: Apache Kafka with three brokers, a PostgreSQL primary with a streaming standby,
// ClickHouse, a bucket, and the platforms' simulators. It prints addresses and a key and stays up
// until it is interrupted.
//
//	cluster ─┬─ kafka-1 … kafka-3        brokers and controllers, three replicas of everything
//	         ├─ postgres-1 ─▶ postgres-2  synchronous: what is acknowledged is on both
//	         ├─ ClickHouse                libchdb, behind its HTTP interface
//	         ├─ bucket                    in this process's memory
//	         ├─ simulators                of all platforms
//	         └─ two of each role, one sandbox
//
// make cluster builds and runs it; make test-cluster stops and kills each process under load.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"crier/compose/embedded"
)

func main() {
	embedded.Main()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// run is the cluster's life.
func run(ctx context.Context) error {
	c, err := start(ctx, os.Stderr)
	if err != nil {
		return err
	}
	defer c.stop()
	key, err := c.key(ctx, "demo", false)
	if err != nil {
		return err
	}
	test, err := c.key(ctx, "demo", true)
	if err != nil {
		return err
	}
	c.show(os.Stdout, key, test)
	<-ctx.Done()
	return nil
}
