package conformance

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TikTok checks exchanges against what is written down of TikTok's documentation, which has no
// description for machines: the names and kinds of fields, the codes of refusals with their
// statuses, and the headers and statuses of the bytes.
func TikTok(t testing.TB) *Checker {
	t.Helper()
	content, err := os.ReadFile(descriptionPath(t, "tiktok/FACTS.md"))
	if err != nil {
		t.Fatalf("reading description: %v", err)
	}
	f := tikTokFacts{text: string(content)}
	post, source := f.after(t, "`post_info` (video): "), f.after(t, "`source_info` (video): ")
	token := f.after(t, "| exchange |") + f.after(t, "| refresh |")
	for path, text := range map[string][2]string{
		"/v2/post/publish/creator_info/query/": {"", f.after(t, "| `/v2/post/publish/creator_info/query/` |")},
		"/v2/post/publish/video/init/":         {"post_info source_info; " + post + " " + source, f.after(t, "| `/v2/post/publish/video/init/` |")},
		"/v2/post/publish/status/fetch/": {
			f.after(t, "| `/v2/post/publish/status/fetch/` |"), "status string; " + f.after(t, "status PROCESSING_UPLOAD"),
		},
		"/v2/user/info/":    {"", f.after(t, "| GET `/v2/user/info/?fields=` |")},
		"/v2/video/query/":  {f.after(t, "| POST `/v2/video/query/?fields=` |"), "videos"},
		videoObject:         {"", f.after(t, "600 a minute each, sliding window. Video: ")},
		"/v2/oauth/token/":  {token, token},
		"/v2/oauth/revoke/": {f.after(t, "| revoke |"), ""},
	} {
		f.fields(path, text)
	}
	f.readErrors(t)
	return &Checker{violations: serialized(f.violations)}
}

// videoObject stands for the path of what is said of each video.
const videoObject = "a video"

// tikTokFacts is what is said of each path: fields by name, with their kind where that is said.
type tikTokFacts struct {
	text             string
	request, answer  map[string]map[string]string
	codes            map[string]int // status by code of a refusal
	oauthCodes       string
	statusesOfParts  string
	headersOfParts   string
	statesOfAVideo   string
	reasonsOfFailure string
}

// after returns the rest of the line that begins so.
func (f *tikTokFacts) after(t testing.TB, start string) string {
	t.Helper()
	_, rest, ok := strings.Cut(f.text, "\n"+start)
	if !ok {
		t.Fatalf("the facts have no line that begins with %s", start)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

var (
	nameOrKind = regexp.MustCompile(`[a-z][a-z0-9_]*|[;.]`)
	kindsNamed = map[string]string{"string": "a text", "bool": "a boolean", "int32": "a number", "int64": "a number"}
)

// fields reads the names of a request and of its answer. A kind is that of the names before it.
func (f *tikTokFacts) fields(path string, text [2]string) {
	if f.request == nil {
		f.request, f.answer = map[string]map[string]string{}, map[string]map[string]string{}
	}
	for i, into := range []map[string]map[string]string{f.request, f.answer} {
		into[path] = map[string]string{}
		var pending []string
		for _, word := range nameOrKind.FindAllString(text[i], -1) {
			kind, isKind := kindsNamed[word]
			switch {
			case word == ";" || word == ".":
				pending = nil
			case isKind:
				for _, name := range pending {
					into[path][name] = kind
				}
				pending = nil
			default:
				into[path][word] = ""
				pending = append(pending, word)
			}
		}
	}
}

// readErrors reads "400 invalid_param; 401 access_token_invalid, …".
func (f *tikTokFacts) readErrors(t testing.TB) {
	t.Helper()
	f.codes = map[string]int{"internal_error": http.StatusInternalServerError}
	for _, part := range strings.Split(f.after(t, "Errors: "), ";") {
		var status int
		if _, err := fmt.Sscan(part, &status); err != nil || status < 100 { // such as 5xx
			continue
		}
		listed, _, _ := strings.Cut(part, ".")
		for _, code := range regexp.MustCompile(`[a-z]+_[a-z_]+`).FindAllString(listed, -1) {
			f.codes[code] = status
		}
	}
	f.oauthCodes = f.after(t, "Two error shapes.")
	f.headersOfParts, f.statusesOfParts = f.after(t, "- PUT to upload_url"), f.after(t, "- 206 after a part")
	f.statesOfAVideo, f.reasonsOfFailure = f.after(t, "status "), f.after(t, "fail_reason, ")
}

func (f *tikTokFacts) violations(e Exchange) []string {
	if e.Method == http.MethodPut {
		return f.ofPart(e)
	}
	request, known := f.request[e.URL.Path]
	if !known {
		return nil
	}
	var found []string
	if !e.isRefused() {
		found = f.ofRequest(e, request)
	}
	if len(e.Body) == 0 { // of a revocation
		return found
	}
	value, err := decode(e.Body)
	answer, isObject := value.(map[string]any)
	switch {
	case err != nil || !isObject:
		return append(found, fmt.Sprintf("the answer is no object: %v", err))
	case strings.HasPrefix(e.URL.Path, "/v2/oauth/"):
		if code, refused := answer["error"]; refused {
			if !strings.Contains(f.oauthCodes, fmt.Sprint(code)) {
				found = append(found, fmt.Sprintf("OAuth has no error %v", code))
			}
			return append(found, unnamed("answer", answer, map[string]string{"error": "", "error_description": "", "log_id": ""})...)
		}
		return append(found, unnamed("answer", answer, f.answer[e.URL.Path])...)
	}
	return append(found, f.ofAnswer(e, answer)...)
}

// ofRequest checks the fields of a body, or of a form.
func (f *tikTokFacts) ofRequest(e Exchange, request map[string]string) (found []string) {
	if strings.HasPrefix(e.URL.Path, "/v2/oauth/") {
		sent, err := e.readForm()
		if err != nil {
			return []string{fmt.Sprintf("the form cannot be read: %v", err)}
		}
		for name := range sent.values {
			if _, named := request[name]; !named {
				found = append(found, "the form has "+name)
			}
		}
		return found
	}
	if scheme, _, _ := strings.Cut(e.RequestHeader.Get("Authorization"), " "); scheme != "Bearer" {
		found = append(found, "it has no bearer token")
	}
	if e.Method != http.MethodPost {
		return found
	}
	value, err := decode(e.RequestBody)
	sent, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return append(found, fmt.Sprintf("the request is no object: %v", err))
	}
	return append(found, unnamed("request", sent, request)...)
}

// ofAnswer checks data and error, which every answer has.
func (f *tikTokFacts) ofAnswer(e Exchange, answer map[string]any) (found []string) {
	found = unnamed("answer", answer, map[string]string{"data": "an object", "error": "an object"}, "data", "error")
	failure, _ := answer["error"].(map[string]any)
	found = append(found, unnamed("error", failure, map[string]string{"code": "a text", "message": "a text", "log_id": "a text"})...)
	code, _ := failure["code"].(string)
	if code != "ok" {
		status, known := f.codes[code]
		isCreators := e.Status == http.StatusOK && strings.HasSuffix(e.URL.Path, "/creator_info/query/")
		if !known || status/100 != e.Status/100 && !isCreators {
			found = append(found, fmt.Sprintf("the code %q is not of this status", code))
		}
		return found
	}
	data, _ := answer["data"].(map[string]any)
	if user, isUser := data["user"].(map[string]any); isUser {
		data = user
	}
	found = append(found, unnamed("data", data, f.answer[e.URL.Path])...)
	videos, _ := data["videos"].([]any)
	for _, video := range videos {
		video, _ := video.(map[string]any)
		found = append(found, unnamed("video", video, f.answer[videoObject], "id")...)
	}
	if state, has := data["status"].(string); has && !strings.Contains(f.statesOfAVideo, state) {
		found = append(found, "there is no status "+state)
	}
	if reason, has := data["fail_reason"].(string); has && !strings.Contains(f.reasonsOfFailure, reason) {
		found = append(found, "there is no fail_reason "+reason)
	}
	return found
}

var rangeOfPart = regexp.MustCompile(`^bytes [0-9]+-[0-9]+/[0-9]+$`)

// ofPart checks a part of a video: its headers, and the status of the answer.
func (f *tikTokFacts) ofPart(e Exchange) (found []string) {
	if span := e.RequestHeader.Get("Content-Range"); !rangeOfPart.MatchString(span) {
		found = append(found, fmt.Sprintf("Content-Range is %q", span))
	}
	if kind := e.RequestHeader.Get("Content-Type"); !strings.Contains(f.headersOfParts, kind) || kind == "" {
		found = append(found, fmt.Sprintf("Content-Type is %q", kind))
	}
	if e.RequestHeader.Get("Authorization") != "" {
		found = append(found, "the address alone is the proof, and it has a token")
	}
	if status := strconv.Itoa(e.Status); e.Status < http.StatusInternalServerError && !strings.Contains("206"+f.statusesOfParts, status) &&
		e.Status != http.StatusTooManyRequests && e.Status != http.StatusUnauthorized { // which simulators are made to say
		found = append(found, "a part is not answered with "+status)
	}
	if span := e.Header.Get("Content-Range"); e.Status/100 == 2 && !rangeOfPart.MatchString(span) {
		found = append(found, fmt.Sprintf("the answer's Content-Range is %q", span))
	}
	return found
}

// unnamed returns what an object has that is not named, is of another kind, or is missing.
func unnamed(where string, object map[string]any, named map[string]string, required ...string) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		kind, known := named[name]
		if !known {
			found = append(found, where+" has "+name)
		} else if kind != "" && kindOfJSON(object[name]) != kind && kindOfJSON(object[name]) != "a list" {
			found = append(found, fmt.Sprintf("%s.%s is %s, not %s", where, name, kindOfJSON(object[name]), kind))
		}
		if inner, isObject := object[name].(map[string]any); isObject && kind == "" {
			found = append(found, unnamed(where+"."+name, inner, named)...)
		}
	}
	for _, name := range required {
		if _, has := object[name]; !has {
			found = append(found, where+"."+name+" is missing")
		}
	}
	return found
}
