import type { Descriptions } from './descriptions.ts'

const PRICE = 'In the smallest unit of its currency.'
const FREE_LIMIT = (what: string) => `${what}; null: no limit.`
const MODULE_SWITCHES = {
  webhooks: 'Webhooks, events and deliveries.',
  connections: 'Accounts at other services.',
  files: 'Uploading and reading files.',
  knowledge: 'Knowledge bases and search.',
  agents: 'Agents, runs, conversations and MCP servers.',
}
const FACTS_OF_ERROR = {
  code: 'Code of the catalogue.',
  reason: 'The cause within the code, for programs; null where the code has only one.',
}

const ACCOUNT = {
  language: 'What the person has chosen for mails; null: that of the organization.',
  firstName: 'Given name; null before the sign-up.',
  lastName: 'Family name; null before the sign-up.',
  status: '`inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out.',
  emailVerified: 'Whether its owner has proved the mailbox.',
  termsAcceptedAt: 'When the terms were accepted; null: not yet.',
  memberships: 'How many organizations it belongs to.',
  sessions: 'How many sessions it has at present.',
  hasPassword: 'Whether it can sign in with a password.',
  secondFactors: 'How many second factors it has; without one it signs in with a password alone.',
  providers: 'Identity providers with which it has signed in.',
}

const OAUTH_CLIENT = {
  name: 'What people are shown; an application that registered itself chose it.',
  redirectUris: 'Where a browser may be sent back to, letter by letter.',
  postLogoutRedirectUris:
    'Where a browser may be sent after a sign-out, letter by letter; the `state` of the request is appended, so that none has one of its own.',
  organizationId: 'The one organization whose members can grant it something; null: any.',
  origin: '`registered` by the operator, or `dynamic`: it registered itself.',
  usesDeviceFlow: 'Whether it may ask by a code that a person enters at `/device`.',
  isConfidential: 'Whether it proves itself with a secret at the token endpoint.',
  lastUsedAt: 'When it got a grant or a token last; null: never.',
  expiresAt: 'When it is removed unless it is used; null: it is not.',
}

const SHOWN_ONCE = 'The secret of the key, for `Authorization: Bearer`. It is shown this once.'
const PLATFORM_KEY = {
  name: 'What the key is for; organizations see it in their audit logs.',
  scopes: 'What the key may in every organization; null: all.',
  mayCreateOrganizations:
    'Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`.',
  allowedAddresses: 'Networks from which the key may come; null: any.',
  expiresAt: 'From then on the key is refused; null: it does not expire.',
  rotatedAt: 'When it got its present secret; null while that is the first one.',
  lastUsedAt: 'When the key was last used, at most a minute out of date; null: never.',
}

/** Errors, billing, connections, the operator and health. */
const AUDIT_STREAM = {
  id: 'Id of the stream, which starts with `aus_`.',
  name: 'What you call it.',
  headerNames: 'Names of the headers that are sent with every request; their values are never shown.',
  status: '`active`; `failing` since its last request was not taken; or `paused`.',
  pausedAt: 'Since when it is paused; null: it is not.',
  unsent: 'What it has not taken.',
  sent: 'How many entries it has taken.',
  lost: 'How many entries were given up, 30 days after `AUDIT_DAYS`.',
  lastSentAt: 'When it took entries last; null: never.',
  failures: 'Requests that failed since the last success.',
  failingSince: 'Since when it fails; null: it does not.',
  lastError: 'Why the last request was not taken, such as `http_503` or `timeout`; null: it was.',
  nextAttemptAt: 'Before then it is not tried again; null: it is tried at once.',
}
const AUDIT_STREAM_UNSENT = {
  count: 'Entries that it has not taken, up to 10,000.',
  atLeast: 'No more were counted: there may be more.',
  oldestAt: 'When the oldest of them was written; null: there is none.',
}

export const PLATFORM_DESCRIPTIONS: Descriptions = {
  ErrorAnswer: { error: 'What went wrong.' },
  ErrorAnswerError: {
    code: 'Stable: branch on it. Each code always has the same HTTP status.',
    message: 'For people; it may change.',
    details:
      '`field`, `value` and `reason` of the first problem, `issues` with all problems, and further details of the code.',
    requestId: 'The `X-Request-Id` of the answer; quote it to the operator.',
    docUrl: 'Page of the code: causes, what to do, an example.',
  },
  CatalogueEntry: { example: 'A whole answer with this code.' },
  BalanceCycle: {
    startedAt: 'When the present cycle began.',
    renewsAt: 'When it ends and the plan grants its credits again.',
  },
  Balance: {
    plan: 'Name of the plan of the organization.',
    creditsPerCycle: FREE_LIMIT('Credits that the plan gives in each cycle'),
    cycle: 'The present cycle.',
  },
  CheckoutPrice: { currency: 'ISO 4217, in lower case.' },
  Checkout: {
    status:
      '`expired`: its page takes no payment any more; one that was made before, or that the operator settles, still makes it `paid`.',
    credits: 'Credits that are bought; null where a plan is.',
    plan: 'Plan that is bought; null where credits are.',
    price: PRICE,
    checkoutUrl: 'Page on which it is paid.',
    expiresAt: 'From then on its page takes no payment.',
    paidAt: 'When it was paid; null until then.',
  },
  CreatedCheckout: {
    checkoutUrl: 'Send the browser of the person who pays there.',
    checkoutId: 'Id of the checkout, which starts with `chk_`.',
    expiresAt: 'From then on its page takes no payment.',
  },
  CreateCheckoutBody: {
    credits: 'How many credits to buy, in whole packs; not beside `plan`.',
    plan: 'Plan to change to; not beside `credits`.',
  },
  Plan: {
    name: 'What `POST /v1/billing/checkout` takes as `plan`.',
    requestsPerMinute: FREE_LIMIT('Requests a minute of an organization'),
    modules: 'Parts of the platform that an organization of this plan may use.',
    creditsPerCycle: FREE_LIMIT('Credits that each cycle brings'),
    price: 'Price of one cycle; null: it cannot be bought here.',
  },
  PlanPage: {
    modules: 'Each module, and whether the organization of the caller may use it.',
    cycle: 'How long a cycle lasts.',
    creditPack: 'Credits are bought in multiples of this pack; null: they are not for sale.',
    actions: 'What each kind of work costs.',
  },
  PlanPageModule: { module: 'Name of the module, as plans list it.' },
  PlanPageCreditPack: { credits: 'Credits of one pack.', price: 'Price of one pack.' },
  PlanPageAction: { action: 'The kind of work.', credits: 'Credits that one such action costs.' },
  LedgerEntry: {
    kind: 'Why the balance changed.',
    action: 'Kind of work that a debit paid for; null for other entries.',
    reason: 'What the operator gave as a reason; null where there is none.',
  },
  LedgerDay: { date: 'The day, in UTC.', entries: 'Entries of that day.' },
  ReceiveStripeEventAnswer: { received: 'Always true: Stripe need not send it again.' },
  ConnectionProvider: {
    scopes: 'Scopes that each new connection asks for.',
    apiHosts: 'Hosts, with their ports, that a token may be sent to.',
  },
  ConnectionLastError: FACTS_OF_ERROR,
  Connection: {
    provider: 'Name of the provider in `GET /v1/connections/providers`.',
    scopes: 'Scopes that the provider granted.',
    refreshable: 'Whether there is a refresh token, so that the access token is renewed without a person.',
    retryNotBefore: 'The provider asked to wait until then; null: it did not.',
    expiresAt: 'When the access token ends; null: the provider did not say.',
    refreshedAt: 'When the access token was last renewed; null: never.',
  },
  RefreshConnectionAnswer: {
    provider: 'Name of the provider.',
    status: 'Always `active`: this request renewed the token, or another one just before it did.',
    scopes: 'Scopes that the provider granted.',
    expiresAt: 'When the access token ends; null: the provider did not say.',
    refreshedAt: 'When the access token was last renewed; null: never.',
  },
  FetchThroughConnectionAnswer: { body: 'Body of the answer, encoded by `bodyEncoding`.' },
  FetchThroughConnectionBody: {
    method: 'Method of the call; `GET` and `HEAD` take no body.',
    headers: 'Headers of the call. `Authorization` is set by the server and refused here.',
  },
  Installation: {
    version: 'Version of the program.',
    engine: 'Where the data is kept.',
    schemaVersion: 'Number of the last migration that the database has had.',
    organizations: 'How many organizations there are.',
    deliveries: 'Deliveries that are due.',
    jobs: 'Other durable work that is due, by its kind.',
    workers: 'Processes that send and process.',
    mails: 'Mails on their way.',
    disk: 'Space of the disk that holds `DATA_DIR`.',
    measuredAt: 'When these figures were taken.',
  },
  InstallationDeliveries: {
    due: 'Deliveries whose next attempt is due.',
    oldestDueAt: 'Since when the oldest of them is due; null where none is.',
  },
  InstallationJob: {
    kind: 'Kind of the work, such as `file` or `run`.',
    due: 'Jobs that are due.',
    oldestDueAt: 'Since when the oldest of them is due; null where none is.',
  },
  InstallationWorker: {
    aliveUntil: 'End of its lease. Other processes take its work over if it is not renewed by then.',
  },
  InstallationMails: {
    queued: 'Mails that wait to be sent.',
    failed: 'Mails that were given up.',
    isConfigured: 'Whether there is a mail server (`SMTP_URL`).',
  },
  Finding: {
    level:
      '`ok`: there is nothing to do. `warning`: it works, but is unsafe or may fail later. `problem`: something does not work.',
    what: 'Subject of the check.',
    text: 'The result, and what to do about it.',
  },
  AllOrganizationModules: MODULE_SWITCHES,
  AllOrganization: {
    name: 'Name of the organization.',
    externalId: 'What your platform calls it; null where it has no such id.',
    status:
      '`disabled`: its members and keys have no access, its deliveries wait, and its runs are cancelled.',
    plan: 'Name of its plan.',
    modules: 'Which modules it has, after the switches of the operator.',
    members: 'How many members it has.',
    webhooks: 'How many webhooks it has.',
  },
  ImportAccountsAnswer: {
    imported: 'How many accounts were made.',
    unchanged: 'How many were there before, as members of what they name.',
    refused: 'How many were refused.',
    refusals: 'Why, in the order of the request.',
  },
  ImportAccountsAnswerRefusal: {
    index: 'Place of the account in the request, from 0.',
    field: 'Which member of it.',
    reason: 'The rule that it does not keep.',
  },
  AccountItem: ACCOUNT,
  Account: {
    ...ACCOUNT,
    lastSignInAt: 'Its last sign-in within the audit log (`AUDIT_DAYS`); null: none.',
    organizations: 'Its organizations, the oldest membership first.',
  },
  OauthClient: OAUTH_CLIENT,
  CreatedOauthClient: {
    ...OAUTH_CLIENT,
    clientSecret: 'For the token endpoint; null of one that has PKCE alone. It is shown this once.',
  },
  AuditStream: AUDIT_STREAM,
  CreatedAuditStream: { ...AUDIT_STREAM, secret: SHOWN_ONCE },
  CreateAuditStreamBody: { name: AUDIT_STREAM.name },
  UpdateAuditStreamBody: {
    name: AUDIT_STREAM.name,
    paused: 'Whether sending is paused; entries that it has not accepted are kept.',
  },
  AuditStreamUnsent: AUDIT_STREAM_UNSENT,
  TestAuditStreamAnswer: {
    taken: 'Whether the answer was one of 2xx.',
    status: 'Status of the answer; null where none arrived.',
    reason: 'Why it was not taken, such as `http_503` or `timeout`; null where it was.',
    durationMs: 'How long the request took, in milliseconds.',
  },
  RotateAuditStreamSecretAnswer: {
    ...AUDIT_STREAM,
    secret: SHOWN_ONCE,
    previousExpiresAt: 'From then on the secret before signs no more.',
  },
  PlatformKey: PLATFORM_KEY,
  CreatedPlatformKey: { ...PLATFORM_KEY, key: SHOWN_ONCE },
  CreatePlatformKeyBody: {
    name: PLATFORM_KEY.name,
    scopes: PLATFORM_KEY.scopes,
    mayCreateOrganizations: PLATFORM_KEY.mayCreateOrganizations,
    allowedAddresses: PLATFORM_KEY.allowedAddresses,
    expiresInDays: 'Days after which the key is refused; it does not expire where this is left out.',
  },
  RotatePlatformKeyBody: { overlapHours: 'How long the secret before is still accepted.' },
  RotatePlatformKeyAnswer: {
    ...PLATFORM_KEY,
    key: SHOWN_ONCE,
    previousExpiresAt: 'From then on the secret before is refused.',
  },
  CreateOrganizationBody: {
    name: 'Unique among the organizations of the server.',
    plan: '`DEFAULT_PLAN` where it is left out.',
  },
  ChangeOrganizationBodyModules: Object.fromEntries(
    Object.entries(MODULE_SWITCHES).map(([name, text]) => [name, `${text} Null: as its plan says.`]),
  ),
  ChangeOrganizationBody: {
    name: 'The new name, unique among the organizations of the server.',
    plan: 'The new plan, which holds at once.',
    modules: 'Switches that go before the plan.',
  },
  CreatedOrganizationInvitation: {
    email: 'The address that was invited.',
    role: 'Role that the person gets.',
    isMailed: 'Whether the link is mailed; otherwise hand it over yourself.',
    expiresAt: 'From then on the link no longer works.',
  },
  CreateOrganizationInvitationBody: { role: 'Role that the person gets on joining.' },
  GrantCreditsAnswer: {
    granted: 'False where the same `reference` has given them before.',
    balance: 'Credits that the organization can spend afterwards.',
  },
  GrantCreditsBody: {
    credits: 'How many credits to give.',
    reason: 'Shown in the ledger of the organization.',
    reference: 'A name of your own, such as an invoice number: the same one gives credits once only.',
  },
  CheckLivenessAnswer: { status: 'Always `ok`: the process answers.' },
  CheckReadinessAnswer: {
    status: '`ok`; or, with the HTTP status 503, `stopping` or `failed`.',
    checks: 'Each check with its result.',
  },
  CheckReadinessAnswerChecks: {
    database: '`ok` where the database answers in time.',
    deliveries:
      '`ok` where the oldest due delivery of this process waits for no more than a minute, otherwise how late it is; always `ok` in a process that sends none.',
  },
}
