import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { type Millis, SECOND } from './core/clock.ts'
import { PLAN_NAMES, type Plan, RATES, type Rate, type RateName, type Rates } from './core/limits.ts'

/** A social sign-in provider as the operator configured it. */
export interface ProviderConfig {
  issuer: string
  clientId: string
  clientSecret: string
}

export interface Config {
  host: string
  port: number
  /** Where people reach this server, without a trailing slash; builds every link. */
  baseUrl: string
  /** Where links in mails lead: `baseUrl`, or a front end of the operator's own. */
  appUrl: string
  dataDir: string
  /** undefined: the embedded store in `dataDir`. */
  databaseUrl: string | undefined
  /** undefined: generated in `dataDir`. */
  secretKey: string | undefined
  role: 'all' | 'api' | 'worker'
  smtpUrl: string | undefined
  mailFrom: string
  allowedOrigins: string[]
  /** Addresses or networks of proxies whose X-Forwarded-For counts. */
  trustProxy: string[]
  allowedNetworks: string[]
  defaultPlan: Plan
  signUpProof: 'mailbox' | 'none'
  tokenCheck: 'live' | 'stateless'
  logLevel: string
  metricsToken: string | undefined
  retentionDays: number
  rates: Rates
  hashConcurrency: number
  /** How long it still answers after the signal to end, with `/readyz` at 503. */
  drain: Millis
  /** Where the terms stand that a sign-up accepts. */
  termsUrl: string | undefined
  google: ProviderConfig | undefined
  microsoft: (ProviderConfig & { trustedTenants: string[] }) | undefined
  production: boolean
}

/** One variable: what it means to a reader of the README, and how its text becomes a value. */
interface Variable<T> {
  default: string
  about: string
  /** @throws Error whose message continues "NAME ": `must be …` */
  read: (text: string) => T
}

const optional = (text: string): string | undefined => (text === '' ? undefined : text)
const list = (text: string): string[] => text.split(',').flatMap((item) => item.trim() || [])

function oneOf<const T extends string>(...values: T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text)
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`)
    return found
  }
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`)
    }
    return Number(text)
  }
}

function url(...schemes: string[]): (text: string) => string | undefined {
  return (text) => {
    if (text === '') return undefined
    const parsed = URL.parse(text)
    if (parsed === null || !schemes.includes(parsed.protocol)) {
      throw new Error(`must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
    }
    return text
  }
}

function webUrl(text: string): string | undefined {
  const address = url('http:', 'https:')(text)
  if (address === undefined) return undefined
  const parsed = new URL(address)
  if (parsed.search || parsed.hash || parsed.username || parsed.password) {
    throw new Error('must be a plain URL without credentials, query or fragment')
  }
  return address.replace(/\/+$/, '')
}

function origins(text: string): string[] {
  return list(text).map((item) => {
    const parsed = URL.parse(item)
    if (parsed === null || parsed.origin === 'null' || parsed.origin !== item.replace(/\/$/, '')) {
      throw new Error(`must list exact origins such as https://app.example.com; "${item}" is none`)
    }
    return parsed.origin
  })
}

function networks(text: string): string[] {
  return list(text).map((item) => {
    const [address = '', bits] = item.split('/')
    const version = isIP(address)
    const widest = version === 4 ? 32 : 128
    if (version === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= widest))) {
      throw new Error(`must list networks such as 10.0.0.0/8; "${item}" is none`)
    }
    return bits === undefined ? `${address}/${widest}` : item
  })
}

function secretKey(text: string): string | undefined {
  if (text !== '' && Buffer.byteLength(text) < 32) throw new Error('must be at least 32 bytes long')
  return optional(text)
}

function mailFrom(text: string): string {
  if (/[\r\n]/.test(text) || !/@/.test(text)) throw new Error('must be a mail address')
  return text
}

function rates(text: string): Rates {
  const merged: Rates = { ...RATES }
  if (text === '') return merged
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new Error('must be JSON such as {"signInPerIp":{"max":60,"windowMs":60000}}')
  }
  for (const [name, rate] of Object.entries(given as Record<string, Partial<Rate>>)) {
    if (!Object.hasOwn(RATES, name))
      throw new Error(`names no limit "${name}"; there are ${Object.keys(RATES).join(', ')}`)
    const row = { ...merged[name as RateName], ...rate }
    if (!Number.isInteger(row.max) || !Number.isInteger(row.windowMs) || row.max < 1 || row.windowMs < 1) {
      throw new Error(`must give "${name}" whole numbers max and windowMs above 0`)
    }
    merged[name as RateName] = row
  }
  return merged
}

/** Every variable of the environment that Postern reads, in the order of the README's table. */
export const VARIABLES = {
  HOST: {
    default: '127.0.0.1',
    about: 'Address to listen on. `0.0.0.0` opens it to the network.',
    read: (text) => text,
  },
  PORT: { default: '3000', about: 'Port to listen on; `0` takes a free one.', read: integer(0, 65_535) },
  BASE_URL: {
    default: '',
    about:
      'Where people reach Postern; builds every link. Default: `http://localhost:PORT`. Must be https in production.',
    read: webUrl,
  },
  APP_URL: {
    default: '',
    about: 'Where links in mails lead. Default: `BASE_URL`, with its hosted pages.',
    read: webUrl,
  },
  TERMS_URL: {
    default: '',
    about: 'Where your terms of use can be read; the sign-up page leads there.',
    read: url('http:', 'https:'),
  },
  DATA_DIR: {
    default: './data',
    about: 'Folder of the embedded database and the generated key.',
    read: (text) => resolve(text),
  },
  DATABASE_URL: {
    default: '',
    about: '`postgres://…` moves everything to PostgreSQL. Default: embedded SQLite in `DATA_DIR`.',
    read: url('postgres:', 'postgresql:'),
  },
  SECRET_KEY: {
    default: '',
    about:
      'Master key, 32 bytes or more; encrypts secrets at rest. Default: generated in `DATA_DIR/secret.key`.',
    read: secretKey,
  },
  ROLE: {
    default: 'all',
    about: '`all`, `api` (serves HTTP) or `worker` (sends mails and webhooks).',
    read: oneOf('all', 'api', 'worker'),
  },
  SMTP_URL: {
    default: '',
    about: '`smtp://user:password@host:587`. Without it mails are kept and shown by `npx postern mail`.',
    read: url('smtp:', 'smtps:'),
  },
  MAIL_FROM: { default: 'Postern <postern@localhost>', about: 'Sender of the mails.', read: mailFrom },
  ALLOWED_ORIGINS: {
    default: '',
    about: 'Comma-separated origins of your front ends: for CORS, and where sign-ins may return to.',
    read: origins,
  },
  TRUST_PROXY: {
    default: '',
    about: 'Comma-separated addresses or networks of your proxies; only their `X-Forwarded-For` counts.',
    read: networks,
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks that webhooks may reach, e.g. `127.0.0.0/8,::1/128` for a trial.',
    read: networks,
  },
  DEFAULT_PLAN: {
    default: 'scale',
    about: `Plan of a new organization: ${PLAN_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
    read: oneOf(...PLAN_NAMES),
  },
  SIGN_UP_PROOF: {
    default: 'mailbox',
    about:
      '`mailbox`: a sign-up without the invitation link must confirm its address. `none`: an invited address is enough.',
    read: oneOf('mailbox', 'none'),
  },
  TOKEN_CHECK: {
    default: 'live',
    about:
      '`live`: a token dies with its session or membership, within 5 s. `stateless`: it lives its 60 minutes.',
    read: oneOf('live', 'stateless'),
  },
  LIMITS: {
    default: '',
    about: 'JSON that changes rates of the access flows, e.g. `{"signInPerIp":{"max":60}}`.',
    read: rates,
  },
  HASH_CONCURRENCY: {
    default: '',
    about: 'Password hashes computed at once. Default: the number of cores.',
    read: (text) => (text === '' ? availableParallelism() : integer(1, 64)(text)),
  },
  DRAIN_SECONDS: {
    default: '0',
    about:
      'Seconds for which it still answers after SIGTERM while `/readyz` says 503, so that a load balancer turns away first.',
    read: (text) => integer(0, 300)(text) * SECOND,
  },
  RETENTION_DAYS: {
    default: '30',
    about: 'Days for which event bodies, attempts and mails are kept.',
    read: integer(1, 3_650),
  },
  METRICS_TOKEN: {
    default: '',
    about: 'Bearer token for `/metrics`. Default: only this machine may read it.',
    read: optional,
  },
  LOG_LEVEL: {
    default: 'info',
    about: '`debug`, `info`, `warn`, `error` or `silent`.',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  NODE_ENV: {
    default: '',
    about: '`production` refuses to start with a `BASE_URL` that is not https.',
    read: (text) => text === 'production',
  },
  GOOGLE_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Google, with the next one.',
    read: optional,
  },
  GOOGLE_CLIENT_SECRET: { default: '', about: '', read: optional },
  GOOGLE_ISSUER: {
    default: 'https://accounts.google.com',
    about: 'The issuer of Google.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Microsoft, with the next one.',
    read: optional,
  },
  MICROSOFT_CLIENT_SECRET: { default: '', about: '', read: optional },
  MICROSOFT_ISSUER: {
    default: 'https://login.microsoftonline.com/organizations/v2.0',
    about: 'The issuer of Microsoft; `…/{tenant}/v2.0` for one tenant.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_TRUSTED_TENANTS: {
    default: '',
    about: 'Comma-separated tenant ids whose e-mail addresses are believed without a mark of verification.',
    read: list,
  },
} as const satisfies Record<string, Variable<unknown>>

type Values = { [Name in keyof typeof VARIABLES]: ReturnType<(typeof VARIABLES)[Name]['read']> }

/** Bad configuration: every problem at once, one line each, in plain words. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * Reads the configuration, from the process's environment unless a test passes its own.
 * @throws ConfigError
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const text = env[name]?.trim() ?? ''
    try {
      values[name] = variable.read(text === '' ? variable.default : text)
    } catch (error) {
      problems.push(
        `${name} ${(error as Error).message}${text.length <= 80 && isPublic(name) ? ` (it is "${text}")` : ''}`,
      )
    }
  }
  const read = values as Values
  const baseUrl = read.BASE_URL ?? `http://localhost:${read.PORT}`
  if (read.NODE_ENV && read.BASE_URL === undefined) problems.push('BASE_URL must be set in production')
  else if (read.NODE_ENV && !isSafe(baseUrl))
    problems.push(`BASE_URL must start with https:// in production (it is "${baseUrl}")`)
  if (
    read.ROLE !== 'all' &&
    read.DATABASE_URL === undefined &&
    !problems.some((line) => line.startsWith('DATABASE_URL'))
  ) {
    problems.push(`ROLE=${read.ROLE} needs DATABASE_URL: the embedded database serves one process`)
  }
  const google = provider(
    'GOOGLE',
    read.GOOGLE_CLIENT_ID,
    read.GOOGLE_CLIENT_SECRET,
    read.GOOGLE_ISSUER,
    problems,
  )
  const microsoft = provider(
    'MICROSOFT',
    read.MICROSOFT_CLIENT_ID,
    read.MICROSOFT_CLIENT_SECRET,
    read.MICROSOFT_ISSUER,
    problems,
  )
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    host: read.HOST,
    port: read.PORT,
    baseUrl,
    appUrl: read.APP_URL ?? baseUrl,
    termsUrl: read.TERMS_URL,
    dataDir: read.DATA_DIR,
    databaseUrl: read.DATABASE_URL,
    secretKey: read.SECRET_KEY,
    role: read.ROLE,
    smtpUrl: read.SMTP_URL,
    mailFrom: read.MAIL_FROM,
    allowedOrigins: [
      ...new Set([...read.ALLOWED_ORIGINS, new URL(baseUrl).origin, new URL(read.APP_URL ?? baseUrl).origin]),
    ],
    trustProxy: read.TRUST_PROXY,
    allowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS,
    defaultPlan: read.DEFAULT_PLAN,
    signUpProof: read.SIGN_UP_PROOF,
    tokenCheck: read.TOKEN_CHECK,
    logLevel: read.LOG_LEVEL,
    metricsToken: read.METRICS_TOKEN,
    retentionDays: read.RETENTION_DAYS,
    rates: read.LIMITS,
    hashConcurrency: read.HASH_CONCURRENCY,
    drain: read.DRAIN_SECONDS,
    google,
    microsoft: microsoft && { ...microsoft, trustedTenants: read.MICROSOFT_TRUSTED_TENANTS },
    production: read.NODE_ENV,
  }
}

/** A secret, or a URL that may hold one, is never repeated in a message. */
function isPublic(name: string): boolean {
  return !/SECRET|TOKEN|KEY|DATABASE_URL|SMTP_URL/.test(name)
}

/** Whether a base URL may carry sessions: https, or plain http on this machine. */
function isSafe(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'https:' || isLocalhost(hostname)
}

/** Names of this machine, as they stand in a URL. */
export function isLocalhost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\./.test(hostname)
  )
}

function provider(
  name: string,
  clientId: string | undefined,
  clientSecret: string | undefined,
  issuer: string | undefined,
  problems: string[],
): ProviderConfig | undefined {
  if (clientId === undefined && clientSecret === undefined) return undefined
  if (clientId === undefined) problems.push(`${name}_CLIENT_ID must be set beside ${name}_CLIENT_SECRET`)
  if (clientSecret === undefined) problems.push(`${name}_CLIENT_SECRET must be set beside ${name}_CLIENT_ID`)
  if (clientId === undefined || clientSecret === undefined || issuer === undefined) return undefined
  return { issuer, clientId, clientSecret }
}
