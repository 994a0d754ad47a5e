import type { Dialect } from '../engine/engine.ts'

export const name = 'answers of mail servers'

export function statements(_: Dialect): string[] {
  return [
    'alter table mail add column answer text',
    // The list of what an organization has had sent.
    'create index mail_share on mail (share, id)',
  ]
}
