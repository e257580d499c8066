package main

import (
	"context"
	"fmt"
	"log"

	"crier/client"
)

func engagement(ctx context.Context, c *client.Client) {
	item := client.InboxItem{ID: "item_00000000000000000000000000"}
	// sample: listComments
	for item, err := range c.Engagement.Comments(ctx, client.CommentFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.ID, item.Author.Handle, item.Text)
	}
	// sample: listMentions
	for item, err := range c.Engagement.Mentions(ctx, client.MentionFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.ID, item.Author.Handle, item.Text)
	}
	// sample: markItems
	changed, err := c.Engagement.MarkRead(ctx, item.ID)
	// end
	if err != nil {
		refused(err)
	}
	fmt.Println(changed)
	reply := &client.Reply{ID: "comment_00000000000000000000000000"}
	// sample: createReply
	_, err = c.Engagement.Reply(ctx, item.ID, "Come by on Sunday.")
	// end
	refused(err)
	// sample: getReply
	_, err = c.Engagement.GetReply(ctx, reply.ID)
	// end
	refused(err)
	account := client.Account{ID: "acc_00000000000000000000000000"}
	// sample: getTranscript
	_, err = c.Engagement.Transcript(ctx, client.Captions{AccountID: account.ID, VideoID: "dQw4w9WgXcQ", Language: "en"})
	// end
	refused(err)
}
