package console

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"crier/client"
)

// PostsCreate makes a post.
type PostsCreate struct {
	Access
	Shape
	Text         string   `arg:"" optional:"" env:"-" help:"What it says; - reads standard input."`
	To           []string `required:"" env:"-" help:"Platform, or platform:account; may be repeated." placeholder:"PLATFORM[:ACCOUNT]"`
	Now          bool     `xor:"when" env:"-" help:"Publish at once."`
	At           string   `xor:"when" env:"-" help:"Publish then: RFC 3339, or a day and time in --timezone." placeholder:"TIME"`
	Queue        bool     `xor:"when" env:"-" help:"Publish in the next free slot of the default queue."`
	QueueID      string   `xor:"when" env:"-" help:"Publish in the next free slot of this queue." placeholder:"ID"`
	Draft        bool     `xor:"when" env:"-" help:"Publish not yet."`
	Timezone     string   `default:"Local" env:"-" help:"IANA name: of a time without an offset."`
	Media        []string `sep:"none" env:"-" help:"File of this machine, public address, or id of an upload; may be repeated." placeholder:"FILE|URL|ID"`
	Fit          string   `enum:"none,cover,contain" default:"none" env:"-" help:"Make pictures fit a platform that does not accept them: cover crops, contain adds white bars, none refuses."`
	Setting      []string `sep:"none" env:"-" help:"A setting of a platform, such as youtube.title=Harbour or mastodon.visibility=private; the value is JSON or text. May be repeated." placeholder:"PLATFORM.NAME=VALUE"`
	FirstComment string   `env:"-" help:"A comment that follows."`
	ExternalID   string   `env:"-" help:"Your own id of the post."`
	Once         string   `env:"-" help:"Make it once under this name, however often the command runs within a day." placeholder:"NAME"`
	Wait         bool     `env:"-" help:"Wait until it is published, or has failed."`
}

// Validate refuses what cannot be meant.
func (p *PostsCreate) Validate() error {
	if !p.Now && p.At == "" && !p.Queue && p.QueueID == "" && !p.Draft {
		return errors.New("say when: --now, --at, --queue, --queue-id or --draft")
	}
	if _, err := time.LoadLocation(p.Timezone); err != nil {
		return fmt.Errorf("--timezone: %w", err)
	}
	if p.Wait && p.Draft {
		return errors.New("--wait would wait for ever for a draft")
	}
	return nil
}

// Run uploads what is on this machine, makes the post and shows it.
func (p *PostsCreate) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	post, err := p.post(t)
	if err != nil {
		return err
	}
	for _, name := range p.Media {
		item, err := t.mediaItem(ctx, c, name)
		if err != nil {
			return err
		}
		if item.Type != client.Video && item.Type != client.PDF {
			item.Fit = client.MediaFit(p.Fit)
		}
		post.MediaItems = append(post.MediaItems, item)
	}
	created, err := c.Posts.Create(ctx, post, once(p.Once)...)
	if err != nil {
		return err
	}
	if p.Wait {
		if created, err = p.settled(ctx, t, c, created); err != nil {
			return err
		}
	}
	if err := t.post(p.Shape, created); err != nil {
		return err
	}
	if created.Status == client.PostFailed || created.Status == client.PostPartiallyFailed {
		return fmt.Errorf("%s is %s", created.ID, created.Status)
	}
	return nil
}

// post is what is asked for, without media.
func (p *PostsCreate) post(t *Terminal) (client.Post, error) {
	post := client.Post{PublishNow: p.Now, Queue: p.Queue, QueueID: p.QueueID, FirstComment: p.FirstComment, ExternalID: p.ExternalID}
	var err error
	if post.Content, err = t.text(p.Text); err != nil {
		return post, err
	}
	if post.PlatformSettings, err = settings(p.Setting); err != nil {
		return post, fmt.Errorf("--setting: %w", err)
	}
	if p.Draft {
		post.Status = client.PostDraft
	}
	for _, name := range p.To {
		platform, account, _ := strings.Cut(name, ":")
		post.Platforms = append(post.Platforms, client.Target{Platform: client.Platform(platform), AccountID: account})
	}
	zone, err := time.LoadLocation(p.Timezone)
	if err == nil {
		post.ScheduledFor, err = ReadTime(p.At, zone)
	}
	if err != nil {
		return post, fmt.Errorf("--at: %w", err)
	}
	return post, nil
}

// settings reads settings of platforms, each as platform.name=value. It refuses what is no setting, as the
// server cannot: the client sends no other.
func settings(given []string) (all client.PlatformSettings, err error) {
	for _, text := range given {
		name, value, isSetting := strings.Cut(text, "=")
		platform, setting, isNamed := strings.Cut(name, ".")
		if !isSetting || !isNamed {
			return all, fmt.Errorf("%q is no PLATFORM.NAME=VALUE", text)
		}
		if err := readSetting(&all, platform, setting, value); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// readSetting adds a setting whose value is JSON, or else a text, as is one that the setting does not take
// as JSON: a title may be 2026.
func readSetting(all *client.PlatformSettings, platform, setting, value string) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding the value: %w", err)
	}
	if json.Valid([]byte(value)) && decodeSetting(all, platform, setting, []byte(value)) == nil {
		return nil
	}
	return decodeSetting(all, platform, setting, text)
}

func decodeSetting(all *client.PlatformSettings, platform, setting string, value json.RawMessage) error {
	object, err := json.Marshal(map[string]map[string]json.RawMessage{platform: {setting: value}})
	if err != nil {
		return fmt.Errorf("encoding the setting: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(all); err != nil {
		return fmt.Errorf("there is no such setting, or it takes another value: %w", err)
	}
	return nil
}

// text is what was given, or for - what standard input has.
func (t *Terminal) text(given string) (string, error) {
	if given != "-" {
		return given, nil
	}
	text, err := io.ReadAll(t.In)
	if err != nil {
		return "", fmt.Errorf("reading the text: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

// once names a creation; without a name each has its own.
func once(name string) []client.CallOption {
	if name == "" {
		return nil
	}
	return []client.CallOption{client.WithIdempotencyKey(name)}
}

// settled waits until nothing of a post is to come.
func (p *PostsCreate) settled(ctx context.Context, t *Terminal, c *client.Client, post *client.Post) (_ *client.Post, err error) {
	for warnings := post.Warnings; ; {
		switch post.Status {
		case client.PostPosted, client.PostFailed, client.PostPartiallyFailed, client.PostCancelled:
			return post, nil
		default:
		}
		if err := t.Wait(ctx, max(time.Second/2, min(time.Until(post.ScheduledFor), time.Minute))); err != nil {
			return nil, err
		}
		if post, err = c.Posts.Get(ctx, post.ID); err != nil {
			return nil, err
		}
		post.Warnings = warnings
	}
}

// ReadTime reads a time with an offset, or a day and time in a zone; nothing is no time.
func ReadTime(text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02"} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: write it like 2026-12-24 18:00, or 2026-12-24T18:00:00+01:00", text)
}

// mediaItem is a file of a post, which is uploaded where it is of this machine.
func (t *Terminal) mediaItem(ctx context.Context, c *client.Client, name string) (client.MediaItem, error) {
	if u, err := url.Parse(name); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return client.MediaItem{URL: name, Type: kindOf(u.Path)}, nil
	}
	if _, err := os.Stat(name); err != nil && strings.HasPrefix(name, "media_") {
		return client.MediaItem{MediaID: name}, nil
	}
	media, err := t.upload(ctx, c, name, "")
	if err != nil {
		return client.MediaItem{}, err
	}
	return client.MediaItem{MediaID: media.ID}, nil
}

// kindOf goes by the ending; what is really there is found out when it is fetched.
func kindOf(name string) client.MediaType {
	kinds := map[string]client.MediaType{
		".mp4": client.Video, ".mov": client.Video, ".m4v": client.Video, ".webm": client.Video, ".avi": client.Video, ".pdf": client.PDF,
	}
	return cmp.Or(kinds[strings.ToLower(path.Ext(name))], client.Image)
}
