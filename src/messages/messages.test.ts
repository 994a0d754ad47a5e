import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { LANGUAGES } from '../core/language.ts'
import { fill, fillHtml, forCount, type Message } from '../core/text/message.ts'
import { PERMISSION_NAMES, permissionRow } from '../http/permissions.ts'
import { BROWSER_MESSAGES, MAIL_MESSAGES, PAGE_MESSAGES } from './messages.ts'

const KINDS = { pages: PAGE_MESSAGES, browser: BROWSER_MESSAGES, mails: MAIL_MESSAGES }

/** Words that are intentionally the same in both. */
const SAME: Record<string, string[]> = {
  de: ['Code: {code}', 'Passkey', 'Administrator'],
  fr: ['Organisation', 'Code', 'Code: {code}'],
  es: [],
  ja: [],
}

type Leaves = Map<string, string>

function leavesOf(messages: object, path = ''): Leaves {
  return new Map(
    Object.entries(messages).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[`${path}${key}`, value] as const]
        : [...leavesOf(value as object, `${path}${key}.`)],
    ),
  )
}

/** The places of a sentence, and the parts that are wrapped. */
const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}|<\/?(\w+)>/g)]
    .map(([name]) => name)
    .sort()
    .join(' ')

/** The plural categories of each language that our sentences tell apart; `many` is of a million and more. */
const ONE = { en: true, de: true, fr: true, es: true, ja: false }

describe('messages', () => {
  for (const [kind, messages] of Object.entries(KINDS)) {
    const english = leavesOf(messages.en)
    for (const language of LANGUAGES.filter((other) => other !== 'en')) {
      const leaves = leavesOf(messages[language])
      it(`of ${kind} in ${language}: every sentence is there, with the same places, and is not English`, () => {
        const expected = [...english.keys()].filter((path) => ONE[language] || !path.endsWith('.one'))
        assert.deepEqual([...leaves.keys()].sort(), expected.sort())
        for (const [path, text] of leaves) {
          const original = english.get(path) ?? ''
          assert.equal(namesIn(text), namesIn(original), path)
          assert.ok(text.trim() === text && text !== '', path)
          if (text === original) assert.ok(SAME[language]?.includes(text), `${path} is English: ${text}`)
        }
      })

      it(`of ${kind} in ${language}: no sentence is longer than a page can show`, () => {
        for (const [path, text] of leaves) {
          const original = english.get(path) ?? ''
          // Three quarters longer, and at least 24 characters for short words such as those of a button.
          const most = Math.max(original.length * 1.75, original.length + 24)
          assert.ok(text.length <= most, `${path}: ${text.length} characters, ${most} at most`)
        }
      })
    }
  }

  it('of scripts are all there that scripts ask for, and no script says a sentence of its own', () => {
    const folder = new URL('../pages/assets/', import.meta.url)
    const known = BROWSER_MESSAGES.en as unknown as Record<string, Record<string, unknown>>
    // The reference of the API is English.
    const scripts = readdirSync(folder).filter(
      (name) => name.endsWith('.js') && !/^(try|find|indent)/.test(name),
    )
    for (const name of scripts) {
      const text = readFileSync(new URL(name, folder), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')
      for (const [asked, group = '', key] of text.matchAll(/\bsays\.(\w+)(?:\.(\w+))?/g)) {
        assert.ok(group in known, `${name} asks for ${asked}`)
        if (key !== undefined) assert.ok(key in (known[group] ?? {}), `${name} asks for ${asked}`)
      }
      assert.doesNotMatch(text, /(['"`])[A-Z][a-z]+ [a-z]+ [^'"`\n]*\1/, name)
    }
  })

  it('name every permission that a person can grant, in English as the table of permissions does', () => {
    const abouts = PERMISSION_NAMES.map((name) => [name, permissionRow(name).about])
    assert.deepEqual(BROWSER_MESSAGES.en.permissions, Object.fromEntries(abouts))
  })

  it('hold the values of a sentence as text, and escape them in a page', () => {
    const message: Message<'name' | 'link'> = '{name} & <link>more, {name}</link>'
    const name = '<b>{link}</b>'
    assert.equal(fill('Hello {name}', { name }), 'Hello <b>{link}</b>')
    const link = (part: { markup: string }) => fillHtml('{part}', { part: `[${part.markup}]` })
    assert.equal(
      fillHtml(message, { name, link }).markup,
      '&lt;b&gt;{link}&lt;/b&gt; &amp; [more, &amp;lt;b&amp;gt;{link}&amp;lt;/b&amp;gt;]',
    )
  })

  it('about a number take the form of their language', () => {
    const days = { one: 'one', other: 'other' }
    assert.deepEqual(
      [0, 1, 2].map((count) => forCount('en', days, count)),
      ['other', 'one', 'other'],
    )
    assert.deepEqual(
      [0, 1, 2].map((count) => forCount('fr', days, count)),
      ['one', 'one', 'other'],
    )
    assert.deepEqual(
      [0, 1, 2].map((count) => forCount('ja', { other: 'other' }, count)),
      ['other', 'other', 'other'],
    )
  })
})
