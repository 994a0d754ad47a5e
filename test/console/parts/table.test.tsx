import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { render } from 'preact-render-to-string'
import { textOf } from '../../../console/app/words.ts'
import { Table } from '../../../console/parts/table.tsx'

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  { type: 'img', props: { src: 'x' }, __k: null, constructor: undefined },
  ['a', { __html: '<b>' }],
  null,
  '\u202egnp.exe',
  'x'.repeat(4_096),
]

describe('a table', () => {
  it('shows whatever the API says as text', () => {
    const rows = HOSTILE.map((value, at) => ({ id: String(at), value }))
    const html = render(
      <Table
        label="Things"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[{ title: 'Value', cell: ({ value }) => textOf(value) }]}
      />,
    )
    assert.doesNotMatch(html, /<(script|img|b)\b/)
    assert.ok(html.includes('&lt;img src=x onerror=alert(1)>'))
    assert.equal(html.match(/<tr/g)?.length, rows.length + 1)
  })

  it('names its columns in each cell, for when a row is a card', () => {
    const html = render(
      <Table
        label="Things"
        rows={[{ id: 'a' }]}
        keyOf={({ id }) => id}
        columns={[{ title: 'Id', cell: ({ id }) => id }]}
        hrefOf={() => '/console/x'}
      />,
    )
    assert.match(html, /<td[^>]* data-title="Id"/)
    assert.match(html, /<a class="table-link" href="\/console\/x">a<\/a>/)
  })

  it('says what comes there where there is nothing', () => {
    const html = render(
      <Table label="Things" rows={[]} keyOf={() => ''} columns={[]} empty={<p>Nothing yet</p>} />,
    )
    assert.match(html, /Nothing yet/)
  })
})
