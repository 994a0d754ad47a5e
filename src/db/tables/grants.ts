import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The authorization server's tables. */
export interface GrantTables {
  /** Registered clients. A client that is identified by its metadata document has no row. */
  oauth_client: {
    id: Id<'oauthClient'>
    /** The organization whose members may use it; null: all. */
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
    /** The last grant by a person. */
    used_at: Millis | null
    /** When it is removed; null: never. */
    expires_at: Millis | null
  }
  /** The grant of a person to a client, for one organization and one resource. */
  oauth_grant: {
    id: Id<'grant'>
    account_id: Id<'account'>
    organization_id: Id<'organization'>
    /** The session with which it ends; null: it does not depend on one. */
    session_id: Id<'session'> | null
    /** An id of `oauth_client`, or the URL of a client's document. */
    client_id: string
    client_name: string
    /** The client's redirect address. */
    client_host: string
    resource: string
    /** JSON list of permissions. */
    scopes: string
    /** Scopes of OpenID Connect, separated by spaces. */
    identity_scopes: string
    created_at: Millis
    last_used_at: Millis | null
    expires_at: Millis
    /** The organization's identity provider of the session in which it was made; null: the person's own sign-in. */
    identity_provider_id: Id<'identityProvider'> | null
    /** 1: that provider asserted a second factor. */
    provider_factor: number
  }
  /** The state of the authorization server between requests. */
  oauth_record: {
    id_hash: string
    kind: string
    grant_id: string | null
    user_code_hash: string | null
    /** Sealed JSON. */
    payload: string
    created_at: Millis
    /** When a single-use record was used. */
    consumed_at: Millis | null
    expires_at: Millis
  }
}
