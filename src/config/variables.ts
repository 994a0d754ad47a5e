import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { SECOND } from '../core/clock.ts'
import { BUILT_IN_PLANS } from '../core/plans.ts'
import { schedule } from './backup-schedule.ts'
import { backupTo } from './backup-to.ts'
import { blobsUrl } from './blobs-url.ts'
import { databaseUrl } from './database-url.ts'
import { PRODUCT_VARIABLES } from './product-variables.ts'
import { TELEMETRY_VARIABLES } from './telemetry-variables.ts'
import {
  day,
  host,
  integer,
  list,
  networks,
  oneOf,
  optional,
  origin,
  origins,
  passphrase,
  rates,
  secretKey,
  url,
  webUrl,
} from './values.ts'
import { workers } from './workers.ts'

/** One variable: its description for docs/settings.md, and the parser of its text. */
interface Variable<T> {
  default: string
  about: string
  /** @throws Error whose message continues "NAME ": `must be …` */
  read: (text: string) => T
}

/** Every environment variable that Postern reads, in the order of docs/settings.md. */
export const VARIABLES = {
  HOST: {
    default: '127.0.0.1',
    about: 'Address to listen on. `0.0.0.0` opens it to the network.',
    read: host,
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
    about: 'Folder of the embedded database, the generated key and the bytes of files.',
    read: (text) => resolve(text),
  },
  DATABASE_URL: {
    default: '',
    about:
      '`postgres://…` moves everything to PostgreSQL; `postgres://user:password@host1:5432,host2:5432/database` goes to the host that takes writes. Default: embedded SQLite in `DATA_DIR`.',
    read: databaseUrl,
  },
  DATABASE_DIRECT_URL: {
    default: '',
    about:
      'The same database past the pooler, where `DATABASE_URL` leads through one: to hear of other processes at once, and to migrate.',
    read: databaseUrl,
  },
  DATABASE_STANDBY_URL: {
    default: '',
    about:
      'A hot standby of the same database, which answers the lists that API keys and the operator ask for. Their header `Data-As-Of` says up to which moment; where it would be more than 10 seconds ago, the primary answers.',
    read: databaseUrl,
  },
  DATABASE_POOL: {
    default: '20',
    about:
      'Connections to PostgreSQL of one process, 5 or more: one hears of other processes, a third of the rest sends and tells that the process lives, the others answer requests.',
    read: integer(5, 1_000),
  },
  BLOBS_URL: {
    default: '',
    about:
      '`s3://KEY:SECRET@HOST/BUCKET?region=REGION` keeps the bytes of files there; several processes need it. Default: the folder `blobs` in `DATA_DIR`.',
    read: blobsUrl,
  },
  SECRET_KEY: {
    default: '',
    about:
      'Master key, 32 bytes or more; encrypts secrets at rest. Default: generated in `DATA_DIR/secret.key`.',
    read: secretKey,
  },
  NEXT_SECRET_KEY: {
    default: '',
    about:
      'The key that `npx postern rotate-key` changes to, for that command alone. Default: a new `DATA_DIR/secret.key`.',
    read: secretKey,
  },
  BACKUP_TO: {
    default: '',
    about:
      'A folder in which backups are made by themselves; or `s3://BUCKET/PREFIX` in the storage of `BLOBS_URL`, or one of its own, `s3://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION`. Default: none are; `npx postern backup` makes one.',
    read: backupTo,
  },
  BACKUP_SCHEDULE: {
    default: '03:00',
    about: 'When: `hourly`, or times of the day in UTC, such as `03:00,15:00`.',
    read: schedule,
  },
  BACKUP_KEEP: {
    default: '7',
    about: 'How many backups are kept there; older ones are removed after a new one.',
    read: integer(1, 10_000),
  },
  BACKUP_PASSPHRASE: {
    default: '',
    about:
      'Seals the master key in backups, 12 characters or more; keep it elsewhere. Default: the key is left out of them.',
    read: passphrase,
  },
  WORKERS: {
    default: 'auto',
    about:
      'Processes that serve on one port, with PostgreSQL: a number, or `auto`, two thirds of the cores (PostgreSQL needs the others) and as many as have 80 connections together. With the embedded database it is one.',
    read: workers,
  },
  ROLE: {
    default: 'all',
    about:
      '`all`, `api` (serves HTTP) or `worker` (sends mails and webhooks, reads files, indexes documents, makes runs).',
    read: oneOf('all', 'api', 'worker'),
  },
  SMTP_URL: {
    default: '',
    about: '`smtp://user:password@host:587`. Without it mails are kept and shown by `npx postern mail`.',
    read: url('smtp:', 'smtps:'),
  },
  CONSOLE: {
    default: 'on',
    about: '`off`: there is no `/console`.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  ...PRODUCT_VARIABLES,
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
  FILES_ALLOWED_NETWORKS: {
    default: '',
    about: 'Comma-separated private networks that files may be fetched from by their URL.',
    read: networks,
  },
  PARSE_SECONDS: {
    default: '60',
    about: 'Seconds for which one file is read at most; a spreadsheet never longer than 30.',
    read: integer(1, 60),
  },
  CONNECTIONS_FILE: {
    default: '',
    about: 'JSON file of the providers that organizations may connect to (docs/connections.md).',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  CONNECTIONS_ALLOWED_NETWORKS: {
    default: '',
    about: 'Comma-separated private networks that the providers of `CONNECTIONS_FILE` may be in.',
    read: networks,
  },
  MODELS_FILE: {
    default: '',
    about: 'JSON file of the models that agents may be made with (docs/agents.md).',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  EMBEDDINGS_URL: {
    default: '',
    about:
      'Base URL of an OpenAI-compatible API that makes vectors of texts, e.g. `http://127.0.0.1:11434/v1` (docs/knowledge.md). Default: search by words alone.',
    read: webUrl,
  },
  EMBEDDINGS_MODEL: {
    default: '',
    about: 'The model of `EMBEDDINGS_URL` that makes the vectors.',
    read: optional,
  },
  EMBEDDINGS_KEY: {
    default: '',
    about: 'The key of `EMBEDDINGS_URL`, where it asks for one.',
    read: optional,
  },
  MCP_ALLOWED_NETWORKS: {
    default: '',
    about: 'Comma-separated private networks that MCP servers of organizations may be in.',
    read: networks,
  },
  DEFAULT_PLAN: {
    default: 'scale',
    about: `Plan of a new organization: one of \`PLANS_FILE\`, or ${[...BUILT_IN_PLANS.plans.keys()].map((name) => `\`${name}\``).join(', ')}.`,
    read: (text) => text,
  },
  PLANS_FILE: {
    default: '',
    about: 'JSON file of your plans, prices and credits (docs/billing.md). Default: built-in plans.',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  STRIPE_SECRET_KEY: {
    default: '',
    about:
      'Takes payments by Stripe, together with `STRIPE_WEBHOOK_SECRET`. Default: you settle them by `npx postern credits`.',
    read: optional,
  },
  STRIPE_WEBHOOK_SECRET: {
    default: '',
    about: 'The signing secret of the webhook endpoint that you registered at Stripe.',
    read: optional,
  },
  STRIPE_API_BASE: {
    default: 'https://api.stripe.com',
    about: 'Where the API of Stripe is.',
    read: origin,
  },
  SIGN_UP_PROOF: {
    default: 'mailbox',
    about:
      '`mailbox`: a sign-up without the invitation link must confirm its address. `none`: an invited address is enough.',
    read: oneOf('mailbox', 'none'),
  },
  SECOND_FACTOR_FROM: {
    default: '',
    about:
      'A day such as `2027-01-31`, from whose beginning (UTC) on people without a second factor get no token; until then they have time to add one. Empty: it is up to each organization.',
    read: day,
  },
  TOKEN_CHECK: {
    default: 'live',
    about:
      '`live`: a token dies with its session or membership, within 5 s. `stateless`: it lives its 60 minutes.',
    read: oneOf('live', 'stateless'),
  },
  OAUTH_REGISTRATION: {
    default: 'on',
    about:
      '`off`: applications do not register themselves (RFC 7591). Those that the operator registers stay.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  OAUTH_CLIENT_DOCUMENTS: {
    default: 'on',
    about: '`off`: an application is not known by the URL of a document about itself.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  OAUTH_ALLOWED_NETWORKS: {
    default: '',
    about: 'Comma-separated private networks that documents of applications may be in.',
    read: networks,
  },
  OAUTH_DEVICE_FLOW: {
    default: 'on',
    about:
      '`off`: no device asks for a grant by a code that a person enters (RFC 8628); `postern login` is such a device.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  LIMITS: {
    default: '',
    about: 'JSON that changes rates of the access flows, e.g. `{"signInPerIp":{"max":60}}`.',
    read: rates,
  },
  HASH_CONCURRENCY: {
    default: '',
    about:
      'Password hashes computed at once. Default: one more than there are cores, so that none idles while the disk is written.',
    read: (text) => (text === '' ? availableParallelism() + 1 : integer(1, 64)(text)),
  },
  DRAIN_SECONDS: {
    default: '0',
    about:
      'Seconds for which it still answers after SIGTERM while `/readyz` says 503, so that a load balancer turns away first.',
    read: (text) => integer(0, 300)(text) * SECOND,
  },
  RETENTION_DAYS: {
    default: '30',
    about:
      'Days for which events, deliveries with their attempts, captured calls, replays, runs and mails are kept (docs/operations.md).',
    read: integer(1, 3_650),
  },
  AUDIT_DAYS: {
    default: '400',
    about: 'Days for which entries of the audit log are kept.',
    read: integer(1, 3_650),
  },
  METRICS_TOKEN: {
    default: '',
    about:
      'Bearer token for `/metrics`. Default: only this machine may read it, and only where `BASE_URL` is of this machine and no proxy is trusted.',
    read: optional,
  },
  OPERATOR_TOKEN: {
    default: '',
    about:
      'Bearer token for `/v1/operator/…`, 32 bytes or more: all organizations, their plans and credits. Default: there is no such path.',
    read: secretKey,
  },
  LOG_LEVEL: {
    default: 'info',
    about: '`debug`, `info`, `warn`, `error` or `silent`.',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  ...TELEMETRY_VARIABLES,
  NODE_ENV: {
    default: '',
    about:
      '`production`: the start refuses a missing `BASE_URL` and one that is not https, and shows no link to make the first account.',
    read: (text) => text === 'production',
  },
  DEV_CLOCK: {
    default: 'off',
    about:
      '`on`: `npx postern clock --advance 24h` moves the time of all processes on the database, for trials. Refused in production, and where `BASE_URL` is not of this machine.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  GOOGLE_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Google, together with `GOOGLE_CLIENT_SECRET`.',
    read: optional,
  },
  GOOGLE_CLIENT_SECRET: { default: '', about: 'The secret of `GOOGLE_CLIENT_ID`.', read: optional },
  GOOGLE_ISSUER: {
    default: 'https://accounts.google.com',
    about: 'The issuer of Google.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_CLIENT_ID: {
    default: '',
    about: 'Turns on sign-in with Microsoft, together with `MICROSOFT_CLIENT_SECRET`.',
    read: optional,
  },
  MICROSOFT_CLIENT_SECRET: { default: '', about: 'The secret of `MICROSOFT_CLIENT_ID`.', read: optional },
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
  SOCIAL_PROVIDERS_FILE: {
    default: '',
    about: 'JSON file of further OpenID providers that people may sign in with (docs/sso.md).',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  SSO_ALLOWED_NETWORKS: {
    default: '',
    about: 'Comma-separated private networks that identity providers of organizations may be in.',
    read: networks,
  },
} as const satisfies Record<string, Variable<unknown>>
