package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// After a restart the embedded log has all that it retains in memory, so it retains little:
// what a topic asks for, and these bounds by default.
const (
	retentionBytes = 4 << 20 // per partition
	segmentBytes   = 1 << 20
	retentionEvery = 5 * time.Second
)

// Log is a broker that speaks Kafka's protocol, run inside this process and kept on
// disk. It is never the only place where anything is stored.
type Log struct {
	data    *Data
	cluster *kfake.Cluster
	pipes   *kfake.VirtualNetwork
	addr    string
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// StartLog starts the log on the data folder, on the port it had last time if that is free.
// Acknowledged messages survive the death of the process; a power cut may lose the last
// seconds, as with Apache Kafka's own defaults.
func StartLog(d *Data, log *slog.Logger) (*Log, error) {
	l := &Log{data: d}
	if err := d.onPort(partLog, func(port int) error { return l.start(port, log) }); err != nil {
		return nil, fmt.Errorf("starting log: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.stopped.Go(func() { l.retain(ctx) })
	if err := d.announce(partLog, l.addr); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

// start starts the broker on a port.
func (l *Log) start(port int, log *slog.Logger) error {
	pipes := &kfake.VirtualNetwork{}
	cluster, err := kfake.NewCluster(
		kfake.Ports(port), // one port is one broker
		kfake.ListenFn(func(network, address string) (net.Listener, error) { return listenTwice(network, address, pipes) }),
		kfake.ClusterID("crier"),
		kfake.DataDir(l.data.Path(partLog)),
		kfake.WithLogger(brokerLogger{log.With("part", partLog)}),
		kfake.BrokerConfigs(map[string]string{
			"log.retention.ms":    "-1",
			"log.retention.bytes": strconv.Itoa(retentionBytes),
			"log.segment.bytes":   strconv.Itoa(segmentBytes),
		}),
	)
	if err != nil {
		return err
	}
	for _, request := range []kmsg.Key{kmsg.CreateTopics, kmsg.AlterConfigs, kmsg.IncrementalAlterConfigs} {
		cluster.ControlKey(request.Int16(), keepForever)
	}
	l.cluster, l.pipes, l.addr = cluster, pipes, hostPort(port)
	return nil
}

// listenTwice listens over TCP and on pipes.
func listenTwice(network, address string, pipes *kfake.VirtualNetwork) (net.Listener, error) {
	tcp, err := net.Listen(network, address) //nolint:noctx // kfake's signature; it waits for nothing
	if err != nil {
		return nil, err
	}
	piped, err := pipes.Listen(network, address)
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	return joinListeners(tcp, piped), nil
}

// Addr returns the broker's host:port.
func (l *Log) Addr() string { return l.addr }

// DialContext connects to the broker by a pipe in this process, which costs no system calls.
func (l *Log) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return l.pipes.DialContext(ctx, network, address)
}

// Stop ends the broker and stores its state.
func (l *Log) Stop() error {
	l.stop()
	l.stopped.Wait()
	l.cluster.Close()
	return l.data.withdraw(partLog)
}

// retain trims the partitions: the broker's own timer for it does not survive a restart.
func (l *Log) retain(ctx context.Context) {
	tick := time.NewTicker(retentionEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.cluster.ApplyRetention()
		}
	}
}

// keepForever takes retention by time out of a request before the broker sees it. Retention by
// time can empty a partition, whose offsets would start at zero again after a restart, so that
// consumer groups would silently skip new messages. Retention by size always leaves the newest
// batch.
func keepForever(request kmsg.Request) (kmsg.Response, error, bool) { //nolint:revive // kfake's signature
	switch r := request.(type) {
	case *kmsg.CreateTopicsRequest:
		for i := range r.Topics {
			for j := range r.Topics[i].Configs {
				c := &r.Topics[i].Configs[j]
				c.Value = withoutAge(c.Name, c.Value)
			}
		}
	case *kmsg.AlterConfigsRequest:
		for i := range r.Resources {
			for j := range r.Resources[i].Configs {
				c := &r.Resources[i].Configs[j]
				c.Value = withoutAge(c.Name, c.Value)
			}
		}
	case *kmsg.IncrementalAlterConfigsRequest:
		for i := range r.Resources {
			for j := range r.Resources[i].Configs {
				c := &r.Resources[i].Configs[j]
				c.Value = withoutAge(c.Name, c.Value)
			}
		}
	}
	return nil, nil, false // not handled: the broker does it
}

func withoutAge(name string, value *string) *string {
	if strings.HasSuffix(name, "retention.ms") && name != "delete.retention.ms" {
		return kmsg.StringPtr("-1")
	}
	return value
}

// brokerLogger passes the broker's messages to slog.
type brokerLogger struct{ log *slog.Logger }

func (l brokerLogger) Logf(level kfake.LogLevel, format string, args ...any) {
	to := slog.LevelDebug
	switch level {
	case kfake.LogLevelError:
		to = slog.LevelError
	case kfake.LogLevelWarn:
		to = slog.LevelWarn
	}
	l.log.Log(context.Background(), to, fmt.Sprintf(format, args...))
}
