import type { OfferedTool } from '../models/model.ts'
import { type Move, nextMove } from '../transcript/next-move.ts'
import type { Run } from '../transcript/rows.ts'
import { type Said, transcribe } from '../transcript/transcript.ts'
import { askApproval, whyNotApproved } from './approval.ts'
import type { Bench, Turn } from './attempt.ts'
import { type Ending, endRun } from './end-run.ts'
import { makeModelStep } from './model-step.ts'
import type { StepDeps } from './step-deps.ts'
import { readSteps } from './step-store.ts'
import { leaveUnknown, makeToolStep, readArguments, refuseCall } from './tool-step.ts'

/** Ends a run, where it is still this claim's. @returns that its turn is over */
export async function finish(deps: StepDeps, run: Run, ending: Ending): Promise<Turn> {
  const now = deps.clock.now()
  await deps.database.tx((tx) => endRun(tx, deps, run, ending, now, run.claim_id))
  return 'over'
}

const fail = (reason: string): Ending => ({ status: 'failed', code: 'PROCESSING_FAILED', reason })

/**
 * What follows from the steps of a run, done.
 * @returns what became of the turn, where this was its last move
 */
export async function makeMove(deps: StepDeps, bench: Bench): Promise<Turn | undefined> {
  const { attempt, definition } = bench
  const { run } = attempt
  const steps = await readSteps(deps.database.db, run.id)
  const move = nextMove(steps, definition)
  const why = attempt.interruption()
  if (why === 'ended') return 'over'
  if (why === 'deadline') return finish(deps, run, fail('timeout'))
  if (why === 'drain' && move.kind !== 'succeed') return 'given_back'
  switch (move.kind) {
    case 'wait':
      return 'over'
    case 'succeed':
      return finish(deps, run, { status: 'succeeded', output: move.output })
    case 'fail':
      return finish(deps, run, { status: 'failed', code: move.code, reason: move.reason })
    case 'model':
      return askModel(deps, bench, { ...bench.said, steps }, move)
    case 'tool':
      return callTool(deps, bench, move)
  }
}

async function askModel(
  deps: StepDeps,
  { attempt, definition, model, tools }: Bench,
  said: Said,
  move: Extract<Move, { kind: 'model' }>,
): Promise<Turn | undefined> {
  const { run } = attempt
  const offered: OfferedTool[] = tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, inputSchema },
  }))
  const maxOutputTokens = Math.min(definition.maxOutputTokens, model.maxOutputTokens)
  const messages = transcribe(said, offered, model.contextTokens - maxOutputTokens)
  if (messages === undefined) return finish(deps, run, fail('context_length'))
  const whose = { organizationId: run.organization_id, knowledgeBaseIds: definition.knowledgeBaseIds }
  attempt.begin('model')
  await makeModelStep(deps, attempt, model, { ...whose, messages, tools: offered, maxOutputTokens }, move)
  return undefined
}

async function callTool(
  deps: StepDeps,
  { attempt, tools }: Bench,
  { seq, call, approval, begun }: Extract<Move, { kind: 'tool' }>,
): Promise<Turn | undefined> {
  const tool = tools.find(({ name }) => name === call.name)
  const args = readArguments(call.arguments)
  attempt.begin('tool')
  if (begun !== undefined) {
    // What was called is there no more: nobody knows what came of it.
    if (tool === undefined || args === undefined || tool.definitionDigest !== begun.definition_digest)
      await leaveUnknown(deps, attempt, begun, 'process_died')
    else await makeToolStep(deps, attempt, { seq, call, tool, args }, begun)
    return undefined
  }
  const unable =
    tool === undefined ? 'unknown_tool' : args === undefined ? 'bad_arguments' : whyNot(approval, call, tool)
  if (unable !== undefined || tool === undefined || args === undefined) {
    await refuseCall(deps, attempt, { seq, call }, unable ?? 'unknown_tool')
    return undefined
  }
  const order = { seq, call, tool, args }
  if (tool.needsApproval && approval === undefined) {
    await askApproval(deps, attempt, order)
    return 'over'
  }
  await makeToolStep(deps, attempt, order)
  return undefined
}

function whyNot(
  approval: Extract<Move, { kind: 'tool' }>['approval'],
  call: Extract<Move, { kind: 'tool' }>['call'],
  tool: Bench['tools'][number],
) {
  return approval && whyNotApproved(approval, { call, tool })
}
