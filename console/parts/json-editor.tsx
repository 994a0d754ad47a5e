import { useId, useRef } from 'preact/hooks'
import type { Fault } from './json-place.ts'

const FEWEST = 8
const MOST = 28

/** A field for JSON with numbered lines. An error is shown at its line. */
export function JsonEditor({
  label,
  value,
  onChange,
  faults = [],
}: {
  label: string
  value: string
  onChange: (text: string) => void
  faults?: readonly Fault[]
}) {
  const id = useId()
  const gutter = useRef<HTMLPreElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const lines = value.split('\n').length
  const wrong = new Set(faults.map(({ line }) => line))
  const goTo = ({ line, column }: Fault) => {
    const start =
      value
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length +
      (line > 1 ? 1 : 0) +
      column -
      1
    area.current?.focus()
    area.current?.setSelectionRange(start, start)
  }
  return (
    <div class="editor-whole">
      <div class="editor">
        <pre class="editor-gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            <span key={at} class={wrong.has(at + 1) ? 'editor-wrong' : undefined}>
              {at + 1}
              {'\n'}
            </span>
          ))}
        </pre>
        <textarea
          ref={area}
          class="editor-text mono"
          aria-label={label}
          aria-invalid={faults.length > 0 || undefined}
          aria-describedby={faults.length > 0 ? id : undefined}
          rows={Math.max(FEWEST, Math.min(lines + 1, MOST))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop
          }}
        />
      </div>
      <ul id={id} class="editor-faults small" aria-live="polite">
        {faults.map((fault) => (
          <li key={`${fault.line} ${fault.words}`}>
            <button type="button" class="editor-place" onClick={() => goTo(fault)}>
              Line {fault.line}
            </button>
            : {fault.words}
          </li>
        ))}
      </ul>
    </div>
  )
}
