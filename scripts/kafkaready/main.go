// Command kafkaready waits until a Kafka broker does what tests need of it: an open
// port comes long before that. It exits with 1 if the broker does not in time.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/segmentio/kafka-go"
)

const (
	patience = time.Minute
	pause    = 100 * time.Millisecond
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kafkaready HOST:PORT")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	err := await(ctx, os.Args[1])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kafkaready:", err)
		os.Exit(1)
	}
}

// await asks again until the broker answers well, and returns the last answer otherwise.
func await(ctx context.Context, addr string) error {
	client := &kafka.Client{Addr: kafka.TCP(addr), Timeout: 2 * time.Second}
	for {
		err := ask(ctx, client)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// ask reports whether the cluster has a broker and a coordinator for groups. A new
// cluster makes the topic behind the latter at the first question and says until then
// that there is none (error 15).
func ask(ctx context.Context, client *kafka.Client) error {
	metadata, err := client.Metadata(ctx, &kafka.MetadataRequest{})
	if err != nil {
		return fmt.Errorf("asking for metadata: %w", err)
	}
	if len(metadata.Brokers) == 0 {
		return errors.New("no broker has registered")
	}
	coordinator, err := client.FindCoordinator(ctx, &kafka.FindCoordinatorRequest{
		Key: "kafkaready", KeyType: kafka.CoordinatorKeyTypeConsumer,
	})
	if err != nil {
		return fmt.Errorf("asking for a coordinator: %w", err)
	}
	if coordinator.Error != nil {
		return fmt.Errorf("asking for a coordinator: %w", coordinator.Error)
	}
	return nil
}
