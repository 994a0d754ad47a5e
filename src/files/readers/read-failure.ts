import type { ChildExit } from '../../processes/child.ts'
import type { Fault, Kind } from './child/common/messages.ts'
import type { FaultCode, Reading } from './reading.ts'

type Failure = Extract<Reading, { ok: false }>

/** What the file is at fault for, by what ended the child. */
const FILE_FAULTS: Partial<Record<ChildExit['cause'], Fault>> = {
  wall: 'timeout',
  processor: 'timeout',
  memory: 'too_large',
}
/** What is not the file's fault, by what ended the child. */
export const SERVER_REASONS: Partial<Record<ChildExit['cause'], string>> = {
  aborted: 'aborted',
  output: 'malformed_output',
  unstarted: 'cannot_start',
  starved: 'machine_busy',
}

/** The file's fault, as callers read it. */
export function fileFailure(kind: Kind, reason: Fault, detail: string): Failure {
  return { ok: false, code: codeOf(kind, reason), reason, isOurs: false, detail }
}

/** Ours: another try may go better. */
export function serverFailure(reason: string, detail: string): Failure {
  return { ok: false, code: 'PROCESSING_FAILED', reason, isOurs: true, detail }
}

/** What it means that a child ended before it had said how its file ended. */
export function exitFailure(kind: Kind, { cause, exit, stderr }: ChildExit): Failure {
  const fault = FILE_FAULTS[cause]
  const detail = `${exit} ${stderr}`.trim()
  return fault === undefined
    ? serverFailure(SERVER_REASONS[cause] ?? 'crashed', detail)
    : fileFailure(kind, fault, detail)
}

/** Excel has codes of its own; that a container is locked says nothing of what is in it. */
function codeOf(kind: Kind, reason: Fault): FaultCode {
  if (reason === 'timeout' && (kind === 'xlsx' || kind === 'ods')) return 'XLSX_TIMEOUT'
  return kind === 'xlsx' || kind === 'spreadsheet' ? 'XLSX_CORRUPTED' : 'PARSE_FAILED'
}
