import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

/** Whose texts people read. */
const SOURCES = [
  'console/**/*.{ts,tsx}',
  'src/pages/*.ts',
  'src/pages/assets/*.js',
  'src/mail/mail-templates.ts',
]

/** A string, a template, or the text of an element. */
const STRING =
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[\w"'}/]>|\})[^<>{}=;]+(?=[<{])/g

/** The texts of a module, without its comments and the names of what it imports. */
const textsOf = (source: string): string[] =>
  (
    source
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/^\s*\/\/.*$/gm, '')
      .replaceAll(/^(?:import|export)\b[^'\n]*(?:\n[^'\n]*)*?from '[^']+'$/gm, '')
      .match(STRING) ?? []
  ).map((text) => text.replaceAll(/^['"`\s]+|['"`\s]+$/g, '').replaceAll(/\s+/g, ' '))

/** The second column of the table: phrases, and labels, which stand in quotes. */
const rows = [...readFileSync('console/README.md', 'utf8').matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)]
const table = rows.slice(rows.findIndex(([, old]) => old === 'Not') + 1)
const old = table.flatMap(([, cell = '']) => cell.split(', '))
const labels = old.filter((word) => word.startsWith('"')).map((word) => word.slice(1, -1))
const phrases = old.filter((word) => !word.startsWith('"'))
const escaped = phrases.map((phrase) =>
  phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+'),
)
const PHRASE = new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?![\\w-])`, 'i')

const wrongOf = (texts: string[]) => texts.filter((text) => labels.includes(text) || PHRASE.test(text))

describe('the words of what people read', () => {
  it('are found in the table and in the sources', () => {
    assert.ok(phrases.length >= 30 && labels.length >= 6)
    const example = `/* Whoever */ const a = <p>It goes on\n when ready</p>; title="Facts"; label: 'Made'; 'Retry'`
    assert.deepEqual(wrongOf(textsOf(example)), ['It goes on when ready', 'Facts', 'Made'])
  })

  it('are the words of other products, in the console, the pages and the mails', () => {
    const files = SOURCES.flatMap((pattern) => globSync(pattern)).filter((file) => !file.includes('.test.'))
    assert.ok(files.length > 150)
    const texts = files.flatMap((file) =>
      wrongOf(textsOf(readFileSync(file, 'utf8'))).map((text) => `${file}: ${text.slice(0, 120)}`),
    )
    assert.deepEqual(texts, [])
  })

  it('are the words of other products, in the README', () => {
    const prose = readFileSync('README.md', 'utf8').replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')
    assert.deepEqual(wrongOf(prose.split(/(?<=[.:|])\s+/)), [])
  })
})
