package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// LinkedIn checks requests against the samples of LinkedIn's documentation: what a sample has
// must be there, in the same form, and nothing else. Answers have no samples.
func LinkedIn(t testing.TB) *Checker {
	t.Helper()
	const prefix = "linkedin/linkedin-use-cases-"
	document := linkedInSample(t, prefix+"document-ad-api-openapi.yml", "CreateDocumentContentRequest")
	image := linkedInSample(t, prefix+"image-ad-api-openapi.yml", "InitializeImageUploadRequest")
	video := linkedInSample(t, prefix+"video-ad-api-openapi.yml", "InitializeVideoUploadRequest")
	content := document["content"]
	delete(document, "content") // it is optional, and of another kind in each post
	samples := map[string]map[string]any{
		"POST /rest/posts":                             document,
		"POST /rest/images?action=initializeUpload":    image,
		"POST /rest/documents?action=initializeUpload": image, // described as alike, without a sample
		"POST /rest/videos?action=initializeUpload":    video,
	}
	return &Checker{violations: func(e Exchange) []string {
		if !strings.HasPrefix(e.URL.Path, "/rest/") || e.isRefused() {
			return nil
		}
		found := linkedInHeaders(e)
		name := e.Method + " " + e.URL.Path
		if e.URL.RawQuery != "" {
			name += "?" + e.URL.RawQuery
		}
		sample, ok := samples[name]
		if !ok {
			return found
		}
		value, err := decode(e.RequestBody)
		sent, isObject := value.(map[string]any)
		if err != nil || !isObject {
			return append(found, fmt.Sprintf("the request is no object: %v", err))
		}
		if strings.Contains(string(e.RequestBody), "urn:li:document:") && sent["content"] != nil {
			found = append(found, unlike("request.content", content, sent["content"])...)
		}
		delete(sent, "content")
		return append(found, unlike("request", sample, sent)...)
	}}
}

// linkedInHeaders checks the headers that every description names.
func linkedInHeaders(e Exchange) (found []string) {
	for name, form := range map[string]string{"LinkedIn-Version": `^20[0-9]{4}$`, "X-Restli-Protocol-Version": `^2\.0\.0$`} {
		if value := e.RequestHeader.Get(name); !regexp.MustCompile(form).MatchString(value) {
			found = append(found, fmt.Sprintf("header %s is %q", name, value))
		}
	}
	return found
}

var lineComment = regexp.MustCompile(`(?m)//[^"\n]*$`)

// linkedInSample reads the sample of a request, which is JSON in a text, with comments.
func linkedInSample(t testing.TB, path, name string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(descriptionPath(t, path))
	if err != nil {
		t.Fatalf("reading description: %v", err)
	}
	var described struct {
		Components struct {
			Schemas map[string]struct {
				Example string `yaml:"example"`
			} `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(content, &described); err != nil {
		t.Fatalf("reading description %s: %v", path, err)
	}
	var text string
	var sample map[string]any
	if err := json.Unmarshal([]byte(described.Components.Schemas[name].Example), &text); err != nil {
		t.Fatalf("reading sample %s of %s: %v", name, path, err)
	}
	if err := json.Unmarshal([]byte(lineComment.ReplaceAllString(text, "")), &sample); err != nil {
		t.Fatalf("reading sample %s of %s: %v", name, path, err)
	}
	return sample
}

// unlike says in what a value differs from a sample: objects have the same fields, all else
// is of the same kind.
func unlike(where string, sample, value any) (found []string) {
	fields, isObject := sample.(map[string]any)
	sent, wasObject := value.(map[string]any)
	if !isObject || !wasObject {
		if kindOfJSON(sample) != kindOfJSON(value) {
			return []string{fmt.Sprintf("%s is %s, in the sample %s", where, kindOfJSON(value), kindOfJSON(sample))}
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if inner, ok := sent[name]; ok {
			found = append(found, unlike(where+"."+name, fields[name], inner)...)
		} else {
			found = append(found, where+"."+name+" is missing")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if _, ok := fields[name]; !ok {
			found = append(found, where+"."+name+" is not in the sample")
		}
	}
	return found
}

func kindOfJSON(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}
