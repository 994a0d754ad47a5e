import { type AskedCall, estimateRequest, type ModelMessage, type OfferedTool } from '../models/model.ts'
import { readArguments } from './arguments.ts'
import { MOST_CALLS } from './next-move.ts'
import { answerOf, type Step } from './rows.ts'

/** What was said before in a conversation; one turn is what was asked and what was answered. */
interface PastTurn {
  user: string
  assistant: string | undefined
}

/** A file that goes with the input. */
export interface AttachedFile {
  name: string
  /** As much of it as a model reads. */
  text: string
}

export interface Said {
  instructions: string
  past: PastTurn[]
  input: string
  files: AttachedFile[]
  steps: Step[]
}

/** Text of a tool or a file that the model reads at most, in characters. */
const LONGEST_RESULT = 64 * 1024
/** What of a longer one is its beginning; the rest is its end. */
const HEAD = 0.75

const UNKNOWN =
  'The outcome of this call is unknown: it may have been carried out or not. Do not assume either, and do not simply repeat it.'
const TOO_MANY = `Not called: one answer may ask for ${MOST_CALLS} calls. Ask for it another time.`

/**
 * What the model reads, as much of it as it takes: the oldest turns of the conversation go first, whole.
 * @returns undefined where even without them it is too long
 */
export function transcribe(said: Said, tools: OfferedTool[], mostTokens: number): ModelMessage[] | undefined {
  for (let from = 0; from <= said.past.length; from += 1) {
    const messages = toMessages({ ...said, past: said.past.slice(from) })
    if (estimateRequest({ messages, tools }) <= mostTokens) return messages
  }
  return undefined
}

function toMessages({ instructions, past, input, files, steps }: Said): ModelMessage[] {
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

/** Whether the model reads an answer: not one that was cut, after which the run was resumed. */
function isAnswer(step: Step): boolean {
  if (step.kind !== 'model' || step.status !== 'succeeded') return false
  return step.finish_reason !== 'length' || answerOf(step).calls.length > 0
}

/** What a model answered, and what came of each call that it asked for. */
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

/** Arguments that are no object are refused by providers that read them: what was wrong with them stands in the result. */
function toReadable(call: AskedCall): AskedCall {
  return readArguments(call.arguments) === undefined ? { ...call, arguments: '{}' } : call
}

function resultOf(step: Step | undefined): string {
  if (step === undefined || step.status === 'unknown') return UNKNOWN
  return cut(step.output ?? '')
}

/** Marks a text as data for the model, not as instructions. */
function fenced(what: string, text: string): string {
  const name = what.replace(/[<>\n]/g, ' ')
  // What is quoted cannot end the quotation.
  return `<data source="${name.replaceAll('"', "'")}">\n${text.replace(/<\/(?=data)/gi, '< /')}\n</data>`
}

/** How many characters of a text a model does not read. */
export function leftOut(text: string): number {
  return Math.max(0, text.length - LONGEST_RESULT)
}

/** Beginning and end of a text that is too long. */
export function cut(text: string): string {
  if (text.length <= LONGEST_RESULT) return text
  const head = Math.floor(LONGEST_RESULT * HEAD)
  const left = text.length - LONGEST_RESULT
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters are left out …]\n${text.slice(-(LONGEST_RESULT - head)).toWellFormed()}`
}

/** Longest text of a tool that is kept. */
const LONGEST_KEPT = 1024 * 1024

/** A tool's text without what steers terminals, and without what no database stores. */
export function cleaned(text: string): string {
  return (
    text
      .slice(0, LONGEST_KEPT)
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed.
      .replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: likewise.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, '')
  )
}
