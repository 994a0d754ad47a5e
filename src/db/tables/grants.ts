import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The authorization server's tables. */
export interface GrantTables {
  /** Clients that have a row; a client that is named by its document has none. */
  oauth_client: {
    id: Id<'oauthClient'>
    /** The organization whose members alone it is for; null: everybody. */
    organization_id: Id<'organization'> | null
    /** `dynamic`: it registered itself. */
    origin: 'registered' | 'dynamic'
    name: string
    /** Its metadata (RFC 7591) as JSON, without its id and secret. */
    metadata: string
    /** Sealed; null for a public client. */
    secret: string | null
    created_by: string | null
    created_at: Millis
    /** When a person last granted it something. */
    used_at: Millis | null
    /** From then on it is removed; null: never. */
    expires_at: Millis | null
  }
  /** What a person has let a client do in one organization, at one resource. */
  oauth_grant: {
    id: Id<'grant'>
    account_id: Id<'account'>
    organization_id: Id<'organization'>
    /** The session with which it ends; null: it goes on without one. */
    session_id: Id<'session'> | null
    /** An id of `oauth_client`, or the URL of a client's document. */
    client_id: string
    client_name: string
    /** Where the client's page is that the person was sent back to. */
    client_host: string
    resource: string
    /** JSON list of permissions. */
    scopes: string
    /** Scopes of OpenID Connect, with spaces between. */
    identity_scopes: string
    created_at: Millis
    last_used_at: Millis | null
    expires_at: Millis
    /** The organization's identity provider that began the session in which it was made; null: it was the person's own. */
    identity_provider_id: Id<'identityProvider'> | null
    /** 1: that provider vouched for a second factor. */
    provider_factor: number
  }
  /** What the authorization server keeps between two requests. */
  oauth_record: {
    id_hash: string
    kind: string
    grant_id: string | null
    user_code_hash: string | null
    /** Sealed JSON. */
    payload: string
    created_at: Millis
    /** When it was used, of what is used once. */
    consumed_at: Millis | null
    expires_at: Millis
  }
}
