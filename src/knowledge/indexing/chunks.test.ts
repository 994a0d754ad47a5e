import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { piecesOfText } from './chunks.ts'

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

  it('have headings that are cut to a length, and not within a character', () => {
    assert.deepEqual(headings(`# ${'a'.repeat(199)}\u{1f600}`), ['a'.repeat(199)])
  })

  it('take no longer than the text is long, whatever its lines are made of', () => {
    const began = performance.now()
    for (const line of [`${'#'.repeat(60_000)}x`, `${' #'.repeat(30_000)}x`, `${' '.repeat(60_000)}x`])
      headings(`# ${line}`)
    // In a second for each of the three where it took the square of it.
    assert.ok(performance.now() - began < 3_000, `it took ${performance.now() - began} ms`)
  })
})
