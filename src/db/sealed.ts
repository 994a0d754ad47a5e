import type { SealContext } from '../core/secret.ts'
import type { Tables } from './tables/tables.ts'

/** A column with sealed texts. */
interface SealedColumn<Table extends keyof Tables> {
  column: keyof Tables[Table] & string
  /** The key columns of a value, to which it is bound; together with the value they order the rows. */
  by: readonly (keyof Tables[Table] & string)[]
  /** The name in the seal context, where it differs from the table's name. */
  as?: string
}

const sealed = <Table extends keyof Tables>(column: SealedColumn<Table>): SealedColumn<Table> => column

/**
 * Every column with sealed texts. Only this file makes the context that a vault requires, so nothing can be sealed without a line here.
 * The command that changes the key processes these lines.
 */
export const SEALED = {
  signing_key: sealed<'signing_key'>({ column: 'private_jwk', by: ['kid'] }),
  webhook_secret: sealed<'webhook_secret'>({ column: 'secret', by: ['webhook_id'], as: 'webhook' }),
  audit_stream: sealed<'audit_stream'>({ column: 'headers', by: ['id'] }),
  audit_stream_secret: sealed<'audit_stream_secret'>({ column: 'secret', by: ['audit_stream_id'] }),
  /** Empty after the mail was sent. */
  mail: sealed<'mail'>({ column: 'body', by: ['id'] }),
  mail_request: sealed<'mail_request'>({ column: 'payload', by: ['id'] }),
  idempotency: sealed<'idempotency'>({ column: 'answer', by: ['scope', 'key'] }),
  one_time_token: sealed<'one_time_token'>({ column: 'payload', by: ['purpose', 'account_id'] }),
  second_factor: sealed<'second_factor'>({ column: 'secret', by: ['id'] }),
  recovery_code: sealed<'recovery_code'>({ column: 'code_hash', by: ['account_id', 'number'] }),
  social_state: sealed<'social_state'>({ column: 'payload', by: ['state_hash'] }),
  identity_provider: sealed<'identity_provider'>({ column: 'secret', by: ['id'] }),
  saml_key: sealed<'saml_key'>({ column: 'private_key', by: ['identity_provider_id', 'fingerprint'] }),
  session: sealed<'session'>({ column: 'provider_hint', by: ['identity_provider_id', 'account_id'] }),
  /** Moved unchanged to a session, so it has the session's context. */
  pending_sign_in: sealed<'pending_sign_in'>({
    ...{ column: 'provider_hint', by: ['identity_provider_id', 'account_id'], as: 'session' },
  }),
  connection: sealed<'connection'>({ column: 'tokens', by: ['id'] }),
  /** Moved unchanged from `connection`, so they have its context. */
  ended_connection: sealed<'ended_connection'>({ column: 'tokens', by: ['id'], as: 'connection' }),
  mcp_server: sealed<'mcp_server'>({ column: 'headers', by: ['id'] }),
  oauth_client: sealed<'oauth_client'>({ column: 'secret', by: ['id'] }),
  oauth_record: sealed<'oauth_record'>({ column: 'payload', by: ['id_hash'] }),
  connection_state: sealed<'connection_state'>({ column: 'payload', by: ['state_hash'] }),
} as const

export type SealedTable = keyof typeof SEALED

/**
 * The seal context of a value.
 * @param names the values of the key columns in `SEALED`, in that order
 */
export function sealContext(table: SealedTable, ...names: string[]): SealContext {
  const { as = table, by } = SEALED[table]
  if (names.length !== by.length) throw new Error(`${table} is sealed by ${by.join(', ')}`)
  return [as, ...names].join(':') as SealContext
}

/**
 * The seal context of a text in transit between processes, or to a client and back. It is not stored, so a change of the key ignores it.
 * @param topic the channel
 * @param about the subject of the text
 */
export function transitContext(topic: 'said' | 'receipt', about: string): SealContext {
  return `transit:${topic}:${about}` as SealContext
}
