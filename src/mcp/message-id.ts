import { memberTexts } from '../http/body/json-text.ts'

/** A message as it was read. */
interface Message {
  id?: string | number | undefined
}

/**
 * The id of a message as it was written, where reading it has made another number of it: who asked for 9007199254740993 would not
 * know an answer to 9007199254740992.
 */
export function lostId({ id }: Message, text: string): string | undefined {
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return undefined
  return memberTexts(text).get('id')
}

/** The answer to a message that was read with its id as a text, with the id as it was written. */
export function answerTo(id: string, answer: string): string {
  const members = memberTexts(answer)
  if (members.get('id') === JSON.stringify(id)) members.set('id', id)
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
}
