import assert from 'node:assert/strict'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { supervise } from '#src/cluster/supervise.ts'
import { countWorkers, hasSendingThread } from '#src/config/workers.ts'
import { MINUTE, pause } from '#src/core/clock.ts'
import { BEAT } from '#src/core/heartbeats.ts'
import { childrenOf } from './support/children.ts'
import { IS_NIGHTLY } from './support/nightly.ts'
import { readyStore } from './support/postern.ts'
import { beginProcess, runProcess, type ServerProcess, startProcess } from './support/process.ts'
import { useReceivers } from './support/processes.ts'
import { publishTo, sendingInstallation } from './support/publishing.ts'
import { until, within } from './support/waits.ts'
import { RUN } from './support/webhooks.ts'
import { doorsOf } from './support/worker-doors.ts'

const TOKEN = 'a-token-for-metrics-of-tests'

const receiver = useReceivers()
const servers: ServerProcess[] = []
after(async () => {
  for (const server of servers) await server.kill()
})

async function start(env: Record<string, string>): Promise<ServerProcess> {
  const server = await startProcess({ METRICS_TOKEN: TOKEN, ...env })
  servers.push(server)
  return server
}

/** Series of `/metrics` by what stands before their figures. */
async function metricsOf(
  { url }: Pick<ServerProcess, 'url'>,
  signal?: AbortSignal,
): Promise<Map<string, number>> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const answer = await fetch(`${url}/metrics`, { headers, ...(signal && { signal }) })
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

/** How often a series begins with `name`, and what they come to. */
function sumOf(metrics: Map<string, number>, name: string): { series: number; sum: number } {
  const values = [...metrics].flatMap(([series, value]) => (series.startsWith(name) ? [value] : []))
  return { series: values.length, sum: values.reduce((sum, value) => sum + value, 0) }
}

/** The workers that answer; undefined where the one that gets the request does not. */
const upWithin = (server: ServerProcess) =>
  metricsOf(server, AbortSignal.timeout(5_000)).then(
    (metrics) => sumOf(metrics, 'postern_worker_up{'),
    () => undefined,
  )

/** Waits until each of so many workers answers. */
const untilUp = (server: ServerProcess, count: number) =>
  until(
    () => upWithin(server),
    (up) => up?.sum === count,
    { what: `${count} workers to answer` },
  )

function isThere(pid: number): boolean {
  try {
    // One that has ended and was not asked about is a zombie.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

const isLinux = process.platform === 'linux'

describe('a server with several workers', { skip: isLinux ? false : 'it reads /proc' }, () => {
  it('serves on one port, shows one set of metrics, replaces a worker that was killed, loses nothing and ends in order', async () => {
    const { env, key, receivers } = await sendingInstallation(receiver)
    const server = await start({ ...env, DRAIN_SECONDS: '0', WORKERS: '2', LOG_LEVEL: 'info' })
    assert.match(server.out(), /Workers {3}2\n/)
    await untilUp(server, 2)
    const load = publishTo([server], key)
    await load.more(server, 20)

    const before = childrenOf(server.child.pid)
    assert.equal(before.length, 2)
    process.kill(before[1] as number, 'SIGKILL')
    await server.says('a worker ended and is replaced')
    await load.more(server, 20)
    await until(
      () => childrenOf(server.child.pid),
      ({ length }) => length === 2,
      { what: 'the second worker' },
    )
    await untilUp(server, 2)
    await load.more(server, 20)
    await load.stop()

    const { acknowledged, refused } = load.ledger
    assert.deepEqual(refused, [])
    for (const { received } of receivers)
      await until(
        () => {
          const ids = new Set(received.map(({ event }) => event.id))
          return [...acknowledged.keys()].filter((id) => !ids.has(id))
        },
        (missing) => missing.length === 0,
        { what: 'every acknowledged event to be received' },
      )

    const metrics = await metricsOf(server)
    // What the killed one had counted went with it, as with any process; what the others counted is there.
    assert.equal(sumOf(metrics, 'postern_process_start_time_seconds').series, 2)
    const committed = sumOf(metrics, 'postern_events_total{').sum
    assert.ok(committed >= 40, `${committed} events`)
    // What all processes read from the store is there once.
    assert.ok(metrics.has('postern_mails_queued'))
    assert.equal(sumOf(metrics, 'postern_mails_queued').series, 1)

    const last = childrenOf(server.child.pid)
    assert.equal(await server.end(), 0)
    assert.deepEqual(last.filter(isThere), [])
    assert.equal(server.err().split('Stopping:').length, 2, 'it says once that it stops')
  })

  it('says which worker does not answer, replaces one that stands still, and has others deliver what that one had claimed; killed, it leaves no worker', async () => {
    const { env, key, receivers } = await sendingInstallation(receiver)
    const [sent] = receivers
    const server = await start({ ...env, DRAIN_SECONDS: '0', WORKERS: '2' })
    await untilUp(server, 2)
    const [, still] = await doorsOf(server)
    assert.ok(sent && still)
    const { pid } = still

    process.kill(pid, 'SIGSTOP')
    // A request that the stopped one is given waits for it; others are answered.
    const answered = await until(
      () => upWithin(server),
      (up) => up?.sum === 1,
      { what: 'an answer of the worker that goes on' },
    )
    assert.deepEqual(answered, { series: 2, sum: 1 })
    process.kill(pid, 'SIGCONT')
    await untilUp(server, 2)

    // Calls of the second worker are under way when it stops.
    const open: ServerResponse[] = []
    sent.answer = (_, response) => void open.push(response)
    const ids: string[] = []
    const publish = async () => {
      const body = JSON.stringify({ type: 'agent.run.completed', data: RUN })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${still.url}/v1/events`, { method: 'POST', headers, body })
      assert.equal(answer.status, 202)
      ids.push(((await answer.json()) as { id: string }).id)
      return open.length
    }
    await until(publish, (calls) => calls > 0, { what: 'a call of the second worker' })
    process.kill(pid, 'SIGSTOP')
    const waiting = fetch(`${still.url}/livez`).then(
      ({ status }) => status,
      () => 'ended',
    )
    sent.answer = (_, response) => void response.writeHead(204).end()
    for (const response of open) response.writeHead(204).end()
    await server.says('a worker stands still and is killed')
    assert.equal(await within('the connection to end', waiting), 'ended')
    await untilUp(server, 2)
    assert.ok(!childrenOf(server.child.pid).includes(pid))
    await until(
      () => ids.map((id) => sent.received.filter(({ event }) => event.id === id).length),
      (calls) => calls.every((count) => count > 0) && calls.some((count) => count > 1),
      { what: 'what the killed one had claimed to be sent again' },
    )
    const metrics = await until(
      () => metricsOf(server),
      // They are missing where the first process has not answered within two seconds, as on a busy machine.
      (read) => read.has('postern_workers_replaced_total{cause="stood_still"}'),
      { what: 'the first process to say how many workers it has replaced' },
    )
    assert.equal(metrics.get('postern_workers_replaced_total{cause="stood_still"}'), 1)
    assert.equal(metrics.get('postern_workers_replaced_total{cause="ended"}'), 0)
    const last = childrenOf(server.child.pid)
    await server.kill()
    await until(
      () => last.filter(isThere),
      ({ length }) => length === 0,
      { what: 'the workers to end' },
    )
  })

  it('keeps its workers when all of it is stopped and goes on, and replaces one whose event loop is held', async () => {
    const { child, says, out, end } = await startProcess({}, 'test/support/beating-supervisor.ts')
    await says('"worker":2,"msg":"a worker answers requests"')
    const [one, two] = childrenOf(child.pid)
    const all = [child.pid, one, two] as number[]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    // Longer than a worker alone may stand still here.
    await pause(6_000)
    for (const pid of all) process.kill(pid, 'SIGCONT')
    process.kill(two as number, 'SIGUSR2')
    await says('a worker stands still and is killed')
    await until(
      () => childrenOf(child.pid),
      (pids) => pids.length === 2 && !pids.includes(two as number),
      { what: 'another worker' },
    )
    assert.ok(childrenOf(child.pid).includes(one as number))
    assert.equal(out().split('stands still').length, 2)
    assert.equal(await end(), 0)
  })

  it('replaces a worker that hangs while it begins', { skip: !IS_NIGHTLY && 'at night' }, async () => {
    const { child, says, out, end } = await startProcess({}, 'test/support/beating-supervisor.ts')
    await says('"worker":2,"msg":"a worker answers requests"')
    const before = childrenOf(child.pid)
    process.kill(before[1] as number, 'SIGKILL')
    const begun = await until(
      () => childrenOf(child.pid).filter((pid) => !before.includes(pid)),
      ({ length }) => length === 1,
      { what: 'another worker to begin' },
    )
    process.kill(begun[0] as number, 'SIGSTOP')
    await until(out, (text) => text.includes('a worker stands still and is killed'), {
      ...{ what: 'the worker that hangs to be killed', patience: 4 * MINUTE },
    })
    await until(
      () => childrenOf(child.pid),
      (pids) => pids.length === 2 && !pids.includes(begun[0] as number),
      { what: 'its successor' },
    )
    assert.equal(await end(), 0)
  })

  it('ends the connections that a killed worker has not taken; with one that stands still it ends at once on a second signal', async () => {
    const { env } = await sendingInstallation(receiver)
    const server = await start({ ...env, DRAIN_SECONDS: '0', WORKERS: '2' })
    await untilUp(server, 2)
    const [, second] = childrenOf(server.child.pid)
    process.kill(second as number, 'SIGSTOP')
    const port = Number(new URL(server.url).port)
    const answers: string[] = []
    const requests = Array.from({ length: 20 }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('utf8').write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
      answers.push((await text(socket).catch(() => '')).slice(0, 12))
    })
    await until(
      () => answers.length,
      (count) => count > 0,
      { what: 'an answer of the one that goes on' },
    )
    process.kill(second as number, 'SIGKILL')
    await within('all connections to end', Promise.all(requests))
    assert.deepEqual([...new Set(answers)].sort().at(-1), 'HTTP/1.1 200')
    await server.says('a worker ended and is replaced')
    await untilUp(server, 2)

    const workers = childrenOf(server.child.pid)
    process.kill(workers[1] as number, 'SIGSTOP')
    server.child.kill('SIGTERM')
    await server.says('Stopping')
    // Its own time: what a terminal and npm pass on within a second is one signal.
    await pause(1_500)
    assert.equal(await server.end(), null)
    await until(
      () => workers.filter(isThere),
      ({ length }) => length === 0,
      { what: 'the workers to end' },
    )
  })

  it('ends with 0 when it is asked to while its first worker begins', async () => {
    const { env } = await sendingInstallation(receiver)
    const { child, gone } = beginProcess(['start'], { ...env, DRAIN_SECONDS: '0', WORKERS: '2' })
    await until(
      () => childrenOf(child.pid),
      ({ length }) => length === 1,
      { what: 'the first worker to begin' },
    )
    child.kill('SIGTERM')
    assert.equal(await within('the server to end', gone), 0)
  })

  it('ends with what its first worker says where that cannot start', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await within('another server to listen', once(other, 'listening'))
    const { port } = other.address() as AddressInfo
    const refused = await runProcess(['start'], {
      ...(await readyStore('postgres')),
      ...{ WORKERS: '2', PORT: String(port) },
    })
    other.close()
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /^Something already listens on 127\.0\.0\.1:\d+\. Stop it, or set another PORT\.\n$/,
    )
  })
})

describe('a worker that does not end', () => {
  it('is killed when its time is over, which the exit code says', async () => {
    cluster.setupPrimary({ exec: fileURLToPath(new URL('./support/staying-worker.ts', import.meta.url)) })
    const ready = Promise.withResolvers<void>()
    const said: string[] = []
    const log = (_: unknown, msg?: string) => void said.push(msg ?? '')
    const code = await within(
      'the workers to end',
      supervise({
        count: 2,
        env: {},
        log: { error: log, info: log },
        onReady: () => ready.resolve(),
        stopping: ready.promise,
        patience: 300,
        beat: BEAT,
      }),
    )
    assert.equal(code, 1)
    assert.equal(said.at(-1), 'workers have not ended and are killed')
    assert.deepEqual(Object.values(cluster.workers ?? {}), [])
  })
})

describe('WORKERS', () => {
  it('needs PostgreSQL where it asks for several', async () => {
    const { code, err } = await runProcess(['start'], { WORKERS: '2' })
    assert.equal(code, 1)
    assert.match(err, /WORKERS=2 needs DATABASE_URL: the embedded database serves one process/)
  })

  it('leaves a third of the cores to PostgreSQL, and of its hundred connections twenty to others', () => {
    const auto = (cores: number, pool = 20) => countWorkers('auto', pool, cores)
    assert.deepEqual(
      [1, 2, 3, 4, 6, 8, 64].map((cores) => auto(cores)),
      [1, 1, 2, 2, 4, 4, 4],
    )
    assert.deepEqual([auto(64, 5), auto(64, 80), auto(64, 1_000)], [16, 1, 1])
    assert.equal(countWorkers(7, 20, 2), 7)
  })
})

describe('SENDING_THREAD', () => {
  it('is on by itself with three cores or more, where one process serves', () => {
    const on = (workers: number) => [1, 2, 3, 8].filter((cores) => hasSendingThread('auto', workers, cores))
    assert.deepEqual([on(1), on(2)], [[3, 8], []])
    assert.deepEqual([hasSendingThread('on', 2, 1), hasSendingThread('off', 1, 8)], [true, false])
  })
})
