import type { Finding } from '../cli/doctor/finding.ts'
import type { Config } from '../config/config.ts'
import { answerQuestions, stepBack } from '../core/threads/thread.ts'
import { examineAll } from './findings.ts'

/** Runs in a thread of its own (`findings.ts`). */
stepBack()
answerQuestions<Config, Finding[]>((config) => examineAll('database', config))
