package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"crier/client"
)

func webhooks(ctx context.Context, c *client.Client) {
	// sample: createWebhook
	webhook, err := c.Webhooks.Create(ctx, "https://hooks.example/crier", client.EventPostPublished, client.EventPostFailed)
	// end
	check(err)
	// sample: createWebhook
	fmt.Println(webhook.ID, webhook.Secret) // the secret is shown this once
	// sample: listWebhooks
	webhooks, err := c.Webhooks.List(ctx)
	// end
	check(err)
	fmt.Println(len(webhooks))
	// sample: getWebhook
	webhook, err = c.Webhooks.Get(ctx, webhook.ID)
	// end
	check(err)
	// sample: updateWebhook
	webhook, err = c.Webhooks.Update(ctx, webhook.ID, client.WebhookUpdate{IsActive: new(true)})
	// end
	check(err)
	// sample: testWebhook
	test, err := c.Webhooks.Test(ctx, webhook.ID, client.EventPostPublished)
	// end
	check(err)
	fmt.Println(test)
	// sample: rotateWebhookSecret
	webhook, err = c.Webhooks.RotateSecret(ctx, webhook.ID, 24*time.Hour)
	// end
	check(err)
	deliveries(ctx, c, webhook)
	// sample: deleteWebhook
	err = c.Webhooks.Delete(ctx, webhook.ID)
	// end
	check(err)
}

func deliveries(ctx context.Context, c *client.Client, webhook *client.Webhook) {
	delivery := &client.Delivery{ID: "dlv_00000000000000000000000000"}
	// sample: searchDeliveries
	for delivery, err := range c.Webhooks.Deliveries(ctx, webhook.ID, client.DeliveryFilter{Status: "failed"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(delivery.ID, delivery.Event)
	}
	// sample: getDelivery
	_, err := c.Webhooks.Delivery(ctx, webhook.ID, delivery.ID)
	// end
	refused(err)
	// sample: redeliver
	_, err = c.Webhooks.Redeliver(ctx, webhook.ID, delivery.ID)
	// end
	refused(err)
	// sample: redeliverFailed
	sent, more, err := c.Webhooks.RedeliverFailed(ctx, webhook.ID, time.Now().Add(-time.Hour))
	// end
	check(err)
	fmt.Println(sent, more)
	// sample: listEvents
	for event, err := range c.Events.List(ctx, client.EventFilter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Name, event.ID)
	}
	// end
}
