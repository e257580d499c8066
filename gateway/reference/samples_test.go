package reference

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier/schema/openapi"
)

func TestEveryOperationOfAKeyHasSamples(t *testing.T) {
	document, err := parse(openapi.Description())
	if err != nil {
		t.Fatal(err)
	}
	samples, err := samplesByOperation()
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"error"}
	for _, o := range (&site{document: document}).operations() {
		id := o.object.text("operationId")
		known = append(known, id)
		if o.object.has("security") || strings.HasPrefix(o.path, "/connect/") && o.method == "POST" { // by people, platforms, or with secrets of platforms
			continue
		}
		for _, language := range []string{"go", "ts", "python"} {
			has := slices.ContainsFunc(samples[id], func(s sample) bool { return s.Language == language })
			if isAlone := curlAlone[id] != ""; has == isAlone {
				t.Errorf("%s: there is a sample in %s: %t, and curl is alone: %t", id, language, has, isAlone)
			}
		}
	}
	for id := range samples {
		if !slices.Contains(known, id) {
			t.Errorf("there are samples of %s, and no such operation", id)
		}
	}
}

func TestSamplesOfDocumentsAreThoseOfTheReference(t *testing.T) {
	text, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Samples\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)\n```([a-z]+)\n(.*?)```").FindAllStringSubmatch(section, -1)
	if len(blocks) < 15 {
		t.Errorf("%d samples", len(blocks))
	}
	for _, found := range blocks {
		samples, err := Samples(found[1])
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(samples, func(s Sample) bool { return s.Text() == found[2] }) {
			t.Errorf("this sample is no other's of gateway/reference/samples, and is not run:\n%s", found[2])
		}
	}
}
