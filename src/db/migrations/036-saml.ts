import type { Dialect } from '../engine/engine.ts'

/** When the certificates of SAML identity providers end. */
export function statements({ integer }: Dialect): string[] {
  return [
    // The end of the last one; null for OpenID.
    `alter table identity_provider add column certificates_end_at ${integer}`,
    `create index identity_provider_certificates on identity_provider (certificates_end_at) where certificates_end_at is not null`,
  ]
}
