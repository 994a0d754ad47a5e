import type { End } from '../../processes/child.ts'
import type { Fault, Kind } from './child/common/messages.ts'
import type { FaultCode, Reading } from './reading.ts'

type Failure = Extract<Reading, { ok: false }>

/** What the file is at fault for, by what ended the child. */
const FAULT_OF: Partial<Record<End['cause'], Fault>> = {
  wall: 'timeout',
  processor: 'timeout',
  memory: 'too_large',
}
/** What is not the file's fault, by what ended the child. */
export const OUR_REASON: Partial<Record<End['cause'], string>> = {
  aborted: 'aborted',
  output: 'malformed_output',
  unstarted: 'cannot_start',
  starved: 'machine_busy',
}

/** The file's fault, as callers read it. */
export function faultOf(kind: Kind, reason: Fault, detail: string): Failure {
  return { ok: false, code: codeOf(kind, reason), reason, isOurs: false, detail }
}

/** Ours: another try may go better. */
export function ourFault(reason: string, detail: string): Failure {
  return { ok: false, code: 'PROCESSING_FAILED', reason, isOurs: true, detail }
}

/** What it means that a child ended before it had said how its file ended. */
export function verdictOf(kind: Kind, { cause, how, complaint }: End): Failure {
  const fault = FAULT_OF[cause]
  const detail = `${how} ${complaint}`.trim()
  return fault === undefined ? ourFault(OUR_REASON[cause] ?? 'crashed', detail) : faultOf(kind, fault, detail)
}

/** Excel has codes of its own; that a container is locked says nothing of what is in it. */
function codeOf(kind: Kind, reason: Fault): FaultCode {
  if (reason === 'timeout' && (kind === 'xlsx' || kind === 'ods')) return 'XLSX_TIMEOUT'
  return kind === 'xlsx' || kind === 'spreadsheet' ? 'XLSX_CORRUPTED' : 'PARSE_FAILED'
}
