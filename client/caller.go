package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// caller makes the requests of all services. A path is given part by part, the ids in it as they are.
type caller struct {
	base string // of the API, with /api/v1/
	send *sender
}

// get reads what params, one of package api's or nil, select.
func (c *caller) get(ctx context.Context, params any, path ...string) (*http.Response, error) {
	return c.do(ctx, http.MethodGet, query(params), nil, path)
}

func (c *caller) post(ctx context.Context, body any, path ...string) (*http.Response, error) {
	return c.do(ctx, http.MethodPost, "", body, path)
}

func (c *caller) patch(ctx context.Context, body any, path ...string) (*http.Response, error) {
	return c.do(ctx, http.MethodPatch, "", body, path)
}

func (c *caller) delete(ctx context.Context, path ...string) (*http.Response, error) {
	return c.do(ctx, http.MethodDelete, "", nil, path)
}

// do sends a body as JSON, or as it is where it is that already; nil is none.
func (c *caller) do(ctx context.Context, method, query string, body any, path []string) (*http.Response, error) {
	content, err := encoded(body)
	if err != nil {
		return nil, fmt.Errorf("writing a request: %w", err)
	}
	escaped := make([]string, len(path))
	for i, part := range path {
		escaped[i] = url.PathEscape(part)
	}
	address := c.base + strings.Join(escaped, "/")
	if query != "" {
		address += "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, method, address, content)
	if err != nil {
		return nil, fmt.Errorf("calling crier: %w", err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key, ok := ctx.Value(idempotencyKey{}).(string); ok {
		request.Header.Set("Idempotency-Key", key)
	}
	return c.send.Do(request)
}

// encoded is the content of a request, of a kind that can be read again for a repetition.
func encoded(body any) (io.Reader, error) {
	switch body := body.(type) {
	case nil:
		return http.NoBody, nil
	case []byte:
		return bytes.NewReader(body), nil
	default:
		content, err := json.Marshal(body)
		return bytes.NewReader(content), err
	}
}

// query writes the fields of parameters that are set, under their names in JSON. A map is written as name[key].
func query(params any) string {
	if params == nil {
		return ""
	}
	values := url.Values{}
	fields := reflect.ValueOf(params).Elem()
	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() == reflect.Pointer {
			if field.IsNil() {
				continue
			}
			field = field.Elem()
		}
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		if field.Kind() != reflect.Map {
			values.Set(name, fmt.Sprint(field.Interface()))
			continue
		}
		for entry := field.MapRange(); entry.Next(); {
			values.Set(name+"["+entry.Key().String()+"]", entry.Value().String())
		}
	}
	return values.Encode()
}
