import assert from 'node:assert/strict'
import type { Answer } from './browser.ts'
import type { Person } from './people.ts'
import type { Postern } from './postern.ts'
import { until } from './waits.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export type Shown = Record<string, any>

/** The doors of agents, for one caller. */
export interface AgentCalls {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** A new agent's id. */
  agent(fields?: object): Promise<string>
  conversation(): Promise<string>
  /** Starts a run. @returns it as it was accepted */
  run(agentId: string, input: string, more?: object): Promise<{ id: string; [member: string]: unknown }>
  /** The run when it has ended. */
  ended(runId: string): Promise<Shown>
  /** The run when it is in a status. */
  becomes(runId: string, ...statuses: string[]): Promise<Shown>
  steps(runId: string): Promise<Shown[]>
}

export function agentCalls(postern: Pick<Postern, 'client'>, { token }: Pick<Person, 'token'>): AgentCalls {
  const client = postern.client()
  const calls: AgentCalls = {
    get: (path) => client.get(path, { token }),
    post: (path, body = {}, headers = {}) => client.post(path, body, { token, headers }),
    patch: (path, body) => client.patch(path, body, { token }),
    delete: (path) => client.delete(path, { token }),
    async agent(fields = {}) {
      const answer = await calls.post('/v1/agents', { name: 'Helper', ...fields })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    async conversation() {
      const answer = await calls.post('/v1/conversations')
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    },
    async run(agentId, input, more = {}) {
      const answer = await calls.post(`/v1/agents/${agentId}/runs`, { input, ...more })
      assert.equal(answer.status, 202, answer.text)
      return answer.body
    },
    ended: (runId) => calls.becomes(runId, 'succeeded', 'failed', 'cancelled'),
    async becomes(runId, ...statuses) {
      const { body } = await until(
        () => calls.get(`/v1/runs/${runId}`),
        ({ body }) => statuses.includes(body.status),
        { what: `a run to be ${statuses.join(' or ')}` },
      )
      return body
    },
    async steps(runId) {
      return (await calls.get(`/v1/runs/${runId}/steps?limit=100`)).body.data
    },
  }
  return calls
}
