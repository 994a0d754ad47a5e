import type { Message } from '#sdk/postern.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

/** What was said in a conversation, the newest first; that stays, however far back somebody reads. */
export function useMessages(id: string): Listed<Message> {
  const read = (how: object) => postern.conversations.messages(id, { limit: 50 }, how)
  return useList(`messages ${id}`, read, Number.POSITIVE_INFINITY)
}
