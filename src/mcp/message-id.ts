import { memberTexts } from '../http/body/json-text.ts'

/** A parsed message. */
interface Message {
  id?: string | number | undefined
}

/**
 * The id of a message as written, where parsing has changed the number: a client that sent 9007199254740993 would not
 * recognize an answer to 9007199254740992.
 */
export function inexactId({ id }: Message, text: string): string | undefined {
  if (typeof id !== 'number' || Number.isSafeInteger(id)) return undefined
  return memberTexts(text).get('id')
}

/** The answer to a message whose id was parsed as text, with the id as written. */
export function withOriginalId(id: string, answer: string): string {
  const members = memberTexts(answer)
  if (members.get('id') === JSON.stringify(id)) members.set('id', id)
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
}
