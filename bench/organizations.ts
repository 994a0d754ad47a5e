import { DAY, MINUTE, SECOND, systemClock, toIso } from '#src/core/clock.ts'
import { newId } from '#src/core/id.ts'
import { openVault } from '#src/core/secret.ts'
import { sealContext } from '#src/db/sealed.ts'
import { newSecret } from '#src/delivery/attempt/signature.ts'
import { findMasterKey } from '#src/store/key-file.ts'
import { cpuOf, memoryOf, ms, whole } from './figures.ts'
import { moment } from './moment.ts'
import type { Options } from './options.ts'
import { publisher, startReceiver, TYPE } from './publisher.ts'
import type { EngineName } from './store.ts'
import type { Row } from './table.ts'

const [ORGANIZATIONS, WEBHOOKS] = [10_000, 10]
/** Organizations whose rows are written together, referenced rows first. */
const TOGETHER = 50

const GOAL = { first: SECOND, all: 10 * SECOND, memory: 350 }

/** A start that finds something due of very many organizations: when the first has come, and when each has had its turn. */
export async function benchOrganizations({ engine, progress }: Options): Promise<Row[]> {
  const receiver = await startReceiver()
  const ours = await publisher(engine)
  let startedAt = 0
  progress(
    `${whole(ORGANIZATIONS * WEBHOOKS)} deliveries of ${whole(ORGANIZATIONS)} organizations are written`,
  )
  await ours.restart(async () => {
    const key = findMasterKey({ secretKey: undefined, dataDir: ours.store.env.DATA_DIR ?? '' }) ?? ''
    await ours.store.seed(statements(engine, key, receiver.url))
    await receiver.reset()
    startedAt = moment()
  })
  progress('they are sent')
  const served = await receiver.until('first', ORGANIZATIONS)
  const { firstAt, lastAt } = await receiver.report('first')
  const cpu = cpuOf(ours.server.pid)
  const memory = memoryOf(ours.server.pid, 'VmHWM')
  await ours.stop('kill')
  await receiver.stop()
  const [first, each] = [firstAt - startedAt, lastAt - startedAt]
  return [
    {
      name: `${whole(ORGANIZATIONS)} organizations × ${WEBHOOKS} webhooks, all due at a start: the first, each organization once, memory at most`,
      measured: `${ms(first)}, ${ms(each)}, ${whole(memory)} MB, ${ms(cpu)} of processor time; ${whole(served)} served`,
      raw: '',
      goal: `≤ ${ms(GOAL.first)}, ≤ ${ms(GOAL.all)}, ≤ ${GOAL.memory} MB`,
      isMet: served === ORGANIZATIONS && first <= GOAL.first && each <= GOAL.all && memory <= GOAL.memory,
    },
  ]
}

/** An organization, its webhooks with their secrets, an event, and its delivery to each of them, due a minute ago. */
function* statements(engine: EngineName, masterKey: string, url: string): Iterable<string> {
  const now = systemClock.now()
  const vault = openVault(masterKey)
  const rows: Record<string, string[]> = {}
  function rowsOf(table: string): string[] {
    rows[table] ??= []
    return rows[table]
  }
  const add = (table: string, ...values: (string | number | null)[]) => {
    const texts = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    rowsOf(table).push(`(${texts.join()})`)
  }
  function* flush(): Iterable<string> {
    for (const [table, some] of Object.entries(rows))
      if (some.length > 0) yield `insert into ${table} values ${some.splice(0).join()}`
  }
  const due = now - MINUTE
  for (let one = 0; one < ORGANIZATIONS; one += 1) {
    const [organization, event] = [newId('organization', due), newId('event', due)]
    add('organization (id, name, plan, created_at)', organization, `bench ${one}`, 'unlimited', due)
    const envelope = { id: event, type: TYPE, createdAt: toIso(due), data: { output: 'x'.repeat(900) } }
    const body = Buffer.from(JSON.stringify(envelope)).toString('hex')
    rowsOf(EVENT_COLUMNS).push(
      `('${event}', '${organization}', '${TYPE}', ${engine === 'sqlite' ? `x'${body}'` : `'\\x${body}'::bytea`}, ${due})`,
    )
    for (let each = 0; each < WEBHOOKS; each += 1) {
      const [id, secret] = [newId('webhook', due), newSecret()]
      const place = `${url}/first/${one}`
      add(WEBHOOK_COLUMNS, id, organization, place, '["*"]', 'active', 256, due, due)
      const sealed = vault.seal(secret, sealContext('webhook_secret', id))
      add(SECRET_COLUMNS, id, sealed, secret.slice(-6), due)
      add(
        DELIVERY_COLUMNS,
        ...[newId('delivery', due), organization, id, event, TYPE, 'pending', 0],
        ...[due, due + DAY, due, due],
      )
    }
    if (one % TOGETHER === TOGETHER - 1) yield* flush()
  }
  yield* flush()
}

const EVENT_COLUMNS = 'event (id, organization_id, type, body, created_at)'
const WEBHOOK_COLUMNS =
  'webhook (id, organization_id, url, events, status, max_in_flight, created_at, updated_at)'
const SECRET_COLUMNS = 'webhook_secret (webhook_id, secret, hint, created_at)'
const DELIVERY_COLUMNS = `delivery (id, organization_id, webhook_id, event_id, event_type, status, attempts,
  due_at, horizon_at, created_at, updated_at)`
