import type { Config } from '../config/config.ts'

/** The result of one check: the state of its subject, and for a problem the next step. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  what: string
  text: string
}

/** Checks one subject. An error that it throws becomes a problem under its name. */
export type Check = (config: Config) => Promise<Finding[]>
