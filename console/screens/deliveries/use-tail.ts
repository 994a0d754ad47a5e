import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryItem } from '#sdk/postern.ts'
import { every } from '../../app/clock.ts'
import { amend, outdate } from '../../app/data/cache.ts'
import type { Rows } from '../../app/data/list.ts'
import { useLive } from '../../app/data/live.ts'

/** Milliseconds between two drawings: rows that arrive in between are added together. */
const PACE = 250
/** Rows that a live list keeps. */
const MOST = 200
/** When more than `RUSH` rows arrive between two drawings, only a screenful is kept, which can be drawn within one frame. */
const [RUSH, MOST_IN_RUSH] = [25, 25]

export interface Tail {
  isOn: boolean
  switchOn: (on: boolean) => void
  /** Deliveries that arrived since the list was paused. */
  waiting: number
  /** Deliveries in the last second. */
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

/** The rows with the changes of the stream: newest first, as the API lists them. */
export function merge(
  before: Rows<DeliveryItem>,
  items: DeliveryItem[],
  belongs: (item: DeliveryItem) => boolean,
): Rows<DeliveryItem> {
  const changed = new Map(items.map((item) => [item.id, item]))
  const kept = before.rows.map((row) => changed.get(row.id) ?? row)
  // The rows are not the first page: newer ones are read when the person goes back to them.
  if (before.before?.length) return { ...before, rows: kept }
  const known = new Set(before.rows.map(({ id }) => id))
  const first = before.rows[0]?.id ?? ''
  // A changed delivery that is older than the shown rows belongs further down.
  const fresh = items.filter((item) => !known.has(item.id) && belongs(item) && item.id > first)
  const rows = [...fresh.sort((a, b) => (a.id < b.id ? 1 : -1)), ...kept]
  const most = fresh.length > RUSH ? MOST_IN_RUSH : Math.max(MOST, before.rows.length)
  if (rows.length <= most) return { ...before, rows }
  // No cursor leads on from a cut list, so that "Show more" reads it from the start.
  return { rows: rows.slice(0, most), nextCursor: null, isCut: true }
}
