import type { AgentVersion } from '#sdk/postern.ts'
import { MINUTE } from '../../app/clock.ts'
import { number, textOf } from '../../app/words.ts'

export interface Change {
  what: string
  from: string
  to: string
}

/** The differences between two versions of an agent. */
export function changesOf(before: AgentVersion, after: AgentVersion): Change[] {
  const rows: [what: string, from: string, to: string][] = [
    ['Model', textOf(before.model), textOf(after.model)],
    ['Instructions', textOf(before.instructions), textOf(after.instructions)],
    ['Maximum steps', number(before.maxSteps), number(after.maxSteps)],
    ['Maximum tokens per answer', number(before.maxOutputTokens), number(after.maxOutputTokens)],
    ['Maximum minutes', number(before.timeoutMs / MINUTE), number(after.timeoutMs / MINUTE)],
    ['At the answer limit', before.onLength, after.onLength],
    ['When the model fails', before.onModelFailure, after.onModelFailure],
    ['Fallback model', textOf(before.fallbackModel ?? ''), textOf(after.fallbackModel ?? '')],
    ...listRows('Parameter', parametersOf(before), parametersOf(after)),
    ...listRows('Knowledge base', namesOf(before.knowledgeBaseIds), namesOf(after.knowledgeBaseIds)),
    ...listRows('Tool', toolsOf(before), toolsOf(after)),
  ]
  return rows
    .filter(([, from, to]) => from !== to)
    .map(([what, from, to]) => ({ what, from: from || '–', to: to || '–' }))
}

type Named = ReadonlyMap<string, string>

const namesOf = (ids: readonly string[]): Named => new Map(ids.map((id) => [id, textOf(id)]))

const parametersOf = ({ parameters }: AgentVersion): Named =>
  new Map(Object.entries(parameters).map(([name, value]) => [name, `${name} ${value}`]))

/** Each tool in the words of how it may be called. */
function toolsOf({ tools }: AgentVersion): Named {
  return new Map(
    tools.map(({ serverId, name, approval, repeatable, parallel, required }) => [
      `${serverId} ${name}`,
      [
        textOf(name),
        approval === 'always' ? 'needs approval' : 'without approval',
        repeatable && 'can be repeated',
        parallel && 'side by side',
        required && 'required',
      ]
        .filter(Boolean)
        .join(', '),
    ]),
  )
}

/** Items that were added, removed or changed. */
function listRows(what: string, before: Named, after: Named): [string, string, string][] {
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].map((key) => [what, before.get(key) ?? '', after.get(key) ?? ''])
}
