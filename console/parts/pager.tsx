import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announcer.ts'
import type { Listed } from '../app/data/list.ts'
import { count } from '../app/words.ts'
import { Button } from './button.tsx'

/** The word for rows, for one and for several. */
export type Noun = [one: string, several: string]

/** Which rows are shown, and those after and before them. */
export function Pager<Row>({ list, noun }: { list: Listed<Row>; noun: Noun }) {
  const { rows, offset, hasMore, isReadingMore } = list
  const words = wordsOf(list, noun)
  const foot = useRef<HTMLElement>(null)
  const turn = useTurn(words, isReadingMore, foot)
  if (rows.length === 0 && offset === 0) return null
  const button = (label: string, read: () => Promise<void>) => (
    <Button small busy={isReadingMore} onPress={() => turn(read)}>
      {label}
    </Button>
  )
  return (
    <footer class="pager small" ref={foot} tabIndex={-1}>
      <span class="quiet">{words}</span>
      <span class="row">
        {offset > 0 && button('Back to the start', () => list.earlier(true))}
        {offset > 0 && button('Show previous', () => list.earlier())}
        {hasMore && button('Show more', list.more)}
      </span>
    </footer>
  )
}

export function wordsOf({ rows, offset, hasMore }: Listed<unknown>, noun: Noun): string {
  if (offset > 0) return `${noun[1]} ${offset + 1} to ${offset + rows.length}`
  return `${count(rows.length, ...noun)}${hasMore ? ' shown' : ''}`
}

/**
 * Reads another page without moving the rows on the screen, and says the range of rows to screen readers. When the pressed button
 * disappears, the focus moves to its neighbour.
 */
export function useTurn(
  words: string,
  isReading: boolean,
  foot?: { current: HTMLElement | null },
): (read: () => Promise<void>) => void {
  const held = useRef<{ row: Element; top: number } | undefined>(undefined)
  const isSaid = useRef(true)
  useLayoutEffect(() => {
    const { row, top } = held.current ?? {}
    if (row?.isConnected && top !== undefined) scrollBy(0, row.getBoundingClientRect().top - top)
    held.current = undefined
  }, [words])
  useEffect(() => {
    if (isReading || isSaid.current) return
    isSaid.current = true
    announce(words)
    if (document.activeElement !== document.body) return
    const place = foot?.current
    ;([...(place?.querySelectorAll('button') ?? [])].at(-1) ?? place)?.focus()
  }, [words, isReading])
  return (read) => {
    // A row in the middle of the screen is held in place; rows far from it may leave.
    const row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('tr')
    held.current = row ? { row, top: row.getBoundingClientRect().top } : undefined
    isSaid.current = false
    void read()
  }
}
