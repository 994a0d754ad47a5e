import { useEffect, useState } from 'preact/hooks'
import type { CallOptions, DocumentTextPart, FileText, StoredFile } from '#sdk/postern.ts'
import { useData } from '../../app/data/cache.ts'
import { postern } from '../../app/data/postern.ts'
import { useAction } from '../../app/data/use-action.ts'
import { number, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'

/** A stretch of the text that stands at one place of the file. */
interface Place {
  title: string | undefined
  text: string
}

/** The text of a file, by its pages, sheets or headings. */
export function Text({ file: { id, status, textChars, processedAt } }: { file: StoredFile }) {
  if (textChars !== null)
    return (
      <PagedText
        name={`file-text ${id} ${processedAt}`}
        label="Text of the file"
        chars={textChars}
        read={(cursor, how) => postern.files.text(id, cursor, how)}
      />
    )
  return (
    <Panel title="Text">
      {status === 'processing' ? (
        <>
          <p class="quiet">The text is being extracted and appears here automatically.</p>
          <progress class="files-reading" aria-label="The text is being extracted" />
        </>
      ) : (
        <p class="quiet">None.</p>
      )}
    </Panel>
  )
}

/** A page of a text, of a file or of a document. */
type TextPage = Pick<FileText, 'text' | 'parts' | 'nextCursor'>

/** A text, page after page, by the places of its parts. */
export function PagedText({
  name,
  label,
  chars,
  read,
}: {
  /** The key of its first page in the cache: another one when the text changes. */
  name: string
  label: string
  chars: number
  read: (cursor: { cursor?: string }, how?: CallOptions) => Promise<TextPage>
}) {
  const { data, failure, refresh } = useData(name, (how) => read({}, how))
  const [more, setMore] = useState<TextPage[]>([])
  const [shown, setShown] = useState('')
  const pages = data === undefined ? [] : [data, ...more]
  const next = pages.at(-1)?.nextCursor ?? null
  const reading = useAction(async () => {
    if (next !== null) setMore([...more, await read({ cursor: next })])
  })
  useEffect(() => setMore([]), [name])
  const places = placesOf(pages)
  const titles = [...new Set(places.flatMap(({ title }) => title ?? []))]
  const chosen = titles.includes(shown) ? places.filter(({ title }) => title === shown) : places
  return (
    <Panel
      title="Text"
      note={`${number(chars)} characters${next === null ? '' : ', the first are shown'}`}
      actions={
        <>
          {titles.length > 1 && (
            <select
              class="files-place"
              aria-label="Show"
              value={titles.includes(shown) ? shown : ''}
              onChange={(event) => setShown(event.currentTarget.value)}
            >
              <option value="">All</option>
              {titles.map((title) => (
                <option key={title}>{title}</option>
              ))}
            </select>
          )}
          <Copy text={chosen.map(({ text }) => text).join('')} what="text" />
        </>
      }
    >
      <Failed failure={failure ?? reading.failure} retry={failure ? refresh : () => void reading.run()} />
      {data === undefined && failure === undefined && <Waiting lines={6} />}
      <div class="files-text" role="region" aria-label={label} tabIndex={0}>
        {chosen.map(({ title, text }, at) => (
          <section key={at}>
            {title && <h3 class="small quiet">{title}</h3>}
            <div class="work-text files-part">{text}</div>
          </section>
        ))}
      </div>
      {next !== null && (
        <Button busy={reading.isBusy} onPress={() => void reading.run()}>
          Show more
        </Button>
      )}
    </Panel>
  )
}

function titleOf({ page, sheet, heading }: DocumentTextPart): string | undefined {
  if (sheet !== undefined) return `Sheet ${textOf(sheet)}`
  const at = page === undefined ? undefined : `Page ${textOf(page)}`
  return [at, heading === undefined ? undefined : textOf(heading)].filter(Boolean).join(' · ') || undefined
}

/** Neighbours of one place are one. */
function placesOf(pages: readonly TextPage[]): Place[] {
  const places: Place[] = []
  for (const { text, parts } of pages) {
    const whole = textOf(text)
    const begins = parts.length === 0 ? [{ offset: 0 }] : parts
    for (const [at, part] of begins.entries()) {
      const own = whole.slice(part.offset, begins[at + 1]?.offset)
      const title = titleOf(part)
      const last = places.at(-1)
      if (last !== undefined && last.title === title) last.text += own
      else places.push({ title, text: own })
    }
  }
  return places
}
