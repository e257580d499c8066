package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"
)

const brokers = 3

// makeBrokers prepares brokers that are controllers too. Every topic has three replicas, and what
// is acknowledged is on two of them at least.
func (c *cluster) makeBrokers(ctx context.Context) error {
	libs, err := exec.CommandContext(ctx, filepath.Join(c.root, "scripts", "kafka.sh"), "--libs").Output()
	if err != nil {
		return fmt.Errorf("finding Apache Kafka: %w", err)
	}
	classes := filepath.Join(strings.TrimSpace(string(libs)), "*")
	var voters []string
	var controllers []int
	for i := range brokers {
		port, err := c.port()
		if err != nil {
			return err
		}
		controllers = append(controllers, port)
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", i+1, port))
	}
	var group errgroup.Group
	for i := range brokers {
		port, err := c.port()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("kafka-%d", i+1)
		folder, err := c.folderOf(name)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, "server.properties")
		settings := brokerSettings(i+1, port, controllers[i], strings.Join(voters, ","), filepath.Join(folder, "data"))
		if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
			return fmt.Errorf("preparing %s: %w", name, err)
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		c.kafka = append(c.kafka, address)
		c.brokers = append(c.brokers, &process{
			name: name, folder: folder, ends: syscall.SIGTERM,
			arguments: []string{"java", "-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k", "-cp", classes, "kafka.Kafka", file},
			ready:     func(ctx context.Context) error { return c.leads(ctx, address) },
		})
		group.Go(func() error {
			format := exec.CommandContext(ctx, "java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", classes, "kafka.tools.StorageTool",
				"format", "-t", "crierClusterOfThree00A", "-c", file)
			if out, err := format.CombinedOutput(); err != nil {
				return fmt.Errorf("formatting %s: %w: %s", name, err, out)
			}
			return nil
		})
	}
	return group.Wait()
}

func brokerSettings(id, port, controller int, voters, data string) string {
	return strings.Join([]string{
		"process.roles=broker,controller",
		fmt.Sprintf("node.id=%d", id),
		"controller.quorum.voters=" + voters,
		fmt.Sprintf("listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", port, controller),
		fmt.Sprintf("advertised.listeners=PLAINTEXT://127.0.0.1:%d", port),
		"controller.listener.names=CONTROLLER",
		"listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
		"inter.broker.listener.name=PLAINTEXT",
		"log.dirs=" + data,
		"default.replication.factor=3",
		"min.insync.replicas=2",
		"offsets.topic.replication.factor=3",
		"offsets.topic.num.partitions=8",
		"transaction.state.log.replication.factor=3",
		"transaction.state.log.min.isr=2",
		"share.coordinator.state.topic.replication.factor=3",
		"share.coordinator.state.topic.min.isr=2",
		// A broker that is killed is known to be gone after this; Kafka's default is 9 s.
		"broker.session.timeout.ms=6000",
		"broker.heartbeat.interval.ms=1000",
		"group.initial.rebalance.delay.ms=0",
		"auto.create.topics.enable=false",
		"num.network.threads=2",
		"num.io.threads=4",
		"log.cleaner.dedupe.buffer.size=16777216",
	}, "\n") + "\n"
}

// leads reports whether a broker is one of all, and every partition has a leader and all of its
// replicas in step, as it is before the next broker may go.
func (c *cluster) leads(ctx context.Context, address string) error {
	transport := &kafka.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafka.Client{Addr: kafka.TCP(address), Timeout: 3 * time.Second, Transport: transport}
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil {
		return err
	}
	if len(metadata.Brokers) < brokers {
		return fmt.Errorf("%d brokers are there", len(metadata.Brokers))
	}
	for _, topic := range metadata.Topics {
		for _, p := range topic.Partitions {
			if p.Error != nil || p.Leader.Port == 0 || len(p.Isr) < len(p.Replicas) {
				return fmt.Errorf("%s/%d has %d of %d replicas in step", topic.Name, p.ID, len(p.Isr), len(p.Replicas))
			}
		}
	}
	return nil
}
