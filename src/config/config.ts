import type { Millis } from '../core/clock.ts'
import type { Language } from '../core/language.ts'
import type { Rates } from '../core/limits.ts'
import { BUILT_IN_PLANS, type PlanBook } from '../core/plans.ts'
import { isLocalhost, isSecureUrl } from '../core/text/secure-url.ts'
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
import { countWorkers, hasSendingThread } from './workers.ts'

export type { ProviderConfig, SocialProviderConfig, StripeConfig }

/** The operator's credentials for HTTP. */
interface OperatorTokens {
  metricsToken: string | undefined
  /** undefined: the operator API is off. */
  operatorToken: string | undefined
}

/** The settings, grouped by the room that reads them. */
export interface Config {
  role: 'all' | 'api' | 'worker'
  /** Processes that serve on the port; 1 with the embedded store. */
  workers: number
  production: boolean
  /** Whether the clock may be moved, for development. */
  devClock: boolean
  /** Unknown variables whose names resemble a setting. */
  misspelt: Misspelt[]
  /** Addresses and pages for people. */
  web: {
    /** The base of every link to this server, without a trailing slash. */
    baseUrl: string
    /** The base of links in mails: `baseUrl`, or the operator's own front end. */
    appUrl: string
    /** Whether a variable sets `baseUrl`; otherwise it is the default. */
    isAddressSet: boolean
    /** Whether `/console` is served. */
    console: boolean
    product: Product
    /** The terms that a sign-up accepts. */
    termsUrl: string | undefined
    /** The language of pages and mails without a chosen one. */
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
    /** The same database without a pooler in between; undefined: `databaseUrl` is used for everything. */
    databaseDirectUrl: string | undefined
    databaseStandbyUrl: string | undefined
    /** The most connections to PostgreSQL. */
    databasePool: number
    /** undefined: generated in `dataDir`. */
    secretKey: string | undefined
    /** The key that `rotate-key` seals under. */
    nextSecretKey: string | undefined
  }
  blobs: {
    /** undefined: a folder in `dataDir`. */
    s3: S3Config | undefined
  }
  backups: {
    /** The destination of scheduled backups; undefined: there are none. */
    to: BackupTo | undefined
    schedule: Schedule
    /** Scheduled backups that are kept. */
    keep: number
    /** Seals the master key in backups; undefined: backups contain no key. */
    passphrase: string | undefined
  }
  mail: {
    /** undefined: mails are stored, not sent. */
    smtpUrl: string | undefined
    from: string
  }
  access: {
    signUpProof: 'mailbox' | 'none'
    tokenCheck: 'live' | 'stateless'
    hashConcurrency: number
    /** From this time every member needs a second factor; undefined: never. */
    secondFactorFrom: Millis | undefined
    /** The ways in which OAuth clients may register. */
    oauth: {
      registration: boolean
      clientDocuments: boolean
      /** Private networks from which client metadata documents may be fetched. */
      allowedNetworks: string[]
      deviceFlow: boolean
    }
    /** Sign-in providers for members of all organizations. */
    social: SocialProviderConfig[]
    /** Private networks in which identity providers of organizations are allowed. */
    allowedNetworks: string[]
  }
  delivery: {
    /** Private networks in which webhooks are allowed. */
    allowedNetworks: string[]
    /** Whether a thread of its own makes the attempts. */
    sendingThread: boolean
  }
  files: {
    /** Private networks from which files may be fetched. */
    allowedNetworks: string[]
    /** The time limit for reading one file. */
    parseSeconds: number
  }
  connections: {
    providers: ConnectionProvider[]
    /** Private networks in which they are allowed. */
    allowedNetworks: string[]
  }
  knowledge: {
    /** undefined: search by words alone. */
    embeddings: EmbeddingsConfig | undefined
  }
  agents: {
    /** Models in addition to the built-in one. */
    models: ModelConfig[]
    /** Private networks in which MCP servers are allowed. */
    mcpNetworks: string[]
  }
  plans: {
    book: PlanBook
    /** The name of a plan in `book`. */
    default: string
  }
  billing: {
    /** undefined: an operator confirms payments. */
    stripe: StripeConfig | undefined
  }
  operations: OperatorTokens & {
    logLevel: string
    retentionDays: number
    auditDays: number
    /** How long the server still answers after the signal to stop, with `/readyz` at 503. */
    drain: Millis
  }
  /** undefined: nothing is sent to a collector. */
  telemetry: TelemetryConfig | undefined
}

/** The address of a server without a configured one. */
const localUrl = (port: number | string) => `http://localhost:${port}`

/** The configuration of a server with `PORT=0` after its port is chosen. Default addresses contain the port. */
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

/** Invalid settings: one line for each problem, in plain words. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Reads a variable that is no setting of the server, such as a command's key. */
export const readVariable = (name: string, env: NodeJS.ProcessEnv = process.env) =>
  env[name]?.trim() || undefined

/**
 * Reads the configuration, from the process's environment unless a test passes its own.
 * @throws ConfigError
 */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  const isOff = VARIABLES[OFF].read(env[OFF]?.trim() ?? '')
  for (const [name, variable] of Object.entries(VARIABLES)) {
    // While telemetry is off, its variables may have values for other programs that are invalid here.
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
  // An invalid variable has no value here, so the checks below report nothing more about it.
  const isRead = (name: keyof Values) => Object.hasOwn(values, name)
  const baseUrl = read.BASE_URL ?? localUrl(read.PORT ?? '')
  if (read.NODE_ENV && isRead('BASE_URL') && read.BASE_URL === undefined)
    problems.push('BASE_URL must be set in production')
  else if (read.NODE_ENV && !isSecureUrl(baseUrl))
    problems.push(`BASE_URL must start with https:// in production (it is "${baseUrl}")`)
  if (read.DEV_CLOCK && (read.NODE_ENV || !isLocalhost(new URL(baseUrl).hostname)))
    problems.push('DEV_CLOCK=on is for trials: not in production, and with a BASE_URL of this machine')
  if (isRead('ROLE') && read.ROLE !== 'all' && isRead('DATABASE_URL') && read.DATABASE_URL === undefined)
    problems.push(`ROLE=${read.ROLE} needs DATABASE_URL: the embedded database serves one process`)
  if (typeof read.WORKERS === 'number' && read.WORKERS > 1 && isRead('DATABASE_URL') && !read.DATABASE_URL)
    problems.push(`WORKERS=${read.WORKERS} needs DATABASE_URL: the embedded database serves one process`)
  if (read.DATABASE_DIRECT_URL !== undefined && isRead('DATABASE_URL') && read.DATABASE_URL === undefined)
    problems.push('DATABASE_DIRECT_URL needs DATABASE_URL beside it')
  if (read.DATABASE_STANDBY_URL !== undefined) {
    if (isRead('DATABASE_URL') && read.DATABASE_URL === undefined)
      problems.push('DATABASE_STANDBY_URL needs DATABASE_URL beside it')
  }
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
  const workers = read.DATABASE_URL === undefined ? 1 : countWorkers(read.WORKERS, read.DATABASE_POOL)
  return {
    role: read.ROLE,
    workers,
    production: read.NODE_ENV,
    devClock: read.DEV_CLOCK,
    misspelt: findMisspelt(env, alsoRead),
    web: {
      baseUrl,
      appUrl,
      isAddressSet:
        ['BASE_URL', 'APP_URL'].some((name) => (env[name] ?? '') !== '') ||
        // With `PORT=0` only the server knows the address.
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
      databaseStandbyUrl: read.DATABASE_STANDBY_URL,
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
    delivery: {
      allowedNetworks: read.WEBHOOK_ALLOWED_NETWORKS,
      sendingThread: hasSendingThread(read.SENDING_THREAD, workers),
    },
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
