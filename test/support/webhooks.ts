import assert from 'node:assert/strict'
import { after } from 'node:test'
import { administrator, apiKey, type Person } from './people.ts'
import { endBefore, type Postern } from './postern.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { until as waitUntil } from './waits.ts'

export const RUN = {
  agentId: 'agent_1',
  runId: 'run_1',
  status: 'succeeded',
  durationMs: 12,
  output: 'Done ✓',
}

/** An organization that sends webhooks, with the calls that most tests make. */
export interface Sender {
  postern: Postern
  admin: Person
  key: string
  /** A real receiver, stopped after the suite. */
  receiver(): Promise<Receiver>
  register(url: string, more?: object): Promise<{ id: string; secret: string }>
  publish(data?: object): Promise<{ id: string; deliveries: number }>
  /** The newest delivery of a webhook with its attempts, once `until` holds for it. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  delivery(webhookId: string, until: (delivery: any) => boolean): Promise<any>
}

/** As `Sender`, once a suite. */
export function useSender(server: () => Promise<Postern>): () => Promise<Sender> {
  const receivers: Receiver[] = []
  let made: Promise<Sender> | undefined
  const endReceivers = () => Promise.all(receivers.splice(0).map((receiver) => receiver.stop()))
  after(endReceivers)

  async function make(): Promise<Sender> {
    const postern = await server()
    endBefore(postern, endReceivers)
    const admin = await administrator(postern)
    const key = await apiKey(postern, admin)
    const sender: Sender = {
      postern,
      admin,
      key,
      async receiver() {
        const started = await startReceiver()
        receivers.push(started)
        return started
      },
      async register(url, more = {}) {
        const body = { url, events: ['agent.run.completed'], ...more }
        const answer = await postern.client().post('/v1/webhooks', body, { token: key })
        assert.equal(answer.status, 201, answer.text)
        return answer.body
      },
      async publish(data = RUN) {
        const answer = await postern
          .client()
          .post('/v1/events', { type: 'agent.run.completed', data }, { token: key })
        assert.equal(answer.status, 202, answer.text)
        return answer.body
      },
      async delivery(webhookId, until) {
        const client = postern.client()
        const newest = async () =>
          (await client.get(`/v1/webhooks/${webhookId}/deliveries`, { token: key })).body.data[0]
        const row = await waitUntil(newest, (found) => found !== undefined && until(found), {
          what: `a delivery of which ${until}`,
        })
        return (await client.get(`/v1/deliveries/${row.id}`, { token: key })).body
      },
    }
    return sender
  }

  return () => {
    made ??= make()
    return made
  }
}
