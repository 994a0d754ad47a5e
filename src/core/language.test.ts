import assert from 'node:assert/strict'
import { it } from 'node:test'
import { acceptedLanguage, readLanguage } from './language.ts'

it('a browser gets the language that it asks for first, of those that there are', () => {
  const asked: [string | undefined, string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['de', 'de'],
    ['de-AT', 'de'],
    ['JA-jp', 'ja'],
    ['pl, cs;q=0.9, fr;q=0.2', 'fr'],
    ['en;q=0.5, es;q=0.8', 'es'],
    ['fr;q=0.8, es;q=0.8', 'fr'],
    ['de;q=0, en;q=0.1', 'en'],
    ['de;q=0.000', undefined],
    ['de;q=2, ja', 'ja'],
    ['de;q=0.1234', undefined],
    ['de;q=evil', undefined],
    ['deu', undefined],
    [';;;,,,==', undefined],
    [`${'pl,'.repeat(19)}de`, 'de'],
    [`${'pl,'.repeat(20)}de`, undefined],
    [`${' '.repeat(100_000)}de`, undefined],
  ]
  for (const [header, expected] of asked)
    assert.equal(acceptedLanguage(header), expected, String(header).slice(0, 60))
})

it('only a language of ours is one', () => {
  for (const text of ['de', 'ja']) assert.equal(readLanguage(text), text)
  for (const text of [undefined, null, '', 'DE', 'de-AT', 'toString', '__proto__', ['de'], { de: 1 }])
    assert.equal(readLanguage(text), undefined)
})
