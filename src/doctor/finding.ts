import type { Config } from '../config/config.ts'

/** One thing that was looked at: how it is, and where it is not well, what to do. */
export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  what: string
  text: string
}

/** Looks at one thing; what it throws becomes a problem in its name. */
export type Check = (config: Config) => Promise<Finding[]>
