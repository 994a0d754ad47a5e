import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import { readBlocks } from '../../../console/parts/markdown/blocks.ts'
import { readInline } from '../../../console/parts/markdown/inline.ts'
import type { Block, Counter } from '../../../console/parts/markdown/kinds.ts'
import { Markdown } from '../../../console/parts/markdown/markdown.tsx'

const htmlOf = (text: string) =>
  renderToString(<Markdown text={text} above={2} />)
    .replace(/^<div class="stack markdown">|<\/div>$/g, '')
    .replaceAll(/ (title|target|rel|tabindex|aria-label|role|class)="[^"]*"/g, '')

/** Each construct, as it is written and as it is shown. */
const SHOWN: [string, string][] = [
  ['# One\n### Three\n# One', '<h3>One</h3><h4>Three</h4><h3>One</h3>'],
  ['## Done ##\n#no heading', '<h3>Done</h3><p>#no heading</p>'],
  ['a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
  [
    '*a* _b_ **c** __d__ ***e*** ~~f~~',
    '<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del></p>',
  ],
  ['*a **b** c* **d*e*f**', '<p><em>a <strong>b</strong> c</em> <strong>d<em>e</em>f</strong></p>'],
  ['snake_case_name 2 * 3 * 4 \\*a\\* **open', '<p>snake_case_name 2 * 3 * 4 *a* **open</p>'],
  ['`a*b*` ``c`d`` `open', '<p><code>a*b*</code> <code>c`d</code> `open</p>'],
  ['```js\n<b>*x*</b>\n```\nb', '<pre>&lt;b>*x*&lt;/b></pre><p>b</p>'],
  ['~~~\na\n\n# b', '<pre>a\n\n# b</pre>'],
  ['a\n\n    code', '<p>a</p><pre>code</pre>'],
  [
    '- a\n- b\n  - c\n\n    d\n- e',
    '<ul><li><p>a</p></li><li><p>b</p><ul><li><p>c</p><p>d</p></li></ul></li><li><p>e</p></li></ul>',
  ],
  ['3. a\n4. b\n  - c', '<ol start="3"><li><p>a</p></li><li><p>b</p><ul><li><p>c</p></li></ul></li></ol>'],
  [
    '1. a\n\n   ```\n   - x\n   ```\n\n2. b',
    '<ol start="1"><li><p>a</p><pre>- x</pre></li><li><p>b</p></li></ol>',
  ],
  ['- a\nb\n\nc', '<ul><li><p>a\nb</p></li></ul><p>c</p>'],
  ['* a\n- b', '<ul><li><p>a</p></li></ul><ul><li><p>b</p></li></ul>'],
  ['In 1999\n1999. was a year', '<p>In 1999\n1999. was a year</p>'],
  ['- [ ] a\n- [x] b', '<ul><li><p>☐ a</p></li><li><p>☑ b</p></li></ul>'],
  ['> a\n> > b\n\nc', '<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>'],
  ['a\n---\n* * *', '<p>a</p><hr/><hr/>'],
  [
    'See\n| a | |\n|---|:-:|\n| `1` | 2 \\| 3 |\nafter',
    '<p>See</p><div><table><thead><tr><th>a</th><td></td></tr></thead><tbody><tr><td><code>1</code></td><td>2 | 3</td></tr></tbody></table></div><p>after</p>',
  ],
  ['a | b\nc', '<p>a | b\nc</p>'],
  ['&lt;b&gt; &amp;amp; &#65;&#x42; &nope; a<br>b', '<p>&lt;b> &amp;amp; AB &amp;nope; a\nb</p>'],
  ['[a *b*](https://x.test/c_d_(e) "t")', '<p><a href="https://x.test/c_d_(e)">a <em>b</em></a></p>'],
  [
    '<https://x.test/> <a@x.test> https://x.test/a_b_c.',
    '<p><a href="https://x.test/">https://x.test/</a> <a href="mailto:a@x.test">a@x.test</a> <a href="https://x.test/a_b_c">https://x.test/a_b_c</a>.</p>',
  ],
  [
    '**https://x.test/** (https://x.test/a)',
    '<p><strong><a href="https://x.test/">https://x.test/</a></strong> (<a href="https://x.test/a">https://x.test/a</a>)</p>',
  ],
  ['![a chart](https://x.test/a.png)', '<p><a href="https://x.test/a.png">a chart</a></p>'],
  ['[![b](https://i.test/)](https://x.test/)', '<p><a href="https://x.test/">b</a></p>'],
  [
    '[a [b](https://x.test/)](https://y.test/)',
    '<p>[a <a href="https://x.test/">b</a>](<a href="https://y.test/">https://y.test/</a>)</p>',
  ],
  [
    '[bank.test](https://evil.test/)',
    '<p><a href="https://evil.test/">bank.test</a><span> (evil.test)</span></p>',
  ],
]

/** Inputs that must stay text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">a</a>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](java\tscript:alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](data:text/html,<script>alert(1)</script>)',
  '[a](vbscript:x)',
  '[a](file:///etc/passwd)',
  '[a](/v1/auth/sign-out)',
  '[a](//evil.test/)',
  '[a](https://user:secret@evil.test/)',
  '<javascript:alert(1)>',
  '![a](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![a](x" onerror="alert(1))',
  '[a]: javascript:alert(1)\n[a]',
]

const SIZE = 30_000
const many = (text: string) => text.repeat(Math.ceil(SIZE / text.length))
const nested = (line: (depth: number) => string) =>
  Array.from({ length: 240 }, (_, depth) => line(depth)).join('')

/** Shapes at which readers of Markdown have been slow. */
const WORST: Record<string, string> = {
  brackets: many('['),
  'brackets that end': many('[') + many(']'),
  'brackets that end one by one': many('[a]'),
  stars: many('*'),
  'stars and letters': many('*a '),
  'stars that open and close': many('*a'),
  'ones and twos': many('**a*'),
  'runs that only close': `${many('_a ')}${many('b* ')}`,
  'runs in a bracket that only close': `[${many('_a ')}${many('b* ')}`,
  'runs between brackets': many('[*a]b* '),
  'deep emphasis': `${'*a '.repeat(SIZE / 8)}${'a* '.repeat(SIZE / 8)}`,
  'deep emphasis again and again': many(`${'*a '.repeat(40)}${'a* '.repeat(40)}`),
  waves: many('~~a'),
  'links that do not end': many('[a]('),
  'links in quotes that do not end': many('[a](<b'),
  'titles that do not end': many('[a](b "'),
  'images that do not end': many('!['),
  'links in links': `${'['.repeat(SIZE / 4)}a${'](https://x.test/)'.repeat(SIZE / 40)}`,
  backticks: many('`'),
  'backticks of every length': Array.from({ length: 240 }, (_, length) => `${'`'.repeat(length)}a`).join(''),
  angles: many('<'),
  'addresses that do not end': many('<http://a'),
  'addresses that are none': many('http://[ '),
  'addresses in one word': many('http://'),
  'mailboxes that do not end': many('<a@'),
  entities: many('&#'),
  backslashes: many('\\'),
  quotes: many('>'),
  'quotes that deepen': nested((depth) => `${'>'.repeat(depth)}a\n`),
  'lists in one line': many('- '),
  'numbers in one line': many('1. '),
  'lists that deepen': nested((depth) => `${' '.repeat(depth)}- a\n`),
  'lists that deepen by two': nested((depth) => `${'  '.repeat(depth / 2)}- a\n\n`),
  'lists and quotes': many('- > '),
  items: many('- a\n'),
  'items that are lazy': many('- a\nb\n'),
  'items between blank lines': many('- a\n\n\n'),
  'fences that do not end': many('- ```\n'),
  fences: many('```\n'),
  'fences in quotes': many('> ```\n> a\nb\n'),
  bars: many('|'),
  'bars in lines': many('|\n'),
  'heads of tables': many('a|b\n-|-\n'),
  'one wide table': `${'|'.repeat(SIZE / 2)}\n${'|-'.repeat(SIZE / 4)}`,
  rules: many('* * * a\n'),
  headings: many('# '),
  lines: many('a\n'),
  blanks: many(' '),
  'blank lines': many('\n'),
}

function cost(text: string): { steps: number; depth: number; said: number } {
  const counter: Counter = { steps: 0 }
  const sum = { steps: 0, depth: 0, said: 0 }
  const say = (said: string) => {
    sum.said += said.length
    readInline(said, counter)
  }
  const visit = (block: Block, depth: number): void => {
    sum.depth = Math.max(sum.depth, depth)
    if (block.kind === 'list') for (const item of block.items) for (const one of item) visit(one, depth + 1)
    else if (block.kind === 'quote') for (const one of block.blocks) visit(one, depth + 1)
    else if (block.kind === 'table') for (const cell of [block.head, ...block.rows].flat()) say(cell)
    else if ('text' in block) say(block.text)
  }
  for (const { block } of readBlocks(text, 2, counter)) visit(block, 0)
  return { ...sum, steps: counter.steps }
}

describe('the Markdown of an answer', () => {
  it('is shown as what it means', () => {
    for (const [written, expected] of SHOWN) assert.equal(htmlOf(written), expected, written)
  })

  it('has links that open elsewhere and tell nothing of here', () => {
    const shown = renderToString(<Markdown text="[a](https://x.test/b)" above={2} />)
    assert.match(
      shown,
      /<a href="https:\/\/x\.test\/b" title="https:\/\/x\.test\/b" target="_blank" rel="noopener noreferrer">a<\/a>/,
    )
  })

  it('stays text where it is markup, or leads anywhere but to the web or a mailbox', () => {
    for (const written of HOSTILE) {
      const shown = htmlOf(written)
      assert.doesNotMatch(
        shown.replaceAll(/<\/?p>/g, ''),
        /<(?!a href="https?:\/\/)/,
        `${written} became ${shown}`,
      )
      assert.doesNotMatch(shown, /<a |<img|<script/, `${written} became ${shown}`)
    }
  })

  it('keeps each block as it was while the text goes on', () => {
    const text = '# Prices\n\nOne *costs* ten.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe end.'
    const whole = readBlocks(text, 2, { steps: 0 })
    for (let length = 1; length <= text.length; length += 1) {
      const blocks = readBlocks(text.slice(0, length), 2, { steps: 0 })
      // The last one is being written.
      assert.deepEqual(blocks.slice(0, -1), whole.slice(0, blocks.length - 1), text.slice(0, length))
    }
  })

  it('costs steps by its length only, whatever its shape', () => {
    for (const [shape, text] of Object.entries(WORST)) {
      const { steps, depth } = cost(text)
      assert.ok(steps <= 32 * text.length, `${shape}: ${(steps / text.length).toFixed(1)} steps a character`)
      assert.ok(depth <= 9, `${shape}: ${depth} deep`)
    }
  })

  it('is drawn whatever its shape, and what is very long is shown as it is written', () => {
    for (const [shape, text] of Object.entries(WORST))
      assert.match(htmlOf(`${text.slice(0, 20_000)}\n\nend`), /end<\/p>|end<\/pre>/, shape)
    const shown = htmlOf(`*a*\n${'b\n'.repeat(500_000)}*c*`)
    assert.ok(shown.startsWith('<p><em>a</em>'))
    assert.ok(shown.endsWith('*c*</div>'))
  })
})
