import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { isKeyText, newKeyText } from './key-text.ts'

/** The pattern and the key in docs/security.md. */
function published(): { pattern: RegExp; vector: string } {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const [, pattern] = /^(\\b\(\?:psk\|ppk\)_.*)$/m.exec(text) ?? []
  const [, vector] = /^(psk_0{43}\w{6})$/m.exec(text) ?? []
  assert.ok(pattern && vector, 'docs/security.md publishes a pattern and a test vector')
  return { pattern: new RegExp(pattern), vector }
}

it('a new key has the published form and its checksum, and no two are alike', () => {
  const { pattern } = published()
  const keys = Array.from({ length: 200 }, (_, index) => newKeyText(index % 2 === 0 ? 'psk' : 'ppk'))
  assert.equal(new Set(keys).size, keys.length)
  for (const key of keys) {
    assert.match(`token=${key};`, pattern)
    assert.ok(isKeyText(key.startsWith('psk') ? 'psk' : 'ppk', key), key)
  }
})

it('the published test vector has the checksum that a scanner calculates, and no other text of its form has', () => {
  const { vector } = published()
  assert.ok(isKeyText('psk', vector))
  for (let at = 4; at < vector.length; at += 1) {
    const wrong = `${vector.slice(0, at)}${vector[at] === 'a' ? 'b' : 'a'}${vector.slice(at + 1)}`
    assert.ok(!isKeyText('psk', wrong), wrong)
  }
})

it('a key is one of its own prefix and length only; one of an older version has no checksum', () => {
  const key = newKeyText('psk')
  for (const text of [
    '',
    'psk_',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    key.replace('psk', 'ppk'),
    key.replace('_', '-'),
  ])
    assert.ok(!isKeyText('psk', text), text)
  assert.ok(!isKeyText('ppk', key))
  const older = `psk_${'-_09AZaz'.repeat(6).slice(0, 43)}`
  assert.ok(isKeyText('psk', older))
  assert.ok(!isKeyText('ppk', older.replace('psk', 'ppk')))
})
