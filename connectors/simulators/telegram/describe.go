package telegram

import (
	"fmt"
	"hash/fnv"
	"strings"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// Describe returns what there is of the simulator.
func Describe() simulation.Simulator {
	return simulation.Simulator{
		Platform: schema.Telegram,
		New:      New, NewUnlimited: NewUnlimited, Credentials: credentials,
		Ending: ending(),
	}
}

func credentials(name string) schema.Credentials {
	return schema.Credentials{BotToken: botToken(name), ChatID: "@" + strings.ReplaceAll(name, "-", "_")}
}

// firstBot makes the ids of bots as long as Telegram's are.
const firstBot = 1_000_000_000

// botToken is the token of a bot for this name alone: all that goes through one bot shares its limit.
func botToken(name string) string {
	id := fnv.New32a()
	id.Write([]byte(name))
	return fmt.Sprintf("%d:%.35s", firstBot+int64(id.Sum32()), name+strings.Repeat("x", 35))
}
