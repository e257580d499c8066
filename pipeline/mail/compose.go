package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	netmail "net/mail"
	"strings"
	"text/template"

	gomail "github.com/wneessen/go-mail"

	"crier/schema/people"
)

//go:embed templates
var templates embed.FS

var (
	textTemplate = template.Must(template.ParseFS(templates, "templates/mail.txt"))
	htmlTemplate = htmltemplate.Must(htmltemplate.ParseFS(templates, "templates/mail.html"))
)

// compose makes the message of a letter. One that is sent again has the same Message-ID.
func compose(l people.Letter, m people.Mail, from, publicURL string) (*gomail.Msg, error) {
	p, err := write(l, publicURL)
	if err != nil {
		return nil, err
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("reading the sender: %w", err)
	}
	recipient, err := netmail.ParseAddress(l.Recipient)
	if err != nil || recipient.Address != l.Recipient {
		return nil, errors.New("the recipient is no address of e-mail")
	}
	var text, html bytes.Buffer
	if err := textTemplate.Execute(&text, p); err != nil {
		return nil, fmt.Errorf("writing the text: %w", err)
	}
	if err := htmlTemplate.Execute(&html, p); err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(sender)
	message.ToMailAddress(recipient)
	message.Subject(p.Subject)
	message.SetDate()
	message.SetMessageIDWithValue(fmt.Sprintf("%s.%d@%s", m.ID, m.Version, sender.Address[strings.LastIndexByte(sender.Address, '@')+1:]))
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no answers of absence
	if p.Refuse != "" {
		offerRefusal(message, p.Refuse)
	}
	message.SetBodyString(gomail.TypeTextPlain, text.String())
	message.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return message, nil
}

// offerRefusal says where no more of it can be asked for: by one click where the server is reached by https (RFC 8058).
func offerRefusal(message *gomail.Msg, url string) {
	if message.SetListUnsubscribeOneClick(url) != nil {
		message.SetListUnsubscribe(url)
	}
}
