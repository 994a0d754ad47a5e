/** The bounds of a parameter. */
type Bound =
  | { kind: 'number'; least: number; most: number; isWhole?: boolean }
  | { kind: 'name'; names: readonly string[] }

/**
 * What may be asked of a model beside its messages: the name here, the member of the request, and its bounds. What is not
 * listed is never sent for an agent, so that no agent reaches into the request.
 */
export const MODEL_PARAMETERS = {
  temperature: { wire: 'temperature', bound: { kind: 'number', least: 0, most: 2 } },
  topP: { wire: 'top_p', bound: { kind: 'number', least: 0, most: 1 } },
  frequencyPenalty: { wire: 'frequency_penalty', bound: { kind: 'number', least: -2, most: 2 } },
  presencePenalty: { wire: 'presence_penalty', bound: { kind: 'number', least: -2, most: 2 } },
  seed: { wire: 'seed', bound: { kind: 'number', least: 0, most: 2_147_483_647, isWhole: true } },
  reasoningEffort: {
    wire: 'reasoning_effort',
    bound: { kind: 'name', names: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] },
  },
  verbosity: { wire: 'verbosity', bound: { kind: 'name', names: ['low', 'medium', 'high'] } },
} as const satisfies Record<string, { wire: string; bound: Bound }>

export type ModelParameter = keyof typeof MODEL_PARAMETERS
export type ModelParameters = { [Name in ModelParameter]?: number | string | undefined }

/** The names in the order of the documentation. */
export const PARAMETER_NAMES = Object.keys(MODEL_PARAMETERS) as ModelParameter[]

/** @returns the requirement that a value violates; undefined for a valid value */
export function wrongParameter(name: ModelParameter, value: unknown): string | undefined {
  const bound: Bound = MODEL_PARAMETERS[name].bound
  if (bound.kind === 'name')
    return bound.names.includes(value as string) ? undefined : `must be one of ${bound.names.join(', ')}`
  const isGood =
    typeof value === 'number' &&
    value >= bound.least &&
    value <= bound.most &&
    (bound.isWhole !== true || Number.isInteger(value))
  if (isGood) return undefined
  return `must be a ${bound.isWhole === true ? 'whole ' : ''}number from ${bound.least} to ${bound.most}`
}

/** The members of a request for parameters; a later set overrides an earlier one. */
export function toWireParameters(...all: ModelParameters[]): Record<string, number | string> {
  const members: Record<string, number | string> = {}
  for (const parameters of all)
    for (const name of PARAMETER_NAMES) {
      const value = parameters[name]
      if (value !== undefined) members[MODEL_PARAMETERS[name].wire] = value
    }
  return members
}
