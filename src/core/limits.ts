import { DAY, HOUR, MINUTE, type Millis, SECOND } from './clock.ts'

/** At most `max` in `windowMs` milliseconds. */
export interface Rate {
  max: number
  windowMs: Millis
}

/** Rate limits by name. `LIMITS` overrides single rows. */
export const RATES = {
  signInPerIp: { max: 30, windowMs: MINUTE },
  signInPerIpAndAccount: { max: 10, windowMs: 10 * MINUTE },
  signUpPerIp: { max: 10, windowMs: HOUR },
  mailPerAddress: { max: 3, windowMs: 10 * MINUTE },
  mailPerAddressDaily: { max: 10, windowMs: DAY },
  mailPerIp: { max: 30, windowMs: HOUR },
  secretPerIp: { max: 30, windowMs: MINUTE },
  invitationsPerOrganization: { max: 1_000, windowMs: HOUR },
  invitationsPerOrganizationDaily: { max: 5_000, windowMs: DAY },
  renamePerOrganization: { max: 20, windowMs: DAY },
  platformKey: { max: 600_000, windowMs: MINUTE },
  organizationsPerPlatformKey: { max: 2_000, windowMs: HOUR },
  authorizePerIp: { max: 120, windowMs: MINUTE },
  signOutsPerProvider: { max: 10_000, windowMs: MINUTE },
  registerClientPerIp: { max: 60, windowMs: HOUR },
  askDevicePerIp: { max: 30, windowMs: MINUTE },
  deviceCodePerIp: { max: 120, windowMs: 10 * MINUTE },
  deviceCodePerAccount: { max: 20, windowMs: 10 * MINUTE },
  tokenPerSession: { max: 60, windowMs: MINUTE },
  inboundPerIp: { max: 600, windowMs: MINUTE },
  inboundPerWebhook: { max: 1_200, windowMs: MINUTE },
  publicPerIp: { max: 300, windowMs: MINUTE },
  consolePerIp: { max: 3_000, windowMs: MINUTE },
} as const satisfies Record<string, Rate>

export type RateName = keyof typeof RATES
export type Rates = Record<RateName, Rate>

/** Lifetimes. */
export const LIFETIME = {
  /**
   * A session or a link that ends later than its kind allows was made by a wrong clock, and counts as ended. A correction of the
   * clock by up to this much ends none.
   */
  lenience: DAY,
  jwt: HOUR,
  sessionIdle: 7 * DAY,
  sessionAbsolute: 30 * DAY,
  /** A browser counts as known to an account for this long after its last sign-in. */
  device: 180 * DAY,
  /** The link that a first start prints while there is no account. */
  firstStartLink: HOUR,
  /** The longest lifetime of a setup link, and the default. */
  setupLink: 30 * DAY,
  setupLinkUsual: 7 * DAY,
  confirmation: DAY,
  passwordReset: 30 * MINUTE,
  magicLink: 10 * MINUTE,
  /** A change of an address waits this long for both mailboxes. */
  emailChange: DAY,
  /** Requests of directories are kept this long at most. */
  scimExchange: 7 * DAY,
  /** A former secret of an API key is known this long beyond its end, to record the requests that still use it. */
  retiredSecret: 7 * DAY,
  /** A sign-in waits this long for its second factor. */
  pendingSignIn: 10 * MINUTE,
  /** The enrolment of a TOTP waits this long for its first code. */
  enrolment: 30 * MINUTE,
  passkeyChallenge: 10 * MINUTE,
  /** Sensitive actions are permitted for this long after a second factor was shown. */
  stepUp: 10 * MINUTE,
  socialState: 10 * MINUTE,
  connectionState: 10 * MINUTE,
  /** A request for consent; a person may have to sign in first. */
  consentRequest: 30 * MINUTE,
  authorizationCode: MINUTE,
  /** A device's request waits this long for a person. */
  deviceCode: 10 * MINUTE,
  /** An unused refresh token expires after this; each use replaces it. */
  refreshToken: 30 * DAY,
  /** A grant expires after this, even when it is used. */
  grant: 365 * DAY,
  /** A client that registered itself is deleted after this without a first grant. */
  unusedClient: DAY,
  /** A client that registered itself is deleted this long after its last grant or refresh. */
  usedClient: 90 * DAY,
  idempotencyKey: DAY,
  /** Credits that are reserved for work without an outcome are released after this. */
  creditReservation: 15 * MINUTE,
  /** Stripe keeps a checkout open for a day at most; an hour less, because its clock may differ. */
  stripeCheckout: 23 * HOUR,
  /** Long enough for a bank transfer that a person enters by hand. */
  manualCheckout: 30 * DAY,
  /** An unpaid checkout is kept this long after its end: no provider reports a payment later. */
  settlement: 60 * DAY,
  signingKey: 30 * DAY,
  /** A signing key is published this long before it signs and after it last signed. */
  signingKeyOverlap: DAY,
  /** How long the check of a token or key is cached. */
  credentialCache: 5 * SECOND,
} as const satisfies Record<string, Millis>

/** Largest inputs, in bytes or items. */
export const SIZE = {
  body: 64 * 1024,
  eventBody: 256 * 1024,
  batchBody: 16 * 1024 * 1024,
  file: 64 * 1024 * 1024,
  echoedValue: 256,
} as const

/** Failed sign-ins of one account: `free` without a wait, then a wait that doubles up to `longestWait`. */
export const SIGN_IN_BACKOFF = { free: 5, firstWait: SECOND, longestWait: 15 * MINUTE } as const

/** Wrong codes that end a magic link. */
export const MAGIC_LINK_TRIES = 5

/** Tries that end a sign-in which waits for its second factor. */
export const FACTOR_TRIES = 5
/** Second factors that an account may have. */
export const MOST_FACTORS = 10
