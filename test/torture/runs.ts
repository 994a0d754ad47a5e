import { pause, SECOND, stopwatch } from '#src/core/clock.ts'
import { createInsisting } from './insisting.ts'
import { PAYS } from './run-script.ts'
import type { Stand } from './stand.ts'

/** Runs that were acknowledged. */
export interface Runs {
  started: string[]
  /** Unexpected answers. */
  strange: string[]
  /** Starts no more; resolves when every call that waits for a person has been decided about. */
  stop(): Promise<void>
}

const SENDERS = 3
const CONVERSATIONS = 2
/** Between two starts of a sender. */
const PAUSE = 100
const LOOK_EVERY = 100
/** A run that has not ended after this time is stuck. On PostgreSQL each kill may cost a lease. */
const PATIENCE = 300 * SECOND

/** Starts runs, some of them in conversations, and approves what some of them wait for. */
export function startRuns({ key }: Pick<Stand, 'key'>, urls: string[], agentId: string): Runs {
  const runs: Omit<Runs, 'stop'> = { started: [], strange: [] }
  const insist = createInsisting(key, urls, runs.strange)
  const deciding: Promise<void>[] = []
  let [isOver, made] = [false, 0]

  async function read(path: string): Promise<Record<string, unknown> | undefined> {
    for (const url of urls) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).catch(() => {})
      const text = (await answer?.text().catch(() => '')) ?? ''
      if (answer?.status === 200 && text !== '') return JSON.parse(text)
    }
    return undefined
  }

  /** Approves every call of the run until the run has ended. */
  async function decide(id: string): Promise<void> {
    const elapsed = stopwatch()
    while (elapsed() < PATIENCE) {
      const run = await read(`/v1/runs/${id}`)
      if (run?.endedAt) return
      if (run?.status === 'waiting') {
        const steps = (await read(`/v1/runs/${id}/steps?limit=100`)) as { data: Step[] } | undefined
        const open = steps?.data.find(({ kind, status }) => kind === 'approval' && status === 'started')
        if (open !== undefined) await approve(`/v1/runs/${id}/approvals/${open.id}`)
      }
      await pause(LOOK_EVERY)
    }
    runs.strange.push(`run ${id}, in which a person is asked, has not ended`)
  }

  /** Repeats a decision without an answer. A decision that is recorded already is refused. */
  async function approve(path: string): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ decision: 'approve' })
    for (const url of urls) {
      const answer = await fetch(url + path, { method: 'POST', headers, body }).catch(() => undefined)
      const text = (await answer?.text().catch(() => '')) ?? ''
      if (answer?.ok || text.includes('"DUPLICATE"')) return
    }
  }

  async function send(conversations: string[]): Promise<void> {
    while (!isOver) {
      made += 1
      const number = made
      const asks = number % 5 === 2
      const conversationId = number % 4 === 1 ? conversations[number % conversations.length] : undefined
      const id = await insist(`/v1/agents/${agentId}/runs`, `run-${number}`, {
        input: `${number} ${asks ? PAYS : 'act'}`,
        ...(conversationId === undefined ? {} : { conversationId }),
      })
      if (id === '') return
      runs.started.push(id)
      if (asks) deciding.push(decide(id))
      await pause(PAUSE)
    }
  }

  async function begin(): Promise<void> {
    const names = Array.from({ length: CONVERSATIONS }, (_, index) => `conversation-${index}`)
    const conversations = await Promise.all(names.map((name) => insist('/v1/conversations', name, {})))
    await Promise.all(Array.from({ length: SENDERS }, () => send(conversations)))
  }

  const sending = begin()
  return {
    ...runs,
    async stop() {
      isOver = true
      await sending
      await Promise.all(deciding)
    },
  }
}

interface Step {
  id: string
  kind: string
  status: string
}
