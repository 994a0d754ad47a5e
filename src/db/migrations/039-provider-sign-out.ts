import type { Dialect } from '../engine/engine.ts'

/**
 * Sign-outs at identity providers: whether a provider's session ends with that of Postern, and the hint that
 * names it.
 */
export function statements({ integer }: Dialect): string[] {
  return [
    `alter table identity_provider add column ends_provider_session ${integer} not null default 0`,
    // Sealed; null: the provider has not said what names it, or its session does not end with this one.
    `alter table session add column provider_hint text`,
    `alter table pending_sign_in add column provider_hint text`,
  ]
}
