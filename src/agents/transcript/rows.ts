import { createHash } from 'node:crypto'
import type { Id } from '../../core/id.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { AskedCall, FinishReason } from '../models/model.ts'

export type Run = Tables['run']
export type Step = Tables['step']

/** The reason of an unknown outcome after a process death. */
export const PROCESS_DIED = 'process_died'

/** A note for the model about a file's text. */
export interface FileNote {
  fileId: Id<'file'>
  name: string
  note: string
}

export function notesOf({ file_notes }: Pick<Run, 'file_notes'>): FileNote[] {
  return file_notes === null ? [] : (JSON.parse(file_notes) as FileNote[])
}

/** The position of the first step that began together with a step, which identifies their group. */
export function groupOf({ seq, first_seq }: Pick<Step, 'seq' | 'first_seq'>): number {
  return first_seq ?? seq
}

/** The statuses of an open run. */
export const OPEN = ['queued', 'running', 'waiting'] as const satisfies Run['status'][]

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'cancelled'
}

/** A model's answer as its step stores it. */
export interface ModelAnswer {
  text: string
  calls: AskedCall[]
  finish: FinishReason
}

export function answerOf({ output }: Pick<Step, 'output'>): ModelAnswer {
  return JSON.parse(output ?? '{"text":"","calls":[],"finish":"stop"}') as ModelAnswer
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
