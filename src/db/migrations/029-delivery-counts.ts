import type { Dialect } from '../engine/engine.ts'

export const name = 'counts of deliveries'

const MINUTE = 60_000
const [UNTIMED, MADE] = [62, 63]

/** The moment by which an id is ordered, out of its first twelve digits: `dlv_01234567-89ab-…`. */
function momentOf(id: string, { codeOf, integer }: Dialect): string {
  const digits = Array.from({ length: 12 }, (_, place) => {
    const code = codeOf(`substr(${id}, ${place < 8 ? 5 + place : 6 + place}, 1)`)
    const digit = `(case when ${code} > 57 then ${code} - 87 else ${code} - 48 end)`
    return `cast(${digit} as ${integer}) * ${16 ** (11 - place)}`
  })
  return `(${digits.join(' + ')})`
}

/** The number of the bucket of a duration, as `delivery/counts/latency-buckets.ts` works it out. */
function bucketOf(duration: string): string {
  const cases: string[] = []
  for (let edge = 1; edge <= 120_000; edge = Math.max(edge + 1, Math.floor(edge * 1.21)))
    cases.push(`when ${duration} < ${edge} then ${cases.length}`)
  return `case when ${duration} is null then ${UNTIMED} ${cases.join(' ')} else ${cases.length} end`
}

/** What is there already is counted by the minute, as if it had been counted from the beginning. */
export function statements(dialect: Dialect): string[] {
  const { integer, table } = dialect
  const insert =
    'insert into delivery_count (organization_id, webhook_id, span, at, part, made, delivered, failed)'
  const counted = (part: string, where: string) => `select organization_id, webhook_id,
    ${momentOf('id', dialect)} / ${MINUTE} * ${MINUTE} as at, ${part} as part, status
    from (
      select organization_id, webhook_id, id, status, coalesce(duration_ms, (
        select attempt.duration_ms from attempt where attempt.delivery_id = delivery.id
        order by attempt.number desc limit 1
      )) as duration
      from delivery where ${where}
    ) as counted`
  return [
    // Refers to nothing: to add to it must wait for no transaction that has the webhook in hand.
    `create table delivery_count (
      organization_id text not null,
      webhook_id text not null,
      span ${integer} not null,
      at ${integer} not null,
      part ${integer} not null,
      made ${integer} not null,
      delivered ${integer} not null,
      failed ${integer} not null,
      latencies text,
      primary key (organization_id, webhook_id, span, at, part)
    )${table}`,
    `${insert} select organization_id, webhook_id, 1, at, part, count(*), 0, 0
      from (${counted(String(MADE), 'true')}) as made group by organization_id, webhook_id, at, part`,
    `${insert} select organization_id, webhook_id, 1, at, part, 0,
      sum(case when status = 'delivered' then 1 else 0 end), sum(case when status = 'failed' then 1 else 0 end)
      from (${counted(bucketOf('duration'), "status <> 'pending'")}) as ended
      group by organization_id, webhook_id, at, part`,
  ]
}
