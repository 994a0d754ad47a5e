import type { OfferedTool } from '../models/model.ts'
import { readArguments } from '../transcript/arguments.ts'
import { type Move, nextMove, openCalls } from '../transcript/next-move.ts'
import { PROCESS_DIED, type Step } from '../transcript/rows.ts'
import { type Said, transcribe } from '../transcript/transcript.ts'
import { askApprovals, whyNotApproved } from './approval.ts'
import type { Attempt, Bench, Turn } from './attempt.ts'
import { type Ending, endRun } from './end-run.ts'
import { makeModelStep } from './model-step.ts'
import type { StepDeps, TurnDeps } from './step-deps.ts'
import { writeOwed } from './step-store.ts'
import { leaveUnknown, makeToolStep, type Order, refuseCall } from './tool-step.ts'

/** Ends a run, where it is still this claim's. @returns that its turn is over */
export async function finish(deps: StepDeps, attempt: Attempt, ending: Ending): Promise<Turn> {
  const now = deps.clock.now()
  await deps.database.tx((tx) => endRun(tx, deps, attempt.run, ending, now, attempt))
  attempt.hasWritten()
  return 'over'
}

/** The model is no longer configured. */
const NOT_CONFIGURED: Ending = {
  ...{ status: 'failed', code: 'INTEGRATION_PROVIDER_ERROR', reason: 'model_not_configured' },
}

const fail = (reason: string): Ending => ({ status: 'failed', code: 'PROCESSING_FAILED', reason })

/**
 * What follows from the steps of a run, done.
 * @returns what became of the turn, where this was its last move; else the step that it has made
 */
export async function makeMove(deps: TurnDeps, bench: Bench): Promise<Turn | Step> {
  const { attempt, definition, steps } = bench
  const { run } = attempt
  const move = nextMove(steps, {
    ...definition,
    ...{ resumedSeq: run.resumed_seq, deadlineAt: run.deadline_at ?? Infinity, now: deps.clock.now() },
  })
  const why = attempt.interruption()
  if (why === 'ended') return 'over'
  if (why === 'deadline') return finish(deps, attempt, fail('timeout'))
  if (why === 'drain' && move.kind !== 'succeed') {
    await writeOwed(deps, attempt)
    return 'given_back'
  }
  switch (move.kind) {
    case 'wait':
      return 'over'
    case 'later':
      await writeOwed(deps, attempt)
      return { notBefore: move.at }
    case 'succeed':
      return succeed(deps, bench, move)
    case 'fail':
      return finish(deps, attempt, {
        ...{ status: 'failed', code: move.code, reason: move.reason, finish: move.finish },
      })
    case 'model':
      return askModel(deps, bench, { ...bench.said, steps }, move)
    case 'tool':
      return callTool(deps, bench, move)
  }
}

/** In a conversation there is more to it: what was said, and whose turn is next. */
async function succeed(
  deps: TurnDeps,
  { attempt, steps }: Bench,
  { output, finish: why }: Extract<Move, { kind: 'succeed' }>,
): Promise<Turn> {
  const { run } = attempt
  if (run.conversation_id !== null) return finish(deps, attempt, { status: 'succeeded', output, finish: why })
  await deps.writer.succeed({ attempt, output, finish: why, steps })
  return 'over'
}

async function askModel(
  deps: TurnDeps,
  { attempt, definition, tools }: Bench,
  said: Said,
  move: Extract<Move, { kind: 'model' }>,
): Promise<Turn | Step> {
  const { run } = attempt
  const model = deps.models.get(move.name)
  if (model === undefined) return finish(deps, attempt, NOT_CONFIGURED)
  const offered: OfferedTool[] = tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, inputSchema },
  }))
  const maxOutputTokens = Math.min(definition.maxOutputTokens, model.maxOutputTokens)
  const messages = transcribe(said, offered, model.contextTokens - maxOutputTokens)
  if (messages === undefined) return finish(deps, attempt, fail('context_length'))
  const whose = { organizationId: run.organization_id, knowledgeBaseIds: definition.knowledgeBaseIds }
  const { parameters } = definition
  const request = { ...whose, messages, tools: offered, maxOutputTokens, parameters }
  return makeModelStep(deps, attempt, model, request, move)
}

async function callTool(
  deps: TurnDeps,
  { attempt, tools, steps }: Bench,
  { seq, call, isCut, approval, begun }: Extract<Move, { kind: 'tool' }>,
): Promise<Turn | Step> {
  const tool = tools.find(({ name }) => name === call.name)
  const args = readArguments(call.arguments)
  attempt.begin('tool')
  if (begun !== undefined) {
    // What was called is there no more: its outcome is unknown.
    if (tool === undefined || args === undefined || tool.definitionDigest !== begun.definition_digest)
      return leaveUnknown(deps, attempt, begun, PROCESS_DIED)
    return makeToolStep(deps, attempt, { seq, call, tool, args }, begun)
  }
  const unable = isCut
    ? 'cut_arguments'
    : tool === undefined
      ? 'unknown_tool'
      : args === undefined
        ? 'bad_arguments'
        : whyNot(approval, call, tool)
  if (unable !== undefined || tool === undefined || args === undefined)
    return refuseCall(deps, attempt, { seq, call }, unable ?? 'unknown_tool', approval?.reason)
  const order = { seq, call, tool, args }
  if (tool.needsApproval && approval === undefined) {
    await askApprovals(deps, attempt, toAsk(steps, tools, seq))
    return 'over'
  }
  return makeToolStep(deps, attempt, order)
}

/** All calls of an answer that are to be decided about, so that one look decides about them. */
function toAsk(steps: Step[], tools: Bench['tools'], seq: number): Order[] {
  const orders: Order[] = []
  for (const call of openCalls(steps)) {
    const tool = tools.find(({ name }) => name === call.name)
    const args = readArguments(call.arguments)
    if (tool?.needsApproval && args !== undefined) orders.push({ seq: seq + orders.length, call, tool, args })
  }
  return orders
}

function whyNot(
  approval: Extract<Move, { kind: 'tool' }>['approval'],
  call: Extract<Move, { kind: 'tool' }>['call'],
  tool: Bench['tools'][number],
) {
  return approval && whyNotApproved(approval, { call, tool })
}
