import { CATALOGUE } from '../../core/errors.ts'
import { createFairLimiter } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { FileContent, FilePort } from '../deps.ts'
import type { FileNote, Run } from '../transcript/rows.ts'
import { type AttachedFile, omittedLength, truncate } from '../transcript/transcript.ts'

/** Files whose texts are in memory at once, for all runs of a process: each may be long. */
const MOST_AT_ONCE = 4

/** The texts of a run's files, and notes about missing or shortened ones. */
export interface Attached {
  files: AttachedFile[]
  notes: FileNote[]
}

/** Reads the files of a run, each shortened to the model's limit. */
export function createAttach({ read }: Pick<FilePort, 'read'>): (run: Run) => Promise<Attached> {
  const places = createFairLimiter<Id<'organization'>>(MOST_AT_ONCE)
  return async ({ organization_id: organizationId, file_ids }) => {
    const attached: Attached = { files: [], notes: [] }
    for (const fileId of JSON.parse(file_ids) as Id<'file'>[]) {
      const { name, text, note } = await places.use(organizationId, () =>
        readOne(read, organizationId, fileId),
      )
      attached.files.push({ name, text: note === undefined ? text : `[${note}]\n${text}` })
      if (note !== undefined) attached.notes.push({ fileId, name, note })
    }
    return attached
  }
}

async function readOne(
  read: FilePort['read'],
  organizationId: Id<'organization'>,
  id: Id<'file'>,
): Promise<{ name: string; text: string; note: string | undefined }> {
  try {
    const file = await read(organizationId, id)
    const text = file?.pieces.map((piece) => piece.text).join('') ?? ''
    return { name: file?.name ?? id, text: truncate(text), note: noteOf(file, text) }
  } catch {
    return {
      name: id,
      text: '',
      note: 'This file could not be read: its stored text is damaged or gone. Have it processed again.',
    }
  }
}

/** A sentence about a missing or shortened text, for the model and for people. */
function noteOf(file: FileContent | undefined, text: string): string | undefined {
  if (file === undefined) return 'This file is not there any more: nothing of it could be read.'
  if (file.status === 'processing') return 'This file is being processed again: nothing of it could be read.'
  if (file.status === 'failed') {
    const { message } = file.error ?? CATALOGUE.PROCESSING_FAILED
    return `This file could not be read: ${message}`
  }
  if (text.trim() === '') return 'This file has no text.'
  const left = omittedLength(text)
  return left === 0 ? undefined : `This file is too long: ${left} characters of its middle are left out.`
}
