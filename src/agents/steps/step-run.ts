import { ApiError } from '../../core/errors.ts'
import { createShares } from '../../core/fair-limiter.ts'
import type { Id } from '../../core/id.ts'
import type { Doing } from '../../jobs/rows/row-kind.ts'
import { messagesBefore } from '../conversations/conversation-store.ts'
import { type Definition, readDefinition } from '../definitions/definition.ts'
import { EXTRACTIVE } from '../models/extractive.ts'
import type { OpenTools } from '../tools/tool.ts'
import { type FileNote, groupOf, PROCESS_DIED, type Run, type Step } from '../transcript/rows.ts'
import type { PromptParts } from '../transcript/transcript.ts'
import { createAttach } from './attached-files.ts'
import { type Attempt, beginAttempt, type Turn } from './attempt.ts'
import { type ClaimedRun, createClaimRun } from './claim-run.ts'
import type { Ending } from './end-run.ts'
import { finishRun, makeMove } from './make-move.ts'
import { payRest } from './pay-rest.ts'
import { createStepWriter } from './step-batch.ts'
import type { StepDeps } from './step-deps.ts'
import { LostRunError, readSteps, writeNext } from './step-store.ts'
import type { TurnDeps } from './turn-deps.ts'

/**
 * Most tool calls that a process makes beside the first call of their run. Calls do not wait for a place: without one,
 * an organization's calls are made one after the other.
 */
const MOST_EXTRA_CALLS = 64

/**
 * Claims a run and steps it until it ends, waits for a person, or returns to the queue. The next move follows from the
 * steps alone, whichever process made them.
 */
export function createStepRun(parts: StepDeps): (runId: Id<'run'>, doing: Doing) => Promise<Turn> {
  const deps: TurnDeps = {
    ...parts,
    ...{ writer: createStepWriter(parts), attach: createAttach(parts.files) },
    extraCalls: createShares(MOST_EXTRA_CALLS),
  }
  const claimRun = createClaimRun(parts)
  return async (runId, doing) => {
    const taken = await claimRun(runId)
    if (taken === undefined) return 'over'
    const attempt = beginAttempt(deps, taken.run, doing)
    try {
      return await goOn(deps, attempt, taken)
    } catch (error) {
      if (error instanceof LostRunError) return 'over'
      if (error instanceof ApiError) return await finishRun(deps, attempt, failed(error))
      // The outcomes of the last move may still be writable where the next move is not.
      await deps.writer.settle(attempt).catch(() => {})
      throw error
    } finally {
      attempt.end()
      await payRest(deps, attempt)
    }
  }
}

function failed({ code, details }: ApiError): Ending {
  const { reason } = details as { reason?: unknown }
  return { status: 'failed', code, reason: typeof reason === 'string' ? reason : null }
}

async function goOn(deps: TurnDeps, attempt: Attempt, taken: ClaimedRun): Promise<Turn> {
  const { run } = attempt
  const definition =
    taken.definition ?? (await readDefinition(deps.database.db, run.agent_id, run.agent_version))
  const opened = await openTools(deps, run, definition)
  try {
    const tools = opened.flatMap((one) => one.tools)
    const prompt = await readPrompt(deps, attempt, definition)
    let steps = taken.isFresh ? [] : await readSteps(deps.database.db, run.id)
    for (;;) {
      // Calls side by side died with one process, and count once.
      const died = steps.filter((step) => step.seq > run.resumed_seq && diedWith(step)).map(groupOf)
      attempt.deaths = new Set(died).size
      const made = await makeMove(deps, { attempt, definition, tools, prompt, steps })
      if (!Array.isArray(made)) return made
      const known = new Set(made.map(({ seq }) => seq))
      steps = [...steps.filter(({ seq }) => !known.has(seq)), ...made].sort((a, b) => a.seq - b.seq)
    }
  } finally {
    await Promise.allSettled(opened.map((one) => one.close()))
  }
}

/** Whether a process died during the call, and the call is not repeated. */
function diedWith({ kind, status, reason }: Step): boolean {
  return kind === 'tool' && status === 'unknown' && reason === PROCESS_DIED
}

/** @throws ApiError where a required server is unavailable */
async function openTools(
  { toolSources }: StepDeps,
  run: Run,
  { knowledgeBaseIds, tools, model }: Definition,
): Promise<OpenTools[]> {
  // The extractive model calls no tools.
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

async function readPrompt(
  deps: TurnDeps,
  attempt: Attempt,
  { instructions }: Definition,
): Promise<Omit<PromptParts, 'steps'>> {
  const { attach, database } = deps
  const { db } = database
  const { run } = attempt
  const past = new Map<number, { user: string; assistant: string | undefined }>()
  if (run.conversation_id !== null && run.turn !== null)
    for (const { turn, role, content } of await messagesBefore(db, run.conversation_id, run.turn)) {
      const turnSoFar = past.get(turn) ?? { user: '', assistant: undefined }
      past.set(turn, role === 'user' ? { ...turnSoFar, user: content } : { ...turnSoFar, assistant: content })
    }
  const { files, notes } = await attach(run)
  await keepNotes(deps, attempt, notes)
  return { instructions, past: [...past.values()], input: run.input, files }
}

/** Stores the notes about files; the model and the page of the run show the same ones. */
async function keepNotes(deps: TurnDeps, attempt: Attempt, notes: FileNote[]): Promise<void> {
  const file_notes = notes.length === 0 ? null : JSON.stringify(notes)
  const { run } = attempt
  if (file_notes === run.file_notes) return
  await writeNext(deps, attempt, async (tx) => {
    await tx.updateTable('run').set({ file_notes }).where('id', '=', run.id).execute()
  })
}
