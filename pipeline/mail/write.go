package mail

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"crier/schema/people"
)

// page is a mail as templates show it: plain paragraphs, a list, and one link.
type page struct {
	Subject string
	Name    string   // of who gets it; empty: not known
	Before  []string // paragraphs
	Items   []item
	More    string // after the items
	Action  string // what the link does; empty: there is none
	Link    string
	After   []string
	Refuse  string // URL by which no more of it comes; empty: there is none
}

type item struct{ Title, Detail, Link string }

// write says what a letter says. Whatever people have named appears as plain words.
func write(l people.Letter, publicURL string) (page, error) {
	w := writer{Letter: l, url: publicURL, workspace: plain(l.Workspace)}
	say, ok := map[people.MailKind]func(writer) page{
		people.MailInvitation: writer.invitation, people.MailReset: writer.reset, people.MailAddress: writer.address,
		people.MailAddressChanged: writer.addressChanged, people.MailPostsFailed: writer.postsFailed, people.MailReconnect: writer.reconnect,
		people.MailSuspension: writer.suspension, people.MailNotice: writer.notice,
	}[l.Kind]
	if !ok {
		return page{}, fmt.Errorf("nothing is written of %v", l.Kind)
	}
	p := say(w)
	p.Name = plain(l.Name)
	if l.Refusing != "" {
		q := url.Values{"token": {l.Refusing}, "kind": {l.Kind.String()}}
		if !l.About.IsZero() {
			q.Set("workspace", l.About.String())
		}
		p.Refuse = publicURL + "/api/v1/mail/unsubscribe?" + q.Encode()
	}
	return p, nil
}

type writer struct {
	people.Letter
	url       string
	workspace string
}

// link is the address of a page with a token in it. What stands after # is sent to no server, and is in no log.
func (w writer) link(path string) string { return w.url + path + "#" + w.Token }

func (w writer) invitation() page {
	by := "You are asked"
	if name := plain(w.By); name != "" {
		by = name + " asks you"
	}
	return page{
		Subject: "Invitation to " + w.workspace,
		Before: []string{
			fmt.Sprintf("%s to join the workspace “%s” at %s, as %s.", by, w.workspace, w.url, withArticle(w.Role)),
			"The link works once, for seven days after the invitation.",
		},
		Action: "Accept the invitation", Link: w.link("/invitations/accept"),
		After: []string{"If you do not know what this is about, nothing happens as long as you do not accept."},
	}
}

func withArticle(r people.Role) string {
	if r == people.Viewer {
		return "a viewer"
	}
	return "an " + r.String()
}

func (w writer) reset() page {
	return page{
		Subject: "Your link to choose another password",
		Before:  []string{fmt.Sprintf("Somebody has asked for a link to sign in at %s as you. It works once, for an hour, and lets you choose another password.", w.url)},
		Action:  "Choose another password", Link: w.link("/reset"),
		After: []string{"If that was not you, nothing happens as long as you do not open it."},
	}
}

func (w writer) address() page {
	return page{
		Subject: "Confirm your address",
		Before:  []string{fmt.Sprintf("You want to sign in at %s by this address. Open the link where you are signed in; it works once, for a day.", w.url)},
		Action:  "This is my address", Link: w.link("/confirm-email"),
		After: []string{"If that was not you, nothing happens as long as you do not open it."},
	}
}

func (w writer) addressChanged() page {
	return page{
		Subject: "Your address was changed",
		Before: []string{
			fmt.Sprintf("You sign in at %s by another address from now on, which you have confirmed. This one is not used any more.", w.url),
			"If that was not you, tell the operator of this server at once: somebody else knows your password.",
		},
	}
}

func (w writer) postsFailed() page {
	p := page{Subject: fmt.Sprintf("Posts of %s failed", w.workspace), Before: []string{fmt.Sprintf("These posts of the workspace “%s” did not go out:", w.workspace)}}
	for _, f := range w.Posts {
		p.Items = append(p.Items, item{
			Title: fmt.Sprintf("%s on %s, %s", cmp.Or(plain(f.Account), "an account"), f.Platform, moment(f.At)), Detail: words(f.Error), Link: w.url + "/posts/" + f.ID.String(),
		})
	}
	p.More = w.more()
	return p
}

func (w writer) reconnect() page {
	p := page{
		Subject: fmt.Sprintf("Accounts of %s have to be connected again", w.workspace),
		Before:  []string{fmt.Sprintf("Nothing goes out by these accounts of the workspace “%s” until somebody connects them again:", w.workspace)},
		Action:  "Connect them", Link: w.url + "/accounts",
	}
	for _, a := range w.Accounts {
		p.Items = append(p.Items, item{Title: fmt.Sprintf("%s on %s", plain(a.Name), a.Platform)})
	}
	p.More = w.more()
	return p
}

func (w writer) suspension() page {
	p := page{
		Subject: fmt.Sprintf("API keys of %s are suspended", w.workspace),
		Before: []string{fmt.Sprintf(
			"These API keys of the workspace “%s” kept sending requests after they were told to wait (429). Their requests are refused for a while:", w.workspace)},
		After: []string{"A program should wait for as long as the header Retry-After says. An admin can end the suspension before its time."},
	}
	for _, k := range w.Keys {
		p.Items = append(p.Items, item{Title: fmt.Sprintf("%s (%s) until %s", plain(k.Name), k.Prefix, moment(k.Until))})
	}
	p.More = w.more()
	return p
}

func (w writer) notice() page {
	return page{Subject: words(w.Subject), Before: paragraphs(w.Text), After: []string{fmt.Sprintf("You get this as the owner of an API key of %s.", w.url)}}
}

func (w writer) more() string {
	if w.More == 0 {
		return ""
	}
	return fmt.Sprintf("And %d more.", w.More)
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
