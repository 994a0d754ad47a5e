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
    /** JSON of `Flags`: modules that are on or off regardless of the plan. */
    flags: string
    created_at: Millis
    /** Only records remain after it; the name is replaced by the id. */
    deleted_at: Millis | null
    /** Disabled by the operator: no credential is accepted, and nothing is sent or done for it until it is enabled. */
    disabled_at: Millis | null
    /** The platform's id of it; unique on the installation. */
    external_id: string | null
    /** From this moment members without a second factor get no token of it; null: none is required. */
    second_factor_from: Millis | null
    /** The time that a member has to add one after that moment, or after joining; null: no time. */
    second_factor_grace: Millis | null
    /** The language of its mails and of pages about it; null: the installation's. */
    language: Language | null
    /**
     * Since this moment members must sign in by an identity provider of the organization, except for `membership.own_sign_in_at`; null:
     * not required.
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
    /** The number of confirmed second factors. */
    second_factors: number
    /** The person's language for mails; null: the organization's. */
    language: Language | null
  }
  /** The kinds of imported password hashes. A refused sign-in computes a hash of each kind (`access/imported-hash.ts`). */
  imported_hash_kind: { kind: string; created_at: Millis }
  /** A person at an identity provider, by the provider's permanent key. */
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
    /** A custom role of the organization; null: the fixed one of `role`. */
    role_id: Id<'role'> | null
    created_at: Millis
    /**
     * Since this moment the member's own sign-in with a second factor is accepted where the organization requires its provider; null: it
     * is not.
     */
    own_sign_in_at: Millis | null
  }
  /** A custom role of an organization. */
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
  /** A former member; deleted with the account. A member who left and returned may still have a row here. */
  former_member: {
    organization_id: Id<'organization'>
    account_id: Id<'account'>
    /** The member's name when leaving. */
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
    /** A custom role of the organization, which may have been deleted after the end of the invitation. */
    role_id: Id<'role'> | null
    /** The inviting account or service account; null for the command line. */
    inviter_id: string | null
    /** The API key that created it; null for a person or the command line. */
    key_id: Id<'apiKey'> | null
    /** A pending one is expired after `expires_at`; the status is only stored when a newer one replaces it. */
    status: 'pending' | 'accepted' | 'revoked' | 'expired'
    token_hash: string
    /** The language of its mail; null: the organization's. */
    language: Language | null
    /** 1: the token was only sent by mail, so it proves access to the mailbox. */
    mailed: number
    created_at: Millis
    lifetime_ms: Millis
    expires_at: Millis
    accepted_at: Millis | null
    revoked_at: Millis | null
  }
  /** Single-use secrets that are sent by mail, with their purpose. */
  one_time_token: {
    token_hash: string
    purpose: 'confirmation' | 'password_reset' | 'magic_link' | 'email_approval' | 'email_proof'
    email: string
    account_id: Id<'account'>
    /** Sealed JSON that is needed when the token is used. */
    payload: string | null
    /** Hash of the cookie of the requesting browser. */
    binding_hash: string | null
    code_hash: string | null
    wrong_codes: number
    created_at: Millis
    expires_at: Millis
  }
  /** Pending sign-ins at an identity provider. */
  social_state: {
    state_hash: string
    provider: string
    /** Hash of the cookie of the browser that began it. */
    binding_hash: string
    /** Sealed JSON that the flow needs at its return. */
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
    /** When it ends at the latest, even when it is used. */
    expires_at: Millis
    /** When a second factor was last verified in it; null: never. */
    factor_at: Millis | null
    /** The organization's identity provider of the sign-in; null: the person's own sign-in. */
    identity_provider_id: Id<'identityProvider'> | null
    /** The only organization that it gives access to; null: all of the account. */
    bound_organization_id: Id<'organization'> | null
    /** Hash of the provider's session id; null: not given. */
    provider_session_hash: string | null
    /** The provider's hint for a sign-out there, sealed; null: no sign-out there, or no hint was given. */
    provider_hint: string | null
  }
  second_factor: {
    id: Id<'factor'>
    account_id: Id<'account'>
    kind: FactorKind
    name: string
    /** The sealed secret of a TOTP; null for a passkey. */
    secret: string | null
    /** The last time step whose code was accepted, because a code is valid once. */
    last_step: number | null
    /** The id of a passkey, as base64url. */
    credential_id: string | null
    public_key: string | null
    /** The last signature counter of its device. */
    counter: number | null
    /** JSON list of the transports of its device. */
    transports: string | null
    /** null: the enrolment is not complete, and it is no factor yet. */
    confirmed_at: Millis | null
    created_at: Millis
    last_used_at: Millis | null
  }
  /** Recovery codes for a lost factor, each valid once. */
  recovery_code: {
    account_id: Id<'account'>
    number: string
    /** The code's hash, sealed. */
    code_hash: string
    created_at: Millis
  }
  /** Sign-ins with a verified first factor that wait for the second one. */
  pending_sign_in: {
    token_hash: string
    account_id: Id<'account'>
    how: string
    /** The target after the sign-in; null: the default. */
    return_to: string | null
    tries: number
    created_at: Millis
    expires_at: Millis
    /** The organization's identity provider of the first factor; null: another way to sign in. */
    identity_provider_id: Id<'identityProvider'> | null
    /** As in `session`. */
    provider_session_hash: string | null
    /** As in `session`, to which it is moved unchanged. */
    provider_hint: string | null
  }
  /** Challenges for a passkey to sign, each valid once. */
  passkey_challenge: {
    challenge_hash: string
    purpose: 'enrolment' | 'sign_in' | 'second_factor' | 'step_up'
    /** Hash of the value that binds it to a browser: a cookie, the session, or the pending sign-in. */
    binding_hash: string
    /** null: the passkey identifies the account. */
    account_id: Id<'account'> | null
    created_at: Millis
    expires_at: Millis
  }
  /** Failed sign-ins of an address, with or without an account. */
  sign_in_throttle: { email_hash: string; failures: number; next_at: Millis; updated_at: Millis }
  /** The owner of API keys: the actor of a machine, for all of its keys. */
  service_account: {
    id: Id<'serviceAccount'>
    organization_id: Id<'organization'>
    name: string
    description: string | null
    /** The responsible member; null without one. */
    owner_id: Id<'account'> | null
    created_by: string | null
    /** The API key that created it; null for a person. */
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
    /** A JSON list of scopes; null: all of the role. */
    scopes: string | null
    /** JSON list of networks that it may be used from; null: any. */
    allowed_addresses: string | null
    /** The current secret; earlier valid ones are in `api_key_secret`. */
    key_hash: string
    hint: string
    created_by: string | null
    /** The API key that created it; null for a person. */
    key_id: Id<'apiKey'> | null
    /** The maker of the current secret, the API key that was used, and the moment; null for the first secret. */
    rotated_by: string | null
    rotated_with: Id<'apiKey'> | null
    rotated_at: Millis | null
    created_at: Millis
    expires_at: Millis | null
    last_used_at: Millis | null
  }
  /** Earlier secrets of rotated API keys; each is valid until `expires_at`. */
  api_key_secret: {
    key_hash: string
    organization_id: Id<'organization'>
    api_key_id: Id<'apiKey'>
    hint: string
    /** The maker of this secret, and the API key that was used. */
    created_by: string | null
    key_id: Id<'apiKey'> | null
    created_at: Millis
    expires_at: Millis
    last_used_at: Millis | null
  }
  /**
   * API keys that ended while their owner did not, by the account, platform key or API key that made a secret of them. Deleted once
   * nothing made with them is left.
   */
  ended_key: { id: Id<'apiKey'>; organization_id: Id<'organization'>; maker: string }
  /** Sessions that an administrator has ended for one organization; they stay valid for others. */
  session_exclusion: { session_id: Id<'session'>; organization_id: Id<'organization'>; created_at: Millis }
  /** Platform keys, which act for any organization. */
  platform_key: {
    id: Id<'platformKey'>
    name: string
    /** JSON list of permissions; null: all. */
    scopes: string | null
    /** 1: it may create an organization for an unknown external id. */
    may_create_organizations: number
    /** JSON list of networks that it may be used from; null: any. */
    allowed_addresses: string | null
    key_hash: string
    hint: string
    created_at: Millis
    expires_at: Millis | null
    rotated_at: Millis | null
    last_used_at: Millis | null
  }
  /** Earlier secrets of rotated platform keys that are still accepted. */
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
    /** The acting account or service account; null for an unknown caller or the command line. */
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
    /** The bits of the audit streams that have not received it; null: none. */
    unsent: number | null
  }
  /** Destinations of all entries of the audit log. */
  audit_stream: {
    id: Id<'auditStream'>
    /** Its bit in the entries that it has not received. */
    bit: number
    name: string
    url: string
    /** Sealed: JSON of headers by name; null: none. */
    headers: string | null
    /** JSON list of their names. */
    header_names: string
    created_at: Millis
    paused_at: Millis | null
    /** Set when it was deleted; the row stays until no entry has its bit. */
    ended_at: Millis | null
    /** The number of received entries. */
    sent: number
    /** The number of entries that became too old before it received them. */
    lost: number
    last_sent_at: Millis | null
    /** Failures since the last success. */
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
    /** null: the signing secret. */
    expires_at: Millis | null
  }
  /** Requests for a mail to an address with or without an account; they are answered before the account is looked up. */
  mail_request: {
    id: Id<'mail'>
    kind: 'password_reset' | 'magic_link' | 'email_change'
    email: string
    binding_hash: string | null
    /** Sealed: the code in the mail, and the return address. */
    payload: string
    ip: string
    created_at: Millis
  }
}
