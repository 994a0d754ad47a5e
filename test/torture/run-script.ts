import { setTimeout as sleep } from 'node:timers/promises'
import { createDice } from '../simulator/world.ts'
import { ask, type ChatServer, say } from '../support/chat-server.ts'
import type { StubTool } from '../support/mcp-server.ts'

/** The longest time of an answer, in milliseconds, so that a kill finds calls under way. */
const LONGEST = 60

/** A run with this in its input asks for a call that a person has to approve. */
export const PAYS = 'pay'

/** The first calls of the model: two that are made side by side, one that is made alone, and one after it. */
const FIRST = ['find', 'act', 'sell', 'find']

/** A model that requests the calls, in some runs one that needs approval, and then answers. */
export function createModel(seed: number): ChatServer['answer'] {
  const dice = createDice(seed)
  return ({ messages }, response) => {
    const results = messages.filter(({ role }) => role === 'tool').length
    const input = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    // The call that needs approval comes when all others have results.
    const isPaying = input.includes(PAYS) && results === FIRST.length
    const names = isPaying ? ['pay'] : FIRST
    const calls = names.map((name): [string, string] => [`crm__${name}`, '{}'])
    void sleep(dice.between(0, LONGEST)).then(() => {
      if (results === 0 || isPaying) ask(response, calls)
      else say(response, 'Done.')
    })
  }
}

/** Each tool records its call before it does anything, so that no call is lost by a kill. */
export function createTools(seed: number): StubTool[] {
  const dice = createDice(seed + 1)
  async function call(): Promise<object> {
    await sleep(dice.between(0, LONGEST))
    return { content: [{ type: 'text', text: 'done' }] }
  }
  return [
    { name: 'find', description: 'Finds.', annotations: { readOnlyHint: true }, call },
    { name: 'act', description: 'Acts.', call },
    { name: 'sell', description: 'Sells.', call },
    { name: 'pay', description: 'Pays.', call },
  ]
}
