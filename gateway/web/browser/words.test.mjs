// Each language says everything, with the same gaps.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (language) => JSON.parse(readFileSync(new URL(`../src/words/${language}.json`, import.meta.url)))
const gaps = (sentence) => [...sentence.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort()

test('German says what English says', () => {
  const [en, de] = [read('en'), read('de')]
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort())
  for (const [word, sentence] of Object.entries(en)) assert.deepEqual(gaps(de[word]), gaps(sentence), word)
})
