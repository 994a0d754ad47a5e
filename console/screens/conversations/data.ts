import type { Message } from '#sdk/postern.ts'
import { type Listed, useList } from '../../app/data/list.ts'
import { postern } from '../../app/data/postern.ts'

/** The messages of a conversation, newest first. The newest stay loaded while older pages are read. */
export function useMessages(id: string): Listed<Message> {
  const read = (how: object) => postern.conversations.messages(id, { limit: 50 }, how)
  return useList(`messages ${id}`, read, Number.POSITIVE_INFINITY)
}
