import assert from 'node:assert/strict'
import { createServer, request as send } from 'node:http'
import { after, describe, it } from 'node:test'
import { Client } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { administrator, apiKey } from '../support/people.ts'
import { onOneEngineByDay, postern, startPostern } from '../support/postern.ts'
import { beginProcess, startProcess } from '../support/process.ts'
import { useProcesses, useReceivers } from '../support/processes.ts'
import { until } from '../support/waits.ts'
import { RUN } from '../support/webhooks.ts'

const TYPE = 'agent.run.completed'

/** A proxy that buffers requests and answers, to a server that the test selects. */
async function bufferingProxy(): Promise<{ url: string; leadTo: (url: string) => void }> {
  let target = ''
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const asked = send(new URL(incoming.url ?? '/', target), {
        method: incoming.method ?? 'GET',
        headers: { ...incoming.headers, connection: 'close' },
      })
      asked.on('error', () => outgoing.writeHead(502).end('bad gateway'))
      asked.on('response', (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', () => outgoing.destroy())
        answer.on('end', () =>
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts)),
        )
      })
      asked.end(Buffer.concat(chunks))
    })
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  function leadTo(url: string): void {
    target = url
  }
  return { url: `http://127.0.0.1:${port}`, leadTo }
}

onOneEngineByDay('a listener whose server is killed', (engine) => {
  const receiver = useReceivers()

  it('loses no report of a client, behind a proxy that buffers', async () => {
    const first = await startPostern(engine)
    const key = await apiKey(first, await administrator(first))
    const opened = await first
      .client()
      .call('/v1/listeners/proxied', { method: 'PUT', body: { events: [TYPE] }, token: key })
    await first.stop()
    const settings = first.env
    const proxy = await bufferingProxy()
    const victim = await startProcess(settings)
    let url = victim.url
    proxy.leadTo(url)
    const calls = () => new Client(url)
    const publish = async () =>
      (await calls().post('/v1/events', { type: TYPE, data: RUN }, { token: key })).body.id as string
    const local = await receiver()
    const held: (() => void)[] = []
    local.answer = (_, response) => void held.push(() => response.writeHead(200).end('late'))
    const client = beginProcess(
      ['listen', '--forward-to', local.url, '--name', 'proxied', '--url', proxy.url],
      { ...settings, POSTERN_API_KEY: key },
    )
    const events = [await publish(), await publish(), await publish(), await publish()]
    await local.count(4)
    await victim.kill()
    for (const answer of held.splice(0)) answer()
    const next = await startPostern(engine, { env0: settings })
    url = next.url
    proxy.leadTo(url)
    local.answer = (_, response) => void response.writeHead(200).end()
    events.push(await publish())
    const deliveries = await until(
      async () => (await calls().get(`/v1/webhooks/${opened.body.id}/deliveries`, { token: key })).body.data,
      (rows) => rows.length === 5 && rows.every(({ status }: { status: string }) => status === 'delivered'),
      { what: 'five deliveries to be delivered' },
    )
    for (const { attemptCount } of deliveries) assert.equal(attemptCount, 1)
    assert.deepEqual(local.received.map(({ event }) => event.id).sort(), events.sort(), 'each exactly once')
    client.child.kill('SIGINT')
    assert.equal(await client.gone, 0)
    await next.stop()
  })
})

describe('a listener over two processes', () => {
  const start = useProcesses()
  const receiver = useReceivers()

  it('is woken by events that another process accepts, and two clients share it', async () => {
    const { one, processes } = await start()
    const two = await processes.start()
    const key = await apiKey(one, await administrator(one))
    const local = await receiver()
    const listen = (url: string, count: number) =>
      postern(
        { env: { ...one.env, POSTERN_API_KEY: key, POSTERN_URL: url } },
        ...['listen', '--forward-to', local.url, '--name', 'both', '--count', String(count)],
      )
    const clients = [listen(one.url, 10), listen(two.url, 10)]
    await until(
      async () => (await one.client().get('/v1/webhooks', { token: key })).body.data,
      (rows) => rows.length === 1 && rows[0].listenedAt !== null,
      { what: 'clients that listen' },
    )
    const ids: string[] = []
    for (let made = 0; made < 20; made += 1) {
      const by = made % 2 === 0 ? one : two
      const event = await by.client().post('/v1/events', { type: TYPE, data: RUN }, { token: key })
      ids.push(event.body.id)
    }
    for (const { code, err } of await Promise.all(clients)) assert.equal(code, 0, err)
    assert.deepEqual(local.received.map(({ event }) => event.id).sort(), ids.sort())
  })
})
