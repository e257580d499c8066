// Package wall shows people what was published in the sandbox, as the platforms would show
// it: a page for each platform, under an address for each workspace that nobody guesses, since
// a browser sends no key.
//
//	publish ─▶ Through ─▶ connector ─▶ simulator ─▶ World.Add     the call carries the address,
//	              │                                                the post is the workspace's
//	              └─ the receipt's url: /wall/{address}/{platform}?post=…
//	browser ─▶ gateway ─▶ Handler ─▶ World.Published, World.Shown
//
// Pages hold no scripts, reach nothing else, and are bounded.
package wall
