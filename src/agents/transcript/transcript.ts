import { type AskedCall, estimateRequest, type ModelMessage, type OfferedTool } from '../models/model.ts'
import { readArguments } from './arguments.ts'
import { MOST_CALLS } from './next-move.ts'
import { answerOf, type Step } from './rows.ts'

/** An earlier turn of a conversation: a question and its answer. */
interface PastTurn {
  user: string
  assistant: string | undefined
}

/** A file that is attached to the input. */
export interface AttachedFile {
  name: string
  /** The part of the text that the model reads. */
  text: string
}

export interface PromptParts {
  instructions: string
  past: PastTurn[]
  input: string
  files: AttachedFile[]
  steps: Step[]
}

/** Longest text of a tool or a file that the model reads, in characters. */
const LONGEST_RESULT = 64 * 1024
/** The share of a longer text that is its beginning; the rest is its end. */
const HEAD = 0.75

const UNKNOWN =
  'The outcome of this call is unknown: it may have been carried out or not. Do not assume either, and do not simply repeat it.'
const TOO_MANY = `Not called: one answer may ask for ${MOST_CALLS} calls. Ask for it another time.`

/**
 * The messages for the model within its token limit: the oldest turns of the conversation are left out first.
 * @returns undefined where even the shortest version is too long
 */
export function transcribe(
  prompt: PromptParts,
  tools: OfferedTool[],
  mostTokens: number,
): ModelMessage[] | undefined {
  for (let from = 0; from <= prompt.past.length; from += 1) {
    const messages = toMessages({ ...prompt, past: prompt.past.slice(from) })
    if (estimateRequest({ messages, tools }) <= mostTokens) return messages
  }
  return undefined
}

function toMessages({ instructions, past, input, files, steps }: PromptParts): ModelMessage[] {
  const system: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', content: instructions }]
  const before = past.flatMap(({ user, assistant }): ModelMessage[] => [
    { role: 'user', content: user },
    ...(assistant === undefined ? [] : [{ role: 'assistant', content: assistant } as const]),
  ])
  const attached = files.map(({ name, text }) => `\n\n${fenced(`file ${name}`, text)}`)
  return [
    ...system,
    ...before,
    { role: 'user', content: `${input}${attached.join('')}` },
    ...steps.flatMap((step) => (isAnswer(step) ? ofStep(step, steps) : [])),
  ]
}

/** Whether the model reads an answer: not a truncated one after which the run was resumed. */
function isAnswer(step: Step): boolean {
  if (step.kind !== 'model' || step.status !== 'succeeded') return false
  return step.finish_reason !== 'length' || answerOf(step).calls.length > 0
}

/** A model's answer, and the results of its calls. */
function ofStep(model: Step, steps: Step[]): ModelMessage[] {
  const { text, calls } = answerOf(model)
  const next = steps.find(({ kind, seq }) => kind === 'model' && seq > model.seq)
  const results = new Map(
    steps
      .filter(({ kind, seq }) => kind === 'tool' && seq > model.seq && seq < (next?.seq ?? Infinity))
      .map((step) => [step.call_id, step]),
  )
  return [
    { role: 'assistant', content: text, ...(calls.length === 0 ? {} : { calls: calls.map(toReadable) }) },
    ...calls.map(({ id }, index): ModelMessage => {
      const content = index < MOST_CALLS ? resultOf(results.get(id)) : TOO_MANY
      return { role: 'tool', callId: id, content }
    }),
  ]
}

/** Replaces arguments that are no object, because providers refuse them; the result of the call explains the error. */
function toReadable(call: AskedCall): AskedCall {
  return readArguments(call.arguments) === undefined ? { ...call, arguments: '{}' } : call
}

function resultOf(step: Step | undefined): string {
  if (step === undefined || step.status === 'unknown') return UNKNOWN
  return truncate(step.output ?? '')
}

/** Marks a text as data for the model, not as instructions. */
function fenced(what: string, text: string): string {
  const name = what.replace(/[<>\n]/g, ' ')
  // The text cannot contain the closing tag.
  return `<data source="${name.replaceAll('"', "'")}">\n${text.replace(/<\/(?=data)/gi, '< /')}\n</data>`
}

/** How many characters of a text the model does not read. */
export function omittedLength(text: string): number {
  return Math.max(0, text.length - LONGEST_RESULT)
}

/** The beginning and the end of a text that is too long. */
export function truncate(text: string): string {
  if (text.length <= LONGEST_RESULT) return text
  const head = Math.floor(LONGEST_RESULT * HEAD)
  const left = text.length - LONGEST_RESULT
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters are left out …]\n${text.slice(-(LONGEST_RESULT - head)).toWellFormed()}`
}

/** Longest text of a tool that is stored. */
const LONGEST_KEPT = 1024 * 1024

/** A tool's text without terminal escape sequences, and without characters that databases refuse. */
export function sanitize(text: string): string {
  return (
    text
      .slice(0, LONGEST_KEPT)
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: removes terminal escape sequences.
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
  )
}
