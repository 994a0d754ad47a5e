import { useEffect, useState } from 'preact/hooks'
import type { PublishEventBody, PublishEventTrial } from '#sdk/postern.ts'
import { later } from '../../app/clock.ts'
import { type Failure, toFailure } from '../../app/data/failure.ts'
import { postern } from '../../app/data/postern.ts'

/** The trial is sent after typing has paused this long. */
const STILL = 350

export interface Trial {
  answer: PublishEventTrial | undefined
  failure: Failure | undefined
  isBusy: boolean
}

const NOTHING: Trial = { answer: undefined, failure: undefined, isBusy: false }

/** A dry run of the publication: the receivers of the event or its errors. Nothing is written. */
export function useTrial(type: string, text: string, isReady: boolean): Trial {
  const [trial, setTrial] = useState<Trial>(NOTHING)
  useEffect(() => {
    if (!isReady || type === '') return setTrial(NOTHING)
    const leaving = new AbortController()
    const ask = async () => {
      try {
        const { signal } = leaving
        const answer = await postern.events.publish(bodyOf(type, text), {
          query: { dryRun: true as const },
          signal,
        })
        if (!leaving.signal.aborted) setTrial({ answer, failure: undefined, isBusy: false })
      } catch (thrown) {
        if (!leaving.signal.aborted)
          setTrial({ answer: undefined, failure: toFailure(thrown), isBusy: false })
      }
    }
    setTrial((before) => ({ ...before, isBusy: true }))
    const callOff = later(STILL, () => void ask())
    return () => {
      callOff()
      leaving.abort()
    }
  }, [type, text, isReady])
  return trial
}

interface Exact {
  rawJSON?: (source: string) => number
}

/** The event as it was typed: numbers keep every digit, where the browser can send them so. */
export function bodyOf(type: string, text: string): PublishEventBody {
  const { rawJSON } = JSON as Exact
  const keep = (_name: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && rawJSON !== undefined
      ? rawJSON(context.source)
      : value
  return { type, data: JSON.parse(text, keep) }
}
