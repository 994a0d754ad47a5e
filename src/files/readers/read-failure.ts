import type { ChildExit } from '../../processes/child.ts'
import type { Fault, Kind } from './child/common/messages.ts'
import type { FaultCode, Reading } from './reading.ts'

type Failure = Extract<Reading, { ok: false }>

/** The fault of the file, by the cause of the child's end. */
const FILE_FAULTS: Partial<Record<ChildExit['cause'], Fault>> = {
  wall: 'timeout',
  processor: 'timeout',
  memory: 'too_large',
}
/** The reason of a failure of the server, by the cause of the child's end. */
export const SERVER_REASONS: Partial<Record<ChildExit['cause'], string>> = {
  aborted: 'aborted',
  output: 'malformed_output',
  unstarted: 'cannot_start',
  starved: 'machine_busy',
}

/** A failure that the file causes. */
export function fileFailure(kind: Kind, reason: Fault, detail: string): Failure {
  return { ok: false, code: codeOf(kind, reason), reason, isOurs: false, detail }
}

/** A failure that the server causes: another attempt may succeed. */
export function serverFailure(reason: string, detail: string): Failure {
  return { ok: false, code: 'PROCESSING_FAILED', reason, isOurs: true, detail }
}

/** The failure of a child that ended before it reported the end of its file. */
export function exitFailure(kind: Kind, { cause, exit, stderr }: ChildExit): Failure {
  const fault = FILE_FAULTS[cause]
  const detail = `${exit} ${stderr}`.trim()
  return fault === undefined
    ? serverFailure(SERVER_REASONS[cause] ?? 'crashed', detail)
    : fileFailure(kind, fault, detail)
}

/** Spreadsheets have their own codes. An encrypted container does not reveal its kind, so it has the general code. */
function codeOf(kind: Kind, reason: Fault): FaultCode {
  if (reason === 'timeout' && (kind === 'xlsx' || kind === 'ods')) return 'XLSX_TIMEOUT'
  return kind === 'xlsx' || kind === 'spreadsheet' ? 'XLSX_CORRUPTED' : 'PARSE_FAILED'
}
