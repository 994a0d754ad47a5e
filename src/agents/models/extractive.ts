import type { Db } from '../../db/database.ts'
import type { Location, Passage, Search } from '../deps.ts'
import type { Model, ModelMessage } from './model.ts'

export const EXTRACTIVE = 'builtin/extractive-1'

/** Most passages that an answer quotes. */
const QUOTED = 3
/** Longest quotation of each, in characters. */
const LONGEST_QUOTATION = 600
const LONGEST_QUERY = 2_000

const NOTHING = 'I found nothing about this in the knowledge bases of this agent.'

/**
 * A model without a language model: it searches the agent's knowledge bases for the question and quotes the results,
 * each with its document and position. It writes no text of its own, so it cannot invent anything.
 */
export function createExtractive({ db, search }: { db: Db; search: Search }): Model {
  return {
    name: EXTRACTIVE,
    prices: { inputPer1000: 0, outputPer1000: 0 },
    contextTokens: 1_000_000,
    maxOutputTokens: 4_096,
    async respond({ organizationId, knowledgeBaseIds, messages }, { onText }) {
      const query = questionOf(messages).slice(0, LONGEST_QUERY)
      const found =
        knowledgeBaseIds.length === 0 || query.trim() === ''
          ? []
          : await search(db, { organizationId, knowledgeBaseIds, query, limit: QUOTED })
      const text = answerOf(found)
      onText(text)
      return {
        ...{ status: 'succeeded', text, calls: [], finish: 'stop' },
        usage: { inputTokens: 0, outputTokens: 0 },
      }
    },
  }
}

function questionOf(messages: ModelMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? ''
}

function answerOf(found: Passage[]): string {
  if (found.length === 0) return `${NOTHING} (${EXTRACTIVE})`
  const quotations = found.map(
    ({ text, documentName, location }) => `> ${quote(text)}\n— ${documentName}${placeOf(location)}`,
  )
  const many = found.length === 1 ? 'This passage was' : `These ${found.length} passages were`
  return `${many} found (quoted by ${EXTRACTIVE}, which writes nothing of its own):\n\n${quotations.join('\n\n')}`
}

function quote(text: string): string {
  const whole = [...text.trim()]
  const cut =
    whole.length > LONGEST_QUOTATION ? `${whole.slice(0, LONGEST_QUOTATION).join('')} …` : text.trim()
  return cut.replaceAll('\n', '\n> ')
}

function placeOf({ page, sheet, heading }: Location): string {
  const parts = [
    page === undefined ? [] : `page ${page}`,
    sheet === undefined ? [] : `sheet ${sheet}`,
    heading === undefined ? [] : heading,
  ].flat()
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
