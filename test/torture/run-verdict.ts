import type { StubServer } from '../support/mcp-server.ts'
import type { Runs } from './runs.ts'
import type { Stand } from './stand.ts'
import type { Verdict } from './verdict.ts'

interface RunRow {
  id: string
  status: string
  error_reason: string | null
  claim_id: string | null
  job_id: string | null
  conversation_id: string | null
  turn: number | null
  started_at: number | null
  ended_at: number | null
}

interface StepRow {
  id: string
  run_id: string
  kind: string
  name: string
  status: string
  tries: number
  reservation: string | null
  credits: number
}

const MOST_TRIES = 5

/** Compares the acknowledged runs with their rows, and with the calls that the tools recorded. */
export async function judgeRuns(
  { store }: Stand,
  { started, strange }: Runs,
  mcp: StubServer,
): Promise<Verdict> {
  const runs = await store.query<RunRow>(
    `select id, status, error_reason, claim_id, job_id, conversation_id, cast(turn as integer) as turn,
      started_at, ended_at from run`,
  )
  const steps = await store.query<StepRow>(
    `select id, run_id, kind, name, status, cast(tries as integer) as tries, reservation,
      cast(credits as integer) as credits from step`,
  )
  const told = await store.query<{ body: Uint8Array }>('select body from event')
  const paid = await store.query<{ reference: string; amount: number }>(
    `select reference, cast(-sum(cycle_amount + purchased_amount) as integer) as amount from ledger_entry
      where kind = 'debit' and action = 'run.step' group by reference`,
  )
  const held = await store.query("select id from reservation where status = 'held'")
  const calls = callsOf(mcp)
  const ends = endsOf(told)
  const debits = new Map(paid.map(({ reference, amount }) => [reference, Number(amount)]))
  const known = new Set(runs.map(({ id }) => id))
  const failures = [
    ...strange,
    ...started.filter((id) => !known.has(id)).map((id) => `run ${id} was acknowledged, and is not there`),
    ...(held.length > 0 ? [`${held.length} amounts of credits are still set aside`] : []),
    ...runs.flatMap((run) => {
      const own = steps.filter(({ run_id }) => run_id === run.id)
      const cost = own.reduce((sum, { credits }) => sum + Number(credits), 0)
      const ended = ends.get(run.id) ?? []
      return [
        ...badlyEnded(run),
        ...(ended.length === 1 && ended[0] === run.status ? [] : [`was told of as ${ended.join(', ')}`]),
        ...(cost === (debits.get(run.id) ?? 0) ? [] : [`cost ${cost}, and ${debits.get(run.id)} was taken`]),
        ...own.flatMap((step) => wrong(step, calls.get(step.id) ?? 0)),
      ].map((what) => `run ${run.id} (${run.status}, ${run.error_reason}) ${what}`)
    }),
    ...outOfTurn(runs),
  ]
  const count = (of: StepRow[], status: string) => of.filter((step) => step.status === status).length
  return {
    failures,
    figures: {
      'runs acknowledged': started.length,
      'runs that succeeded': runs.filter(({ status }) => status === 'succeeded').length,
      'steps, and those begun again': `${steps.length}, ${steps.filter(({ tries }) => tries > 1).length}`,
      'calls of which nobody knows what came': count(steps, 'unknown'),
    },
  }
}

/** How often each step was heard of by the tools. */
function callsOf({ received }: StubServer): Map<string, number> {
  const calls = new Map<string, number>()
  for (const { method, params } of received) {
    if (method !== 'tools/call') continue
    const id = String((params._meta as Record<string, unknown>)['io.postern/stepId'])
    calls.set(id, (calls.get(id) ?? 0) + 1)
  }
  return calls
}

/** The statuses of the end of each run by its events. Events of the load, published by hand, belong to no run here. */
function endsOf(told: { body: Uint8Array }[]): Map<string, string[]> {
  const ends = new Map<string, string[]>()
  for (const { body } of told) {
    const { type, data } = JSON.parse(Buffer.from(body).toString())
    if (type !== 'agent.run.completed') continue
    ends.set(data.runId, [...(ends.get(data.runId) ?? []), data.status])
  }
  return ends
}

function badlyEnded({ status, error_reason, claim_id, job_id }: RunRow): string[] {
  const isEnded = status === 'succeeded' || (status === 'failed' && error_reason === 'crashed_repeatedly')
  if (!isEnded) return ['has not ended as it may']
  return claim_id === null && job_id === null ? [] : ["has ended, and is somebody's"]
}

/** A call that may not be repeated is made once at most. A call with a result was made, and none was made more often than it was begun. */
function wrong({ id, kind, name, status, tries, reservation }: StepRow, calls: number): string[] {
  const found: string[] = []
  const say = (what: string) =>
    found.push(`step ${id} (${name}, ${status}, ${tries} tries, ${calls} calls) ${what}`)
  if (status === 'started') say('is still under way')
  if (reservation !== null) say('still has credits set aside')
  if (tries > MOST_TRIES) say('was begun too often')
  if (kind !== 'tool') return found
  if (calls > (name === 'crm__find' ? tries : 1)) say('was called too often')
  if (status === 'succeeded' && calls === 0) say('was never called')
  return found
}

/** Runs in a conversation take turns. */
function outOfTurn(runs: RunRow[]): string[] {
  const inTurn = runs
    .filter(({ conversation_id, started_at }) => conversation_id !== null && started_at !== null)
    .sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0))
  return inTurn.flatMap((run, index) => {
    const next = inTurn.slice(index + 1).find((one) => one.conversation_id === run.conversation_id)
    return next !== undefined && Number(next.started_at) < Number(run.ended_at)
      ? [`run ${next.id} began before ${run.id} had ended, whose turn it was`]
      : []
  })
}
