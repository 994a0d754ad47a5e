import assert from 'node:assert/strict'
import type { Answer } from './browser.ts'
import { fillPeople } from './console-people.ts'
import { fillWork } from './console-work.ts'
import { administrator, type Person } from './people.ts'
import type { Postern } from './postern.ts'
import type { Receiver } from './receiver.ts'
import { until } from './waits.ts'

/** An organization with something on every screen of the console, and by which ids its screens are addressed. */
export interface Filled {
  admin: Person
  /** By the path of the table of screens. */
  ids: Record<string, string>
}

/** The address of every screen, with an unknown id for things that this organization does not have. */
export function addressesOf(screens: readonly { path: string }[], { ids }: Filled): string[] {
  return screens.map(({ path }) =>
    path.replace(/:\w+/, ids[path] ?? 'whk_01a202b1-b47d-70bc-9989-5b40b2a6678b'),
  )
}

const RUN = {
  type: 'agent.run.completed',
  data: {
    agentId: 'agt_1',
    runId: 'run_1',
    output: 'Sorted 12 invoices.',
    status: 'succeeded',
    durationMs: 1_250,
    completedAt: '2026-01-01T00:00:00Z',
  },
}

/** Fills a new organization by the public API alone: receivers that answer, refuse and fail, and their deliveries. */
export async function fillConsole(postern: Postern, receiver: Receiver, name = 'Acme'): Promise<Filled> {
  const admin = await administrator(postern, name)
  const post = async (path: string, body: object = {}): Promise<Answer> => {
    const answer = await admin.client.post(path, body, { token: admin.token })
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer
  }
  receiver.answer = ({ path }, response) => {
    const status = { '/orders': 204, '/crm': 401, '/ledger': 503 }[path] ?? 204
    const body =
      { 401: '{"error":"signature does not fit"}', 503: '{"error":"the database is down"}' }[status] ?? ''
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 503 ? { 'retry-after': '120' } : {}),
    })
    response.end(body)
  }
  const webhooks: string[] = []
  for (const [path, description] of [
    ['orders', 'Orders of the shop'],
    ['crm', 'Customers'],
    ['ledger', ''],
  ]) {
    const events = path === 'ledger' ? [RUN.type] : ['*']
    const more = description === '' ? {} : { description }
    const { body } = await post('/v1/webhooks', { url: `${receiver.url}/${path}`, events, ...more })
    webhooks.push(body.id)
  }
  for (let made = 0; made < 4; made += 1) await post('/v1/events', RUN)
  await post(`/v1/webhooks/${webhooks[0]}/test`)
  await receiver.count(13)
  const list = () => admin.client.get('/v1/deliveries?status=pending', { token: admin.token })
  const tried = await until(
    async () =>
      (await list()).body.data.filter(({ attemptCount }: { attemptCount: number }) => attemptCount > 0) as {
        id: string
      }[],
    (rows) => rows.length > 0,
    { what: 'a delivery that failed once' },
  )
  const example = { orderId: 'ord_1', total: 12.5 }
  const schema = {
    type: 'object',
    properties: { orderId: { type: 'string' }, total: { type: 'number', minimum: 0 } },
    required: ['orderId', 'total'],
  }
  const description = 'A customer paid for an order.'
  await post('/v1/event-types', { name: 'order.paid', description, schema, example })
  const endpointPath = `orders-${webhooks[0]?.slice(-12)}`
  await admin.client.patch(`/v1/webhooks/${webhooks[0]}`, { endpointPath }, { token: admin.token })
  await post(`/v1/webhooks/${webhooks[0]}/test/start`)
  await post(`/v1/webhooks/${endpointPath}?shop=1`, { order: 7, note: '</script><b>paid</b>' })
  const events = await admin.client.get('/v1/events', { token: admin.token })
  const people = await fillPeople(postern, admin)
  const work = await fillWork(postern, admin)
  return {
    admin,
    ids: {
      ...work,
      '/webhooks/:id': webhooks[0] ?? '',
      '/deliveries/:id': tried[0]?.id ?? '',
      '/events/:id': events.body.data[1]?.id ?? '',
      '/event-types/:name': 'order.paid',
      '/event-types/:name/change': 'order.paid',
      ...people,
    },
  }
}
