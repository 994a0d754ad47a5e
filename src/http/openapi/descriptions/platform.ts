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
  language: 'The language that the person has chosen for mails; null: that of the organization.',
  firstName: 'Given name; null before the sign-up.',
  lastName: 'Family name; null before the sign-up.',
  status: '`inactive`: invited, and not signed up yet. `disabled`: the operator has shut it out.',
  emailVerified: 'Whether its owner has proved the mailbox.',
  termsAcceptedAt: 'When the terms were accepted; null: not yet.',
  memberships: 'How many organizations it belongs to.',
  sessions: 'How many sessions it has at present.',
  hasPassword: 'Whether it can sign in with a password.',
  secondFactors: 'The number of its second factors; without one a password is enough to sign in.',
  providers: 'Identity providers with which it has signed in.',
}

const OAUTH_CLIENT = {
  name: 'The name that people see; an application that registered itself chose it.',
  redirectUris: 'The exact URIs to which a browser may return.',
  postLogoutRedirectUris:
    'The exact URIs to which a browser may return after a sign-out; the `state` of the request is appended, so a URI must not have one.',
  organizationId: 'The only organization whose members can grant it access; null: any.',
  origin: '`registered` by the operator, or `dynamic`: it registered itself.',
  usesDeviceFlow: 'Whether it may request a grant by a code that a person enters at `/device`.',
  isConfidential: 'Whether it proves itself with a secret at the token endpoint.',
  lastUsedAt: 'When it last got a grant or a token; null: never.',
  expiresAt: 'When it is removed unless it is used; null: it is not.',
}

const SHOWN_ONCE = 'The secret of the key, for `Authorization: Bearer`. Only this answer shows it.'
const PLATFORM_KEY = {
  name: 'The name of the key; organizations see it in their audit logs.',
  scopes: 'The permissions of the key in every organization; null: all.',
  mayCreateOrganizations:
    'Whether a `POST` for an unknown `ext:` makes the organization, with `DEFAULT_PLAN`.',
  allowedAddresses: 'Networks from which the key may be used; null: any.',
  expiresAt: 'From then on the key is refused; null: it does not expire.',
  rotatedAt: 'When it got its current secret; null for the first secret.',
  lastUsedAt: 'When the key was last used, at most a minute old; null: never.',
}

/** Errors, billing, connections, the operator and health. */
const AUDIT_STREAM = {
  id: 'Id of the stream, which starts with `aus_`.',
  name: 'The name of the stream.',
  headerNames: 'Names of the headers that are sent with every request; their values are never shown.',
  status: '`active`; `failing`: the last request was not accepted; or `paused`.',
  pausedAt: 'Since when it is paused; null: it is not.',
  unsent: 'The entries that were not sent yet.',
  sent: 'The number of sent entries.',
  lost: 'The number of entries that were given up, 30 days after `AUDIT_DAYS`.',
  lastSentAt: 'When it last accepted entries; null: never.',
  failures: 'Requests that failed since the last success.',
  failingSince: 'Since when it fails; null: it does not.',
  lastError: 'Why the last request was not accepted, such as `http_503` or `timeout`; null: it was.',
  nextAttemptAt: 'Before then it is not tried again; null: it is tried at once.',
}
const AUDIT_STREAM_UNSENT = {
  count: 'The number of unsent entries, up to 10,000.',
  atLeast: 'Whether there may be more than were counted.',
  oldestAt: 'The time of the oldest unsent entry; null: none.',
}

export const PLATFORM_DESCRIPTIONS: Descriptions = {
  ErrorAnswer: { error: 'The failure, with its code and details.' },
  ErrorAnswerError: {
    code: 'Stable: branch on it. Each code always has the same HTTP status.',
    message: 'For people; it may change.',
    details:
      '`field`, `value` and `reason` of the first problem, `issues` with all problems, and further details of the code.',
    requestId: 'The `X-Request-Id` of the answer; quote it to the operator.',
    docUrl: 'The page of the code: causes, remedy and an example.',
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
      '`expired`: its page no longer accepts a payment; an earlier payment, or a settlement by the operator, still makes it `paid`.',
    credits: 'Credits that are bought; null where a plan is.',
    plan: 'Plan that is bought; null where credits are.',
    price: PRICE,
    checkoutUrl: 'Page on which it is paid.',
    expiresAt: 'From then on its page accepts no payment.',
    paidAt: 'When it was paid; null until then.',
  },
  CreatedCheckout: {
    checkoutUrl: 'The address for the browser of the paying person.',
    checkoutId: 'Id of the checkout, which starts with `chk_`.',
    expiresAt: 'From then on its page accepts no payment.',
  },
  CreateCheckoutBody: {
    credits: 'The number of credits to buy, in whole packs; not together with `plan`.',
    plan: 'The new plan; not together with `credits`.',
  },
  Plan: {
    name: 'The value of `plan` for `POST /v1/billing/checkout`.',
    requestsPerMinute: FREE_LIMIT('Requests a minute of an organization'),
    modules: 'Parts of the platform that an organization of this plan may use.',
    creditsPerCycle: FREE_LIMIT('Credits that each cycle brings'),
    price: 'Price of one cycle; null: it cannot be bought here.',
  },
  PlanPage: {
    modules: 'Each module, and whether the organization of the caller may use it.',
    cycle: 'How long a cycle lasts.',
    creditPack: 'Credits are bought in multiples of this pack; null: they are not for sale.',
    actions: 'The price of each kind of work.',
  },
  PlanPageModule: { module: 'Name of the module, as plans list it.' },
  PlanPageCreditPack: { credits: 'Credits of one pack.', price: 'Price of one pack.' },
  PlanPageAction: { action: 'The kind of work.', credits: 'Credits that one such action costs.' },
  LedgerEntry: {
    kind: 'Why the balance changed.',
    action: 'Kind of work that a debit paid for; null for other entries.',
    reason: 'The reason that the operator gave; null without one.',
  },
  LedgerDay: { date: 'The day, in UTC.', entries: 'Entries of that day.' },
  ReceiveStripeEventAnswer: { received: 'Always true: Stripe need not send it again.' },
  ConnectionProvider: {
    scopes: 'Scopes that each new connection requests.',
    apiHosts: 'Hosts, with their ports, that a token may be sent to.',
  },
  ConnectionLastError: FACTS_OF_ERROR,
  Connection: {
    provider: 'Name of the provider in `GET /v1/connections/providers`.',
    scopes: 'Scopes that the provider granted.',
    refreshable: 'Whether a refresh token exists, so that the access token is renewed without a person.',
    retryNotBefore: 'The provider asked to wait until then; null: it did not.',
    expiresAt: 'When the access token expires; null: unknown.',
    refreshedAt: 'When the access token was last renewed; null: never.',
  },
  RefreshConnectionAnswer: {
    provider: 'Name of the provider.',
    status: 'Always `active`: this request renewed the token, or another one just before it did.',
    scopes: 'Scopes that the provider granted.',
    expiresAt: 'When the access token expires; null: unknown.',
    refreshedAt: 'When the access token was last renewed; null: never.',
  },
  FetchThroughConnectionAnswer: { body: 'Body of the answer, encoded by `bodyEncoding`.' },
  FetchThroughConnectionBody: {
    method: 'Method of the call; `GET` and `HEAD` have no body.',
    headers: 'Headers of the call. `Authorization` is set by the server and refused here.',
  },
  Installation: {
    version: 'Version of the program.',
    engine: 'Where the data is kept.',
    schemaVersion: 'Number of the last migration of the database.',
    organizations: 'The number of organizations.',
    deliveries: 'Deliveries that are due.',
    jobs: 'Other durable work that is due, by its kind.',
    workers: 'Processes that send and process.',
    mails: 'Mails on their way.',
    disk: 'Space of the disk that holds `DATA_DIR`.',
    measuredAt: 'The time of these figures.',
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
    isConfigured: 'Whether a mail server is configured (`SMTP_URL`).',
  },
  Finding: {
    level:
      '`ok`: no action is needed. `warning`: it works, but is unsafe or may fail later. `problem`: something does not work.',
    what: 'Subject of the check.',
    text: 'The result, and the remedy.',
  },
  AllOrganizationModules: MODULE_SWITCHES,
  AllOrganization: {
    name: 'Name of the organization.',
    externalId: 'Its id on your platform; null without one.',
    status:
      '`disabled`: its members and keys have no access, its deliveries wait, and its runs are cancelled.',
    plan: 'Name of its plan.',
    modules: 'Which modules it has, after the switches of the operator.',
    members: 'How many members it has.',
    webhooks: 'How many webhooks it has.',
  },
  ImportAccountsAnswer: {
    imported: 'How many accounts were made.',
    unchanged: 'The number of accounts that existed with these memberships.',
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
    clientSecret:
      'For the token endpoint; null for applications that use only PKCE. Only this answer shows it.',
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
    reason: 'Why the request was not accepted, such as `http_503` or `timeout`; null where it was.',
    durationMs: 'How long the request took, in milliseconds.',
  },
  RotateAuditStreamSecretAnswer: {
    ...AUDIT_STREAM,
    secret: SHOWN_ONCE,
    previousExpiresAt: 'From then on the previous secret no longer signs.',
  },
  PlatformKey: PLATFORM_KEY,
  CreatedPlatformKey: { ...PLATFORM_KEY, key: SHOWN_ONCE },
  CreatePlatformKeyBody: {
    name: PLATFORM_KEY.name,
    scopes: PLATFORM_KEY.scopes,
    mayCreateOrganizations: PLATFORM_KEY.mayCreateOrganizations,
    allowedAddresses: PLATFORM_KEY.allowedAddresses,
    expiresInDays: 'Days after which the key is refused. Default: it does not expire.',
  },
  RotatePlatformKeyBody: { overlapHours: 'How long the previous secret is still accepted.' },
  RotatePlatformKeyAnswer: {
    ...PLATFORM_KEY,
    key: SHOWN_ONCE,
    previousExpiresAt: 'From then on the previous secret is refused.',
  },
  CreateOrganizationBody: {
    name: 'Unique among the organizations of the server.',
    plan: '`DEFAULT_PLAN` where it is left out.',
  },
  ChangeOrganizationBodyModules: Object.fromEntries(
    Object.entries(MODULE_SWITCHES).map(([name, text]) => [name, `${text} Null: the setting of the plan.`]),
  ),
  ChangeOrganizationBody: {
    name: 'The new name, unique among the organizations of the server.',
    plan: 'The new plan, which applies at once.',
    modules: 'Switches that override the plan.',
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
    reference:
      'Your own name of the grant, such as an invoice number; the same one grants credits only once.',
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
