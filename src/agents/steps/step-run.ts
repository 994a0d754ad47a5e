import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { Id } from '../../core/id.ts'
import { noteChanges } from '../../db/database.ts'
import { prepared } from '../../db/engine/prepared.ts'
import { literal } from '../../db/literal.ts'
import { messagesBefore } from '../conversations/conversation-store.ts'
import { type Definition, readDefinition } from '../definitions/definition.ts'
import { EXTRACTIVE } from '../models/extractive.ts'
import type { OpenTools } from '../tools/tool.ts'
import { PROCESS_DIED, type Run, type Step } from '../transcript/rows.ts'
import type { AttachedFile, Said } from '../transcript/transcript.ts'
import { type Attempt, beginAttempt, type Turn } from './attempt.ts'
import type { Ending } from './end-run.ts'
import { finish, makeMove } from './make-move.ts'
import type { StepDeps, TurnDeps } from './step-deps.ts'
import { LostRunError, readSteps, writeOwed } from './step-store.ts'
import { createStepWriter } from './step-writer.ts'

/** Is told that a step of a run has ended, and of the deaths of processes that count against the run all the same. */
type Advanced = (deaths: number) => void

/**
 * Takes a run up and steps it until it ends, waits for a person, or is given back. What follows is decided from its steps
 * alone, so that it does not matter who made those before.
 */
export function createStepRun(parts: StepDeps): (runId: Id<'run'>, advanced?: Advanced) => Promise<Turn> {
  const deps: TurnDeps = { ...parts, writer: createStepWriter(parts) }
  return async (runId, advanced = () => {}) => {
    const taken = await take(deps, runId)
    if (taken === undefined) return 'over'
    const attempt = beginAttempt(deps, taken.run, advanced)
    try {
      return await goOn(deps, attempt, taken)
    } catch (error) {
      if (error instanceof LostRunError) return 'over'
      if (error instanceof ApiError) return await finish(deps, attempt, failed(error))
      // What came next could not be written; what the last step has come to may be.
      await writeOwed(deps, attempt).catch(() => {})
      throw error
    } finally {
      attempt.end()
    }
  }
}

/** A run that is this process's. */
interface Taken {
  run: Run
  /** Whether it begins now: it has no steps. */
  isFresh: boolean
}

/** From here on each write of the process that had the run before fails. @returns undefined where there is nothing to be done */
async function take(
  { clock, database, signals }: Pick<StepDeps, 'clock' | 'database' | 'signals'>,
  runId: Id<'run'>,
): Promise<Taken | undefined> {
  const now = clock.now()
  const taken = { id: runId, claim_id: randomUUID(), now }
  const [started] = await database.brief(async (tx) => {
    const rows = await startRun(tx, taken)
    noteChanges(tx, 'run', rows)
    return rows
  })
  const run = started ?? (await database.brief((tx) => resumeRun(tx, taken)))[0]
  if (run === undefined) return undefined
  signals.changed(run.id)
  return { run, isFresh: started !== undefined && run.resumed_seq === 0 }
}

type Taking = Pick<Run, 'id'> & { claim_id: string; now: Millis }

const startRun = prepared<Taking>()((db, value) =>
  db
    .updateTable('run')
    .set(({ eb, ref }) => ({
      ...{ claim_id: value('claim_id'), updated_at: value('now') },
      ...{ status: 'running', deadline_at: eb(ref('left_ms'), '+', value('now')) },
      // One that was resumed began before.
      started_at: sql<Millis>`coalesce(started_at, ${value('now')})`,
    }))
    .where('id', '=', value('id'))
    .where('status', '=', literal('queued'))
    .returningAll(),
)

const resumeRun = prepared<Taking>()((db, value) =>
  db
    .updateTable('run')
    .set({ claim_id: value('claim_id'), updated_at: value('now') })
    .where('id', '=', value('id'))
    .where('status', '=', literal('running'))
    .returningAll(),
)

function failed({ code, details }: ApiError): Ending {
  const { reason } = details as { reason?: unknown }
  return { status: 'failed', code, reason: typeof reason === 'string' ? reason : null }
}

async function goOn(deps: TurnDeps, attempt: Attempt, { isFresh }: Taken): Promise<Turn> {
  const { run } = attempt
  const definition = await readDefinition(deps.database.db, run.agent_id, run.agent_version)
  const opened = await openTools(deps, run, definition)
  try {
    const tools = opened.flatMap((one) => one.tools)
    const said = await readSaid(deps, run, definition)
    let steps = isFresh ? [] : await readSteps(deps.database.db, run.id)
    for (;;) {
      attempt.deaths = steps.filter((step) => step.seq > run.resumed_seq && diedWith(step)).length
      const made = await makeMove(deps, { attempt, definition, tools, said, steps })
      if (typeof made === 'string' || 'notBefore' in made) return made
      steps = [...steps.filter(({ seq }) => seq < made.seq), made]
    }
  } finally {
    await Promise.allSettled(opened.map((one) => one.close()))
  }
}

/** A call that a process has died with, and that is not made once more. */
function diedWith({ kind, status, reason }: Step): boolean {
  return kind === 'tool' && status === 'unknown' && reason === PROCESS_DIED
}

/** @throws ApiError where a required server is unavailable */
async function openTools(
  { toolSources }: StepDeps,
  run: Run,
  { knowledgeBaseIds, tools, model }: Definition,
): Promise<OpenTools[]> {
  // It calls nothing: it searches by itself.
  if (model === EXTRACTIVE) return []
  const whose = { organizationId: run.organization_id, runId: run.id, agentId: run.agent_id }
  const opened: OpenTools[] = []
  try {
    for (const source of toolSources) opened.push(await source.open({ ...whose, knowledgeBaseIds, tools }))
    return opened
  } catch (error) {
    await Promise.allSettled(opened.map((one) => one.close()))
    throw error
  }
}

async function readSaid(
  { database: { db }, files: port }: StepDeps,
  run: Run,
  { instructions }: Definition,
): Promise<Omit<Said, 'steps'>> {
  const past = new Map<number, { user: string; assistant: string | undefined }>()
  if (run.conversation_id !== null && run.turn !== null)
    for (const { turn, role, content } of await messagesBefore(db, run.conversation_id, run.turn)) {
      const said = past.get(turn) ?? { user: '', assistant: undefined }
      past.set(turn, role === 'user' ? { ...said, user: content } : { ...said, assistant: content })
    }
  const files: Said['files'] = []
  for (const id of JSON.parse(run.file_ids) as Id<'file'>[]) {
    files.push(await attach(port, run, id))
  }
  return { instructions, past: [...past.values()], input: run.input, files }
}

/** A file as the model reads it; one whose text cannot be had says so. */
async function attach(
  { read }: StepDeps['files'],
  { organization_id: organizationId }: Run,
  id: Id<'file'>,
): Promise<AttachedFile> {
  const file = await read(organizationId, id).catch(() => undefined)
  const text = file?.pieces.map((piece) => piece.text).join('') ?? ''
  const why = file === undefined ? 'it is not there' : `it is ${file.status}`
  return { name: file?.name ?? id, text: text === '' ? `[This file has no text: ${why}.]` : text }
}
