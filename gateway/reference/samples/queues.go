package main

import (
	"context"
	"fmt"

	"crier/client"
)

func queues(ctx context.Context, c *client.Client) {
	// sample: createQueue
	queue, err := c.Queues.Create(ctx, client.Queue{
		Name: "Mornings", Timezone: "Europe/Berlin", Slots: []client.WeekSlot{{Day: "monday", Time: "09:00"}},
	})
	// end
	check(err)
	// sample: listQueues
	queues, err := c.Queues.List(ctx)
	// end
	check(err)
	fmt.Println(len(queues))
	// sample: getQueue
	queue, err = c.Queues.Get(ctx, queue.ID)
	// end
	check(err)
	// sample: updateQueue
	queue, err = c.Queues.Update(ctx, queue.ID, client.QueueUpdate{Name: new("Early")})
	// end
	check(err)
	// sample: previewSlots
	slots, err := c.Queues.Slots(ctx, queue.ID, 5)
	// end
	check(err)
	fmt.Println(slots)
	// sample: deleteQueue
	err = c.Queues.Delete(ctx, queue.ID)
	// end
	check(err)
}
