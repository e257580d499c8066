package bluesky

import "strings"

// streamWords are what the generated stream of the sandbox talks about, the frequent words
// first. Who tries a monitor with a test key takes some of them.
var streamWords = strings.Fields(`
	the a to of and in is it for you on my this that with we are so just be
	coffee morning today music weather lunch weekend football book film garden city train game friends
	photo dinner news science art history travel mountain river winter summer recipe bread cheese tea
	camera bicycle concert museum library theatre festival market harbour island forest meadow sunrise
	sunset thunderstorm snow football tennis chess marathon startup launch update release feature design
	software hardware keyboard battery satellite telescope galaxy planet rocket robot climate energy
	solar wind ocean whale penguin otter hedgehog sourdough espresso ramen curry olive saffron cinnamon
	café straße niño 東京 コーヒー 音乐`)

// The stream of the sandbox: few posts, the same for whoever looks.
const (
	streamRate = 5
	streamSeed = 20261123
)
