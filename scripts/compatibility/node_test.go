package compatibility

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// node is an object of a YAML document, to be changed.
type node struct {
	testing.TB
	*yaml.Node
}

// index is where the value of a key is; -1: nowhere.
func (n node) index(key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

// at is the value below keys.
func (n node) at(keys ...string) node {
	n.Helper()
	for _, key := range keys {
		i := n.index(key)
		if i < 0 {
			n.Fatalf("the description has no %s of %v", key, keys)
		}
		n.Node = n.Content[i]
	}
	return n
}

func (n node) drop(key string) {
	n.Helper()
	n.at(key) // is there
	i := n.index(key)
	n.Node.Content = slices.Delete(n.Content, i-1, i+1)
}

// deprecate says of an operation that it ends on a day.
func (n node) deprecate(sunset string) {
	n.put("deprecated", "true")
	n.put("x-sunset", "'"+sunset+"'")
}

// read reads a value that is written in YAML.
func (n node) read(value string) *yaml.Node {
	n.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(value), &document); err != nil {
		n.Fatal(err)
	}
	return document.Content[0]
}

// put gives a key a value, written in YAML.
func (n node) put(key, value string) {
	n.Helper()
	if i := n.index(key); i >= 0 {
		n.Node.Content = slices.Delete(n.Content, i-1, i+1)
	}
	n.Node.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, n.read(value))
}

// add adds a value, written in YAML, to a list.
func (n node) add(key, value string) {
	n.Helper()
	list := n.at(key)
	list.Node.Content = append(list.Content, n.read(value))
}
