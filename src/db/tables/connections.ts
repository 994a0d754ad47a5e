import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** The tables of connections to external services. */
export interface ConnectionTables {
  connection: {
    id: Id<'connection'>
    organization_id: Id<'organization'>
    provider: string
    /** The provider's key of the account; null where it has none. */
    subject: string | null
    /** Without a refresh token it is expired after `expires_at`, even where the status is not stored. */
    status: 'active' | 'expired' | 'revoked' | 'error'
    /** As the provider granted them, separated by spaces. */
    scopes: string
    /** Sealed JSON of the tokens; null once they are invalid. */
    tokens: string | null
    /** 1: there is a refresh token. */
    refreshable: number
    /** When the access token expires; null where the provider does not report it. */
    expires_at: Millis | null
    /** The end of the provider's rate limit. */
    not_before: Millis | null
    /** The number of consecutive rate limits. */
    refusals: number
    /** Counts refreshes of the tokens, including failed ones; a caller that waits for one waits for a higher number. */
    version: number
    /** The error of the last refresh: null for a success, else a code of the catalogue and its details. */
    outcome: string | null
    outcome_reason: string | null
    /** The claim of the current refresh, which is checked when it is settled. */
    claim_id: string | null
    /** The lease of the current refresh: after it the refresh counts as crashed. */
    claim_until: Millis | null
    /** The account or service account that created it. */
    created_by: string | null
    /** The API key with which it was made; null for a person. */
    key_id: Id<'apiKey'> | null
    created_at: Millis
    updated_at: Millis
    refreshed_at: Millis | null
  }
  /** Ended connections; each has a job that revokes its tokens at the provider, and is deleted with the job. */
  ended_connection: {
    id: Id<'connection'>
    organization_id: Id<'organization'>
    provider: string
    /** Sealed JSON of the connection's tokens. */
    tokens: string
    created_at: Millis
  }
  /** Connections in the making: their browser is at the provider. */
  connection_state: {
    state_hash: string
    provider: string
    organization_id: Id<'organization'>
    /** The account or service account that requested it. */
    actor_id: string
    /** The API key of the request; null for a person. */
    key_id: Id<'apiKey'> | null
    /** Hash of the cookie of the browser that began it. */
    binding_hash: string
    /** Sealed JSON that the flow needs at its return. */
    payload: string
    created_at: Millis
    expires_at: Millis
  }
}
