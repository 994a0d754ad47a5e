import type { Trail } from '../audit/audit.ts'
import type { Config } from '../config/config.ts'
import type { Clock, Millis } from '../core/clock.ts'
import type { Id } from '../core/id.ts'
import type { Vault } from '../core/secret.ts'
import type { Signal } from '../core/signal.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import type { Publish } from '../delivery/publish/publish.ts'
import type { SendList } from '../http/csv/list-export.ts'
import type { Once } from '../http/idempotency.ts'
import type { Limiter } from '../http/rate-limit.ts'
import type { Jobs } from '../jobs/create-jobs.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { AddressRule } from '../net/address.ts'
import type { Agent } from '../net/agent.ts'
import type { Resolve } from '../net/destination.ts'
import type { LookUpTexts } from '../net/text-resolver.ts'
import type { CredentialCache } from './credential-cache.ts'
import type { Passwords } from './passwords.ts'
import type { SamlReader } from './saml/saml-reader.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Ends, in the same transaction, access that other rooms gave to an account or to API keys that it made. */
export type EndMade = (
  tx: Tx,
  trail: Trail,
  made: {
    organizationId: Id<'organization'>
    accountId: Id<'account'>
    keyIds: Id<'apiKey'>[]
    actorId: string
  },
) => Promise<void>

/** The link of a first start, as the store keeps it. */
interface FirstStartLink {
  /** Whether it is the newest one's token, and has not expired. */
  isLive: (db: Db, token: string, now: Millis) => Promise<boolean>
  /** Consumes it; of any number at once one gets true. */
  take: (tx: Tx, token: string, now: Millis) => Promise<boolean>
}

/** What the operations of the access slice are made of; each names the members that it uses. */
export interface AccessDeps {
  config: Pick<Config, 'web' | 'http' | 'mail' | 'access' | 'operations' | 'plans'>
  clock: Clock
  database: Database
  vault: Vault
  limiter: Limiter
  once: Once
  sendList: SendList
  outbox: Outbox
  /** Raised after a commit that noted a request for a mail. */
  mailsDue: Signal
  publish: Publish
  passwords: Passwords
  keys: SigningKeys
  credentials: CredentialCache
  /** Ends access that other rooms gave to an account before its mailbox was proven. */
  endMade: EndMade
  firstStartLink: FirstStartLink
  lookUpTexts: LookUpTexts
  jobs: Pick<Jobs, 'add' | 'cancel'>
  /** Connects to the identity providers that the operator configured. */
  agent: Agent
  /** Connects to identity providers of organizations, and checks each address. */
  checkedAgent: Agent
  isAllowed: AddressRule
  resolve: Resolve
  saml: SamlReader
}
