import type { Millis } from '../../core/clock.ts'
import type { Id } from '../../core/id.ts'

/** What ties organizations to other people's services. */
export interface ConnectionTables {
  connection: {
    id: Id<'connection'>
    organization_id: Id<'organization'>
    provider: string
    /** The provider's own key of the account; null where it does not tell one. */
    subject: string | null
    /** One that cannot be refreshed is expired once `expires_at` has passed, stored or not. */
    status: 'active' | 'expired' | 'revoked' | 'error'
    /** As the provider granted them, separated by spaces. */
    scopes: string
    /** Sealed JSON of the tokens; null once they are good for nothing. */
    tokens: string | null
    /** 1: there is a refresh token. */
    refreshable: number
    /** When the access token ends; null where the provider does not say. */
    expires_at: Millis | null
    /** The provider asked for quiet until here. */
    not_before: Millis | null
    /** How many times in a row it did. */
    refusals: number
    /** Counts refreshes of the tokens, failed ones included: a caller that waits for one looks for a higher number. */
    version: number
    /** How the last refresh ended: null for well, else a code of the catalogue and what it was about. */
    outcome: string | null
    outcome_reason: string | null
    /** The refresh under way; settling asks for it. */
    claim_id: string | null
    /** A refresh that did not settle by then has died. */
    claim_until: Millis | null
    /** The account or service account that made it. */
    created_by: string | null
    /** The API key with which it was made; null for a person. */
    key_id: Id<'apiKey'> | null
    created_at: Millis
    updated_at: Millis
    refreshed_at: Millis | null
  }
  /** Connections that have ended here; each has a job that revokes its tokens at the provider, and goes with it. */
  ended_connection: {
    id: Id<'connection'>
    organization_id: Id<'organization'>
    provider: string
    /** Sealed JSON of the tokens, as the connection had them. */
    tokens: string
    created_at: Millis
  }
  /** Connections that are being made: their browser is at the provider. */
  connection_state: {
    state_hash: string
    provider: string
    organization_id: Id<'organization'>
    /** The account or service account that requested it. */
    actor_id: string
    /** The API key with which it was requested; null for a person. */
    key_id: Id<'apiKey'> | null
    /** Hash of the cookie of the browser that began it. */
    binding_hash: string
    /** Sealed JSON: what the flow needs when it comes back. */
    payload: string
    created_at: Millis
    expires_at: Millis
  }
}
