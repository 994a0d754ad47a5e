import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of how an organization's people sign in. */
export interface SignInTables {
  /** A domain that an organization claims. */
  domain: {
    id: Id<'domain'>
    organization_id: Id<'organization'>
    /** In ASCII. */
    name: string
    /** What the organization publishes to prove it. */
    token: string
    /** `verified` and `failing` count as proven: then `proven_domain` has a row. */
    status: 'pending' | 'verified' | 'failing' | 'lost'
    /** Why the last check found no proof. */
    reason: string | null
    /** The job that checks it from time to time. */
    job_id: Id<'job'> | null
    created_by: string | null
    created_at: Millis
    checked_at: Millis | null
    verified_at: Millis | null
    failing_since: Millis | null
  }
  /** Which organization has proven a domain: one at most. */
  proven_domain: { name: string; domain_id: Id<'domain'>; organization_id: Id<'organization'> }
  /** Reports of sign-outs that identity providers have made, each of which counts once, and the persons and sessions that they named. */
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
    /** When it is of no use any more; null: of the newest. */
    ends_at: Millis | null
  }
  /** A link by which a person without an account sets up how the organization signs in. */
  setup_link: {
    id: Id<'setupLink'>
    organization_id: Id<'organization'>
    /** Whom it is for, in the words of its maker. */
    name: string
    /** Where it was mailed to; null: its maker handed it over. */
    email: string | null
    language: string | null
    /** Names with spaces between. */
    purposes: string
    /** 1: a round trip that worked switches the identity provider on. */
    activates: number
    /** As of the identity provider that is made by it. */
    creates_memberships: number
    /** `expires_at` ends the first two as well. */
    status: 'pending' | 'opened' | 'finished' | 'revoked'
    token_hash: string
    /** Of the browser that opened it; null until then. */
    cookie_hash: string | null
    /** The id that the identity provider has or will have. */
    identity_provider_id: Id<'identityProvider'>
    /** `updated_at` of the identity provider after the last change by the link. A different `updated_at` means a change by an administrator. */
    provider_changed_at: Millis | null
    /** JSON of the last round trip. */
    test: string | null
    /** The key that it has made for a directory. */
    api_key_id: Id<'apiKey'> | null
    /** On whose right it rests; null: the operator's. */
    created_by: string | null
    key_id: Id<'apiKey'> | null
    created_at: Millis
    expires_at: Millis
    opened_at: Millis | null
    ended_at: Millis | null
  }
  /** Who vouches for the people of an organization when they sign in. */
  identity_provider: {
    id: Id<'identityProvider'>
    organization_id: Id<'organization'>
    kind: 'oidc' | 'saml'
    name: string
    status: 'active' | 'disabled'
    /** JSON by the kind. */
    settings: string
    /** The sealed client secret; null for SAML. */
    secret: string | null
    /** 1: a sign-in with an address of a proven domain makes a membership. */
    creates_memberships: number
    /** 1: each sign-in gives the role that the rules find. */
    manages_roles: number
    /** A fixed role, or the id of one of the organization's own. */
    default_role: string
    /** JSON list of rules, of which the first that matches names the role. */
    role_rules: string
    /** JSON list of what the provider says of a sign-in with a second factor. */
    factor_values: string
    /** 1: signing out ends the session at the provider, too. */
    ends_provider_session: number
    created_by: string | null
    created_at: Millis
    updated_at: Millis
    /** When the last certificate of a SAML provider ends; null for OpenID. */
    certificates_end_at: Millis | null
    last_sign_in_at: Millis | null
  }
}
