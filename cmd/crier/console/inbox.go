package console

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"crier/client"
)

// Inbox are the commands about what people write.
type Inbox struct {
	List  InboxList  `cmd:"" help:"List comments, or mentions, the newest first."`
	Reply InboxReply `cmd:"" help:"Reply to a comment or a mention."`
	Read  InboxRead  `cmd:"" help:"Mark comments and mentions as read."`
}

// InboxList lists what people wrote.
type InboxList struct {
	Access
	Shape
	Mentions bool   `xor:"kind" env:"-" help:"What names an account elsewhere, in place of comments."`
	Post     string `xor:"kind" env:"-" help:"Id of the post that the comments are under." placeholder:"ID"`
	Account  string `env:"-" help:"Id of the account that was written to." placeholder:"ID"`
	Unread   bool   `env:"-" help:"Only what nobody has marked as read."`
	Limit    int    `default:"20" env:"-" help:"How many are shown at most."`
}

// Run reads no more pages than it shows.
func (i *InboxList) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	var items []*client.InboxItem
	for item, err := range i.items(ctx, c) {
		if err != nil {
			return err
		}
		if items = append(items, item); len(items) >= i.Limit {
			break
		}
	}
	return lines(t, i.Shape, items, row("ITEM", "WHEN", "PLATFORM", "READ", "AUTHOR", "TEXT"), func(item *client.InboxItem) string {
		read := "no"
		if !item.ReadAt.IsZero() {
			read = "yes"
		}
		text := brief(item.Text)
		if item.IsDeleted {
			text = "(deleted) " + text
		}
		return row(item.ID, when(item.WrittenAt), string(item.Platform), read, authorOf(item.Author), orDash(text))
	})
}

func (i *InboxList) items(ctx context.Context, c *client.Client) iter.Seq2[*client.InboxItem, error] {
	size := min(i.Limit, 100)
	if i.Mentions {
		return c.Engagement.Mentions(ctx, client.MentionFilter{AccountID: i.Account, Unread: i.Unread, PageSize: size})
	}
	return c.Engagement.Comments(ctx, client.CommentFilter{AccountID: i.Account, PostID: i.Post, Unread: i.Unread, PageSize: size})
}

// InboxReply answers what somebody wrote.
type InboxReply struct {
	Access
	Shape
	Item string `arg:"" env:"-" help:"Id of the comment or mention."`
	Text string `arg:"" env:"-" help:"What it says; - reads standard input."`
	Once string `env:"-" help:"Reply once under this name, however often the command runs within a day." placeholder:"NAME"`
}

// Run shows the reply, which goes out within a second.
func (i *InboxReply) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	text, err := t.text(i.Text)
	if err != nil {
		return err
	}
	reply, err := c.Engagement.Reply(ctx, i.Item, text, once(i.Once)...)
	if err != nil {
		return err
	}
	return lines(t, i.Shape, []*client.Reply{reply}, row("REPLY", "PLATFORM", "STATUS", "TEXT"), func(r *client.Reply) string {
		return row(r.ID, string(r.Platform), string(r.Status), brief(r.Text))
	})
}

// InboxRead marks items.
type InboxRead struct {
	Access
	Items  []string `arg:"" env:"-" name:"item" help:"Ids of comments and mentions, up to 100."`
	Unread bool     `env:"-" help:"As unread again."`
}

// Run marks all of them, or none where one is not there.
func (i *InboxRead) Run(ctx context.Context, t *Terminal, c *client.Client) error {
	mark, as := c.Engagement.MarkRead, "read"
	if i.Unread {
		mark, as = c.Engagement.MarkUnread, "unread"
	}
	if _, err := mark(ctx, i.Items...); err != nil {
		return err
	}
	fmt.Fprintln(t.Out, strings.Join(i.Items, " "), "marked as", as)
	return nil
}
