import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cpuStopwatch } from '../../core/clock.ts'
import type { Piece } from '../deps.ts'
import { CHUNK_LENGTH, chunksOf, OVERLAP, piecesOfText } from './chunks.ts'

const cut = (pieces: Piece[]) => [...chunksOf(pieces)].filter((chunk) => chunk !== undefined)
const texts = (text: string) => cut([{ text, location: {} }]).map((chunk) => chunk.text)
const sentence = (index: number) => `Sentence number ${index} says something of its own.`

it('ends chunks at a paragraph, else at a sentence, a line or a word', () => {
  const paragraphs = Array.from({ length: 10 }, (_, index) => `${index} ${'x'.repeat(298)}`)
  for (const text of texts(paragraphs.join('\n\n')).slice(0, -1)) assert.match(text, /x{298}$/)
  for (const text of texts(Array.from({ length: 200 }, (_, index) => sentence(index)).join(' ')).slice(0, -1))
    assert.match(text, /own\.$/)
  for (const text of texts('word '.repeat(2_000)).slice(0, -1)) assert.match(text, /word$/)
})

it('repeats the end of a chunk at the beginning of the next, from a word on', () => {
  const [first = '', second = ''] = texts(
    Array.from({ length: 100 }, (_, index) => sentence(index)).join(' '),
  )
  const shared = second.slice(0, 100)
  assert.ok(first.includes(shared))
  assert.ok(first.length - first.indexOf(shared) <= OVERLAP)
})

it('goes across no place, and joins what is of one', () => {
  const location = { sheet: 'One' }
  assert.deepEqual(
    cut([
      { text: 'a, ', location },
      { text: 'b', location: { sheet: 'One' } },
      { text: 'c', location: { sheet: 'Two' } },
    ]),
    [
      { text: 'a, b', location },
      { text: 'c', location: { sheet: 'Two' } },
    ],
  )
})

it('tells the heading of Markdown that a text stands below', () => {
  const chunks = cut([...piecesOfText('before\n# One #\nfirst\n\n## Two\nsecond')])
  assert.deepEqual(
    chunks.map(({ text, location }) => [text, location.heading]),
    [
      ['before', undefined],
      ['# One #\nfirst', 'One'],
      ['## Two\nsecond', 'Two'],
    ],
  )
})

/** Texts without repetitions. */
const LONG = Array.from({ length: 900 }, (_, index) => index.toString(36)).join('')
const SIGNS = String.fromCodePoint(...Array.from({ length: 900 }, (_, index) => 0x4e00 + index))

it('cuts any text into chunks that are short, whole characters, and hold all of it', () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom('word ', 'Ende. ', '\n\n', '\n', '😀', '\u200d', ' '.repeat(3_000), LONG, SIGNS),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.join('')
      let from = 0
      for (const chunk of texts(whole)) {
        assert.ok(chunk.length <= CHUNK_LENGTH && chunk !== '')
        assert.ok(chunk.isWellFormed() || !whole.isWellFormed())
        // The first of several positions that is after the earlier chunks.
        let at = whole.indexOf(chunk, Math.max(0, from - OVERLAP - 1))
        while (at >= 0 && at + chunk.length <= from) at = whole.indexOf(chunk, at + 1)
        assert.ok(at >= 0)
        assert.equal(whole.slice(from, at).trim(), '', 'something is in no chunk')
        from = Math.max(from, at + chunk.length)
      }
      assert.equal(whole.slice(from).trim(), '')
    }),
    { numRuns: 200 },
  )
})

it('takes 32 million characters, of words or of blanks, one step at a time', () => {
  for (const text of ['lorem ipsum dolor. '.repeat(1_700_000), ' '.repeat(32 << 20)]) {
    let steps = 0
    for (const _ of chunksOf([{ text, location: {} }])) steps += 1
    assert.ok(steps > 20_000)
  }
})

describe('a text as pieces', () => {
  const headings = (text: string) => [...piecesOfText(text)].map(({ location }) => location.heading)

  it('are what stands below each heading, without the signs around it', () => {
    assert.deepEqual(headings('zero\n# One #\none\n  ### Two  \r\ntwo\n#none\n# #\n'), [
      undefined,
      'One',
      'Two',
      undefined,
    ])
  })

  it('have no headings within code, and have them after it', () => {
    const text = '# One\n```sh\n# a comment\n~~~\n```\n# Two\n~~~~\n# another\n~~~\n# still\n~~~~\n# Three\n'
    assert.deepEqual(headings(text), ['One', 'Two', 'Three'])
  })

  it('have headings that are cut to a length, and not within a character', () => {
    assert.deepEqual(headings(`# ${'a'.repeat(199)}\u{1f600}`), ['a'.repeat(199)])
  })

  it('take no longer than the text is long, whatever its lines are made of', () => {
    const computed = cpuStopwatch()
    for (const line of [
      `${'#'.repeat(60_000)}x`,
      `${'`'.repeat(60_000)}x`,
      `${' #'.repeat(30_000)}x`,
      `${' '.repeat(60_000)}x`,
    ])
      headings(`# ${line}`)
    // With quadratic time each of the three would take a second.
    const took = computed()
    assert.ok(took < 3_000, `it took ${took} ms`)
  })
})
