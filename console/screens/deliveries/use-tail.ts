import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryItem } from '#sdk/postern.ts'
import { every } from '../../app/clock.ts'
import { amend, outdate } from '../../app/data/cache.ts'
import type { Rows } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'

/** Rows are put in together, so often: hundreds a second are one drawing. */
const PACE = 250
/** A list that goes on by itself keeps so many rows. */
const MOST = 200
/** Where more come at once than anybody reads, it keeps as many as are seen: so much is drawn within one frame. */
const [RUSH, MOST_IN_RUSH] = [25, 25]

export interface Tail {
  isOn: boolean
  switchOn: (on: boolean) => void
  /** How many have come since it was stopped. */
  waiting: number
  /** How many a second have come of late. */
  rate: number
}

/**
 * Has the list under `key` follow the stream: rows that are there change where they stand, others come in above. Stopped, it only
 * counts what waits.
 */
export function useTail(key: string, belongs: (item: DeliveryItem) => boolean): Tail {
  const [isOn, setOn] = useState(true)
  const [waiting, setWaiting] = useState(0)
  const [rate, setRate] = useState(0)
  const come = useRef(new Map<string, DeliveryItem>())
  const seen = useRef(0)
  const since = useRef({ key, belongs, isOn })
  since.current = { key, belongs, isOn }
  useLive(['delivery'], ({ event, data }) => {
    if (event === 'gap') return outdate(since.current.key)
    const item = data as DeliveryItem
    seen.current += 1
    come.current.set(item.id, item)
  })
  useEffect(() => {
    const calls = [
      every(PACE, () => {
        if (come.current.size === 0) return
        const { key, belongs, isOn } = since.current
        const items = [...come.current.values()]
        if (!isOn) return setWaiting(items.filter(belongs).length)
        come.current.clear()
        amend<Rows<DeliveryItem>>(key, (before) => merge(before, items, belongs))
      }),
      every(1_000, () => {
        setRate(seen.current)
        seen.current = 0
      }),
    ]
    return () => {
      for (const end of calls) end()
    }
  }, [])
  useEffect(() => come.current.clear(), [key])
  return {
    isOn,
    switchOn(on) {
      setOn(on)
      if (on) setWaiting(0)
    },
    waiting,
    rate,
  }
}

/** What is known with what has come: newest first, as the API lists them. */
export function merge(
  before: Rows<DeliveryItem>,
  items: DeliveryItem[],
  belongs: (item: DeliveryItem) => boolean,
): Rows<DeliveryItem> {
  const changed = new Map(items.map((item) => [item.id, item]))
  const kept = before.rows.map((row) => changed.get(row.id) ?? row)
  // Above rows further down there are others, which are read when somebody goes there.
  if (before.before?.length) return { ...before, rows: kept }
  const known = new Set(before.rows.map(({ id }) => id))
  const first = before.rows[0]?.id ?? ''
  // An older one that changed stands further below than what is shown.
  const fresh = items.filter((item) => !known.has(item.id) && belongs(item) && item.id > first)
  const rows = [...fresh.sort((a, b) => (a.id < b.id ? 1 : -1)), ...kept]
  const most = fresh.length > RUSH ? MOST_IN_RUSH : Math.max(MOST, before.rows.length)
  if (rows.length <= most) return { ...before, rows }
  // Where the end was cut off there is no page that follows: it is read anew when it is asked for.
  return { rows: rows.slice(0, most), nextCursor: null, isCut: true }
}
