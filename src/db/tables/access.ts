import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'
import type { Language } from '../../core/language.ts'

/** A fixed role. */
export type Role = 'administrator' | 'member'
export type FactorKind = 'totp' | 'passkey'
export const ROLES = ['administrator', 'member'] as const satisfies Role[]

/** The tables of access. */
export interface AccessTables {
  organization: {
    id: Id<'organization'>
    name: string
    /** A name of the plan book. */
    plan: string
    /** JSON of `Flags`: modules that are on or off whatever the plan says. */
    flags: string
    created_at: Millis
    /** Only its records are kept; its id stands in place of its name. */
    deleted_at: Millis | null
    /** The operator has disabled it: no credential is accepted, and nothing is sent or done for it until it is enabled. */
    disabled_at: Millis | null
    /** What the platform calls it; unique on the installation. */
    external_id: string | null
    /** From then on members without a second factor get no token of it; null: none is required. */
    second_factor_from: Millis | null
    /** How long a member has to add one after that moment, or after joining; null: no time. */
    second_factor_grace: Millis | null
    /** Of its mails, and of pages about it; null: the installation's. */
    language: Language | null
    /**
     * Since when members sign in by an identity provider of the organization, but for exceptions (`membership.own_sign_in_at`); null:
     * they need not.
     */
    sign_in_required_at: Millis | null
  }
  account: {
    id: Id<'account'>
    email: string
    first_name: string | null
    last_name: string | null
    status: 'inactive' | 'active' | 'disabled'
    email_verified_at: Millis | null
    /** Argon2id in PHC form, or as it was imported until the first sign-in; null for an account without a password. */
    password_hash: string | null
    terms_accepted_at: Millis | null
    created_at: Millis
    updated_at: Millis
    /** How many second factors it has, confirmed ones alone. */
    second_factors: number
    /** What the person has chosen for mails; null: that of the organization. */
    language: Language | null
  }
  /** The kinds of hashes that were imported, whose work each refused sign-in does (`access/imported-hash.ts`). */
  imported_hash_kind: { kind: string; created_at: Millis }
  /** A person at an identity provider, by the provider's own unchanging key. */
  identity: {
    provider: string
    subject: string
    account_id: Id<'account'>
    email: string
    created_at: Millis
  }
  membership: {
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    /** `member` where `role_id` is set. */
    role: Role
    /** A role of the organization's own; null: the fixed one of `role`. */
    role_id: Id<'role'> | null
    created_at: Millis
    /** Since when the own sign-in, with a second factor, is enough where the organization requires that of its provider; null: it is not. */
    own_sign_in_at: Millis | null
  }
  /** A role of an organization's own. */
  role: {
    id: Id<'role'>
    organization_id: Id<'organization'>
    name: string
    description: string | null
    /** JSON list of permissions in the order of their table. */
    permissions: string
    created_by: string | null
    created_at: Millis
    updated_at: Millis
  }
  /** A former member; deleted with the account. A member who left and came back may still have a row here. */
  former_member: {
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    /** What the member was called when leaving. */
    name: string
    left_at: Millis
  }
  invitation: {
    id: Id<'invitation'>
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    email: string
    /** `member` where `role_id` is set. */
    role: Role
    /** A role of the organization's own; of an invitation that is over it may have been deleted since. */
    role_id: Id<'role'> | null
    /** The account or service account that invited; null for the command line. */
    inviter_id: string | null
    /** The API key with which it was made; null for a person or the command line. */
    key_id: Id<'apiKey'> | null
    /** A pending one is expired once `expires_at` has passed; that is stored only when a newer one takes its place. */
    status: 'pending' | 'accepted' | 'revoked' | 'expired'
    token_hash: string
    /** Of its mail; null: that of the organization. */
    language: Language | null
    /** 1: the token was sent in a mail and nowhere else, so that it proves access to the mailbox. */
    mailed: number
    created_at: Millis
    lifetime_ms: Millis
    expires_at: Millis
    accepted_at: Millis | null
    revoked_at: Millis | null
  }
  /** Single-use secrets that travel by mail; `subject` is what each is for. */
  one_time_token: {
    token_hash: string
    purpose: 'confirmation' | 'password_reset' | 'magic_link' | 'email_approval' | 'email_proof'
    email: string
    account_id: Id<'account'>
    /** Sealed JSON that the purpose needs when the token comes back. */
    payload: string | null
    /** Hash of the cookie of the browser that asked. */
    binding_hash: string | null
    code_hash: string | null
    wrong_codes: number
    created_at: Millis
    expires_at: Millis
  }
  /** Sign-ins on their way through an identity provider. */
  social_state: {
    state_hash: string
    provider: string
    /** Hash of the cookie of the browser that began it. */
    binding_hash: string
    /** Sealed JSON: what the flow needs when it comes back. */
    payload: string
    created_at: Millis
    expires_at: Millis
  }
  session: {
    id: Id<'session'>
    account_id: Id<'account'>
    token_hash: string
    ip: string
    user_agent: string
    created_at: Millis
    last_seen_at: Millis
    /** When it ends however much it is used. */
    expires_at: Millis
    /** When a second factor was last shown in it; null: never. */
    factor_at: Millis | null
    /** The organization's identity provider that began it; null: it is the person's own. */
    identity_provider_id: Id<'identityProvider'> | null
    /** The one organization that it opens; null: all of the account. */
    bound_organization_id: Id<'organization'> | null
    /** Hash of what that provider calls the session there; null: it has not said. */
    provider_session_hash: string | null
    /** What names the session to that provider for a sign-out there, sealed; null: it is not to end there, or nothing was said. */
    provider_hint: string | null
  }
  second_factor: {
    id: Id<'factor'>
    account_id: Id<'account'>
    kind: FactorKind
    name: string
    /** The sealed secret of a TOTP; null for a passkey. */
    secret: string | null
    /** The last time step whose code was accepted: a code is good once. */
    last_step: number | null
    /** Of a passkey: its id, as base64url. */
    credential_id: string | null
    public_key: string | null
    /** The signature counter that its device showed last. */
    counter: number | null
    /** JSON list of what its device is reached by. */
    transports: string | null
    /** null: its enrolment is under way, and it is no factor yet. */
    confirmed_at: Millis | null
    created_at: Millis
    last_used_at: Millis | null
  }
  /** Codes that stand for a lost factor, each once. */
  recovery_code: {
    account_id: Id<'account'>
    number: string
    /** The code's hash, sealed. */
    code_hash: string
    created_at: Millis
  }
  /** Sign-ins whose first factor is shown and whose second is not. */
  pending_sign_in: {
    token_hash: string
    account_id: Id<'account'>
    how: string
    /** Where the sign-in leads; null: nowhere in particular. */
    return_to: string | null
    tries: number
    created_at: Millis
    expires_at: Millis
    /** The organization's identity provider that showed the first factor; null: another door. */
    identity_provider_id: Id<'identityProvider'> | null
    /** As of a session. */
    provider_session_hash: string | null
    /** As of a session, which it becomes as it is. */
    provider_hint: string | null
  }
  /** Challenges that a passkey is to sign, each once. */
  passkey_challenge: {
    challenge_hash: string
    purpose: 'enrolment' | 'sign_in' | 'second_factor' | 'step_up'
    /** Hash of what binds it to a browser: a cookie, the session, or the pending sign-in. */
    binding_hash: string
    /** null: the passkey itself says whose it is. */
    account_id: Id<'account'> | null
    created_at: Millis
    expires_at: Millis
  }
  /** Failed sign-ins of one address, known or not. */
  sign_in_throttle: { email_hash: string; failures: number; next_at: Millis; updated_at: Millis }
  /** What API keys belong to: the actor of a machine, whichever of its keys it uses. */
  service_account: {
    id: Id<'serviceAccount'>
    organization_id: Id<'organization'>
    name: string
    description: string | null
    /** The member to ask about it; null where there is none. */
    owner_id: Id<'account'> | null
    created_by: string | null
    /** The API key with which it was made; null for a person. */
    key_id: Id<'apiKey'> | null
    created_at: Millis
    updated_at: Millis
    last_used_at: Millis | null
  }
  api_key: {
    id: Id<'apiKey'>
    organization_id: Id<'organization'>
    service_account_id: Id<'serviceAccount'>
    name: string
    description: string | null
    role: Role
    /** A JSON list of scopes; null: all that the role has. */
    scopes: string | null
    /** JSON: the networks from which it may come; null: any. */
    allowed_addresses: string | null
    /** The present secret; earlier ones that still work are in `api_key_secret`. */
    key_hash: string
    hint: string
    created_by: string | null
    /** The API key with which it was made; null for a person. */
    key_id: Id<'apiKey'> | null
    /** Who made the present secret, by which API key and when; null while that is the first one. */
    rotated_by: string | null
    rotated_with: Id<'apiKey'> | null
    rotated_at: Millis | null
    created_at: Millis
    expires_at: Millis | null
    last_used_at: Millis | null
  }
  /** Earlier secrets of rotated API keys; each works until `expires_at`. */
  api_key_secret: {
    key_hash: string
    organization_id: Id<'organization'>
    api_key_id: Id<'apiKey'>
    hint: string
    /** Who made this secret, and by which API key. */
    created_by: string | null
    key_id: Id<'apiKey'> | null
    created_at: Millis
    expires_at: Millis
    last_used_at: Millis | null
  }
  /** API keys that ended alone, by the account, platform key or API key that made a secret of them; gone once nothing was made with them. */
  ended_key: { id: Id<'apiKey'>; organization_id: Id<'organization'>; maker: string }
  /** Sessions that an administrator has ended for one organization; elsewhere they go on. */
  session_exclusion: { session_id: Id<'session'>; organization_id: Id<'organization'>; created_at: Millis }
  /** Keys of the installation, which act for any organization. */
  platform_key: {
    id: Id<'platformKey'>
    name: string
    /** JSON list of permissions; null: all. */
    scopes: string | null
    /** 1: makes an organization of an external id that no organization has. */
    may_create_organizations: number
    /** JSON list of networks from which it may come; null: any. */
    allowed_addresses: string | null
    key_hash: string
    hint: string
    created_at: Millis
    expires_at: Millis | null
    rotated_at: Millis | null
    last_used_at: Millis | null
  }
  /** Earlier secrets of rotated platform keys, while they are still accepted. */
  platform_key_secret: {
    key_hash: string
    platform_key_id: Id<'platformKey'>
    hint: string
    created_at: Millis
    expires_at: Millis
  }
  signing_key: {
    kid: string
    /** The public JWK as JSON. */
    public_jwk: string
    /** The private JWK, sealed. */
    private_jwk: string
    created_at: Millis
    /** The first moment at which it signs. */
    active_at: Millis
    /** The last moment at which it signs. It is published until `removed_at`. */
    retired_at: Millis
    removed_at: Millis
  }
  audit: {
    id: Id<'audit'>
    organization_id: Id<'organization'> | null
    account_id: Id<'account'> | null
    /** The account or service account that did it; null for an unknown caller or the command line. */
    actor_id: string | null
    /** The API key of the service account. */
    key_id: Id<'apiKey'> | null
    action: string
    target_id: string | null
    details: string
    ip: string
    user_agent: string
    request_id: string
    created_at: Millis
    /** The bits of the audit streams that have not taken it; null: of none. */
    unsent: number | null
  }
  /** Where all entries of the audit log go. */
  audit_stream: {
    id: Id<'auditStream'>
    /** Marks the entries that it has not taken. */
    bit: number
    name: string
    url: string
    /** Sealed: JSON of headers by name; null: none. */
    headers: string | null
    /** JSON list of their names. */
    header_names: string
    created_at: Millis
    paused_at: Millis | null
    /** It was deleted; the row stays until no entry has its mark. */
    ended_at: Millis | null
    /** Entries that it took. */
    sent: number
    /** Entries whose marks went before it took them, because they were too old. */
    lost: number
    last_sent_at: Millis | null
    /** Since the last success. */
    failures: number
    failing_since: Millis | null
    last_error: string | null
    next_attempt_at: Millis | null
  }
  audit_stream_secret: {
    audit_stream_id: Id<'auditStream'>
    /** Sealed. */
    secret: string
    hint: string
    created_at: Millis
    /** null: the one that signs. */
    expires_at: Millis | null
  }
  /** Requests for a mail to an address that may or may not have an account; answered before that is looked up. */
  mail_request: {
    id: Id<'mail'>
    kind: 'password_reset' | 'magic_link' | 'email_change'
    email: string
    binding_hash: string | null
    /** Sealed: the code that the mail will carry, and where to return to. */
    payload: string
    ip: string
    created_at: Millis
  }
}
