import type { Agent, CreateAgentBody } from '#sdk/postern.ts'
import { MINUTE } from '../../app/clock.ts'

/** The values of the form of an agent. The key of a tool is its server's id and its name. */
export interface AgentValues {
  name: string
  instructions: string
  model: string
  knowledgeBaseIds: string[]
  tools: string[]
  /** Keys of the tools that are called without approval. */
  free: string[]
  /** Keys of the tools whose calls are made side by side, because an administrator declared them harmless. */
  parallel: string[]
  maxSteps: string
  maxOutputTokens: string
  minutes: string
  onLength: string
  onModelFailure: string
  /** No model where it is empty. */
  fallbackModel: string
  /** As the model has it where it is empty. */
  temperature: string
  reasoningEffort: string
}

export const NEW: AgentValues = {
  name: '',
  instructions: '',
  model: 'builtin/extractive-1',
  knowledgeBaseIds: [],
  tools: [],
  free: [],
  parallel: [],
  maxSteps: '12',
  maxOutputTokens: '2048',
  minutes: '10',
  ...{ onLength: 'keep', onModelFailure: 'fail', fallbackModel: '', temperature: '', reasoningEffort: '' },
}

/** How the form names a tool. */
export const keyOf = ({ serverId, name }: { serverId: string; name: string }) => `${serverId} ${name}`

export function valuesOf(agent: Agent): AgentValues {
  const { name, instructions, model, knowledgeBaseIds, tools, maxSteps, maxOutputTokens, timeoutMs } = agent
  return {
    ...{ name, instructions, model, knowledgeBaseIds },
    tools: tools.map(keyOf),
    free: tools.filter(({ approval }) => approval === 'never').map(keyOf),
    parallel: tools.filter(({ parallel }) => parallel).map(keyOf),
    maxSteps: String(maxSteps),
    maxOutputTokens: String(maxOutputTokens),
    minutes: String(timeoutMs / MINUTE),
    onLength: agent.onLength,
    onModelFailure: agent.onModelFailure,
    fallbackModel: agent.fallbackModel ?? '',
    temperature: String(agent.parameters.temperature ?? ''),
    reasoningEffort: String(agent.parameters.reasoningEffort ?? ''),
  }
}

/** The body of the request. Properties of a tool that the form does not have keep their values. */
export function bodyOf(values: AgentValues, before?: Agent): CreateAgentBody {
  const known = new Map(before?.tools.map((tool) => [keyOf(tool), tool]))
  return {
    name: values.name.trim(),
    instructions: values.instructions,
    model: values.model,
    knowledgeBaseIds: values.knowledgeBaseIds,
    tools: values.tools.map((key) => {
      const [serverId = '', ...name] = key.split(' ')
      const approval = values.free.includes(key) ? 'never' : 'always'
      const parallel = values.parallel.includes(key)
      return { ...known.get(key), serverId, name: name.join(' '), approval, parallel }
    }),
    maxSteps: Number(values.maxSteps),
    maxOutputTokens: Number(values.maxOutputTokens),
    timeoutMs: Math.round(Number(values.minutes) * MINUTE),
    onLength: values.onLength as Agent['onLength'],
    onModelFailure: values.onModelFailure as Agent['onModelFailure'],
    fallbackModel: values.fallbackModel === '' ? null : values.fallbackModel,
    parameters: parametersOf(values, before),
  }
}

/** Parameters that this form does not ask stay as they were. */
function parametersOf({ temperature, reasoningEffort }: AgentValues, before?: Agent): Agent['parameters'] {
  const { temperature: _, reasoningEffort: __, ...others } = before?.parameters ?? {}
  return {
    ...others,
    ...(temperature.trim() === '' ? {} : { temperature: Number(temperature) }),
    ...(reasoningEffort === ''
      ? {}
      : { reasoningEffort: reasoningEffort as NonNullable<Agent['parameters']['reasoningEffort']> }),
  }
}
