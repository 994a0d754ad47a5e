import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { bytes } from '../app/amounts.ts'
import { textOf } from '../app/words.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'

/** Only this many characters of a longer body are shown before a press on "Show all". */
const MOST = 20_000
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g

/** A body as text: JSON with colours, any other body unchanged. Markup in it stays text. */
export function Body({
  text,
  label,
  asStored = false,
}: {
  text: string
  label: string
  /** Whether it is shown raw at first, not indented. */
  asStored?: boolean
}) {
  const [isWhole, setWhole] = useState(false)
  const [isRaw, setRaw] = useState(asStored)
  const pretty = prettyOf(text)
  const all = isRaw || pretty === undefined ? text : pretty
  const shown = isWhole ? all : all.slice(0, MOST)
  return (
    <div class="body">
      <div class="row body-bar small quiet">
        <span>{bytes(new TextEncoder().encode(text).length)}</span>
        <span class="row">
          {pretty !== undefined && pretty !== text && (
            <Button kind="quiet" small pressed={isRaw} onPress={() => setRaw(!isRaw)}>
              Raw
            </Button>
          )}
          <Copy text={text} what={label} />
        </span>
      </div>
      <pre class="body-text" tabIndex={0} aria-label={label}>
        {text === '' ? (
          <span class="quiet">(empty)</span>
        ) : pretty === undefined ? (
          shown
        ) : (
          <Coloured text={shown} />
        )}
      </pre>
      {shown.length < all.length && (
        <div class="body-more">
          <Button small onPress={() => setWhole(true)}>
            Show all
          </Button>
        </div>
      )}
    </div>
  )
}

/** A value of the API's as JSON. */
export function Json({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  return <Body text={JSON.stringify(value, null, 2) ?? textOf(value)} label={label} />
}

/** JSON with indentation, its numbers unchanged; undefined for a text that is no JSON. */
function prettyOf(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return text.replace(
    /("(?:[^"\\]|\\.)*")|\s+|([[{])(\s*[\]}])?|([\]}])|(,)|(:)/g,
    (found, quoted, open, closed, close, comma, colon) => {
      if (quoted !== undefined) return found
      if (open !== undefined) {
        if (closed !== undefined) return open + closed.trim()
        depth += 1
        return open + line()
      }
      if (close !== undefined) {
        depth -= 1
        return line() + close
      }
      if (comma !== undefined) return comma + line()
      return colon === undefined ? '' : ': '
    },
  )
}

function Coloured({ text }: { text: string }) {
  const parts: ComponentChildren[] = []
  let at = 0
  for (const found of text.matchAll(TOKEN)) {
    const [all, quoted, colon] = found
    parts.push(text.slice(at, found.index))
    const kind = quoted === undefined ? 'json-value' : colon === undefined ? 'json-text' : 'json-name'
    parts.push(<span class={kind}>{quoted ?? all}</span>, colon ?? '')
    at = found.index + all.length
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
