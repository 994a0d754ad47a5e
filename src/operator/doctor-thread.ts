import type { Config } from '../config/config.ts'
import { lowerThreadPriority, serveQuestions } from '../core/thread.ts'
import type { Finding } from '../doctor/finding.ts'
import { examineAll } from './findings.ts'

/** Runs in a thread of its own (`findings.ts`). */
lowerThreadPriority()
serveQuestions<Config, Finding[]>((config) => examineAll('database', config))
