import type { Dialect } from '../engine/engine.ts'

/** The places that an organization's users have in groups, at most, so that not every addition counts them. */
export function statements({ integer }: Dialect): string[] {
  return [`alter table scim_setting add column most_places ${integer}`]
}
