import { DAY, type Millis, toIso } from '#src/core/clock.ts'
import { TYPE } from './publisher.ts'
import type { EngineName } from './store.ts'

/** Writes rows of the past directly, because publishing them one by one takes too long. */
export interface Seed {
  organizationId: string
  webhookId: string
  /** Deliveries, each of one of the events in turn. */
  deliveries: number
  events: number
  createdAt: Millis
  status: 'pending' | 'failed'
  /** When the first delivery is due, and the interval to each further one. */
  dueAt?: Millis
  dueEvery?: Millis
  /** Tells the ids of two seeds of one store apart. */
  number?: number
}

/** Values that the two engines write differently. */
const WORDS: Record<
  EngineName,
  { rows(count: number): string; hex(number: string): string; bytes(text: string): string }
> = {
  sqlite: {
    rows: (count) =>
      `(with recursive row (i) as (select 0 union all select i + 1 from row where i < ${count - 1}) select i from row)`,
    hex: (number) => `printf('%08x', ${number})`,
    bytes: (text) => `cast(${text} as blob)`,
  },
  postgres: {
    rows: (count) => `generate_series(0, ${count - 1}) as row (i)`,
    hex: (number) => `lpad(to_hex(${number}), 8, '0')`,
    bytes: (text) => `convert_to(${text}, 'UTF8')`,
  },
}

/** @returns statements that write the events and their deliveries; ids are in the order of the rows */
export function seedStatements(engine: EngineName, seed: Seed): string[] {
  const { organizationId, webhookId, deliveries, events, createdAt, status, number = 0 } = seed
  const { dueAt, dueEvery = 0 } = seed
  const { rows, hex, bytes } = WORDS[engine]
  const time = createdAt.toString(16).padStart(12, '0')
  const uuid = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(4, '0')}`
  const id = (prefix: string, index = 'i') => `'${prefix}_${uuid}' || ${hex(index)}`
  const due = dueAt === undefined ? 'null' : `${dueAt} + i * ${dueEvery}`
  const rest = `","type":"${TYPE}","createdAt":"${toIso(createdAt)}","data":{"agentId":"seed","runId":"seed","status":"succeeded","durationMs":1,"output":"${'x'.repeat(900)}"}}`
  return [
    `insert into event (id, organization_id, type, body, created_at)
      select ${id('evt')}, '${organizationId}', '${TYPE}', ${bytes(`'{"id":"' || ${id('evt')} || '${rest}'`)}, ${createdAt}
      from ${rows(events)}`,
    `insert into delivery (id, organization_id, webhook_id, event_id, event_type, status, reason, attempts, due_at,
        horizon_at, claim_id, created_at, updated_at)
      select ${id('dlv')}, '${organizationId}', '${webhookId}', ${id('evt', `i % ${events}`)},
        '${TYPE}', '${status}', ${status === 'failed' ? `'http_500'` : 'null'}, ${status === 'failed' ? 1 : 0}, ${due},
        ${createdAt + DAY}, null, ${createdAt}, ${createdAt}
      from ${rows(deliveries)}`,
  ]
}
