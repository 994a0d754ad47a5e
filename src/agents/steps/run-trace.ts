import type { Config } from '../../config/config.ts'
import type { Millis } from '../../core/clock.ts'
import { type ActiveSpan, addLink, spanContextOf, spanIdOf } from '../../core/span-context.ts'
import { type Attributes, newSpanId, type Span } from '../../telemetry/span.ts'
import type { Spans } from '../../telemetry/telemetry.ts'
import { EXTRACTIVE } from '../models/extractive.ts'
import type { Run, Step } from '../transcript/rows.ts'

/** The spans of runs, in the conventions for generative AI (docs/telemetry.md). */
export interface RunTrace {
  /** Ends the span of an acceptance, and links the request and the run. */
  accepted(run: Run, cause: ActiveSpan | undefined, endedAt: Millis): void
  /** Ends the spans of a run and its steps; of a resumed run, those since the resumption. */
  ended(run: Run, steps: Step[]): void
}

type Models = Config['agents']['models']

/** Spans contain no contents of a run: no instructions, input, arguments, results or answers. */
export function createRunTrace({ isSampled, add }: Spans, models: Models): RunTrace {
  const known = new Map(models.map((model) => [model.name, model]))

  /** The model's name at its provider. */
  function modelOf(name: string): Attributes {
    const model = known.get(name)
    if (model === undefined) return { 'gen_ai.provider.name': 'postern', 'gen_ai.request.model': name }
    return {
      ...{ 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': model.model },
      'server.address': new URL(model.url).hostname,
    }
  }

  /** The spans of a step: a model step has its call as a span of its own; any other step is one span. */
  function spansOf(run: Run, step: Step): Span[] {
    const { traceId } = spanContextOf(run.id)
    const { name, kind, started_at: startedAt, status, reason } = step
    const error = status === 'succeeded' ? undefined : (reason ?? status)
    const common = { traceId, startedAt, endedAt: step.ended_at ?? run.ended_at ?? startedAt, error }
    const own = {
      ...common,
      spanId: spanIdOf(step.id),
      parentSpanId: runSpanOf(run),
      kind: 'internal',
    } as const
    const attributes = { ...namesOf(run), 'postern.step.id': step.id, 'postern.step.seq': step.seq }
    if (kind === 'tool') {
      const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name }
      return [{ ...own, name: `execute_tool ${name}`, attributes: { ...attributes, ...tool } }]
    }
    if (kind !== 'model') return [{ ...own, name: kind, attributes }]
    const call: Attributes = {
      ...{ 'gen_ai.operation.name': 'chat', ...modelOf(name) },
      ...{ 'gen_ai.usage.input_tokens': step.input_tokens, 'gen_ai.usage.output_tokens': step.output_tokens },
      ...(step.finish_reason === null ? {} : { 'gen_ai.response.finish_reasons': [step.finish_reason] }),
    }
    const chat = `chat ${String(call['gen_ai.request.model'])}`
    return [
      { ...own, name: 'step', attributes },
      {
        ...{ ...common, spanId: newSpanId(), parentSpanId: own.spanId, name: chat },
        kind: name === EXTRACTIVE ? 'internal' : 'client',
        attributes: { ...attributes, ...call },
      },
    ]
  }

  return {
    accepted(run, cause, endedAt) {
      const { traceId, spanId } = spanContextOf(run.id)
      if (!isSampled(traceId)) return
      addLink(cause, { traceId, spanId })
      add({
        ...{ traceId, spanId: newSpanId(), parentSpanId: spanId, name: 'accept', kind: 'producer' },
        ...{ startedAt: run.created_at, endedAt, attributes: namesOf(run) },
        links: cause === undefined ? [] : [{ traceId: cause.traceId, spanId: cause.spanId }],
      })
    },
    ended(run, steps) {
      const { traceId } = spanContextOf(run.id)
      if (!isSampled(traceId)) return
      for (const step of steps) for (const span of spansOf(run, step)) add(span)
      const endedAt = run.ended_at ?? run.updated_at
      const resumedAt = Math.min(...steps.map(({ started_at }) => started_at), endedAt)
      add({
        ...{ traceId, spanId: runSpanOf(run), name: 'invoke_agent', kind: 'internal', endedAt },
        startedAt: run.resumed_seq === 0 ? run.created_at : resumedAt,
        attributes: {
          ...namesOf(run),
          ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.id': run.agent_id },
          ...(run.conversation_id === null ? {} : { 'gen_ai.conversation.id': run.conversation_id }),
          'postern.run.status': run.status,
        },
        error: run.status === 'failed' ? (run.error_reason ?? run.error_code ?? run.status) : undefined,
      })
    },
  }
}

/** The id of the span of a run since its last resumption; each resumption starts a new span. */
const runSpanOf = ({ id, resumed_seq }: Run) => spanIdOf(id, resumed_seq)

function namesOf({ id, organization_id }: Run): Attributes {
  return { 'postern.organization.id': organization_id, 'postern.run.id': id }
}
