package schema_test

import (
	"testing"

	"crier/schema"
)

func TestTopicsOf(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		partitions int
		embedded   bool
		delay      schema.Topic
		refresh    schema.Topic
	}{
		"embedded":                     {0, true, schema.Topic{Name: "delay", Partitions: 4, RetentionBytes: 8 * mib}, schema.Topic{Name: "refresh", Partitions: 2, RetentionBytes: mib}},
		"embedded keeps no more":       {16, true, schema.Topic{Name: "delay", Partitions: 16, RetentionBytes: 2 * mib}, schema.Topic{Name: "refresh", Partitions: 16, RetentionBytes: mib}},
		"on Kafka each keeps as much":  {32, false, schema.Topic{Name: "delay", Partitions: 32, RetentionBytes: 8 * mib}, schema.Topic{Name: "refresh", Partitions: 32, RetentionBytes: mib}},
		"embedded with fewer has more": {1, true, schema.Topic{Name: "delay", Partitions: 1, RetentionBytes: 32 * mib}, schema.Topic{Name: "refresh", Partitions: 1, RetentionBytes: 2 * mib}},
	} {
		t.Run(name, func(t *testing.T) {
			found := map[string]schema.Topic{}
			for _, topic := range schema.TopicsOf(tt.partitions, tt.embedded) {
				found[topic.Name] = topic
			}
			if len(found) != len(schema.Topics()) || found["delay"] != tt.delay || found["refresh"] != tt.refresh {
				t.Errorf("topics = %+v", found)
			}
		})
	}
}
