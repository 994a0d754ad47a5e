import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of an organization's sign-in: domains and identity providers. */
export interface SignInTables {
  /** A domain that an organization claims. */
  domain: {
    id: Id<'domain'>
    organization_id: Id<'organization'>
    /** In ASCII. */
    name: string
    /** The value that the organization publishes as a proof. */
    token: string
    /** `verified` and `failing` count as proven: then `proven_domain` has a row. */
    status: 'pending' | 'verified' | 'failing' | 'lost'
    /** The failure of the last check. */
    reason: string | null
    /** The job of its periodic checks. */
    job_id: Id<'job'> | null
    created_by: string | null
    created_at: Millis
    checked_at: Millis | null
    verified_at: Millis | null
    failing_since: Millis | null
  }
  /** The organization that has proven a domain; one at most. */
  proven_domain: { name: string; domain_id: Id<'domain'>; organization_id: Id<'organization'> }
  /** Reports of sign-outs by identity providers, with their persons and sessions. Postern accepts a report once. */
  spent_logout: {
    identity_provider_id: Id<'identityProvider'>
    organization_id: Id<'organization'>
    token_hash: string
    expires_at: Millis
  }
  /** Postern's own key pairs for SAML; the identity provider knows their certificates. */
  saml_key: {
    organization_id: Id<'organization'>
    identity_provider_id: Id<'identityProvider'>
    purpose: 'encryption' | 'signing'
    /** SHA-256 of the certificate, in hex. */
    fingerprint: string
    /** PEM. */
    certificate: string
    /** PEM, sealed. */
    private_key: string
    created_at: Millis
    /** When it is no longer used; null: the newest. */
    ends_at: Millis | null
  }
  /** A link by which a person without an account configures the organization's sign-in. */
  setup_link: {
    id: Id<'setupLink'>
    organization_id: Id<'organization'>
    /** Its recipient, in the maker's words. */
    name: string
    /** The address that it was mailed to; null: not mailed. */
    email: string | null
    language: string | null
    /** Names, separated by spaces. */
    purposes: string
    /** 1: a successful test sign-in enables the identity provider. */
    activates: number
    /** As in the identity provider that it creates. */
    creates_memberships: number
    /** `expires_at` ends the first two as well. */
    status: 'pending' | 'opened' | 'finished' | 'revoked'
    token_hash: string
    /** The cookie's hash of the browser that opened it; null until then. */
    cookie_hash: string | null
    /** The id of the identity provider, also before it exists. */
    identity_provider_id: Id<'identityProvider'>
    /** `updated_at` of the identity provider after the last change by the link. A different `updated_at` means a change by an administrator. */
    provider_changed_at: Millis | null
    /** JSON of the last test sign-in. */
    test: string | null
    /** The API key that it has created for a directory. */
    api_key_id: Id<'apiKey'> | null
    /** The account whose permission it depends on; null: the operator. */
    created_by: string | null
    key_id: Id<'apiKey'> | null
    created_at: Millis
    expires_at: Millis
    opened_at: Millis | null
    ended_at: Millis | null
  }
  /** An identity provider of an organization. */
  identity_provider: {
    id: Id<'identityProvider'>
    organization_id: Id<'organization'>
    kind: 'oidc' | 'saml'
    name: string
    status: 'active' | 'disabled'
    /** JSON, depending on the kind. */
    settings: string
    /** The sealed client secret; null for SAML. */
    secret: string | null
    /** 1: a sign-in with an address of a proven domain creates a membership. */
    creates_memberships: number
    /** 1: each sign-in assigns the role by the rules. */
    manages_roles: number
    /** A fixed role, or the id of a custom one. */
    default_role: string
    /** JSON list of rules; the first match decides the role. */
    role_rules: string
    /** JSON list of the provider's values for a sign-in with a second factor. */
    factor_values: string
    /** 1: a sign-out also ends the session at the provider. */
    ends_provider_session: number
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    /** When the last certificate of a SAML provider expires; null for OpenID. */
    certificates_end_at: Millis | null
    last_sign_in_at: Millis | null
  }
}
