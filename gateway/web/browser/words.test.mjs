// Each language says everything, with the same gaps, and knows the words of the API that the console shows.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from 'js-yaml'

const text = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')
const read = (name) => JSON.parse(text(`../src/words/${name}.json`))
const gaps = (sentence) => [...sentence.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort()
const [en, de, german] = [read('en'), read('de'), read('api.de')]
const { schemas } = load(text('../../../schema/openapi/openapi.yaml')).components

test('German says what English says', () => {
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort())
  for (const [word, sentence] of Object.entries(en)) assert.deepEqual(gaps(de[word]), gaps(sentence), word)
})

// enumOf are the values that the API's description has at a place, such as Post.status or Key.permissions.
function enumOf(place) {
  const [schema, ...fields] = place.split('.')
  const at = fields.reduce((it, field) => (it.items?.properties ?? it.properties)[field], schemas[schema])
  return (at.items ?? at).enum.filter((value) => value !== null)
}

// said are the values that pages show, and the beginning of what the words call them.
const said = {
  'Post.status': 'status.', 'PlatformEntry.status': 'status.', 'DeliveryRecord.status': 'status.', 'Held.reason': 'held.', 'Attempt.event': 'story.',
  Role: 'role.', SignInMethod: 'you.by.', 'Key.permissions': 'keys.', 'AuditRecord.actor.kind': 'audit.by.', LimitSet: 'usage.by.',
}

test('each value of the API that pages show has its words', () => {
  for (const [place, prefix] of Object.entries(said)) {
    for (const value of enumOf(place)) assert.ok(prefix + value in en, `${place}: ${prefix}${value}`)
  }
})

// ofSettings are the names and values of what platforms can be told.
function ofSettings(it, found = { names: new Set(), values: new Set() }) {
  const seen = it.$ref ? schemas[it.$ref.split('/').pop()] : it
  seen.enum?.forEach((value) => found.values.add(value))
  for (const [name, member] of Object.entries(seen.properties ?? {})) {
    found.names.add(name)
    ofSettings(member, found)
  }
  for (const part of [seen.items, ...(seen.allOf ?? []), ...(seen.oneOf ?? [])]) if (part) ofSettings(part, found)
  return found
}

test('German knows each setting of a platform, and each value', () => {
  const [names, values] = [new Set(), new Set()]
  for (const platform of Object.values(schemas.PlatformSettings.properties)) {
    const found = ofSettings(platform)
    found.names.forEach((name) => names.add(name))
    found.values.forEach((value) => values.add(value))
  }
  names.delete('content') // is written as a text
  const missing = [...names].filter((name) => !(`setting.${name}` in de) && !(name in german.settings))
  assert.deepEqual(missing, [])
  assert.deepEqual(Object.keys(german.settings).filter((name) => !names.has(name)), [])
  assert.deepEqual(Object.keys(german.values).sort(), [...values].sort())
})

test('each action and field of the audit log has its words', () => {
  const groups = [...text('../../../schema/people/actions.go').matchAll(/"([a-z_]+)": +\{([^}]+)\}/g)]
  assert.ok(groups.length > 20)
  for (const [, what, deeds] of groups) {
    assert.ok(`audit.one.${what}` in en, what)
    for (const [deed] of deeds.matchAll(/[a-z_]+/g)) assert.ok(`audit.did.${deed}` in en, `${what}.${deed}`)
  }
  for (const word of Object.keys(en).filter((w) => w.startsWith('audit.of.'))) assert.ok(groups.some(([, what]) => what === word.slice('audit.of.'.length)), word)
  assert.ok(Object.keys(german.fields).length > 30)
})

test('German says why posts fail', () => {
  const codes = [...text('../../../schema/result.go').matchAll(/"(platform_[a-z_]+)"/g), ...text('../../../schema/blocked.go').matchAll(/"([a-z]+_paused)"/g), ...text('../../../schema/account.go').matchAll(/Code\w+ += "([a-z_]+)"/g), ...text('../../../schema/result.go').matchAll(/Code\w+ += "([a-z_]+)"/g)].map(([, code]) => code)
  assert.deepEqual(Object.keys(german.codes).sort(), [...new Set(codes)].sort())
})
