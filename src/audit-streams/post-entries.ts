import type { toWire } from '../audit/audit-log.ts'
import { type Clock, type Millis, SECOND } from '../core/clock.ts'
import { fingerprint, type Vault } from '../core/secret.ts'
import { VERSION } from '../core/version.ts'
import type { Db } from '../db/database.ts'
import { sealContext } from '../db/sealed.ts'
import type { Tables } from '../db/tables/tables.ts'
import { serviceSignature, standardSignature } from '../delivery/attempt/signature.ts'
import type { Agent } from '../net/agent.ts'
import { CallError, call, headerOf } from '../net/call.ts'
import { readDestination } from '../net/destination.ts'
import { readRetryAfter } from '../net/retry-after.ts'
import type { Stream } from './stream.ts'

/** One request, from name resolution to the last byte of the answer. */
const DEADLINE: Millis = 15 * SECOND
/** Bytes of an answer that are read. The status of a longer one counts as well. */
const LARGEST_ANSWER = 64 * 1024
/** The key of streams in shared limits of connections and look-ups. */
const OWNER = 'audit streams'

export interface PostDeps {
  agent: Agent
  clock: Clock
  vault: Vault
}

/** An entry in the form of the audit log's lists. */
type Entry = ReturnType<typeof toWire>

/** The result of one request. */
export type PostResult =
  | { isTaken: true; status: number }
  /** `reason`: `http_503`, `timeout` and so on. */
  | { isTaken: false; reason: string; status: number | null; notBefore: Millis | undefined }

/** The decrypted settings of a stream. */
interface Target {
  url: string
  headers: Record<string, string>
  /** The newest first, then replaced ones that still sign. */
  secrets: string[]
}

/** Reads and decrypts the settings of a stream. @throws Error where the master key is another one */
export async function targetOf(db: Db, vault: Vault, stream: Stream, now: Millis): Promise<Target> {
  const rows = await db
    .selectFrom('audit_stream_secret')
    .select(['secret', 'expires_at'])
    .where('audit_stream_id', '=', stream.id)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .execute()
  const endOf = ({ expires_at }: Pick<Tables['audit_stream_secret'], 'expires_at'>) =>
    expires_at ?? Number.POSITIVE_INFINITY
  return {
    url: stream.url,
    headers:
      stream.headers === null
        ? {}
        : JSON.parse(vault.open(stream.headers, sealContext('audit_stream', stream.id))),
    secrets: rows
      .sort((a, b) => endOf(b) - endOf(a))
      .map(({ secret }) => vault.open(secret, sealContext('audit_stream_secret', stream.id))),
  }
}

/**
 * Posts entries as signed lines of JSON. A receiver with an older secret that reads only Postern's own signature header
 * refuses the newest signature, so the request is repeated with each older secret.
 * @param signal ends the request under way, whose result is then a failure
 */
export async function postEntries(
  deps: PostDeps,
  target: Target,
  entries: Entry[],
  signal?: AbortSignal,
): Promise<PostResult> {
  const body = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  // Derived from the entries, so that a receiver can recognize a repetition.
  const id = `batch_${fingerprint(entries.map((entry) => entry.id).join(' ')).slice(0, 32)}`
  let posted = await postOnce(deps, target, { id, body, secret: target.secrets[0] ?? '', signal })
  for (const secret of target.secrets.slice(1)) {
    if (posted.status !== 401 && posted.status !== 403) break
    posted = await postOnce(deps, target, { id, body, secret, signal })
  }
  return posted
}

interface Message {
  id: string
  body: Buffer
  /** The secret of Postern's own signature header. */
  secret: string
  signal: AbortSignal | undefined
}

async function postOnce(
  { agent, clock }: PostDeps,
  { url: text, headers, secrets }: Target,
  { id, body, secret, signal }: Message,
): Promise<PostResult> {
  const url = readDestination(text)
  const refused = typeof url === 'string' ? url : secret === '' ? 'no_secret' : undefined
  if (typeof url === 'string' || refused !== undefined)
    return { isTaken: false, reason: refused ?? 'not_a_url', status: null, notBefore: undefined }
  const timestamp = Math.floor(clock.now() / SECOND)
  const request = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/x-ndjson',
      'user-agent': `Postern/${VERSION}`,
      'x-service-signature': serviceSignature(secret, body),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map((one) => standardSignature(one, id, timestamp, body)).join(' '),
    },
    body,
  }
  try {
    const answer = await call(url, request, {
      ...{ agent, clock, owner: OWNER, deadline: DEADLINE, largest: LARGEST_ANSWER },
      ...(signal !== undefined && { signal }),
    })
    const { status } = answer
    if (status >= 200 && status < 300) return { isTaken: true, status }
    const notBefore = readRetryAfter(headerOf(answer, 'retry-after'), clock.now())
    return { isTaken: false, reason: `http_${status}`, status, notBefore }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return { isTaken: false, reason: error.reason, status: null, notBefore: undefined }
  }
}
