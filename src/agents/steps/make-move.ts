import type { OfferedTool } from '../models/model.ts'
import { readArguments } from '../transcript/arguments.ts'
import { type Move, type NextCall, nextMove, openCalls, type Rules } from '../transcript/next-move.ts'
import type { Step } from '../transcript/rows.ts'
import { type PromptParts, transcribe } from '../transcript/transcript.ts'
import { requestApprovals, whyNotApproved } from './approval.ts'
import type { Attempt, Turn, TurnContext } from './attempt.ts'
import { type Ending, endRun } from './end-run.ts'
import { makeModelStep } from './model-step.ts'
import type { StepDeps } from './step-deps.ts'
import { makeToolSteps, markUnknown, mayRepeat, type Order, refuseCall } from './tool-step.ts'
import type { TurnDeps } from './turn-deps.ts'

/** Ends a run if this claim still holds it. @returns that its turn is over */
export async function finishRun(deps: StepDeps, attempt: Attempt, ending: Ending): Promise<Turn> {
  const now = deps.clock.now()
  const { unwritten } = attempt
  await deps.database.tx(async (tx) => {
    const ended = await endRun(tx, deps, attempt.run, ending, now, attempt)
    if (ended !== undefined) await deps.jobs.settleDone(tx, [attempt.job], now)
  })
  attempt.dropWritten(unwritten)
  return 'over'
}

/** The model is no longer configured. */
const NOT_CONFIGURED: Ending = {
  ...{ status: 'failed', code: 'INTEGRATION_PROVIDER_ERROR', reason: 'model_not_configured' },
}

const fail = (reason: string): Ending => ({ status: 'failed', code: 'PROCESSING_FAILED', reason })

/** Makes the next move of a run. @returns the result of the turn where this move ends it; otherwise the steps made */
export async function makeMove(deps: TurnDeps, context: TurnContext): Promise<Turn | Step[]> {
  const { attempt, definition, tools, steps } = context
  const { run } = attempt
  const rules: Rules = {
    ...definition,
    ...{ resumedSeq: run.resumed_seq, deadlineAt: run.deadline_at ?? Infinity, now: deps.clock.now() },
    parallel: new Set(tools.filter((tool) => tool.isParallel && !tool.needsApproval).map(({ name }) => name)),
  }
  const move = nextMove(steps, rules)
  const why = attempt.interruption()
  if (why === 'ended') return 'over'
  if (why === 'deadline') return finishRun(deps, attempt, fail('timeout'))
  if (why === 'drain' && move.kind !== 'succeed') {
    await deps.writer.settle(attempt)
    return 'given_back'
  }
  switch (move.kind) {
    case 'wait':
      return 'over'
    case 'later':
      await deps.writer.settle(attempt)
      return { notBefore: move.at }
    case 'succeed':
      return succeed(deps, context, move)
    case 'fail':
      return finishRun(deps, attempt, {
        ...{ status: 'failed', code: move.code, reason: move.reason, finish: move.finish },
      })
    case 'model':
      return askModel(deps, context, { ...context.prompt, steps }, move)
    case 'tools':
      return callTools(deps, context, move, rules)
  }
}

/** Ends a run with success; in a conversation it also adds a message and makes the next run due. */
async function succeed(
  deps: TurnDeps,
  { attempt, steps }: TurnContext,
  { output, finish: why }: Extract<Move, { kind: 'succeed' }>,
): Promise<Turn> {
  const { run } = attempt
  if (run.conversation_id !== null)
    return finishRun(deps, attempt, { status: 'succeeded', output, finish: why })
  await deps.writer.succeed(attempt, { output, finish: why, steps })
  return 'over'
}

async function askModel(
  deps: TurnDeps,
  { attempt, definition, tools }: TurnContext,
  prompt: PromptParts,
  move: Extract<Move, { kind: 'model' }>,
): Promise<Turn | Step[]> {
  const { run } = attempt
  const model = deps.models.get(move.name)
  if (model === undefined) return finishRun(deps, attempt, NOT_CONFIGURED)
  const offered: OfferedTool[] = tools.map(({ name, description, inputSchema }) => ({
    ...{ name, description, inputSchema },
  }))
  const maxOutputTokens = Math.min(definition.maxOutputTokens, model.maxOutputTokens)
  const messages = transcribe(prompt, offered, model.contextTokens - maxOutputTokens)
  if (messages === undefined) return finishRun(deps, attempt, fail('context_length'))
  const whose = { organizationId: run.organization_id, knowledgeBaseIds: definition.knowledgeBaseIds }
  const { parameters } = definition
  const request = { ...whose, messages, tools: offered, maxOutputTokens, parameters }
  return [await makeModelStep(deps, attempt, model, request, move)]
}

async function callTools(
  deps: TurnDeps,
  context: TurnContext,
  { calls, isCut }: Extract<Move, { kind: 'tools' }>,
  rules: Rules,
): Promise<Turn | Step[]> {
  const { attempt, tools, steps } = context
  attempt.begin('tool')
  const [orders, rest] = [toOrders(calls, tools), calls.flatMap(({ begun }) => begun ?? [])]
  const lost = rest.filter(
    (step) => !orders.some(({ begun, tool }) => begun === step && mayRepeat(step, tool)),
  )
  // Unknown calls are marked before any call is made.
  if (lost.length > 0) return markUnknown(deps, attempt, lost)
  const [next] = calls
  const [order] = orders
  const why = next && (isCut ? 'cut_arguments' : refusalReason(next, tools))
  if (next !== undefined && why !== undefined)
    return [await refuseCall(deps, attempt, next, why, next.approval?.reason)]
  if (order?.tool.needsApproval && order.begun === undefined && next?.approval === undefined) {
    await requestApprovals(deps, attempt, callsToApprove(steps, tools, order.seq, rules))
    return 'over'
  }
  return makeSideBySide(deps, attempt, orders)
}

/** Makes the first call in the run's own place, and others at once if the organization has places. */
async function makeSideBySide(deps: TurnDeps, attempt: Attempt, orders: Order[]): Promise<Step[]> {
  const { extraCalls } = deps
  const owner = attempt.run.organization_id
  const extra = Math.min(orders.length - 1, extraCalls.room(owner))
  extraCalls.take(owner, extra)
  try {
    return await makeToolSteps(deps, attempt, orders.slice(0, 1 + extra))
  } finally {
    extraCalls.give(owner, extra)
  }
}

/** The calls with a known tool and valid arguments. */
function toOrders(calls: NextCall[], tools: TurnContext['tools']): Order[] {
  return calls.flatMap(({ seq, call, begun }) => {
    const tool = tools.find(({ name }) => name === call.name)
    const args = readArguments(call.arguments)
    if (tool === undefined || args === undefined) return []
    return [{ seq, call, tool, args, ...(begun === undefined ? {} : { begun }) }]
  })
}

/** All calls of an answer that need approval, so that a person decides about them together. */
function callsToApprove(steps: Step[], tools: TurnContext['tools'], seq: number, rules: Rules): Order[] {
  const calls = openCalls(steps, rules).map((call) => ({ seq, call }))
  return toOrders(calls, tools)
    .filter(({ tool }) => tool.needsApproval)
    .map((order, index) => ({ ...order, seq: seq + index }))
}

/** Why a call is not made; undefined where it may be made, or needs approval. */
function refusalReason({ call, approval }: NextCall, tools: TurnContext['tools']) {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) return 'unknown_tool'
  if (readArguments(call.arguments) === undefined) return 'bad_arguments'
  return approval && whyNotApproved(approval, { call, tool })
}
