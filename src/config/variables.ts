import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { SECOND } from '../core/clock.ts'
import { BUILT_IN_PLANS } from '../core/plans.ts'
import { BACKUP_VARIABLES } from './backup-variables.ts'
import { blobsUrl } from './blobs-url.ts'
import { databaseUrl, standbyUrl } from './database-url.ts'
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
  rates,
  secretKey,
  token,
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
    about:
      'IP address that the server listens on. The default accepts connections of this machine only; `0.0.0.0` accepts them from the network.',
    read: host,
  },
  PORT: {
    default: '3000',
    about: 'Port that the server listens on; `0` chooses a free one.',
    read: integer(0, 65_535),
  },
  BASE_URL: {
    default: '',
    about:
      'Public URL of Postern, from which every link is built. Default: `http://localhost:PORT`. In production it must be set, and be https.',
    read: webUrl,
  },
  APP_URL: {
    default: '',
    about:
      'URL of your own front end: links in mails lead to its pages instead of those of Postern. Default: `BASE_URL`.',
    read: webUrl,
  },
  TERMS_URL: {
    default: '',
    about: 'URL of your terms of use, to which the sign-up page links. Default: no link.',
    read: url('http:', 'https:'),
  },
  DATA_DIR: {
    default: './data',
    about:
      'Folder of the embedded database, the generated key and the bytes of files. With PostgreSQL it has no database, and with `BLOBS_URL` no files.',
    read: (text) => resolve(text),
  },
  DATABASE_URL: {
    default: '',
    about:
      'Address of PostgreSQL, `postgres://…`. With several hosts, `postgres://user:password@host1:5432,host2:5432/database`, Postern uses the first that accepts writes. Default: SQLite in `DATA_DIR`, which allows one process only.',
    read: databaseUrl,
  },
  DATABASE_DIRECT_URL: {
    default: '',
    about:
      'Address of the same database without the pooler, if `DATABASE_URL` leads to a pooler such as PgBouncer. Notifications of other processes and migrations need it; without it other processes notice new work up to 5 seconds later.',
    read: databaseUrl,
  },
  DATABASE_STANDBY_URL: {
    default: '',
    about:
      'Address of a hot standby of the same database, or of several hosts, of which the first standby that answers is used. It answers lists for API keys, applications and the operator; the header `Data-As-Of` has the moment that they show. The primary answers while the standby is more than 10 seconds behind.',
    read: standbyUrl,
  },
  DATABASE_POOL: {
    default: '20',
    about:
      'Connections of each process to PostgreSQL, 5 to 1000. One receives notifications, a third of the others does background work, the rest answers requests. A request that gets none within 5 seconds is refused with `RATE_LIMITED`. All processes together must stay below `max_connections` of PostgreSQL, by default 100.',
    read: integer(5, 1_000),
  },
  BLOBS_URL: {
    default: '',
    about:
      'S3-compatible storage for the bytes of files: `s3://KEY:SECRET@HOST/BUCKET?region=REGION`. Several machines need it. Default: the folder `blobs` in `DATA_DIR`.',
    read: blobsUrl,
  },
  SECRET_KEY: {
    default: '',
    about:
      'Master key that encrypts secrets in the database, 32 bytes or more. Without it they cannot be read. Default: a key generated in `DATA_DIR/secret.key`.',
    read: secretKey,
  },
  NEXT_SECRET_KEY: {
    default: '',
    about:
      'New master key for `npx postern rotate-key`, 32 bytes or more; no other command reads it. Required with `SECRET_KEY`. Default: a key generated in `DATA_DIR/secret.key`.',
    read: secretKey,
  },
  ...BACKUP_VARIABLES,
  WORKERS: {
    default: 'auto',
    about:
      'Processes that serve on one port, up to 64. `auto` is two thirds of the cores, because PostgreSQL needs the others, and at most as many as have 80 connections together. More than one need PostgreSQL; with SQLite there is always one.',
    read: workers,
  },
  ROLE: {
    default: 'all',
    about:
      'Work of this process. `api` serves HTTP; `worker` sends mails and webhooks, reads files, indexes documents and makes runs; `all` does both. `api` and `worker` need PostgreSQL.',
    read: oneOf('all', 'api', 'worker'),
  },
  SMTP_URL: {
    default: '',
    about:
      'Mail server: `smtp://user:password@host:587`, or `smtps://…`. Default: no mail is sent; `npx postern mail` shows them.',
    read: url('smtp:', 'smtps:'),
  },
  CONSOLE: {
    default: 'on',
    about: '`on` serves the console at `/console`; `off` does not.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  ...PRODUCT_VARIABLES,
  ALLOWED_ORIGINS: {
    default: '',
    about:
      'Comma-separated origins of your front ends, such as `https://app.example.com`. Browsers may call the API from them (CORS), and sign-ins may return to them. The origins of `BASE_URL` and `APP_URL` are always included.',
    read: origins,
  },
  TRUST_PROXY: {
    default: '',
    about:
      'Comma-separated addresses or networks of your proxies. `X-Forwarded-For` counts only from these. Default: the address of a client is that of its connection.',
    read: networks,
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks that webhooks may call, for example `127.0.0.0/8,::1/128` for a trial. Default: public addresses only.',
    read: networks,
  },
  SENDING_THREAD: {
    default: 'auto',
    about:
      '`on` sends webhooks from a second thread of the process, which needs a core of its own; `off` sends them from the first thread. `auto` is `on` with three cores or more, unless several `WORKERS` use them already.',
    read: oneOf('auto', 'on', 'off'),
  },
  FILES_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks from which files may be fetched by URL. Default: public addresses only.',
    read: networks,
  },
  PARSE_SECONDS: {
    default: '60',
    about:
      'Seconds that the reading of one file may take, 1 to 60; a spreadsheet may take 30 at most. A file that takes longer fails with `PARSE_FAILED`, a spreadsheet with `XLSX_TIMEOUT`.',
    read: integer(1, 60),
  },
  CONNECTIONS_FILE: {
    default: '',
    about:
      'JSON file of the external providers to which organizations may connect (docs/connections.md). Default: none.',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  CONNECTIONS_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks in which providers of `CONNECTIONS_FILE` may be. Default: public addresses only.',
    read: networks,
  },
  MODELS_FILE: {
    default: '',
    about:
      'JSON file of the language models that agents may use (docs/agents.md). Default: agents have the built-in model alone, which quotes from knowledge bases.',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  EMBEDDINGS_URL: {
    default: '',
    about:
      'Base URL of an OpenAI-compatible API that computes embeddings, such as `http://127.0.0.1:11434/v1` (docs/knowledge.md). Default: knowledge bases are searched by words alone.',
    read: webUrl,
  },
  EMBEDDINGS_MODEL: {
    default: '',
    about: 'Model of `EMBEDDINGS_URL` that computes the embeddings.',
    read: optional,
  },
  EMBEDDINGS_KEY: {
    default: '',
    about: 'API key for `EMBEDDINGS_URL`. Default: requests have none.',
    read: optional,
  },
  MCP_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks in which MCP servers of organizations may be. Default: public addresses only.',
    read: networks,
  },
  DEFAULT_PLAN: {
    default: 'scale',
    about: `Plan of a new organization: one of \`PLANS_FILE\`, or one of the built-in plans, ${[...BUILT_IN_PLANS.plans.keys()].map((name) => `\`${name}\``).join(', ')}.`,
    read: (text) => text,
  },
  PLANS_FILE: {
    default: '',
    about:
      'JSON file of your plans, prices and credits, which replaces the built-in plans (docs/billing.md).',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  STRIPE_SECRET_KEY: {
    default: '',
    about:
      'Secret key of Stripe, which then takes payments; `STRIPE_WEBHOOK_SECRET` is required with it. Default: you settle payments by `npx postern credits`.',
    read: optional,
  },
  STRIPE_WEBHOOK_SECRET: {
    default: '',
    about: 'Signing secret of the webhook endpoint that you registered at Stripe.',
    read: optional,
  },
  STRIPE_API_BASE: {
    default: 'https://api.stripe.com',
    about: 'Origin of the API of Stripe. Change it for a test server only.',
    read: origin,
  },
  SIGN_UP_PROOF: {
    default: 'mailbox',
    about:
      '`mailbox`: a person who signs up without the link of the invitation must confirm the address by mail. `none`: an invitation to the address suffices.',
    read: oneOf('mailbox', 'none'),
  },
  SECOND_FACTOR_FROM: {
    default: '',
    about:
      'Day such as `2027-01-31`, from the beginning of which (UTC) a person without a second factor gets no token of any organization, unless its identity provider has confirmed one. The session remains, so that the person can add one. Default: each organization decides.',
    read: day,
  },
  TOKEN_CHECK: {
    default: 'live',
    about:
      '`live`: a token becomes invalid within 5 seconds after its session or membership ends. `stateless`: it stays valid for its 60 minutes, and requests need fewer queries.',
    read: oneOf('live', 'stateless'),
  },
  OAUTH_REGISTRATION: {
    default: 'on',
    about:
      '`off`: applications cannot register themselves (RFC 7591). Registered ones remain, and the operator can register more.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  OAUTH_CLIENT_DOCUMENTS: {
    default: 'on',
    about: '`off`: the URL of a metadata document is not accepted as the id of an application.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  OAUTH_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks from which metadata documents of applications may be fetched. Default: public addresses only.',
    read: networks,
  },
  OAUTH_DEVICE_FLOW: {
    default: 'on',
    about:
      '`off`: devices cannot request access by a code that a person enters (RFC 8628). `postern login` needs `on`.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  LIMITS: {
    default: '',
    about:
      'JSON that changes rate limits by name (docs/security.md), such as `{"signInPerIp":{"max":60}}`; `windowMs` is the window in milliseconds. A request beyond a limit is refused with `RATE_LIMITED`.',
    read: rates,
  },
  HASH_CONCURRENCY: {
    default: '',
    about:
      'Passwords that each process hashes at once, 1 to 64. Default: the number of cores and one, so that no core idles while the disk is written. While 250 times as many wait, a further one is refused with `RATE_LIMITED`.',
    read: (text) => (text === '' ? availableParallelism() + 1 : integer(1, 64)(text)),
  },
  DRAIN_SECONDS: {
    default: '0',
    about:
      'Seconds, 0 to 300, for which the server still answers after SIGTERM while `/readyz` answers 503. Set it to the time that your load balancer needs to notice.',
    read: (text) => integer(0, 300)(text) * SECOND,
  },
  RETENTION_DAYS: {
    default: '30',
    about:
      'Days, 1 to 3650, for which events, deliveries with their attempts, captured calls, replays, runs and mails are kept. docs/operations.md lists when each is removed.',
    read: integer(1, 3_650),
  },
  AUDIT_DAYS: {
    default: '400',
    about: 'Days, 1 to 3650, for which entries of the audit log are kept.',
    read: integer(1, 3_650),
  },
  METRICS_TOKEN: {
    default: '',
    about:
      'Bearer token for `/metrics`. Default: only programs on this machine can read it, and only if `BASE_URL` is on this machine and `TRUST_PROXY` is empty.',
    read: token,
  },
  OPERATOR_TOKEN: {
    default: '',
    about:
      'Bearer token for `/v1/operator/…`, which manages all organizations, their plans and credits; 32 bytes or more. Default: these paths answer 404.',
    read: secretKey,
  },
  LOG_LEVEL: {
    default: 'info',
    about: 'Least severity of logged messages: `debug`, `info`, `warn`, `error`, or `silent` for none.',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  ...TELEMETRY_VARIABLES,
  NODE_ENV: {
    default: '',
    about:
      '`production`: the start requires a `BASE_URL` with https, refuses `DEV_CLOCK`, and prints no link for the first account.',
    read: (text) => text === 'production',
  },
  DEV_CLOCK: {
    default: 'off',
    about:
      '`on`: `npx postern clock --advance 24h` moves the clock of all processes on the database, for trials. The start refuses it in production, and if `BASE_URL` is not on this machine.',
    read: (text) => oneOf('on', 'off')(text) === 'on',
  },
  GOOGLE_CLIENT_ID: {
    default: '',
    about: 'Client id at Google, for sign-in with Google; `GOOGLE_CLIENT_SECRET` is required with it.',
    read: optional,
  },
  GOOGLE_CLIENT_SECRET: { default: '', about: 'Client secret of `GOOGLE_CLIENT_ID`.', read: optional },
  GOOGLE_ISSUER: {
    default: 'https://accounts.google.com',
    about: 'Issuer URL of the OpenID provider of Google. Change it for a test provider only.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_CLIENT_ID: {
    default: '',
    about:
      'Client id at Microsoft, for sign-in with Microsoft; `MICROSOFT_CLIENT_SECRET` is required with it.',
    read: optional,
  },
  MICROSOFT_CLIENT_SECRET: { default: '', about: 'Client secret of `MICROSOFT_CLIENT_ID`.', read: optional },
  MICROSOFT_ISSUER: {
    default: 'https://login.microsoftonline.com/organizations/v2.0',
    about:
      'Issuer URL of the OpenID provider of Microsoft; `https://login.microsoftonline.com/{tenant}/v2.0` admits one tenant. The default admits work and school accounts of all tenants.',
    read: url('https:', 'http:'),
  },
  MICROSOFT_TRUSTED_TENANTS: {
    default: '',
    about:
      'Comma-separated ids of Microsoft tenants whose mail addresses count as verified without a claim that says so.',
    read: list,
  },
  SOCIAL_PROVIDERS_FILE: {
    default: '',
    about: 'JSON file of further OpenID providers for sign-in (docs/sso.md). Default: none.',
    read: (text) => (text === '' ? undefined : resolve(text)),
  },
  SSO_ALLOWED_NETWORKS: {
    default: '',
    about:
      'Comma-separated private networks in which identity providers of organizations may be. Default: public addresses only.',
    read: networks,
  },
} as const satisfies Record<string, Variable<unknown>>
