import { at, type Json, objectAt, type Place, readJsonFile, say } from './json-file.ts'
import { type ModelParameters, PARAMETER_NAMES, wrongParameter } from './model-parameters.ts'

/** A model at an OpenAI-compatible endpoint as configured. */
export interface ModelConfig {
  /** The name that agents use. */
  name: string
  /** Without a trailing slash: `/chat/completions` follows. */
  url: string
  /** The model's name at its endpoint. */
  model: string
  /** undefined for an endpoint without authentication. */
  key: string | undefined
  /** Credits for 1,000 tokens. */
  inputPer1000: number
  outputPer1000: number
  contextTokens: number
  maxOutputTokens: number
  /** The member of a request that bounds an answer. */
  maxTokensField: (typeof MAX_TOKENS_FIELDS)[number]
  /** Defaults for parameters that an agent does not set. */
  parameters: ModelParameters
  /** Additional members of every request; null removes a member. */
  extra: Json
}

const MAX_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const
/** Members that `extra` cannot set, because the records of a run depend on them. */
const RESERVED = ['model', 'messages', 'tools', 'stream', ...MAX_TOKENS_FIELDS]

const MEMBERS = [
  'url',
  'model',
  'keyVariable',
  'inputPer1000',
  'outputPer1000',
  'contextTokens',
  'maxOutputTokens',
  'maxTokensField',
  'parameters',
  'extra',
]
const NAME = /^(?!builtin\/)[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/**
 * Reads the models of `MODELS_FILE`; none where there is no file.
 * @param variable looks a variable of the environment up
 * @param problems gets one line for each error of the file, with its exact place
 */
export function readModels(
  file: string | undefined,
  variable: (name: string) => string | undefined,
  problems: string[],
): ModelConfig[] {
  if (file === undefined) return []
  const found: string[] = []
  const value = readJsonFile(file, found)
  const root = { path: '', problems: found }
  const models = found.length > 0 ? undefined : objectAt(value, root, ['models'])?.models
  const all = found.length > 0 ? {} : (objectAt(models, at(root, 'models')) ?? {})
  const read = Object.entries(all).map(([name, one]) =>
    readModel(name, one, at(at(root, 'models'), name), variable),
  )
  problems.push(...found.map((problem) => `MODELS_FILE ${problem} (in ${file})`))
  return found.length > 0 ? [] : read
}

function readModel(
  name: string,
  value: unknown,
  place: Place,
  variable: (name: string) => string | undefined,
): ModelConfig {
  if (!NAME.test(name))
    say(place, 'must be named with 1 to 100 of A-Z, a-z, 0-9 and ._:/-, not after builtin/')
  const given = objectAt(value, place, MEMBERS) ?? {}
  const number = (member: string, standard: number, least: number, isWhole: boolean) => {
    const one = given[member] ?? standard
    const isGood =
      typeof one === 'number' && one >= least && one <= 10_000_000 && (!isWhole || Number.isInteger(one))
    if (!isGood) say(at(place, member), `must be a number from ${least} to 10000000`, one)
    return isGood ? one : standard
  }
  const model = given.model ?? name
  if (typeof model !== 'string' || model === '') say(at(place, 'model'), 'must be a text', model)
  return {
    name,
    url: addressOf(given.url, at(place, 'url')),
    model: String(model),
    key: keyOf(given.keyVariable, at(place, 'keyVariable'), variable),
    inputPer1000: number('inputPer1000', 0, 0, false),
    outputPer1000: number('outputPer1000', 0, 0, false),
    contextTokens: number('contextTokens', 32_768, 256, true),
    maxOutputTokens: number('maxOutputTokens', 4_096, 1, true),
    maxTokensField: fieldOf(given.maxTokensField, at(place, 'maxTokensField')),
    parameters: parametersOf(given.parameters, at(place, 'parameters')),
    extra: extraOf(given.extra, at(place, 'extra')),
  }
}

function fieldOf(value: unknown, place: Place): ModelConfig['maxTokensField'] {
  const field = MAX_TOKENS_FIELDS.find((one) => one === (value ?? 'max_tokens'))
  if (field === undefined) say(place, `must be ${MAX_TOKENS_FIELDS.join(' or ')}`, value)
  return field ?? 'max_tokens'
}

function parametersOf(value: unknown, place: Place): ModelParameters {
  const given = value === undefined ? {} : (objectAt(value, place, PARAMETER_NAMES) ?? {})
  for (const name of PARAMETER_NAMES) {
    const wrong = given[name] === undefined ? undefined : wrongParameter(name, given[name])
    if (wrong !== undefined) say(at(place, name), wrong, given[name])
  }
  return given as ModelParameters
}

function extraOf(value: unknown, place: Place): Json {
  const given = value === undefined ? {} : (objectAt(value, place) ?? {})
  for (const name of RESERVED)
    if (given[name] !== undefined) say(at(place, name), 'is set by Postern, and cannot be set here')
  return given
}

function addressOf(value: unknown, place: Place): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isHttp = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
  if (!isHttp) say(place, 'must be an http or https URL without credentials and query')
  return isHttp ? url.href.replace(/\/+$/, '') : ''
}

/** Reads the key from the environment variable that the file names, so that no file contains a key. */
function keyOf(
  value: unknown,
  place: Place,
  variable: (name: string) => string | undefined,
): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !VARIABLE.test(value)) {
    say(place, 'must name a variable of the environment')
    return undefined
  }
  const key = variable(value)?.trim()
  if (key === undefined || key === '') say(place, `names ${value}, which is not set`)
  return key
}
