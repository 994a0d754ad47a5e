import type { Millis } from '../core/clock.ts'
import type { Language } from '../core/language.ts'
import type { Rates } from '../core/limits.ts'
import { BUILT_IN_PLANS, type PlanBook } from '../core/plans.ts'
import { isLocalhost, isSafe } from '../core/text/web-address.ts'
import type { Schedule } from './backup-schedule.ts'
import { type BackupTo, inStorage } from './backup-to.ts'
import type { S3Config } from './blobs-url.ts'
import {
  type EmbeddingsConfig,
  type ProviderConfig,
  readEmbeddings,
  readProvider,
  readStripe,
  type SocialProviderConfig,
  type StripeConfig,
} from './grouped-variables.ts'
import { findMisspelt, type Misspelt } from './misspelt.ts'
import { type ModelConfig, readModels } from './models-file.ts'
import { readPlans } from './plans-file.ts'
import type { Product } from './product-variables.ts'
import { type ConnectionProvider, readConnections } from './providers-file.ts'
import { isPublic, withoutSecrets } from './redact.ts'
import { readSocialProviders } from './social-file.ts'
import { readTelemetry, type TelemetryConfig } from './telemetry.ts'
import { TELEMETRY_VARIABLES } from './telemetry-variables.ts'
import { defaultSender } from './values.ts'
import { VARIABLES } from './variables.ts'
import { countWorkers } from './workers.ts'

export type { ProviderConfig, SocialProviderConfig, StripeConfig }

/** The operator's credentials over HTTP. */
interface OperatorTokens {
  metricsToken: string | undefined
  /** undefined: there is no operator API. */
  operatorToken: string | undefined
}

/** What the operator has set, by the room that it is for: a signature says what of it may be read. */
export interface Config {
  role: 'all' | 'api' | 'worker'
  /** How many processes serve on the port; with the embedded store it is one. */
  workers: number
  production: boolean
  /** Whether the clock may be moved, for trials. */
  devClock: boolean
  /** Variables that are nearly one of ours. */
  misspelt: Misspelt[]
  /** Where people find it. */
  web: {
    /** Where people reach this server, without a trailing slash; builds every link. */
    baseUrl: string
    /** Where links in mails lead: `baseUrl`, or a front end of the operator's own. */
    appUrl: string
    /** Whether a variable says where the server is; else `baseUrl` is the default. */
    isAddressSet: boolean
    /** Whether `/console` is there. */
    console: boolean
    product: Product
    /** Where the terms stand that a sign-up accepts. */
    termsUrl: string | undefined
    /** Of pages and mails where nobody has chosen one. */
    language: Language
    allowedOrigins: string[]
  }
  http: {
    host: string
    port: number
    /** Addresses or networks of proxies whose X-Forwarded-For counts. */
    trustProxy: string[]
    rates: Rates
  }
  store: {
    dataDir: string
    /** undefined: the embedded store in `dataDir`. */
    databaseUrl: string | undefined
    /** The same database past a pooler; undefined: `databaseUrl` serves for all. */
    databaseDirectUrl: string | undefined
    /** Connections to PostgreSQL at most. */
    databasePool: number
    /** undefined: generated in `dataDir`. */
    secretKey: string | undefined
    /** What the key is to be changed to. */
    nextSecretKey: string | undefined
  }
  blobs: {
    /** undefined: a folder in `dataDir`. */
    s3: S3Config | undefined
  }
  backups: {
    /** Where they are made by themselves; undefined: none are. */
    to: BackupTo | undefined
    schedule: Schedule
    /** How many are kept there. */
    keep: number
    /** Seals the key in them; undefined: it is left out. */
    passphrase: string | undefined
  }
  mail: {
    /** undefined: mails are kept, not sent. */
    smtpUrl: string | undefined
    from: string
  }
  access: {
    signUpProof: 'mailbox' | 'none'
    tokenCheck: 'live' | 'stateless'
    hashConcurrency: number
    /** From when on every member needs a second factor; undefined: never. */
    secondFactorFrom: Millis | undefined
    /** How applications may make themselves known. */
    oauth: {
      registration: boolean
      clientDocuments: boolean
      /** Private networks that the documents of clients may be in. */
      allowedNetworks: string[]
      deviceFlow: boolean
    }
    /** The providers that people sign in with, whichever their organizations are. */
    social: SocialProviderConfig[]
    /** Private networks that identity providers of organizations may be in. */
    allowedNetworks: string[]
  }
  delivery: {
    /** Private networks that webhooks may be in. */
    allowedNetworks: string[]
  }
  files: {
    /** Private networks that files may be fetched from. */
    allowedNetworks: string[]
    /** How long one file may be read. */
    parseSeconds: number
  }
  connections: {
    providers: ConnectionProvider[]
    /** Private networks that those may be in. */
    allowedNetworks: string[]
  }
  knowledge: {
    /** undefined: search by words alone. */
    embeddings: EmbeddingsConfig | undefined
  }
  agents: {
    /** Models beside the built-in one. */
    models: ModelConfig[]
    /** Private networks that MCP servers may be in. */
    mcpNetworks: string[]
  }
  plans: {
    book: PlanBook
    /** A name of `book`. */
    default: string
  }
  billing: {
    /** undefined: payments are settled by hand. */
    stripe: StripeConfig | undefined
  }
  operations: OperatorTokens & {
    logLevel: string
    retentionDays: number
    auditDays: number
    /** How long it still answers after the signal to end, with `/readyz` at 503. */
    drain: Millis
  }
  /** undefined: nothing is sent to a collector. */
  telemetry: TelemetryConfig | undefined
}

/** Where a server is reached that no setting gives an address. */
const localUrl = (port: number | string) => `http://localhost:${port}`

/**
 * The configuration of a server with `PORT=0` once its port is known: it listens there, and addresses that no setting gives
 * name it.
 */
export function withPort(config: Config, port: number): Config {
  const known = (url: string) => (url === localUrl(0) ? localUrl(port) : url)
  const { baseUrl, appUrl, allowedOrigins } = config.web
  return {
    ...config,
    http: { ...config.http, port },
    web: {
      ...config.web,
      baseUrl: known(baseUrl),
      appUrl: known(appUrl),
      allowedOrigins: allowedOrigins.map(known),
    },
  }
}

type Values = { [Name in keyof typeof VARIABLES]: ReturnType<(typeof VARIABLES)[Name]['read']> }

/** Turns telemetry off. */
const OFF = 'OTEL_SDK_DISABLED'

/** Bad configuration: every problem at once, one line each, in plain words. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** A variable of a command, such as a key, that is no setting of the server. */
export const readVariable = (name: string, env: NodeJS.ProcessEnv = process.env) =>
  env[name]?.trim() || undefined

/**
 * Reads the configuration, from the process's environment unless a test passes its own.
 * @throws ConfigError
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  const isOff = env[OFF]?.trim() === 'true'
  for (const [name, variable] of Object.entries(VARIABLES)) {
    // What is turned off may be set for other programs, in ways that this one does not take.
    const isIdle = isOff && name !== OFF && Object.hasOwn(TELEMETRY_VARIABLES, name)
    const text = isIdle ? '' : (env[name]?.trim() ?? '')
    try {
      values[name] = variable.read(text === '' ? variable.default : text)
    } catch (error) {
      const shown = text.length <= 80 && isPublic(name) ? ` (it is "${text}")` : ''
      problems.push(`${name} ${(error as Error).message}${shown}`)
    }
  }
  const read = values as Values
  // A variable with a problem of its own has no value here, and none of the following is said about it.
  const isRead = (name: keyof Values) => Object.hasOwn(values, name)
  const baseUrl = read.BASE_URL ?? localUrl(read.PORT ?? '')
  if (read.NODE_ENV && isRead('BASE_URL') && read.BASE_URL === undefined)
    problems.push('BASE_URL must be set in production')
  else if (read.NODE_ENV && !isSafe(baseUrl))
    problems.push(`BASE_URL must start with https:// in production (it is "${baseUrl}")`)
  if (read.DEV_CLOCK && (read.NODE_ENV || !isLocalhost(new URL(baseUrl).hostname)))
    problems.push('DEV_CLOCK=on is for trials: not in production, and with a BASE_URL of this machine')
  if (isRead('ROLE') && read.ROLE !== 'all' && isRead('DATABASE_URL') && read.DATABASE_URL === undefined)
    problems.push(`ROLE=${read.ROLE} needs DATABASE_URL: the embedded database serves one process`)
  if (typeof read.WORKERS === 'number' && read.WORKERS > 1 && isRead('DATABASE_URL') && !read.DATABASE_URL)
    problems.push(`WORKERS=${read.WORKERS} needs DATABASE_URL: the embedded database serves one process`)
  if (read.DATABASE_DIRECT_URL !== undefined && isRead('DATABASE_URL') && read.DATABASE_URL === undefined)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL beside it')
  let backups: BackupTo | undefined
  try {
    if (read.BACKUP_TO !== undefined && isRead('BLOBS_URL'))
      backups = inStorage(read.BACKUP_TO, read.BLOBS_URL)
  } catch (error) {
    problems.push(`BACKUP_TO ${(error as Error).message}`)
  }
  const google = readProvider(
    'GOOGLE',
    read.GOOGLE_CLIENT_ID,
    read.GOOGLE_CLIENT_SECRET,
    read.GOOGLE_ISSUER,
    problems,
  )
  const microsoft = readProvider(
    'MICROSOFT',
    read.MICROSOFT_CLIENT_ID,
    read.MICROSOFT_CLIENT_SECRET,
    read.MICROSOFT_ISSUER,
    problems,
  )
  const stripe = readStripe(
    read.STRIPE_SECRET_KEY,
    read.STRIPE_WEBHOOK_SECRET,
    read.STRIPE_API_BASE,
    problems,
  )
  const embeddings = readEmbeddings(read.EMBEDDINGS_URL, read.EMBEDDINGS_KEY, read.EMBEDDINGS_MODEL, problems)
  const plans = readPlans(read.PLANS_FILE, problems)
  if (plans !== undefined && !plans.plans.has(read.DEFAULT_PLAN))
    problems.push(
      `DEFAULT_PLAN must be one of ${[...plans.plans.keys()].join(', ')} (it is "${read.DEFAULT_PLAN}")`,
    )
  const alsoRead = new Set<string>()
  const lookUp = (name: string) => {
    alsoRead.add(name)
    return Object.hasOwn(VARIABLES, name) ? undefined : env[name]
  }
  const connections = readConnections(read.CONNECTIONS_FILE, lookUp, problems)
  const social = readSocialProviders(read.SOCIAL_PROVIDERS_FILE, lookUp, problems)
  const models = readModels(read.MODELS_FILE, lookUp, problems)
  if (problems.length > 0) throw new ConfigError(problems.map(withoutSecrets))
  const appUrl = read.APP_URL ?? baseUrl
  const origins = [...read.ALLOWED_ORIGINS, new URL(baseUrl).origin, new URL(appUrl).origin]
  return {
    role: read.ROLE,
    workers: read.DATABASE_URL === undefined ? 1 : countWorkers(read.WORKERS, read.DATABASE_POOL),
    production: read.NODE_ENV,
    devClock: read.DEV_CLOCK,
    misspelt: findMisspelt(env, alsoRead),
    web: {
      baseUrl,
      appUrl,
      isAddressSet:
        ['BASE_URL', 'APP_URL'].some((name) => (env[name] ?? '') !== '') ||
        // With `PORT=0` the address is known to the server alone.
        ((env.PORT ?? '') !== '' && read.PORT !== 0),
      console: read.CONSOLE,
      product: { name: read.PRODUCT_NAME, logo: read.PRODUCT_LOGO },
      termsUrl: read.TERMS_URL,
      language: read.DEFAULT_LANGUAGE,
      allowedOrigins: [...new Set(origins)],
    },
    http: { host: read.HOST, port: read.PORT, trustProxy: read.TRUST_PROXY, rates: read.LIMITS },
    store: {
      dataDir: read.DATA_DIR,
      databaseUrl: read.DATABASE_URL,
      databaseDirectUrl: read.DATABASE_DIRECT_URL,
      databasePool: read.DATABASE_POOL,
      secretKey: read.SECRET_KEY,
      nextSecretKey: read.NEXT_SECRET_KEY,
    },
    blobs: { s3: read.BLOBS_URL },
    backups: {
      ...{ to: backups, schedule: read.BACKUP_SCHEDULE, keep: read.BACKUP_KEEP },
      passphrase: read.BACKUP_PASSPHRASE,
    },
    mail: { smtpUrl: read.SMTP_URL, from: read.MAIL_FROM ?? defaultSender(read.PRODUCT_NAME) },
    access: {
      signUpProof: read.SIGN_UP_PROOF,
      tokenCheck: read.TOKEN_CHECK,
      hashConcurrency: read.HASH_CONCURRENCY,
      secondFactorFrom: read.SECOND_FACTOR_FROM,
      oauth: {
        registration: read.OAUTH_REGISTRATION,
        clientDocuments: read.OAUTH_CLIENT_DOCUMENTS,
        allowedNetworks: read.OAUTH_ALLOWED_NETWORKS,
        deviceFlow: read.OAUTH_DEVICE_FLOW,
      },
      social: [
        ...(google === undefined
          ? []
          : [{ ...google, name: 'google', label: 'Google', dialect: 'google' as const, trustedTenants: [] }]),
        ...(microsoft === undefined
          ? []
          : [
              {
                ...{ ...microsoft, name: 'microsoft', label: 'Microsoft', dialect: 'microsoft' as const },
                trustedTenants: read.MICROSOFT_TRUSTED_TENANTS,
              },
            ]),
        ...social,
      ],
      allowedNetworks: read.SSO_ALLOWED_NETWORKS,
    },
    delivery: { allowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS },
    files: { allowedNetworks: read.FILES_ALLOWED_NETWORKS, parseSeconds: read.PARSE_SECONDS },
    agents: { models, mcpNetworks: read.MCP_ALLOWED_NETWORKS },
    connections: { providers: connections, allowedNetworks: read.CONNECTIONS_ALLOWED_NETWORKS },
    knowledge: { embeddings },
    plans: { book: plans ?? BUILT_IN_PLANS, default: read.DEFAULT_PLAN },
    billing: { stripe },
    operations: {
      logLevel: read.LOG_LEVEL,
      ...{ metricsToken: read.METRICS_TOKEN, operatorToken: read.OPERATOR_TOKEN },
      retentionDays: read.RETENTION_DAYS,
      auditDays: read.AUDIT_DAYS,
      drain: read.DRAIN_SECONDS,
    },
    telemetry: readTelemetry(read),
  }
}
