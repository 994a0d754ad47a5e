import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Millis } from '../../core/clock.ts'
import { newId } from '../../core/id.ts'
import { afterCommit, type Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import { insertReplay } from '../../delivery/store/replay-row.ts'
import { type Asked, type Count, countSources } from '../../delivery/store/replay-sources.ts'
import type { WebhookDeps } from '../deps.ts'
import { holdWebhook } from '../endpoints/webhook-wire.ts'
import { toWire } from './replay-wire.ts'

/** Answers a request for a replay: with how many deliveries it would make (`dryRun`), or with the replay that it begins. */
export async function answerReplay(
  { config, database, once, dispatch }: Pick<WebhookDeps, 'config' | 'database' | 'once' | 'dispatch'>,
  { request, reply, asked }: { request: FastifyRequest; reply: FastifyReply; asked: Asked },
  { dryRun = false, expedite = false }: { dryRun?: boolean | undefined; expedite?: boolean },
) {
  const { organization_id, webhook_id } = asked
  // There may be a million to count; nobody waits for a transaction that does.
  const count = () => countSources(database.db, asked)
  if (dryRun) return reply.code(200).send(await count())
  return once(
    request,
    reply,
    async (tx, counted) => {
      if (webhook_id !== null) await holdWebhook(tx, organization_id, webhook_id)
      const row = await insert(tx, asked, counted, request.now)
      afterCommit(tx, () => {
        dispatch.poll()
        // Who was given a rest after failures is tried now.
        if (expedite && webhook_id !== null) dispatch.expedite(webhook_id)
      })
      const location = `${config.web.baseUrl}/v1/replays/${row.id}`
      return { status: 202, body: toWire(row), headers: { location } }
    },
    count,
  )
}

async function insert(
  tx: Tx,
  { criteria, ...asked }: Asked,
  { matched }: Count,
  now: Millis,
): Promise<Tables['replay']> {
  const row: Tables['replay'] = {
    id: newId('replay', now),
    ...asked,
    criteria: JSON.stringify(criteria),
    status: 'running',
    at_webhook_id: asked.webhook_id ?? '',
    position: '',
    total: matched,
    replayed: 0,
    created_at: now,
    updated_at: now,
  }
  await insertReplay(tx, row)
  return row
}
