package gatewaytest

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Browser opens pages, follows their redirects and sends their forms: without scripts, but as
// strict as a person's about where a page's forms may lead.
type Browser struct {
	testing.TB
	// Served are addresses by the origins that stand for them, as behind a proxy. A redirect to
	// a host below example that is none of them is where the browser stops.
	Served map[string]string
}

// Page is what a browser shows.
type Page struct {
	URL    *url.URL
	Status int // zero: the browser was sent there, and did not ask
	Header http.Header
	Body   string
}

// Open shows the page at an address.
func (b *Browser) Open(address string) Page {
	b.Helper()
	return b.follow(http.MethodGet, b.parse(address), nil, nil)
}

var (
	formPattern  = regexp.MustCompile(`(?s)<form method="post"(?: action="([^"]*)")?>(.*?)</form>`)
	inputPattern = regexp.MustCompile(`<input ([^>]*)>`)
	attribute    = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// Submit sends the form of a page with what a person filled in, and what stands in it already.
func (b *Browser) Submit(p Page, filled url.Values) Page {
	b.Helper()
	form := formPattern.FindStringSubmatch(p.Body)
	if form == nil {
		b.Fatalf("%s has no form: %d %s", p.URL, p.Status, p.Body)
	}
	values := url.Values{}
	for _, input := range inputPattern.FindAllStringSubmatch(form[2], -1) {
		has := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(input[1], -1) {
			has[a[1]] = html.UnescapeString(a[2])
		}
		if has["type"] != "checkbox" {
			values.Set(has["name"], has["value"])
		}
	}
	for name, value := range filled {
		values[name] = value
	}
	target := p.URL
	if form[1] != "" {
		target = p.URL.ResolveReference(b.parse(html.UnescapeString(form[1])))
	}
	return b.follow(http.MethodPost, target, values, b.formAction(p))
}

// formAction returns where a page's policy lets its forms lead; nil: anywhere.
func (b *Browser) formAction(p Page) []string {
	for directive := range strings.SplitSeq(p.Header.Get("Content-Security-Policy"), ";") {
		words := strings.Fields(directive)
		if len(words) == 0 || words[0] != "form-action" {
			continue
		}
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "'self'", originOf(p.URL))
		}
		return words
	}
	return nil
}

func originOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

const maxRedirects = 5

func (b *Browser) follow(method string, target *url.URL, form url.Values, allowed []string) Page {
	b.Helper()
	for range maxRedirects {
		if allowed != nil && !slices.Contains(allowed, originOf(target)) {
			b.Fatalf("the page's policy keeps its form from %s: %v", target, allowed)
		}
		served, known := b.Served[originOf(target)]
		if !known && strings.HasSuffix(target.Hostname(), ".example") {
			return Page{URL: target}
		}
		if !known {
			served = originOf(target)
		}
		page := b.ask(method, served+target.RequestURI(), form)
		page.URL = target
		if page.Status/100 != 3 {
			return page
		}
		target = target.ResolveReference(b.parse(page.Header.Get("Location")))
		method, form = http.MethodGet, nil
	}
	b.Fatalf("more than %d redirects, the last to %s", maxRedirects, target)
	return Page{}
}

func (b *Browser) ask(method, address string, form url.Values) Page {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.Fatal(err)
	}
	return Page{Status: response.StatusCode, Header: response.Header, Body: string(body)}
}

func (b *Browser) parse(address string) *url.URL {
	b.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.Fatal(err)
	}
	return u
}
