import type { Millis } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { type Id, newId, parseId } from '../../core/id.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { lock, lockShared } from '../../db/locking.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { Permissions } from '../../http/permissions.ts'

export type Conversation = Tables['conversation']
export type Message = Tables['message']

/** The caller that requests a conversation or a run. */
export interface Requester {
  organizationId: Id<'organization'>
  actorId: string
  permissions: Permissions
}

/** Whether the requester may use an owner's resource: its own, or any with the permission `all`. */
export function mayUse(
  { actorId, permissions }: Requester,
  ownerId: string,
  all: 'runs:all' | 'conversations:all',
): boolean {
  return ownerId === actorId || permissions.has(all)
}

/**
 * A conversation that the requester may use; any other reads as not found.
 * @throws ApiError INVALID_UUID, CONVERSATION_NOT_FOUND
 */
export async function getConversation(
  db: Db | Tx,
  requester: Requester,
  text: string,
  field = 'id',
  how?: typeof lock | typeof lockShared,
): Promise<Conversation> {
  const id = parseId('conversation', text, field)
  const query = db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', requester.organizationId)
  const row = await (how === undefined ? query : how(db, query)).executeTakeFirst()
  if (row === undefined || !mayUse(requester, row.owner_id, 'conversations:all'))
    throw new ApiError('CONVERSATION_NOT_FOUND', { field, value: id })
  return row
}

/** Adds a message of a turn. */
export async function addMessage(
  tx: Tx,
  message: Omit<Message, 'id' | 'created_at'>,
  now: Millis,
): Promise<void> {
  await tx
    .insertInto('message')
    .values({ id: newId('message', now), ...message, created_at: now })
    .execute()
}

/** The messages before a turn, in order; the last ones where there are more than `most`. */
export async function messagesBefore(
  db: Db | Tx,
  conversationId: Id<'conversation'>,
  turn: number,
  most = 400,
): Promise<Pick<Message, 'turn' | 'role' | 'content'>[]> {
  const rows = await db
    .selectFrom('message')
    .select(['turn', 'role', 'content'])
    .where('conversation_id', '=', conversationId)
    .where('turn', '<', turn)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  return rows.sort((a, b) => a.turn - b.turn || (a.role === 'user' ? -1 : 1))
}
