import type { HeadersLike } from './bytes.ts'
import { decode, fromHex, headerOf, join, toBase64, toHex, utf8 } from './bytes.ts'

/** The mistakes that make a receiver's signature differ from the sender's. */
export type Cause =
  | 'missing_header'
  | 'malformed'
  | 'too_old'
  | 'too_new'
  | 'previous_secret'
  | 'secret_has_guest'
  | 'body_was_parsed'
  | 'body_changed'
  | 'wrong_key_form'
  | 'wrong_content'
  | 'wrong_encoding'
  | 'wrong_secret'

export interface Finding {
  cause: Cause
  /** The mistake and its remedy, in a sentence. */
  text: string
}

export interface Diagnosis {
  /** Whether the call's own signature holds for the body and a secret exactly as they were given. */
  isGenuine: boolean
  /** The mistakes, the gravest first; empty where the signature holds. */
  findings: Finding[]
}

export interface DiagnoseOptions {
  body: string | Uint8Array
  headers: HeadersLike
  /** The current one first. */
  secrets: string | readonly string[]
  /** The signature that the receiver's own code computed; the findings then name its mistake. */
  computed?: string
  toleranceSeconds?: number
  now?: number
}

/** One way to make a signature; each deviation has its finding. */
interface Way {
  bytes: Uint8Array
  isStandard: boolean
  secret: number
  findings: Finding[]
}

const TEXTS: Record<Cause, string> = {
  missing_header:
    'Neither webhook-signature nor X-Service-Signature is there: something on the way has taken it out, or the call is not Postern’s.',
  malformed: 'The signature is written in a way that none of the two has.',
  too_old: 'It was signed too long ago: a repeated call, or a clock that is ahead.',
  too_new: 'It was signed in the future: a clock is behind.',
  previous_secret:
    'It fits a secret that is not the first one given: a rotation is under way, and this secret ends with it.',
  secret_has_guest:
    'The secret has a blank, a newline or quotes around it, or lacks its whsec_: copy it once more. It has 50 characters.',
  body_was_parsed: 'The body was parsed and written again: take the raw bytes, before any JSON middleware.',
  body_changed:
    'The body is another by its line ends, a newline at its end or a byte order mark: take the bytes as they came.',
  wrong_key_form:
    'The key has the wrong form: X-Service-Signature takes the whole secret as text, webhook-signature the bytes that the base64 after whsec_ stands for.',
  wrong_content:
    'The wrong text is signed: webhook-signature signs id.timestamp.body, X-Service-Signature the body alone.',
  wrong_encoding:
    'It is written in the wrong way: X-Service-Signature is sha256= and lowercase hex, webhook-signature v1, and base64.',
  wrong_secret:
    'No secret fits, in no form: it is another webhook’s or an older one (compare secretHint), or the body is another one.',
}

/** Changes that turn a received body into the signed one, the most likely first. */
const SHIFTS: [Cause, (body: string) => string][] = [
  ['body_changed', (body) => body.replace(/\s+$/, '')],
  ['body_changed', (body) => `${body}\n`],
  ['body_changed', (body) => body.replaceAll('\r\n', '\n')],
  ['body_changed', (body) => body.replace(/^\uFEFF/, '')],
  ['body_was_parsed', (body) => JSON.stringify(JSON.parse(body))],
  ['body_was_parsed', (body) => JSON.stringify(JSON.parse(body), null, 2)],
  ['body_was_parsed', (body) => JSON.stringify(JSON.parse(body), null, 4)],
  ['body_was_parsed', (body) => JSON.stringify(JSON.stringify(JSON.parse(body)))],
]

/** Says why a signature does not fit, by trying the common mistakes. Nothing leaves the machine. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const { headers, computed, toleranceSeconds = 300, now = Date.now() } = options
  const standard = headerOf(headers, 'webhook-signature')
  const service = headerOf(headers, 'x-service-signature')
  const targets =
    computed === undefined
      ? [...(standard?.split(' ') ?? []), ...(service === undefined ? [] : [service])]
      : [computed]
  if (targets.length === 0) return { isGenuine: false, findings: [finding('missing_header')] }
  const ways = await waysOf(options)
  const age = ageOf(headers, now)
  const late =
    age === undefined || Math.abs(age) <= toleranceSeconds ? [] : [finding(age > 0 ? 'too_old' : 'too_new')]
  const found = targets.flatMap((target) =>
    ways.flatMap((way) => match(way, target.trim(), computed !== undefined)),
  )
  found.sort((a, b) => a.length - b.length)
  const [best] = found
  if (best !== undefined) {
    const isGenuine = computed === undefined && best.every(({ cause }) => cause === 'previous_secret')
    return { isGenuine, findings: [...best, ...late] }
  }
  const isWritten = targets.some((target) => spellings(target.trim()).length > 0)
  return { isGenuine: false, findings: [finding(isWritten ? 'wrong_secret' : 'malformed'), ...late] }
}

/** The deviations of a way that gives exactly this signature. */
function match({ bytes, isStandard, findings }: Way, target: string, isComputed: boolean): Finding[][] {
  const exact = isStandard ? `v1,${toBase64(bytes)}` : `sha256=${toHex(bytes)}`
  if (target === exact) return [findings]
  const fits = spellings(target).some((one) => toHex(one) === toHex(bytes))
  // The receiver's own comparison may leave out the prefix of the value.
  const isBare =
    isComputed &&
    (target === toHex(bytes) || target === toBase64(bytes)) &&
    target === exact.split(/[=,]/, 2)[1]
  return fits ? [isBare ? findings : [...findings, finding('wrong_encoding')]] : []
}

/** The bytes that a text may encode. */
function spellings(target: string): Uint8Array[] {
  const bare = target.replace(/^(sha256=|v1,|v1=)/i, '')
  const hex = /^[0-9a-f]{64}$/i.test(bare) ? [fromHex(bare.toLowerCase())] : []
  const base64 = decode(bare.replaceAll('-', '+').replaceAll('_', '/'))
  return [...hex, ...(base64?.length === 32 ? [base64] : [])]
}

/** Every way, the right ones first. */
async function waysOf({ body, headers, secrets }: DiagnoseOptions): Promise<Way[]> {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const bodies: [Uint8Array, Finding[]][] = [
    [typeof body === 'string' ? utf8.encode(body) : body, []],
    ...shifted(text),
  ]
  const id = headerOf(headers, 'webhook-id') ?? ''
  const timestamp = headerOf(headers, 'webhook-timestamp') ?? ''
  const made = [secrets].flat().flatMap((secret, place) =>
    keysOf(secret as string).flatMap(({ key, isWhole, findings }) =>
      bodies.flatMap(([bytes, changed]) =>
        [true, false].flatMap((isPrefixed) =>
          [true, false].map(async (isStandard): Promise<Way> => {
            const content = isPrefixed ? join(`${id}.${timestamp}.`, bytes) : join('', bytes)
            return {
              bytes: await hmac(key, content),
              isStandard,
              secret: place,
              findings: [
                ...(place > 0 ? [finding('previous_secret')] : []),
                ...findings,
                ...changed,
                ...(isWhole === isStandard ? [finding('wrong_key_form')] : []),
                ...(isPrefixed === isStandard ? [] : [finding('wrong_content')]),
              ],
            }
          }),
        ),
      ),
    ),
  )
  return (await Promise.all(made)).sort((a, b) => a.findings.length - b.findings.length)
}

function shifted(text: string): [Uint8Array, Finding[]][] {
  return SHIFTS.flatMap(([cause, shift]) => {
    try {
      const other = shift(text)
      return other === text ? [] : [[utf8.encode(other), [finding(cause)]] as [Uint8Array, Finding[]]]
    } catch {
      return []
    }
  })
}

/** The keys that a secret may give: of the text as it is, and without quotes, blanks or prefix. */
function keysOf(secret: string): { key: Uint8Array; isWhole: boolean; findings: Finding[] }[] {
  const bare = secret
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .trim()
  const clean = bare.startsWith('whsec_') ? bare : `whsec_${bare}`
  const forms = [...new Set([secret, clean])]
  return forms.flatMap((form) => {
    const findings = form === secret && secret === clean ? [] : [finding('secret_has_guest')]
    const decoded = decode(form.replace(/^whsec_/, ''))
    return [
      { key: utf8.encode(form), isWhole: true, findings },
      ...(decoded === undefined || decoded.length === 0 ? [] : [{ key: decoded, isWhole: false, findings }]),
    ]
  })
}

async function hmac(raw: Uint8Array, content: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', raw as Uint8Array<ArrayBuffer>, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, content as Uint8Array<ArrayBuffer>))
}

function ageOf(headers: HeadersLike, now: number): number | undefined {
  const written = headerOf(headers, 'webhook-timestamp')
  return written !== undefined && /^\d{1,12}$/.test(written) ? now / 1_000 - Number(written) : undefined
}

function finding(cause: Cause): Finding {
  return { cause, text: TEXTS[cause] }
}
