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

/** One request, from the look-up of the name to the last byte of the answer. */
const DEADLINE: Millis = 15 * SECOND
/** What is read of an answer, in bytes. A longer one counts by its status all the same. */
const LARGEST_ANSWER = 64 * 1024
/** The share of connections and look-ups that streams have. */
const OWNER = 'audit streams'

export interface PostDeps {
  agent: Agent
  clock: Clock
  vault: Vault
}

/** An entry, as the lists of the audit log show it. */
type Entry = ReturnType<typeof toWire>

/** What one request has brought. */
export type Posted =
  | { isTaken: true; status: number }
  /** `reason`: `http_503`, `timeout` and so on. */
  | { isTaken: false; reason: string; status: number | null; notBefore: Millis | undefined }

/** A stream, opened: what a request to it is made of. */
interface Target {
  url: string
  headers: Record<string, string>
  /** The newest first; replaced ones that still sign behind it. */
  secrets: string[]
}

/** Reads what a request to a stream is made of. @throws Error where the master key is another one */
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
 * POSTs entries as lines of JSON, signed. A receiver that still holds an older secret, and reads our own header, refuses the newest
 * signature: it is called once more with each of them.
 */
export async function postEntries(deps: PostDeps, target: Target, entries: Entry[]): Promise<Posted> {
  const body = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  // The same for the same entries, so that a receiver may know a repetition by it.
  const id = `batch_${fingerprint(entries.map((entry) => entry.id).join(' ')).slice(0, 32)}`
  let posted = await postOnce(deps, target, { id, body, secret: target.secrets[0] ?? '' })
  for (const secret of target.secrets.slice(1)) {
    if (posted.status !== 401 && posted.status !== 403) break
    posted = await postOnce(deps, target, { id, body, secret })
  }
  return posted
}

interface Message {
  id: string
  body: Buffer
  /** The one of our own header. */
  secret: string
}

async function postOnce(
  { agent, clock }: PostDeps,
  { url: text, headers, secrets }: Target,
  { id, body, secret }: Message,
): Promise<Posted> {
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
    const limits = { agent, clock, owner: OWNER, deadline: DEADLINE, largest: LARGEST_ANSWER }
    const answer = await call(url, request, limits)
    const { status } = answer
    if (status >= 200 && status < 300) return { isTaken: true, status }
    const notBefore = readRetryAfter(headerOf(answer, 'retry-after'), clock.now())
    return { isTaken: false, reason: `http_${status}`, status, notBefore }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    return { isTaken: false, reason: error.reason, status: null, notBefore: undefined }
  }
}
