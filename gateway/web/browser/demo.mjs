// Fills a workspace's sandbox with posts, as one that has been used for a while has them.

const texts = [
  'The harbour café opens at seven. Come early, the rolls are warm.',
  'New in the shop: hand-thrown bowls from Ida’s studio in Bergen.',
  'We are hiring a baker for weekends. Write to us!',
  'Behind the scenes: how our sourdough gets its crust.',
  'Thank you for 500 followers. Here is the recipe you asked for.',
  'Closed on Monday for the city run. Good luck to all runners!',
  'Three ways to brew with a moka pot.',
  'Live music on Friday, from eight. Entry is free.',
  'The autumn menu is here: pumpkin, chestnut, sage.',
  'What should we bake next week? Tell us below.',
]

// failing are posts that the simulators make something of, by their markers.
const failing = [
  { content: 'Our winter opening hours. [crier:refused]', platforms: ['mastodon', 'bluesky'] },
  { content: 'Half of the team is on holiday. [crier:lost-answer]', platforms: ['mastodon', 'telegram'] },
  { content: 'A table for two? Book it on our page. [crier:outage]', platforms: ['bluesky'] },
]

const thread = ['Our bread takes two days. Here is why.', 'Day one: the dough rests, cold, for twenty hours.', 'Day two: shaped by hand, baked at five.']

const mixes = [['mastodon', 'bluesky'], ['twitter'], ['linkedin', 'facebook', 'threads'], ['telegram'], ['mastodon', 'twitter', 'bluesky', 'threads', 'linkedin'], ['threads']]

// fill makes posts for the weeks around now; what lies behind is published at once, as nothing can be
// scheduled there.
export async function fill({ ask }) {
  const now = Date.now()
  const posts = []
  for (let i = 0; i < 22; i++) {
    const at = new Date(now + (i * 26 + 3) * 3_600_000)
    at.setMinutes([0, 30, 15][i % 3], 0, 0)
    posts.push({ content: texts[i % texts.length], platforms: mixes[i % mixes.length], scheduledFor: at.toISOString() })
  }
  for (let i = 0; i < 6; i++) {
    const at = new Date(now + 2 * 86_400_000)
    at.setUTCHours(9 + i * 1.5, (i % 2) * 30, 0, 0)
    posts.push({ content: texts[(i * 2 + 1) % texts.length], platforms: mixes[(i + 2) % mixes.length], scheduledFor: at.toISOString() })
  }
  for (let i = 0; i < 4; i++) posts.push({ content: texts[(i * 3) % texts.length], platforms: mixes[i], publishNow: true })
  posts.push(...failing.map((p) => ({ ...p, publishNow: true })))
  posts.push({ content: 'Ideas for December: advent calendar, gift cards, a small market.', platforms: ['mastodon'], status: 'draft' })
  posts.push({ content: 'Opening of the second shop — text to be agreed with Jonas.', platforms: ['linkedin', 'facebook'], status: 'draft' })
  for (let i = 0; i < posts.length; i += 25) await ask('POST', '/posts/bulk', { posts: posts.slice(i, i + 25) })
  await ask('POST', '/threads', { posts: thread.map((content) => ({ content })), platforms: ['mastodon', 'bluesky'], publishNow: true, firstComments: [{ text: 'The recipe is in our shop.' }] })
  await ask('POST', '/queues', { name: 'Mornings', timezone: 'Europe/Berlin', slots: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => ({ day, time: '08:30' })) })
  await ask('POST', '/webhooks', { url: 'http://127.0.0.1:9/hooks/crier', events: ['post.published', 'post.failed', 'account.error'] })
  await ask('POST', '/keys', { name: 'Importer', permissions: ['read', 'write'], test: true, networks: ['203.0.113.0/24', '198.51.100.0/24', '2001:db8:1:2::/64'] })
}
