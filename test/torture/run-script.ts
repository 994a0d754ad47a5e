import { setTimeout as sleep } from 'node:timers/promises'
import { createDice } from '../simulator/world.ts'
import { ask, type ChatServer, say } from '../support/chat-server.ts'
import type { StubTool } from '../support/mcp-server.ts'

/** Each answer takes up to so long, in milliseconds, so that a kill finds calls under way. */
const LONGEST = 60

/** A run with this in its input asks for a call that a person has to approve. */
export const PAYS = 'pay'

/** What is asked for at first: two calls that are made side by side, one that is made alone, and one after it. */
const FIRST = ['find', 'act', 'sell', 'find']

/** Asks for calls, in some runs for one that a person decides about, and says that it is done. */
export function createModel(seed: number): ChatServer['answer'] {
  const dice = createDice(seed)
  return ({ messages }, response) => {
    const results = messages.filter(({ role }) => role === 'tool').length
    const input = messages.findLast(({ role }) => role === 'user')?.content ?? ''
    // Who pays asks for it when all have answered.
    const isPaying = input.includes(PAYS) && results === FIRST.length
    const names = isPaying ? ['pay'] : FIRST
    const calls = names.map((name): [string, string] => [`crm__${name}`, '{}'])
    void sleep(dice.between(0, LONGEST)).then(() => {
      if (results === 0 || isPaying) ask(response, calls)
      else say(response, 'Done.')
    })
  }
}

/** Each notes its call before it does anything: what is called is called. */
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
