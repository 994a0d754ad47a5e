import { decode, fromHex, type HeadersLike, headerOf, join, toBase64, toHex, utf8 } from './bytes.ts'
import type { EventData } from './types.gen.ts'

/** Why a call is not genuine. */
export type Reason =
  | 'missing_header'
  | 'malformed'
  | 'too_old'
  | 'too_new'
  | 'body_was_parsed'
  | 'wrong_secret'

/** The body of a call: one of the built-in events, by its type. */
export type WebhookEvent = {
  [T in keyof EventData]: { id: string; type: T; createdAt: string; data: EventData[T] }
}[keyof EventData]

/** The error of a call whose signature does not hold. Answer 401 without a body. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: Reason

  constructor(reason: Reason, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface VerifyOptions {
  /** The raw body, to the byte. */
  body: string | Uint8Array | ArrayBuffer
  headers: HeadersLike
  /** `whsec_…`; several while one is rotated. */
  secrets: string | readonly string[]
  /** How far the time of signing may be from now, in seconds; 300 unless set. */
  toleranceSeconds?: number
  /** Milliseconds since 1970; the clock unless set. */
  now?: number
  /**
   * The signature that is checked. `standard` (Standard Webhooks), the default, includes the time of signing. `service` is
   * `X-Service-Signature`; against its replay only remembered ids help.
   */
  scheme?: 'standard' | 'service'
}

/**
 * Checks that a call comes from Postern, and reads it.
 * @throws WebhookError whose `reason` says what is wrong
 */
export async function verify<T = WebhookEvent>(options: VerifyOptions): Promise<T> {
  const { secrets, toleranceSeconds = 300, now = Date.now(), scheme = 'standard' } = options
  const body = bytesOf(options.body)
  const { given, prefix } =
    scheme === 'standard'
      ? readStandard(options.headers, toleranceSeconds, now)
      : readService(options.headers)
  const keys = await Promise.all([secrets].flat().map((secret) => importKey(secret as string, scheme)))
  if (await fits(keys, given, prefix, body)) return parse<T>(body)
  // A body that was parsed and serialized again often differs only in its blanks; a variant of it then fits.
  for (const other of rewritten(body))
    if (await fits(keys, given, prefix, other)) throw new WebhookError('body_was_parsed', PARSED)
  throw new WebhookError('wrong_secret', 'No secret fits, or the body is not what was signed.')
}

const PARSED = 'The body was parsed: pass the raw bytes.'

/** Makes the headers of a call that `verify` takes, for tests of a receiver. */
export async function sign(options: {
  body: string | Uint8Array
  secret: string
  id?: string
  now?: number
}): Promise<Record<string, string>> {
  const { secret, id = `evt_${crypto.randomUUID()}`, now = Date.now() } = options
  const body = bytesOf(options.body)
  const timestamp = Math.floor(now / 1_000)
  const [standard, service] = await Promise.all(
    (['standard', 'service'] as const).map(async (scheme) => {
      const key = await importKey(secret, scheme)
      const signed = scheme === 'standard' ? join(`${id}.${timestamp}.`, body) : body
      return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
    }),
  )
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${toBase64(standard ?? utf8.encode(''))}`,
    'x-service-signature': `sha256=${toHex(service ?? utf8.encode(''))}`,
  }
}

/** The bytes of the key: the decoded base64, or the text itself. */
async function importKey(secret: string, scheme: 'standard' | 'service'): Promise<CryptoKey> {
  const raw = scheme === 'service' ? utf8.encode(secret) : decode(secret.replace(/^whsec_/, ''))
  if (raw === undefined || raw.length === 0)
    throw new WebhookError('malformed', 'The secret is not whsec_ and base64.')
  return crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function readStandard(headers: HeadersLike, tolerance: number, now: number) {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
    need(headers, `webhook-${name}`),
  )
  if (!/^\d{1,12}$/.test(timestamp ?? ''))
    throw new WebhookError('malformed', 'webhook-timestamp is no number.')
  const age = now / 1_000 - Number(timestamp)
  if (age > tolerance) throw new WebhookError('too_old', `It was signed ${Math.round(age)} s ago.`)
  if (-age > tolerance) throw new WebhookError('too_new', `It was signed ${Math.round(-age)} s from now.`)
  const given = (signature ?? '')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? (decode(one.slice(3)) ?? []) : []))
  if (given.length === 0) throw new WebhookError('malformed', 'webhook-signature has no v1, and base64.')
  return { given, prefix: `${id}.${timestamp}.` }
}

function readService(headers: HeadersLike) {
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(need(headers, 'x-service-signature')) ?? []
  if (hex === undefined)
    throw new WebhookError('malformed', 'x-service-signature is not sha256= and lowercase hex.')
  return { given: [fromHex(hex)], prefix: '' }
}

function need(headers: HeadersLike, name: string): string {
  const value = headerOf(headers, name)
  if (value === undefined) throw new WebhookError('missing_header', `The header ${name} is missing.`)
  return value
}

/** Signs once for each key, for any number of given signatures, and compares in constant time. */
async function fits(
  keys: CryptoKey[],
  given: Uint8Array[],
  prefix: string,
  body: Uint8Array,
): Promise<boolean> {
  const signed = join(prefix, body)
  for (const key of keys) {
    const ours = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
    const differs = (one: Uint8Array) =>
      ours.reduce((sum, byte, at) => sum | (byte ^ (one[at] ?? 0)), ours.length ^ one.length)
    if (!given.every(differs)) return true
  }
  return false
}

function rewritten(body: Uint8Array): Uint8Array<ArrayBuffer>[] {
  try {
    return [utf8.encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body))))]
  } catch {
    return []
  }
}

function parse<T>(body: Uint8Array): T {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as T
  } catch {
    throw new WebhookError('malformed', 'The body is no JSON.')
  }
}

function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return utf8.encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  throw new WebhookError('body_was_parsed', PARSED)
}
