import { readFileSync } from 'node:fs'

/** The processes that a process has started (Linux). */
export const childrenOf = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
