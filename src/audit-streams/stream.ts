import type { Tables } from '../db/tables/tables.ts'

/** A destination of the audit log. */
export type Stream = Tables['audit_stream']
