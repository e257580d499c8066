package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
)

//go:embed samples
var sampleFiles embed.FS

// sample shows how an operation is called in one language.
type sample struct {
	Language, Label, Text string
	Note                  string // what there is to say below it
}

// language is one that there are samples in: its program is the files that a pattern names.
type language struct{ name, label, files, comment string }

// languages are in the order in which they are shown.
var languages = []language{
	{"sh", "curl", "*.sh", "#"},
	{"go", "Go", "*.go", "//"},
	{"ts", "TypeScript", "*.ts", "//"},
	{"python", "Python", "*.py", "#"},
}

// Sample is a part of a program of samples: what a language shows of some operations.
type Sample struct {
	Operations []string
	Lines      []string
	End        string // what the line that ends it says besides
}

// Samples cuts the program of a language (sh, go, ts or python) into its samples, in their order.
func Samples(name string) ([]Sample, error) {
	at := slices.IndexFunc(languages, func(l language) bool { return l.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there are no samples in %s", name)
	}
	files, err := fs.Glob(sampleFiles, "samples/"+languages[at].files)
	if err != nil {
		return nil, fmt.Errorf("looking for samples: %w", err)
	}
	var all []Sample
	for _, file := range files {
		program, err := sampleFiles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading samples: %w", err)
		}
		all = append(all, languages[at].cut(string(program))...)
	}
	return all, nil
}

// cut returns the samples of a file.
func (l language) cut(program string) (all []Sample) {
	isInside := false
	for line := range strings.Lines(program) {
		text, isComment := strings.CutPrefix(strings.TrimSpace(line), l.comment+" ")
		names, begins := strings.CutPrefix(text, "sample: ")
		end, ends := strings.CutPrefix(text, "end")
		switch {
		case isComment && begins:
			all, isInside = append(all, Sample{Operations: strings.Fields(names)}), true
		case isComment && ends && isInside:
			all[len(all)-1].End, isInside = strings.TrimSpace(end), false
		case isInside:
			all[len(all)-1].Lines = append(all[len(all)-1].Lines, line)
		}
	}
	return all
}

// samplesByOperation are the samples of each operation, by its id.
func samplesByOperation() (map[string][]sample, error) {
	byOperation := make(map[string][]sample)
	for _, l := range languages {
		parts, err := Samples(l.name)
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			for _, operation := range part.Operations {
				samples, text := byOperation[operation], part.Text()
				if last := len(samples) - 1; last >= 0 && samples[last].Language == l.name {
					samples[last].Text += text
					continue
				}
				byOperation[operation] = append(samples, sample{Language: l.name, Label: l.label, Text: text})
			}
		}
	}
	return byOperation, nil
}

// Text is the sample as it is shown, without the indentation that its lines share.
func (s Sample) Text() string {
	shared := -1
	for _, line := range s.Lines {
		if strings.TrimSpace(line) != "" {
			indent := len(line) - len(strings.TrimLeft(line, " \t"))
			if shared < 0 || indent < shared {
				shared = indent
			}
		}
	}
	var b strings.Builder
	for _, line := range s.Lines {
		b.WriteString(line[min(max(shared, 0), len(line)-1):])
	}
	return b.String()
}

// Why an operation is shown in curl alone.
const (
	byConsent = "A step of a person's consent on the platform's page, which follows askConsent of the clients' accounts."
	byHand    = "The clients have no method for it: send the request as it is, with the same key."
)

// curlAlone are the operations of keys that no client has a sample of, and why.
var curlAlone = map[string]string{
	"listEntities": byConsent, "selectEntities": byConsent, "chooseEntities": byConsent,
	"listUploadParts": "Uploads of the clients do it by themselves.",
	"listRedirects":   byHand, "putRedirects": byHand, "askForDeletion": byHand, "unsuspendKey": byHand,
	"checkout": byHand, "getPlan": byHand, "listAudit": byHand, "exportAudit": byHand,
}

// curl is the call of an operation that has no sample, made of its description.
func (o operation) curl() sample {
	var b strings.Builder
	b.WriteString("curl -s")
	body := ""
	if len(o.Bodies) > 0 && o.Bodies[0].Type == "application/json" && len(o.Bodies[0].Examples) > 0 {
		body = o.Bodies[0].Examples[0].JSON
	}
	if o.Method != http.MethodGet && (o.Method != http.MethodPost || body == "") {
		b.WriteString(" -X " + o.Method)
	}
	b.WriteString(` "$CRIER_URL/api/v1` + o.Path + `"`)
	if !o.Public {
		b.WriteString(` -H "Authorization: Bearer $CRIER_KEY"`)
	}
	if body != "" {
		b.WriteString(" \\\n  -d '" + strings.ReplaceAll(body, "'", `'\''`) + "'")
	}
	return sample{Language: "sh", Label: "curl", Text: b.String() + "\n"}
}
