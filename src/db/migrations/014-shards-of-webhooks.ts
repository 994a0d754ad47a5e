import type { Dialect } from '../engine/engine.ts'

export const name = 'webhooks are found by their shard'

/** Both engines have it so; neither has it by one name. */
const xor = (a: string, b: string) => `((${a} | ${b}) - (${a} & ${b}))`

/**
 * The shard of each webhook that is there, as `shardOf` (`jobs/shards/shard.ts`) works it out of every new one: FNV-1a of its
 * id, 32 bits, folded.
 */
export function statements({ integer, codeOf }: Dialect): string[] {
  const letter = `cast(${codeOf('substr(id, place + 1, 1)')} as ${integer})`
  const folded = xor(xor('hash', '(hash >> 8)'), xor('(hash >> 16)', '(hash >> 24)'))
  return [
    `alter table webhook add column shard ${integer} not null default 0`,
    `update webhook set shard = (
      with recursive hashed (id, place, hash) as (
        select webhook.id, 0, cast(2166136261 as ${integer})
        union all
        select id, place + 1, (${xor('hash', letter)} * 16777619) & 4294967295 from hashed where place < length(id)
      )
      select ${folded} & 255 from hashed where place = length(id)
    )`,
    `create index webhook_shard on webhook (shard, id) where status = 'active'`,
  ]
}
