import { useEffect, useState } from 'preact/hooks'
import type { Run, Step } from '#sdk/postern.ts'
import { announce } from '../../app/announcer.ts'
import { type Data, outdate, useData } from '../../app/data/cache.ts'
import { type Failure, toFailure } from '../../app/data/failure.ts'
import { postern } from '../../app/data/postern.ts'

/** A step as it is known: of one under way not everything yet. */
export type Known = Pick<Step, 'id' | 'seq' | 'kind' | 'name' | 'status'> & Partial<Step>

export interface Followed extends Data<Run> {
  steps: Known[]
  /** The text that the model is writing. */
  said: string
  /** Whether its events cannot be had; its steps are read then. */
  broken: Failure | undefined
}

/**
 * A run with its steps, live by its own stream, which comes back where it was. Of `undefined` there is nothing.
 * @param times how often it was resumed here: its stream has ended with its failure
 */
export function useRun(id: string | undefined, times = 0): Followed {
  const run = useData(id === undefined ? undefined : `run ${id}`, (how) => postern.runs.read(id ?? '', how))
  const [steps, setSteps] = useState<Known[]>([])
  const [said, setSaid] = useState('')
  const [broken, setBroken] = useState<Failure | undefined>()
  useEffect(() => {
    if (id === undefined) return
    const leaving = new AbortController()
    setSteps([])
    setSaid('')
    setBroken(undefined)
    const place = (step: Known) =>
      setSteps((before) =>
        [...before.filter(({ seq }) => seq !== step.seq), step].sort((a, b) => a.seq - b.seq),
      )
    const follow = async () => {
      for await (const { event, data } of postern.runs.stream(id, { signal: leaving.signal })) {
        if (event === 'run.output.delta') setSaid((before) => before + String(data.text))
        else if (event === 'run.output.snapshot') setSaid(String(data.text))
        else if (event === 'run.step.completed') place(data.step)
        else if (event === 'run.step.started' || event === 'run.approval.required') {
          place({ ...data, id: data.stepId, status: 'started' })
          // The text of a step stays until the next one begins: after the last step it is the answer of the run.
          setSaid('')
        }
        if (!/^run\.(output|step\.started|queued)/.test(event)) outdate(`run ${id}`)
        if (/^run\.(succeeded|failed|cancelled)$/.test(event)) announce(`The run has ${event.slice(4)}`)
      }
    }
    follow().catch(async (thrown) => {
      if (leaving.signal.aborted) return
      setBroken(toFailure(thrown))
      const read = await postern.runs
        .steps(id, { limit: 100 })
        .page()
        .catch(() => undefined)
      setSteps(read?.data ?? [])
    })
    return () => leaving.abort()
  }, [id, times])
  return { ...run, steps, said, broken }
}
