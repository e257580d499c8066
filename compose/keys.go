package compose

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"crier/schema"
	"crier/schema/people"
	"crier/schema/sleep"
)

// UnsuspendKey ends the suspension of a key before its time.
func UnsuspendKey(ctx context.Context, c Config, key string) (k schema.KeyRecord, err error) {
	id, err := schema.ParseKeyID(key)
	if err != nil {
		return k, fmt.Errorf("there is no key %s: %w", key, err)
	}
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		workspace, err := o.admin.WorkspaceOfKey(ctx, id)
		if err != nil {
			return err
		}
		k, err = o.admin.Unsuspend(byCommand(ctx, "key.unsuspend"), workspace, id)
		return err
	})
	return k, err
}

// roomEvery is how often NotifyKeys looks whether there is room for more mail.
const roomEvery = 5 * time.Second

// NotifyKeys stores mail for whoever owns a key that works: the member who made it, else the address that the workspace
// was registered by, else its owners. Each address gets one. The same text goes on where it was cut off. wait is told
// where as many mails wait as may. It returns how many were stored.
func NotifyKeys(ctx context.Context, c Config, subject, text string, wait func(waiting int)) (stored int, err error) {
	subject, text = strings.TrimSpace(subject), strings.TrimSpace(text)
	if subject == "" || text == "" {
		return 0, errors.New("a mail needs a subject and a text")
	}
	sum := sha256.Sum256([]byte(subject + "\n" + text))
	notice := people.Notice{ID: schema.NoticeID(sum[:16]), Subject: subject, Text: text}
	err = operate(ctx, c, func(ctx context.Context, o *operator) error {
		if err := o.mail.PutNotice(byCommand(ctx, "keys.notify"), notice); err != nil {
			return err
		}
		for after := (schema.KeyID{}); ; {
			n, last, full, err := o.mail.Notify(ctx, notice.ID, after)
			if err != nil {
				return err
			}
			stored += n
			switch {
			case full:
				wait(people.MaxMails)
				if err := sleep.For(ctx, roomEvery); err != nil {
					return err
				}
			case last.IsZero():
				return nil
			default:
				after = last
			}
		}
	})
	return stored, err
}
