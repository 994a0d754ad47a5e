import { useRef, useState } from 'preact/hooks'
import { type Failure, toFailure } from './failure.ts'

/** An action of a person, from the press to the answer. */
export interface Action<Arguments extends unknown[], Result> {
  /** Runs the action, one run at a time. @returns its result; undefined after a failure */
  run: (...given: Arguments) => Promise<Result | undefined>
  isBusy: boolean
  failure: Failure | undefined
  clear: () => void
}

/** Follows what a button does: it is busy until the answer is there, and a failure is kept to be shown beside it. */
export function useAction<Arguments extends unknown[], Result>(
  work: (...given: Arguments) => Promise<Result>,
): Action<Arguments, Result> {
  const [state, setState] = useState<{ isBusy: boolean; failure: Failure | undefined }>({
    isBusy: false,
    failure: undefined,
  })
  const isBusy = useRef(false)
  const run = async (...given: Arguments) => {
    if (isBusy.current) return undefined
    isBusy.current = true
    setState({ isBusy: true, failure: undefined })
    try {
      const result = await work(...given)
      setState({ isBusy: false, failure: undefined })
      return result
    } catch (thrown) {
      setState({ isBusy: false, failure: toFailure(thrown) })
      return undefined
    } finally {
      isBusy.current = false
    }
  }
  return { run, ...state, clear: () => setState({ isBusy: false, failure: undefined }) }
}
