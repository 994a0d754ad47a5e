import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { LIFETIME } from '../core/limits.ts'
import type { Vault } from '../core/secret.ts'
import type { Database, Tx } from '../db/database.ts'
import { sealContext } from '../db/sealed.ts'
import { bodyFingerprint } from './body/body-fingerprint.ts'
import { keptText } from './body/json-text.ts'
import { markOf } from './permissions.ts'
import { callerOf } from './principal.ts'

/** The answer of a handler that creates something. */
interface Answer<Body> {
  status: number
  body: Body
  headers?: Record<string, string>
}

/** Runs the one transaction of a creating request, once per Idempotency-Key. */
export type Once = <Body, Prepared = undefined>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx, prepared: Prepared) => Promise<Answer<Body>>,
  /**
   * Runs before the transaction, for a call to another service or a check of a limit. It is skipped where the answer is
   * stored, so that a repetition gets the same answer even after changes.
   */
  prepare?: () => Promise<Prepared>,
) => Promise<Body>

/**
 * Idempotency (decisions: conventions). A key belongs to one actor of one organization at one route, so no member gets
 * the answer of another. Its row commits with the effect: after a crash both exist or neither. A failed request leaves
 * no row, and its key may be tried again.
 */
export function createOnce({ database, vault }: { database: Database; vault: Vault }): Once {
  const running = new Set<string>()
  return async <Body, Prepared>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Tx, prepared: Prepared) => Promise<Answer<Body>>,
    prepare?: () => Promise<Prepared>,
  ) => {
    const key = keyOf(request)
    if (key === undefined) {
      const prepared = (await prepare?.()) as Prepared
      return sendAnswer(reply, await database.tx((tx) => work(tx, prepared)))
    }
    const scope = scopeOf(request)
    const slot = `${scope}\n${key}`
    if (running.has(slot))
      throw new ApiError('DUPLICATE', { field: 'Idempotency-Key', reason: 'still_running' })
    running.add(slot)
    try {
      const print = await bodyFingerprint(request.body ?? null, keptText(request))
      const place = { scope, key, print, now: request.now, vault }
      const answer = (prepared?: { value: Prepared }) =>
        database.tx((tx) =>
          firstAnswer(tx, place, reply, (open) => {
            if (prepare !== undefined && prepared === undefined) throw new NotPreparedError()
            return work(open, prepared?.value as Prepared)
          }),
        )
      if (prepare === undefined) return sendAnswer(reply, await answer())
      if (await isKept(database, place)) {
        const kept = await answer().catch(unlessNotPrepared)
        if (kept !== undefined) return sendAnswer(reply, kept)
      }
      return sendAnswer(reply, await answer({ value: await prepare() }))
    } finally {
      running.delete(slot)
    }
  }
}

/** Whether a request has an Idempotency-Key, and so writes a row beside its effect. */
export function hasKey(request: FastifyRequest): boolean {
  return request.headers['idempotency-key'] !== undefined
}

interface Slot {
  scope: string
  key: string
  print: string
  now: number
  vault: Vault
}

/** Retention has removed the stored answer since `isKept` read it. */
class NotPreparedError extends Error {}

function unlessNotPrepared(error: unknown): undefined {
  if (!(error instanceof NotPreparedError)) throw error
}

/** Whether an answer is stored. */
async function isKept(
  { db }: Database,
  { scope, key, now }: Pick<Slot, 'scope' | 'key' | 'now'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('idempotency')
    .select('key')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '>', now - LIFETIME.idempotencyKey)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * The stored answer of an earlier request with this key, or the answer of `work`, which it stores.
 * @throws ApiError VALIDATION_FAILED where the key was used with another body
 */
async function firstAnswer<Body>(
  tx: Tx,
  { scope, key, print, now, vault }: Slot,
  reply: FastifyReply,
  work: (tx: Tx) => Promise<Answer<Body>>,
): Promise<Answer<Body>> {
  await tx
    .deleteFrom('idempotency')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '<=', now - LIFETIME.idempotencyKey)
    .execute()
  const context = sealContext('idempotency', scope, key)
  // The key is written first: on PostgreSQL a second process with the same key waits here, then reads our answer.
  const mine = await tx
    .insertInto('idempotency')
    .values({ scope, key, fingerprint: print, status: 0, answer: '', created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst()
  if (mine === undefined) {
    const stored = await tx
      .selectFrom('idempotency')
      .selectAll()
      .where('scope', '=', scope)
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    if (stored.fingerprint !== print) {
      throw new ApiError('VALIDATION_FAILED', {
        field: 'Idempotency-Key',
        value: key,
        reason: 'used_with_another_body',
      })
    }
    void reply.header('idempotent-replayed', 'true')
    return JSON.parse(vault.open(stored.answer, context)) as Answer<Body>
  }
  const answer = await work(tx)
  await tx
    .updateTable('idempotency')
    .set({ status: answer.status, answer: vault.seal(JSON.stringify(answer), context) })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .execute()
  return answer
}

/** @throws ApiError VALIDATION_FAILED when the header is not 1 to 255 visible characters */
function keyOf(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) return key
  throw new ApiError('VALIDATION_FAILED', { field: 'Idempotency-Key', value: String(key).slice(0, 256) })
}

/**
 * The actor, its organization and the route; two resources under one route pattern are two routes. All holders of
 * OPERATOR_TOKEN are one actor.
 * @throws ApiError UNAUTHORIZED for a caller that cannot create anything
 */
function scopeOf(request: FastifyRequest): string {
  if (request.principal.kind === 'installation') return `operator ${routeOf(request)}`
  const { organizationId, actorId, permissions } = callerOf(request)
  // Keys of one service account may have different scopes: no key gets an answer that it could not have caused.
  const mark = markOf(permissions)
  const of = mark === '' ? '' : ` ${mark}`
  // Answers are sealed under their scope. Older stores name the API key, whose UUID its service account has.
  return `${organizationId} ${actorId.replace(/^svc_/, 'key_')}${of} ${routeOf(request)}`
}

function routeOf({ method, url }: FastifyRequest): string {
  return `${method} ${url.split('?', 1)[0]}`
}

/** Sets the status and the headers of an answer. @returns its body */
export function sendAnswer<Body>(reply: FastifyReply, answer: Answer<Body>): Body {
  void reply.code(answer.status).headers(answer.headers ?? {})
  return answer.body
}
