import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { readBlocks } from './blocks.ts'
import { readInline } from './inline.ts'
import type { Align, Block, Inline, TopBlock } from './kinds.ts'

/** Characters that are read as Markdown; the rest of a longer text is shown as plain text. */
const LONGEST = 100_000

/**
 * Untrusted Markdown as elements: without HTML, without anything that loads from elsewhere, with links to the web and to mailboxes only.
 * A block with the same lines is not drawn again, so that a text does not move while it is being written.
 * @param above the level of the heading that it stands under
 */
export function Markdown({ text, above }: { text: string; above: number }) {
  const end = text.length <= LONGEST ? text.length : text.lastIndexOf('\n', LONGEST) + 1 || LONGEST
  const blocks = readBlocks(text.slice(0, end), above, { steps: 0 })
  return (
    <div class="stack markdown">
      {blocks.map((one, index) => (
        <Top key={index} of={one} />
      ))}
      {end < text.length && <div class="work-text">{text.slice(end)}</div>}
    </div>
  )
}

function Top({ of: { raw, above, block } }: { of: TopBlock }) {
  return useMemo(() => <Shown block={block} />, [raw, above])
}

function Shown({ block }: { block: Block }): ComponentChildren {
  if (block.kind === 'rule') return <hr />
  if (block.kind === 'paragraph') return <p>{said(block.text)}</p>
  if (block.kind === 'quote') return <blockquote class="stack">{block.blocks.map(shown)}</blockquote>
  if (block.kind === 'table') return <Cells of={block} />
  if (block.kind === 'code')
    return (
      <pre class="body body-text" tabIndex={0} aria-label="code">
        {block.text}
      </pre>
    )
  if (block.kind === 'heading') {
    const Heading = `h${block.level}` as 'h3'
    return <Heading>{said(block.text)}</Heading>
  }
  const items = block.items.map((item, index) => <li key={index}>{item.map(shown)}</li>)
  return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
}

const shown = (block: Block, index: number) => <Shown key={index} block={block} />

function Cells({ of: { head, aligns, rows } }: { of: Extract<Block, { kind: 'table' }> }) {
  return (
    <div class="markdown-table" role="group" aria-label="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <Cell key={index} as={cell === '' ? 'td' : 'th'} text={cell} align={aligns[index]} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <Cell key={column} as="td" text={cell} align={aligns[column]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ as: Name, text, align }: { as: 'th' | 'td'; text: string; align: Align }) {
  return (
    <Name class={align === 'right' || align === 'center' ? `markdown-${align}` : undefined}>
      {said(text)}
    </Name>
  )
}

const said = (text: string) => readInline(text, { steps: 0 }).map(toElement)

const ELEMENTS = { emphasis: 'em', strong: 'strong', deleted: 'del' } as const

function toElement(piece: Inline, index: number): ComponentChildren {
  if (typeof piece === 'string') return piece
  if (piece.kind === 'code') return <code key={index}>{piece.text}</code>
  if (piece.kind === 'link') return <Link key={index} of={piece} />
  const Name = ELEMENTS[piece.kind]
  return <Name key={index}>{piece.inner.map(toElement)}</Name>
}

/** A link that shows where it leads when its words name another place. */
function Link({ of: { href, inner } }: { of: Extract<Inline, { kind: 'link' }> }) {
  const { host } = new URL(href)
  const words = wordsOf(inner)
  return (
    <>
      <a href={href} title={href} target="_blank" rel="noopener noreferrer">
        {inner.map(toElement)}
      </a>
      {host !== '' && /\w\.\w/.test(words) && !words.includes(host) && <span class="quiet"> ({host})</span>}
    </>
  )
}

const wordsOf = (pieces: readonly Inline[]): string =>
  pieces
    .map((piece) =>
      typeof piece === 'string' ? piece : piece.kind === 'code' ? piece.text : wordsOf(piece.inner),
    )
    .join('')
